#include "data/geometry.h"

#include "data/array.h"

#include <glib/gi18n.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

gboolean
tl_grid_equal (const TlGrid *a, const TlGrid *b)
{
  return a->nx == b->nx && a->ny == b->ny && a->x0 == b->x0 && a->y0 == b->y0
         && a->pitch == b->pitch;
}

/* Returns: the square of a pixel's distance from the axis */
static double
get_square (const TlGrid *grid, size_t row, size_t col)
{
  const double x = grid->x0 + (double)col * grid->pitch;
  const double y = grid->y0 - (double)row * grid->pitch;
  return x * x + y * y;
}

void
tl_grid_find_seen (const TlGrid *grid, const TlGrid *whole, size_t row,
                   size_t *first, size_t *end)
{
  const double radius = 0.5 * (double)MIN (whole->nx, whole->ny) * whole->pitch;
  *first = 0;
  *end = grid->nx;
  while (*first < *end && get_square (grid, row, *first) > radius * radius)
    (*first)++;
  while (*end > *first && get_square (grid, row, *end - 1) > radius * radius)
    (*end)--;
}

double
tl_dot (const double *a, const double *b)
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

gboolean
tl_plane_equal (const TlPlane *a, const TlPlane *b)
{
  gboolean same = a->nx == b->nx && a->ny == b->ny;
  for (guint k = 0; k < 3; k++)
    same = same && a->origin[k] == b->origin[k] && a->u[k] == b->u[k]
           && a->v[k] == b->v[k];
  return same;
}

TlGrid
tl_grid_full (size_t n)
{
  const double half = ((double)n - 1.0) / 2.0;

  return (TlGrid){ .ny = n, .nx = n, .x0 = -half, .y0 = half, .pitch = 1.0 };
}

TlGrid
tl_grid_reduced (size_t n, guint factor)
{
  const size_t n_pixels = (n + factor - 1) / factor;
  const double pitch = (double)n / (double)n_pixels;
  const double half = ((double)n - pitch) / 2.0;

  return (TlGrid){
    .ny = n_pixels, .nx = n_pixels, .x0 = -half, .y0 = half, .pitch = pitch
  };
}

TlPlane
tl_plane_xy (const TlGrid *grid, double z)
{
  return (TlPlane){
    .ny = grid->ny,
    .nx = grid->nx,
    .origin = { grid->x0, grid->y0, z },
    .u = { grid->pitch, 0.0, 0.0 },
    .v = { 0.0, -grid->pitch, 0.0 },
  };
}

TlPlane
tl_plane_xz (const TlGrid *grid, double row, size_t n_rows)
{
  return (TlPlane){
    .ny = n_rows,
    .nx = grid->nx,
    .origin = { grid->x0, grid->y0 - row * grid->pitch, 0.0 },
    .u = { grid->pitch, 0.0, 0.0 },
    .v = { 0.0, 0.0, 1.0 },
  };
}

TlPlane
tl_plane_yz (const TlGrid *grid, double col, size_t n_rows)
{
  return (TlPlane){
    .ny = n_rows,
    .nx = grid->ny,
    .origin = { grid->x0 + col * grid->pitch, grid->y0, 0.0 },
    .u = { 0.0, -grid->pitch, 0.0 },
    .v = { 0.0, 0.0, 1.0 },
  };
}

TlPlane
tl_plane_oblique (const double *middle, const double *u, const double *v,
                  size_t n)
{
  const double half = ((double)n - 1.0) / 2.0;
  TlPlane plane = { .ny = n, .nx = n };

  for (size_t k = 0; k < 3; k++)
    {
      plane.origin[k] = middle[k] - half * (u[k] + v[k]);
      plane.u[k] = u[k];
      plane.v[k] = v[k];
    }
  return plane;
}

TlPlane
tl_plane_coarse (const TlPlane *plane, guint factor)
{
  const double shift = ((double)factor - 1.0) / 2.0;
  TlPlane coarse = *plane;

  if (plane->nx == 0 || plane->ny == 0)
    return coarse;
  coarse.nx = MAX (plane->nx / factor, 1);
  coarse.ny = MAX (plane->ny / factor, 1);
  for (size_t k = 0; k < 3; k++)
    {
      coarse.origin[k] += shift * (plane->u[k] + plane->v[k]);
      coarse.u[k] *= factor;
      coarse.v[k] *= factor;
    }
  return coarse;
}

gboolean
tl_plane_find_rows (const TlPlane *plane, size_t n_rows, size_t *first,
                    size_t *n)
{
  const double along_u = (double)(plane->nx - 1) * plane->u[2];
  const double along_v = (double)(plane->ny - 1) * plane->v[2];
  const double low =
      plane->origin[2] + fmin (along_u, 0.0) + fmin (along_v, 0.0);
  const double high =
      plane->origin[2] + fmax (along_u, 0.0) + fmax (along_v, 0.0);

  if (!(high > -1.0 && low < (double)n_rows))
    return FALSE;
  *first = (size_t)fmax (floor (low), 0.0);
  *n = (size_t)fmin (ceil (high), (double)n_rows - 1.0) - *first + 1;
  return TRUE;
}

double
tl_centre_to_boundary (double centre_col)
{
  return centre_col + 0.5;
}

double
tl_centre_from_boundary (double boundary)
{
  return boundary - 0.5;
}

double
tl_round_to_parts (double value, double parts)
{
  return round (value * parts) / parts;
}

/* radians */
#define WIDE_GAP (TL_WIDE_GAP_DEG * G_PI / 180.0)

/* The angle of one projection modulo pi or 2 pi, and the index of the
 * projection. */
typedef struct
{
  double angle;
  size_t index;
} Direction;

static int
compare_directions (const void *a, const void *b)
{
  const Direction *u = a, *v = b;

  return (u->angle > v->angle) - (u->angle < v->angle);
}

/* The median of the gaps that are wider than rounding errors. Gaps between
 * repeated directions are not, and do not count. @sorted: room for @n */
static double
median_gap (const double *gaps, size_t n, double *sorted)
{
  size_t n_kept = 0;

  for (size_t i = 0; i < n; i++)
    if (gaps[i] > 1e-7)
      sorted[n_kept++] = gaps[i];
  if (n_kept == 0)
    return 0.0;
  tl_sort_doubles (sorted, n_kept);
  return sorted[n_kept / 2];
}

/* Projections along the same direction (opposite views, a repeated end
 * point) share its weight evenly, so that their noise is averaged.
 * @directions are sorted; @gaps follow them around the circle. */
static void
share_repeated (const Direction *directions, const double *gaps, size_t n,
                double tolerance, double *weights)
{
  size_t start = 0;

  /* Start after a gap wider than @tolerance: a run of equal directions may
   * go over the end of the circle. */
  while (start < n && gaps[start] <= tolerance)
    start++;
  for (size_t done = 0; start < n && done < n;)
    {
      const size_t first = start + 1 + done;
      size_t length = 1;
      double sum = weights[directions[first % n].index];

      while (gaps[(first + length - 1) % n] <= tolerance)
        sum += weights[directions[(first + length++) % n].index];
      for (size_t k = 0; k < length; k++)
        weights[directions[(first + k) % n].index] = sum / (double)length;
      done += length;
    }
}

/* @directions: (out): [@n], the angles modulo @period, sorted
 * @median: (out): the median gap
 *
 * Returns: (transfer full): [@n], the distance from each direction to its
 *   successor around the circle; %NULL with TL_ERROR_MEMORY */
static double *
find_gaps (const double *angles_rad, size_t n, double period,
           Direction **directions, double *median, GError **error)
{
  const char *what = _ ("the order of the angles");
  g_autofree Direction *all = tl_try_alloc (n, 1, 1, sizeof *all, what, error);
  g_autofree double *gaps = tl_try_alloc (n, 1, 1, sizeof *gaps, what, error);
  g_autofree double *sorted =
      tl_try_alloc (n, 1, 1, sizeof *sorted, what, error);

  if (all == NULL || gaps == NULL || sorted == NULL)
    return NULL;
  for (size_t i = 0; i < n; i++)
    {
      double angle = fmod (angles_rad[i], period);

      if (angle < 0.0)
        angle += period;
      all[i] = (Direction){ angle, i };
    }
  qsort (all, n, sizeof *all, compare_directions);
  for (size_t i = 0; i < n; i++)
    gaps[i] = i + 1 < n ? all[i + 1].angle - all[i].angle
                        : all[0].angle + period - all[i].angle;
  *median = median_gap (gaps, n, sorted);
  *directions = g_steal_pointer (&all);
  return g_steal_pointer (&gaps);
}

/* Returns: whether no projection stands for any part of @gap */
static gboolean
is_missing_wedge (double gap, double median)
{
  return gap > TL_WIDE_GAP_STEPS * median && gap > WIDE_GAP;
}

gboolean
tl_angle_weights (const double *angles_rad, size_t n, gboolean of_turn,
                  double *weights, GError **error)
{
  const double period = of_turn ? 2.0 * G_PI : G_PI;
  g_autofree Direction *directions = NULL;
  double median;

  g_return_val_if_fail (n > 0, FALSE);

  g_autofree double *gaps =
      find_gaps (angles_rad, n, period, &directions, &median, error);
  if (gaps == NULL)
    return FALSE;
  for (size_t i = 0; i < n; i++)
    if (n > 1 && is_missing_wedge (gaps[i], median))
      gaps[i] = median; /* a missing wedge: its two ends get the usual step */

  for (size_t i = 0; i < n; i++)
    {
      const double before = gaps[i > 0 ? i - 1 : n - 1];

      weights[directions[i].index] = 0.5 * (before + gaps[i]);
    }
  share_repeated (directions, gaps, n, 1e-3 * median, weights);
  return TRUE;
}

/* --- while projections are still to come --- */

/* A gap so many times as wide as the median is a hole: projections that would
 * lie in it have not come yet. */
#define HOLE_GAPS 10.0

/* Where the projections that are there are this much sparser than the announced
 * ones, an end of a hole counts as sparse as they are. */
#define SPARSE_GAPS 1.5

/* How far the announced directions on both sides of each projection are: [n]
 * each, both %NULL where they are not known. */
typedef struct
{
  double *before, *after;
  double median;
  double sum; /* of the weights of all announced projections */
} Steps;

static void
clear_steps (Steps *steps)
{
  g_clear_pointer (&steps->before, g_free);
  g_clear_pointer (&steps->after, g_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Steps, clear_steps)

/* Fills in the steps from the gaps of all directions. Repeated directions have
 * the steps of their run, so the circle is followed twice. */
static void
fill_steps (Steps *steps, const Direction *directions, const double *gaps,
            size_t n)
{
  const double tolerance = 1e-3 * steps->median;
  double step = 0.0;

  for (size_t k = 2 * n; k-- > 0;)
    {
      if (gaps[k % n] > tolerance)
        step = gaps[k % n];
      steps->after[directions[k % n].index] = step;
    }
  for (size_t k = 0; k < 2 * n; k++)
    {
      steps->before[directions[k % n].index] = step;
      if (gaps[k % n] > tolerance)
        step = gaps[k % n];
    }
}

/* @angles_rad: [@n], all that are announced */
static gboolean
find_steps (const double *angles_rad, size_t n, gboolean of_turn, Steps *steps,
            GError **error)
{
  g_autofree Direction *directions = NULL;
  const char *what = _ ("the angles");
  g_autofree double *gaps =
      find_gaps (angles_rad, n, of_turn ? 2.0 * G_PI : G_PI, &directions,
                 &steps->median, error);

  if (gaps == NULL)
    return FALSE;
  steps->before = tl_try_alloc (n, 1, 1, sizeof (double), what, error);
  steps->after = tl_try_alloc (n, 1, 1, sizeof (double), what, error);
  if (steps->before == NULL || steps->after == NULL)
    return FALSE;
  steps->sum = 0.0;
  for (size_t i = 0; i < n; i++)
    {
      if (n > 1 && is_missing_wedge (gaps[i], steps->median))
        gaps[i] = steps->median;
      steps->sum += gaps[i];
    }
  fill_steps (steps, directions, gaps, n);
  return TRUE;
}

/* Finds the gap in front of a stage that turns in one direction, and has not
 * yet come round. @angles_rad: in the order in which they are taken
 *
 * Returns: the index of the direction before the gap, or @n */
static size_t
find_front (const double *angles_rad, const Direction *directions,
            const double *gaps, size_t n, double period, double tolerance)
{
  gboolean rises = FALSE, falls = FALSE;
  size_t front = 0;

  for (size_t i = 1; i < n; i++)
    {
      rises = rises || angles_rad[i] - angles_rad[i - 1] > tolerance;
      falls = falls || angles_rad[i - 1] - angles_rad[i] > tolerance;
    }
  if ((rises && falls) || fabs (angles_rad[n - 1] - angles_rad[0]) >= period)
    return n;
  while (directions[front].index != (falls ? 0 : n - 1))
    front++;
  for (size_t k = 0; k < n && gaps[front] <= tolerance; k++)
    front = (front + 1) % n;
  return front;
}

/* Returns: the gap that counts at one end of a hole. @step: (nullable): to the
 * next announced direction there */
static double
bridge_hole (const double *step, double median, size_t n)
{
  return step != NULL && (n < 3 || median <= SPARSE_GAPS * *step) ? *step
                                                                  : median;
}

/* @angles_rad: [@n], of those that are there
 * @order: [@n], the index of each one among all
 * @weights: (out): [@n]
 *
 * Returns: %FALSE with TL_ERROR_MEMORY */
static gboolean
weigh_present (const double *angles_rad, const size_t *order, size_t n,
               double period, const Steps *steps, double *weights,
               gboolean *has_hole, GError **error)
{
  g_autofree Direction *directions = NULL;
  double median;
  g_autofree double *gaps =
      find_gaps (angles_rad, n, period, &directions, &median, error);

  if (gaps == NULL)
    return FALSE;
  const double tolerance =
      1e-3 * (steps->before != NULL ? steps->median : median);
  const size_t front =
      find_front (angles_rad, directions, gaps, n, period, tolerance);
  *has_hole = FALSE;
  for (size_t i = 0; i < n; i++)
    {
      const size_t left = i > 0 ? i - 1 : n - 1, index = directions[i].index;
      const size_t k = order[index];
      double before = gaps[left], after = gaps[i];

      if (left == front || before > HOLE_GAPS * median)
        before = bridge_hole (steps->before != NULL ? steps->before + k : NULL,
                              median, n);
      if (i == front || after > HOLE_GAPS * median)
        {
          after = bridge_hole (steps->after != NULL ? steps->after + k : NULL,
                               median, n);
          *has_hole = TRUE;
        }
      weights[index] = 0.5 * (before + after);
    }
  share_repeated (directions, gaps, n, tolerance, weights);
  return TRUE;
}

gboolean
tl_angle_weights_growing (const double *angles_rad, const guint8 *is_there,
                          size_t n, gboolean is_announced, gboolean of_turn,
                          double *weights, double *scale, GError **error)
{
  const char *what = _ ("the angles");
  const double period = of_turn ? 2.0 * G_PI : G_PI;
  g_auto (Steps) steps = { .sum = period };
  gboolean has_hole;
  size_t n_there = 0;
  double sum = 0.0;

  g_autofree size_t *order = tl_try_alloc (n, 1, 1, sizeof *order, what, error);
  g_autofree double *there = tl_try_alloc (n, 1, 1, sizeof *there, what, error);
  g_autofree double *found = tl_try_alloc (n, 1, 1, sizeof *found, what, error);
  if (order == NULL || there == NULL || found == NULL)
    return FALSE;
  for (size_t i = 0; i < n; i++)
    if (is_there[i])
      {
        order[n_there] = i;
        there[n_there++] = angles_rad[i];
      }
  g_return_val_if_fail (n_there > 0, FALSE);
  *scale = 1.0;
  if (is_announced && n_there == n)
    return tl_angle_weights (angles_rad, n, of_turn, weights, error);
  if ((is_announced && !find_steps (angles_rad, n, of_turn, &steps, error))
      || !weigh_present (there, order, n_there, period, &steps, found,
                         &has_hole, error))
    return FALSE;
  memset (weights, 0, n * sizeof *weights);
  for (size_t k = 0; k < n_there; k++)
    {
      weights[order[k]] = found[k];
      sum += found[k];
    }
  if (has_hole)
    *scale = steps.sum / sum;
  return TRUE;
}

double
tl_angles_find_gap (const double *angles_rad, size_t n, double *from_rad)
{
  g_autofree Direction *directions = NULL;
  double median, widest = 0.0, low = INFINITY;

  g_autofree double *from_low =
      tl_try_alloc (n, 1, 1, sizeof (double), "the angles", NULL);
  if (from_low == NULL)
    return 0.0;
  for (size_t i = 0; i < n; i++)
    low = fmin (low, angles_rad[i]);
  for (size_t i = 0; i < n; i++)
    from_low[i] = angles_rad[i] - low;
  g_autofree double *gaps =
      find_gaps (from_low, n, G_PI, &directions, &median, NULL);
  for (size_t i = 0; gaps != NULL && i + 1 < n; i++)
    if (gaps[i] > widest && is_missing_wedge (gaps[i], median))
      {
        widest = gaps[i];
        *from_rad = low + directions[i].angle;
      }
  return widest;
}

gboolean
tl_angles_cover_turn (const double *angles_rad, size_t n, gboolean *covers,
                      GError **error)
{
  g_autofree Direction *directions = NULL;
  double median;

  *covers = FALSE;
  if (n < 3)
    return TRUE;
  g_autofree double *gaps =
      find_gaps (angles_rad, n, 2.0 * G_PI, &directions, &median, error);
  if (gaps == NULL)
    return FALSE;
  *covers = TRUE;
  for (size_t i = 0; i < n; i++)
    *covers = *covers && gaps[i] <= fmax (WIDE_GAP, 2.0 * median);
  return TRUE;
}
