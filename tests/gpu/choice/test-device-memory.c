/* The estimate of device memory, against the sizes of the buffers. */
#include "gpu/choice/device-memory.h"

#define MIB ((guint64)1 << 20)
#define BATCH (16 * MIB)

/* 512 projections of 8 rows of 1024 columns: 16 MiB as floats */
#define LINES (16 * MIB)
#define SPECTRA ((guint64)512 * 8 * (2048 + 4) * 4)
#define FRAMES (4 * 8 * 4 * MIB)
#define FIELDS ((guint64)2 * 9 * 8 * 1024 * 4)

static const TlDeviceLoad load = { .n_projections = 512,
                                   .n_cols = 1024,
                                   .n_rows = 8,
                                   .type = TL_SAMPLE_U16,
                                   .n_frames = 4 };

/* Two uploaded blocks, the corrected lines, the spectra, two batches, the
 * filtered rows and the frames. */
static void
test_plain (void)
{
  TlParams params;

  tl_params_init (&params, 1024);
  params.method = TL_METHOD_BACKPROJECTION;
  g_assert_cmpuint (tl_device_memory_estimate (&params, &load), ==,
                    LINES + FIELDS + LINES + SPECTRA + 2 * BATCH + 3 * LINES
                        + FRAMES);
  params.precision = TL_PRECISION_FAST;
  g_assert_cmpuint (tl_device_memory_estimate (&params, &load), ==,
                    LINES + FIELDS + LINES + SPECTRA / 2 + 2 * BATCH
                        + 3 * LINES / 2 + FRAMES);
  params.precision = TL_PRECISION_FULL;
  params.grid.nx /= 2;
  g_assert_cmpuint (tl_device_memory_estimate (&params, &load), ==,
                    LINES + FIELDS + LINES + SPECTRA + 2 * BATCH + 3 * LINES
                        + FRAMES / 2);
}

/* Fast precision halves the spectra alone, because planes read rows in full
 * precision; they have them once. */
static void
test_planes (void)
{
  const guint64 rest = LINES + FIELDS + LINES + 2 * BATCH + 2 * LINES;
  TlDeviceLoad all = load;
  TlParams params;

  tl_params_init (&params, 1024);
  params.method = TL_METHOD_BACKPROJECTION;
  all.for_planes = TRUE;
  all.n_frames = 0;
  g_assert_cmpuint (tl_device_memory_estimate (&params, &all), ==,
                    rest + SPECTRA);
  params.precision = TL_PRECISION_FAST;
  g_assert_cmpuint (tl_device_memory_estimate (&params, &all), ==,
                    rest + SPECTRA / 2);
}

/* Instead of filtered rows, what four slices have of points, grid and rows;
 * with the method left open, the larger of both. */
static void
test_fourier (void)
{
  const guint64 points = (guint64)4 * 512 * (2048 + 2) * 4;
  const guint64 grid = (guint64)4 * (2048 + 2) * (2048 + 1024) * 4;
  const guint64 rest = LINES + FIELDS + LINES + SPECTRA + BATCH + FRAMES;
  TlParams params;

  tl_params_init (&params, 1024);
  g_assert_cmpuint (tl_device_memory_estimate (&params, &load), ==,
                    rest + points + grid);
  params.method = TL_METHOD_FOURIER;
  g_assert_cmpuint (tl_device_memory_estimate (&params, &load), ==,
                    rest + points + grid);
  /* its spectra are floats */
  params.precision = TL_PRECISION_FAST;
  g_assert_cmpuint (tl_device_memory_estimate (&params, &load), ==,
                    rest + points + grid);
  params.precision = TL_PRECISION_FULL;
  params.method = TL_METHOD_AUTO;
  params.interpolation = TL_INTERPOLATION_CUBIC;
  g_assert_cmpuint (tl_device_memory_estimate (&params, &load), ==,
                    rest + BATCH + 5 * LINES);
}

/* Returns: what the estimate grows by */
static guint64
compare (const TlParams *before, const TlParams *after)
{
  return tl_device_memory_estimate (after, &load)
         - tl_device_memory_estimate (before, &load);
}

/* Each correction has its result, and some have working memory. */
static void
test_corrections (void)
{
  TlParams before, after;

  tl_params_init (&before, 1024);
  before.method = TL_METHOD_BACKPROJECTION;
  after = before;
  after.zingers = TRUE;
  g_assert_cmpuint (compare (&before, &after), ==, LINES);
  after = before;
  after.rings = TL_RINGS_SORTING;
  g_assert_cmpuint (compare (&before, &after), ==,
                    LINES + (guint64)3 * 512 * 1024 * 4);
  after.rings = TL_RINGS_WAVELET;
  g_assert_cmpuint (compare (&before, &after), >, 2 * LINES);
  after = before;
  after.phase.on = TRUE;
  g_assert_cmpuint (compare (&before, &after), ==, LINES + 2 * BATCH);
  after = before;
  after.beam_hardening = 0.1;
  g_assert_cmpuint (compare (&before, &after), ==, LINES);
  after = before;
  after.interpolation = TL_INTERPOLATION_CUBIC;
  g_assert_cmpuint (compare (&before, &after), ==, 2 * LINES);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/device-memory/plain", test_plain);
  g_test_add_func ("/device-memory/planes", test_planes);
  g_test_add_func ("/device-memory/fourier", test_fourier);
  g_test_add_func ("/device-memory/corrections", test_corrections);
  return g_test_run ();
}
