#include "data/write/growing-file.h"

#include "data/write/hdf5-file.h"
#include "data/write/part-file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define DETECTOR_PATH "/entry/instrument/detector"
#define DATA_PATH DETECTOR_PATH "/data"
#define ATTRIBUTES_PATH "/entry/instrument/NDAttributes/"

/* Numbers of an attribute in one chunk: few enough to be written again with
 * every frame. */
#define ATTRIBUTE_CHUNK 16

/* What HDF5 may write besides the pixels of a frame. */
#define SPARE_BYTES ((off_t)256 << 10)

/* The values of each frame, besides its pixels. */
enum
{
  UNIQUE_ID,
  IMAGE_KEY,
  ANGLE,
  N_ATTRIBUTES
};

struct TlGrowingFile
{
  TlPartFile *part; /* its descriptor stays open, to take room on the disk */
  gboolean has_swmr;
  TlSampleType type;
  hsize_t n_frames, n_rows, n_cols;
  hid_t file, data; /* negative if not open */
  hid_t attributes[N_ATTRIBUTES];
};

static hid_t
memory_type (TlSampleType type)
{
  const hid_t types[TL_N_SAMPLE_TYPES] = {
    [TL_SAMPLE_U8] = H5T_NATIVE_UINT8,   [TL_SAMPLE_I8] = H5T_NATIVE_INT8,
    [TL_SAMPLE_U16] = H5T_NATIVE_UINT16, [TL_SAMPLE_I16] = H5T_NATIVE_INT16,
    [TL_SAMPLE_U32] = H5T_NATIVE_UINT32, [TL_SAMPLE_I32] = H5T_NATIVE_INT32,
    [TL_SAMPLE_F32] = H5T_NATIVE_FLOAT,  [TL_SAMPLE_F64] = H5T_NATIVE_DOUBLE,
  };

  return types[type];
}

static hid_t
attribute_type (int attribute)
{
  return attribute == ANGLE ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT32;
}

/* Creates a dataset without frames, for any number of them. @chunk, @most:
 * [@n_dims] */
static hid_t
create_dataset (hid_t file, const char *path, hid_t type, int n_dims,
                const hsize_t *chunk, const hsize_t *most)
{
  hsize_t dims[3] = { 0 };
  hid_t links = tl_hdf5_new_links ();
  hid_t plist = H5Pcreate (H5P_DATASET_CREATE);

  memcpy (dims + 1, most + 1, (size_t)(n_dims - 1) * sizeof *dims);
  hid_t space = H5Screate_simple (n_dims, dims, most);
  H5Pset_chunk (plist, n_dims, chunk);
  hid_t dataset =
      H5Dcreate2 (file, path, type, space, links, plist, H5P_DEFAULT);
  H5Sclose (space);
  H5Pclose (plist);
  H5Pclose (links);
  return dataset;
}

static gboolean
set_class (hid_t file, const char *path, const char *nx_class)
{
  hid_t group = H5Oopen (file, path, H5P_DEFAULT);
  const gboolean ok =
      group >= 0 && tl_hdf5_set_text (group, "NX_class", nx_class);

  if (group >= 0)
    H5Oclose (group);
  return ok;
}

static gboolean
create_datasets (TlGrowingFile *file, const char *angle_name)
{
  const char *const names[N_ATTRIBUTES] = { "NDArrayUniqueId", "image_key",
                                            angle_name };
  const hsize_t frame[3] = { 1, file->n_rows, file->n_cols };
  const hsize_t frames[3] = { H5S_UNLIMITED, file->n_rows, file->n_cols };
  const hsize_t chunk[] = { ATTRIBUTE_CHUNK };
  const hsize_t values[] = { H5S_UNLIMITED };

  file->data = create_dataset (file->file, DATA_PATH, memory_type (file->type),
                               3, frame, frames);
  gboolean ok = file->data >= 0;
  for (int i = 0; i < N_ATTRIBUTES && ok; i++)
    {
      g_autofree char *path = g_strconcat (ATTRIBUTES_PATH, names[i], NULL);

      file->attributes[i] = create_dataset (
          file->file, path, attribute_type (i), 1, chunk, values);
      ok = file->attributes[i] >= 0;
    }
  return ok;
}

static gboolean
describe (TlGrowingFile *file)
{
  static const struct
  {
    const char *path, *nx_class;
  } groups[] = {
    { "/entry", "NXentry" },
    { "/entry/instrument", "NXinstrument" },
    { DETECTOR_PATH, "NXdetector" },
    { "/entry/instrument/NDAttributes", "NXcollection" },
    { "/entry/data", "NXdata" },
  };
  hid_t links = tl_hdf5_new_links ();
  gboolean ok = H5Lcreate_hard (file->file, DATA_PATH, file->file,
                                "/entry/data/data", links, H5P_DEFAULT)
                >= 0;

  H5Pclose (links);
  for (size_t i = 0; i < G_N_ELEMENTS (groups) && ok; i++)
    ok = set_class (file->file, groups[i].path, groups[i].nx_class);
  return ok;
}

static gboolean
create_file (TlGrowingFile *file, const char *path,
             const TlGrowingLayout *layout)
{
  hid_t access = H5Pcreate (H5P_FILE_ACCESS);

  /* SWMR needs this format; a newer one is not for all readers. */
  if (file->has_swmr)
    H5Pset_libver_bounds (access, H5F_LIBVER_V110, H5F_LIBVER_V110);
  file->file = H5Fcreate (path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
  H5Pclose (access);
  return file->file >= 0 && create_datasets (file, layout->angle_name)
         && tl_hdf5_write_pixel_size (file->file, DETECTOR_PATH,
                                      layout->pixel_size_um)
         && describe (file) && H5Fflush (file->file, H5F_SCOPE_LOCAL) >= 0
         && (!file->has_swmr || H5Fstart_swmr_write (file->file) >= 0);
}

/* Takes room for @n_bytes more. HDF5 1.10 does not recover from a failed write,
 * and crashes when it closes the file: a full disk must be noticed before. */
static gboolean
take_room (TlGrowingFile *file, off_t n_bytes, GError **error)
{
  struct stat status;
  struct rlimit limit;

  if (fstat (file->part->fd, &status) != 0)
    return tl_set_write_error (error, file->part->path, errno, NULL);
  if (getrlimit (RLIMIT_FSIZE, &limit) == 0
      && limit.rlim_cur < (rlim_t)(status.st_size + n_bytes))
    return tl_set_write_error (error, file->part->path, EFBIG, NULL);
  if (fallocate (file->part->fd, FALLOC_FL_KEEP_SIZE, status.st_size, n_bytes)
      == 0)
    return TRUE;
  return errno == EOPNOTSUPP
             ? tl_check_room (file->part->path, (guint64)n_bytes, error)
             : tl_set_write_error (error, file->part->path, errno, NULL);
}

/* Gives back the room that was not needed. */
static gboolean
return_room (TlGrowingFile *file)
{
  struct stat status;

  return fstat (file->part->fd, &status) == 0
         && ftruncate (file->part->fd, status.st_size) == 0;
}

TlGrowingFile *
tl_growing_file_open (const char *path, const TlGrowingLayout *layout,
                      GError **error)
{
  TlHdf5Errors errors = { 0 };

  g_return_val_if_fail (path != NULL && layout != NULL, NULL);
  g_return_val_if_fail (layout->n_rows > 0 && layout->n_cols > 0, NULL);

  /* Until SWMR has begun, the file is locked, and readers would be refused: it
   * has another name until then. */
  g_autoptr (TlPartFile) part = tl_part_file_open (path, error);
  if (part == NULL)
    return NULL;
  TlGrowingFile *file = g_new (TlGrowingFile, 1);
  *file = (TlGrowingFile){ .part = g_steal_pointer (&part),
                           .has_swmr = layout->has_swmr,
                           .type = layout->type,
                           .n_rows = layout->n_rows,
                           .n_cols = layout->n_cols,
                           .file = -1,
                           .data = -1,
                           .attributes = { -1, -1, -1 } };
  if (take_room (file, SPARE_BYTES, error))
    {
      tl_hdf5_errors_catch (&errors);
      const gboolean ok = create_file (file, file->part->part_path, layout);
      if (tl_hdf5_errors_release (&errors, ok, path, error)
          && tl_part_file_rename (file->part, layout->replaces, error))
        return file;
    }
  tl_growing_file_close (file, NULL);
  return NULL;
}

/* Writes the frame after the last one. */
static gboolean
append (hid_t dataset, hid_t type, int n_dims, const hsize_t *start,
        const hsize_t *count, const void *values)
{
  hsize_t end[3];

  memcpy (end, count, (size_t)n_dims * sizeof *end);
  end[0] = start[0] + 1;
  if (H5Dset_extent (dataset, end) < 0)
    return FALSE;
  hid_t space = H5Dget_space (dataset);
  hid_t memory = H5Screate_simple (n_dims, count, NULL);
  const gboolean ok =
      H5Sselect_hyperslab (space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0
      && H5Dwrite (dataset, type, memory, space, H5P_DEFAULT, values) >= 0;
  H5Sclose (memory);
  H5Sclose (space);
  return ok;
}

/* Readers go by the shortest dataset: each is complete when it grows. */
static gboolean
flush (TlGrowingFile *file)
{
  if (!file->has_swmr)
    return H5Fflush (file->file, H5F_SCOPE_LOCAL) >= 0;
  gboolean ok = H5Dflush (file->data) >= 0;
  for (int i = 0; i < N_ATTRIBUTES && ok; i++)
    ok = H5Dflush (file->attributes[i]) >= 0;
  return ok;
}

gboolean
tl_growing_file_append (TlGrowingFile *file, const void *pixels,
                        gint32 unique_id, TlImageKey key, double angle_deg,
                        GError **error)
{
  const gint32 image_key = (gint32)key;
  const void *const values[N_ATTRIBUTES] = { &unique_id, &image_key,
                                             &angle_deg };
  const hsize_t frame[3] = { 1, file->n_rows, file->n_cols };
  const hsize_t start[3] = { file->n_frames, 0, 0 };
  const size_t frame_bytes =
      file->n_rows * file->n_cols * tl_sample_size (file->type);
  TlHdf5Errors errors = { 0 };

  if (!take_room (file, (off_t)frame_bytes + SPARE_BYTES, error))
    return FALSE;
  tl_hdf5_errors_catch (&errors);
  gboolean ok =
      append (file->data, memory_type (file->type), 3, start, frame, pixels);
  for (int i = 0; i < N_ATTRIBUTES && ok; i++)
    ok = append (file->attributes[i], attribute_type (i), 1, start, frame,
                 values[i]);
  ok = ok && flush (file);
  file->n_frames++;
  return tl_hdf5_errors_release (&errors, ok, file->part->path, error);
}

gboolean
tl_growing_file_close (TlGrowingFile *file, GError **error)
{
  TlHdf5Errors errors = { 0 };
  gboolean ok = TRUE;

  if (file == NULL)
    return TRUE;
  tl_hdf5_errors_catch (&errors);
  if (file->data >= 0)
    ok = H5Dclose (file->data) >= 0;
  for (int i = 0; i < N_ATTRIBUTES; i++)
    if (file->attributes[i] >= 0)
      ok = H5Dclose (file->attributes[i]) >= 0 && ok;
  if (file->file >= 0)
    ok = H5Fclose (file->file) >= 0 && ok;
  ok = return_room (file) && ok;
  ok = tl_hdf5_errors_release (&errors, ok, file->part->path, error);
  tl_part_file_free (file->part);
  g_free (file);
  return ok;
}
