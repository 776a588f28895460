/* Conventions, angular weights, and the repair of samples. */
#include "data/array.h"
#include "data/error.h"
#include "data/geometry.h"
#include "data/samples.h"

#include <math.h>
#include <string.h>

static void
test_centre (void)
{
  g_assert_cmpfloat (tl_centre_to_boundary (31.0), ==, 31.5);
  g_assert_cmpfloat (tl_centre_from_boundary (31.5), ==, 31.0);
  g_assert_cmpfloat (tl_round_to_parts (31.2504, 1000), ==, 31.25);
  g_assert_cmpfloat (tl_round_to_parts (-31.2506, 1000), ==, -31.251);
}

static void
test_grid (void)
{
  const TlGrid even = tl_grid_full (64), odd = tl_grid_full (5);

  g_assert_cmpfloat (even.x0, ==, -31.5);
  g_assert_cmpfloat (even.y0, ==, 31.5);
  g_assert_cmpfloat (odd.x0, ==, -2.0);
  g_assert_cmpfloat (odd.y0, ==, 2.0);
}

/* A pixel is within the circle or beyond it, also in a part of the slice. */
static void
test_seen (void)
{
  const TlGrid whole = tl_grid_full (61);
  TlGrid part = whole;
  part.x0 += 7;
  part.y0 -= 3;
  part.nx = 11;
  part.ny = 20;
  for (size_t row = 0; row < part.ny; row++)
    {
      size_t first, end;
      tl_grid_find_seen (&part, &whole, row, &first, &end);
      for (size_t col = 0; col < part.nx; col++)
        {
          const double x = part.x0 + (double)col, y = part.y0 - (double)row;
          g_assert_cmpint (col >= first && col < end, ==,
                           x * x + y * y <= 30.5 * 30.5);
        }
    }
}

/* Replaces the allocator of the program (see meson.build). */
static int n_left = -1; /* allocations that succeed; below 0: all */

void *__wrap_tl_try_alloc (size_t n0, size_t n1, size_t n2, size_t size,
                           const char *what, GError **error);
void *__real_tl_try_alloc (size_t n0, size_t n1, size_t n2, size_t size,
                           const char *what, GError **error);

void *
__wrap_tl_try_alloc (size_t n0, size_t n1, size_t n2, size_t size,
                     const char *what, GError **error)
{
  if (n_left != 0)
    {
      n_left -= n_left > 0;
      return __real_tl_try_alloc (n0, n1, n2, size, what, error);
    }
  /* As in tl_try_alloc(): after an error, later allocations do nothing. */
  if (error != NULL && *error == NULL)
    tl_fail (error, TL_ERROR_MEMORY, "no room for %s", what);
  return NULL;
}

typedef struct
{
  const char *path;
  size_t n;
  double first_deg, last_deg; /* both included */
  double sum;                 /* sum of the weights, in units of pi */
  double inner;               /* weight of projection 1, degrees */
  double end; /* sum of the weights of the first and the last projection,
                 degrees */
} WeightCase;

static const WeightCase weight_cases[] = {
  { "half-turn", 180, 0, 179, 1, 1, 2 },
  { "end-point-counts-once", 181, 0, 180, 1, 1, 1 },
  { "negative", 91, -88.2, 91.8, 1, 2, 2 },
  { "full-turn", 360, 0, 359, 1, 0.5, 1 },
  { "full-turn-end-point", 361, 0, 360, 1, 0.5, 0.5 + 1.0 / 6.0 },
  { "full-turn-odd", 361, 0, 360.0 * 360 / 361, 1, 180.0 / 361, 360.0 / 361 },
  { "missing-wedge", 121, 0, 120, 121.0 / 180, 1, 2 },
  { "clockwise", 180, 179, 0, 1, 1, 2 },
  { "one", 1, 30, 30, 1, 0, 0 },
};

static void
test_weights (gconstpointer data)
{
  const WeightCase *c = data;
  g_autofree double *angles = g_new (double, c->n);
  g_autofree double *weights = g_new (double, c->n);
  double sum = 0.0;

  for (size_t i = 0; i < c->n; i++)
    angles[i] = G_PI / 180.0
                * (c->first_deg
                   + (c->last_deg - c->first_deg) * (double)i
                         / (double)MAX (c->n - 1, 1));
  tl_angle_weights (angles, c->n, FALSE, weights, NULL);
  for (size_t i = 0; i < c->n; i++)
    sum += weights[i];
  g_assert_cmpfloat_with_epsilon (sum, c->sum * G_PI, 1e-9);
  if (c->n == 1)
    return;
  g_assert_cmpfloat_with_epsilon (weights[1] * 180 / G_PI, c->inner, 1e-6);
  g_assert_cmpfloat_with_epsilon ((weights[0] + weights[c->n - 1]) * 180 / G_PI,
                                  c->end, 1e-6);
}

/* The weights of any set of angles add up to half a turn. */
static void
test_weights_random (void)
{
  enum
  {
    N = 400
  };
  double angles[N], weights[N], sum = 0.0;

  for (int i = 0; i < N; i++)
    angles[i] = g_test_rand_double_range (-10.0, 10.0);
  tl_angle_weights (angles, N, FALSE, weights, NULL);
  for (int i = 0; i < N; i++)
    {
      g_assert_cmpfloat (weights[i], >=, 0.0);
      sum += weights[i];
    }
  g_assert_cmpfloat_with_epsilon (sum, G_PI, 1e-9);
}

/* Over a full turn, opposite projections are different directions and a
 * repeated end point is not. The weights of any set of angles add up to the
 * full turn. */
static void
test_weights_of_turn (void)
{
  const double step = 2.0 * G_PI / 9;
  double angles[10], weights[10], sum = 0.0;

  for (int i = 0; i < 10; i++)
    angles[i] = 17.0 - i * step;
  tl_angle_weights (angles, 9, TRUE, weights, NULL);
  for (int i = 0; i < 9; i++)
    g_assert_cmpfloat_with_epsilon (weights[i], step, 1e-9);
  tl_angle_weights (angles, 10, TRUE, weights, NULL);
  g_assert_cmpfloat_with_epsilon (weights[0], step / 2.0, 1e-9);
  g_assert_cmpfloat_with_epsilon (weights[9], step / 2.0, 1e-9);
  g_assert_cmpfloat_with_epsilon (weights[4], step, 1e-9);
  for (int i = 0; i < 10; i++)
    angles[i] = i * i * 0.11;
  tl_angle_weights (angles, 10, TRUE, weights, NULL);
  for (int i = 0; i < 10; i++)
    sum += weights[i];
  g_assert_cmpfloat_with_epsilon (sum, 2.0 * G_PI, 1e-9);
}

static void
test_cover_turn (void)
{
  static const struct
  {
    size_t n;
    double range_deg; /* from the first angle to the last */
    gboolean covers;
  } cases[] = {
    { 1, 0, FALSE },     { 2, 180, FALSE },    { 360, 359, TRUE },
    { 361, 360, TRUE },  { 360, -359, TRUE },  { 180, 179, FALSE },
    { 181, 180, FALSE }, { 360, 355.5, TRUE }, { 360, 354, FALSE },
    { 12, 330, TRUE },   { 12, 300, FALSE },   { 1000, 1080, TRUE },
  };
  double angles[1000];

  for (size_t c = 0; c < G_N_ELEMENTS (cases); c++)
    {
      for (size_t i = 0; i < cases[c].n; i++)
        angles[i] =
            (40.0
             + cases[c].range_deg * (double)i / (double)MAX (cases[c].n - 1, 1))
            * G_PI / 180.0;
      g_test_message ("%zu angles over %g degrees", cases[c].n,
                      cases[c].range_deg);
      gboolean covers;
      g_assert_true (tl_angles_cover_turn (angles, cases[c].n, &covers, NULL));
      g_assert_cmpint (covers, ==, cases[c].covers);
    }
}

/* The number of angles comes from a file, so the memory for them may not
 * suffice. */
static void
test_no_room (void)
{
  const double angles[] = { 0, 1, 2, 3 };
  double weights[4];

  for (int step = 0; step < 9; step++)
    {
      g_autoptr (GError) error = NULL;
      gboolean covers;

      n_left = step % 3;
      g_assert_false (
          step < 6 ? tl_angle_weights (angles, 4, step >= 3, weights, &error)
                   : tl_angles_cover_turn (angles, 4, &covers, &error));
      g_assert_error (error, TL_ERROR, TL_ERROR_MEMORY);
    }
  n_left = -1;
}

/* --- weights while projections are still to come --- */

enum
{
  MAX_GROWING = 900
};

/* Plain value; of the projections 0 … n - 1. */
typedef struct
{
  double angles[MAX_GROWING], weights[MAX_GROWING], scale;
  guint8 is_there[MAX_GROWING];
  size_t n;
} Growing;

/* Angles in equal steps over @range_deg; nothing is there. */
static void
begin_growing (Growing *g, size_t n, double range_deg)
{
  *g = (Growing){ .n = n };
  for (size_t k = 0; k < n; k++)
    g->angles[k] = range_deg * (double)k / (double)n * G_PI / 180;
}

static void
weigh (Growing *g, gboolean is_announced, gboolean of_turn)
{
  memset (g->weights, 0x7f, sizeof g->weights);
  g_assert_true (tl_angle_weights_growing (g->angles, g->is_there, g->n,
                                           is_announced, of_turn, g->weights,
                                           &g->scale, NULL));
}

/* As if only the first @n were known of. */
static void
weigh_first (Growing *g, size_t n)
{
  const size_t n_all = g->n;

  g->n = n;
  weigh (g, FALSE, FALSE);
  g->n = n_all;
}

static double
add_weights (const Growing *g, size_t n)
{
  double sum = 0;

  for (size_t k = 0; k < n; k++)
    sum += g->weights[k];
  return sum;
}

/* In the order of announced angles, each prefix has the final weights to the
 * bit, and the scale makes up for the rest. */
static void
test_growing_in_order (void)
{
  static const double ranges[] = { 180, -180, 120 };
  Growing g;
  double final[MAX_GROWING];

  for (size_t r = 0; r < G_N_ELEMENTS (ranges); r++)
    {
      begin_growing (&g, 181, ranges[r]);
      tl_angle_weights (g.angles, g.n, FALSE, final, NULL);
      for (size_t n = 1; n <= g.n; n++)
        {
          double want = 0;

          g.is_there[n - 1] = TRUE;
          weigh (&g, TRUE, FALSE);
          for (size_t k = 0; k < g.n; k++)
            {
              g_assert_cmpfloat (g.weights[k], ==, k < n ? final[k] : 0);
              want += final[k];
            }
          g_assert_cmpfloat_with_epsilon (g.scale * add_weights (&g, g.n), want,
                                          1e-12);
          g_assert_true (n < g.n || g.scale == 1);
        }
    }
}

/* Whether the angles are announced or not, a part of a scan counts as much as
 * the whole, and its last projection no more than the others. */
static void
test_growing_part (gconstpointer data)
{
  const size_t n = GPOINTER_TO_SIZE (data);
  Growing g;

  begin_growing (&g, MAX_GROWING, 180);
  memset (g.is_there, TRUE, n);
  for (int is_announced = 0; is_announced < 2; is_announced++)
    {
      if (is_announced)
        weigh (&g, TRUE, FALSE);
      else
        weigh_first (&g, n);
      g_assert_cmpfloat_with_epsilon (g.scale * add_weights (&g, n), G_PI,
                                      1e-9);
      for (size_t k = 0; k < n; k++)
        g_assert_cmpfloat_with_epsilon (g.scale * g.weights[k],
                                        G_PI / (double)n, 1e-9);
    }
}

/* Angles without an order, of any density: the sum is the period. */
static void
test_growing_random (void)
{
  Growing g;

  for (int round = 0; round < 100; round++)
    {
      const gboolean of_turn = round % 2;
      const size_t n = (size_t)g_test_rand_int_range (1, MAX_GROWING);

      g.n = n;
      for (size_t k = 0; k < n; k++)
        {
          g.angles[k] = g_test_rand_double_range (-10, 10);
          g.is_there[k] = k == 0 || g_test_rand_bit ();
        }
      weigh (&g, round % 4 < 2, of_turn);
      /* announced ones may leave a missing wedge */
      g_assert_cmpfloat (g.scale * add_weights (&g, n), <=,
                         (of_turn ? 2 : 1) * G_PI + 1e-9);
      weigh (&g, FALSE, of_turn);
      g_assert_cmpfloat_with_epsilon (g.scale * add_weights (&g, n),
                                      (of_turn ? 2 : 1) * G_PI, 1e-9);
      for (size_t k = 0; k < n; k++)
        g_assert_true (g.is_there[k] ? g.weights[k] > 0 : g.weights[k] == 0);
    }
}

/* The weights belong to the angles, whatever numbers these have. */
static void
test_growing_permuted (void)
{
  Growing g, other;

  begin_growing (&g, MAX_GROWING, 180);
  for (size_t k = 0; k < g.n; k++)
    g.is_there[k] = k % 7 == 0 || k % 5 == 3 || (k > 300 && k < 420);
  other = g;
  for (size_t k = 0; k < g.n; k++)
    {
      other.angles[k] = g.angles[k * 7 % g.n];
      other.is_there[k] = g.is_there[k * 7 % g.n];
    }
  weigh (&g, TRUE, FALSE);
  weigh (&other, TRUE, FALSE);
  for (size_t k = 0; k < g.n; k++)
    g_assert_cmpfloat_with_epsilon (other.weights[k], g.weights[k * 7 % g.n],
                                    1e-12);
  g_assert_cmpfloat_with_epsilon (other.scale, g.scale, 1e-12);
}

/* By the golden ratio, a projection divides a gap: only those beside it change,
 * and nothing is a hole. */
static void
test_growing_golden (void)
{
  Growing g = { .n = 300 };
  double before[300];

  for (size_t k = 0; k < g.n; k++)
    g.angles[k] = fmod ((double)k * (sqrt (5) - 1) / 2, 1) * G_PI;
  memset (g.is_there, TRUE, sizeof g.is_there);
  for (size_t n = 4; n <= g.n; n++)
    {
      size_t n_changed = 0;

      weigh_first (&g, n);
      g_assert_cmpfloat (g.scale, ==, 1);
      g_assert_cmpfloat_with_epsilon (add_weights (&g, n), G_PI, 1e-9);
      for (size_t k = 0; n > 4 && k + 1 < n; k++)
        n_changed += fabs (g.weights[k] - before[k]) > 1e-9;
      g_assert_cmpuint (n_changed, ==, n > 4 ? 2 : 0);
      memcpy (before, g.weights, sizeof before);
    }
}

/* In passes, the first one counts as the sparse scan that it is. */
static void
test_growing_interlaced (void)
{
  Growing g;

  begin_growing (&g, 160, 180);
  for (size_t k = 0; k < g.n; k += 8)
    {
      g.is_there[k] = TRUE;
      weigh (&g, TRUE, FALSE);
      for (size_t i = 0; i <= k && k >= 16; i += 8)
        g_assert_cmpfloat_with_epsilon (g.weights[i], 8 * G_PI / 160, 1e-9);
      g_assert_cmpfloat_with_epsilon (g.scale * add_weights (&g, g.n), G_PI,
                                      1e-9);
    }
}

/* Those beside a lost projection share what it stood for. */
static void
test_growing_lost (void)
{
  const double step = G_PI / 180;
  Growing g;

  begin_growing (&g, 180, 180);
  memset (g.is_there, TRUE, 60);
  g.is_there[20] = FALSE;
  weigh (&g, TRUE, FALSE);
  g_assert_cmpfloat_with_epsilon (g.weights[19], 1.5 * step, 1e-12);
  g_assert_cmpfloat (g.weights[20], ==, 0);
  g_assert_cmpfloat_with_epsilon (g.weights[21], 1.5 * step, 1e-12);
  g_assert_cmpfloat_with_epsilon (g.weights[59], step, 1e-12);
  g_assert_cmpfloat_with_epsilon (g.scale, 3, 1e-12);
}

/* Beyond half a turn each projection shares a direction with an earlier one, or
 * stands for it alone. */
static void
test_growing_turns (void)
{
  const double step = G_PI / 180;
  Growing g;

  begin_growing (&g, 720, 720);
  memset (g.is_there, TRUE, 270);
  weigh_first (&g, 270);
  g_assert_cmpfloat_with_epsilon (g.weights[45], step / 2, 1e-9);
  g_assert_cmpfloat_with_epsilon (g.weights[225], step / 2, 1e-9);
  g_assert_cmpfloat_with_epsilon (g.weights[135], step, 1e-9);
  g_assert_cmpfloat (g.scale, ==, 1);
  memset (g.is_there, TRUE, 540);
  weigh_first (&g, 540);
  g_assert_cmpfloat_with_epsilon (g.weights[45], step / 3, 1e-9);
  g_assert_cmpfloat_with_epsilon (g.weights[405], step / 3, 1e-9);
  /* of a turn: the third quarter of the first one is still to come */
  weigh (&g, TRUE, TRUE);
  g_assert_cmpfloat_with_epsilon (g.scale * add_weights (&g, g.n), 2 * G_PI,
                                  1e-9);
}

/* The number of angles comes from a sender. */
static void
test_growing_no_room (void)
{
  Growing g;

  begin_growing (&g, 9, 180);
  g.is_there[0] = g.is_there[3] = TRUE;
  for (n_left = 0; n_left < 11;)
    {
      const int n_before = n_left;
      g_autoptr (GError) error = NULL;

      g_assert_false (tl_angle_weights_growing (
          g.angles, g.is_there, g.n, TRUE, FALSE, g.weights, &g.scale, &error));
      g_assert_error (error, TL_ERROR, TL_ERROR_MEMORY);
      n_left = n_before + 1;
    }
  weigh (&g, TRUE, FALSE);
  n_left = -1;
}

static void
test_samples_convert (void)
{
  const guint16 u16[] = { 0, 65535 };
  const gint8 i8[] = { -128, 127 };
  const double f64[] = { -1.5, 1e6 };
  float dest[2];

  tl_samples_to_float (TL_SAMPLE_U16, u16, 2, dest);
  g_assert_cmpfloat (dest[1], ==, 65535.0f);
  tl_samples_to_float (TL_SAMPLE_I8, i8, 2, dest);
  g_assert_cmpfloat (dest[0], ==, -128.0f);
  tl_samples_to_float (TL_SAMPLE_F64, f64, 2, dest);
  g_assert_cmpfloat (dest[0], ==, -1.5f);
  g_assert_cmpuint (tl_sample_size (TL_SAMPLE_I16), ==, 2);
  g_assert_cmpstr (tl_sample_name (TL_SAMPLE_F64), ==, "float64");
}

static void
test_samples_repair (void)
{
  float row[] = { NAN, 2, INFINITY, NAN, 5, NAN };
  double none[] = { NAN, -INFINITY };
  size_t first = 99;

  g_assert_cmpuint (tl_samples_count_bad (TL_SAMPLE_F32, row, 6, &first), ==,
                    4);
  g_assert_cmpuint (first, ==, 0);
  g_assert_cmpuint (tl_samples_repair_row (TL_SAMPLE_F32, row, 6), ==, 4);
  for (int i = 1; i < 5; i++)
    g_assert_cmpfloat_with_epsilon (row[i], i + 1, 1e-6);
  g_assert_cmpfloat (row[0], ==, 2.0f);
  g_assert_cmpfloat (row[5], ==, 5.0f);
  g_assert_cmpuint (tl_samples_repair_row (TL_SAMPLE_F64, none, 2), ==, 2);
  g_assert_cmpuint (tl_samples_count_bad (TL_SAMPLE_U16, row, 6, NULL), ==, 0);
}

static void
test_alloc (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree float *values =
      tl_try_alloc (1, 3, 5, sizeof *values, "a test", &error);

  g_assert_no_error (error);
  values[14] = 1.0f;
  g_assert_null (
      tl_try_alloc (1, G_MAXSIZE / 2, 3, sizeof *values, "a test", &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_MEMORY);
}

static void
test_sort (void)
{
  double values[] = { 3.0, -1.0, 3.0, 0.5 };
  const double sorted[] = { -1.0, 0.5, 3.0, 3.0 };

  tl_sort_doubles (values, G_N_ELEMENTS (values));
  g_assert_cmpmem (values, sizeof values, sorted, sizeof sorted);
}

/* Few values and many are sorted in different ways. */
static void
test_sort_sizes (void)
{
  enum
  {
    N_MOST = 64
  };
  double values[N_MOST];

  for (size_t n = 0; n <= N_MOST; n++)
    {
      for (size_t k = 0; k < n; k++)
        values[k] = (double)(k * 29 % n);
      tl_sort_doubles (values, n);
      for (size_t k = 1; k < n; k++)
        g_assert_cmpfloat (values[k - 1], <=, values[k]);
    }
}

static void
test_median (void)
{
  double values[] = { 7.0, -1.0, 3.0, 0.5 };

  g_assert_cmpfloat (tl_median (values, 1), ==, 7);
  g_assert_cmpfloat (tl_median (values, 3), ==, 3);
  g_assert_cmpfloat (tl_median (values, 4), ==, 1.75);
}

/* The reduced grid covers the whole slice from edge to edge, for any
 * divisor. */
static void
test_reduced_grid (void)
{
  static const size_t sizes[] = { 1, 2, 5, 61, 64, 1024 };

  for (size_t i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (guint factor = 1; factor <= 9; factor++)
      {
        const TlGrid whole = tl_grid_full (sizes[i]);
        const TlGrid grid = tl_grid_reduced (sizes[i], factor);
        const double last = (double)(grid.nx - 1) * grid.pitch;
        const double half = grid.pitch / 2.0;

        g_assert_cmpfloat (grid.pitch, <=, factor);
        g_assert_cmpfloat_with_epsilon (grid.x0 - half, whole.x0 - 0.5, 1e-9);
        g_assert_cmpfloat_with_epsilon (grid.y0 + half, whole.y0 + 0.5, 1e-9);
        g_assert_cmpfloat_with_epsilon (grid.x0 + last + half, 0.5 - whole.x0,
                                        1e-9);
        g_assert_cmpuint (grid.nx, ==, grid.ny);
      }
}

static void
assert_place (const TlPlane *plane, size_t row, size_t col, double x, double y,
              double z)
{
  const double want[] = { x, y, z };

  for (size_t k = 0; k < 3; k++)
    g_assert_cmpfloat (plane->origin[k] + (double)col * plane->u[k]
                           + (double)row * plane->v[k],
                       ==, want[k]);
}

/* Corners of planes, by the places of the slices' pixels. */
static void
test_planes (void)
{
  const TlGrid grid = { 3, 5, -8.0, 2.5, 2.0 };
  const TlPlane xy = tl_plane_xy (&grid, 7.5);
  const TlPlane xz = tl_plane_xz (&grid, 2.0, 11);
  const TlPlane yz = tl_plane_yz (&grid, 4.0, 11);
  const TlPlane oblique = tl_plane_oblique ((double[]){ 10.0, 20.0, 5.0 },
                                            (double[]){ 1.0, 0.0, 0.5 },
                                            (double[]){ 0.0, -2.0, 1.0 }, 4);

  g_assert_true (xy.nx == 5 && xy.ny == 3 && xz.nx == 5 && xz.ny == 11);
  g_assert_true (yz.nx == 3 && yz.ny == 11);
  assert_place (&xy, 0, 0, -8.0, 2.5, 7.5);
  assert_place (&xy, 2, 4, 0.0, -1.5, 7.5);
  assert_place (&xz, 0, 0, -8.0, -1.5, 0.0);
  assert_place (&xz, 10, 4, 0.0, -1.5, 10.0);
  assert_place (&yz, 0, 0, 0.0, 2.5, 0.0);
  assert_place (&yz, 10, 2, 0.0, -1.5, 10.0);
  g_assert_true (oblique.nx == 4 && oblique.ny == 4);
  assert_place (&oblique, 0, 0, 8.5, 23.0, 2.75);
  assert_place (&oblique, 3, 3, 11.5, 17.0, 7.25);
}

static void
test_plane_rows (void)
{
  static const struct
  {
    double z, u, v;  /* of a plane of 3 columns and 5 rows of pixels */
    size_t first, n; /* n 0: beside the detector of 20 rows */
  } cases[] = {
    { 7.0, 0.0, 0.0, 7, 1 },      { 7.25, 0.0, 0.0, 7, 2 },
    { 0.0, 0.0, 1.0, 0, 5 },      { 4.5, -1.0, 0.25, 2, 5 },
    { -0.5, 0.0, 0.0, 0, 1 },     { 19.5, 0.0, 0.0, 19, 1 },
    { -1.0, 0.0, 0.0, 0, 0 },     { 20.0, 0.0, 0.0, 0, 0 },
    { -90.0, 90.0, 90.0, 0, 20 }, { 25.0, -2.0, 0.0, 0, 0 },
    { 25.0, -3.5, 0.0, 18, 2 },   { NAN, 0.0, 0.0, 0, 0 },
  };

  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const TlPlane plane = {
        5,
        3,
        { 0.0, 0.0, cases[i].z },
        { 1.0, 0.0, cases[i].u },
        { 0.0, 1.0, cases[i].v },
      };
      size_t first = 99, n = 99;

      g_assert_true (tl_plane_find_rows (&plane, 20, &first, &n)
                     == (cases[i].n > 0));
      if (cases[i].n > 0)
        g_assert_cmpuint (first, ==, cases[i].first);
      if (cases[i].n > 0)
        g_assert_cmpuint (n, ==, cases[i].n);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/geometry/centre", test_centre);
  g_test_add_func ("/geometry/grid", test_grid);
  g_test_add_func ("/geometry/reduced-grid", test_reduced_grid);
  g_test_add_func ("/geometry/seen", test_seen);
  g_test_add_func ("/geometry/planes", test_planes);
  g_test_add_func ("/geometry/planes/rows", test_plane_rows);
  for (size_t i = 0; i < G_N_ELEMENTS (weight_cases); i++)
    {
      g_autofree char *path =
          g_strconcat ("/geometry/weights/", weight_cases[i].path, NULL);
      g_test_add_data_func (path, &weight_cases[i], test_weights);
    }
  g_test_add_func ("/geometry/weights/random", test_weights_random);
  g_test_add_func ("/geometry/weights/of-turn", test_weights_of_turn);
  g_test_add_func ("/geometry/growing/in-order", test_growing_in_order);
  static const size_t parts[] = { 1, 2, 3, 50, 300, 877, 899 };
  for (size_t i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      g_autofree char *path =
          g_strdup_printf ("/geometry/growing/part/%zu", parts[i]);
      g_test_add_data_func (path, GSIZE_TO_POINTER (parts[i]),
                            test_growing_part);
    }
  g_test_add_func ("/geometry/growing/random", test_growing_random);
  g_test_add_func ("/geometry/growing/permuted", test_growing_permuted);
  g_test_add_func ("/geometry/growing/golden", test_growing_golden);
  g_test_add_func ("/geometry/growing/interlaced", test_growing_interlaced);
  g_test_add_func ("/geometry/growing/lost", test_growing_lost);
  g_test_add_func ("/geometry/growing/turns", test_growing_turns);
  g_test_add_func ("/geometry/growing/no-room", test_growing_no_room);
  g_test_add_func ("/geometry/cover-turn", test_cover_turn);
  g_test_add_func ("/geometry/no-room", test_no_room);
  g_test_add_func ("/samples/convert", test_samples_convert);
  g_test_add_func ("/samples/repair", test_samples_repair);
  g_test_add_func ("/array/alloc", test_alloc);
  g_test_add_func ("/array/sort", test_sort);
  g_test_add_func ("/array/sort-sizes", test_sort_sizes);
  g_test_add_func ("/array/median", test_median);
  return g_test_run ();
}
