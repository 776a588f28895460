/* Planes by every engine: against slices, against plain doubles, and against
 * closed forms in three dimensions. */
#include "data/error.h"
#include "tests/support/compare.h"
#include "tests/support/engines.h"
#include "tests/support/plain.h"
#include "tests/support/scans.h"

#include <math.h>
#include <string.h>

#define N_PROJECTIONS 60
#define N_ROWS 7
#define N_COLS 45

/* Sums of the host in another order, against each other. */
#define TOLERANCE_ORDER 2e-6

static TlTestScan *
new_scan (gboolean is_turn)
{
  TlTestScan *scan = tl_test_scan_new_noise (N_PROJECTIONS, N_ROWS, N_COLS);

  if (is_turn)
    tl_test_scan_set_angles (scan, 0.7, 360.0, FALSE);
  scan->block.middle_row = 2.25; /* the block is a part of the detector */
  return scan;
}

/* Full precision, with which slices are compared. */
static TlParams
make_params (const TlTestScan *scan)
{
  TlParams params = tl_test_params (scan);

  params.precision = TL_PRECISION_FULL;
  return params;
}

static gboolean
is_host (TlEngine *engine)
{
  return g_str_equal (tl_engine_get_name (engine), "host");
}

/* Returns: (transfer full): the plane of the block that is loaded */
static TlFrame *
reconstruct_plane (TlEngine *engine, const TlPlane *plane,
                   const TlParams *params)
{
  g_autoptr (GError) error = NULL;
  TlFrame *frame =
      tl_engine_reconstruct_plane (engine, plane, params, NULL, &error);

  g_assert_no_error (error);
  g_assert_true (tl_frame_fetch (frame, &error));
  g_assert_cmpuint (tl_frame_get_n_slices (frame), ==, 1);
  g_assert_cmpuint (tl_frame_get_n_rows (frame), ==, plane->ny);
  g_assert_cmpuint (tl_frame_get_n_cols (frame), ==, plane->nx);
  return frame;
}

/* Returns: for two results of one engine. A device transforms two rows as one,
 * so that rounding depends on the neighbour. */
static double
get_tolerance (TlEngine *engine)
{
  return is_host (engine) ? TOLERANCE_ORDER
                          : TL_TOLERANCE_LAW_FACTOR * TL_TOLERANCE_FULL;
}

static void
load (TlEngine *engine, const TlBlock *block)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (tl_engine_load (engine, block, &error));
}

static void
assert_close (const float *got, const float *want, size_t n, double tolerance)
{
  g_autofree double *wanted = g_new (double, n);

  for (size_t i = 0; i < n; i++)
    wanted[i] = want[i];
  tl_test_assert_near (got, wanted, n, tolerance);
}

static double
get_rounding (TlEngine *engine)
{
  return tl_test_rounding (tl_engine_get_name (engine), TL_PRECISION_FULL);
}

/* The host computes the same numbers in the same order.
 * @ties: (nullable): for another engine */
static void
assert_same (TlEngine *engine, const float *got, const float *want,
             const double *ties, size_t n)
{
  g_autofree double *wanted = g_new (double, n);

  for (size_t i = 0; i < n; i++)
    wanted[i] = want[i];
  if (is_host (engine))
    g_assert_cmpmem (got, n * sizeof (float), want, n * sizeof (float));
  else
    tl_test_assert_slices (got, wanted, ties, n, get_tolerance (engine));
}

/* --- against slices --- */

static void
check_slices (TlEngine *engine, const TlTestScan *scan, const TlParams *params)
{
  const TlGrid *grid = &params->grid;
  const size_t n = grid->ny * grid->nx;
  g_autoptr (TlFrame) slices =
      tl_test_reconstruct (engine, &scan->block, params);
  const size_t n_slices = tl_frame_get_n_slices (slices);
  const float *want = tl_frame_get_pixels (slices);
  g_autofree double *ties =
      is_host (engine)
          ? NULL
          : tl_plain_find_ties (&scan->block, params, get_rounding (engine));

  for (size_t row = 0; row < n_slices; row++)
    {
      const TlPlane plane = tl_plane_xy (grid, (double)row);
      g_autoptr (TlFrame) got = reconstruct_plane (engine, &plane, params);

      assert_same (engine, tl_frame_get_pixels (got), want + row * n,
                   ties != NULL ? ties + row * n : NULL, n);
    }
}

static void
test_slices (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  g_autoptr (TlTestScan) scan = new_scan (FALSE);
  TlParams params = make_params (scan);
  TlGrid grids[] = { params.grid,
                     { 37, 150, -70.3, 11.2, 0.8 },
                     { 20, 21, -31.0, 29.0, 3.1 } };

  params.centre_col += 0.3;
  for (guint way = 0; way < TL_N_INTERPOLATIONS; way++)
    for (size_t i = 0; i < G_N_ELEMENTS (grids); i++)
      {
        if (way == TL_INTERPOLATION_CUBIC && !is_host (engine))
          continue;
        params.interpolation = way;
        params.grid = grids[i];
        check_slices (engine, scan, &params);
      }
}

/* Tilts that shift and that turn rows, rows beside those of the slices. */
static void
test_tilt (gconstpointer data)
{
  static const double tilts[] = { 0.4, -6.0 };
  TlEngine *engine = tl_test_get_engine (data);
  g_autoptr (TlTestScan) scan = new_scan (FALSE);
  TlParams params = make_params (scan);

  scan->block.n_above = 2;
  scan->block.n_below = 1;
  for (size_t i = 0; i < G_N_ELEMENTS (tilts); i++)
    {
      params.tilt_deg = tilts[i];
      check_slices (engine, scan, &params);
    }
}

static void
test_half (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  g_autoptr (TlTestScan) scan = new_scan (TRUE);
  TlParams params = make_params (scan);

  params.half = TRUE;
  params.centre_col = 7.25;
  params.tilt_deg = 0.3;
  params.grid = tl_grid_full (tl_half_span (TRUE, 7.25, N_COLS).n_cols);
  check_slices (engine, scan, &params);
}

/* The weights of a scan that is being taken, of which a third is there. */
static void
test_weights (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  g_autoptr (TlTestScan) scan = new_scan (FALSE);
  const TlParams params = make_params (scan);
  double weights[N_PROJECTIONS];

  for (size_t p = 0; p < N_PROJECTIONS; p++)
    weights[p] = p % 3 == 0 ? 0.01 * (double)(p + 1) : 0.0;
  scan->block.weights = weights;
  check_slices (engine, scan, &params);
}

/* x-z and y-z planes are rows and columns of the slices. */
static void
test_columns (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  g_autoptr (TlTestScan) scan = new_scan (FALSE);
  TlParams params = make_params (scan);
  float want_xz[N_ROWS * 150], want_yz[N_ROWS * 37];

  params.grid = (TlGrid){ 37, 150, -70.3, 11.2, 0.8 };
  params.tilt_deg = 0.4;
  const TlPlane xz = tl_plane_xz (&params.grid, 11, N_ROWS);
  const TlPlane yz = tl_plane_yz (&params.grid, 70, N_ROWS);
  g_autoptr (TlFrame) slices =
      tl_test_reconstruct (engine, &scan->block, &params);
  const float *from = tl_frame_get_pixels (slices);
  g_autoptr (TlFrame) got_xz = reconstruct_plane (engine, &xz, &params);
  g_autoptr (TlFrame) got_yz = reconstruct_plane (engine, &yz, &params);

  for (size_t z = 0; z < N_ROWS; z++)
    {
      memcpy (want_xz + z * 150, from + (z * 37 + 11) * 150,
              150 * sizeof (float));
      for (size_t y = 0; y < 37; y++)
        want_yz[z * 37 + y] = from[(z * 37 + y) * 150 + 70];
    }
  assert_same (engine, tl_frame_get_pixels (got_xz), want_xz, NULL,
               N_ROWS * 150);
  assert_close (tl_frame_get_pixels (got_yz), want_yz, N_ROWS * 37,
                get_tolerance (engine));
}

/* --- against plain doubles --- */

static const TlPlane planes[] = {
  { 30, 40, { -20, 14, 2.7 }, { 1, 0, 0 }, { 0, -1, 0 } },
  { 30, 40, { -20, 14, -1.5 }, { 1, 0.1, 0 }, { 0.2, -0.5, 0.31 } },
  { 21, 150, { -22, 9, 7.2 }, { 0.31, 0.1, -0.061 }, { 0, -1, 0.1 } },
  { 40, 17, { 3, -20, 0 }, { 0, 0, 0.37 }, { 0, 1, 0 } },
  { 13, 12, { 30, 31, 6.9 }, { -4, -3, -0.7 }, { 2.5, -5, 0.2 } },
  { 1, 40, { -19.5, 3, 3.5 }, { 1, 0, 0 }, { 0, 0, 0 } },
};

static void
check_plain (TlEngine *engine, const TlTestScan *scan, const TlParams *params)
{
  load (engine, &scan->block);
  for (size_t i = 0; i < G_N_ELEMENTS (planes); i++)
    {
      g_autofree double *want =
          tl_plain_reconstruct_plane (&scan->block, &planes[i], params);
      g_autofree double *ties = tl_plain_find_plane_ties (
          &scan->block, &planes[i], params, get_rounding (engine));
      g_autoptr (TlFrame) got = reconstruct_plane (engine, &planes[i], params);

      g_test_message ("plane %zu, %s interpolation", i,
                      tl_interpolation_names[params->interpolation]);
      tl_test_assert_slices (
          tl_frame_get_pixels (got), want, ties, planes[i].ny * planes[i].nx,
          is_host (engine) ? TL_TOLERANCE_HOST : TL_TOLERANCE_FULL);
    }
}

static void
test_plain (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  g_autoptr (TlTestScan) scan = new_scan (TRUE);
  TlParams params = make_params (scan);

  params.tilt_deg = -0.5;
  for (guint way = 0; way < TL_N_INTERPOLATIONS; way++)
    {
      if (way == TL_INTERPOLATION_CUBIC && !is_host (engine))
        continue;
      params.interpolation = way;
      params.half = way == TL_INTERPOLATION_LINEAR;
      params.centre_col = params.half ? 9.4 : 21.7;
      check_plain (engine, scan, &params);
    }
}

/* --- against closed forms --- */

#define N_FORM 96

/* A Gaussian or an ellipsoid, with half axes or standard deviations along x, y
 * and z. */
typedef struct
{
  double x, y, z, a, b, c, value;
} Thing;

static const Thing things[] = {
  { 6.0, -9.0, 48.0, 17.0, 14.0, 18.0, 1.0 },
  { -14.0, 6.0, 21.0, 9.0, 11.0, 13.0, 0.5 },
};

/* Returns: the line integral at @s columns from the axis in row @row */
static double
integrate (const Thing *t, gboolean is_gaussian, double angle_rad, double s,
           double row)
{
  const double c = cos (angle_rad), d = sin (angle_rad);
  const double width = hypot (t->a * c, t->b * d);
  const double off = (s - t->x * c - t->y * d) / width;
  const double up = (row - t->z) / t->c;
  const double inside = 1.0 - off * off - up * up;

  if (is_gaussian)
    return t->value * sqrt (2.0 * G_PI) * t->a * t->b / width
           * exp (-(off * off + up * up) / 2.0);
  return inside > 0.0 ? t->value * 2.0 * t->a * t->b / width * sqrt (inside)
                      : 0.0;
}

/* @shrink: divides the half axes. */
static TlTestScan *
new_form (gboolean is_gaussian, double shrink)
{
  TlTestScan *scan = tl_test_scan_new (180, N_FORM, N_FORM, TL_SAMPLE_F32);
  float *sample = scan->samples;

  for (size_t p = 0; p < 180; p++)
    for (size_t row = 0; row < N_FORM; row++)
      for (size_t col = 0; col < N_FORM; col++, sample++)
        for (size_t i = 0; i < G_N_ELEMENTS (things); i++)
          {
            Thing t = things[i];

            t.a /= shrink;
            t.b /= shrink;
            t.c /= shrink;
            *sample += (float)integrate (&t, is_gaussian, scan->angles_rad[p],
                                         (double)col - (N_FORM - 1) / 2.0,
                                         (double)row);
          }
  return scan;
}

static TlPlane
make_oblique (void)
{
  static const double middle[] = { 2.0, -3.0, 43.0 };
  static const double u[] = { 0.8, 0.36, 0.48 }, v[] = { 0, -0.8, 0.6 };

  return tl_plane_oblique (middle, u, v, 81);
}

static void
get_place (const TlPlane *plane, size_t k, double *at)
{
  for (size_t d = 0; d < 3; d++)
    at[d] = plane->origin[d] + (double)(k % plane->nx) * plane->u[d]
            + (double)(k / plane->nx) * plane->v[d];
}

/* Returns: how far @at is from the middle of @t, in half axes */
static double
measure (const Thing *t, const double *at)
{
  return hypot (hypot ((at[0] - t->x) / t->a, (at[1] - t->y) / t->b),
                (at[2] - t->z) / t->c);
}

/* Returns: the largest error of @plane, for Gaussians divided by @shrink */
static double
find_worst (TlEngine *engine, const TlPlane *plane, const TlParams *params,
            double shrink)
{
  g_autoptr (TlFrame) frame = reconstruct_plane (engine, plane, params);
  const float *pixels = tl_frame_get_pixels (frame);
  double worst = 0.0;

  for (size_t k = 0; k < plane->ny * plane->nx; k++)
    {
      double at[3], want = 0.0;

      get_place (plane, k, at);
      if (hypot (at[0], at[1]) > 40.0 || at[2] < 0.0 || at[2] > N_FORM - 1)
        continue;
      for (size_t i = 0; i < G_N_ELEMENTS (things); i++)
        {
          const double r = measure (&things[i], at);

          want += things[i].value * exp (-r * r * shrink * shrink / 2.0);
        }
      worst = fmax (worst, fabs (pixels[k] - want));
    }
  return worst;
}

/* The error of an oblique plane is that of slices and, for the linear
 * interpolation between rows, up to 1/8 of the second derivative along z. Of a
 * Gaussian that is 1 / (8 c^2) of its height at most. */
static void
test_gaussians (gconstpointer data)
{
  const double shrink = 3.5;
  TlEngine *engine = tl_test_get_engine (data);
  g_autoptr (TlTestScan) scan = new_form (TRUE, shrink);
  const TlParams params = make_params (scan);
  const TlPlane oblique = make_oblique ();
  double of_slices = 0.0, of_rows = 0.0;

  load (engine, &scan->block);
  for (size_t row = 20; row < 70; row += 5)
    {
      const TlPlane slice = tl_plane_xy (&params.grid, (double)row);

      of_slices =
          fmax (of_slices, find_worst (engine, &slice, &params, shrink));
    }
  for (size_t i = 0; i < G_N_ELEMENTS (things); i++)
    of_rows +=
        things[i].value * shrink * shrink / (8.0 * things[i].c * things[i].c);
  const double worst = find_worst (engine, &oblique, &params, shrink);
  g_test_message ("off by %g, slices by %g, rows by up to %g", worst, of_slices,
                  of_rows);
  g_assert_cmpfloat (of_slices, <, 0.01);
  g_assert_cmpfloat (worst, <=, of_slices + of_rows);
}

/* Errors of the ellipsoids and of what is outside of them, without a margin at
 * their edges. */
typedef struct
{
  double sums[3], counts[3]; /* of the values: outside, then the things */
  double squares;            /* of all errors */
} FormErrors;

/* @margin: in half axes */
static void
add_errors (TlEngine *engine, const TlPlane *plane, const TlParams *params,
            double margin, FormErrors *errors)
{
  g_autoptr (TlFrame) frame = reconstruct_plane (engine, plane, params);

  for (size_t k = 0; k < plane->ny * plane->nx; k++)
    {
      const double value = tl_frame_get_pixels (frame)[k];
      gboolean is_near = FALSE;
      size_t place = 0;
      double at[3];

      get_place (plane, k, at);
      for (size_t i = 0; i < G_N_ELEMENTS (things); i++)
        {
          const double r = measure (&things[i], at);

          is_near |= fabs (r - 1.0) < margin;
          if (r < 1.0)
            place = i + 1;
        }
      if (is_near || hypot (at[0], at[1]) > 40.0)
        continue;
      const double off = value - (place > 0 ? things[place - 1].value : 0.0);

      errors->sums[place] += value;
      errors->counts[place]++;
      errors->squares += off * off;
    }
}

static double
get_rms (const FormErrors *e)
{
  return sqrt (e->squares / (e->counts[0] + e->counts[1] + e->counts[2]));
}

/* Ellipsoids have their values inside, and there is nothing outside. Where the
 * rows above and below a place have the same value, interpolation adds nothing
 * to the error of slices. */
static void
test_ellipsoids (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  g_autoptr (TlTestScan) scan = new_form (FALSE, 1.0);
  const TlParams params = make_params (scan);
  const TlPlane plane = make_oblique ();
  FormErrors of_plane = { 0 }, of_slices = { 0 };

  load (engine, &scan->block);
  add_errors (engine, &plane, &params, 0.25, &of_plane);
  for (size_t row = 10; row < 80; row += 5)
    {
      const TlPlane slice = tl_plane_xy (&params.grid, (double)row);

      add_errors (engine, &slice, &params, 0.25, &of_slices);
    }
  for (size_t i = 0; i < 3; i++)
    {
      g_assert_cmpfloat (of_plane.counts[i], >, 100.0);
      g_assert_cmpfloat_with_epsilon (of_plane.sums[i] / of_plane.counts[i],
                                      i > 0 ? things[i - 1].value : 0.0,
                                      TL_TOLERANCE_DISC);
    }
  g_test_message ("rms error %g, of slices %g", get_rms (&of_plane),
                  get_rms (&of_slices));
  g_assert_cmpfloat (get_rms (&of_plane), <=, 1.1 * get_rms (&of_slices));
}

/* --- parts --- */

/* A plane is the sum of what the blocks of its rows give. */
static void
test_parts (gconstpointer data)
{
  static const size_t ends[] = { 1, 4, N_ROWS };
  TlEngine *engine = tl_test_get_engine (data);
  g_autoptr (TlTestScan) scan = new_scan (FALSE);
  TlParams params = make_params (scan);
  g_autoptr (GError) error = NULL;

  params.tilt_deg = 0.4;
  for (size_t i = 0; i < G_N_ELEMENTS (planes); i++)
    {
      const size_t n = planes[i].ny * planes[i].nx;
      g_autoptr (TlFrame) sum = NULL, whole = NULL;
      size_t first = 0;

      load (engine, &scan->block);
      whole = reconstruct_plane (engine, &planes[i], &params);
      for (size_t k = 0; k < G_N_ELEMENTS (ends); k++)
        {
          TlBlock part = scan->block;
          TlPlane plane = planes[i];

          part.n_above = first;
          part.n_below = N_ROWS - ends[k];
          plane.origin[2] -= (double)first;
          first = ends[k];
          load (engine, &part);
          g_autoptr (TlFrame) more =
              reconstruct_plane (engine, &plane, &params);
          TlFrame *both = sum != NULL
                              ? tl_engine_add (engine, sum, 1.0, more, &error)
                              : tl_frame_ref (more);
          g_assert_no_error (error);
          g_clear_pointer (&sum, tl_frame_unref);
          sum = both;
        }
      g_assert_true (tl_frame_fetch (sum, &error));
      assert_close (tl_frame_get_pixels (sum), tl_frame_get_pixels (whole), n,
                    get_tolerance (engine));
    }
}

/* Beside the rows there is nothing, however far. */
static void
test_beside (gconstpointer data)
{
  static const double heights[] = { -1.0, -1e6, N_ROWS, 1e6 };
  TlEngine *engine = tl_test_get_engine (data);
  g_autoptr (TlTestScan) scan = new_scan (FALSE);
  const TlParams params = make_params (scan);

  load (engine, &scan->block);
  for (size_t i = 0; i < G_N_ELEMENTS (heights); i++)
    for (guint is_steep = 0; is_steep < 2; is_steep++)
      {
        TlPlane plane = tl_plane_xy (&params.grid, heights[i]);

        plane.u[2] = is_steep ? heights[i] * 0.001 : 0.0;
        g_autoptr (TlFrame) frame = reconstruct_plane (engine, &plane, &params);
        for (size_t k = 0; k < plane.ny * plane.nx; k++)
          g_assert_cmpfloat (tl_frame_get_pixels (frame)[k], ==, 0.0);
      }
}

/* Slices and planes of one block share what is before the back-projection. */
static void
test_stages (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  g_autoptr (TlTestScan) scan = new_scan (FALSE);
  const TlParams params = make_params (scan);
  TlEngineReport before, after;
  g_autoptr (GError) error = NULL;

  tl_frame_unref (tl_test_reconstruct (engine, &scan->block, &params));
  g_assert_true (tl_engine_get_report (engine, &before, &error));
  tl_frame_unref (reconstruct_plane (engine, &planes[1], &params));
  g_assert_true (tl_engine_get_report (engine, &after, &error));
  for (guint stage = 0; stage < TL_N_STAGES; stage++)
    if (stage != TL_STAGE_FILTER || is_host (engine))
      g_assert_cmpuint (after.n_runs[stage] - before.n_runs[stage], ==,
                        stage == TL_STAGE_BACKPROJECT);
  g_assert_cmpuint (after.n_folded, ==, 1);
  tl_test_assert_first (engine, &params,
                        after.variant == before.variant ? TL_STAGE_BACKPROJECT
                                                        : TL_STAGE_FILTER);
}

static size_t
get_bytes (TlEngine *engine)
{
  TlEngineReport report;
  g_autoptr (GError) error = NULL;

  g_assert_true (tl_engine_get_report (engine, &report, &error));
  return report.memory_bytes;
}

/* Samples of any size, because halves have a unit for each row. */
static void
check_fast (TlEngine *engine, double tilt_deg, float factor)
{
  g_autoptr (TlTestScan) scan = new_scan (FALSE);
  const size_t n = planes[1].ny * planes[1].nx;
  TlParams params = make_params (scan);
  float *samples = scan->samples;

  for (size_t i = 0; i < N_PROJECTIONS * N_ROWS * N_COLS; i++)
    samples[i] *= factor;
  params.tilt_deg = tilt_deg;
  load (engine, &scan->block);
  g_autoptr (TlFrame) full = reconstruct_plane (engine, &planes[1], &params);
  params.precision = TL_PRECISION_FAST;
  g_autoptr (TlFrame) fast = reconstruct_plane (engine, &planes[1], &params);

  assert_close (tl_frame_get_pixels (fast), tl_frame_get_pixels (full), n,
                is_host (engine) ? 0.0 : TL_TOLERANCE_HALVES);
}

static void
test_fast (gconstpointer data)
{
  static const double tilts[] = { 0.0, 0.4, -6.0 };
  static const float factors[] = { 1e-20F, 1.0F, 1e20F };

  for (size_t i = 0; i < G_N_ELEMENTS (tilts); i++)
    for (size_t k = 0; k < G_N_ELEMENTS (factors); k++)
      check_fast (tl_test_get_engine (data), tilts[i], factors[k]);
}

/* A device keeps two rows of 128 values as one of 256, in floats or in halves
 * with a unit. */
static void
test_fast_memory (gconstpointer data)
{
  const size_t n_rows = N_PROJECTIONS * N_ROWS / 2;
  TlEngine *engine = tl_test_get_engine (data);
  g_autoptr (TlTestScan) scan = new_scan (FALSE);
  TlParams params = make_params (scan);

  if (is_host (engine))
    return;
  load (engine, &scan->block);
  tl_frame_unref (reconstruct_plane (engine, &planes[1], &params));
  const size_t full = get_bytes (engine);
  params.precision = TL_PRECISION_FAST;
  tl_frame_unref (reconstruct_plane (engine, &planes[1], &params));
  const size_t fast = get_bytes (engine);

  g_test_message ("%zu bytes, %zu in fast precision", full, fast);
  g_assert_cmpuint (fast + n_rows * (256 * 2 - sizeof (float)), <=, full);
}

/* --- what is refused --- */

static void
assert_refused (TlEngine *engine, const TlPlane *plane, const TlParams *params,
                int code, const char *says)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (
      tl_engine_reconstruct_plane (engine, plane, params, NULL, &error));
  g_assert_error (error, TL_ERROR, code);
  if (strstr (error->message, says) == NULL)
    g_error ("\"%s\" lacks \"%s\"", error->message, says);
}

static void
test_refused (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  g_autoptr (TlTestScan) scan = new_scan (FALSE);
  TlParams params = make_params (scan);
  TlPlane plane = planes[0];

  load (engine, &scan->block);
  plane.nx = 0;
  assert_refused (engine, &plane, &params, TL_ERROR_VALUE, "no pixel");
  plane = planes[0];
  plane.v[2] = NAN;
  assert_refused (engine, &plane, &params, TL_ERROR_VALUE, "not a number");
  plane = planes[0];
  plane.u[1] = -1e6;
  assert_refused (engine, &plane, &params, TL_ERROR_VALUE, "farther than");
  params.method = TL_METHOD_FOURIER;
  assert_refused (engine, &planes[0], &params, TL_ERROR_UNSUPPORTED, "Fourier");
  params = make_params (scan);
  params.half = TRUE;
  assert_refused (engine, &planes[0], &params, TL_ERROR_VALUE, "full turn");
  params = make_params (scan);
  params.interpolation = TL_INTERPOLATION_CUBIC;
  if (!is_host (engine))
    assert_refused (engine, &planes[0], &params, TL_ERROR_UNSUPPORTED, "cubic");
}

static void
test_cancelled (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  g_autoptr (TlTestScan) scan = new_scan (FALSE);
  const TlParams params = make_params (scan);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;

  load (engine, &scan->block);
  g_cancellable_cancel (cancellable);
  g_assert_null (tl_engine_reconstruct_plane (engine, &planes[1], &params,
                                              cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  /* The engine goes on. */
  g_autoptr (TlFrame) frame = reconstruct_plane (engine, &planes[1], &params);
  g_assert_nonnull (frame);
}

static void
add_cases (TlEngine *engine)
{
  static const TlTestCase cases[] = {
    { "plane/slices", test_slices },
    { "plane/tilt", test_tilt },
    { "plane/half", test_half },
    { "plane/weights", test_weights },
    { "plane/columns", test_columns },
    { "plane/plain", test_plain },
    { "plane/gaussians", test_gaussians },
    { "plane/ellipsoids", test_ellipsoids },
    { "plane/parts", test_parts },
    { "plane/beside", test_beside },
    { "plane/stages", test_stages },
    { "plane/fast", test_fast },
    { "plane/fast-memory", test_fast_memory },
    { "plane/refused", test_refused },
    { "plane/cancelled", test_cancelled },
  };

  tl_test_add_cases (engine, cases, G_N_ELEMENTS (cases));
}

int
main (int argc, char **argv)
{
  return tl_test_run_engines (argc, argv, add_cases);
}
