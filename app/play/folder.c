/* The scan in a folder of TIFF images, with the angles in a text file. An image
 * has the number of its place in the order in which its kind is taken, so that
 * the angles are in the order of the names. */
#include "app/play/way-private.h"

#include "data/error.h"
#include "data/write/part-file.h"
#include "data/write/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#define ANGLES_NAME "angles.txt"
#define SUFFIX ".tif"

/* The first line of the list of angles says that this program has made the
 * folder, and may replace it. A scan that is put there later has a list of its
 * own. */
#define MARK "# tomolens-cli play\n"

/* An image that is written in place grows in so many pieces, for most of the
 * time until the next one. */
#define N_PIECES 8
#define GROWING_PART 0.8

/* The series of images; flats taken later have a name that says so. */
enum
{
  SERIES_LATER_FLATS = TL_N_FRAME_KINDS,
  N_SERIES
};

static const char *const prefixes[N_SERIES] = {
  [TL_FRAMES_PROJECTIONS] = "proj_",
  [TL_FRAMES_FLATS] = "flat_",
  [TL_FRAMES_DARKS] = "dark_",
  [SERIES_LATER_FLATS] = "flat_after_",
};

typedef struct
{
  const TlPlayTarget *target;
  int angles; /* descriptor */
  off_t angles_bytes;
  size_t first[N_SERIES]; /* number of its first frame among all frames */
} Folder;

/* Returns: whether an earlier run may have made the file, also a hidden one if
 * that run was killed */
static gboolean
is_ours (const char *name)
{
  const char *shown = name + strspn (name, ".");
  if (strcmp (name, ANGLES_NAME) == 0)
    return TRUE;
  for (int i = 0; i < N_SERIES; i++)
    if (g_str_has_prefix (shown, prefixes[i]))
      {
        const char *number = shown + strlen (prefixes[i]);
        const char *rest = number + strspn (number, "0123456789");
        if (strcmp (rest, SUFFIX) == 0
            || (shown > name && g_str_has_prefix (rest, SUFFIX)
                && g_str_has_suffix (rest, TL_PART_SUFFIX)))
          return TRUE;
      }
  return FALSE;
}

/* @path: of a list of angles */
static gboolean
has_mark (const char *path)
{
  g_autofree char *text = NULL;
  return g_file_test (path, G_FILE_TEST_IS_REGULAR)
         && g_file_get_contents (path, &text, NULL, NULL)
         && g_str_has_prefix (text, MARK);
}

/* Looks whether everything in @dir is of an earlier run. Images with such names
 * alone may be a scan of somebody else: a run makes the list of angles first.
 */
static gboolean
check_folder (GDir *dir, const char *path, const char *angles, GError **error)
{
  g_autofree char *shown = g_filename_display_name (path);
  gboolean is_empty = TRUE;
  for (const char *name; (name = g_dir_read_name (dir)) != NULL;)
    {
      is_empty = FALSE;
      if (is_ours (name))
        continue;
      g_autofree char *other = g_filename_display_name (name);
      return tl_fail (error, TL_ERROR_FILE,
                      _ ("%s: is not replaced, because %s in it is no image "
                         "of a scan that was played; choose another folder, or "
                         "delete this one yourself"),
                      shown, other);
    }
  return is_empty || has_mark (angles)
         || tl_fail (error, TL_ERROR_FILE,
                     _ ("%s: is not replaced, because no %s in it says that "
                        "tomolens-cli play has written it; choose another "
                        "folder, or delete this one yourself"),
                     shown, ANGLES_NAME);
}

/* Removes the images of an earlier run, unless there is anything else, and then
 * the list of angles: until then another run may go on with this. */
static gboolean
empty_folder (const char *path, GError **error)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  g_autofree char *angles = g_build_filename (path, ANGLES_NAME, NULL);
  if (dir == NULL)
    return tl_set_write_error (error, path, EEXIST, NULL);
  if (!check_folder (dir, path, angles, error))
    return FALSE;
  g_dir_rewind (dir);
  for (const char *name; (name = g_dir_read_name (dir)) != NULL;)
    {
      g_autofree char *file = g_build_filename (path, name, NULL);
      if (strcmp (name, ANGLES_NAME) != 0 && g_unlink (file) != 0)
        return tl_set_write_error (error, file, errno, NULL);
    }
  return g_unlink (angles) == 0 || errno == ENOENT
         || tl_set_write_error (error, angles, errno, NULL);
}

static int
create_file (const char *path, GError **error)
{
  const int fd =
      g_open (path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (fd < 0)
    tl_set_write_error (error, path, errno, NULL);
  return fd;
}

static int
get_series (const TlPlayStep *step)
{
  return step->kind == TL_FRAMES_FLATS && step->is_after ? SERIES_LATER_FLATS
                                                         : (int)step->kind;
}

static gpointer
open_folder (const TlPlayTarget *target, GError **error)
{
  const char *path = target->job->to;
  if (g_mkdir (path, 0777) != 0)
    {
      if (errno != EEXIST || !target->job->replaces)
        {
          tl_set_write_error (error, path, errno, NULL);
          return NULL;
        }
      if (!empty_folder (path, error))
        return NULL;
    }
  g_autofree char *angles = g_build_filename (path, ANGLES_NAME, NULL);
  const int fd = create_file (angles, error);
  if (fd < 0)
    return NULL;
  if (!tl_write_at (fd, angles, MARK, strlen (MARK), 0, error))
    {
      close (fd);
      g_unlink (angles);
      return NULL;
    }
  Folder *folder = g_new0 (Folder, 1);
  folder->target = target;
  folder->angles = fd;
  folder->angles_bytes = (off_t)strlen (MARK);
  for (guint k = target->steps->len; k > 0; k--)
    {
      const TlPlayStep *step =
          &g_array_index (target->steps, TlPlayStep, k - 1);
      folder->first[get_series (step)] = step->number;
    }
  return folder;
}

static char *
dup_path (const Folder *folder, const char *name)
{
  return g_build_filename (folder->target->job->to, name, NULL);
}

/* Adds a line to the list of angles. */
static gboolean
add_angle (Folder *folder, double angle_deg, GError **error)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  g_ascii_dtostr (number, sizeof number, angle_deg);
  g_autofree char *line = g_strconcat (number, "\n", NULL);
  g_autofree char *path = dup_path (folder, ANGLES_NAME);
  if (!tl_write_at (folder->angles, path, line, strlen (line),
                    (guint64)folder->angles_bytes, error))
    return FALSE;
  folder->angles_bytes += (off_t)strlen (line);
  return TRUE;
}

static gboolean
grow (const TlPlayTarget *target, int fd, const char *path, const char *bytes,
      size_t n, GError **error)
{
  const gint64 begin_us = g_get_monotonic_time ();
  const double last_us = GROWING_PART * G_USEC_PER_SEC / target->job->rate;
  for (size_t piece = 0; piece < N_PIECES; piece++)
    {
      const size_t first = n * piece / N_PIECES;
      const size_t end = n * (piece + 1) / N_PIECES;
      const double due_us = last_us * (double)piece / (N_PIECES - 1);
      if (!tl_play_sleep (begin_us + (gint64)due_us, target->cancellable, error)
          || !tl_write_at (fd, path, bytes + first, end - first, first, error))
        return FALSE;
    }
  return TRUE;
}

/* Makes the image under a hidden name, and copies it slowly. An image that was
 * not finished is removed. */
static gboolean
write_in_place (const Folder *folder, const char *name, const void *pixels,
                GError **error)
{
  const TlPlayTarget *target = folder->target;
  const TlScanInfo *info = target->info;
  g_autofree char *hidden_name = g_strconcat (".", name, NULL);
  g_autofree char *hidden = dup_path (folder, hidden_name);
  g_autofree char *path = dup_path (folder, name);
  g_autoptr (GError) failure = NULL;
  g_autofree char *bytes = NULL;
  gsize n;
  if (!tl_write_tiff_frame (hidden, target->type, pixels, info->n_rows,
                            info->n_cols, error))
    return FALSE;
  const gboolean is_made = g_file_get_contents (hidden, &bytes, &n, &failure);
  g_unlink (hidden);
  if (!is_made)
    return tl_set_write_error (error, path, 0, failure->message);
  const int fd = create_file (path, error);
  if (fd < 0)
    return FALSE;
  const gboolean good = grow (target, fd, path, bytes, n, error);
  close (fd);
  if (!good)
    g_unlink (path);
  return good;
}

static gboolean
write_image (const Folder *folder, const char *name, const void *pixels,
             GError **error)
{
  const TlPlayTarget *target = folder->target;
  g_autofree char *path = dup_path (folder, name);
  return target->job->in_place
             ? write_in_place (folder, name, pixels, error)
             : tl_write_tiff_frame (path, target->type, pixels,
                                    target->info->n_rows, target->info->n_cols,
                                    error);
}

/* The angle is there before its image, and goes where the image fails, so that
 * the folder can be read. */
static gboolean
add_image (gpointer to, const TlPlayStep *step, const void *pixels,
           GError **error)
{
  Folder *folder = to;
  const int series = get_series (step);
  const off_t before = folder->angles_bytes;
  g_autofree char *name = g_strdup_printf (
      "%s%05zu" SUFFIX, prefixes[series], step->number - folder->first[series]);
  if (step->kind == TL_FRAMES_PROJECTIONS
      && !add_angle (folder, step->angle_deg, error))
    return FALSE;
  if (write_image (folder, name, pixels, error))
    return TRUE;
  if (ftruncate (folder->angles, before) != 0)
    g_info ("%s: has an angle too many", ANGLES_NAME);
  return FALSE;
}

static gboolean
close_folder (gpointer to, GError **error)
{
  Folder *folder = to;
  const gboolean good =
      close (folder->angles) == 0
      || tl_set_write_error (error, folder->target->job->to, errno, NULL);
  g_free (folder);
  return good;
}

const TlPlayWayClass tl_play_folder = {
  .way = TL_PLAY_FOLDER,
  .open = open_folder,
  .send = add_image,
  .close = close_folder,
};
