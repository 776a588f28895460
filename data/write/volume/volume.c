#include "data/write/volume/volume-private.h"

#include "data/array.h"
#include "data/error.h"
#include "data/parallel.h"
#include "data/write/part-file.h"
#include "data/write/staging.h"
#include "data/write/volume/disk-private.h"
#include "data/write/volume/facts-private.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <isa-l/crc.h>
#include <math.h>
#include <string.h>

#define MAX_SIZE ((size_t)1 << 30)

/* Damaged records may claim any number of slices: no more are listed. */
#define MAX_LISTED ((guint64)1 << 20)

/* Bytes of the file of records before the first one. */
#define HEAD_BYTES 64

#define BLOCK_BYTES 4096 /* of a file system: what a small file takes */

/* Upper bound of the bytes that the metadata need for one slice. */
#define FACT_BYTES 64

/* Where the name of the program or of its command is looked for. */
#define TRACE_BYTES ((goffset)1 << 16)
#define N_TRACED 8 /* files of a folder, at most */
#define TRACE "tomolens-cli export"

static const TlVolumeClass *const classes[TL_N_VOLUME_FORMATS] = {
  [TL_VOLUME_TIFF] = &tl_tiff_stack_class,
  [TL_VOLUME_BIGTIFF] = &tl_bigtiff_class,
  [TL_VOLUME_HDF5] = &tl_hdf5_class,
  [TL_VOLUME_NEXUS] = &tl_nexus_class,
  [TL_VOLUME_ZARR] = &tl_zarr_class,
  [TL_VOLUME_RAW] = &tl_raw_class,
};

typedef enum
{
  STAGE_BEGUN, /* the volume's own files are being made */
  STAGE_OPEN,
  STAGE_CLOSED /* by its writer, in an orderly way */
} Stage;

/* The start of the file of records. */
typedef struct
{
  char magic[8];
  guint32 settings_crc32;
  guint32 stage;
  guint64 n_slices, record_bytes; /* for tl_volume_list_waiting() */
  guint64 first_number, number_step;
} Head;

const TlVolumeFormatInfo *
tl_volume_format_get_info (TlVolumeFormat format)
{
  return &classes[format]->info;
}

gboolean
tl_volume_format_from_name (const char *name, TlVolumeFormat *format)
{
  for (int i = 0; i < TL_N_VOLUME_FORMATS; i++)
    if (strcmp (name, classes[i]->info.name) == 0)
      {
        *format = (TlVolumeFormat)i;
        return TRUE;
      }
  return FALSE;
}

#define LONG_TIFF ".tiff" /* the same as .tif */

TlVolumeFormat
tl_volume_format_from_path (const char *path)
{
  g_autofree char *lower = g_ascii_strdown (path, -1);

  for (int i = 0; i < TL_N_VOLUME_FORMATS; i++)
    if (*classes[i]->info.suffix != '\0'
        && g_str_has_suffix (lower, classes[i]->info.suffix))
      return (TlVolumeFormat)i;
  return g_str_has_suffix (lower, LONG_TIFF) ? TL_VOLUME_BIGTIFF
                                             : TL_VOLUME_TIFF;
}

/* Returns: (nullable): the suffix of @path, if it belongs to a kind of file
 * that is not proposed for volumes */
static const char *
find_other_suffix (const char *path)
{
  static const char *const suffixes[] = {
    ".7z",   ".am",   ".bin", ".bmp", ".bz2",  ".csv",  ".dat", ".dcm", ".edf",
    ".fit",  ".fits", ".gif", ".gz",  ".hdf",  ".hdf5", ".ini", ".jp2", ".jpeg",
    ".jpg",  ".json", ".log", ".mat", ".md",   ".mha",  ".mhd", ".mrc", ".n5",
    ".nc",   ".nhdr", ".nii", ".npy", ".npz",  ".nrrd", ".nx",  ".pdf", ".png",
    ".py",   ".svg",  ".tar", ".txm", ".txrm", ".txt",  ".vol", ".vtk", ".xml",
    ".yaml", ".yml",  ".zip", NULL
  };
  g_autofree char *lower = g_ascii_strdown (path, -1);
  const char *const *suffix = suffixes;

  while (*suffix != NULL && !g_str_has_suffix (lower, *suffix))
    suffix++;
  return *suffix;
}

gboolean
tl_volume_check_suffix (TlVolumeFormat format, const char *path, GError **error)
{
  const TlVolumeFormatInfo *wanted = &classes[format]->info;
  const TlVolumeFormat got = tl_volume_format_from_path (path);
  g_autofree char *lower = g_ascii_strdown (path, -1);
  const char *suffix = g_str_has_suffix (lower, LONG_TIFF) ? LONG_TIFF
                       : got != TL_VOLUME_TIFF ? classes[got]->info.suffix
                                               : find_other_suffix (path);
  const gboolean is_hdf5 = tl_volume_is_hdf5 (format);

  if (suffix == NULL || strcmp (suffix, wanted->suffix) == 0
      || (got == TL_VOLUME_HDF5 && is_hdf5)
      || (g_str_has_prefix (suffix, ".hdf") && is_hdf5)
      || (strcmp (suffix, LONG_TIFF) == 0 && format == TL_VOLUME_BIGTIFF))
    return TRUE;
  if (format == TL_VOLUME_TIFF)
    return tl_fail (error, TL_ERROR_VALUE,
                    _ ("%s: a folder of TIFF files has no suffix %s: leave it "
                       "out, or take another format and its suffix"),
                    path, suffix);
  return tl_fail (error, TL_ERROR_VALUE,
                  _ ("%s: %s is no suffix of the format %s: take %s"), path,
                  suffix, wanted->name, wanted->suffix);
}

gboolean
tl_volume_is_hdf5 (TlVolumeFormat format)
{
  return format == TL_VOLUME_HDF5 || format == TL_VOLUME_NEXUS;
}

static char *
read_fact (TlVolumeFormat format, const char *path, const char *key)
{
  const TlVolumeClass *class = classes[format];

  return class->read_fact != NULL ? class->read_fact (path, key) : NULL;
}

gboolean
tl_volume_has_mark (TlVolumeFormat format, const char *path)
{
  g_autofree char *program = read_fact (format, path, "program");

  return g_strcmp0 (program, TL_PROGRAM) == 0;
}

gboolean
tl_volume_is_exported (const char *path)
{
  static const char header[] = ".nhdr";
  const gboolean is_header = g_str_has_suffix (path, header);
  const gboolean is_raw =
      is_header || tl_volume_format_from_path (path) == TL_VOLUME_RAW;
  g_autofree char *samples =
      g_strndup (path, strlen (path) - (is_header ? strlen (header) : 0));
  gboolean found = is_raw && tl_volume_has_mark (TL_VOLUME_RAW, samples);

  for (TlVolumeFormat k = 0; k < TL_N_VOLUME_FORMATS && !found; k++)
    found = k != TL_VOLUME_RAW && tl_volume_has_mark (k, path);
  return found;
}

char *
tl_volume_find_foreign (TlVolumeFormat format, const char *path)
{
  const TlVolumeClass *class = classes[format];

  return class->find_foreign != NULL ? class->find_foreign (path) : NULL;
}

static gboolean
is_traced (const char *bytes, size_t n)
{
  static const char program[] = TL_PROGRAM " ";
  const size_t length = strlen (program);
  const char *at = bytes;

  /* a version follows the name in the files of an export alone */
  while ((at = memmem (at, n - (size_t)(at - bytes), program, length)) != NULL)
    {
      at += length;
      if (at < bytes + n && g_ascii_isdigit (*at))
        return TRUE;
    }
  return memmem (bytes, n, TRACE, strlen (TRACE)) != NULL;
}

static gboolean
has_trace (const char *path)
{
  g_autofree char *bytes = g_malloc (TRACE_BYTES);
  const int fd = open (path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  GStatBuf status = { 0 };

  if (fd < 0)
    return FALSE;
  gboolean ok = fstat (fd, &status) == 0 && S_ISREG (status.st_mode);
  const size_t n = (size_t)MIN (status.st_size, TRACE_BYTES);
  const guint64 end = (guint64)status.st_size - n;
  ok = ok
       && ((tl_disk_read (fd, bytes, n, 0) && is_traced (bytes, n))
           || (tl_disk_read (fd, bytes, n, end) && is_traced (bytes, n)));
  close (fd);
  return ok;
}

gboolean
tl_volume_has_trace (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;
  gboolean found = dir == NULL && has_trace (path);

  for (int k = 0; k < N_TRACED && dir != NULL && !found
                  && (name = g_dir_read_name (dir)) != NULL;
       k++)
    {
      g_autofree char *file = g_build_filename (path, name, NULL);

      found = has_trace (file);
    }
  return found;
}

char *
tl_volume_read_recipe (TlVolumeFormat format, const char *path)
{
  return read_fact (format, path, "recipe");
}

gboolean
tl_volume_read_range (TlVolumeFormat format, const char *path, double *low,
                      double *high)
{
  g_autofree char *start = read_fact (format, path, "low");
  g_autofree char *end = read_fact (format, path, "high");

  if (start == NULL || end == NULL)
    return FALSE;
  *low = g_ascii_strtod (start, NULL);
  *high = g_ascii_strtod (end, NULL);
  return TRUE;
}

char *
tl_volume_read_failures (TlVolumeFormat format, const char *path)
{
  return read_fact (format, path, TL_FACT_FAILURES);
}

gboolean
tl_volume_check (const TlVolumeInfo *info, GError **error)
{
  const TlVolumeFormatInfo *format = &classes[info->format]->info;

  if (info->sample == TL_VOLUME_F16 && !format->has_f16)
    return tl_fail (error, TL_ERROR_UNSUPPORTED,
                    _ ("the format %s has no float16 samples: choose another "
                       "format or another sample type"),
                    format->name);
  if (tl_volume_sample_max (info->sample) > 0
      && !(isfinite (info->low) && isfinite (info->high)
           && info->low < info->high))
    return tl_fail (error, TL_ERROR_VALUE,
                    _ ("the range of the samples, from %g to %g, is not valid: "
                       "its end must be above its start"),
                    info->low, info->high);
  return TRUE;
}

static TlLevel *
plan_levels (const TlVolumeInfo *info, size_t *n_levels)
{
  const TlVolumeClass *class = classes[info->format];
  const size_t max_tile =
      info->compression > 0 ? class->max_packed_tile : class->max_tile;

  return tl_levels_plan (info, max_tile > 0 ? max_tile : MAX_SIZE,
                         class->has_levels, n_levels);
}

/* Returns: (transfer full): a volume that is not open */
static TlVolume *
describe (const char *path, const TlVolumeInfo *info)
{
  TlVolume *volume = g_new0 (TlVolume, 1);

  volume->class = classes[info->format];
  volume->info = *info;
  if (!volume->class->info.is_compressible)
    volume->info.compression = 0;
  volume->info.scan = g_strdup (info->scan);
  volume->info.recipe = g_strdup (info->recipe);
  volume->info.command = g_strdup (info->command);
  volume->info.slice_crc32 = NULL;
  volume->info.failures = NULL;
  volume->path = g_strdup (path);
  volume->records_path = g_strconcat (path, TL_VOLUME_RECORDS_SUFFIX, NULL);
  volume->fd = volume->records_fd = -1;
  volume->sample_bytes = tl_volume_sample_size (info->sample);
  volume->slice_bytes = info->n_rows * info->n_cols * volume->sample_bytes;
  volume->levels = plan_levels (&volume->info, &volume->n_levels);
  for (size_t i = 1; i < volume->n_levels; i++)
    volume->levels[i].halves = g_new0 (TlHalfSlice, volume->levels[i].n_slices);
  volume->record_bytes = sizeof (TlSliceRecord);
  if (volume->class->has_places && volume->info.compression > 0)
    volume->record_bytes += volume->levels[0].n_down
                            * volume->levels[0].n_across * sizeof (TlPlace);
  g_mutex_init (&volume->lock);
  return volume;
}

char *
tl_volume_find_missing (const char *path, const TlVolumeInfo *info)
{
  g_autoptr (TlVolume) volume = describe (path, info);

  return volume->class->find_missing != NULL
             ? volume->class->find_missing (volume)
             : NULL;
}

guint64
tl_volume_count_bytes (const TlVolumeInfo *info)
{
  const gboolean is_folder = classes[info->format]->info.is_folder;
  const size_t sample_bytes = tl_volume_sample_size (info->sample);
  size_t n_levels;
  g_autofree TlLevel *levels = plan_levels (info, &n_levels);
  g_autofree char *facts = tl_facts_dup_json (info, G_MAXSIZE, NULL);
  const double facts_bytes = 2.0 * (double)strlen (facts);
  /* Tags, indices, and what compression may add; a file takes the rest of a
   * block and that of its folder. */
  const double tile_overhead = is_folder ? 3 * BLOCK_BYTES + facts_bytes : 512;
  double bytes =
      16 * BLOCK_BYTES + facts_bytes + FACT_BYTES * (double)info->n_slices;

  for (size_t i = 0; i < n_levels; i++)
    {
      const TlLevel *level = &levels[i];
      const double tile_bytes =
          (double)level->tile_rows * (double)level->tile_cols * sample_bytes;

      bytes +=
          (double)level->n_slices * (double)level->n_down
          * (double)level->n_across
          * (tile_bytes * (info->compression > 0 ? 1.001 : 1) + tile_overhead);
    }
  return bytes < (double)G_MAXINT64 ? (guint64)bytes : G_MAXUINT64;
}

guint64
tl_volume_count_work (const TlVolumeInfo *info, guint n_threads, guint n_blocks)
{
  const TlVolumeClass *class = classes[info->format];
  const size_t sample_bytes = tl_volume_sample_size (info->sample);
  size_t n_levels;
  g_autofree TlLevel *levels = plan_levels (info, &n_levels);
  const guint64 work =
      class->count_work != NULL ? class->count_work (info, &levels[0]) : 0;
  guint64 bytes = n_threads * work;

  for (size_t i = 0; i < n_levels; i++)
    {
      const guint64 n_pixels = (guint64)levels[i].n_rows * levels[i].n_cols;
      const guint64 n_samples = n_pixels * sample_bytes;

      if (info->sample != TL_VOLUME_F32)
        bytes += n_threads
                 * (work > 0 ? n_samples : MIN (n_samples, TL_DISK_PART_BYTES));
      if (i > 0) /* one is written, another one waits for its neighbour */
        bytes += (2 * n_threads + n_blocks) * n_pixels * sizeof (float);
    }
  return bytes;
}

/* --- records --- */

TlSliceRecord *
tl_volume_new_record (const TlVolume *volume)
{
  return g_malloc0 (volume->record_bytes);
}

static guint64
find_record (const TlVolume *volume, size_t index)
{
  return HEAD_BYTES + (guint64)index * volume->record_bytes;
}

static guint32
sum_record (const TlVolume *volume, const TlSliceRecord *record)
{
  return crc32_gzip_refl (0, (const guint8 *)record + sizeof record->own_crc32,
                          volume->record_bytes - sizeof record->own_crc32);
}

gboolean
tl_volume_read_record (TlVolume *volume, size_t index, TlSliceRecord *record)
{
  return tl_disk_read (volume->records_fd, record, volume->record_bytes,
                       find_record (volume, index))
         && record->own_crc32 == sum_record (volume, record);
}

gboolean
tl_volume_write_record (TlVolume *volume, size_t index, TlSliceRecord *record,
                        GError **error)
{
  record->own_crc32 = sum_record (volume, record);
  return tl_write_at (volume->records_fd, volume->records_path, record,
                      volume->record_bytes, find_record (volume, index), error);
}

gboolean
tl_volume_clear_record (TlVolume *volume, size_t index, GError **error)
{
  g_autofree TlSliceRecord *zeros = tl_volume_new_record (volume);

  return tl_write_at (volume->records_fd, volume->records_path, zeros,
                      volume->record_bytes, find_record (volume, index), error);
}

/* Of all that decides on the stored slices. */
static guint32
sum_settings (const TlVolumeInfo *info)
{
  TlVolumeInfo settings = *info;

  settings.command = settings.slice_crc32 = settings.failures = NULL;
  g_autofree char *facts = tl_facts_dup_json (&settings, G_MAXSIZE, NULL);
  g_autofree char *text =
      g_strdup_printf ("%d %zu %zu %zu %d %s", info->format, info->n_slices,
                       info->n_rows, info->n_cols, info->compression, facts);
  return crc32_gzip_refl (0, (const guint8 *)text, strlen (text));
}

static gboolean
write_head (TlVolume *volume, Stage stage, GError **error)
{
  const Head head = { "tlvolume",
                      sum_settings (&volume->info),
                      stage,
                      volume->info.n_slices,
                      volume->record_bytes,
                      volume->info.first_number,
                      volume->info.number_step };

  return tl_write_at (volume->records_fd, volume->records_path, &head,
                      sizeof head, 0, error);
}

/* What was begun and never opened has no slice, and none is known to be whole
 * if a power cut has taken the records. */
static gboolean
remove_begun (TlVolume *volume, GError **error)
{
  g_autofree char *side_path =
      tl_volume_dup_side_path (volume->info.format, volume->path);
  const char *const paths[] = { volume->path, side_path, NULL };
  GStatBuf status;

  for (size_t k = 0; paths[k] != NULL; k++)
    if (g_lstat (paths[k], &status) == 0 && !tl_remove_all (paths[k], error))
      return FALSE;
  return TRUE;
}

/* @is_new: (inout): becomes %TRUE if the volume has to be made again */
static gboolean
open_records (TlVolume *volume, gboolean *is_new, GError **error)
{
  const char *path = volume->records_path;
  Head head = { 0 };

  if (*is_new)
    volume->records_fd = tl_disk_create (path, error);
  else if (!g_file_test (path, G_FILE_TEST_EXISTS))
    return tl_fail (error, TL_ERROR_FILE,
                    _ ("%s: there is no unfinished volume to resume: start a "
                       "new one"),
                    volume->path);
  else
    volume->records_fd = tl_disk_open (path, TRUE, error);
  if (volume->records_fd < 0)
    return FALSE;
  if (!*is_new)
    {
      const gboolean has_head =
          tl_disk_read (volume->records_fd, &head, sizeof head, 0);

      if (has_head && memcmp (head.magic, "tlvolume", sizeof head.magic) != 0)
        return tl_fail (error, TL_ERROR_FILE,
                        _ ("%s: the records of this unfinished volume are "
                           "damaged, so that nothing of it can be kept: start "
                           "a new one"),
                        volume->path);
      if (has_head && head.settings_crc32 != sum_settings (&volume->info))
        return tl_fail (
            error, TL_ERROR_VALUE,
            _ ("%s: this unfinished volume was begun with other settings: "
               "resume it with those, or start a new one"),
            volume->path);
      *is_new = !has_head || head.stage == STAGE_BEGUN;
      if (*is_new && !remove_begun (volume, error))
        return FALSE;
    }
  volume->was_closed = head.stage == STAGE_CLOSED;
  return write_head (volume, *is_new ? STAGE_BEGUN : STAGE_OPEN, error);
}

GArray *
tl_volume_list_waiting (const char *path, size_t *n_slices)
{
  g_autofree char *records_path =
      g_strconcat (path, TL_VOLUME_RECORDS_SUFFIX, NULL);
  TlVolume volume = { .records_fd = open (records_path, O_RDONLY | O_CLOEXEC) };
  GArray *waiting = g_array_new (FALSE, FALSE, sizeof (size_t));
  Head head = { 0 };

  *n_slices = 0;
  if (volume.records_fd < 0)
    return waiting;
  if (tl_disk_read (volume.records_fd, &head, sizeof head, 0)
      && memcmp (head.magic, "tlvolume", sizeof head.magic) == 0
      && head.n_slices <= MAX_LISTED
      && head.record_bytes >= sizeof (TlSliceRecord)
      && head.record_bytes <= MAX_SIZE)
    {
      volume.record_bytes = head.record_bytes;
      g_autofree TlSliceRecord *record = g_try_malloc0 (volume.record_bytes);
      *n_slices = record != NULL ? head.n_slices : 0;
      for (size_t i = 0; i < *n_slices; i++)
        {
          const size_t number = head.first_number + i * head.number_step;

          if (!tl_volume_read_record (&volume, i, record))
            g_array_append_val (waiting, number);
        }
    }
  close (volume.records_fd);
  return waiting;
}

/* --- opening and closing --- */

static TlVolume *
open_volume (const char *path, const TlVolumeInfo *info, gboolean is_new,
             GError **error)
{
  g_return_val_if_fail (path != NULL, NULL);
  g_return_val_if_fail (info->n_slices > 0 && info->n_slices <= MAX_SIZE, NULL);
  g_return_val_if_fail (info->n_rows > 0 && info->n_rows <= MAX_SIZE, NULL);
  g_return_val_if_fail (info->n_cols > 0 && info->n_cols <= MAX_SIZE, NULL);
  g_return_val_if_fail (info->compression >= 0 && info->compression <= 9, NULL);

  if (!tl_volume_check (info, error))
    return NULL;
  g_autoptr (TlVolume) volume = describe (path, info);
  const gboolean keeps_records = !is_new;
  if (open_records (volume, &is_new, error)
      && volume->class->open (volume, is_new, error)
      && write_head (volume, STAGE_OPEN, error))
    return g_steal_pointer (&volume);
  /* The records stay as they were, and what is at the path may be another
   * file, to which they must not belong. */
  if (volume->records_fd >= 0)
    {
      close (volume->records_fd);
      volume->records_fd = -1;
      if (!keeps_records)
        g_unlink (volume->records_path);
    }
  return NULL;
}

TlVolume *
tl_volume_new (const char *path, const TlVolumeInfo *info, GError **error)
{
  return open_volume (path, info, TRUE, error);
}

TlVolume *
tl_volume_resume (const char *path, const TlVolumeInfo *info, GError **error)
{
  return open_volume (path, info, FALSE, error);
}

void
tl_volume_free (TlVolume *volume)
{
  if (volume == NULL)
    return;
  gboolean is_closed =
      volume->class->close == NULL || volume->class->close (volume);
  if (volume->records_fd >= 0)
    {
      if (is_closed)
        write_head (volume, STAGE_CLOSED, NULL);
      close (volume->records_fd);
    }
  if (volume->fd >= 0)
    close (volume->fd);
  for (size_t i = 1; i < volume->n_levels; i++)
    {
      for (size_t slice = 0; slice < volume->levels[i].n_slices; slice++)
        g_free (volume->levels[i].halves[slice].pixels);
      g_free (volume->levels[i].halves);
    }
  g_free (volume->levels);
  g_free ((char *)volume->info.scan);
  g_free ((char *)volume->info.recipe);
  g_free ((char *)volume->info.command);
  g_free ((char *)volume->info.slice_crc32);
  g_free ((char *)volume->info.failures);
  g_free (volume->path);
  g_free (volume->records_path);
  g_mutex_clear (&volume->lock);
  g_free (volume);
}

/* --- files of slices alone --- */

gboolean
tl_plain_open (TlVolume *volume, gboolean is_new, GError **error)
{
  volume->fd = is_new
                   ? tl_disk_create (volume->path, error)
                   : tl_disk_open (volume->path, !volume->is_read_only, error);
  return volume->fd >= 0;
}

gboolean
tl_plain_store (TlVolume *volume, const TlLevel *level, size_t slice,
                const float *pixels, TlSliceRecord *record, GError **error)
{
  return tl_volume_write_samples (
      volume, volume->fd, volume->path, pixels,
      volume->data_start + (guint64)slice * volume->slice_bytes, record, error);
}

gboolean
tl_plain_sum (TlVolume *volume, const TlLevel *level, size_t slice,
              const TlSliceRecord *record, guint32 *crc)
{
  return tl_disk_sum (volume->fd,
                      volume->data_start + (guint64)slice * volume->slice_bytes,
                      volume->slice_bytes, crc);
}

/* --- slices --- */

/* A slice that convert_part() converts part by part. */
typedef struct
{
  const TlVolume *volume;
  const float *pixels;
  void *samples; /* (nullable): of a part; %NULL: the pixels are the samples */
  TlVolumeTally *tally;
} Source;

/* A part has whole samples of every type. */
G_STATIC_ASSERT (TL_DISK_PART_BYTES % sizeof (float) == 0);

static const void *
convert_part (gpointer data, size_t done, size_t n)
{
  Source *source = data;
  const TlVolumeInfo *info = &source->volume->info;
  const size_t sample_bytes = source->volume->sample_bytes;
  const float *pixels = source->pixels + done / sample_bytes;

  tl_volume_convert (info->sample, info->low, info->high, pixels,
                     n / sample_bytes, source->samples, source->tally);
  return source->samples != NULL ? source->samples : pixels;
}

gboolean
tl_volume_write_samples (const TlVolume *volume, int fd, const char *path,
                         const float *pixels, guint64 offset,
                         TlSliceRecord *record, GError **error)
{
  g_autofree void *samples =
      volume->info.sample != TL_VOLUME_F32
          ? g_malloc (MIN (volume->slice_bytes, TL_DISK_PART_BYTES))
          : NULL;
  Source source = { volume, pixels, samples, &record->tally };

  return tl_disk_write_parts (fd, path, convert_part, &source,
                              volume->slice_bytes, offset, &record->crc32,
                              error);
}

const void *
tl_volume_convert_slice (const TlVolume *volume, const TlLevel *level,
                         const float *pixels, TlVolumeTally *tally,
                         gpointer *buffer, GError **error)
{
  const TlVolumeInfo *info = &volume->info;
  const gboolean is_float = info->sample == TL_VOLUME_F32;

  *buffer = is_float ? NULL
                     : tl_try_alloc (level->n_rows, level->n_cols, 1,
                                     volume->sample_bytes,
                                     _ ("the samples of a slice"), error);
  if (!is_float && *buffer == NULL)
    return NULL;
  tl_volume_convert (info->sample, info->low, info->high, pixels,
                     level->n_rows * level->n_cols, *buffer, tally);
  return is_float ? pixels : *buffer;
}

static gboolean write_level (TlVolume *volume, size_t index, size_t slice,
                             const float *pixels, guint32 *crc32,
                             GError **error);

/* Takes the waiting neighbour of @slice of the finer level out of @half, or
 * leaves @means in its place. Returns: (nullable): the neighbour */
static float *
meet_neighbour (TlVolume *volume, TlHalfSlice *half, size_t slice, float *means)
{
  float *neighbour = NULL;

  g_mutex_lock (&volume->lock);
  if (half->pixels != NULL && half->slice != slice)
    neighbour = g_steal_pointer (&half->pixels);
  else
    {
      g_free (half->pixels); /* the same slice, written before */
      *half = (TlHalfSlice){ means, slice };
    }
  g_mutex_unlock (&volume->lock);
  return neighbour;
}

/* Gives a slice of the level above @index its part in level @index. */
static gboolean
write_coarser (TlVolume *volume, size_t index, size_t slice,
               const float *pixels, GError **error)
{
  const TlLevel *coarse = &volume->levels[index];
  const TlLevel *fine = coarse - 1;
  g_autofree float *means = tl_level_reduce (fine, coarse, pixels, error);

  if (means == NULL)
    return FALSE;
  if ((slice ^ 1) < fine->n_slices)
    {
      g_autofree float *neighbour =
          meet_neighbour (volume, &coarse->halves[slice / 2], slice, means);

      if (neighbour == NULL)
        {
          g_steal_pointer (&means);
          return TRUE;
        }
      for (size_t i = 0; i < coarse->n_rows * coarse->n_cols; i++)
        means[i] = 0.5f * (means[i] + neighbour[i]);
    }
  return write_level (volume, index, slice / 2, means, NULL, error);
}

static gboolean
write_level (TlVolume *volume, size_t index, size_t slice, const float *pixels,
             guint32 *crc32, GError **error)
{
  const TlLevel *level = &volume->levels[index];
  g_autofree TlSliceRecord *record = tl_volume_new_record (volume);

  tl_volume_tally_init (&record->tally);
  if (!volume->class->store (volume, level, slice, pixels, record, error)
      || !tl_volume_write_record (volume, level->first_record + slice, record,
                                  error))
    return FALSE;
  if (crc32 != NULL)
    *crc32 = record->crc32;
  return index + 1 == volume->n_levels
         || write_coarser (volume, index + 1, slice, pixels, error);
}

gboolean
tl_volume_write (TlVolume *volume, size_t slice, const float *pixels,
                 guint32 *crc32, GError **error)
{
  g_return_val_if_fail (volume != NULL && pixels != NULL, FALSE);
  g_return_val_if_fail (slice < volume->info.n_slices, FALSE);

  return write_level (volume, 0, slice, pixels, crc32, error);
}

/* @sum: (out): of what is stored of the slice. Returns: whether it is that of
 * @record */
static gboolean
matches (TlVolume *volume, size_t index, size_t slice,
         const TlSliceRecord *record, guint32 *sum)
{
  *sum = 0;
  return volume->class->sum (volume, &volume->levels[index], slice, record, sum)
         && *sum == record->crc32;
}

static gboolean
read_slice_record (TlVolume *volume, size_t index, size_t slice,
                   TlSliceRecord *record)
{
  return tl_volume_read_record (
      volume, volume->levels[index].first_record + slice, record);
}

gboolean
tl_volume_check_slice (TlVolume *volume, size_t slice, guint32 *crc32)
{
  g_autofree TlSliceRecord *record = tl_volume_new_record (volume);

  g_return_val_if_fail (slice < volume->info.n_slices, FALSE);

  for (size_t i = 0; i < volume->n_levels; i++, slice /= 2)
    {
      guint32 sum;

      if (!read_slice_record (volume, i, slice, record)
          || !matches (volume, i, slice, record, &sum))
        return FALSE;
      if (i == 0 && crc32 != NULL)
        *crc32 = sum;
    }
  return TRUE;
}

gboolean
tl_volume_is_damaged (TlVolume *volume, size_t slice)
{
  g_autofree TlSliceRecord *record = tl_volume_new_record (volume);
  guint32 sum;

  g_return_val_if_fail (slice < volume->info.n_slices, FALSE);

  for (size_t i = 0; i < volume->n_levels; i++, slice /= 2)
    if (read_slice_record (volume, i, slice, record)
        && !matches (volume, i, slice, record, &sum))
      return TRUE;
  return FALSE;
}

static size_t
count_records (const TlVolume *volume)
{
  const TlLevel *last = &volume->levels[volume->n_levels - 1];

  return last->first_record + last->n_slices;
}

/* @sums: (nullable): receives the checksums of all slices of all levels
 *
 * Returns: whether all of them have been written */
static gboolean
add_tallies (TlVolume *volume, TlVolumeTally *tally, GString *sums)
{
  g_autofree TlSliceRecord *record = tl_volume_new_record (volume);
  gboolean is_whole = TRUE;

  tl_volume_tally_init (tally);
  for (size_t i = 0; i < count_records (volume); i++)
    {
      if (!tl_volume_read_record (volume, i, record))
        {
          is_whole = FALSE;
          continue;
        }
      if (i < volume->info.n_slices)
        tl_volume_tally_add (tally, &record->tally);
      if (sums != NULL)
        g_string_append_printf (sums, "%s%08x", i > 0 ? " " : "",
                                record->crc32);
    }
  return is_whole;
}

void
tl_volume_get_tally (TlVolume *volume, TlVolumeTally *tally)
{
  add_tallies (volume, tally, NULL);
}

void
tl_volume_set_failures (TlVolume *volume, const char *text)
{
  g_return_if_fail (volume != NULL);

  g_free ((char *)volume->info.failures);
  volume->info.failures = g_strdup (text);
}

gboolean
tl_volume_finish (TlVolume *volume, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (volume->path);
  g_autofree char *side_path =
      tl_volume_dup_side_path (volume->info.format, volume->path);
  g_autoptr (GString) sums = g_string_new (NULL);
  TlVolumeTally tally;

  if (!add_tallies (volume, &tally, sums))
    return tl_fail (error, TL_ERROR_VALUE,
                    _ ("%s: not all slices have been written: resume the "
                       "export to write the others"),
                    volume->path);
  g_free ((char *)volume->info.slice_crc32);
  volume->info.slice_crc32 = g_strdup (sums->str);
  return volume->class->finish (volume, &tally, error)
         && tl_flush_all (volume->path, error)
         && (side_path == NULL || tl_flush_all (side_path, error))
         && tl_flush_one (folder, error);
}

/* --- finished volumes --- */

/* A check of a finished volume. */
typedef struct
{
  TlVolume *volume;
  char **words;       /* the checksums of all slices of all levels */
  guint8 *is_damaged; /* [slices of all levels] */
} Check;

static gboolean
check_record (gpointer data, size_t index, GError **error)
{
  Check *check = data;
  const TlVolume *volume = check->volume;
  const TlSliceRecord record = { .crc32 = (guint32)g_ascii_strtoull (
                                     check->words[index], NULL, 16) };
  size_t i = volume->n_levels - 1;
  guint32 sum;

  while (volume->levels[i].first_record > index)
    i--;
  check->is_damaged[index] = !matches (
      check->volume, i, index - volume->levels[i].first_record, &record, &sum);
  return TRUE;
}

/* Returns: (transfer full) (nullable): the names of the damaged slices */
static char *
name_damaged (const Check *check)
{
  enum
  {
    N_NAMED = 3
  };
  const TlVolumeInfo *info = &check->volume->info;
  GString *text = g_string_new (NULL);
  size_t n = 0;

  for (size_t i = 0; i < check->volume->n_levels; i++)
    for (size_t k = 0; k < check->volume->levels[i].n_slices; k++)
      {
        const TlLevel *level = &check->volume->levels[i];
        const size_t number =
            info->first_number + k * level->step[0] * info->number_step;

        if (!check->is_damaged[level->first_record + k] || n++ >= N_NAMED)
          continue;
        if (n > 1)
          g_string_append (text, ", ");
        g_string_append_printf (text, _ ("slice %zu"), number);
      }
  if (n > N_NAMED)
    g_string_append_printf (text, _ (" and %zu more"), n - N_NAMED);
  return g_string_free (text, n == 0);
}

gboolean
tl_volume_check_sums (const char *path, const TlVolumeInfo *info,
                      GCancellable *cancellable, char **damaged, GError **error)
{
  g_return_val_if_fail (path != NULL && damaged != NULL, FALSE);

  g_autoptr (TlVolume) volume = describe (path, info);
  g_autofree char *sums = read_fact (info->format, path, TL_FACT_SUMS);
  g_auto (GStrv) words = g_strsplit (sums != NULL ? sums : "", " ", -1);
  const size_t n = count_records (volume);
  g_autofree guint8 *is_damaged = g_new0 (guint8, n);
  Check check = { volume, words, is_damaged };
  size_t n_done;

  *damaged = NULL;
  volume->is_read_only = TRUE;
  if (sums == NULL && tl_volume_has_mark (info->format, path))
    return TRUE;
  if (g_strv_length (words) != n)
    {
      /* translators: "… was damaged or changed after the export" */
      *damaged = g_strdup (_ ("the list of the checksums"));
      return TRUE;
    }
  if (!volume->class->open (volume, FALSE, error)
      || !tl_parallel_run (n, g_get_num_processors (), check_record, &check,
                           cancellable, &n_done, error))
    return FALSE;
  *damaged = name_damaged (&check);
  return TRUE;
}
