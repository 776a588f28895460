/* Scans that are read at a coarser resolution. */
#include "data/error.h"
#include "data/read/reader.h"
#include "tests/data/read/scan-files.h"

#include <math.h>

enum
{
  N = 13,
  ROWS = 9,
  COLS = 17,
  BASE = 2
};

/* Writes a scan of counts with two darks and a flat. */
static void
write_scan (Folder *folder, const double *angles_deg)
{
  hid_t file = h5_create (folder, "scan.h5", 0);
  h5_write_frames (file, "/exchange/data",
                   &(H5Shape){ .dims = { N, ROWS, COLS }, .base = BASE });
  h5_write_frames (file, "/exchange/data_white",
                   &(H5Shape){ .dims = { 1, ROWS, COLS }, .base = 7 });
  h5_write_frames (file, "/exchange/data_dark",
                   &(H5Shape){ .dims = { 2, ROWS, COLS }, .value = 1 });
  h5_write_numbers (file, "/exchange/theta", angles_deg, N, "deg");
  H5Fclose (file);
}

static void
spread (double *angles_deg, double step_deg)
{
  for (size_t k = 0; k < N; k++)
    angles_deg[k] = step_deg * (double)k;
}

/* The mean of what the file has, by the plain loop. */
static double
get_mean (size_t base, size_t bin, size_t first, size_t n, size_t row,
          size_t col)
{
  double sum = 0;
  for (size_t p = first; p < first + n; p++)
    for (size_t r = row * bin; r < (row + 1) * bin; r++)
      for (size_t c = col * bin; c < (col + 1) * bin; c++)
        sum += sample_value (base, p, r, c);
  return sum / (double)(n * bin * bin);
}

/* Each sample is the exact mean, rounded once; the last projections are a bin
 * of fewer, and columns and rows that fill none are left out. */
static void
test_means (void)
{
  double angles_deg[N];
  g_autoptr (Folder) folder = folder_new ();
  spread (angles_deg, 180.0 / N);
  write_scan (folder, angles_deg);
  for (guint bin = 2; bin <= 5; bin++)
    {
      const TlReaderOptions options = { .bin = bin };
      const size_t n = (N + bin - 1) / bin, n_rows = ROWS / bin;
      const size_t n_cols = COLS / bin;
      float got[N * ROWS * COLS];
      double dark[ROWS * COLS], flat[ROWS * COLS], last[ROWS * COLS];
      g_autoptr (GError) error = NULL;
      g_autoptr (TlReader) reader = assert_opens (folder, "scan.h5", &options);
      const TlScanInfo *info = tl_reader_get_info (reader);
      g_assert_cmpuint (info->n_projections, ==, n);
      g_assert_cmpuint (info->n_rows, ==, n_rows);
      g_assert_cmpuint (info->n_cols, ==, n_cols);
      g_assert_cmpint (info->type, ==, TL_SAMPLE_F32);
      g_assert_true (info->are_counts);
      tl_reader_read (reader, 0, n_rows, got, NULL, &error);
      g_assert_no_error (error);
      for (size_t p = 0; p < n; p++)
        {
          const size_t n_together = MIN (bin, N - p * bin);
          g_assert_cmpfloat_with_epsilon (info->angles_deg[p],
                                          180.0 / N * (double)(p * bin)
                                              + 90.0 / N
                                                    * (double)(n_together - 1),
                                          1e-12);
          for (size_t r = 0; r < n_rows; r++)
            for (size_t c = 0; c < n_cols; c++)
              g_assert_cmpfloat (
                  got[(p * n_rows + r) * n_cols + c], ==,
                  (float)get_mean (BASE, bin, p * bin, n_together, r, c));
        }
      tl_reader_read_fields (reader, 0, n_rows, dark, flat, last, NULL, &error);
      g_assert_no_error (error);
      for (size_t r = 0; r < n_rows; r++)
        for (size_t c = 0; c < n_cols; c++)
          {
            g_assert_cmpfloat_with_epsilon (dark[r * n_cols + c], 1.0, 1e-3);
            g_assert_cmpfloat_with_epsilon (
                flat[r * n_cols + c], get_mean (7, bin, 0, 1, r, c), 1e-3);
          }
    }
}

/* Projections that are not in order stay apart. */
static void
test_unordered (void)
{
  const TlReaderOptions options = { .bin = 2 };
  double angles_deg[N];
  float got[N * ROWS * COLS];
  g_autoptr (GError) error = NULL;
  g_autoptr (Folder) folder = folder_new ();
  spread (angles_deg, 180.0 / N);
  angles_deg[3] = 170.5;
  write_scan (folder, angles_deg);
  g_autoptr (TlReader) reader = assert_opens (folder, "scan.h5", &options);
  g_assert_cmpuint (tl_reader_get_info (reader)->n_projections, ==, N);
  g_assert_cmpfloat (tl_reader_get_info (reader)->angles_deg[3], ==, 170.5);
  tl_reader_read (reader, 1, 1, got, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (got[3 * (COLS / 2) + 1], ==,
                     (float)get_mean (BASE, 2, 3, 1, 1, 1));
}

/* What is left out is no part of a bin. */
static void
test_left_out (void)
{
  const TlReaderOptions options = { .bin = 2, .leave_out = "1,4" };
  double angles_deg[N];
  float got[N * ROWS * COLS];
  g_autoptr (GError) error = NULL;
  g_autoptr (Folder) folder = folder_new ();
  spread (angles_deg, 180.0 / N);
  write_scan (folder, angles_deg);
  g_autoptr (TlReader) reader = assert_opens (folder, "scan.h5", &options);
  g_assert_cmpuint (tl_reader_get_info (reader)->n_projections, ==, 6);
  tl_reader_read (reader, 0, 1, got, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (got[0], ==,
                     (float)(0.5
                             * (get_mean (BASE, 2, 0, 1, 0, 0)
                                + get_mean (BASE, 2, 2, 1, 0, 0))));
}

static void
test_too_large (void)
{
  double angles_deg[N];
  g_autoptr (Folder) folder = folder_new ();
  spread (angles_deg, 180.0 / N);
  write_scan (folder, angles_deg);
  assert_refuses (folder, "scan.h5", &(TlReaderOptions){ .bin = ROWS + 1 },
                  TL_ERROR_VALUE, "scan.h5: bins of 10 x 10 pixels*");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/binned/means", test_means);
  g_test_add_func ("/binned/unordered", test_unordered);
  g_test_add_func ("/binned/left-out", test_left_out);
  g_test_add_func ("/binned/too-large", test_too_large);
  return g_test_run ();
}
