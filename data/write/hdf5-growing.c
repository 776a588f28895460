#include "data/write/hdf5-growing.h"

#include "data/hdf5-guard.h"
#include "data/write/hdf5-file.h"
#include "data/write/part-file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Numbers in one chunk: few enough to be written again with every image. */
#define NUMBERS_CHUNK 16

/* What HDF5 may write besides the pixels of an image. */
#define SPARE_BYTES ((off_t)256 << 10)

typedef struct
{
  hid_t dataset; /* negative if not open */
  hid_t type;
  int n_dims;
  hsize_t count[3]; /* one image or number */
  size_t n_bytes;   /* of it */
  hsize_t n;        /* how many there are */
} Series;

struct TlHdf5Growing
{
  TlPartFile *part; /* its descriptor stays open, to take room on the disk */
  gboolean has_swmr;
  hid_t file; /* negative if not open */
  Series *series;
  size_t n_series;
};

hid_t
tl_hdf5_get_type (TlSampleType type)
{
  const hid_t types[TL_N_SAMPLE_TYPES] = {
    [TL_SAMPLE_U8] = H5T_NATIVE_UINT8,   [TL_SAMPLE_I8] = H5T_NATIVE_INT8,
    [TL_SAMPLE_U16] = H5T_NATIVE_UINT16, [TL_SAMPLE_I16] = H5T_NATIVE_INT16,
    [TL_SAMPLE_U32] = H5T_NATIVE_UINT32, [TL_SAMPLE_I32] = H5T_NATIVE_INT32,
    [TL_SAMPLE_F32] = H5T_NATIVE_FLOAT,  [TL_SAMPLE_F64] = H5T_NATIVE_DOUBLE,
  };

  return types[type];
}

static void
init_series (Series *series, const TlHdf5Series *from)
{
  const gboolean is_image = from->n_rows > 0;

  *series = (Series){ .dataset = -1,
                      .type = from->type,
                      .n_dims = is_image ? 3 : 1,
                      .count = { 1, from->n_rows, from->n_cols },
                      .n_bytes = H5Tget_size (from->type) };
  if (is_image)
    series->n_bytes *= from->n_rows * from->n_cols;
}

/* Creates the dataset without images or numbers, for any number of them. */
static gboolean
create_dataset (hid_t file, const char *path, Series *series)
{
  const gboolean is_image = series->n_dims == 3;
  const hsize_t *count = series->count;
  const hsize_t dims[3] = { 0, count[1], count[2] };
  const hsize_t most[3] = { H5S_UNLIMITED, count[1], count[2] };
  const hsize_t chunk[3] = { is_image ? 1 : NUMBERS_CHUNK, count[1], count[2] };
  hid_t links = tl_hdf5_new_links ();
  hid_t plist = H5Pcreate (H5P_DATASET_CREATE);
  hid_t space = H5Screate_simple (series->n_dims, dims, most);

  H5Pset_chunk (plist, series->n_dims, chunk);
  series->dataset =
      H5Dcreate2 (file, path, series->type, space, links, plist, H5P_DEFAULT);
  H5Sclose (space);
  H5Pclose (plist);
  H5Pclose (links);
  return series->dataset >= 0;
}

static gboolean
create_file (TlHdf5Growing *growing, const TlHdf5GrowingLayout *layout)
{
  hid_t access = H5Pcreate (H5P_FILE_ACCESS);

  /* Not all file systems have locks, and nobody else knows the file yet. The
   * readers of this program open it without, which has to be the same. */
  H5Pset_file_locking (access, FALSE, TRUE);
  tl_hdf5_guard (access);
  /* SWMR needs this format; a newer one is not for all readers. */
  if (growing->has_swmr)
    H5Pset_libver_bounds (access, H5F_LIBVER_V110, H5F_LIBVER_V110);
  growing->file =
      H5Fcreate (growing->part->part_path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
  H5Pclose (access);
  gboolean ok = growing->file >= 0;
  for (size_t i = 0; i < growing->n_series && ok; i++)
    ok = create_dataset (growing->file, layout->series[i].path,
                         &growing->series[i]);
  return ok && layout->describe (growing->file, layout->data)
         && H5Fflush (growing->file, H5F_SCOPE_LOCAL) >= 0
         && (!growing->has_swmr || H5Fstart_swmr_write (growing->file) >= 0);
}

/* Takes room for @n_bytes more. HDF5 1.10 does not recover from a failed write,
 * and crashes when it closes the file: a full disk must be noticed before. */
static gboolean
take_room (TlHdf5Growing *growing, off_t n_bytes, GError **error)
{
  const TlPartFile *part = growing->part;
  struct stat status;

  if (fstat (part->fd, &status) != 0)
    return tl_set_write_error (error, part->path, errno, NULL);
  if (!tl_hdf5_is_within_limit ((guint64)(status.st_size + n_bytes)))
    return tl_set_write_error (error, part->path, EFBIG, NULL);
  if (fallocate (part->fd, FALLOC_FL_KEEP_SIZE, status.st_size, n_bytes) == 0)
    return TRUE;
  return errno == EOPNOTSUPP
             ? tl_check_room (part->path, (guint64)n_bytes, error)
             : tl_set_write_error (error, part->path, errno, NULL);
}

/* Gives back the room that was not needed. */
static gboolean
return_room (TlHdf5Growing *growing)
{
  struct stat status;

  return fstat (growing->part->fd, &status) == 0
         && ftruncate (growing->part->fd, status.st_size) == 0;
}

TlHdf5Growing *
tl_hdf5_growing_open (const char *path, const TlHdf5GrowingLayout *layout,
                      GError **error)
{
  TlHdf5Errors errors = { 0 };

  g_return_val_if_fail (path != NULL && layout != NULL, NULL);

  /* Until SWMR has begun, readers would be refused: the file has another name
   * until then. */
  g_autoptr (TlPartFile) part = tl_part_file_open (path, error);
  if (part == NULL)
    return NULL;
  TlHdf5Growing *growing = g_new0 (TlHdf5Growing, 1);
  growing->part = g_steal_pointer (&part);
  growing->has_swmr = layout->has_swmr;
  growing->file = -1;
  growing->n_series = layout->n_series;
  growing->series = g_new (Series, layout->n_series);
  for (size_t i = 0; i < layout->n_series; i++)
    init_series (&growing->series[i], &layout->series[i]);
  if (take_room (growing, SPARE_BYTES, error))
    {
      tl_hdf5_errors_catch (&errors);
      const gboolean ok = create_file (growing, layout);
      if (tl_hdf5_errors_release (&errors, ok, path, error)
          && tl_part_file_rename (growing->part, layout->replaces, error))
        return growing;
    }
  tl_hdf5_growing_close (growing, NULL);
  return NULL;
}

/* Writes the image or number after the last one. */
static gboolean
append (Series *series, const void *values)
{
  const hsize_t *count = series->count;
  const hsize_t start[3] = { series->n, 0, 0 };
  const hsize_t end[3] = { ++series->n, count[1], count[2] };

  if (H5Dset_extent (series->dataset, end) < 0)
    return FALSE;
  hid_t space = H5Dget_space (series->dataset);
  hid_t memory = H5Screate_simple (series->n_dims, count, NULL);
  const gboolean ok =
      H5Sselect_hyperslab (space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0
      && H5Dwrite (series->dataset, series->type, memory, space, H5P_DEFAULT,
                   values)
             >= 0;
  H5Sclose (memory);
  H5Sclose (space);
  return ok;
}

/* Readers go by the shortest dataset: each is complete when it grows. */
static gboolean
flush (TlHdf5Growing *growing, const TlHdf5Sample *samples, size_t n)
{
  gboolean ok = TRUE;

  if (!growing->has_swmr)
    return H5Fflush (growing->file, H5F_SCOPE_LOCAL) >= 0;
  for (size_t i = 0; i < n && ok; i++)
    ok = H5Dflush (growing->series[samples[i].series].dataset) >= 0;
  return ok;
}

gboolean
tl_hdf5_growing_append (TlHdf5Growing *growing, const TlHdf5Sample *samples,
                        size_t n, GError **error)
{
  TlHdf5Errors errors = { 0 };
  size_t n_bytes = 0;
  gboolean ok = TRUE;

  for (size_t i = 0; i < n; i++)
    n_bytes += growing->series[samples[i].series].n_bytes;
  if (!take_room (growing, (off_t)n_bytes + SPARE_BYTES, error))
    return FALSE;
  tl_hdf5_errors_catch (&errors);
  for (size_t i = 0; i < n && ok; i++)
    ok = append (&growing->series[samples[i].series], samples[i].values);
  ok = ok && flush (growing, samples, n);
  return tl_hdf5_errors_release (&errors, ok, growing->part->path, error);
}

gboolean
tl_hdf5_growing_close (TlHdf5Growing *growing, GError **error)
{
  TlHdf5Errors errors = { 0 };
  gboolean ok = TRUE;

  if (growing == NULL)
    return TRUE;
  tl_hdf5_errors_catch (&errors);
  for (size_t i = 0; i < growing->n_series; i++)
    if (growing->series[i].dataset >= 0)
      ok = H5Dclose (growing->series[i].dataset) >= 0 && ok;
  if (growing->file >= 0)
    ok = H5Fclose (growing->file) >= 0 && ok;
  ok = return_room (growing) && ok;
  ok = tl_hdf5_errors_release (&errors, ok, growing->part->path, error);
  tl_part_file_free (growing->part);
  g_free (growing->series);
  g_free (growing);
  return ok;
}
