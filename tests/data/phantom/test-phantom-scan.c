/* Scans of the phantom, read back with plain HDF5. */
#include "data/phantom/phantom.h"

#include "tests/data/write/full-disk.h"

#include <hdf5.h>
#include <math.h>
#include <string.h>

/* Tolerances, absolute. */
#define ROUNDED_COUNTS 0.51  /* rounding to 16 bits, and float arithmetic */
#define MEAN_SIGMAS 5.0      /* for a mean: exceeded once in a million */
#define MAX_CORRELATION 0.25 /* over 512 samples or more: 5 sigma */
#define VARIANCE_RATIO 0.05  /* for a variance over 20000 samples: 5 sigma */

static hid_t
open_scan (const char *path)
{
  hid_t file = H5Fopen (path, H5F_ACC_RDONLY, H5P_DEFAULT);

  g_assert_cmpint (file, >=, 0);
  return file;
}

static guint16 *
read_counts (hid_t file, const char *name, hsize_t n_frames, hsize_t n_rows,
             hsize_t n_cols)
{
  hid_t dataset = H5Dopen2 (file, name, H5P_DEFAULT);
  hid_t space = H5Dget_space (dataset);
  hid_t type = H5Dget_type (dataset);
  guint16 *counts = g_new (guint16, n_frames * n_rows * n_cols);
  hsize_t dims[3] = { 0, 0, 0 };

  g_assert_cmpint (H5Sget_simple_extent_ndims (space), ==, 3);
  H5Sget_simple_extent_dims (space, dims, NULL);
  g_assert_cmpuint (dims[0], ==, n_frames);
  g_assert_cmpuint (dims[1], ==, n_rows);
  g_assert_cmpuint (dims[2], ==, n_cols);
  g_assert_cmpint (H5Tequal (type, H5T_NATIVE_UINT16), >, 0);
  g_assert_cmpint (
      H5Dread (dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, counts), >=, 0);
  H5Tclose (type);
  H5Sclose (space);
  H5Dclose (dataset);
  return counts;
}

static void
assert_text (hid_t file, const char *object, const char *attribute,
             const char *want)
{
  hid_t owner = H5Oopen (file, object, H5P_DEFAULT);
  hid_t type = H5Tcopy (H5T_C_S1);
  char *text = NULL;

  H5Tset_size (type, H5T_VARIABLE);
  H5Tset_cset (type, H5T_CSET_UTF8);
  if (attribute != NULL)
    {
      hid_t id = H5Aopen (owner, attribute, H5P_DEFAULT);

      g_assert_cmpint (H5Aread (id, type, &text), >=, 0);
      H5Aclose (id);
    }
  else
    g_assert_cmpint (
        H5Dread (owner, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &text), >=, 0);
  g_assert_cmpstr (text, ==, want);
  H5free_memory (text);
  H5Tclose (type);
  H5Oclose (owner);
}

static void
assert_doubles (hid_t file, const char *name, size_t n, const double *want)
{
  hid_t dataset = H5Dopen2 (file, name, H5P_DEFAULT);
  hid_t space = H5Dget_space (dataset);
  g_autofree double *values = g_new (double, n);

  g_assert_cmpint (H5Sget_simple_extent_npoints (space), ==, n);
  g_assert_cmpint (H5Dread (dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL,
                            H5P_DEFAULT, values),
                   >=, 0);
  for (size_t i = 0; i < n; i++)
    g_assert_cmpfloat_with_epsilon (values[i], want[i],
                                    1e-12 * (1.0 + fabs (want[i])));
  H5Sclose (space);
  H5Dclose (dataset);
}

typedef struct
{
  const char *path;
  size_t n_projections, n_rows, n_cols;
  double centre_col;
  double first_deg, end_deg;
  gboolean end_point;
  double last_deg; /* angle of the last projection */
  double tilt_deg;
  gboolean half;
} ScanCase;

static const ScanCase scan_cases[] = {
  { "one", 1, 1, 1, 0.0, 0, 180, FALSE, 0 },
  { "one-end-point", 1, 1, 5, 2.0, 10, 180, TRUE, 10 },
  { "prime", 7, 13, 61, 31.25, 0, 180, FALSE, 180.0 * 6 / 7 },
  { "full-turn-end-point", 9, 8, 257, 100.0, 0, 360, TRUE, 360 },
  { "clockwise", 5, 3, 300, 180.5, 90, -90, FALSE, -54 },
  { "rows-past-a-chunk", 2, 131, 4099, 2050.0, -30, 150, FALSE, 60 },
  { "tilt", 4, 43, 61, 31.25, 0, 180, FALSE, 135, 7.5 },
  { "tilt-rows-past-a-chunk", 2, 131, 4099, 2050.0, -30, 150, FALSE, 60, -1 },
  { "half-left", 5, 3, 61, 7.0, 0, 360, FALSE, 288, 0, TRUE },
  { "half-right", 5, 9, 61, 55.5, 0, 360, FALSE, 288, -0.5, TRUE },
};

/* Without noise the expected counts follow from the flats and darks. */
static void
assert_projections (const TlPhantomScan *scan, const guint16 *counts,
                    const guint16 *flats, const guint16 *darks)
{
  const size_t n_cols = scan->n_cols, n_pixels = scan->n_rows * n_cols;
  const double radius = tl_phantom_scan_radius (scan);
  const size_t col_step = 1 + n_cols / 97;
  const double tilt = scan->tilt_deg * G_PI / 180.0;
  const double last_row = (double)scan->n_rows - 1.0;

  for (size_t p = 0; p < scan->n_projections; p++)
    for (size_t row = 0; row < scan->n_rows; row++)
      for (size_t col = p % col_step; col < n_cols; col += col_step)
        {
          const size_t pixel = row * n_cols + col;
          const double x = (double)col - scan->centre_col;
          const double y = (double)row - last_row / 2.0;
          /* The phantom continues beyond the outermost slices. */
          const double below = CLAMP (x * sin (tilt) + y * cos (tilt),
                                      -last_row / 2.0, last_row / 2.0);
          const double line = tl_phantom_project (
              scan->shapes, scan->n_shapes, radius,
              tl_phantom_scan_angle (scan, p) * G_PI / 180.0,
              x * cos (tilt) - y * sin (tilt),
              (below + last_row / 2.0 + 0.5) / (double)scan->n_rows);
          const double open = (double)flats[pixel] - darks[pixel];

          g_assert_cmpfloat_with_epsilon (
              (double)counts[p * n_pixels + pixel] - darks[pixel],
              open * exp (-line), 2 * ROUNDED_COUNTS);
        }
}

static void
test_scan (gconstpointer data)
{
  const ScanCase *c = data;
  g_autofree char *folder = make_folder ();
  g_autofree char *path = g_build_filename (folder, "scan.h5", NULL);
  g_autofree double *angles = g_new (double, c->n_projections);
  const double pixel_size_m = 2.75e-6;
  g_autofree guint16 *counts = NULL, *flats = NULL, *darks = NULL;
  g_autoptr (GError) error = NULL;
  TlPhantomScan scan;
  hid_t file;

  tl_phantom_scan_init (&scan, c->n_projections, c->n_rows, c->n_cols);
  scan.centre_col = c->centre_col;
  scan.angles_deg[0] = c->first_deg;
  scan.angles_deg[1] = c->end_deg;
  scan.end_point = c->end_point;
  scan.noise_counts = 0.0;
  scan.pixel_size_um = 2.75;
  scan.tilt_deg = c->tilt_deg;
  scan.half = c->half;
  scan.n_flats = 3;
  scan.n_darks = 2;
  tl_phantom_write_scan (path, &scan, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (count_files (folder), ==, 1);

  file = open_scan (path);
  for (size_t i = 0; i < c->n_projections; i++)
    angles[i] = tl_phantom_scan_angle (&scan, i);
  g_assert_cmpfloat (angles[0], ==, c->first_deg);
  g_assert_cmpfloat_with_epsilon (angles[c->n_projections - 1], c->last_deg,
                                  1e-12);
  assert_doubles (file, "/exchange/theta", c->n_projections, angles);
  assert_doubles (file, "/measurement/instrument/detector/x_pixel_size", 1,
                  &pixel_size_m);
  assert_text (file, "/implements", NULL, "exchange:measurement");
  assert_text (file, "/exchange/theta", "units", "degrees");
  assert_text (file, "/measurement/instrument/detector/x_pixel_size", "units",
               "m");
  counts = read_counts (file, "/exchange/data", c->n_projections, c->n_rows,
                        c->n_cols);
  flats = read_counts (file, "/exchange/data_white", 3, c->n_rows, c->n_cols);
  darks = read_counts (file, "/exchange/data_dark", 2, c->n_rows, c->n_cols);
  H5Fclose (file);

  assert_projections (&scan, counts, flats, darks);
  remove_folder (folder);
}

/* A shape from the caller; a file without flats, darks and pixel size. */
static void
test_bare_scan (void)
{
  const TlEllipse disc = { 0.0, 0.0, 0.5, 0.5, 0.0, 1.0, 0.0, 0.5 };
  static const char *const absent[] = { "/exchange/data_white",
                                        "/exchange/data_dark",
                                        "/measurement/instrument" };
  g_autofree char *folder = make_folder ();
  g_autofree char *path = g_build_filename (folder, "scan.h5", NULL);
  g_autofree guint16 *counts = NULL;
  g_autoptr (GError) error = NULL;
  TlPhantomScan scan;
  hid_t file;

  tl_phantom_scan_init (&scan, 1, 2, 41);
  scan.shapes = &disc;
  scan.n_shapes = 1;
  scan.n_flats = scan.n_darks = 0;
  scan.pixel_size_um = 0.0;
  scan.noise_counts = 0.0;
  scan.centre_col = 20.0;
  tl_phantom_write_scan (path, &scan, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  file = open_scan (path);
  for (size_t i = 0; i < G_N_ELEMENTS (absent); i++)
    g_assert_cmpint (H5Lexists (file, absent[i], H5P_DEFAULT), ==, 0);
  counts = read_counts (file, "/exchange/data", 1, 2, 41);
  H5Fclose (file);
  /* Only the upper row contains the disc, with a radius of 9.7 pixels. The
   * beam is a tenth weaker there. */
  for (size_t col = 0; col < 41; col++)
    {
      const double there = counts[col], open = counts[41 + col];

      if (col < 11 || col > 29)
        g_assert_cmpfloat (there, >, 0.85 * open);
      else
        g_assert_cmpfloat (there, <, 0.85 * open);
    }
  remove_folder (folder);
}

static void
test_defaults (void)
{
  TlPhantomScan scan;

  for (size_t n_cols = 1; n_cols < 3000; n_cols = n_cols * 3 / 2 + 1)
    {
      tl_phantom_scan_init (&scan, 10, 4, n_cols);
      g_assert_cmpfloat (scan.centre_col, >=, 0.0);
      g_assert_cmpfloat (scan.centre_col, <=, (double)n_cols - 1.0);
      g_assert_cmpfloat (tl_phantom_scan_radius (&scan), >, 0.4);
      g_assert_true (n_cols < 4
                     || scan.centre_col - ((double)n_cols - 1.0) / 2.0 >= 0.25);
    }
}

/* Half acquisition: the phantom reaches as far as the far edge. */
static void
test_half (void)
{
  TlPhantomScan scan;

  tl_phantom_scan_init (&scan, 10, 4, 101);
  for (int side = 0; side < 2; side++)
    {
      scan.centre_col = side == 0 ? 10.0 : 90.0;
      scan.half = FALSE;
      g_assert_cmpfloat_with_epsilon (tl_phantom_scan_radius (&scan),
                                      0.95 * 10.5, 1e-9);
      scan.half = TRUE;
      g_assert_cmpfloat_with_epsilon (tl_phantom_scan_radius (&scan),
                                      0.95 * 90.5, 1e-9);
    }
}

/* --- noise --- */

static guint16 *
make_and_read (const TlPhantomScan *scan, const char *name, size_t n_frames)
{
  g_autofree char *folder = make_folder ();
  g_autofree char *path = g_build_filename (folder, "scan.h5", NULL);
  g_autoptr (GError) error = NULL;
  guint16 *counts;
  hid_t file;

  tl_phantom_write_scan (path, scan, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  file = open_scan (path);
  counts = read_counts (file, name, n_frames, scan->n_rows, scan->n_cols);
  H5Fclose (file);
  remove_folder (folder);
  return counts;
}

/* For each pixel over many flats, the mean must be that without noise, and
 * the variance that of the number of photons; for exact and for normal
 * draws. */
static void
test_noise (gconstpointer data)
{
  const double photons = *(const double *)data;
  const size_t n_flats = 200, n_pixels = 10 * 100;
  const double gain = 40000.0 / photons;
  g_autofree guint16 *noisy = NULL, *clean = NULL, *darks = NULL;
  double sum_ratio = 0.0, sum_deviation = 0.0, sum_between = 0.0;
  double expected = 0.0;
  TlPhantomScan scan;

  tl_phantom_scan_init (&scan, 1, 10, 100);
  scan.n_flats = n_flats;
  scan.noise_counts = photons;
  noisy = make_and_read (&scan, "/exchange/data_white", n_flats);
  scan.noise_counts = 0.0;
  clean = make_and_read (&scan, "/exchange/data_white", n_flats);
  darks = make_and_read (&scan, "/exchange/data_dark", scan.n_darks);

  for (size_t i = 0; i < n_pixels; i++)
    {
      const double mean = clean[i];
      const double variance = gain * (mean - darks[i]) + 2.5 * 2.5;
      double sum = 0.0, squares = 0.0;

      for (size_t f = 0; f < n_flats; f++)
        {
          const double difference = noisy[f * n_pixels + i] - mean;

          sum += difference;
          squares += difference * difference;
          if (i > 0)
            sum_between +=
                difference / sqrt (variance)
                * (noisy[f * n_pixels + i - 1] - (double)clean[i - 1])
                / sqrt (variance);
        }
      sum_deviation += sum;
      sum_ratio += squares / (variance * (double)n_flats);
      expected += variance * (double)n_flats;
    }
  /* The mean, the variance, and the correlation of neighbours, which must be
   * zero. */
  g_assert_cmpfloat (fabs (sum_deviation), <, MEAN_SIGMAS * sqrt (expected));
  g_assert_cmpfloat_with_epsilon (sum_ratio / (double)n_pixels, 1.0,
                                  VARIANCE_RATIO);
  g_assert_cmpfloat (fabs (sum_between), <,
                     MEAN_SIGMAS * sqrt ((double)(n_pixels * n_flats)));
}

static const double photon_cases[] = { 5000.0, 100.0, 40.0, 20.0 };

/* A Poisson distribution of few photons is skewed; a normal one would not
 * be. */
static void
test_few_photons_are_poisson (void)
{
  TlPhantomScan scan;
  g_autofree guint16 *counts = NULL;
  const size_t n = 50 * 64 * 64;
  size_t n_clipped = 0, n_dark = 0;

  tl_phantom_scan_init (&scan, 1, 64, 64);
  scan.noise_counts = 1.5;
  scan.n_flats = 50;
  counts = make_and_read (&scan, "/exchange/data_white", 50);
  for (size_t i = 0; i < n; i++)
    {
      n_clipped += counts[i] == 65535;
      n_dark += counts[i] < 150;
    }
  /* The mean is between 1.5 and 0.8 photons: a fraction of exp (-1.5) to exp
   * (-0.8) has no photon, and 19 to 5 % have three or more (clipped). */
  g_assert_cmpuint (n_dark, >, n * 22 / 100);
  g_assert_cmpuint (n_dark, <, n * 45 / 100);
  g_assert_cmpuint (n_clipped, >, n * 5 / 100);
}

/* A row is computed in blocks, and each block must have noise of its own. If
 * a block repeated the noise of another one, the correlation with the
 * shifted row would be 1. By chance it is about 0.06 at the longest shift. */
static void
test_blocks_differ (void)
{
  TlPhantomScan scan;
  const size_t n_cols = 1024;
  g_autofree guint16 *noisy = NULL, *clean = NULL;

  tl_phantom_scan_init (&scan, 1, 1, n_cols);
  scan.n_flats = 1;
  noisy = make_and_read (&scan, "/exchange/data_white", 1);
  scan.noise_counts = 0.0;
  clean = make_and_read (&scan, "/exchange/data_white", 1);
  for (size_t shift = 1; shift <= n_cols / 2; shift *= 2)
    {
      double product = 0.0, square = 0.0;

      for (size_t col = 0; col + shift < n_cols; col++)
        {
          const double here = (double)noisy[col] - clean[col];
          const double there = (double)noisy[col + shift] - clean[col + shift];

          product += here * there;
          square += here * here;
        }
      g_assert_cmpfloat (fabs (product), <, MAX_CORRELATION * square);
    }
}

/* The same seed gives the same file, another seed another file, and no two
 * frames have the same noise. */
static void
test_seed (void)
{
  TlPhantomScan scan;
  const size_t n = 5 * 37 * 41, frame_bytes = 37 * 41 * sizeof (guint16);
  g_autofree guint16 *one = NULL, *again = NULL, *other = NULL;

  tl_phantom_scan_init (&scan, 5, 37, 41);
  scan.angles_deg[1] = 0.0; /* the frames differ only in their noise */
  one = make_and_read (&scan, "/exchange/data", 5);
  again = make_and_read (&scan, "/exchange/data", 5);
  g_assert_cmpmem (one, n * sizeof *one, again, n * sizeof *one);
  scan.seed++;
  other = make_and_read (&scan, "/exchange/data", 5);
  g_assert_false (memcmp (one, other, frame_bytes) == 0);
  for (size_t f = 1; f < 5; f++)
    g_assert_false (memcmp (one, one + f * 37 * 41, frame_bytes) == 0);
}

typedef struct
{
  double last;
  size_t n_calls;
} Progress;

static void
follow_progress (double fraction, gpointer user_data)
{
  Progress *progress = user_data;

  g_assert_cmpfloat (fraction, >=, progress->last);
  g_assert_cmpfloat (fraction, <=, 1.0);
  progress->last = fraction;
  progress->n_calls++;
}

static void
test_progress (void)
{
  g_autofree char *folder = make_folder ();
  g_autofree char *path = g_build_filename (folder, "scan.h5", NULL);
  Progress progress = { 0.0, 0 };
  TlPhantomScan scan;

  tl_phantom_scan_init (&scan, 4, 5, 64);
  g_assert_true (tl_phantom_write_scan (path, &scan, follow_progress, &progress,
                                        NULL, NULL));
  g_assert_cmpfloat (progress.last, ==, 1.0);
  g_assert_cmpuint (progress.n_calls, >=, 1);
  remove_folder (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (size_t i = 0; i < G_N_ELEMENTS (scan_cases); i++)
    {
      g_autofree char *path = g_strconcat ("/exact/", scan_cases[i].path, NULL);

      g_test_add_data_func (path, &scan_cases[i], test_scan);
    }
  g_test_add_func ("/bare", test_bare_scan);
  g_test_add_func ("/defaults", test_defaults);
  g_test_add_func ("/half", test_half);
  for (size_t i = 0; i < G_N_ELEMENTS (photon_cases); i++)
    {
      g_autofree char *path = g_strdup_printf ("/noise/%g", photon_cases[i]);

      g_test_add_data_func (path, &photon_cases[i], test_noise);
    }
  g_test_add_func ("/noise/poisson", test_few_photons_are_poisson);
  g_test_add_func ("/noise/blocks", test_blocks_differ);
  g_test_add_func ("/noise/seed", test_seed);
  g_test_add_func ("/progress", test_progress);
  return g_test_run ();
}
