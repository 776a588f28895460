/* The stage "correct" of every engine against plain doubles, pixel by pixel. */
#include "data/error.h"
#include "tests/support/compare.h"
#include "tests/support/engines.h"
#include "tests/support/plain.h"
#include "tests/support/scans.h"

#include <math.h>
#include <string.h>

typedef struct
{
  TlEngine *engine;
  size_t n_projections, n_rows, n_cols;
  TlSampleType type;
  gboolean flat_field, minus_log, dark, flat_last;
} Case;

/* Makes counts between a dark field of about 10 and a flat field of about 100,
 * which every sample type can hold. */
static TlTestScan *
make_scan (const Case *c)
{
  TlTestScan *scan =
      tl_test_scan_new (c->n_projections, c->n_rows, c->n_cols, c->type);
  const size_t plane = c->n_rows * c->n_cols;
  const size_t n = c->n_projections * plane;

  for (size_t i = 0; i < n; i++)
    {
      const int v = g_test_rand_int_range (12, 100);

      switch (c->type)
        {
        case TL_SAMPLE_U8:
        case TL_SAMPLE_I8:
          ((guint8 *)scan->samples)[i] = (guint8)v;
          break;
        case TL_SAMPLE_U16:
        case TL_SAMPLE_I16:
          ((guint16 *)scan->samples)[i] = (guint16)v;
          break;
        case TL_SAMPLE_U32:
        case TL_SAMPLE_I32:
          ((guint32 *)scan->samples)[i] = (guint32)v;
          break;
        case TL_SAMPLE_F32:
          ((float *)scan->samples)[i] = (float)v + 0.25f;
          break;
        case TL_SAMPLE_F64:
          ((double *)scan->samples)[i] = v + 0.125;
          break;
        case TL_N_SAMPLE_TYPES:
          g_assert_not_reached ();
        }
    }
  scan->flat_first = g_new (double, plane);
  scan->flat_last = g_new (double, plane);
  scan->dark = g_new (double, plane);
  for (size_t i = 0; i < plane; i++)
    {
      scan->dark[i] = g_test_rand_double_range (8.0, 11.5);
      scan->flat_first[i] = g_test_rand_double_range (90.0, 110.0);
      scan->flat_last[i] = g_test_rand_double_range (70.0, 90.0);
    }
  if (c->flat_field)
    scan->block.flat_first = scan->flat_first;
  if (c->flat_last)
    scan->block.flat_last = scan->flat_last;
  if (c->dark)
    scan->block.dark = scan->dark;
  return scan;
}

/* Runs the engine and compares all corrected values. Returns: (transfer full):
 * these values */
static float *
check (TlEngine *engine, const TlTestScan *scan, gboolean flat_field,
       gboolean minus_log)
{
  const TlBlock *block = &scan->block;
  const size_t n = block->n_projections * block->n_rows * block->n_cols;
  TlParams params = tl_test_params (scan);
  g_autofree double *want = g_new (double, n);
  float *got;

  params.flat_field = flat_field;
  params.minus_log = minus_log;
  got = tl_test_dup_corrected (engine, block, &params);
  tl_plain_correct (block, flat_field, minus_log, want);
  for (size_t i = 0; i < n; i++)
    g_assert_cmpfloat_with_epsilon (
        got[i], want[i], TL_TOLERANCE_CORRECTED * MAX (1.0, fabs (want[i])));
  return got;
}

static void
test_case (gconstpointer data)
{
  const Case *c = data;
  g_autoptr (TlTestScan) scan = make_scan (c);

  g_free (check (c->engine, scan, c->flat_field, c->minus_log));
}

/* In a sample that hardly absorbs, the transmission is so near to 1 that float
 * holds few or no digits of the attenuation, and neither do large integers and
 * doubles as float. Each type has the smallest steps that it can hold around a
 * flat field, which is the mean of three frames. */
static void
test_thin (gconstpointer data)
{
  const Case *c = data;
  g_autoptr (TlTestScan) scan = make_scan (c);
  const size_t n = c->n_rows * c->n_cols;
  TlParams params = tl_test_params (scan);
  g_autofree double *want = g_new (double, n);
  g_autofree double *values = g_new (double, n);
  g_autofree float *got = NULL;
  const double flat = c->type == TL_SAMPLE_U16   ? 65000.0
                      : c->type == TL_SAMPLE_F32 ? 1e6
                                                 : 1 << 30;
  const double step = c->type == TL_SAMPLE_F32   ? 0.0625
                      : c->type == TL_SAMPLE_F64 ? 1.0 / 1024.0
                                                 : 1.0;

  for (size_t i = 0; i < n; i++)
    {
      const int steps = g_test_rand_int_range (1, 16);

      values[i] = flat + step * (i % 2 == 0 ? steps : -steps);
      scan->flat_first[i] = flat + step / 3.0;
      scan->dark[i] = 16.1;
    }
  tl_samples_from_double (c->type, values, n, scan->samples);

  params.flat_field = params.minus_log = TRUE;
  got = tl_test_dup_corrected (c->engine, &scan->block, &params);
  tl_plain_correct (&scan->block, TRUE, TRUE, want);
  for (size_t i = 0; i < n; i++)
    g_assert_cmpfloat_with_epsilon (got[i], want[i],
                                    TL_TOLERANCE_THIN * fabs (want[i]));
}

/* Samples below the dark field, above the flat field and without any light give
 * finite values. */
static void
test_clamp (gconstpointer data)
{
  const Case *c = data;
  g_autoptr (TlTestScan) scan = make_scan (c);
  guint16 *samples = scan->samples;
  g_autofree float *got = NULL;

  samples[0] = 0;
  samples[1] = 60000;
  samples[2] = 5;
  got = check (c->engine, scan, TRUE, TRUE);
  g_assert_cmpfloat_with_epsilon (got[0], -log (1e-6), 1e-4);
  g_assert_cmpfloat (got[1], <, -6.0f);
  g_assert_cmpfloat_with_epsilon (got[2], -log (1e-6), 1e-4);
}

static void
test_clamp_without_flat (gconstpointer data)
{
  const Case *c = data;
  g_autoptr (TlTestScan) scan = make_scan (c);
  guint16 *samples = scan->samples;
  g_autofree float *got = NULL;

  scan->block.flat_first = scan->block.flat_last = scan->block.dark = NULL;
  samples[0] = 0;
  got = check (c->engine, scan, FALSE, TRUE);
  g_assert_cmpfloat_with_epsilon (got[0], -log (1e-6), 1e-4);
}

static void
test_dead (gconstpointer data)
{
  const Case *c = data;
  g_autoptr (TlTestScan) scan = make_scan (c);
  const size_t n = c->n_cols;
  TlEngineReport report;
  g_autoptr (GError) error = NULL;
  g_autofree float *got = NULL;

  /* Dead pixels. Row 0: both ends, a pair, and a field that is NaN. Row 1:
   * none. Row 2: all but one. */
  scan->flat_first[0] = scan->dark[0];
  scan->flat_last[n - 1] = scan->dark[n - 1] - 1.0f;
  scan->flat_first[5] = 0.0f;
  scan->flat_last[6] = NAN;
  scan->dark[9] = INFINITY;
  for (size_t col = 0; col < n; col++)
    {
      if (col != 7)
        scan->flat_first[2 * n + col] = 0.0f;
    }
  got = check (c->engine, scan, TRUE, TRUE);

  g_assert_cmpfloat (got[0], ==, got[1]);
  g_assert_cmpfloat (got[n - 1], ==, got[n - 2]);
  g_assert_cmpfloat_with_epsilon (got[5], (2.0 * got[4] + got[7]) / 3.0, 1e-5);
  g_assert_cmpfloat (got[2 * n], ==, got[2 * n + 7]);
  g_assert_true (tl_engine_get_report (c->engine, &report, &error));
  g_assert_cmpuint (report.n_dead, ==, 5 + n - 1);
}

static void
test_all_dead (gconstpointer data)
{
  const Case *c = data;
  g_autoptr (TlTestScan) scan = make_scan (c);
  g_autoptr (GError) error = NULL;

  for (size_t col = 0; col < c->n_cols; col++)
    scan->flat_first[c->n_cols + col] = 0.0f;
  g_assert_false (tl_engine_load (c->engine, &scan->block, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_VALUE);
  g_assert_nonnull (strstr (error->message, "row 1"));
}

static void
get_runs (TlEngine *engine, guint runs[TL_N_STAGES])
{
  g_autoptr (GError) error = NULL;
  TlEngineReport report;

  g_assert_true (tl_engine_get_report (engine, &report, &error));
  memcpy (runs, report.n_runs, sizeof report.n_runs);
}

/* Asserts how often the stages after the upload ran since @runs, and updates
 * @runs. */
static void
assert_ran (TlEngine *engine, guint runs[TL_N_STAGES], guint n_correct,
            guint n_transform, guint n_filter)
{
  guint before[TL_N_STAGES];

  memcpy (before, runs, sizeof before);
  get_runs (engine, runs);
#define RAN(stage) (runs[TL_STAGE_##stage] - before[TL_STAGE_##stage])
  g_assert_cmpuint (RAN (CORRECT), ==, n_correct);
  g_assert_cmpuint (RAN (TRANSFORM), ==, n_transform);
  g_assert_cmpuint (RAN (FILTER), ==, n_filter);
#undef RAN
}

/* Reading the corrected rows between reconstructions repeats no stage, and the
 * next reconstruction runs the missing stages. */
static void
test_alone (gconstpointer data)
{
  const Case *c = data;
  g_autoptr (TlTestScan) scan = make_scan (c);
  TlParams params = tl_test_params (scan);
  g_autoptr (GError) error = NULL;
  g_autoptr (TlFrame) frame = NULL;
  const size_t n = c->n_projections * c->n_rows * c->n_cols;
  g_autofree double *want = g_new (double, n);
  g_autofree float *got = g_new (float, n);
  guint runs[TL_N_STAGES];

  params.flat_field = params.minus_log = TRUE;
  tl_plain_correct (&scan->block, TRUE, TRUE, want);
  g_assert_true (tl_engine_load (c->engine, &scan->block, &error));
  get_runs (c->engine, runs);
  g_assert_true (tl_engine_correct (c->engine, &params, NULL, &error));
  assert_ran (c->engine, runs, 1, 0, 0);
  g_assert_true (tl_engine_read_corrected (c->engine, got, &error));
  for (size_t i = 0; i < n; i++)
    g_assert_cmpfloat_with_epsilon (
        got[i], want[i], TL_TOLERANCE_CORRECTED * MAX (1.0, fabs (want[i])));

  frame = tl_engine_reconstruct (c->engine, &params, NULL, &error);
  g_assert_no_error (error);
  assert_ran (c->engine, runs, 0, 1, 1);
  params.filter = TL_FILTER_HANN;
  g_assert_true (tl_engine_correct (c->engine, &params, NULL, &error));
  assert_ran (c->engine, runs, 0, 0, 0);
  g_clear_pointer (&frame, tl_frame_unref);
  frame = tl_engine_reconstruct (c->engine, &params, NULL, &error);
  g_assert_no_error (error);
  assert_ran (c->engine, runs, 0, 0, 1);
  params.minus_log = FALSE;
  g_assert_true (tl_engine_correct (c->engine, &params, NULL, &error));
  g_assert_true (tl_engine_correct (c->engine, &params, NULL, &error));
  assert_ran (c->engine, runs, 1, 0, 0);
}

static void
add_cases (TlEngine *engine)
{
  static const struct
  {
    const char *path;
    Case shape;
    GTestDataFunc func;
  } cases[] = {
    { "one-pixel",
      { NULL, 1, 1, 1, TL_SAMPLE_U16, TRUE, TRUE, TRUE, TRUE },
      test_case },
    { "prime",
      { NULL, 7, 3, 61, TL_SAMPLE_U16, TRUE, TRUE, TRUE, TRUE },
      test_case },
    { "past-block",
      { NULL, 33, 2, 257, TL_SAMPLE_U16, TRUE, TRUE, TRUE, TRUE },
      test_case },
    { "one-flat",
      { NULL, 5, 2, 31, TL_SAMPLE_U16, TRUE, TRUE, TRUE, FALSE },
      test_case },
    { "no-dark",
      { NULL, 5, 2, 31, TL_SAMPLE_U16, TRUE, TRUE, FALSE, TRUE },
      test_case },
    { "no-log",
      { NULL, 5, 2, 31, TL_SAMPLE_U16, TRUE, FALSE, TRUE, TRUE },
      test_case },
    { "log-only",
      { NULL, 5, 2, 31, TL_SAMPLE_U16, FALSE, TRUE, FALSE, FALSE },
      test_case },
    { "nothing",
      { NULL, 5, 2, 31, TL_SAMPLE_U16, FALSE, FALSE, FALSE, FALSE },
      test_case },
    { "clamp",
      { NULL, 3, 1, 17, TL_SAMPLE_U16, TRUE, TRUE, TRUE, TRUE },
      test_clamp },
    { "clamp-without-flat",
      { NULL, 3, 1, 17, TL_SAMPLE_U16, TRUE, TRUE, TRUE, TRUE },
      test_clamp_without_flat },
    { "dead",
      { NULL, 3, 3, 17, TL_SAMPLE_U16, TRUE, TRUE, TRUE, TRUE },
      test_dead },
    { "all-dead",
      { NULL, 3, 3, 17, TL_SAMPLE_U16, TRUE, TRUE, TRUE, TRUE },
      test_all_dead },
    { "alone",
      { NULL, 5, 2, 31, TL_SAMPLE_U16, TRUE, TRUE, TRUE, TRUE },
      test_alone },
  };

  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strdup_printf ("correct/%s", cases[i].path);
      Case *c = g_memdup2 (&cases[i].shape, sizeof (Case));

      c->engine = engine;
      tl_test_add (engine, path, cases[i].func, c);
    }
  for (int type = 0; type < TL_N_SAMPLE_TYPES; type++)
    {
      g_autofree char *path =
          g_strdup_printf ("correct/type/%s", tl_sample_name (type));
      Case *c = g_new (Case, 1);

      *c = (Case){ engine, 4, 2, 29, type, TRUE, TRUE, TRUE, TRUE };
      tl_test_add (engine, path, test_case, c);
    }
  static const TlSampleType thin[] = { TL_SAMPLE_U16, TL_SAMPLE_U32,
                                       TL_SAMPLE_I32, TL_SAMPLE_F32,
                                       TL_SAMPLE_F64 };
  for (size_t i = 0; i < G_N_ELEMENTS (thin); i++)
    {
      g_autofree char *path =
          g_strdup_printf ("correct/thin/%s", tl_sample_name (thin[i]));
      Case *c = g_new (Case, 1);

      *c = (Case){ engine, 1, 3, 300, thin[i], TRUE, TRUE, TRUE, FALSE };
      tl_test_add (engine, path, test_thin, c);
    }
}

int
main (int argc, char **argv)
{
  return tl_test_run_engines (argc, argv, add_cases);
}
