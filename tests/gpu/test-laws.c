/* Laws of every reconstruction, independent of the engine: absolute scale,
 * orientation, linearity, symmetries. */
#include "data/error.h"
#include "tests/support/compare.h"
#include "tests/support/engines.h"
#include "tests/support/plain.h"
#include "tests/support/scans.h"

#include <math.h>

#define N 129
#define N_PROJECTIONS 180
#define N_NOISE_PROJECTIONS 37

static double
get_x (const TlGrid *grid, size_t j)
{
  return grid->x0 + (double)j * grid->pitch;
}

static double
get_y (const TlGrid *grid, size_t i)
{
  return grid->y0 - (double)i * grid->pitch;
}

/* Returns: the mean of the shape without the pixels close to its border, which
 * the filter affects. */
static double
get_mean_inside (TlFrame *frame, const TlGrid *grid, const TlTestEllipse *shape)
{
  const float *pixels = tl_frame_get_pixels (frame);
  double sum = 0.0;
  size_t n = 0;

  for (size_t i = 0; i < grid->ny; i++)
    for (size_t j = 0; j < grid->nx; j++)
      {
        if (!tl_test_ellipse_contains (shape, get_x (grid, j), get_y (grid, i),
                                       5.0))
          continue;
        sum += pixels[i * grid->nx + j];
        n++;
      }
  g_assert_cmpuint (n, >, 30);
  return sum / (double)n;
}

static void
test_disc (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  static const TlTestEllipse disc = { 9.0, -13.0, 40.0, 40.0, 0.0, 0.0125 };
  g_autoptr (TlTestScan) scan =
      tl_test_scan_new (N_PROJECTIONS, 1, N, TL_SAMPLE_F32);
  TlParams params = tl_test_params (scan);

  params.centre_col = 61.3;
  tl_test_scan_fill_ellipses (scan, params.centre_col, &disc, 1);
  for (int filter = 0; filter < TL_N_FILTERS; filter++)
    for (int padding = 0; padding < TL_N_PADDINGS; padding++)
      {
        g_autoptr (TlFrame) frame = NULL;
        double mean;

        params.filter = filter;
        params.padding = padding;
        frame = tl_test_reconstruct (engine, &scan->block, &params);
        mean = get_mean_inside (frame, &params.grid, &disc);
        g_test_message ("%s, %s: mean %.6f of %.6f", tl_filter_names[filter],
                        tl_padding_names[padding], mean, disc.value);
        g_assert_cmpfloat_with_epsilon (mean, disc.value,
                                        TL_TOLERANCE_DISC * disc.value);
      }
}

/* The angular weights keep the scale over 360 degrees, over 180 degrees with
 * the end point, and with unequal steps. */
static void
test_disc_angles (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  static const TlTestEllipse disc = { 9.0, -13.0, 40.0, 40.0, 0.0, 0.0125 };
  g_autoptr (TlTestScan) scan =
      tl_test_scan_new (N_PROJECTIONS, 1, N, TL_SAMPLE_F32);
  TlParams params = tl_test_params (scan);

  for (int kind = 0; kind < 3; kind++)
    {
      g_autoptr (TlFrame) frame = NULL;

      tl_test_scan_set_angles (scan, 30.0, kind == 0 ? 360.0 : 180.0,
                               kind == 1);
      for (size_t p = 0; kind == 2 && p < N_PROJECTIONS; p++)
        scan->angles_rad[p] += 0.3 * sin (4.0 * scan->angles_rad[p]) / 2.0;
      tl_test_scan_fill_ellipses (scan, params.centre_col, &disc, 1);
      frame = tl_test_reconstruct (engine, &scan->block, &params);
      g_assert_cmpfloat_with_epsilon (
          get_mean_inside (frame, &params.grid, &disc), disc.value,
          TL_TOLERANCE_DISC * disc.value);
    }
}

/* Reconstructs a round blob, exp (-r^2 / 2 s^2), that is too narrow for linear
 * interpolation. Returns: the relative L2 distance of the slice from the blob
 */
static double
get_blob_error (TlEngine *engine, TlInterpolation interpolation)
{
  const double x = 6.3, y = -9.1, s = 1.6;
  g_autoptr (TlTestScan) scan =
      tl_test_scan_new (N_PROJECTIONS, 1, 65, TL_SAMPLE_F32);
  TlParams params = tl_test_params (scan);
  g_autoptr (TlFrame) frame = NULL;
  g_autofree double *want = g_new (double, 65 * 65);

  params.interpolation = interpolation;
  for (size_t p = 0; p < N_PROJECTIONS; p++)
    for (size_t k = 0; k < 65; k++)
      {
        const double angle = scan->angles_rad[p];
        const double t =
            (double)k - params.centre_col - x * cos (angle) - y * sin (angle);

        ((float *)scan->samples)[p * 65 + k] =
            (float)(s * sqrt (2.0 * G_PI) * exp (-t * t / (2.0 * s * s)));
      }
  for (size_t i = 0; i < 65; i++)
    for (size_t j = 0; j < 65; j++)
      {
        const double r =
            hypot (get_x (&params.grid, j) - x, get_y (&params.grid, i) - y);

        want[i * 65 + j] = exp (-r * r / (2.0 * s * s));
      }
  frame = tl_test_reconstruct (engine, &scan->block, &params);
  return tl_test_distance (tl_frame_get_pixels (frame), want, 65 * 65);
}

/* Linear is closer to the blob than nearest, and cubic is closer than linear.
 */
static void
test_smooth (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  const double nearest = get_blob_error (engine, TL_INTERPOLATION_NEAREST);
  const double linear = get_blob_error (engine, TL_INTERPOLATION_LINEAR);
  const double cubic = get_blob_error (engine, TL_INTERPOLATION_CUBIC);

  g_test_message ("nearest %.3g, linear %.3g, cubic %.3g", nearest, linear,
                  cubic);
  g_assert_cmpfloat (linear, <, nearest);
  g_assert_cmpfloat (cubic, <, 0.25 * linear);
}

/* Three discs of different values keep their places; no disc lies on the mirror
 * image of another. */
static void
test_orientation (gconstpointer data)
{
  static const TlTestEllipse discs[] = {
    { 37.0, 21.0, 9.0, 9.0, 0.0, 0.03 },   /* right, above */
    { -25.0, 36.0, 11.0, 9.0, 0.0, 0.02 }, /* left, higher above */
    { 12.0, -40.0, 9.0, 12.0, 0.0, 0.01 }, /* below */
  };
  TlEngine *engine = tl_test_get_engine (data);
  g_autoptr (TlTestScan) scan =
      tl_test_scan_new (N_PROJECTIONS, 1, N, TL_SAMPLE_F32);
  const TlParams params = tl_test_params (scan);
  g_autoptr (TlFrame) frame = NULL;
  const float *pixels;

  tl_test_scan_fill_ellipses (scan, params.centre_col, discs,
                              G_N_ELEMENTS (discs));
  frame = tl_test_reconstruct (engine, &scan->block, &params);
  pixels = tl_frame_get_pixels (frame);
  for (size_t d = 0; d < G_N_ELEMENTS (discs); d++)
    {
      /* Row 0 has the largest y; the middle of the slice is pixel 64. */
      const size_t row = (size_t)(64.0 - discs[d].y);
      const size_t col = (size_t)(64.0 + discs[d].x);

      g_assert_cmpfloat_with_epsilon (
          get_mean_inside (frame, &params.grid, &discs[d]), discs[d].value,
          0.03 * discs[d].value);
      g_assert_cmpfloat_with_epsilon (pixels[row * N + col], discs[d].value,
                                      0.1 * discs[d].value);
    }
}

static const TlTestEllipse small_disc = { 20.0, 7.0, 6.0, 6.0, 0.0, 0.02 };

/* Finds the centre of mass of a small disc whose projections about @true_col
 * are reconstructed about @centre_col. */
static void
find_disc (TlEngine *engine, double true_col, double centre_col, double *x,
           double *y)
{
  g_autoptr (TlTestScan) scan = tl_test_scan_new (90, 1, 64, TL_SAMPLE_F32);
  TlParams params = tl_test_params (scan);
  g_autoptr (TlFrame) frame = NULL;
  double sum = 0.0, sum_x = 0.0, sum_y = 0.0;

  params.centre_col = centre_col;
  params.filter = TL_FILTER_HANN;
  tl_test_scan_fill_ellipses (scan, true_col, &small_disc, 1);
  frame = tl_test_reconstruct (engine, &scan->block, &params);
  for (size_t i = 0; i < 64; i++)
    for (size_t j = 0; j < 64; j++)
      {
        const double u = get_x (&params.grid, j), v = get_y (&params.grid, i);
        const double value = tl_frame_get_pixels (frame)[i * 64 + j];

        if (hypot (u - small_disc.x, v - small_disc.y) > 9.0)
          continue;
        sum += value;
        sum_x += value * u;
        sum_y += value * v;
      }
  *x = sum_x / sum;
  *y = sum_y / sum;
  g_test_message ("axis on %g, centre %g: disc at %.4f, %.4f", true_col,
                  centre_col, *x, *y);
}

/* With the right centre, the disc is in its place within two hundredths of a
 * pixel. With a wrong centre over half a turn, its centre of mass moves along y
 * by 4 / pi of the error. */
static void
test_centre (gconstpointer data)
{
  static const double centres[] = { 31.0, 31.25, 31.5, 31.9 };
  TlEngine *engine = tl_test_get_engine (data);
  double x, y;

  for (size_t c = 0; c < G_N_ELEMENTS (centres); c++)
    {
      find_disc (engine, centres[c], centres[c], &x, &y);
      g_assert_cmpfloat_with_epsilon (x, small_disc.x, 0.02);
      g_assert_cmpfloat_with_epsilon (y, small_disc.y, 0.02);
      find_disc (engine, centres[c], tl_centre_to_boundary (centres[c]), &x,
                 &y);
      g_assert_cmpfloat_with_epsilon (y, small_disc.y - 2.0 / G_PI, 0.03);
    }
}

/* The weights of a block stand for those of its angles, over half a turn and
 * over a turn, to the bit. Without the latter it is not a turn. */
static void
test_given_weights (gconstpointer data)
{
  enum
  {
    N_TURN = 90
  };
  TlEngine *engine = tl_test_get_engine (data);
  g_autoptr (TlTestScan) scan = tl_test_scan_new_noise (N_TURN, 1, 61);
  TlParams params = tl_test_params (scan);
  const size_t n_bytes = params.grid.nx * params.grid.ny * sizeof (float);
  double weights[N_TURN], turn_weights[N_TURN];
  g_autoptr (GError) error = NULL;

  tl_test_scan_set_angles (scan, 0.7, 360.0, FALSE);
  g_assert_true (
      tl_angle_weights (scan->angles_rad, N_TURN, FALSE, weights, NULL));
  g_assert_true (
      tl_angle_weights (scan->angles_rad, N_TURN, TRUE, turn_weights, NULL));
  TlBlock block = scan->block;
  block.weights = weights;
  block.turn_weights = turn_weights;
  params.centre_col = 50.0;
  for (int half = 0; half < 2; half++)
    {
      params.half = half;
      g_autoptr (TlFrame) found =
          tl_test_reconstruct (engine, &scan->block, &params);
      g_autoptr (TlFrame) given = tl_test_reconstruct (engine, &block, &params);
      g_assert_cmpmem (tl_frame_get_pixels (given), n_bytes,
                       tl_frame_get_pixels (found), n_bytes);
    }
  block.turn_weights = NULL;
  g_assert_true (tl_engine_load (engine, &block, NULL));
  g_assert_null (tl_engine_reconstruct (engine, &params, NULL, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_VALUE);
}

/* --- laws that are exact except for rounding --- */

typedef struct
{
  TlEngine *engine;
  const TlVariant *variant;
} Case;

static TlParams
make_params (const Case *c, const TlTestScan *scan)
{
  TlParams params = tl_test_params (scan);

  params.kernel = c->variant->kernel;
  params.interpolation = c->variant->interpolation;
  params.precision = c->variant->precision;
  return params;
}

static double
get_tolerance (const Case *c)
{
  return TL_TOLERANCE_LAW_FACTOR
         * tl_test_tolerance (tl_engine_get_name (c->engine), c->variant,
                              N_NOISE_PROJECTIONS, TRUE);
}

/* @got, @want: two slices, of which @block and @params describe one */
static void
assert_same (const Case *c, const TlBlock *block, const TlParams *params,
             const float *got, const double *want)
{
  g_autofree double *ties = tl_plain_find_ties (
      block, params,
      tl_test_rounding (tl_engine_get_name (c->engine), params->precision));

  tl_test_assert_slices (got, want, ties, params->grid.ny * params->grid.nx,
                         get_tolerance (c));
}

static TlTestScan *
make_noise (void)
{
  TlTestScan *scan = tl_test_scan_new_noise (N_NOISE_PROJECTIONS, 1, 61);

  tl_test_scan_set_angles (scan, 0.7, 180.0, FALSE);
  return scan;
}

/* Every variant has the right absolute scale; test_disc() covers the filters.
 */
static void
test_scale (gconstpointer data)
{
  static const TlTestEllipse disc = { 9.0, -13.0, 40.0, 40.0, 0.0, 0.0125 };
  const Case *c = data;
  g_autoptr (TlTestScan) scan =
      tl_test_scan_new (N_PROJECTIONS, 1, N, TL_SAMPLE_F32);
  TlParams params = make_params (c, scan);
  g_autoptr (TlFrame) frame = NULL;

  params.centre_col = 61.3;
  tl_test_scan_fill_ellipses (scan, params.centre_col, &disc, 1);
  frame = tl_test_reconstruct (c->engine, &scan->block, &params);
  g_assert_cmpfloat_with_epsilon (get_mean_inside (frame, &params.grid, &disc),
                                  disc.value, TL_TOLERANCE_DISC * disc.value);
}

static void
test_linear (gconstpointer data)
{
  const Case *c = data;
  g_autoptr (TlTestScan) a = make_noise (), b = make_noise ();
  const TlParams params = make_params (c, a);
  const size_t n = params.grid.nx * params.grid.ny;
  g_autoptr (TlFrame) frame_a =
      tl_test_reconstruct (c->engine, &a->block, &params);
  g_autoptr (TlFrame) frame_b =
      tl_test_reconstruct (c->engine, &b->block, &params);
  g_autoptr (TlFrame) frame = NULL;
  g_autofree double *want = g_new (double, n);

  for (size_t i = 0; i < N_NOISE_PROJECTIONS * 61; i++)
    ((float *)a->samples)[i] =
        ((float *)a->samples)[i] - 3.0f * ((float *)b->samples)[i];
  frame = tl_test_reconstruct (c->engine, &a->block, &params);
  for (size_t i = 0; i < n; i++)
    want[i] = tl_frame_get_pixels (frame_a)[i]
              - 3.0 * tl_frame_get_pixels (frame_b)[i];
  /* Both have the same coordinates. */
  tl_test_assert_near (tl_frame_get_pixels (frame), want, n, get_tolerance (c));
}

/* Reversed rows about a mirrored centre give the slice turned by 180 degrees.
 */
static void
test_mirrored (gconstpointer data)
{
  const Case *c = data;
  g_autoptr (TlTestScan) scan = make_noise ();
  TlParams params = make_params (c, scan);
  const size_t n = params.grid.nx * params.grid.ny;
  g_autoptr (TlFrame) straight = NULL, turned = NULL;
  g_autofree double *want = g_new (double, n);
  float *samples = scan->samples;

  params.padding = TL_PADDING_ZERO; /* symmetric, unlike the edge padding */
  params.centre_col = 27.4;
  straight = tl_test_reconstruct (c->engine, &scan->block, &params);
  for (size_t p = 0; p < N_NOISE_PROJECTIONS; p++)
    for (size_t k = 0; k < 30; k++)
      {
        const float v = samples[p * 61 + k];

        samples[p * 61 + k] = samples[p * 61 + 60 - k];
        samples[p * 61 + 60 - k] = v;
      }
  params.centre_col = 60.0 - 27.4;
  turned = tl_test_reconstruct (c->engine, &scan->block, &params);
  for (size_t i = 0; i < n; i++)
    want[i] = tl_frame_get_pixels (straight)[n - 1 - i];
  assert_same (c, &scan->block, &params, tl_frame_get_pixels (turned), want);
}

/* Angles increased by 90 degrees give the slice turned counter-clockwise. */
static void
test_quarter_turn (gconstpointer data)
{
  const Case *c = data;
  g_autoptr (TlTestScan) scan = make_noise ();
  const TlParams params = make_params (c, scan);
  const size_t n = params.grid.nx;
  g_autoptr (TlFrame) straight =
      tl_test_reconstruct (c->engine, &scan->block, &params);
  g_autoptr (TlFrame) turned = NULL;
  g_autofree double *want = g_new (double, n *n);

  for (size_t p = 0; p < N_NOISE_PROJECTIONS; p++)
    scan->angles_rad[p] += G_PI_2;
  turned = tl_test_reconstruct (c->engine, &scan->block, &params);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++)
      want[i * n + j] = tl_frame_get_pixels (straight)[j * n + n - 1 - i];
  assert_same (c, &scan->block, &params, tl_frame_get_pixels (turned), want);
}

/* Rows and axis moved by whole columns give the same slice where the detector
 * covers it both times. */
static void
test_moved_axis (gconstpointer data)
{
  const Case *c = data;
  g_autoptr (TlTestScan) scan =
      tl_test_scan_new (N_NOISE_PROJECTIONS, 1, 97, TL_SAMPLE_F32);
  TlParams params;
  const size_t moved = 9;
  g_autoptr (TlFrame) here = NULL, there = NULL;
  g_autofree double *want = NULL;
  float *samples = scan->samples;

  tl_test_scan_set_angles (scan, 0.7, 180.0, FALSE);
  for (size_t p = 0; p < N_NOISE_PROJECTIONS; p++)
    for (size_t k = 25; k < 60; k++)
      samples[p * 97 + k] = (float)g_test_rand_double_range (0.0, 1.0);
  params = make_params (c, scan);
  params.grid = tl_grid_full (47); /* its corners stay on the detector */
  params.centre_col = 43.2;
  here = tl_test_reconstruct (c->engine, &scan->block, &params);
  for (size_t p = 0; p < N_NOISE_PROJECTIONS; p++)
    for (size_t k = 97; k-- > 0;)
      samples[p * 97 + k] = k >= moved ? samples[p * 97 + k - moved] : 0.0f;
  params.centre_col = 43.2 + (double)moved;
  there = tl_test_reconstruct (c->engine, &scan->block, &params);
  want = g_new (double, 47 * 47);
  for (size_t i = 0; i < 47 * 47; i++)
    want[i] = tl_frame_get_pixels (here)[i];
  assert_same (c, &scan->block, &params, tl_frame_get_pixels (there), want);
}

/* A slice is the sum of the slices of two parts of its projections, if these
 * have the weights that they have in the whole. A projection that was added
 * with another weight is corrected by a further part with the difference, which
 * may be negative. */
static void
test_parts (gconstpointer data)
{
  enum
  {
    N_FIRST = 23
  };
  const Case *c = data;
  g_autoptr (TlTestScan) scan = make_noise ();
  const TlParams params = make_params (c, scan);
  const size_t n = params.grid.nx * params.grid.ny;
  const TlBlock whole = scan->block;
  double weights[N_NOISE_PROJECTIONS], early[N_FIRST], later[N_FIRST];
  g_autofree double *want = g_new (double, n);
  g_autofree float *sum = g_new0 (float, n);

  g_assert_true (tl_angle_weights (scan->angles_rad, N_NOISE_PROJECTIONS, FALSE,
                                   weights, NULL));
  for (size_t p = 0; p < N_FIRST; p++)
    {
      early[p] = weights[p] * (p % 2 == 0 ? 1.5 : 0.5);
      later[p] = weights[p] - early[p];
    }
  const struct
  {
    size_t first, n;
    const double *weights;
  } parts[] = { { 0, N_FIRST, early },
                { N_FIRST, N_NOISE_PROJECTIONS - N_FIRST, weights + N_FIRST },
                { 0, N_FIRST, later } };
  for (size_t k = 0; k < G_N_ELEMENTS (parts); k++)
    {
      TlBlock block = whole;

      block.n_projections = parts[k].n;
      block.samples = (const float *)scan->samples + parts[k].first * 61;
      block.angles_rad = scan->angles_rad + parts[k].first;
      block.weights = parts[k].weights;
      g_autoptr (TlFrame) frame =
          tl_test_reconstruct (c->engine, &block, &params);
      for (size_t i = 0; i < n; i++)
        sum[i] += tl_frame_get_pixels (frame)[i];
    }
  g_autoptr (TlFrame) frame = tl_test_reconstruct (c->engine, &whole, &params);
  for (size_t i = 0; i < n; i++)
    want[i] = tl_frame_get_pixels (frame)[i];
  assert_same (c, &whole, &params, sum, want);
}

static void
add_cases (TlEngine *engine)
{
  static const TlTestCase engine_cases[] = {
    { "laws/disc", test_disc },
    { "laws/disc-angles", test_disc_angles },
    { "laws/smooth", test_smooth },
    { "laws/orientation", test_orientation },
    { "laws/centre", test_centre },
    { "laws/given-weights", test_given_weights },
  };
  static const struct
  {
    const char *name;
    GTestDataFunc func;
  } variant_cases[] = {
    { "scale", test_scale },           { "linear", test_linear },
    { "mirrored", test_mirrored },     { "quarter-turn", test_quarter_turn },
    { "moved-axis", test_moved_axis }, { "parts", test_parts },
  };
  size_t n_variants;
  const TlVariant *const *variants =
      tl_engine_list_variants (engine, &n_variants);

  tl_test_add_cases (engine, engine_cases, G_N_ELEMENTS (engine_cases));
  for (size_t v = 0; v < n_variants; v++)
    for (size_t i = 0; i < G_N_ELEMENTS (variant_cases); i++)
      {
        g_autofree char *path = g_strdup_printf (
            "laws/%s/%s", variants[v]->name, variant_cases[i].name);
        Case *c = g_new (Case, 1);

        *c = (Case){ engine, variants[v] };
        tl_test_add (engine, path, variant_cases[i].func, c);
      }
}

int
main (int argc, char **argv)
{
  return tl_test_run_engines (argc, argv, add_cases);
}
