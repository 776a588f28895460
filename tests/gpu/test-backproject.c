/* Every variant of every engine against plain doubles, from samples to slices.
 */
#include "tests/support/compare.h"
#include "tests/support/engines.h"
#include "tests/support/plain.h"
#include "tests/support/scans.h"

#include <math.h>
#include <string.h>

typedef enum
{
  ANGLES_HALF_TURN,
  ANGLES_END_POINT, /* end point included */
  ANGLES_FULL_TURN,
  ANGLES_RANDOM
} Angles;

typedef struct
{
  const char *name;
  size_t n_projections, n_cols;
  size_t more_rows; /* rows beyond those of one pass */
  Angles angles;
  double centre; /* as a fraction of the detector's width */
  TlGrid grid;   /* nx = 0: the whole slice */
} Shape;

/* Sizes are one more than the blocks of pixels (16, 32, 64, 128) and of
 * projections (64) of any kernel. */
static const Shape shapes[] = {
  { "one-pixel", 1, 1, 0, ANGLES_HALF_TURN, 0.5, { 0 } },
  { "one-projection", 1, 17, 0, ANGLES_HALF_TURN, 0.5, { 0 } },
  { "two-columns", 3, 2, 1, ANGLES_RANDOM, 0.5, { 0 } },
  { "prime", 37, 61, 0, ANGLES_HALF_TURN, 0.5031, { 0 } },
  { "prime-rows", 37, 61, 3, ANGLES_RANDOM, 0.47, { 0 } },
  { "even", 40, 64, 0, ANGLES_END_POINT, 0.5, { 0 } },
  { "past-block", 65, 129, 0, ANGLES_HALF_TURN, 0.4987, { 0 } },
  { "past-block-rows", 33, 65, 1, ANGLES_FULL_TURN, 0.51, { 0 } },
  { "quarter-turns", 40, 64, 0, ANGLES_HALF_TURN, 0.4987, { 0 } },
  { "quarter-turns-odd", 36, 61, 0, ANGLES_HALF_TURN, 0.53, { 0 } },
  { "full-turn", 48, 63, 0, ANGLES_FULL_TURN, 0.5, { 0 } },
  { "centre-left", 41, 63, 0, ANGLES_FULL_TURN, 0.03, { 0 } },
  { "centre-right", 41, 64, 0, ANGLES_RANDOM, 0.97, { 0 } },
  { "zoomed", 37, 61, 0, ANGLES_RANDOM, 0.5, { 23, 35, -7.3, 11.9, 0.37 } },
  { "coarse", 37, 61, 0, ANGLES_RANDOM, 0.5, { 19, 21, -19.0, 17.1, 1.9 } },
  { "coarser", 37, 61, 0, ANGLES_RANDOM, 0.5, { 25, 27, -39.1, 37.3, 3.1 } },
  { "corner", 37, 61, 0, ANGLES_RANDOM, 0.5, { 33, 47, 5.1, -9.7, 1.0 } },
  { "wide-grid", 17, 31, 0, ANGLES_RANDOM, 0.5, { 67, 150, -75.0, 33.0, 1.0 } },
  { "upside-down", 37, 61, 0, ANGLES_RANDOM, 0.5, { 21, 34, -21.45, 13, 1.3 } },
  { "turned-around",
    26,
    61,
    0,
    ANGLES_HALF_TURN,
    0.47,
    { 33, 33, -8, 8, 0.5 } },
  /* More tiles than a device runs blocks at once. */
  { "many-tiles",
    5,
    97,
    0,
    ANGLES_RANDOM,
    0.5,
    { 1024, 1024, -48.6, 48.6, 0.095 } },
  { "large",
    64,
    512,
    0,
    ANGLES_HALF_TURN,
    0.5003,
    { 64, 512, -255.6, 31.4, 1 } },
};

typedef struct
{
  TlEngine *engine;
  const TlVariant *variant;
  const Shape *shape;
  gboolean is_folded; /* one slice is folded into as many as one pass takes */
} Case;

static TlTestScan *
make_scan (const Case *c)
{
  const Shape *shape = c->shape;
  const size_t n_rows =
      c->is_folded ? 1 : c->variant->n_slices + shape->more_rows;
  TlTestScan *scan = tl_test_scan_new (shape->n_projections, n_rows,
                                       shape->n_cols, TL_SAMPLE_F32);

  /* The first angle is odd: with an axis on half a column, a multiple of 45
   * degrees would put pixels exactly between two columns, and nearest may take
   * either of these. */
  switch (shape->angles)
    {
    case ANGLES_HALF_TURN:
      tl_test_scan_set_angles (scan, 0.7, 180.0, FALSE);
      break;
    case ANGLES_END_POINT:
      tl_test_scan_set_angles (scan, 0.7, 180.0, TRUE);
      break;
    case ANGLES_FULL_TURN:
      tl_test_scan_set_angles (scan, 0.7, 360.0, FALSE);
      break;
    case ANGLES_RANDOM:
      for (size_t p = 0; p < shape->n_projections; p++)
        scan->angles_rad[p] = g_test_rand_double_range (-4.0, 8.0);
      break;
    }
  return scan;
}

static TlParams
make_params (const Case *c, const TlTestScan *scan)
{
  const Shape *shape = c->shape;
  TlParams params = tl_test_params (scan);

  params.kernel = c->variant->kernel;
  params.interpolation = c->variant->interpolation;
  params.precision = c->variant->precision;
  params.centre_col = shape->centre * (double)shape->n_cols - 0.5;
  if (shape->grid.nx != 0)
    params.grid = shape->grid;
  return params;
}

/* Of a spike only one slice has anything, so that the largest values are many
 * times the root mean square of all, and so are the errors of its pixels. */
#define SPIKE_FACTOR 2.0

static void
check (const Case *c, const TlTestScan *scan, gboolean is_noise, double factor)
{
  const TlParams params = make_params (c, scan);
  tl_engine_use_variant (c->engine, c->variant);
  g_autoptr (TlFrame) frame =
      tl_test_reconstruct (c->engine, &scan->block, &params);
  g_autofree double *want = tl_plain_reconstruct (&scan->block, &params);
  g_autofree double *ties = tl_plain_find_ties (
      &scan->block, &params,
      tl_test_rounding (tl_engine_get_name (c->engine), params.precision));
  const size_t n_slices = scan->block.n_rows;
  const size_t n = n_slices * params.grid.ny * params.grid.nx;
  const double tolerance =
      tl_test_tolerance (tl_engine_get_name (c->engine), c->variant,
                         c->shape->n_projections, is_noise);
  TlEngineReport report;
  g_autoptr (GError) error = NULL;

  g_assert_cmpuint (tl_frame_get_n_slices (frame), ==, n_slices);
  g_assert_cmpuint (tl_frame_get_n_rows (frame), ==, params.grid.ny);
  g_assert_cmpuint (tl_frame_get_n_cols (frame), ==, params.grid.nx);
  g_assert_true (tl_engine_get_report (c->engine, &report, &error));
  g_assert_cmpstr (report.variant->name, ==, c->variant->name);
  g_assert_cmpuint (report.n_folded, ==,
                    c->is_folded ? c->variant->n_slices : 1);

  tl_test_assert_slices (tl_frame_get_pixels (frame), want, ties, n,
                         factor * tolerance);
}

static void
test_noise (gconstpointer data)
{
  const Case *c = data;
  g_autoptr (TlTestScan) scan = make_scan (c);

  tl_test_scan_fill_noise (scan);
  check (c, scan, TRUE, 1.0);
}

/* A bright pixel in one projection and row leaves its trace in the right place
 * and in no other slice. */
static void
test_spike (gconstpointer data)
{
  const Case *c = data;
  g_autoptr (TlTestScan) scan = make_scan (c);
  const TlBlock *block = &scan->block;
  const size_t n = block->n_projections * block->n_rows * block->n_cols;

  ((float *)scan->samples)[n / 2] = 1.0f;
  check (c, scan, TRUE, SPIKE_FACTOR);
}

static void
test_object (gconstpointer data)
{
  const Case *c = data;
  const double r = (double)c->shape->n_cols / 2.0;
  const TlTestEllipse shapes[] = {
    { 0.05 * r, -0.1 * r, 0.8 * r, 0.6 * r, 0.4, 0.02 },
    { -0.3 * r, 0.1 * r, 0.2 * r, 0.1 * r, 1.1, 0.01 },
    { 0.4 * r, 0.2 * r, 0.1 * r, 0.15 * r, 0.0, -0.02 },
  };
  g_autoptr (TlTestScan) scan = make_scan (c);

  tl_test_scan_fill_ellipses (scan, make_params (c, scan).centre_col, shapes,
                              G_N_ELEMENTS (shapes));
  check (c, scan, FALSE, 1.0);
}

static void
test_zero (gconstpointer data)
{
  const Case *c = data;
  g_autoptr (TlTestScan) scan = make_scan (c);

  check (c, scan, TRUE, 1.0);
}

/* --- rows that are white noise after the filter --- */

/* Neighbours do not cancel in what is interpolated between them, as those of
 * filtered noise do, so that this is the error of the kernel's weights and
 * cells alone. */
#define WHITE_FAST 5e-4
#define WHITE_FULL 5e-6

static const Shape white = { "white", 64, 129, 0, ANGLES_RANDOM, 0.5, { 0 } };

/* Returns: (transfer full): [n][n], what the filter makes of a row of 1 in each
 * column; symmetric */
static double *
make_filter_matrix (const TlParams *params, size_t n)
{
  double *matrix = g_new0 (double, n *n);
  g_autofree double *unit = g_new0 (double, n);

  for (size_t k = 0; k < n; k++)
    {
      unit[k] = 1;
      tl_plain_filter (params, n, unit, matrix + k * n);
      unit[k] = 0;
    }
  return matrix;
}

/* Replaces @row by what the filter makes @row of: Cholesky's method.
 * @factor: of factorize() */
static void
solve (const double *factor, size_t n, double *row)
{
  for (size_t i = 0; i < n; i++)
    {
      for (size_t j = 0; j < i; j++)
        row[i] -= factor[i * n + j] * row[j];
      row[i] /= factor[i * n + i];
    }
  for (size_t i = n; i-- > 0;)
    {
      for (size_t j = i + 1; j < n; j++)
        row[i] -= factor[j * n + i] * row[j];
      row[i] /= factor[i * n + i];
    }
}

/* Replaces the lower triangle of a positive definite matrix by its factor. */
static void
factorize (double *matrix, size_t n)
{
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j <= i; j++)
      {
        double rest = matrix[i * n + j];

        for (size_t k = 0; k < j; k++)
          rest -= matrix[i * n + k] * matrix[j * n + k];
        g_assert_true (i != j || rest > 0);
        matrix[i * n + j] = i == j ? sqrt (rest) : rest / matrix[j * n + j];
      }
}

static void
test_white (gconstpointer data)
{
  const Case *c = data;
  g_autoptr (TlTestScan) scan = make_scan (c);
  const TlBlock *block = &scan->block;
  TlParams params = make_params (c, scan);
  const size_t n = block->n_cols;
  g_autofree double *row = g_new (double, n);

  params.padding = TL_PADDING_ZERO;
  g_autofree double *factor = make_filter_matrix (&params, n);
  factorize (factor, n);
  for (size_t k = 0; k < block->n_projections * block->n_rows; k++)
    {
      for (size_t i = 0; i < n; i++)
        row[i] = g_test_rand_double_range (-1, 1);
      solve (factor, n, row);
      for (size_t i = 0; i < n; i++)
        ((float *)scan->samples)[k * n + i] = (float)row[i];
    }
  tl_engine_use_variant (c->engine, c->variant);
  g_autoptr (TlFrame) frame = tl_test_reconstruct (c->engine, block, &params);
  g_autofree double *want = tl_plain_reconstruct (block, &params);

  tl_test_assert_near (tl_frame_get_pixels (frame), want,
                       block->n_rows * params.grid.ny * params.grid.nx,
                       params.precision == TL_PRECISION_FAST ? WHITE_FAST
                                                             : WHITE_FULL);
}

static void
add_case (TlEngine *engine, const TlVariant *variant, const Shape *shape,
          gboolean is_folded, const char *fill, GTestDataFunc func)
{
  g_autofree char *path =
      g_strdup_printf ("backproject/%s/%s%s/%s", variant->name, shape->name,
                       is_folded ? "-folded" : "", fill);
  Case *c = g_new (Case, 1);

  *c = (Case){ engine, variant, shape, is_folded };
  tl_test_add (engine, path, func, c);
}

/* Returns: whether the engine can fold one slice of @shape for @variant. */
static gboolean
can_fold (TlEngine *engine, const TlVariant *variant, const Shape *shape)
{
  const TlGrid grid =
      shape->grid.nx > 0 ? shape->grid : tl_grid_full (shape->n_cols);
  const double pitch = grid.pitch;

  return strcmp (tl_engine_get_name (engine), "cuda") == 0
         && (variant->n_slices == 2 || variant->n_slices == 4)
         && fabs (grid.x0 + ((double)grid.nx - 1) / 2 * pitch) < 1e-6
         && fabs (grid.y0 - ((double)grid.ny - 1) / 2 * pitch) < 1e-6
         && (variant->n_slices == 2 || grid.nx == grid.ny);
}

static void
add_cases (TlEngine *engine)
{
  size_t n_variants;
  const TlVariant *const *variants =
      tl_engine_list_variants (engine, &n_variants);

  /* gpu/test-fourier.c tests the Fourier method. */
  for (size_t v = 0; v < n_variants; v++)
    {
      if (variants[v]->is_fourier)
        continue;
      for (size_t s = 0; s < G_N_ELEMENTS (shapes); s++)
        {
          add_case (engine, variants[v], &shapes[s], FALSE, "noise",
                    test_noise);
          if (shapes[s].n_cols > 2)
            add_case (engine, variants[v], &shapes[s], FALSE, "object",
                      test_object);
          if (can_fold (engine, variants[v], &shapes[s]))
            add_case (engine, variants[v], &shapes[s], TRUE, "noise",
                      test_noise);
        }
      add_case (engine, variants[v], &shapes[4], FALSE, "spike", test_spike);
      add_case (engine, variants[v], &shapes[4], FALSE, "zero", test_zero);
      if (variants[v]->kernel == TL_KERNEL_TENSOR)
        add_case (engine, variants[v], &white, FALSE, "noise", test_white);
    }
}

int
main (int argc, char **argv)
{
  return tl_test_run_engines (argc, argv, add_cases);
}
