/* Folding one slice into several: the rays, the grid, the columns, and the law
 * that a folded back-projection equals the plain one. Needs no engine. */
#include "gpu/stages/fold.h"
#include "data/error.h"
#include "tests/support/plain.h"

#include <math.h>

/* radians: far above the rounding of an angle, far below any step here */
#define TOLERANCE 1e-9

/* --- angles --- */

typedef enum
{
  ANGLES_EQUAL,
  ANGLES_END_POINT,
  ANGLES_RANDOM
} Angles;

typedef struct
{
  const char *name;
  Angles angles;
  size_t n;
  double first_deg, range_deg;
  size_t n_rays;
} Set;

static const Set sets[] = {
  { "even", ANGLES_EQUAL, 20, 0.0, 180.0, 20 },
  { "even-turned", ANGLES_EQUAL, 36, -250.7, 180.0, 36 },
  { "backwards", ANGLES_EQUAL, 20, 90.0, -180.0, 20 },
  /* 90 degrees are nine and a half steps */
  { "odd", ANGLES_EQUAL, 19, 0.0, 180.0, 38 },
  /* the last projection has the direction of the first, and both have one
   * common partner
   */
  { "end-point", ANGLES_END_POINT, 21, 0.0, 180.0, 22 },
  { "full-turn", ANGLES_EQUAL, 40, 0.7, 360.0, 40 },
  /* 90 degrees are ten and a half steps */
  { "full-turn-apart", ANGLES_EQUAL, 42, 0.7, 360.0, 84 },
  { "random", ANGLES_RANDOM, 50, 0.0, 0.0, 100 },
  { "one", ANGLES_EQUAL, 1, 33.0, 180.0, 2 },
};

/* Returns: (transfer full): [set->n]: the angles of @set, radians */
static double *
make_angles (const Set *set)
{
  const double n_steps =
      (double)set->n - (set->angles == ANGLES_END_POINT ? 1.0 : 0.0);
  double *angles_rad = g_new (double, set->n);

  for (size_t p = 0; p < set->n; p++)
    angles_rad[p] =
        set->angles == ANGLES_RANDOM
            ? g_test_rand_double_range (-4.0, 8.0)
            : (set->first_deg + (double)p * set->range_deg / n_steps) * G_PI
                  / 180.0;
  return angles_rad;
}

static TlFolds *
make_folds (const double *angles_rad, size_t n)
{
  g_autoptr (GError) error = NULL;
  TlFolds *folds = tl_folds_new (angles_rad, n, &error);

  g_assert_no_error (error);
  return folds;
}

static const TlFold *
get_fold (TlFolds *folds, guint n_pixels, double tolerance_rad)
{
  g_autoptr (GError) error = NULL;
  const TlFold *fold = tl_folds_get (folds, n_pixels, tolerance_rad, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (fold->n_pixels, ==, n_pixels);
  return fold;
}

/* Asserts that every projection is the first of one ray and the second of one
 * ray, at the angle of its place in the ray. */
static void
assert_complete (const TlFold *fold, const double *angles_rad, size_t n,
                 double tolerance_rad)
{
  g_autofree guint *n_first = g_new0 (guint, n);
  g_autofree guint *n_second = g_new0 (guint, n);

  g_assert_cmpuint (fold->n_projections, ==, n);
  for (size_t r = 0; r < fold->n_rays; r++)
    {
      const gint32 first = fold->sources[2 * r];
      const gint32 second = fold->sources[2 * r + 1];
      const size_t p = (size_t)ABS (second) - 1;

      if (first != 0)
        {
          g_assert_cmpint (first, >, 0);
          g_assert_cmpint (first, <=, (gint32)n);
          n_first[first - 1]++;
          g_assert_cmpfloat (fold->angles_rad[r], ==, angles_rad[first - 1]);
        }
      if (second == 0)
        continue;
      g_assert_cmpuint (p, <, n);
      n_second[p]++;
      g_assert_cmpfloat_with_epsilon (
          remainder (angles_rad[p] - fold->angles_rad[r]
                         - (second > 0 ? G_PI_2 : -G_PI_2),
                     2.0 * G_PI),
          0.0, tolerance_rad + 1e-12);
    }
  for (size_t p = 0; p < n; p++)
    {
      g_assert_cmpuint (n_first[p], ==, 1);
      g_assert_cmpuint (n_second[p], ==, 1);
    }
}

static void
test_quarters (gconstpointer data)
{
  const Set *set = data;
  g_autofree double *angles_rad = make_angles (set);
  TlFolds *folds = make_folds (angles_rad, set->n);
  const TlFold *fold = get_fold (folds, 4, TOLERANCE);

  g_assert_cmpuint (fold->n_rays, ==, set->n_rays);
  assert_complete (fold, angles_rad, set->n, TOLERANCE);
  tl_folds_free (folds);
}

/* Folding into halves works with any angles: the rays are the projections. */
static void
test_halves (gconstpointer data)
{
  const Set *set = data;
  g_autofree double *angles_rad = make_angles (set);
  TlFolds *folds = make_folds (angles_rad, set->n);
  const TlFold *fold = get_fold (folds, 2, TOLERANCE);

  g_assert_cmpuint (fold->n_rays, ==, set->n);
  for (size_t p = 0; p < set->n; p++)
    {
      g_assert_cmpfloat (fold->angles_rad[p], ==, angles_rad[p]);
      g_assert_cmpint (fold->sources[2 * p], ==, (gint32)p + 1);
      g_assert_cmpint (fold->sources[2 * p + 1], ==, 0);
    }
  tl_folds_free (folds);
}

/* Several projections in one direction have different partners. */
static void
test_duplicates (void)
{
  static const double angles_rad[] = { 0.0, 0.0, 0.0, G_PI_2 };
  static const double pairs_rad[] = {
    0.0, G_PI_2, G_PI, 1.5 * G_PI, 0.0, G_PI_2
  };
  TlFolds *folds = make_folds (angles_rad, 4);
  TlFolds *pairs = make_folds (pairs_rad, 6);

  /* 0 and 90 degrees are partners of each other; two projections at 0 have no
   * partner. */
  g_assert_cmpuint (get_fold (folds, 4, TOLERANCE)->n_rays, ==, 6);
  assert_complete (get_fold (folds, 4, TOLERANCE), angles_rad, 4, TOLERANCE);
  g_assert_cmpuint (get_fold (pairs, 4, TOLERANCE)->n_rays, ==, 6);
  assert_complete (get_fold (pairs, 4, TOLERANCE), pairs_rad, 6, TOLERANCE);
  tl_folds_free (folds);
  tl_folds_free (pairs);
}

/* An angle just below 0 has the direction just below 180 degrees, flipped. */
static void
test_around_zero (void)
{
  static const double hairs[] = { -1e-12, -1e-300, 0.0, 1e-12 };

  for (size_t i = 0; i < G_N_ELEMENTS (hairs); i++)
    for (int turn = -2; turn <= 2; turn++)
      {
        const double angles_rad[] = { hairs[i] + turn * G_PI, G_PI_2 };
        TlFolds *folds = make_folds (angles_rad, 2);
        const TlFold *fold = get_fold (folds, 4, TOLERANCE);

        g_test_message ("%g and %d half turns", hairs[i], turn);
        g_assert_cmpuint (fold->n_rays, ==, 2);
        assert_complete (fold, angles_rad, 2, TOLERANCE);
        tl_folds_free (folds);
      }
}

static void
test_tolerance (void)
{
  static const double angles_rad[] = { 0.2, 0.2 + G_PI_2 + 1e-3 };
  TlFolds *folds = make_folds (angles_rad, 2);
  const TlFold *halves = get_fold (folds, 2, 1e-4);
  const guint halves_serial = halves->serial;
  const TlFold *fold = get_fold (folds, 4, 1e-4);
  const guint serial = fold->serial;

  g_assert_cmpuint (fold->n_rays, ==, 4);
  assert_complete (fold, angles_rad, 2, 1e-4);
  g_assert_true (get_fold (folds, 4, 1e-4) == fold);
  fold = get_fold (folds, 4, 2e-3);
  g_assert_cmpuint (fold->n_rays, ==, 2);
  assert_complete (fold, angles_rad, 2, 2e-3);
  g_assert_cmpuint (fold->serial, !=, serial);
  g_assert_cmpuint (fold->serial, !=, halves_serial);
  /* The tolerance does not affect the halves. */
  g_assert_true (get_fold (folds, 2, 2e-3) == halves);
  g_assert_cmpuint (halves->serial, ==, halves_serial);
  tl_folds_free (folds);
}

static void
test_too_many (void)
{
  const double angle_rad = 0.0;
  g_autoptr (GError) error = NULL;

  g_assert_null (tl_folds_new (&angle_rad, G_MAXSIZE / 4, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_MEMORY);
}

/* --- the grid and the rows --- */

static void
test_fits (void)
{
  static const struct
  {
    TlGrid grid;
    gboolean by_2, by_4;
  } cases[] = {
    { { 1, 1, 0.0, 0.0, 1.0 }, TRUE, TRUE },
    { { 7, 7, -3.0, 3.0, 1.0 }, TRUE, TRUE },
    { { 8, 8, -3.5, 3.5, 1.0 }, TRUE, TRUE },
    { { 8, 8, -0.35, 0.35, 0.1 }, TRUE, TRUE }, /* a finer pitch */
    { { 5, 8, -3.5, 2.0, 1.0 }, TRUE, FALSE },  /* not a square */
    { { 8, 8, -3.25, 3.5, 1.0 }, FALSE, FALSE },
    { { 8, 8, -3.5, 3.501, 1.0 }, FALSE, FALSE },
    { { 8, 8, 3.5, 3.5, 1.0 }, FALSE, FALSE },
    { { 8, 8, 0.0, 0.0, 1.0 }, FALSE, FALSE },
  };

  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_test_message ("grid %zu", i);
      g_assert_cmpint (tl_fold_fits (2, &cases[i].grid), ==, cases[i].by_2);
      g_assert_cmpint (tl_fold_fits (4, &cases[i].grid), ==, cases[i].by_4);
    }
}

static void
test_grid (void)
{
  for (size_t n = 1; n < 10; n++)
    {
      const TlGrid grid = tl_grid_full (n);

      for (guint n_pixels = 2; n_pixels <= 4; n_pixels += 2)
        {
          const TlGrid part = tl_fold_grid (n_pixels, &grid);

          g_assert_cmpuint (part.ny, ==, n / 2 + n % 2);
          g_assert_cmpuint (part.nx, ==, n_pixels == 2 ? n : part.ny);
          g_assert_cmpfloat (part.x0, ==, grid.x0);
          g_assert_cmpfloat (part.y0, ==, grid.y0);
          g_assert_cmpfloat (part.pitch, ==, grid.pitch);
        }
    }
}

static void
test_span (void)
{
  static const struct
  {
    double axis_col;
    size_t n_cols;
    gint64 first_col;
    size_t n_span;
  } cases[] = {
    { 4.5, 10, 0, 10 },     /* in the middle */
    { 4.0, 10, -1, 11 },    /* column 9 is mirrored to -1 */
    { 5.5, 10, 0, 12 },     /* columns 0 to 11 */
    { 0.0, 10, -9, 19 },    /* on the first column */
    { 9.0, 10, 0, 19 },     /* on the last one */
    { -20.0, 10, -49, 59 }, /* on neither side of it */
    { 30.5, 10, 0, 62 },    /* columns 0 to 61 */
    { 0.0, 1, 0, 1 },       { -0.5, 1, -1, 2 },
  };

  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const TlFoldSpan span = tl_fold_span (cases[i].axis_col, cases[i].n_cols);

      g_test_message ("axis on %g of %zu", cases[i].axis_col, cases[i].n_cols);
      g_assert_cmpint (span.first_col, ==, cases[i].first_col);
      g_assert_cmpuint (span.n_cols, ==, cases[i].n_span);
    }
}

/* --- the law --- */

#define N_COLS 23
#define MAX_DIFFERENCE 1e-9 /* of sums of 100 values up to 1 in double */

/* Fills the row of one component of a texel: @source of a ray over @span. The
 * row is mirrored if @source is negative, and once more if @is_opposite. */
static void
fill_row (const double *rows, gint32 source, gboolean is_opposite,
          double axis_col, const TlFoldSpan *span, double *dest)
{
  const gboolean is_mirrored = (source < 0) != is_opposite;

  for (size_t k = 0; k < span->n_cols; k++)
    {
      const gint64 here = span->first_col + (gint64)k;
      const gint64 col =
          is_mirrored ? (gint64)round (2.0 * axis_col) - here : here;

      dest[k] = source == 0 || col < 0 || col >= N_COLS
                    ? 0.0
                    : rows[(size_t)(ABS (source) - 1) * N_COLS + (size_t)col];
    }
}

/* Returns: the index of pixel (@i, @j) of the part in the whole slice of @n x
 * @n pixels after @n_quarters quarter turns counter-clockwise. */
static size_t
turn (size_t i, size_t j, size_t n, guint n_quarters)
{
  for (guint k = 0; k < n_quarters; k++)
    {
      const size_t row = n - 1 - j;

      j = i;
      i = row;
    }
  return i * n + j;
}

static void
check_law (const TlFold *fold, const double *rows, double axis_col,
           const TlGrid *grid, const double *want)
{
  const size_t n = grid->nx;
  const TlFoldSpan span = tl_fold_span (axis_col, N_COLS);
  const TlGrid part = tl_fold_grid (fold->n_pixels, grid);
  g_autofree double *folded = g_new (double, fold->n_rays *span.n_cols);
  g_autofree double *slice = g_new (double, part.ny *part.nx);
  g_autofree gboolean *is_there = g_new0 (gboolean, n * n);
  TlParams params;

  g_assert_true (tl_fold_fits (fold->n_pixels, grid));
  tl_params_init (&params, N_COLS);
  params.centre_col = axis_col - (double)span.first_col;
  params.grid = part;
  /* A, B, C and D are turned by 0, 1, 2 and 3 quarters; halves are A and C. */
  for (guint q = 0; q < 4; q += 4 / fold->n_pixels)
    {
      for (size_t r = 0; r < fold->n_rays; r++)
        fill_row (rows, fold->sources[2 * r + q % 2], q >= 2, axis_col, &span,
                  folded + r * span.n_cols);
      tl_plain_backproject (&params, fold->n_rays, span.n_cols,
                            fold->angles_rad, folded, slice);
      for (size_t i = 0; i < part.ny; i++)
        for (size_t j = 0; j < part.nx; j++)
          {
            const size_t pixel = turn (i, j, n, q);

            is_there[pixel] = TRUE;
            g_assert_cmpfloat_with_epsilon (slice[i * part.nx + j], want[pixel],
                                            MAX_DIFFERENCE);
          }
    }
  for (size_t pixel = 0; pixel < n * n; pixel++)
    g_assert_true (is_there[pixel]);
}

static void
test_law (gconstpointer data)
{
  /* Axes on whole and half columns, at the ends of the row and beyond them. */
  static const double axes[] = { 11.0, 9.5, 0.0, 22.0, -6.5, 31.0 };
  const Set *set = data;
  g_autofree double *angles_rad = make_angles (set);
  g_autofree double *rows = g_new (double, set->n *N_COLS);
  TlFolds *folds = make_folds (angles_rad, set->n);

  for (size_t i = 0; i < set->n * N_COLS; i++)
    rows[i] = g_test_rand_double_range (-1.0, 1.0);
  for (size_t a = 0; a < G_N_ELEMENTS (axes); a++)
    for (size_t n = 12; n <= 13; n++) /* without and with a middle row */
      {
        const TlGrid grid = tl_grid_full (n);
        double want[13 * 13];
        TlParams params;

        g_test_message ("axis on %g, %zu x %zu", axes[a], n, n);
        tl_params_init (&params, N_COLS);
        params.centre_col = axes[a];
        params.grid = grid;
        tl_plain_backproject (&params, set->n, N_COLS, angles_rad, rows, want);
        check_law (get_fold (folds, 2, TOLERANCE), rows, axes[a], &grid, want);
        check_law (get_fold (folds, 4, TOLERANCE), rows, axes[a], &grid, want);
      }
  tl_folds_free (folds);
}

static void
add (const char *what, const Set *set, GTestDataFunc func)
{
  g_autofree char *path = g_strdup_printf ("/fold/%s/%s", what, set->name);

  g_test_add_data_func (path, set, func);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (size_t i = 0; i < G_N_ELEMENTS (sets); i++)
    {
      add ("quarters", &sets[i], test_quarters);
      add ("halves", &sets[i], test_halves);
      add ("law", &sets[i], test_law);
    }
  g_test_add_func ("/fold/duplicates", test_duplicates);
  g_test_add_func ("/fold/around-zero", test_around_zero);
  g_test_add_func ("/fold/tolerance", test_tolerance);
  g_test_add_func ("/fold/too-many", test_too_many);
  g_test_add_func ("/fold/fits", test_fits);
  g_test_add_func ("/fold/grid", test_grid);
  g_test_add_func ("/fold/span", test_span);
  return g_test_run ();
}
