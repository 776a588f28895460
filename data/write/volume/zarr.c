/* OME-Zarr 0.4: https://ngff.openmicroscopy.org/0.4/ in a Zarr 2 folder. Each
 * tile is a file, so that slices are written in parallel. */
#include "data/array.h"
#include "data/error.h"
#include "data/write/volume/disk-private.h"
#include "data/write/volume/facts-private.h"
#include "data/write/volume/volume-private.h"

#include <glib/gi18n.h>
#include <stdio.h>
#include <string.h>
#ifdef TL_HAVE_BLOSC
#include <blosc.h>
#else
#define BLOSC_MAX_OVERHEAD 0
#endif

/* Pixels along each side of a tile: 4 MB of float samples. */
#define TILE_SIZE 1024

/* From this level of compression on, Zstandard takes the place of LZ4. */
#define ZSTD_LEVEL 6

/* What Blosc takes at most while it compresses a tile, as measured with tiles
 * of 4 MB: 0.8 MB with LZ4, 9.5 MB with Zstandard, 18.5 MB at its highest
 * level. */
#define LZ4_BYTES ((guint64)1 << 20)
#define ZSTD_BYTES ((guint64)10 << 20)
#define HIGHEST_BYTES ((guint64)20 << 20)
#define HIGHEST_LEVEL 9

static size_t
find_level (const TlVolume *volume, const TlLevel *level)
{
  return (size_t)(level - volume->levels);
}

/* Returns: (transfer full): the folder of one row of tiles */
static char *
dup_row_path (const TlVolume *volume, const TlLevel *level, size_t slice,
              size_t row)
{
  return g_strdup_printf ("%s/%zu/%zu/%zu", volume->path,
                          find_level (volume, level), slice, row);
}

static gboolean
make_row_folder (const TlVolume *volume, const TlLevel *level, size_t slice,
                 size_t row, GError **error)
{
  g_autofree char *row_path = dup_row_path (volume, level, slice, row);
  g_autofree char *slice_path = g_path_get_dirname (row_path);

  return (row > 0 || tl_disk_make_folder (slice_path, TRUE, error))
         && tl_disk_make_folder (row_path, TRUE, error);
}

static gboolean
open_zarr (TlVolume *volume, gboolean is_new, GError **error)
{
  gboolean ok = !is_new || tl_disk_make_folder (volume->path, FALSE, error);

  for (size_t i = 0; i < volume->n_levels && is_new && ok; i++)
    {
      g_autofree char *path = g_strdup_printf ("%s/%zu", volume->path, i);

      ok = tl_disk_make_folder (path, FALSE, error);
    }
  return ok;
}

/* Returns: the bytes in @dest, of which there is room for @n and what Blosc
 * may add; 0 if it failed */
static size_t
compress_tile (const TlVolume *volume, const void *tile, size_t n, void *dest)
{
#ifdef TL_HAVE_BLOSC
  const int level = volume->info.compression;
  const int n_packed = blosc_compress_ctx (
      level, BLOSC_SHUFFLE, volume->sample_bytes, n, tile, dest,
      n + BLOSC_MAX_OVERHEAD,
      level < ZSTD_LEVEL ? BLOSC_LZ4_COMPNAME : BLOSC_ZSTD_COMPNAME, 0, 1);

  return (size_t)MAX (n_packed, 0);
#else
  return 0;
#endif
}

static guint64
count_zarr_work (const TlVolumeInfo *info, const TlLevel *level)
{
  const int compression = info->compression;
  const guint64 tile_bytes = (guint64)level->tile_rows * level->tile_cols
                             * tl_volume_sample_size (info->sample);

  return 2 * tile_bytes
         + (compression == 0              ? 0
            : compression < ZSTD_LEVEL    ? LZ4_BYTES
            : compression < HIGHEST_LEVEL ? ZSTD_BYTES
                                          : HIGHEST_BYTES);
}

static gboolean
store_in_zarr (TlVolume *volume, const TlLevel *level, size_t slice,
               const float *pixels, TlSliceRecord *record, GError **error)
{
  const size_t tile_bytes =
      level->tile_rows * level->tile_cols * volume->sample_bytes;
  g_autofree gpointer converted = NULL;
  const void *samples = tl_volume_convert_slice (
      volume, level, pixels, &record->tally, &converted, error);
  if (samples == NULL)
    return FALSE;
  g_autofree void *buffer =
      tl_try_alloc (1, 1, tile_bytes, 1, _ ("a tile of a slice"), error);
  g_autofree void *packed =
      tl_try_alloc (1, 1, tile_bytes + BLOSC_MAX_OVERHEAD, 1,
                    _ ("a compressed tile of a slice"), error);
  gboolean ok = buffer != NULL && packed != NULL;

  for (size_t i = 0; i < level->n_down * level->n_across && ok; i++)
    {
      const size_t row = i / level->n_across, col = i % level->n_across;
      g_autofree char *row_path = dup_row_path (volume, level, slice, row);
      g_autofree char *path = g_strdup_printf ("%s/%zu", row_path, col);
      const void *bytes =
          tl_level_cut (level, volume->sample_bytes, samples, i, buffer);
      size_t n = tile_bytes;

      if (volume->info.compression > 0)
        {
          n = compress_tile (volume, bytes, tile_bytes, packed);
          bytes = packed;
          if (n == 0)
            return tl_fail (error, TL_ERROR_MEMORY,
                            _ ("not enough memory to compress a slice"));
        }
      ok = (col > 0 || make_row_folder (volume, level, slice, row, error))
           && tl_disk_write_file (path, &(struct iovec){ (void *)bytes, n }, 1,
                                  &record->crc32, error);
    }
  return ok;
}

static char *
dup_tile_path (const TlVolume *volume, const TlLevel *level, size_t slice,
               size_t tile)
{
  g_autofree char *row_path =
      dup_row_path (volume, level, slice, tile / level->n_across);

  return g_strdup_printf ("%s/%zu", row_path, tile % level->n_across);
}

static gboolean
sum_in_zarr (TlVolume *volume, const TlLevel *level, size_t slice,
             const TlSliceRecord *record, guint32 *crc)
{
  gboolean ok = TRUE;

  for (size_t i = 0; i < level->n_down * level->n_across && ok; i++)
    {
      g_autofree char *path = dup_tile_path (volume, level, slice, i);

      ok = tl_disk_sum_file (path, crc, NULL);
    }
  return ok;
}

static char *
find_missing_tile (const TlVolume *volume)
{
  for (size_t k = 0; k < volume->n_levels; k++)
    {
      const TlLevel *level = &volume->levels[k];
      const size_t n_tiles = level->n_down * level->n_across;

      for (size_t i = 0; i < level->n_slices * n_tiles; i++)
        {
          g_autofree char *path =
              dup_tile_path (volume, level, i / n_tiles, i % n_tiles);

          if (!g_file_test (path, G_FILE_TEST_IS_REGULAR))
            return g_steal_pointer (&path);
        }
    }
  return NULL;
}

static gboolean
write_text (const TlVolume *volume, const char *name, const char *text,
            GError **error)
{
  g_autofree char *path = g_build_filename (volume->path, name, NULL);

  return tl_disk_write_file (
      path, &(struct iovec){ (void *)text, strlen (text) }, 1, NULL, error);
}

static gboolean
describe_array (const TlVolume *volume, size_t index, GError **error)
{
  static const char *const types[TL_N_VOLUME_SAMPLES] = {
    [TL_VOLUME_F32] = "<f4",
    [TL_VOLUME_F16] = "<f2",
    [TL_VOLUME_U16] = "<u2",
    [TL_VOLUME_U8] = "|u1",
  };
  const TlLevel *level = &volume->levels[index];
  const int compression = volume->info.compression;
  g_autofree char *name = g_strdup_printf ("%zu/.zarray", index);
  g_autofree char *compressor =
      compression > 0
          ? g_strdup_printf ("{\"id\": \"blosc\", \"cname\": \"%s\", "
                             "\"clevel\": %d, \"shuffle\": 1, "
                             "\"blocksize\": 0}",
                             compression < ZSTD_LEVEL ? "lz4" : "zstd",
                             compression)
          : g_strdup ("null");
  g_autofree char *text = g_strdup_printf (
      "{\"zarr_format\": 2, \"shape\": [%zu, %zu, %zu], "
      "\"chunks\": [1, %zu, %zu], \"dtype\": \"%s\", \"compressor\": %s, "
      "\"fill_value\": 0, \"order\": \"C\", \"filters\": null, "
      "\"dimension_separator\": \"/\"}\n",
      level->n_slices, level->n_rows, level->n_cols, level->tile_rows,
      level->tile_cols, types[volume->info.sample], compressor);

  return write_text (volume, name, text, error);
}

/* The centre of a coarser voxel is that of those it is the mean of. */
static void
append_level (GString *text, const TlVolume *volume, size_t index)
{
  const size_t *level_step = volume->levels[index].step;
  char *scale[3], *shift[3];

  for (guint axis = 0; axis < 3; axis++)
    {
      const double n = (double)level_step[axis];
      double first, step;

      tl_facts_find_axis (&volume->info, axis, &first, &step);
      scale[axis] = tl_dup_number (step * n);
      shift[axis] = tl_dup_number (first + step * (n - 1) / 2);
    }
  g_string_append_printf (
      text,
      "%s{\"path\": \"%zu\", \"coordinateTransformations\": ["
      "{\"type\": \"scale\", \"scale\": [%s, %s, %s]}, "
      "{\"type\": \"translation\", \"translation\": [%s, %s, %s]}]}",
      index > 0 ? ", " : "", index, scale[0], scale[1], scale[2], shift[0],
      shift[1], shift[2]);
  for (guint axis = 0; axis < 3; axis++)
    {
      g_free (scale[axis]);
      g_free (shift[axis]);
    }
}

static char *
describe_levels (const TlVolume *volume, const TlVolumeTally *tally)
{
  const TlVolumeInfo *info = &volume->info;
  const char *const *axes = tl_volume_plane_axes (info->plane);
  g_autofree char *scan =
      g_utf8_make_valid (info->scan != NULL ? info->scan : "volume", -1);
  g_autofree char *name = tl_dup_json_text (scan);
  g_autofree char *facts = tl_facts_dup_json (info, G_MAXSIZE, tally);
  GString *text = g_string_new ("{\"multiscales\": [{\"version\": \"0.4\", ");

  g_string_append_printf (text, "\"name\": %s, \"axes\": [", name);
  for (guint axis = 0; axis < 3; axis++)
    {
      double first, step;
      const char *unit = tl_facts_find_axis (info, axis, &first, &step);

      g_string_append_printf (
          text, "%s{\"name\": \"%s\", \"type\": \"space\"%s}",
          axis > 0 ? ", " : "", axes[axis],
          strcmp (unit, "um") == 0 ? ", \"unit\": \"micrometer\"" : "");
    }
  g_string_append (text, "], \"datasets\": [");
  for (size_t i = 0; i < volume->n_levels; i++)
    append_level (text, volume, i);
  g_string_append_printf (
      text,
      "], \"type\": \"mean\", \"metadata\": {\"method\": \"means of 2 x 2 x 2 "
      "voxels before their conversion to samples\", \"version\": \"%s\"}}], "
      "\"tomolens\": %s}\n",
      TL_PROGRAM " " TL_VERSION, facts);
  return g_string_free (text, FALSE);
}

static char *
read_zarr_fact (const char *path, const char *key)
{
  g_autofree char *file = g_build_filename (path, ".zattrs", NULL);
  g_autofree char *attributes = NULL;

  return g_file_get_contents (file, &attributes, NULL, NULL)
             ? tl_facts_find_text (strstr (attributes, "\"tomolens\": {"), key)
             : NULL;
}

/* Below a level: slices, their rows of tiles, and the tiles of a row. */
#define N_DEPTHS 3

/* Reads how many slices, rows of tiles and tiles in a row the level in @folder
 * has. Returns: %FALSE if describe_array() has not written it */
static gboolean
read_shape (const char *folder, size_t n[N_DEPTHS])
{
  g_autofree char *file = g_build_filename (folder, ".zarray", NULL);
  g_autofree char *text = NULL;
  size_t n_rows, n_cols, tile_rows, tile_cols;

  if (!g_file_get_contents (file, &text, NULL, NULL)
      || sscanf (text,
                 "{\"zarr_format\": 2, \"shape\": [%zu, %zu, %zu], "
                 "\"chunks\": [1, %zu, %zu],",
                 &n[0], &n_rows, &n_cols, &tile_rows, &tile_cols)
             != 5
      || tile_rows == 0 || tile_cols == 0)
    return FALSE;
  n[1] = (n_rows + tile_rows - 1) / tile_rows;
  n[2] = (n_cols + tile_cols - 1) / tile_cols;
  return TRUE;
}

/* Returns: whether @name is a number below @n, without zeros before it */
static gboolean
is_number (const char *name, size_t n)
{
  guint64 number;

  return g_ascii_string_to_unsigned (name, 10, 0, G_MAXUINT64, &number, NULL)
         && number < n && (name[0] != '0' || name[1] == '\0');
}

/* Returns: (transfer full) (nullable): a path of another name in @folder than
 * those of slices and tiles
 *
 * @n: how many there are at each depth from @folder on */
static char *
find_other_name (const char *folder, const char *known, const size_t *n,
                 int depth)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  char *other = dir == NULL ? g_strdup (folder) : NULL;
  const char *name;

  while (other == NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      if (g_strcmp0 (name, known) == 0)
        continue;
      if (!is_number (name, n[depth]))
        other = g_steal_pointer (&path);
      else if (depth + 1 < N_DEPTHS)
        other = find_other_name (path, NULL, n, depth + 1);
      else if (!g_file_test (path, G_FILE_TEST_IS_REGULAR))
        other = g_steal_pointer (&path);
    }
  return other;
}

static char *
find_foreign_in_zarr (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  g_autofree char *file = g_build_filename (path, ".zattrs", NULL);
  g_autofree char *attributes = NULL;
  char *other = dir == NULL ? g_strdup (path) : NULL;
  const char *name;

  if (!g_file_get_contents (file, &attributes, NULL, NULL))
    return g_steal_pointer (&file);
  while (other == NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *level = g_build_filename (path, name, NULL);
      g_autofree char *entry = g_strdup_printf ("{\"path\": \"%s\",", name);
      size_t n[N_DEPTHS];

      if (strcmp (name, ".zgroup") == 0 || strcmp (name, ".zattrs") == 0)
        continue;
      if (strstr (attributes, entry) == NULL || !read_shape (level, n))
        other = g_steal_pointer (&level);
      else
        other = find_other_name (level, ".zarray", n, 0);
    }
  return other;
}

static gboolean
finish_zarr (TlVolume *volume, const TlVolumeTally *tally, GError **error)
{
  g_autofree char *attributes = describe_levels (volume, tally);
  gboolean ok = write_text (volume, ".zgroup", "{\"zarr_format\": 2}\n", error)
                && write_text (volume, ".zattrs", attributes, error);

  for (size_t i = 0; i < volume->n_levels && ok; i++)
    ok = describe_array (volume, i, error);
  return ok;
}

const TlVolumeClass tl_zarr_class = {
  .info = { .name = "zarr",
            .suffix = ".zarr",
            .description = N_ ("OME-Zarr 0.4, with coarser levels for viewers"),
            .has_f16 = TRUE,
            .is_folder = TRUE,
#ifdef TL_HAVE_BLOSC
            .is_compressible = TRUE,
#endif
  },
  .max_tile = TILE_SIZE,
  .max_packed_tile = TILE_SIZE,
  .has_levels = TRUE,
  .count_work = count_zarr_work,
  .read_fact = read_zarr_fact,
  .find_foreign = find_foreign_in_zarr,
  .find_missing = find_missing_tile,
  .open = open_zarr,
  .store = store_in_zarr,
  .sum = sum_in_zarr,
  .finish = finish_zarr,
};
