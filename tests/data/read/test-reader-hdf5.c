/* Scans in Data Exchange HDF5: layouts, types, units, and what is refused. */
#include "data/error.h"
#include "data/phantom/phantom.h"
#include "data/write/hdf5-file.h"
#include "tests/data/read/scan-files.h"
#include "tests/support/peak-memory.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <zlib.h>

/* A Data Exchange file with one flat and two darks; the caller adds angles. */
static hid_t
write_exchange (Folder *folder, const char *name, const H5Shape *shape)
{
  hid_t file = h5_create (folder, name, 0);
  h5_write_frames (file, "/exchange/data", shape);
  h5_write_frames (file, "/exchange/data_white",
                   &(H5Shape){ .dims = { 1, shape->dims[1], shape->dims[2] },
                               .value = 1000 });
  h5_write_frames (
      file, "/exchange/data_dark",
      &(H5Shape){ .dims = { 2, shape->dims[1], shape->dims[2] }, .value = 10 });
  return file;
}

static void
test_types (void)
{
  const struct
  {
    hid_t type;
    TlSampleType want;
  } cases[] = {
    { H5T_STD_U8LE, TL_SAMPLE_U8 },    { H5T_STD_I8BE, TL_SAMPLE_I8 },
    { H5T_STD_U16LE, TL_SAMPLE_U16 },  { H5T_STD_U16BE, TL_SAMPLE_U16 },
    { H5T_STD_I16BE, TL_SAMPLE_I16 },  { H5T_STD_U32LE, TL_SAMPLE_U32 },
    { H5T_STD_U32BE, TL_SAMPLE_U32 },  { H5T_STD_I32BE, TL_SAMPLE_I32 },
    { H5T_IEEE_F32LE, TL_SAMPLE_F32 }, { H5T_IEEE_F32BE, TL_SAMPLE_F32 },
    { H5T_IEEE_F64LE, TL_SAMPLE_F64 }, { H5T_IEEE_F64BE, TL_SAMPLE_F64 },
    { H5T_STD_I64LE, TL_SAMPLE_F64 },
  };
  g_autoptr (Folder) folder = folder_new ();
  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      H5Shape shape = { .dims = { 5, 3, 7 }, .type = cases[i].type, .base = i };
      H5Fclose (write_exchange (folder, "scan.h5", &shape));
      g_autoptr (TlReader) reader = assert_opens (folder, "scan.h5", NULL);
      const TlScanInfo *info = tl_reader_get_info (reader);
      g_assert_cmpint (info->type, ==, cases[i].want);
      g_assert_cmpuint (info->n_projections, ==, 5);
      g_assert_cmpuint (info->n_rows, ==, 3);
      g_assert_cmpuint (info->n_cols, ==, 7);
      assert_samples (reader, i, NULL);
    }
}

/* Projections, one flat and two darks, with @level added to all of them. */
static void
write_level (Folder *folder, hid_t type, hid_t dark_type, double level)
{
  hid_t file = h5_create (folder, "scan.h5", 0);
  h5_write_frames (file, "/exchange/data",
                   &(H5Shape){ .dims = { 4, 3, 7 },
                               .type = type,
                               .base = (size_t)level + 20 });
  h5_write_frames (
      file, "/exchange/data_white",
      &(H5Shape){ .dims = { 1, 3, 7 }, .type = type, .value = level + 1000 });
  h5_write_frames (file, "/exchange/data_dark",
                   &(H5Shape){ .dims = { 2, 3, 7 },
                               .type = dark_type,
                               .value = level + 10 });
  H5Fclose (file);
}

/* Whatever is added to all counts, the differences that the flat-field
 * correction takes in float32 are exact. */
static void
test_large_counts (void)
{
  const struct
  {
    hid_t type;
    double level;
    gboolean is_changed;
  } cases[] = {
    { H5T_STD_U32LE, 0x1p31, TRUE },     { H5T_STD_U32LE, 0, FALSE },
    { H5T_STD_I32BE, 0x1p30 + 1, TRUE }, { H5T_STD_I64LE, 0x1p40, TRUE },
    { H5T_STD_U64LE, 0x1p52, TRUE },     { H5T_IEEE_F64LE, 0x1p50, TRUE },
  };
  static const size_t rows[] = { 0, 2 };
  g_autoptr (Folder) folder = folder_new ();
  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      double raw[4 * 2 * 7];
      double dark[2 * 7], flat[2 * 7], last[2 * 7];
      float counts[4 * 2 * 7];
      size_t n_done = 0;
      write_level (folder, cases[i].type, cases[i].type, cases[i].level);
      g_autoptr (TlReader) reader = assert_opens (folder, "scan.h5", NULL);
      const TlScanInfo *info = tl_reader_get_info (reader);
      g_assert_cmpint (has_note (reader, "*is subtracted from all counts*"), ==,
                       cases[i].is_changed);
      g_assert_cmpint (info->are_counts, ==, cases[i].type != H5T_IEEE_F64LE);
      tl_reader_read_list (reader, rows, 2, &n_done, raw, NULL, &error);
      g_assert_no_error (error);
      tl_samples_to_float (info->type, raw, 4 * 2 * 7, counts);
      tl_reader_read_fields_list (reader, rows, 2, dark, flat, last, NULL,
                                  &error);
      g_assert_no_error (error);
      for (size_t k = 0; k < 4 * 2 * 7; k++)
        {
          const size_t row = rows[k / 7 % 2], col = k % 7, at = k % 14;
          g_assert_cmpfloat (flat[at] - dark[at], ==, 990);
          g_assert_cmpfloat (counts[k] - dark[at], ==,
                             sample_value (10, k / 14, row, col));
        }
    }
}

/* The same where the darks differ from pixel to pixel, and some modules of the
 * detector have none. */
static void
test_uneven_counts (void)
{
  enum
  {
    N = 5,
    ROWS = 3,
    COLS = 8
  };
  static const size_t rows[] = { 0, 2 };
  guint32 counts[3][N * ROWS * COLS];
  double dark[2 * COLS], flat[2 * COLS], last[2 * COLS];
  float got[N * 2 * COLS];
  size_t n_done = 0;
  g_autoptr (GError) error = NULL;
  g_autoptr (Folder) folder = folder_new ();
  for (guint32 i = 0; i < N * ROWS * COLS; i++)
    {
      const guint32 col = i % COLS, row = i / COLS % ROWS;
      const guint32 level =
          col < 6 ? 0 : 2000000011u + 100000007u * (row + col);
      counts[0][i] = level + 200 + i % 7;
      counts[1][i] = level + 990 + i / COLS / ROWS;
      counts[2][i] = level;
    }
  hid_t file = h5_create (folder, "scan.h5", 0);
  static const char *const names[] = { "data", "data_white", "data_dark" };
  hid_t group =
      H5Gcreate2 (file, "/exchange", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  hid_t space = H5Screate_simple (3, (hsize_t[]){ N, ROWS, COLS }, NULL);
  for (size_t k = 0; k < G_N_ELEMENTS (names); k++)
    {
      hid_t set = H5Dcreate2 (group, names[k], H5T_STD_U32LE, space,
                              H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
      g_assert_cmpint (H5Dwrite (set, H5T_NATIVE_UINT32, H5S_ALL, H5S_ALL,
                                 H5P_DEFAULT, counts[k]),
                       >=, 0);
      H5Dclose (set);
    }
  H5Sclose (space);
  H5Gclose (group);
  H5Fclose (file);
  g_autoptr (TlReader) reader = assert_opens (folder, "scan.h5", NULL);
  g_assert_cmpint (tl_reader_get_info (reader)->type, ==, TL_SAMPLE_F32);
  tl_reader_read_list (reader, rows, 2, &n_done, got, NULL, &error);
  g_assert_no_error (error);
  tl_reader_read_fields_list (reader, rows, 2, dark, flat, last, NULL, &error);
  g_assert_no_error (error);
  for (size_t k = 0; k < N * 2 * COLS; k++)
    {
      const size_t row = rows[k / COLS % 2], p = k / COLS / 2;
      const size_t at = (p * ROWS + row) * COLS + k % COLS;
      g_assert_cmpfloat (flat[k % (2 * COLS)] - dark[k % (2 * COLS)], ==, 992);
      g_assert_cmpfloat (got[k] - dark[k % (2 * COLS)], ==,
                         counts[0][at] - counts[2][at]);
    }
}

/* While a scan grows, its samples must not change: it may have no darks yet. */
static void
test_growing_counts (void)
{
  const TlReaderOptions options = { .grows = TRUE };
  g_autoptr (Folder) folder = folder_new ();
  write_level (folder, H5T_STD_U32LE, H5T_STD_U32LE, 0x1p31);
  g_autoptr (TlReader) reader = assert_opens (folder, "scan.h5", &options);
  g_assert_cmpint (tl_reader_get_info (reader)->type, ==, TL_SAMPLE_U32);
  guint32 counts[4 * 7];
  g_assert_true (tl_reader_read (reader, 0, 1, counts, NULL, NULL));
  for (size_t k = 0; k < 4 * 7; k++)
    g_assert_cmpfloat (counts[k], ==,
                       sample_value (((size_t)1 << 31) + 20, k / 7, 0, k % 7));
}

/* A dataset that cannot grow says how many projections there will be. */
static void
test_likely (void)
{
  const TlReaderOptions options = { .grows = TRUE };
  const H5Shape shape = { .dims = { 13, 5, 17 }, .base = 2 };
  g_autoptr (Folder) folder = folder_new ();
  H5Fclose (write_exchange (folder, "scan.h5", &shape));
  g_autoptr (TlReader) growing = assert_opens (folder, "scan.h5", &options);
  g_autoptr (TlReader) whole = assert_opens (folder, "scan.h5", NULL);
  g_assert_cmpuint (tl_reader_get_info (growing)->n_likely, ==, 13);
  g_assert_cmpuint (tl_reader_get_info (whole)->n_likely, ==, 0);
}

/* What the file has rounded cannot be mended. */
static void
test_rounded_counts (void)
{
  g_autoptr (Folder) folder = folder_new ();
  write_level (folder, H5T_STD_U32LE, H5T_IEEE_F32LE, 0x1p30);
  g_autoptr (TlReader) reader = assert_opens (folder, "scan.h5", NULL);
  g_assert_cmpint (tl_reader_get_info (reader)->type, ==, TL_SAMPLE_U32);
  g_assert_true (has_note (reader, "*rounded*save both as integers*"));
}

static void
test_layouts (void)
{
  const H5Shape shapes[] = {
    { .dims = { 1, 1, 1 }, .base = 1 },
    { .dims = { 13, 5, 17 }, .base = 2, .chunk = { 1, 5, 17 } },
    { .dims = { 13, 5, 17 }, .base = 3, .chunk = { 4, 2, 8 }, .deflate = TRUE },
    { .dims = { 13, 9, 17 },
      .base = 5,
      .chunk = { 1, 9, 17 },
      .deflate = TRUE },
    { .dims = { 13, 5, 17 },
      .type = H5T_STD_U16BE,
      .base = 4,
      .chunk = { 13, 1, 17 } },
  };
  g_autoptr (Folder) folder = folder_new ();
  for (size_t i = 0; i < G_N_ELEMENTS (shapes); i++)
    {
      H5Fclose (write_exchange (folder, "scan.h5", &shapes[i]));
      g_autoptr (TlReader) reader = assert_opens (folder, "scan.h5", NULL);
      assert_samples (reader, shapes[i].base, NULL);
      g_assert_cmpuint (tl_reader_get_block_rows (reader), ==,
                        shapes[i].deflate ? shapes[i].chunk[1] : 1);
    }
}

static void
test_user_block (void)
{
  g_autoptr (Folder) folder = folder_new ();
  hid_t file = h5_create (folder, "scan.h5", 1024);
  h5_write_frames (file, "/exchange/data",
                   &(H5Shape){ .dims = { 3, 2, 5 }, .base = 7 });
  H5Fclose (file);
  g_autoptr (TlReader) reader = assert_opens (folder, "scan.h5", NULL);
  assert_samples (reader, 7, NULL);
}

static void
test_theta (void)
{
  static const double degrees[] = { 10, 55, 100, 145 };
  static const struct
  {
    const char *units;
    double factor;
  } cases[] = { { NULL, 1 },
                { "degrees", 1 },
                { "deg", 1 },
                { "rad", 180 / G_PI },
                { "Radians", 180 / G_PI } };
  g_autoptr (Folder) folder = folder_new ();
  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      double theta[4];
      for (size_t k = 0; k < 4; k++)
        theta[k] = degrees[k] / cases[i].factor;
      hid_t file =
          write_exchange (folder, "scan.h5", &(H5Shape){ .dims = { 4, 1, 3 } });
      h5_write_numbers (file, "/exchange/theta", theta, 4, cases[i].units);
      H5Fclose (file);
      g_autoptr (TlReader) reader = assert_opens (folder, "scan.h5", NULL);
      const TlScanInfo *info = tl_reader_get_info (reader);
      for (size_t k = 0; k < 4; k++)
        g_assert_cmpfloat_with_epsilon (info->angles_deg[k], degrees[k], 1e-9);
      g_assert_nonnull (strstr (info->angles_source, "/exchange/theta"));
    }
}

/* Without a unit theta is in degrees, also where it may be meant in radians.
 * Equal angles tell nothing. */
static void
test_theta_small (void)
{
  static const char *const units[] = { NULL, "", "steps", "degrees" };
  static const double theta[] = { 0, 1, 2, 2.98 };
  g_autoptr (Folder) folder = folder_new ();
  for (size_t i = 0; i < G_N_ELEMENTS (units); i++)
    {
      hid_t file =
          write_exchange (folder, "scan.h5", &(H5Shape){ .dims = { 4, 1, 3 } });
      h5_write_numbers (file, "/exchange/theta", theta, 4, units[i]);
      H5Fclose (file);
      g_autoptr (TlReader) reader = assert_opens (folder, "scan.h5", NULL);
      g_assert_cmpfloat (tl_reader_get_info (reader)->angles_deg[3], ==, 2.98);
      g_assert_true (has_note (reader, "*look like radians*largest is 2.98*")
                     == (i < 2));
      g_assert_true (
          has_note (reader, "*steps, is unknown: taken as degrees; *")
          == (i == 2));
    }
  static const double equal[] = { 5, 5, 5, 5 };
  hid_t file =
      write_exchange (folder, "scan.h5", &(H5Shape){ .dims = { 4, 1, 3 } });
  h5_write_numbers (file, "/exchange/theta", equal, 4, NULL);
  H5Fclose (file);
  g_autoptr (TlReader) reader = assert_opens (folder, "scan.h5", NULL);
  g_assert_true (has_note (reader, "all projections have the same angle*"));
  g_assert_false (has_note (reader, "*look like radians*"));
}

/* Degrees whose unit says radians; the last are turns in radians. */
static void
test_theta_large (void)
{
  static const double last[] = { 90, 177.1875, 360, 3.1, 78.5, 3600 };
  g_autoptr (Folder) folder = folder_new ();
  for (size_t i = 0; i < G_N_ELEMENTS (last); i++)
    {
      const double theta[] = { 0, last[i] / 3, last[i] / 1.5, last[i] };
      hid_t file =
          write_exchange (folder, "scan.h5", &(H5Shape){ .dims = { 4, 1, 3 } });
      h5_write_numbers (file, "/exchange/theta", theta, 4, "rad");
      H5Fclose (file);
      g_autoptr (TlReader) reader = assert_opens (folder, "scan.h5", NULL);
      g_assert_true (has_note (reader, "the angles are taken as radians, but "
                                       "look like degrees*give --angles *")
                     == (i < 3));
    }
}

/* Whose unit says degrees, and whose values go through a turn of radians, or
 * through half of one. */
static void
test_theta_unit (void)
{
  static const struct
  {
    double range;
    gboolean is_odd;
  } cases[] = { { G_PI, TRUE },           { 3.1416, TRUE }, { 2 * G_PI, TRUE },
                { G_PI * 19 / 20, TRUE }, { 180, FALSE },   { 2.5, FALSE } };
  g_autoptr (Folder) folder = folder_new ();
  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      double theta[20];
      for (int k = 0; k < 20; k++)
        theta[k] = -1 + cases[i].range * k / 19;
      hid_t file = write_exchange (folder, "scan.h5",
                                   &(H5Shape){ .dims = { 20, 1, 3 } });
      h5_write_numbers (file, "/exchange/theta", theta, 20, "deg");
      H5Fclose (file);
      g_autoptr (TlReader) reader = assert_opens (folder, "scan.h5", NULL);
      g_assert_true (has_note (reader, "*in degrees according to their unit, "
                                       "but look like radians*give --angles *")
                     == cases[i].is_odd);
    }
}

static void
test_theta_missing (void)
{
  g_autoptr (Folder) folder = folder_new ();
  H5Fclose (
      write_exchange (folder, "scan.h5", &(H5Shape){ .dims = { 4, 1, 3 } }));
  g_autoptr (TlReader) reader = assert_opens (folder, "scan.h5", NULL);
  const TlScanInfo *info = tl_reader_get_info (reader);
  for (size_t k = 0; k < 4; k++)
    g_assert_cmpfloat (info->angles_deg[k], ==, 45.0 * (double)k);
  g_assert_true (g_str_has_prefix (info->angles_source, "assumed"));
  g_assert_true (has_note (reader, "*assumed*give --angles FIRST:LAST*"));
}

static void
test_theta_count (void)
{
  static const double theta[] = { 0, 60, 120 };
  const TlReaderOptions given = { .has_angles = TRUE, .angles_deg = { 5, 50 } };
  g_autoptr (Folder) folder = folder_new ();
  for (hsize_t n = 1; n <= 3; n += 2)
    {
      hid_t file =
          write_exchange (folder, "scan.h5", &(H5Shape){ .dims = { 2, 1, 3 } });
      h5_write_numbers (file, "/exchange/theta", theta, n, NULL);
      H5Fclose (file);
      if (n == 1)
        assert_refuses (folder, "scan.h5", NULL, TL_ERROR_ANGLES,
                        "scan.h5: 1 angles*2 projections*--angles *");
      else
        {
          g_autoptr (TlReader) reader = assert_opens (folder, "scan.h5", NULL);
          g_assert_cmpfloat (tl_reader_get_info (reader)->angles_deg[1], ==,
                             60);
          g_assert_true (has_note (reader, "3 angles*first 2 angles*"));
        }
      g_autoptr (TlReader) reader = assert_opens (folder, "scan.h5", &given);
      g_assert_cmpfloat (tl_reader_get_info (reader)->angles_deg[1], ==, 50);
      g_assert_false (has_note (reader, "*3 angles*"));
    }
}

/* A list that begins with the angles of the flats or of the darks alone is not
 * that of a scan that was not finished. */
static void
test_theta_still (void)
{
  static const struct
  {
    size_t n_extra;
    double first; /* of the projections */
    gboolean is_right;
  } cases[] = {
    { 1, 0, TRUE }, { 2, 0, TRUE }, { 3, 0, TRUE }, { 2, 30, FALSE }
  };
  g_autoptr (Folder) folder = folder_new ();
  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const size_t n_extra = cases[i].n_extra;
      double theta[9] = { 0 };
      for (size_t k = 0; k < 6; k++)
        theta[n_extra + k] = cases[i].first + 30.0 * (double)k;
      hid_t file =
          write_exchange (folder, "scan.h5", &(H5Shape){ .dims = { 6, 1, 3 } });
      h5_write_numbers (file, "/exchange/theta", theta, 6 + n_extra, NULL);
      H5Fclose (file);
      if (!cases[i].is_right)
        {
          assert_refuses (folder, "scan.h5", NULL, TL_ERROR_ANGLES,
                          "scan.h5: 8 angles*6 projections*--angles *");
          continue;
        }
      g_autoptr (TlReader) reader = assert_opens (folder, "scan.h5", NULL);
      for (size_t k = 0; k < 6; k++)
        g_assert_cmpfloat (tl_reader_get_info (reader)->angles_deg[k], ==,
                           30.0 * (double)k);
      g_assert_false (has_note (reader, "*not finished*"));
    }
}

/* A list with the angles of flats and darks at both ends. The stage may have
 * moved on before those at one end, or at both. */
static void
test_theta_ends (void)
{
  static const struct
  {
    hsize_t n_flats, n_darks;
    size_t n_before, n_after;
    double before, after;
    gboolean is_right;
  } cases[] = {
    { 2, 2, 2, 2, 0, 150, TRUE },  { 2, 2, 2, 2, 0, 180, TRUE },
    { 2, 2, 2, 2, 0, 0, TRUE },    { 2, 2, 2, 2, -3, 150, TRUE },
    { 2, 2, 2, 2, -3, 200, TRUE }, { 4, 5, 2, 2, 0, 180, TRUE },
    { 5, 4, 2, 2, 0, 150, TRUE },  { 3, 2, 2, 2, 0, 180, FALSE },
    { 3, 2, 2, 2, 0, 150, FALSE }, { 3, 2, 1, 12, 0, 180, FALSE },
  };
  g_autoptr (Folder) folder = folder_new ();
  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const size_t n_before = cases[i].n_before, n_after = cases[i].n_after;
      double theta[20] = { 0 };
      for (size_t k = 0; k < n_before; k++)
        theta[k] = cases[i].before;
      for (size_t k = 0; k < 6; k++)
        theta[n_before + k] = 30.0 * (double)k;
      for (size_t k = 0; k < n_after; k++)
        theta[n_before + 6 + k] = cases[i].after;
      hid_t file = h5_create (folder, "scan.h5", 0);
      h5_write_frames (file, "/exchange/data",
                       &(H5Shape){ .dims = { 6, 1, 3 } });
      h5_write_frames (file, "/exchange/data_white",
                       &(H5Shape){ .dims = { cases[i].n_flats, 1, 3 } });
      h5_write_frames (file, "/exchange/data_dark",
                       &(H5Shape){ .dims = { cases[i].n_darks, 1, 3 } });
      h5_write_numbers (file, "/exchange/theta", theta, 6 + n_before + n_after,
                        NULL);
      H5Fclose (file);
      g_test_message ("case %zu", i);
      if (!cases[i].is_right)
        {
          assert_refuses (folder, "scan.h5", NULL, TL_ERROR_ANGLES,
                          "scan.h5: *angles*6 projections*--angles *");
          continue;
        }
      g_autoptr (TlReader) reader = assert_opens (folder, "scan.h5", NULL);
      for (size_t k = 0; k < 6; k++)
        g_assert_cmpfloat (tl_reader_get_info (reader)->angles_deg[k], ==,
                           30.0 * (double)k);
      g_assert_true (has_note (reader, "*taken as flats and darks*"));
      g_assert_false (has_note (reader, "*not finished*"));
    }
}

static void
test_pixel_size (void)
{
  static const struct
  {
    const char *units;
    double value, want_um;
  } cases[] = { { "um", 1.5, 1.5 }, { "microns", 2, 2 }, { "mm", 0.003, 3 },
                { "m", 4e-6, 4 },   { NULL, 5e-6, 5 },   { "parsec", 6, 0 } };
  g_autoptr (Folder) folder = folder_new ();
  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      hid_t file =
          write_exchange (folder, "scan.h5", &(H5Shape){ .dims = { 4, 1, 3 } });
      h5_write_numbers (file, "/measurement/instrument/detector/x_pixel_size",
                        &cases[i].value, 1, cases[i].units);
      H5Fclose (file);
      g_autoptr (TlReader) reader = assert_opens (folder, "scan.h5", NULL);
      g_assert_cmpfloat_with_epsilon (
          tl_reader_get_info (reader)->pixel_size_um, cases[i].want_um, 1e-9);
    }
}

static void
test_shapes (void)
{
  g_autoptr (Folder) folder = folder_new ();
  hid_t file = h5_create (folder, "scan.h5", 0);
  h5_write_frames (file, "/exchange/data", &(H5Shape){ .dims = { 4, 12, 64 } });
  h5_write_frames (file, "/exchange/data_white",
                   &(H5Shape){ .dims = { 2, 10, 64 } });
  H5Fclose (file);
  assert_refuses (folder, "scan.h5", NULL, TL_ERROR_SHAPE,
                  "scan.h5: flats are 10 x 64 pixels but projections 12 x 64; "
                  "name others of the same size with --flats-path");
  double one = 1;
  file = h5_create (folder, "line.h5", 0);
  h5_write_numbers (file, "/exchange/data", &one, 1, NULL);
  H5Fclose (file);
  assert_refuses (folder, "line.h5", NULL, TL_ERROR_SHAPE,
                  "line.h5: *1 dimensions*");
}

/* The file claims one projection too many, and has none. */
static void
test_too_many (void)
{
  g_autoptr (Folder) folder = folder_new ();
  H5Fclose (write_exchange (folder, "scan.h5",
                            &(H5Shape){ .dims = { TL_MAX_FRAMES + 1, 1, 1 },
                                        .chunk = { 1, 1, 1 },
                                        .is_empty = TRUE }));
  assert_refuses (folder, "scan.h5", NULL, TL_ERROR_SHAPE,
                  "scan.h5: it declares 4194305 images, more than the 4194304 "
                  "that can be read; the file may be damaged");
}

/* A few kilobytes may claim more samples than can be counted. */
static void
test_uncountable (void)
{
  static const hsize_t dims[][3] = {
    { (hsize_t)1 << 62, 1, 1 },
    { 1, 1, (hsize_t)1 << 62 },
    { 2, (hsize_t)1 << 40, (hsize_t)1 << 40 },
  };
  for (guint k = 0; k < G_N_ELEMENTS (dims); k++)
    {
      g_autoptr (Folder) folder = folder_new ();
      hid_t file = h5_create (folder, "scan.h5", 0);
      h5_write_frames (
          file, "/exchange/data",
          &(H5Shape){ .dims = { dims[k][0], dims[k][1], dims[k][2] },
                      .chunk = { 1, 1, 1 },
                      .is_empty = TRUE });
      H5Fclose (file);
      assert_refuses (
          folder, "scan.h5", NULL, TL_ERROR_SHAPE,
          "scan.h5: it declares *, more than *; the file may be damaged");
    }
}

static void
test_no_scan (void)
{
  g_autoptr (Folder) folder = folder_new ();
  H5Fclose (h5_create (folder, "other.h5", 0));
  assert_refuses (folder, "other.h5", NULL, TL_ERROR_FORMAT,
                  "other.h5: no scan*Data Exchange, NXtomo, *");
}

static void
test_truncated (void)
{
  g_autoptr (Folder) folder = folder_new ();
  H5Fclose (
      write_exchange (folder, "scan.h5", &(H5Shape){ .dims = { 9, 9, 99 } }));
  folder_truncate (folder, "scan.h5", 0.6);
  assert_refuses (folder, "scan.h5", NULL, TL_ERROR_FILE,
                  "scan.h5: cannot be opened as HDF5: only * of its * bytes "
                  "are there; copy it again*");
}

/* NULL in programs without the leak sanitizer. */
void __lsan_disable (void) __attribute__ ((weak));
void __lsan_enable (void) __attribute__ ((weak));

/* A file whose writer was killed, and whose first group is damaged, is refused
 * soon, although HDF5 waits for a writer that may be changing the group. It
 * does not free all that it has read of the group. */
static void
test_damaged_unfinished (void)
{
  g_autoptr (Folder) folder = folder_new ();
  g_autofree char *whole = folder_path (folder, "whole.h5");
  g_autofree char *path = folder_path (folder, "scan.h5");
  g_autofree char *bytes = NULL;
  gsize size;
  guint64 root;
  hid_t access = H5Pcreate (H5P_FILE_ACCESS);
  H5Pset_libver_bounds (access, H5F_LIBVER_V110, H5F_LIBVER_V110);
  hid_t file = H5Fcreate (whole, H5F_ACC_TRUNC, H5P_DEFAULT, access);
  h5_write_frames (
      file, "/exchange/data",
      &(H5Shape){ .dims = { 4, 3, 7 }, .chunk = { 1, 3, 7 }, .base = 1 });
  g_assert_cmpint (H5Fstart_swmr_write (file), >=, 0);
  /* a copy of the file as it is while its writer runs */
  g_assert_true (g_file_get_contents (whole, &bytes, &size, NULL));
  H5Fclose (file);
  H5Pclose (access);
  g_assert_true (g_file_set_contents (path, bytes, (gssize)size, NULL));
  tl_reader_close (assert_opens (folder, "scan.h5", NULL));
  /* where the superblock says that the first group is, past its signature */
  memcpy (&root, bytes + 36, sizeof root);
  bytes[GUINT64_FROM_LE (root) + 8] ^= 0x55;
  g_assert_true (g_file_set_contents (path, bytes, (gssize)size, NULL));
  const gint64 begin_us = g_get_monotonic_time ();
  H5garbage_collect (); /* or HDF5 takes memory that it had before */
  if (__lsan_disable != NULL)
    __lsan_disable ();
  assert_refuses (folder, "scan.h5", NULL, TL_ERROR_FORMAT, "scan.h5: *");
  g_assert_null (tl_hdf5_find_text (path, "/exchange/title"));
  if (__lsan_enable != NULL)
    __lsan_enable ();
  g_assert_cmpint (g_get_monotonic_time () - begin_us, <, 20 * G_USEC_PER_SEC);
}

/* The reader finds what the phantom has written. */
static void
test_phantom (void)
{
  g_autoptr (Folder) folder = folder_new ();
  g_autofree char *path = folder_path (folder, "phantom.h5");
  g_autoptr (GError) error = NULL;
  TlPhantomScan scan;
  tl_phantom_scan_init (&scan, 31, 3, 37);
  scan.angles_deg[0] = -20;
  scan.angles_deg[1] = 160;
  scan.end_point = TRUE;
  scan.pixel_size_um = 1.25;
  scan.n_flats = 4;
  scan.n_darks = 3;
  tl_phantom_write_scan (path, &scan, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  const TlReaderOptions patterns = { .flats = "open_*" };
  g_autoptr (TlReader) named = assert_opens (folder, "phantom.h5", &patterns);
  g_assert_true (has_note (named, "patterns for * are not used: an HDF5 *"));
  g_autoptr (TlReader) reader = assert_opens (folder, "phantom.h5", NULL);
  g_assert_false (has_note (reader, "*not used*"));
  const TlScanInfo *info = tl_reader_get_info (reader);
  g_assert_cmpuint (info->n_projections, ==, 31);
  g_assert_cmpuint (info->n_rows, ==, 3);
  g_assert_cmpuint (info->n_cols, ==, 37);
  g_assert_cmpuint (info->n_flats, ==, 4);
  g_assert_cmpuint (info->n_darks, ==, 3);
  g_assert_cmpint (info->type, ==, TL_SAMPLE_U16);
  g_assert_cmpfloat_with_epsilon (info->pixel_size_um, 1.25, 1e-9);
  g_assert_cmpfloat_with_epsilon (info->angles_deg[0], -20, 1e-9);
  g_assert_cmpfloat_with_epsilon (info->angles_deg[30], 160, 1e-9);
  g_assert_true (has_note (reader, "*180 degrees*mirror image"));
}

/* The images of scan.h5 are in part.h5. */
static void
write_virtual (Folder *folder)
{
  const hsize_t dims[] = { 3, 2, 4 };
  hid_t file = h5_create (folder, "scan.h5", 0);
  hid_t group =
      H5Gcreate2 (file, "/exchange", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  hid_t space = H5Screate_simple (3, dims, NULL);
  hid_t plist = H5Pcreate (H5P_DATASET_CREATE);
  H5Pset_virtual (plist, space, "part.h5", "/data", space);
  H5Dclose (H5Dcreate2 (group, "data", H5T_NATIVE_UINT16, space, H5P_DEFAULT,
                        plist, H5P_DEFAULT));
  H5Pclose (plist);
  H5Sclose (space);
  H5Gclose (group);
  H5Fclose (file);
}

static void
write_part (Folder *folder, const char *name, hsize_t n_frames)
{
  hid_t file = h5_create (folder, name, 0);
  h5_write_frames (file, "/data",
                   &(H5Shape){ .dims = { n_frames, 2, 4 }, .base = 6 });
  H5Fclose (file);
}

/* Writes @bytes over those of the first global heap in the file, from @at on
 * behind the head of the heap. */
static void
damage_heap (const char *path, size_t at, const guint8 *damage, size_t n)
{
  g_autofree char *bytes = NULL;
  gsize size;
  g_assert_true (g_file_get_contents (path, &bytes, &size, NULL));
  char *heap = memmem (bytes, size, "GCOL", 4);
  g_assert_nonnull (heap);
  memcpy (heap + 16 + at, damage, n);
  g_assert_true (g_file_set_contents (path, bytes, (gssize)size, NULL));
}

/* HDF5 never ends with a heap of which a page was not written, or reads beyond
 * its memory; the rest of such a file is read, and no virtual dataset. */
static void
test_damaged_heap (void)
{
  static const guint8 nothing[4080],
      most[8] = { 0xf0, 255, 255, 255, 255, 255, 255, 255 };
  static const guint8 long_text[8] = { 0, 32 };
  const struct
  {
    size_t at;
    const guint8 *bytes;
    size_t n;
  } damages[] = {
    { 0, nothing, sizeof nothing },       /* a free object of size 0 */
    { 8, most, sizeof most },             /* with its head it has size 0 */
    { 8, long_text, sizeof long_text },   /* more than the heap */
    { 24, nothing, sizeof nothing - 24 }, /* all but the first object */
  };
  for (size_t i = 0; i < G_N_ELEMENTS (damages); i++)
    {
      g_autoptr (Folder) folder = folder_new ();
      g_autofree char *path = folder_path (folder, "scan.h5");
      const H5Shape shape = { .dims = { 4, 3, 7 }, .base = 1 };
      hid_t file = write_exchange (folder, "scan.h5", &shape);
      g_assert_true (tl_hdf5_write_text (file, "/exchange/title", "A title"));
      H5Fclose (file);
      g_autofree char *title = tl_hdf5_find_text (path, "/exchange/title");
      g_assert_cmpstr (title, ==, "A title");
      damage_heap (path, damages[i].at, damages[i].bytes, damages[i].n);
      alarm (20);
      g_assert_null (tl_hdf5_find_text (path, "/exchange/title"));
      tl_reader_close (assert_opens (folder, "scan.h5", NULL));
      write_virtual (folder);
      write_part (folder, "part.h5", 3);
      tl_reader_close (assert_opens (folder, "scan.h5", NULL));
      damage_heap (path, damages[i].at, damages[i].bytes, damages[i].n);
      assert_refuses (folder, "scan.h5", NULL, TL_ERROR_FILE,
                      "scan.h5: \"/exchange/data\" cannot be opened; *");
      alarm (0);
    }
}

static void
declare (hid_t file, const char *path, hid_t type, hsize_t n)
{
  hid_t space = H5Screate_simple (1, &n, NULL);
  hid_t made = H5Pcreate (H5P_LINK_CREATE);
  H5Pset_create_intermediate_group (made, TRUE);
  hid_t data =
      H5Dcreate2 (file, path, type, space, made, H5P_DEFAULT, H5P_DEFAULT);
  g_assert_cmpint (data, >=, 0);
  H5Dclose (data);
  H5Pclose (made);
  H5Sclose (space);
}

/* HDF5 gives zeros for what a file declares and does not have: 8 GiB of numbers
 * in 10 KB, or a text of 2 GiB. */
static void
test_only_declared (void)
{
  static const struct
  {
    const char *path;
    gboolean refuses;
  } lists[] = {
    { "/exchange/theta", TRUE },
    { "/measurement/instrument/detector/x_pixel_size", FALSE },
  };
  hid_t text = H5Tcopy (H5T_C_S1);
  H5Tset_size (text, G_MAXINT32);
  const size_t before = restart_peak_memory ();
  for (size_t i = 0; i < G_N_ELEMENTS (lists); i++)
    {
      g_autoptr (Folder) folder = folder_new ();
      g_autofree char *path = folder_path (folder, "scan.h5");
      hid_t file = write_exchange (
          folder, "scan.h5", &(H5Shape){ .dims = { 4, 3, 7 }, .base = 1 });
      declare (file, lists[i].path, H5T_NATIVE_DOUBLE, (hsize_t)1 << 30);
      declare (file, "/exchange/title", text, 1);
      H5Fclose (file);
      if (lists[i].refuses)
        assert_refuses (folder, "scan.h5", NULL, TL_ERROR_SHAPE,
                        "scan.h5: \"*\" declares 1073741824 numbers, more *");
      else
        {
          g_autoptr (TlReader) reader = assert_opens (folder, "scan.h5", NULL);
          g_assert_true (has_note (reader, "the pixel size cannot be read*"));
        }
      g_assert_null (tl_hdf5_find_text (path, "/exchange/title"));
    }
  H5Tclose (text);
  g_assert_cmpuint (get_peak_memory () - before, <, 256 << 20);
}

/* One compressed chunk of @side samples along each axis, of which only the
 * first 32 bytes are stored. */
static void
write_short_chunk (hid_t file, const char *path, hid_t type, int n_dims,
                   const hsize_t *dims, hsize_t side, gboolean has_checksums)
{
  static const guint8 bytes[32] = { 1, 2, 3, 4 };
  guint8 stored[64];
  uLongf n_stored = sizeof stored;
  const hsize_t chunk[] = { side, side, side }, at[3] = { 0 },
                most[] = { H5S_UNLIMITED, H5S_UNLIMITED, H5S_UNLIMITED };
  hid_t space = H5Screate_simple (n_dims, dims, most);
  hid_t made = H5Pcreate (H5P_DATASET_CREATE),
        links = H5Pcreate (H5P_LINK_CREATE);

  H5Pset_create_intermediate_group (links, TRUE);
  H5Pset_chunk (made, n_dims, chunk);
  H5Pset_deflate (made, 1);
  if (has_checksums)
    H5Pset_fletcher32 (made);
  hid_t data = H5Dcreate2 (file, path, type, space, links, made, H5P_DEFAULT);
  g_assert_cmpint (data, >=, 0);
  compress (stored, &n_stored, bytes, sizeof bytes);
  /* bit 1: without a checksum */
  g_assert_cmpint (H5Dwrite_chunk (data, H5P_DEFAULT, has_checksums ? 2 : 0, at,
                                   n_stored, stored),
                   >=, 0);
  H5Dclose (data);
  H5Pclose (links);
  H5Pclose (made);
  H5Sclose (space);
}

static void
replace_by_short_chunk (hid_t file, const char *path, hid_t type, int n_dims,
                        const hsize_t *dims, hsize_t side,
                        gboolean has_checksums)
{
  H5Ldelete (file, path, H5P_DEFAULT);
  write_short_chunk (file, path, type, n_dims, dims, side, has_checksums);
}

/* HDF5 1.10 copies from beyond the memory of a chunk that inflates to less than
 * the dataset says. */
static void
test_short_chunk (void)
{
  static const hsize_t dims[] = { 4, 3, 7 }, many[] = { 1 << 20 };
  const H5Shape shape = { .dims = { 4, 3, 7 }, .base = 1 };
  guint16 samples[4 * 3 * 7];

  for (int has_checksums = 0; has_checksums < 2; has_checksums++)
    {
      g_autoptr (Folder) folder = folder_new ();
      g_autoptr (GError) error = NULL;
      hid_t file = write_exchange (folder, "scan.h5", &shape);
      replace_by_short_chunk (file, "/exchange/data", H5T_NATIVE_UINT16, 3,
                              dims, 1 << 10, has_checksums);
      H5Fclose (file);
      g_autoptr (TlReader) reader = assert_opens (folder, "scan.h5", NULL);
      g_assert_false (tl_reader_read_frames (reader, TL_FRAMES_PROJECTIONS, 0,
                                             4, 0, 3, samples, &error));
      g_assert_error (error, TL_ERROR, TL_ERROR_FILE);
      g_assert_nonnull (strstr (error->message, "cannot be read"));
      g_assert_null (strstr (error->message, "HDF5 says"));
    }
  g_autoptr (Folder) folder = folder_new ();
  g_autofree char *path = folder_path (folder, "scan.h5");
  hid_t text = H5Tcopy (H5T_C_S1);
  H5Tset_size (text, 1 << 24);
  hid_t file = write_exchange (folder, "scan.h5", &shape);
  write_short_chunk (file, "/exchange/title", text, 1, (hsize_t[]){ 1 }, 1,
                     FALSE);
  replace_by_short_chunk (file, "/exchange/theta", H5T_NATIVE_DOUBLE, 1, many,
                          1 << 20, FALSE);
  H5Fclose (file);
  H5Tclose (text);
  g_assert_null (tl_hdf5_find_text (path, "/exchange/title"));
  assert_refuses (folder, "scan.h5", NULL, TL_ERROR_FILE,
                  "scan.h5: \"/exchange/theta\" cannot be read*");
}

/* A number for which HDF5 would inflate 4 GB is not read. */
static void
test_large_chunk (void)
{
  const H5Shape shape = { .dims = { 4, 3, 7 }, .base = 1 };
  g_autoptr (Folder) folder = folder_new ();
  hid_t file = write_exchange (folder, "scan.h5", &shape);

  write_short_chunk (file, "/measurement/instrument/detector/x_pixel_size",
                     H5T_NATIVE_DOUBLE, 1, (hsize_t[]){ 1 }, (1 << 29) - 1,
                     FALSE);
  H5Fclose (file);
  g_autoptr (TlReader) reader = assert_opens (folder, "scan.h5", NULL);
  g_assert_true (has_note (reader,
                           "the pixel size cannot be read*a chunk "
                           "inflates to more than this program reads*"));
}

/* A file that this program cannot read is not called damaged. */
static void
test_deflated_twice (void)
{
  static const hsize_t dims[] = { 4, 3, 7 };
  static const guint16 written[4 * 3 * 7];
  guint16 samples[4 * 3 * 7];
  g_autoptr (Folder) folder = folder_new ();
  g_autoptr (GError) error = NULL;
  hid_t file = write_exchange (folder, "scan.h5",
                               &(H5Shape){ .dims = { 4, 3, 7 }, .base = 1 });
  hid_t space = H5Screate_simple (3, dims, NULL);
  hid_t made = H5Pcreate (H5P_DATASET_CREATE);
  H5Pset_chunk (made, 3, dims);
  H5Pset_deflate (made, 1);
  H5Pset_deflate (made, 1);
  H5Ldelete (file, "/exchange/data", H5P_DEFAULT);
  hid_t data = H5Dcreate2 (file, "/exchange/data", H5T_NATIVE_UINT16, space,
                           H5P_DEFAULT, made, H5P_DEFAULT);
  g_assert_cmpint (H5Dwrite (data, H5T_NATIVE_UINT16, H5S_ALL, H5S_ALL,
                             H5P_DEFAULT, written),
                   >=, 0);
  H5Dclose (data);
  H5Pclose (made);
  H5Sclose (space);
  H5Fclose (file);
  g_autoptr (TlReader) reader = assert_opens (folder, "scan.h5", NULL);
  g_assert_false (tl_reader_read_frames (reader, TL_FRAMES_PROJECTIONS, 0, 4, 0,
                                         3, samples, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_FILE);
  g_assert_nonnull (strstr (error->message, "compressed twice"));
  g_assert_null (strstr (error->message, "damaged"));
}

/* One chunk of twice as many bytes as the dataset says, in place of the frames
 * of @shape: some writers fill up a chunk. */
static void
replace_by_larger_chunk (hid_t file, const H5Shape *shape, gboolean deflate,
                         gboolean has_checksums)
{
  enum
  {
    SIDE = 8
  };
  static const hsize_t chunk[] = { SIDE, SIDE, SIDE }, at[3] = { 0 },
                       most[] = { H5S_UNLIMITED, H5S_UNLIMITED, H5S_UNLIMITED };
  guint16 samples[2][SIDE][SIDE][SIDE] = { 0 };
  guint8 stored[2 * sizeof samples];
  uLongf n_stored = sizeof samples;
  for (hsize_t f = 0; f < shape->dims[0]; f++)
    for (hsize_t y = 0; y < shape->dims[1]; y++)
      for (hsize_t x = 0; x < shape->dims[2]; x++)
        samples[0][f][y][x] = (guint16)sample_value (shape->base, f, y, x);
  memcpy (stored, samples, sizeof samples);
  if (deflate)
    {
      n_stored = sizeof stored;
      compress (stored, &n_stored, (const Bytef *)samples, sizeof samples);
    }
  hid_t space = H5Screate_simple (3, shape->dims, most);
  hid_t made = H5Pcreate (H5P_DATASET_CREATE);
  H5Pset_chunk (made, 3, chunk);
  if (deflate)
    H5Pset_deflate (made, 1);
  if (has_checksums)
    H5Pset_fletcher32 (made);
  H5Ldelete (file, "/exchange/data", H5P_DEFAULT);
  hid_t data = H5Dcreate2 (file, "/exchange/data", H5T_NATIVE_UINT16, space,
                           H5P_DEFAULT, made, H5P_DEFAULT);
  /* without a checksum, which is the last filter */
  const guint32 skipped = !has_checksums ? 0 : deflate ? 2 : 1;
  g_assert_cmpint (
      H5Dwrite_chunk (data, H5P_DEFAULT, skipped, at, n_stored, stored), >=, 0);
  H5Dclose (data);
  H5Pclose (made);
  H5Sclose (space);
}

/* HDF5 uses the beginning of such a chunk. */
static void
test_larger_chunk (void)
{
  static const struct
  {
    gboolean deflate, has_checksums;
  } cases[] = { { TRUE, FALSE }, { TRUE, TRUE }, { FALSE, TRUE } };
  const H5Shape shape = { .dims = { 4, 3, 7 }, .base = 1 };
  for (size_t k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      g_autoptr (Folder) folder = folder_new ();
      hid_t file = write_exchange (folder, "scan.h5", &shape);
      replace_by_larger_chunk (file, &shape, cases[k].deflate,
                               cases[k].has_checksums);
      H5Fclose (file);
      g_autoptr (TlReader) reader = assert_opens (folder, "scan.h5", NULL);
      assert_samples (reader, 1, NULL);
    }
}

/* What HDF5 reads takes little memory beside the samples: 4 MB of them in
 * another byte order. */
static void
test_little_memory (void)
{
  const H5Shape shape = { .dims = { 64, 128, 256 },
                          .type = H5T_STD_U16BE,
                          .base = 1,
                          .chunk = { 1, 128, 256 },
                          .deflate = TRUE };
  const size_t n_samples = shape.dims[0] * shape.dims[1] * shape.dims[2];
  g_autofree guint16 *samples = g_new0 (guint16, n_samples);
  g_autoptr (Folder) folder = folder_new ();
  H5Fclose (write_exchange (folder, "scan.h5", &shape));
  g_autoptr (TlReader) reader = assert_opens (folder, "scan.h5", NULL);
  const size_t before = restart_peak_memory ();
  g_assert_true (tl_reader_read_frames (reader, TL_FRAMES_PROJECTIONS, 0,
                                        shape.dims[0], 0, shape.dims[1],
                                        samples, NULL));
  g_assert_cmpuint (get_peak_memory () - before, <, 64 << 20);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
/* Returns: bytes */
static rlim_t
get_address_space (void)
{
  g_autofree char *pages = NULL;
  g_assert_true (g_file_get_contents ("/proc/self/statm", &pages, NULL, NULL));
  return (rlim_t)g_ascii_strtoull (pages, NULL, 10)
         * (rlim_t)sysconf (_SC_PAGESIZE);
}
#endif

/* A chunk for which there is no memory is not called damaged. */
static void
test_no_memory (void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  g_test_skip ("sanitizers reserve more memory than any limit");
#else
  static const hsize_t dims[] = { 1, 6 << 10, 4 << 10 };
  const size_t n_samples = dims[1] * dims[2];
  g_autoptr (Folder) folder = folder_new ();
  g_autoptr (GError) error = NULL;
  struct rlimit before;
  guint16 row[4 << 10];
  hid_t file = write_exchange (folder, "scan.h5",
                               &(H5Shape){ .dims = { 1, 3, 7 }, .base = 1 });
  hid_t space = H5Screate_simple (3, dims, NULL);
  hid_t made = H5Pcreate (H5P_DATASET_CREATE);
  H5Pset_chunk (made, 3, dims);
  H5Pset_deflate (made, 0);
  H5Pset_fletcher32 (made);
  H5Ldelete (file, "/exchange/data", H5P_DEFAULT);
  hid_t data = H5Dcreate2 (file, "/exchange/data", H5T_NATIVE_UINT16, space,
                           H5P_DEFAULT, made, H5P_DEFAULT);
  guint16 *samples = g_new0 (guint16, n_samples);
  g_assert_cmpint (H5Dwrite (data, H5T_NATIVE_UINT16, H5S_ALL, H5S_ALL,
                             H5P_DEFAULT, samples),
                   >=, 0);
  g_free (samples);
  H5Dclose (data);
  H5Pclose (made);
  H5Sclose (space);
  H5Ldelete (file, "/exchange/data_white", H5P_DEFAULT);
  H5Ldelete (file, "/exchange/data_dark", H5P_DEFAULT);
  H5Fclose (file);
  g_autoptr (TlReader) reader = assert_opens (folder, "scan.h5", NULL);
  getrlimit (RLIMIT_AS, &before);
  const struct rlimit limit = { get_address_space () + ((rlim_t)32 << 20),
                                before.rlim_max };
  setrlimit (RLIMIT_AS, &limit);
  const gboolean is_read = tl_reader_read_frames (reader, TL_FRAMES_PROJECTIONS,
                                                  0, 1, 0, 1, row, &error);
  setrlimit (RLIMIT_AS, &before);
  g_assert_false (is_read);
  g_test_message ("%s", error->message);
  g_assert_error (error, TL_ERROR, TL_ERROR_MEMORY);
  g_assert_null (strstr (error->message, "damaged"));
#endif
}

static void
test_virtual_source (void)
{
  g_autoptr (Folder) folder = folder_new ();
  write_virtual (folder);
  assert_refuses (folder, "scan.h5", NULL, TL_ERROR_FILE,
                  "scan.h5: 1 file with its projections is not there: "
                  "part.h5; copy it to *");
  write_part (folder, "part.h5", 3);
  g_autoptr (TlReader) reader = assert_opens (folder, "scan.h5", NULL);
  assert_samples (reader, 6, NULL);
}

/* Another process may write the file, a file behind a link and the source of a
 * virtual dataset while the scan is open. */
static void
test_writer (void)
{
  static const char *const names[] = { "scan.h5", "part.h5", "white.h5" };
  static const char variable[] = "TOMOLENS_TEST_FILE";
  if (g_test_subprocess ())
    {
      hid_t file =
          H5Fopen (g_getenv (variable), H5F_ACC_RDWR, H5P_FILE_ACCESS_DEFAULT);
      g_assert_cmpint (file, >=, 0);
      g_assert_cmpint (H5Fclose (file), >=, 0);
      return;
    }
  g_autoptr (Folder) folder = folder_new ();
  write_virtual (folder);
  write_part (folder, "part.h5", 3);
  write_part (folder, "white.h5", 1);
  g_autofree char *scan = folder_path (folder, "scan.h5");
  hid_t file = H5Fopen (scan, H5F_ACC_RDWR, H5P_DEFAULT);
  H5Lcreate_external ("white.h5", "/data", file, "/exchange/data_white",
                      H5P_DEFAULT, H5P_DEFAULT);
  H5Fclose (file);
  g_autoptr (TlReader) reader = assert_opens (folder, "scan.h5", NULL);
  g_assert_cmpuint (tl_reader_get_info (reader)->n_flats, ==, 1);
  assert_samples (reader, 6, NULL);
  for (size_t i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = folder_path (folder, names[i]);
      g_setenv (variable, path, TRUE);
      g_test_trap_subprocess (NULL, 0, 0);
      g_test_trap_assert_passed ();
    }
  assert_samples (reader, 6, NULL);
}

static const double keys[13] = { 2, 1, 0, 0, 0, 1 };
static const size_t keyed[] = { 2, 3, 4, 6, 7, 8, 9, 10, 11, 12 };

static void
write_packed (Folder *folder, const char *name, size_t base,
              hsize_t n_numbers_before)
{
  g_autofree double *numbers = g_new0 (double, n_numbers_before);
  hid_t file = h5_create (folder, name, 0);
  if (n_numbers_before > 0)
    h5_write_numbers (file, "/before", numbers, n_numbers_before, NULL);
  h5_write_numbers (file, "/keys", keys, 13, NULL);
  h5_write_frames (file, "/exchange/data",
                   &(H5Shape){ .dims = { 13, 9, 17 },
                               .base = base,
                               .chunk = { 1, 9, 17 },
                               .deflate = TRUE });
  H5Fclose (file);
}

/* Another program changes the file: what was known of it is wrong, and it is
 * opened again. */
static void
test_changed (void)
{
  static const TlReaderOptions options[] = { { 0 }, { .keys_path = "/keys" } };
  for (size_t i = 0; i < G_N_ELEMENTS (options); i++)
    {
      const size_t *frames = i == 0 ? NULL : keyed;
      g_autoptr (Folder) folder = folder_new ();
      write_packed (folder, "scan.h5", 2, 0);
      write_packed (folder, "later.h5", 3, 5000);
      g_autofree char *path = folder_path (folder, "scan.h5");
      g_autofree char *later = folder_path (folder, "later.h5");
      g_autofree char *bytes = NULL;
      gsize n;
      g_autoptr (TlReader) reader =
          assert_opens (folder, "scan.h5", &options[i]);
      assert_samples (reader, 2, frames);
      g_assert_true (g_file_get_contents (later, &bytes, &n, NULL));
      FILE *file = g_fopen (path, "r+");
      g_assert_cmpuint (fwrite (bytes, 1, n, file), ==, n);
      g_assert_cmpint (fclose (file), ==, 0);
      assert_samples (reader, 3, frames);

      /* There is nothing to go on with: the first reason is told. */
      g_autoptr (GError) error = NULL;
      guint16 row[13 * 17];
      g_assert_cmpint (truncate (path, 100), ==, 0);
      g_assert_false (tl_reader_read (reader, 0, 1, row, NULL, &error));
      g_assert_error (error, TL_ERROR, TL_ERROR_FILE);
      g_assert_nonnull (strstr (error->message, "scan.h5: "));
    }
}

/* Reads one row of many frames with the reader and with plain HDF5; the page
 * cache is warm. */
static void
test_one_row (void)
{
  enum
  {
    N_FRAMES = 2048,
    N_ROWS = 16,
    N_COLS = 2048
  };
  const hsize_t start[] = { 0, 7, 0 }, count[] = { N_FRAMES, 1, N_COLS };
  g_autoptr (Folder) folder = folder_new ();
  g_autofree char *path = folder_path (folder, "scan.h5");
  g_autofree guint16 *samples = g_new (guint16, N_FRAMES * N_COLS);
  g_autofree guint16 *same = g_new (guint16, N_FRAMES * N_COLS);
  hid_t file = h5_create (folder, "scan.h5", 0);
  h5_write_frames (file, "/exchange/data",
                   &(H5Shape){ .dims = { N_FRAMES, N_ROWS, N_COLS } });
  H5Fclose (file);
  g_autoptr (TlReader) reader = assert_opens (folder, "scan.h5", NULL);
  double best[2] = { INFINITY, INFINITY };
  file = H5Fopen (path, H5F_ACC_RDONLY, H5P_DEFAULT);
  hid_t dataset = H5Dopen2 (file, "/exchange/data", H5P_DEFAULT);
  hid_t space = H5Dget_space (dataset);
  hid_t memory = H5Screate_simple (3, count, NULL);
  H5Sselect_hyperslab (space, H5S_SELECT_SET, start, NULL, count, NULL);
  for (int run = 0; run < 9; run++)
    {
      g_test_timer_start ();
      g_assert_true (tl_reader_read (reader, 7, 1, samples, NULL, NULL));
      best[0] = fmin (best[0], g_test_timer_elapsed ());
      g_test_timer_start ();
      H5Dread (dataset, H5T_NATIVE_UINT16, memory, space, H5P_DEFAULT, same);
      best[1] = fmin (best[1], g_test_timer_elapsed ());
    }
  g_assert_cmpmem (samples, N_FRAMES * N_COLS * 2, same, N_FRAMES * N_COLS * 2);
  g_test_minimized_result (best[0], "reader: %.2f ms", 1e3 * best[0]);
  g_test_minimized_result (best[1], "HDF5: %.2f ms", 1e3 * best[1]);
  H5Sclose (memory);
  H5Sclose (space);
  H5Dclose (dataset);
  H5Fclose (file);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/exchange/types", test_types);
  g_test_add_func ("/exchange/large-counts", test_large_counts);
  g_test_add_func ("/exchange/uneven-counts", test_uneven_counts);
  g_test_add_func ("/exchange/growing-counts", test_growing_counts);
  g_test_add_func ("/exchange/likely", test_likely);
  g_test_add_func ("/exchange/rounded-counts", test_rounded_counts);
  g_test_add_func ("/exchange/layouts", test_layouts);
  g_test_add_func ("/exchange/user-block", test_user_block);
  g_test_add_func ("/exchange/changed", test_changed);
  g_test_add_func ("/exchange/theta", test_theta);
  g_test_add_func ("/exchange/theta-small", test_theta_small);
  g_test_add_func ("/exchange/theta-large", test_theta_large);
  g_test_add_func ("/exchange/theta-unit", test_theta_unit);
  g_test_add_func ("/exchange/theta-missing", test_theta_missing);
  g_test_add_func ("/exchange/theta-count", test_theta_count);
  g_test_add_func ("/exchange/theta-still", test_theta_still);
  g_test_add_func ("/exchange/theta-ends", test_theta_ends);
  g_test_add_func ("/exchange/pixel-size", test_pixel_size);
  g_test_add_func ("/exchange/shapes", test_shapes);
  g_test_add_func ("/exchange/virtual-source", test_virtual_source);
  g_test_add_func ("/exchange/phantom", test_phantom);
  g_test_add_func ("/exchange/too-many", test_too_many);
  g_test_add_func ("/exchange/uncountable", test_uncountable);
  g_test_add_func ("/hdf5/writer", test_writer);
  g_test_add_func ("/hdf5/no-scan", test_no_scan);
  g_test_add_func ("/hdf5/truncated", test_truncated);
  g_test_add_func ("/hdf5/damaged-unfinished", test_damaged_unfinished);
  g_test_add_func ("/hdf5/damaged-heap", test_damaged_heap);
  g_test_add_func ("/hdf5/only-declared", test_only_declared);
  g_test_add_func ("/hdf5/short-chunk", test_short_chunk);
  g_test_add_func ("/hdf5/large-chunk", test_large_chunk);
  g_test_add_func ("/hdf5/deflated-twice", test_deflated_twice);
  g_test_add_func ("/hdf5/larger-chunk", test_larger_chunk);
  g_test_add_func ("/hdf5/little-memory", test_little_memory);
  g_test_add_func ("/hdf5/no-memory", test_no_memory);
  if (g_test_perf ())
    g_test_add_func ("/exchange/one-row", test_one_row);
  return g_test_run ();
}
