/* write-swmr SCAN FILE RATE: writes the darks, flats and projections of a Data
 * Exchange file to FILE, as the HDF5 plugin of areaDetector (NDFileHDF5) does
 * with SWMR on: under the file's own name from the beginning, in its default
 * layout (/entry/instrument/detector/data, a hard link to it as
 * /entry/data/data, and one value a frame in /entry/instrument/NDAttributes),
 * chunks of one frame, each frame flushed. To be killed meanwhile. Written with
 * the HDF5 library alone, not with our own writer. */
#include <hdf5.h>

#include <glib.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_BYTES 32
#define ATTRIBUTES "/entry/instrument/NDAttributes/"

enum
{
  UNIQUE_ID,
  TIME_STAMP,
  FRAME_LOCATION,
  ANGLE,
  N_ATTRIBUTES
};

static const char *const attribute_names[N_ATTRIBUTES] = {
  ATTRIBUTES "NDArrayUniqueId",
  ATTRIBUTES "NDArrayTimeStamp",
  ATTRIBUTES "HDF5FrameLocation",
  ATTRIBUTES "SampleRotary",
};

typedef struct
{
  hid_t file, data, attributes[N_ATTRIBUTES], text_type;
  hsize_t n_rows, n_cols, n_written;
  gint64 begin_us;
  double rate;
} Writer;

/* @chunk: [3] */
static hid_t
create (hid_t file, const char *path, hid_t type, int rank,
        const hsize_t *chunk)
{
  hsize_t none[3] = { 0, chunk[1], chunk[2] };
  hsize_t most[3] = { H5S_UNLIMITED, chunk[1], chunk[2] };
  const hid_t space = H5Screate_simple (rank, none, most);
  const hid_t links = H5Pcreate (H5P_LINK_CREATE);
  const hid_t layout = H5Pcreate (H5P_DATASET_CREATE);
  H5Pset_create_intermediate_group (links, 1);
  H5Pset_chunk (layout, rank, chunk);
  const hid_t dataset =
      H5Dcreate2 (file, path, type, space, links, layout, H5P_DEFAULT);
  g_assert_cmpint (dataset, >=, 0);
  H5Pclose (layout);
  H5Pclose (links);
  H5Sclose (space);
  return dataset;
}

static void
begin (Writer *writer, const char *path)
{
  const hid_t access = H5Pcreate (H5P_FILE_ACCESS);
  const hsize_t frame[3] = { 1, writer->n_rows, writer->n_cols };
  const hsize_t values[3] = { 16 };
  writer->text_type = H5Tcopy (H5T_C_S1);
  H5Tset_size (writer->text_type, TEXT_BYTES);
  const hid_t types[N_ATTRIBUTES] = { H5T_NATIVE_INT32, H5T_NATIVE_DOUBLE,
                                      writer->text_type, H5T_NATIVE_DOUBLE };
  g_remove (path);
  H5Pset_libver_bounds (access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  writer->file = H5Fcreate (path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
  g_assert_cmpint (writer->file, >=, 0);
  H5Pclose (access);
  writer->data = create (writer->file, "/entry/instrument/detector/data",
                         H5T_NATIVE_UINT16, 3, frame);
  for (int k = 0; k < N_ATTRIBUTES; k++)
    writer->attributes[k] =
        create (writer->file, attribute_names[k], types[k], 1, values);
  H5Gclose (H5Gcreate2 (writer->file, "/entry/data", H5P_DEFAULT, H5P_DEFAULT,
                        H5P_DEFAULT));
  H5Lcreate_hard (writer->file, "/entry/instrument/detector/data", writer->file,
                  "/entry/data/data", H5P_DEFAULT, H5P_DEFAULT);
  g_assert_cmpint (H5Fstart_swmr_write (writer->file), >=, 0);
  writer->begin_us = g_get_monotonic_time ();
}

/* @value: of one frame */
static void
append (hid_t dataset, hid_t type, int rank, const hsize_t *frame,
        hsize_t index, const void *value)
{
  const hsize_t size[3] = { index + 1, frame[1], frame[2] };
  const hsize_t start[3] = { index };
  const hid_t memory = H5Screate_simple (rank, frame, NULL);
  H5Dset_extent (dataset, size);
  const hid_t space = H5Dget_space (dataset);
  H5Sselect_hyperslab (space, H5S_SELECT_SET, start, NULL, frame, NULL);
  g_assert_cmpint (H5Dwrite (dataset, type, memory, space, H5P_DEFAULT, value),
                   >=, 0);
  g_assert_cmpint (H5Dflush (dataset), >=, 0);
  H5Sclose (space);
  H5Sclose (memory);
}

static void
write_frame (Writer *writer, const guint16 *pixels, const char *location,
             double angle)
{
  const hsize_t frame[3] = { 1, writer->n_rows, writer->n_cols };
  const hsize_t one[3] = { 1 };
  const hsize_t k = writer->n_written++;
  const gint64 due_us =
      writer->begin_us + (gint64)((double)k * G_USEC_PER_SEC / writer->rate);
  const gint32 unique_id = (gint32)k + 1;
  const double stamp = (double)g_get_real_time () / G_USEC_PER_SEC;
  char text[TEXT_BYTES] = { 0 };
  g_strlcpy (text, location, sizeof text);
  g_usleep ((gulong)MAX (due_us - g_get_monotonic_time (), 0));
  append (writer->data, H5T_NATIVE_UINT16, 3, frame, k, pixels);
  append (writer->attributes[UNIQUE_ID], H5T_NATIVE_INT32, 1, one, k,
          &unique_id);
  append (writer->attributes[TIME_STAMP], H5T_NATIVE_DOUBLE, 1, one, k, &stamp);
  append (writer->attributes[FRAME_LOCATION], writer->text_type, 1, one, k,
          text);
  append (writer->attributes[ANGLE], H5T_NATIVE_DOUBLE, 1, one, k, &angle);
}

/* Returns: (transfer full): the whole dataset; @size: (out): [3] */
static void *
read_all (hid_t scan, const char *path, hid_t type, hsize_t *size)
{
  const hid_t dataset = H5Dopen2 (scan, path, H5P_DEFAULT);
  g_assert_cmpint (dataset, >=, 0);
  const hid_t space = H5Dget_space (dataset);
  size[1] = size[2] = 1;
  g_assert_cmpint (H5Sget_simple_extent_dims (space, size, NULL), >=, 1);
  void *all =
      g_malloc_n ((gsize)(size[0] * size[1] * size[2]), H5Tget_size (type));
  g_assert_cmpint (H5Dread (dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all),
                   >=, 0);
  H5Sclose (space);
  H5Dclose (dataset);
  return all;
}

static void
finish (Writer *writer)
{
  for (int k = 0; k < N_ATTRIBUTES; k++)
    H5Dclose (writer->attributes[k]);
  H5Tclose (writer->text_type);
  H5Dclose (writer->data);
  H5Fclose (writer->file);
}

int
main (int argc, char **argv)
{
  static const char *const places[] = { "/exchange/data_dark",
                                        "/exchange/data_white",
                                        "/exchange/data" };
  guint16 *frames[G_N_ELEMENTS (places)];
  hsize_t sizes[G_N_ELEMENTS (places)][3], n_angles[3];
  if (argc != 4)
    return 2;
  const hid_t scan = H5Fopen (argv[1], H5F_ACC_RDONLY, H5P_DEFAULT);
  g_assert_cmpint (scan, >=, 0);
  g_autofree double *angles =
      read_all (scan, "/exchange/theta", H5T_NATIVE_DOUBLE, n_angles);
  for (size_t k = 0; k < G_N_ELEMENTS (places); k++)
    frames[k] = read_all (scan, places[k], H5T_NATIVE_UINT16, sizes[k]);
  H5Fclose (scan);
  Writer writer = { .n_rows = sizes[0][1],
                    .n_cols = sizes[0][2],
                    .rate = g_ascii_strtod (argv[3], NULL) };
  begin (&writer, argv[2]);
  for (size_t k = 0; k < G_N_ELEMENTS (places); k++)
    {
      for (hsize_t i = 0; i < sizes[k][0]; i++)
        write_frame (&writer, frames[k] + i * writer.n_rows * writer.n_cols,
                     places[k], angles[k == 2 ? i : 0]);
      g_free (frames[k]);
    }
  finish (&writer);
  return 0;
}
