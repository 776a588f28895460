/* The samples alone, with a detached NRRD header beside them:
 * https://teem.sourceforge.net/nrrd/format.html */
#include "data/write/volume/disk-private.h"
#include "data/write/volume/facts-private.h"
#include "data/write/volume/volume-private.h"

#include <fcntl.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUFFIX ".raw"

char *
tl_volume_dup_side_path (TlVolumeFormat format, const char *path)
{
  const size_t n = strlen (path);

  if (format != TL_VOLUME_RAW)
    return NULL;
  return g_strdup_printf (
      "%.*s.nhdr",
      (int)(g_str_has_suffix (path, SUFFIX) ? n - strlen (SUFFIX) : n), path);
}

static gboolean
open_raw (TlVolume *volume, gboolean is_new, GError **error)
{
  g_autofree char *side_path =
      tl_volume_dup_side_path (volume->info.format, volume->path);

  if (is_new)
    {
      int fd = tl_disk_create (side_path, error);

      if (fd < 0)
        return FALSE;
      close (fd);
    }
  return tl_plain_open (volume, is_new, error);
}

/* Values of NRRD stand in one line, with \n for a line end. */
static char *
dup_one_line (const char *text)
{
  GString *line = g_string_new (text);

  g_string_replace (line, "\\", "\\\\", 0);
  g_string_replace (line, "\n", "\\n", 0);
  return g_string_free (line, FALSE);
}

/* The inverse of dup_one_line(). */
static char *
dup_lines (const char *line)
{
  GString *text = g_string_new (NULL);

  for (const char *c = line; *c != '\0'; c++)
    if (*c == '\\' && c[1] != '\0')
      g_string_append_c (text, *++c == 'n' ? '\n' : *c);
    else
      g_string_append_c (text, *c);
  return g_string_free (text, FALSE);
}

static void
append_facts (GString *header, const TlVolumeInfo *info,
              const TlVolumeTally *tally)
{
  g_autoptr (GArray) facts = tl_facts_list (info, G_MAXSIZE, tally);

  for (guint i = 0; i < facts->len; i++)
    {
      const TlFact *fact = &g_array_index (facts, TlFact, i);
      g_autofree char *value = fact->text != NULL
                                   ? dup_one_line (fact->text)
                                   : tl_dup_number (fact->number);

      if (fact->text != NULL || isfinite (fact->number))
        g_string_append_printf (header, "%s:=%s\n", fact->key, value);
    }
}

static char *
read_raw_fact (const char *path, const char *key)
{
  g_autofree char *side_path = tl_volume_dup_side_path (TL_VOLUME_RAW, path);
  g_autofree char *start = g_strdup_printf ("\n%s:=", key);
  g_autofree char *header = NULL;
  const char *found;

  if (!g_file_get_contents (side_path, &header, NULL, NULL)
      || !g_str_has_prefix (header, "NRRD")
      || (found = strstr (header, start)) == NULL)
    return NULL;
  found += strlen (start);
  g_autofree char *line = g_strndup (found, strcspn (found, "\n"));
  return dup_lines (line);
}

/* Returns: the bytes of a slice that the header describes; 0 if it is not like
 * those that finish_raw() writes
 *
 * @n_slices: (out) */
static guint64
read_size (const char *header, guint64 *n_slices)
{
  const char *type = strstr (header, "\ntype: ");
  const char *sizes = strstr (header, "\nsizes: ");
  TlVolumeSample sample = TL_VOLUME_F32;

  *n_slices = 0;
  if (type == NULL || sizes == NULL)
    return 0;
  type += strlen ("\ntype: ");
  g_autofree char *name = g_strndup (type, strcspn (type, "\n"));
  if (strcmp (name, "float") != 0
      && !tl_volume_sample_from_name (name, &sample))
    return 0;
  char *at = (char *)sizes + strlen ("\nsizes: ");
  const guint64 n_cols = g_ascii_strtoull (at, &at, 10);
  const guint64 n_rows = g_ascii_strtoull (at, &at, 10);
  *n_slices = g_ascii_strtoull (at, &at, 10);
  return n_cols * n_rows * tl_volume_sample_size (sample);
}

/* Returns: whether the samples at @path have the size and, at both ends, the
 * checksums of the header, unless it is that of an earlier version and has
 * none. Those of all slices would take too long */
static gboolean
has_samples (const char *path, const char *header)
{
  guint64 n_slices;
  const guint64 n_bytes = read_size (header, &n_slices);
  g_autofree char *sums = read_raw_fact (path, TL_FACT_SUMS);
  int fd = open (path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  guint32 first = 0, last = 0;
  GStatBuf status;

  if (fd < 0)
    return FALSE;
  const gboolean can_read =
      n_bytes > 0 && n_slices > 0 && fstat (fd, &status) == 0
      && (guint64)status.st_size == n_slices * n_bytes
      && tl_disk_sum (fd, 0, n_bytes, &first)
      && tl_disk_sum (fd, (n_slices - 1) * n_bytes, n_bytes, &last);
  close (fd);
  g_autofree char *start = g_strdup_printf ("%08x", first);
  g_autofree char *end = g_strdup_printf ("%08x", last);
  return can_read
         && (sums == NULL
             || (g_str_has_prefix (sums, start)
                 && g_str_has_suffix (sums, end)));
}

/* Other samples do not belong to the header. */
static char *
find_foreign_samples (const char *path)
{
  g_autofree char *side_path = tl_volume_dup_side_path (TL_VOLUME_RAW, path);
  g_autofree char *header = NULL;
  GStatBuf status;

  if (!g_file_get_contents (side_path, &header, NULL, NULL))
    return g_strdup (side_path);
  return g_lstat (path, &status) != 0 || has_samples (path, header)
             ? NULL
             : g_strdup (path);
}

static gboolean
finish_raw (TlVolume *volume, const TlVolumeTally *tally, GError **error)
{
  const TlVolumeInfo *info = &volume->info;
  g_autofree char *side_path =
      tl_volume_dup_side_path (info->format, volume->path);
  g_autofree char *name = g_path_get_basename (volume->path);
  g_autofree char *low = tl_dup_number (info->low);
  g_autofree char *high = tl_dup_number (info->high);
  g_autofree char *pixel = tl_dup_number (info->pixel_um);
  g_autofree char *pitch = tl_dup_number (info->pitch_um);
  const char *const *axes = tl_volume_plane_axes (info->plane);
  g_autoptr (GString) header = g_string_new ("NRRD0005\n");

  g_string_append_printf (
      header,
      "type: %s\ndimension: 3\nsizes: %zu %zu %zu\nkinds: domain domain "
      "domain\n"
      "centers: cell cell cell\nlabels: \"%s\" \"%s\" \"%s\"\n",
      info->sample == TL_VOLUME_F32 ? "float"
                                    : tl_volume_sample_name (info->sample),
      info->n_cols, info->n_rows, info->n_slices, axes[2], axes[1], axes[0]);
  if (info->pixel_um > 0 && info->pitch_um > 0)
    g_string_append_printf (header,
                            "spacings: %s %s %s\nunits: \"um\" \"um\" \"um\"\n",
                            pixel, pixel, pitch);
  if (tl_volume_sample_max (info->sample) > 0)
    g_string_append_printf (header, "old min: %s\nold max: %s\n", low, high);
  g_string_append_printf (
      header, "endian: little\nencoding: raw\ndata file: %s\n", name);
  append_facts (header, info, tally);
  return tl_disk_write_file (
      side_path, &(struct iovec){ header->str, header->len }, 1, NULL, error);
}

static char *
find_missing_samples (const TlVolume *volume)
{
  return g_file_test (volume->path, G_FILE_TEST_IS_REGULAR)
             ? NULL
             : g_strdup (volume->path);
}

const TlVolumeClass tl_raw_class = {
  .info = { .name = "raw",
            .suffix = SUFFIX,
            .description = N_ ("samples alone, with an NRRD header (.nhdr) "
                               "beside them") },
  .read_fact = read_raw_fact,
  .find_foreign = find_foreign_samples,
  .find_missing = find_missing_samples,
  .open = open_raw,
  .store = tl_plain_store,
  .sum = tl_plain_sum,
  .finish = finish_raw,
};
