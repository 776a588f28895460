#include "data/geometry.h"

#include "data/array.h"

#include <glib/gi18n.h>
#include <math.h>
#include <stdlib.h>

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

/* Only a gap wider than this (radians) can be a missing wedge. */
#define WIDE_GAP (5.0 * G_PI / 180.0)

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
  return gap > 10.0 * median && gap > WIDE_GAP;
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
