/* Opens a scan of one format and reads a row of each kind of frame. FUZZ_NAME
 * is the name of the scan's file. An input that begins as below is a folder
 * instead: each of its files follows a line "@@ NAME". */
#include "tests/fuzz/fuzz.h"

#include "data/error.h"
#include "data/read/format/contents.h"
#include "data/read/reader.h"

#include <glib/gstdio.h>
#include <string.h>

#define MARK "@@ "

enum
{
  MAX_ROW_BYTES = 1 << 24, /* what is read of a kind */
  MAX_FILES = 64           /* of a folder */
};

/* Instead of GLib's: a damaged file is waited for and tried again, because it
 * could be that its writer has not finished. An input has no writer. */
void
g_usleep (gulong microseconds)
{
}

/* Removes @path with its contents. */
static void
remove_all (const char *path)
{
  g_autoptr (GDir) folder = g_dir_open (path, 0, NULL);
  const char *name;
  while (folder != NULL && (name = g_dir_read_name (folder)) != NULL)
    {
      g_autofree char *inside = g_build_filename (path, name, NULL);
      remove_all (inside);
    }
  g_remove (path);
}

static void
write_file (const char *folder, const char *name, const char *bytes,
            size_t size)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autofree char *parent = g_path_get_dirname (path);
  g_mkdir_with_parents (parent, 0700);
  g_file_set_contents_full (path, bytes, (gssize)size, G_FILE_SET_CONTENTS_NONE,
                            0600, NULL);
}

/* Returns: whether a file of this name stays in its folder */
static gboolean
is_inside (const char *name)
{
  return *name != '\0' && *name != '/' && strlen (name) < 80
         && strstr (name, "..") == NULL && g_str_is_ascii (name);
}

/* @text: begins with MARK */
static void
write_folder (const char *folder, const char *text, size_t size)
{
  const char *const end = text + size;
  const char *at = text;
  for (int i = 0; i < MAX_FILES && at != NULL; i++)
    {
      const char *line_end = memchr (at, '\n', (size_t)(end - at));
      if (line_end == NULL)
        return;
      g_autofree char *name = g_strndup (
          at + strlen (MARK), (size_t)(line_end - at) - strlen (MARK));
      const char *next = memmem (line_end, (size_t)(end - line_end), "\n" MARK,
                                 strlen ("\n" MARK));
      const char *bytes_end = next != NULL ? next : end;
      if (bytes_end > line_end && is_inside (name))
        write_file (folder, name, line_end + 1,
                    (size_t)(bytes_end - line_end) - 1);
      at = next != NULL ? next + 1 : NULL;
    }
}

static void
check_error (const GError *error)
{
  if (error == NULL)
    return;
  g_assert_true (error->domain == TL_ERROR);
  g_assert_true (g_utf8_validate (error->message, -1, NULL));
}

static void
read_rows (TlReader *reader)
{
  const TlScanInfo *info = tl_reader_get_info (reader);
  const size_t counts[TL_N_FRAME_KINDS] = {
    [TL_FRAMES_PROJECTIONS] = info->n_projections,
    [TL_FRAMES_FLATS] = info->n_flats,
    [TL_FRAMES_DARKS] = info->n_darks,
  };
  g_assert_cmpuint (info->n_rows, >, 0);
  g_assert_cmpuint (info->n_cols, >, 0);
  for (TlFrameKind kind = 0; kind < TL_N_FRAME_KINDS; kind++)
    {
      const size_t size = tl_sample_size (tl_reader_get_type (reader, kind));
      if (counts[kind] == 0 || info->n_cols > MAX_ROW_BYTES / size)
        continue;
      g_autoptr (GError) error = NULL;
      g_autofree void *row = g_malloc (info->n_cols * size);
      tl_reader_read_frames (reader, kind, counts[kind] / 2, 1,
                             info->n_rows / 2, 1, row, &error);
      check_error (error);
    }
  if (info->n_cols * sizeof (double) > MAX_ROW_BYTES / info->n_projections)
    return;
  g_autoptr (GError) error = NULL;
  g_autofree void *row = g_malloc (info->n_projections * info->n_cols
                                   * tl_sample_size (info->type));
  tl_reader_read (reader, info->n_rows - 1, 1, row, NULL, &error);
  check_error (error);
}

static void
list_contents (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) datasets = tl_contents_list_datasets (path, &error);
  if (datasets != NULL)
    g_strfreev (tl_contents_list_scans (path, &error));
  check_error (error);
}

static void
ignore_log (const char *domain, GLogLevelFlags level, const char *text,
            gpointer data)
{
}

/* The tests let criticals be fatal. libgsf reports a critical for an OLE file
 * that is damaged, which is no fault of ours: those of all others stay fatal.
 */
static void
let_libgsf_complain (void)
{
  static const char *const domains[] = { G_LOG_DOMAIN, "GLib", "GLib-GObject",
                                         "GLib-GIO" };
  static const char *const of_libgsf[] = { "libgsf", "libgsf:msole" };
  g_log_set_always_fatal (G_LOG_FATAL_MASK);
  for (size_t i = 0; i < G_N_ELEMENTS (domains); i++)
    g_log_set_fatal_mask (domains[i],
                          G_LOG_FATAL_MASK | (int)G_LOG_LEVEL_CRITICAL);
  for (size_t i = 0; i < G_N_ELEMENTS (of_libgsf); i++)
    g_log_set_handler (of_libgsf[i], G_LOG_LEVEL_MASK, ignore_log, NULL);
}

int
LLVMFuzzerTestOneInput (const guint8 *bytes, size_t size)
{
  static gsize is_ready;
  if (g_once_init_enter (&is_ready))
    {
      if (g_str_has_suffix (FUZZ_NAME, ".txrm"))
        let_libgsf_complain ();
      g_once_init_leave (&is_ready, 1);
    }
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("fuzz-XXXXXX", NULL);
  g_assert_nonnull (folder);
  g_autofree char *path = g_build_filename (folder, FUZZ_NAME, NULL);
  if (size > strlen (MARK) && memcmp (bytes, MARK, strlen (MARK)) == 0)
    {
      g_mkdir (path, 0700);
      write_folder (path, (const char *)bytes, size);
    }
  else
    write_file (folder, FUZZ_NAME, (const char *)bytes, size);
  g_autoptr (TlReader) reader = tl_reader_open (path, NULL, &error);
  check_error (error);
  if (reader != NULL)
    read_rows (reader);
  if (tl_contents_can_list (path))
    list_contents (path);
  remove_all (folder);
  return 0;
}
