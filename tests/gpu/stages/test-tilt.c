/* A tilted axis by every engine: rows with their own centres against plain
 * doubles, and objects with known slices. */
#include "tests/support/compare.h"
#include "tests/support/engines.h"
#include "tests/support/plain.h"
#include "tests/support/scans.h"

#include <math.h>

/* The relative L2 distance from the slice of a straight axis (measured: 0.0018
 * with a centre for each row, 0.0002 turned back), and the least factor by
 * which it grows in rows away from the middle if the tilt is ignored. */
#define TOLERANCE_STRAIGHT 0.003
#define LEFT_ALONE 5.0

/* The same distance for a half acquisition, which samples the near side at
 * other positions. */
#define TOLERANCE_HALF 0.01

/* --- a centre for each row --- */

/* Every row has its own centre; in a half acquisition, the column weights
 * follow it. Several rows are transformed as real rows, whatever transform is
 * requested. */
static void
test_rows (gconstpointer data)
{
  static const struct
  {
    double tilt_deg, centre_col;
    gboolean half;
    size_t n_rows;
  } cases[] = {
    { 0.9, 17.3, FALSE, 5 }, { -1.2, 21.0, FALSE, 1 }, { 0.9, 17.3, FALSE, 2 },
    { 0.7, 8.4, TRUE, 5 },   { -0.7, 33.1, TRUE, 1 },
  };
  TlEngine *engine = tl_test_get_engine (data);

  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (TlTestScan) scan =
          tl_test_scan_new_noise (38, cases[i].n_rows, 41);
      TlParams params = tl_test_params (scan);
      g_autoptr (TlFrame) frame = NULL;
      g_autoptr (GError) error = NULL;
      g_autofree double *want = NULL;
      TlEngineReport report;

      tl_test_scan_set_angles (scan, 0.7, 360.0, FALSE);
      scan->block.middle_row = 31.5;
      params.tilt_deg = cases[i].tilt_deg;
      params.centre_col = cases[i].centre_col;
      params.half = cases[i].half;
      params.grid = tl_grid_full (
          tl_half_span (params.half, params.centre_col, 41).n_cols);
      g_assert_false (
          tl_tilt_resamples (params.tilt_deg, params.centre_col, 41));
      frame = tl_test_reconstruct (engine, &scan->block, &params);
      want = tl_plain_reconstruct (&scan->block, &params);
      g_assert_true (tl_engine_get_report (engine, &report, &error));
      tl_test_assert_near (tl_frame_get_pixels (frame), want,
                           cases[i].n_rows * params.grid.nx * params.grid.ny,
                           tl_test_tolerance (tl_engine_get_name (engine),
                                              report.variant, 38, TRUE));
    }
}

/* --- an object --- */

#define N_SIDE 129
#define N_VIEWS 240
#define N_HEIGHT 65

/* Returns: the line integral through smooth objects, value exp (-r^2 / (2
 * size^2)). They have no edges, whose position between two samples would be
 * unknown. They are slanted, so that they move from slice to slice. */
static double
get_ray (double below, double angle_rad, double s)
{
  const struct
  {
    double x, y, size, value;
  } things[] = {
    { 2.0, -4.0, 15.0, 0.010 },
    { 20.0 + 0.3 * below, 11.0, 4.0, 0.008 },
    { -19.0, -9.0 - 0.2 * below, 3.0, -0.004 },
  };
  double sum = 0.0;

  for (size_t i = 0; i < G_N_ELEMENTS (things); i++)
    {
      const double middle =
          things[i].x * cos (angle_rad) + things[i].y * sin (angle_rad);
      const double far = (s - middle) / things[i].size;

      sum += things[i].value * sqrt (2.0 * G_PI) * things[i].size
             * exp (-far * far / 2.0);
    }
  return sum;
}

/* Fills @scan with the line integrals of the objects about a tilted axis. */
static void
fill_tilted (TlTestScan *scan, double tilt_deg, double centre_col)
{
  const TlBlock *block = &scan->block;
  const double c = cos (tilt_deg * G_PI / 180.0);
  const double s = sin (tilt_deg * G_PI / 180.0);
  float *to = scan->samples;

  for (size_t p = 0; p < block->n_projections; p++)
    for (size_t row = 0; row < block->n_rows; row++)
      for (size_t col = 0; col < block->n_cols; col++)
        {
          const double dx = (double)col - centre_col;
          const double dy = (double)row - block->middle_row;

          *to++ = (float)get_ray (dx * s + dy * c, scan->angles_rad[p],
                                  dx * c - dy * s);
        }
}

static double
get_distance (TlFrame *frame, TlFrame *want)
{
  const size_t n = tl_frame_get_n_rows (want) * tl_frame_get_n_cols (want);
  double off = 0.0, all = 0.0;

  for (size_t i = 0; i < n; i++)
    {
      const double value = tl_frame_get_pixels (want)[i];

      off += pow (tl_frame_get_pixels (frame)[i] - value, 2.0);
      all += value * value;
    }
  return sqrt (off / all);
}

/* For tilts from 0.1 to 1 degree, the slices equal those of a straight axis, at
 * the ends of the detector as well as in its middle. */
static void
test_object (gconstpointer data)
{
  static const double tilts_deg[] = { 0.1, -0.4, 0.6, 1.0, -1.0 };
  static const double aways[] = { -20.0, 0.0, 23.0 }; /* from the middle row */
  TlEngine *engine = tl_test_get_engine (data);

  for (size_t i = 0; i < G_N_ELEMENTS (tilts_deg) * 3; i++)
    {
      const double tilt_deg = tilts_deg[i / 3], below = aways[i % 3];
      const size_t margin =
          tl_tilt_get_margin (tilt_deg, 61.3, N_HEIGHT, N_SIDE);
      g_autoptr (TlTestScan) straight =
          tl_test_scan_new (N_VIEWS, 1, N_SIDE, TL_SAMPLE_F32);
      g_autoptr (TlTestScan) band =
          tl_test_scan_new (N_VIEWS, 1 + 2 * margin, N_SIDE, TL_SAMPLE_F32);
      g_autoptr (TlFrame) want = NULL, got = NULL, alone = NULL;
      TlParams params = tl_test_params (band);
      double off, off_alone;

      params.centre_col = 61.3;
      straight->block.middle_row = -below;
      fill_tilted (straight, 0.0, params.centre_col);
      want = tl_test_reconstruct (engine, &straight->block, &params);
      band->block.middle_row = (double)margin - below;
      band->block.n_above = band->block.n_below = margin;
      fill_tilted (band, tilt_deg, params.centre_col);
      alone = tl_test_reconstruct (engine, &band->block, &params);
      params.tilt_deg = tilt_deg;
      got = tl_test_reconstruct (engine, &band->block, &params);
      off = get_distance (got, want);
      off_alone = get_distance (alone, want);
      g_test_message ("%g degrees, %g rows below: off by %g, %g otherwise",
                      tilt_deg, below, off, off_alone);
      g_assert_cmpfloat (off, <, TOLERANCE_STRAIGHT);
      if (below != 0.0)
        g_assert_cmpfloat (off_alone, >, LEFT_ALONE * off);
    }
}

/* A half acquisition works with an axis whose distance from the edge changes
 * from row to row.
 */
static void
test_half (gconstpointer data)
{
  static const struct
  {
    double tilt_deg, centre_col;
    size_t row;
  } cases[] = {
    { 0.4, 12.3, 12 },  { 1.0, 12.3, 12 },  { 1.0, 12.3, 55 },
    { -1.0, 61.6, 12 }, { -1.0, 61.6, 55 },
  };
  TlEngine *engine = tl_test_get_engine (data);

  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const double centre = cases[i].centre_col;
      const TlHalfSpan span = tl_half_span (TRUE, centre, 75);
      const size_t margin =
          tl_tilt_get_margin (cases[i].tilt_deg, centre, N_HEIGHT, 75);
      g_autoptr (TlTestScan) straight =
          tl_test_scan_new (2 * N_VIEWS, 1, span.n_cols, TL_SAMPLE_F32);
      g_autoptr (TlTestScan) scan =
          tl_test_scan_new (2 * N_VIEWS, 1 + 2 * margin, 75, TL_SAMPLE_F32);
      TlParams params = tl_test_params (straight);
      g_autoptr (TlFrame) want = NULL, got = NULL;
      double distance;

      tl_test_scan_set_angles (straight, 0.0, 360.0, FALSE);
      tl_test_scan_set_angles (scan, 0.0, 360.0, FALSE);
      scan->block.middle_row =
          (N_HEIGHT - 1) / 2.0 - (double)cases[i].row + (double)margin;
      scan->block.n_above = scan->block.n_below = margin;
      straight->block.middle_row = scan->block.middle_row - (double)margin;
      params.centre_col = (double)span.first_col + centre;
      fill_tilted (straight, 0.0, params.centre_col);
      want = tl_test_reconstruct (engine, &straight->block, &params);
      fill_tilted (scan, cases[i].tilt_deg, centre);
      params.centre_col = centre;
      params.tilt_deg = cases[i].tilt_deg;
      params.half = TRUE;
      got = tl_test_reconstruct (engine, &scan->block, &params);
      distance = get_distance (got, want);
      g_test_message ("centre %g, %g degrees, row %zu: off by %g", centre,
                      cases[i].tilt_deg, cases[i].row, distance);
      g_assert_cmpfloat (distance, <, TOLERANCE_HALF);
    }
}

/* --- stages --- */

/* Reconstructs. Returns: the first stage that ran */
static TlStage
find_first (TlEngine *engine, const TlParams *params)
{
  TlEngineReport before, after;
  g_autoptr (GError) error = NULL;
  g_autoptr (TlFrame) frame = NULL;
  TlStage stage = TL_STAGE_UPLOAD;

  g_assert_true (tl_engine_get_report (engine, &before, &error));
  frame = tl_engine_reconstruct (engine, params, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (tl_engine_get_report (engine, &after, &error));
  while (after.n_runs[stage] == before.n_runs[stage])
    stage++;
  g_assert_cmpuint (
      after.n_runs[TL_STAGE_TILT] - before.n_runs[TL_STAGE_TILT], ==,
      stage <= TL_STAGE_TILT
          && tl_tilt_resamples (params->tilt_deg, params->centre_col, 41));
  return stage;
}

static void
test_stages (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  g_autoptr (TlTestScan) scan = tl_test_scan_new_noise (19, 9, 41);
  TlParams params = tl_test_params (scan);
  g_autoptr (GError) error = NULL;

  /* One slice only: with a tilt, several slices cannot share a complex
   * transform, which one of the engines uses for two slices. */
  scan->block.n_above = scan->block.n_below = 4;
  scan->block.middle_row = 40.0;
  params.centre_col = 20.0;
  g_assert_true (tl_engine_load (engine, &scan->block, &error));
  g_assert_cmpint (find_first (engine, &params), ==, TL_STAGE_CORRECT);
  params.tilt_deg = 1.0; /* 0.35 of a row */
  g_assert_cmpint (find_first (engine, &params), ==, TL_STAGE_FILTER);
  params.centre_col = 20.2;
  g_assert_cmpint (find_first (engine, &params), ==, TL_STAGE_FILTER);
  params.tilt_deg = 2.0;
  g_assert_cmpint (find_first (engine, &params), ==, TL_STAGE_CORRECT);
  params.tilt_deg = 2.5;
  g_assert_cmpint (find_first (engine, &params), ==, TL_STAGE_TILT);
  params.centre_col = 20.4;
  g_assert_cmpint (find_first (engine, &params), ==, TL_STAGE_TILT);
  params.zingers = TRUE;
  g_assert_cmpint (find_first (engine, &params), ==, TL_STAGE_ZINGERS);
  params.cutoff = 0.5;
  g_assert_cmpint (find_first (engine, &params), ==, TL_STAGE_FILTER);
  params.tilt_deg = 0.0;
  g_assert_cmpint (find_first (engine, &params), ==, TL_STAGE_CORRECT);
  params.centre_col += 0.5;
  /* Folded rows are mirrored about the axis, so they may be filtered again. */
  g_assert_cmpint (find_first (engine, &params), >=, TL_STAGE_FILTER);
}

/* --- the rule --- */

static void
test_rule (gconstpointer data)
{
  TlParams params;
  size_t first, last;

  /* The axis is 1023.5 columns from either edge. */
  g_assert_false (tl_tilt_resamples (0.0279, 1023.5, 2048));
  g_assert_true (tl_tilt_resamples (-0.0281, 1023.5, 2048));
  g_assert_false (tl_tilt_resamples (0.0, 0.0, 2048));
  g_assert_true (tl_tilt_resamples (0.02, 100.0, 2048));
  g_assert_cmpuint (tl_tilt_get_margin (0.0279, 1023.5, 2048, 2048), ==, 0);
  /* 17.9 and 0.2 rows for the tilt, and 2 rows for the interpolation. */
  g_assert_cmpuint (tl_tilt_get_margin (1.0, 1023.5, 2048, 2048), ==, 21);
  g_assert_cmpuint (tl_tilt_get_margin (-1.0, 1023.5, 2048, 2048), ==, 21);
  /* The lower end of the axis leans to the right. */
  g_assert_cmpfloat_with_epsilon (tl_tilt_get_axis_col (1.0, 50.0, 100.0),
                                  51.7455, 1e-4);

  /* 41 columns with a slope of 0.07: the slice lies 2.4 rows lower at the left
   * edge and 0.35 rows higher at the right edge. */
  g_assert_true (tl_tilt_find_inner (4.0, 35.0, 15, 41, &first, &last));
  g_assert_cmpuint (first, ==, 0);
  g_assert_cmpuint (last, ==, 12);
  g_assert_true (tl_tilt_find_inner (-4.0, 35.0, 15, 41, &first, &last));
  g_assert_cmpuint (first, ==, 2);
  g_assert_cmpuint (last, ==, 14);
  g_assert_false (tl_tilt_find_inner (10.0, 1023.5, 64, 2048, &first, &last));
  g_assert_true (tl_tilt_find_inner (0.01, 1023.5, 64, 2048, &first, &last));
  g_assert_cmpuint (first, ==, 0);
  g_assert_cmpuint (last, ==, 63);

  tl_params_init (&params, 64);
  g_assert_cmpfloat (params.tilt_deg, ==, 0.0);
  params.tilt_deg = -10.0;
  g_assert_true (tl_params_check (&params, 64, NULL));
  params.tilt_deg = 10.01;
  g_assert_false (tl_params_check (&params, 64, NULL));
  params.tilt_deg = NAN;
  g_assert_false (tl_params_check (&params, 64, NULL));
}

static void
add_cases (TlEngine *engine)
{
  static const TlTestCase cases[] = {

    { "tilt/rows", test_rows }, { "tilt/object", test_object },
    { "tilt/half", test_half }, { "tilt/stages", test_stages },
    { "tilt/rule", test_rule },
  };

  tl_test_add_cases (engine, cases, G_N_ELEMENTS (cases));
}

int
main (int argc, char **argv)
{
  return tl_test_run_engines (argc, argv, add_cases);
}
