/* NXtomo: found by classes, sorted by the image key, linked to other files. */
#include "data/error.h"
#include "data/write/hdf5-file.h"
#include "tests/data/read/scan-files.h"
#include "tests/support/peak-memory.h"

#include <string.h>

/* Paths and image key of an NXtomo with arbitrary names. */
typedef struct
{
  const double *keys, *angles;
  hsize_t n;
  const char *units;
  gboolean variable_length, no_definition;
} Tomo;

static void
write_definition (hid_t file, const char *path, gboolean variable_length)
{
  const char *variable = "NXtomo";
  hsize_t one = 1;
  hid_t type = H5Tcopy (H5T_C_S1);
  H5Tset_size (type, variable_length ? H5T_VARIABLE : 6);
  hid_t space = variable_length ? H5Screate (H5S_SCALAR)
                                : H5Screate_simple (1, &one, NULL);
  hid_t dataset = H5Dcreate2 (file, path, type, space, H5P_DEFAULT, H5P_DEFAULT,
                              H5P_DEFAULT);
  g_assert_cmpint (
      H5Dwrite (dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                variable_length ? (const void *)&variable : "NXtomo"),
      >=, 0);
  H5Dclose (dataset);
  H5Sclose (space);
  H5Tclose (type);
}

static hid_t
write_tomo (Folder *folder, const char *name, const Tomo *tomo)
{
  hid_t file = h5_create (folder, name, 0);
  h5_write_class (file, "/run", "NXentry");
  h5_write_class (file, "/run/inner", "NXsubentry");
  h5_write_class (file, "/run/inner/beamline", "NXinstrument");
  h5_write_class (file, "/run/inner/beamline/abc", "NXdetector");
  h5_write_class (file, "/run/inner/beamline/camera", "NXdetector");
  h5_write_class (file, "/run/inner/stone", "NXsample");
  if (!tomo->no_definition)
    write_definition (file, "/run/inner/definition", tomo->variable_length);
  h5_write_numbers (file, "/run/inner/beamline/camera/image_key", tomo->keys,
                    tomo->n, NULL);
  h5_write_numbers (file, "/run/inner/stone/rotation_angle", tomo->angles,
                    tomo->n, tomo->units);
  return file;
}

static const double keys[] = { 2, 1, 1, 0, 0, 3, 0, 1, 2, -1, 0 };
static const double angles[] = { 0, 0, 0, 0, 40, 50, 80, 80, 80, 90, 120 };
static const size_t projections[] = { 3, 4, 6, 10 };

static void
test_nexus (void)
{
  g_autoptr (Folder) folder = folder_new ();
  for (int variant = 0; variant < 4; variant++)
    {
      hid_t file = write_tomo (folder, "scan.nxs",
                               &(Tomo){ keys, angles, G_N_ELEMENTS (keys),
                                        "degree", variant == 1, variant == 2 });
      H5Shape shape = { .dims = { G_N_ELEMENTS (keys), 3, 5 }, .base = 9 };
      if (variant == 3)
        shape.chunk[0] = shape.chunk[1] = shape.chunk[2] = 2;
      h5_write_frames (file, "/run/inner/beamline/camera/data", &shape);
      H5Fclose (file);
      g_autoptr (TlReader) reader = assert_opens (folder, "scan.nxs", NULL);
      const TlScanInfo *info = tl_reader_get_info (reader);
      g_assert_cmpstr (info->format, ==,
                       variant == 2 ? "NeXus HDF5" : "NXtomo HDF5");
      g_assert_cmpuint (info->n_projections, ==, 4);
      g_assert_cmpuint (info->n_flats, ==, 3);
      g_assert_cmpuint (info->n_flats_before, ==, 2);
      g_assert_cmpuint (info->n_darks, ==, 2);
      for (size_t i = 0; i < 4; i++)
        g_assert_cmpfloat (info->angles_deg[i], ==, 40.0 * (double)i);
      g_assert_true (has_note (reader, "2 frames*invalid*"));
      assert_samples (reader, 9, projections);
    }
}

/* The mean of the frames of each kind follows from their numbers. */
static void
test_nexus_fields (void)
{
  g_autoptr (Folder) folder = folder_new ();
  /* Flats are frames 2, 3 and 5, the dark field is frame 0; a frame adds 37. */
  static const double key[] = { 2, 0, 1, 1, 0, 1 };
  static const double angle[] = { 0, 0, 0, 0, 90, 90 };
  hid_t file = write_tomo (folder, "scan.nxs",
                           &(Tomo){ key, angle, 6, "deg", FALSE, FALSE });
  h5_write_frames (file, "/run/inner/beamline/camera/data",
                   &(H5Shape){ .dims = { 6, 2, 5 }, .base = 3 });
  H5Fclose (file);
  g_autoptr (TlReader) reader = assert_opens (folder, "scan.nxs", NULL);
  g_autoptr (GError) error = NULL;
  double dark[5], first[5], last[5];
  g_assert_cmpuint (tl_reader_get_info (reader)->n_flats_before, ==, 0);
  tl_reader_read_fields (reader, 1, 1, dark, first, last, NULL, &error);
  g_assert_no_error (error);
  for (size_t c = 0; c < 5; c++)
    {
      double mean = (sample_value (3, 2, 1, c) + sample_value (3, 3, 1, c)
                     + sample_value (3, 5, 1, c))
                    / 3;
      g_assert_cmpfloat (dark[c], ==, sample_value (3, 0, 1, c));
      g_assert_cmpfloat_with_epsilon (first[c], mean, 1e-5);
      g_assert_cmpfloat (last[c], ==, first[c]);
    }
}

static void
test_nexus_units (void)
{
  static const double key[] = { 0, 0, 0 };
  static const struct
  {
    const char *units;
    double angles[3], last_deg;
  } cases[] = {
    { NULL, { 0, 1, 3.14159265358979 }, 180 },
    { NULL, { 0, 1, 2 * G_PI }, 360 },
    { NULL, { -7, 0, 7 }, 7 },
    { "deg", { 0, 1, 2 }, 2 },
    { "rad", { 0, 10, 20 }, 20 * 180 / G_PI },
    { " Milliradians", { 0, 1000, 2984 }, 2.984 * 180 / G_PI },
    { "mrad", { 0, 1, 2 }, 0.002 * 180 / G_PI },
    { "steps", { 0, 1, 3 }, 3 * 180 / G_PI },
    { "steps", { 0, 1, 7 }, 7 },
    { "rev", { 0, 0.25, 0.5 }, 180 },
    { "Turns", { 0, 1, 2 }, 720 },
  };
  g_autoptr (Folder) folder = folder_new ();
  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      hid_t file = write_tomo (
          folder, "scan.nxs",
          &(Tomo){ key, cases[i].angles, 3, cases[i].units, FALSE, FALSE });
      h5_write_frames (file, "/run/inner/beamline/camera/data",
                       &(H5Shape){ .dims = { 3, 1, 2 } });
      H5Fclose (file);
      g_autoptr (TlReader) reader = assert_opens (folder, "scan.nxs", NULL);
      g_assert_cmpfloat_with_epsilon (
          tl_reader_get_info (reader)->angles_deg[2], cases[i].last_deg, 1e-9);
      g_assert_true (has_note (reader, "*no unit*")
                     == (cases[i].units == NULL));
      g_assert_true (
          has_note (reader, "the unit of the angles, steps, is unknown: *")
          == (g_strcmp0 (cases[i].units, "steps") == 0));
      g_assert_false (has_note (reader, "*look like*"));
    }
}

static void
test_nexus_external (void)
{
  static const double key[] = { 1, 0, 0, 0 }, angle[] = { 0, 0, 60, 120 };
  static const size_t frames[] = { 1, 2, 3 };
  g_autoptr (Folder) folder = folder_new ();
  hid_t file = write_tomo (folder, "scan.nxs",
                           &(Tomo){ key, angle, 4, "deg", FALSE, FALSE });
  H5Lcreate_external ("raw/images.h5", "/entry/data", file,
                      "/run/inner/beamline/camera/data", H5P_DEFAULT,
                      H5P_DEFAULT);
  H5Fclose (file);
  assert_refuses (folder, "scan.nxs", NULL, TL_ERROR_FILE,
                  "scan.nxs: *another file*raw/images.h5*");
  file = h5_create (folder, "raw/images.h5", 0);
  h5_write_frames (file, "/entry/data",
                   &(H5Shape){ .dims = { 4, 2, 3 }, .base = 5 });
  H5Fclose (file);
  g_autoptr (TlReader) reader = assert_opens (folder, "scan.nxs", NULL);
  assert_samples (reader, 5, frames);
}

/* Keys and angles were written before the scan was broken off, or after it. */
static void
test_nexus_key_count (void)
{
  g_autoptr (Folder) folder = folder_new ();
  for (size_t n_frames = 6; n_frames <= 10; n_frames += 4)
    {
      hid_t file = write_tomo (folder, "scan.nxs",
                               &(Tomo){ keys, angles, 8, "deg", FALSE, FALSE });
      h5_write_frames (file, "/run/inner/beamline/camera/data",
                       &(H5Shape){ .dims = { n_frames, 1, 2 }, .base = 4 });
      H5Fclose (file);
      g_autoptr (TlReader) reader = assert_opens (folder, "scan.nxs", NULL);
      const TlScanInfo *info = tl_reader_get_info (reader);
      const gboolean is_short = n_frames == 6;
      g_assert_cmpuint (info->n_projections, ==, is_short ? 2 : 3);
      g_assert_cmpuint (info->n_flats, ==, is_short ? 2 : 3);
      g_assert_cmpfloat (info->angles_deg[1], ==, 40);
      assert_samples (reader, 4, projections);
      g_assert_true (has_note (
          reader, is_short ? "8 image keys but 6 frames*the first 6 keys*"
                           : "8 image keys but 10 frames*after the first 8 *"));
      g_assert_true (has_note (reader, "8 angles*first 6 angles*") == is_short);
    }
}

/* Where a text of variable length is. */
typedef enum
{
  IN_ONE_PIECE,
  IN_CHUNKS,
  IN_HEAD, /* of the dataset */
  IN_ATTRIBUTE,
  N_PLACES
} Place;

static void
write_variable_text (hid_t file, Place place)
{
  const char *const text = "NXtomo";
  const hsize_t one = 1;
  hid_t type = H5Tcopy (H5T_C_S1), space = H5Screate_simple (1, &one, NULL);
  hid_t made = H5Pcreate (H5P_DATASET_CREATE);
  hid_t inner = H5Gopen2 (file, "/run/inner", H5P_DEFAULT);
  H5Tset_size (type, H5T_VARIABLE);
  if (place == IN_CHUNKS)
    H5Pset_chunk (made, 1, &one);
  else if (place == IN_HEAD)
    H5Pset_layout (made, H5D_COMPACT);
  if (place == IN_ATTRIBUTE)
    {
      hid_t group =
          H5Gcreate2 (inner, "odd", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
      hid_t attribute =
          H5Acreate2 (group, "NX_class", type, space, H5P_DEFAULT, H5P_DEFAULT);
      g_assert_cmpint (H5Awrite (attribute, type, &text), >=, 0);
      H5Aclose (attribute);
      H5Gclose (group);
    }
  else
    {
      hid_t data = H5Dcreate2 (inner, "definition", type, space, H5P_DEFAULT,
                               made, H5P_DEFAULT);
      g_assert_cmpint (
          H5Dwrite (data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &text), >=, 0);
      H5Dclose (data);
    }
  H5Gclose (inner);
  H5Pclose (made);
  H5Sclose (space);
  H5Tclose (type);
}

typedef struct
{
  size_t at; /* in a text: length, address of a heap, number of the object */
  guint8 bytes[4];
} Damage;

/* Of the only text of variable length in the file. */
static void
damage_text (const char *path, const Damage *damage)
{
  g_autofree char *bytes = NULL;
  gsize size;
  g_assert_true (g_file_get_contents (path, &bytes, &size, NULL));
  const char *heap = memmem (bytes, size, "GCOL", 4);
  guint8 text[16] = { 6, [12] = 1 };
  for (size_t i = 0; i < 8; i++)
    text[4 + i] = (guint8)((guint64)(heap - bytes) >> 8 * i);
  char *stored = memmem (bytes, size, text, sizeof text);
  g_assert_nonnull (stored);
  memcpy (stored + damage->at, damage->bytes, sizeof damage->bytes);
  g_assert_true (g_file_set_contents (path, bytes, (gssize)size, NULL));
}

static void
try_false_text (Place place, const Damage *damage)
{
  const gboolean is_definition = place != IN_ATTRIBUTE;
  g_autoptr (Folder) folder = folder_new ();
  g_autofree char *path = folder_path (folder, "scan.nxs");
  hid_t file =
      write_tomo (folder, "scan.nxs",
                  &(Tomo){ keys, angles, 8, "deg", FALSE, is_definition });
  h5_write_frames (file, "/run/inner/beamline/camera/data",
                   &(H5Shape){ .dims = { 8, 1, 2 }, .base = 4 });
  write_variable_text (file, place);
  H5Fclose (file);
  g_autofree char *text = tl_hdf5_find_text (path, "/run/inner/definition");
  g_assert_cmpstr (text, ==, "NXtomo");
  damage_text (path, damage);
  g_autofree char *again = tl_hdf5_find_text (path, "/run/inner/definition");
  g_assert_cmpstr (again, ==, is_definition ? NULL : "NXtomo");
  g_autoptr (TlReader) reader = assert_opens (folder, "scan.nxs", NULL);
  assert_samples (reader, 4, projections);
}

/* Each ends the program in HDF5 1.10, or takes 2 GiB. The rest of the file is
 * read. */
static void
test_nexus_false_text (void)
{
  static const Damage damages[] = {
    { 0, { 0, 0, 0, 127 } }, /* 2 GiB */
    { 0, { 5, 0, 0, 0 } },   /* shorter than the object */
    { 12, { 200, 0, 0, 0 } } /* no such object */
  };
  const size_t before = restart_peak_memory ();
  for (Place place = 0; place < N_PLACES; place++)
    for (size_t i = 0; i < G_N_ELEMENTS (damages); i++)
      try_false_text (place, &damages[i]);
  g_assert_cmpuint (get_peak_memory () - before, <, 256 << 20);
}

static void
test_nexus_no_projection (void)
{
  static const double fields[] = { 1, 1, 2, 2, 7, 7, 1, 2 };
  g_autoptr (Folder) folder = folder_new ();
  hid_t file = write_tomo (folder, "scan.nxs",
                           &(Tomo){ fields, angles, 8, "deg", FALSE, FALSE });
  h5_write_frames (file, "/run/inner/beamline/camera/data",
                   &(H5Shape){ .dims = { 8, 1, 2 }, .base = 4 });
  H5Fclose (file);
  assert_refuses (folder, "scan.nxs", NULL, TL_ERROR_SHAPE,
                  "scan.nxs: none of the 8 image keys is 0*--keys-path");
  assert_refuses (folder, "scan.nxs", &(TlReaderOptions){ .grows = TRUE },
                  TL_ERROR_EARLY,
                  "scan.nxs: is still being written and has no projection*");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/nexus/classes", test_nexus);
  g_test_add_func ("/nexus/fields", test_nexus_fields);
  g_test_add_func ("/nexus/units", test_nexus_units);
  g_test_add_func ("/nexus/external", test_nexus_external);
  g_test_add_func ("/nexus/key-count", test_nexus_key_count);
  g_test_add_func ("/nexus/false-text", test_nexus_false_text);
  g_test_add_func ("/nexus/no-projection", test_nexus_no_projection);
  return g_test_run ();
}
