#include "gpu/centre/centre-private.h"
#include "gpu/centre/rows-private.h"

#include <glib/gi18n.h>
#include <math.h>

/* The columns at either end that are taken as air: the AIR_PART-th part of a
 * row, but at least MIN_AIR columns. */
#define AIR_PART 32
#define MIN_AIR 3
/* The largest spread of the projections' sums, as a fraction of their mean.
 * With a larger spread the projections do not show the same whole object. */
#define MAX_MASS_SPREAD 0.03
#define N_BLOCKS 8
/* A mass below this fraction of the summed magnitudes is rounding, not an
 * object. */
#define MIN_MASS 1e-3
/* A projection whose sum is below this fraction of the mean sum is a lost
 * frame. */
#define MIN_PART 0.1
#define CAUTION 1.5
#define MIN_UNCERTAINTY 0.05
/* The error of the centre, in widths of a row, per unit of the relative spread
 * of the masses. */
#define MASS_ERROR 0.5
/* Over half a turn, so much of a constant cannot be imitated by a sine and a
 * cosine. Errors grow with the root of what there is less. */
#define HALF_TURN_PART (1 - 8 / (G_PI * G_PI))
/* Over a smaller part of a turn, drifts of the beam look like an axis. */
#define MIN_RANGE_DEG 90

typedef struct
{
  const TlCentreData *data;
  const TlCentreRows *rows;
  double *masses, *moments, *angles_rad; /* [n] */
  size_t n;                              /* projections that are not lost */
  double contents;                       /* sum of all magnitudes */
} Work;

/* Computes the sum and the first moment of projection @p above the line that
 * connects the air at both ends. */
static void
measure_row (Work *work, size_t p)
{
  const size_t n_cols = work->rows->n_cols;
  const size_t n_air = MAX (n_cols / AIR_PART, MIN_AIR);
  const float *row = work->rows->rows + p * n_cols;
  double left = 0, right = 0, mass = 0, moment = 0;
  for (size_t k = 0; k < n_air; k++)
    {
      left += row[k] / (double)n_air;
      right += row[n_cols - 1 - k] / (double)n_air;
    }
  for (size_t k = 0; k < n_cols; k++)
    {
      const double part = (double)k / (double)(n_cols - 1);
      const double value = row[k] - (1 - part) * left - part * right;
      mass += value;
      work->contents += fabs ((double)row[k]);
      moment += value * (double)k;
    }
  work->masses[p] = mass;
  work->moments[p] = moment;
  work->angles_rad[p] = work->rows->angles_rad[p];
}

/* Removes lost frames, which have no centre of mass. */
static void
leave_lost_out (Work *work)
{
  double mean = 0;
  size_t n_kept = 0;
  for (size_t p = 0; p < work->n; p++)
    mean += fabs (work->masses[p]) / (double)work->n;
  for (size_t p = 0; p < work->n; p++)
    if (fabs (work->masses[p]) >= MIN_PART * mean)
      {
        work->masses[n_kept] = work->masses[p];
        work->moments[n_kept] = work->moments[p];
        work->angles_rad[n_kept++] = work->angles_rad[p];
      }
  work->n = n_kept;
}

/* Fits c + x cos t + y sin t to the centres of mass by least squares.
 * @left_out: the block of projections to leave out; N_BLOCKS: none. @part:
 * (nullable) (out): how much of a constant the other two terms cannot imitate,
 * 0 to 1. Returns: c */
static double
fit (const Work *work, guint left_out, double *part)
{
  double a[3][4] = { { 0 } };
  const size_t n = work->n;
  for (size_t p = 0; p < n; p++)
    {
      const double t = work->angles_rad[p];
      const double basis[] = { cos (t), sin (t), 1 };
      if (p * N_BLOCKS / n == left_out)
        continue;
      for (guint i = 0; i < 3; i++)
        {
          for (guint j = 0; j < 3; j++)
            a[i][j] += basis[i] * basis[j];
          a[i][3] += basis[i] * work->moments[p] / work->masses[p];
        }
    }
  /* The matrix is positive definite, so elimination needs no pivoting. */
  for (guint i = 0; i < 3; i++)
    for (guint r = 0; r < 3; r++)
      for (gint j = 3; r != i && j >= (gint)i; j--)
        a[r][j] -= a[r][i] / a[i][i] * a[i][j];
  /* What elimination has left of the sum of ones. */
  if (part != NULL)
    *part = a[2][2] / (double)n;
  return a[2][3] / a[2][2];
}

/* Returns: the spread of the blocks' mean masses, as a fraction of their mean;
 * infinite if there is no mass */
static double
get_mass_spread (const Work *work)
{
  const size_t n = work->n;
  double sums[N_BLOCKS] = { 0 }, mean = 0, square = 0;
  size_t counts[N_BLOCKS] = { 0 };
  for (size_t p = 0; p < n; p++)
    {
      sums[p * N_BLOCKS / n] += work->masses[p];
      counts[p * N_BLOCKS / n]++;
      mean += work->masses[p] / (double)n;
    }
  for (guint block = 0; block < N_BLOCKS; block++)
    {
      const double away = sums[block] / (double)counts[block] - mean;
      square += away * away / N_BLOCKS;
    }
  return fabs (mean) * (double)n > MIN_MASS * work->contents
             ? sqrt (square) / fabs (mean)
             : INFINITY;
}

static gboolean
run (Work *work, TlCentreEstimate *estimate)
{
  double variance = 0, part;
  for (size_t p = 0; p < work->n; p++)
    measure_row (work, p);
  leave_lost_out (work);
  if (work->n < 2 * N_BLOCKS)
    return tl_centre_cannot_tell (
        estimate, _ ("%zu projections are too few for centres of mass"),
        work->n);
  const double mass_spread = get_mass_spread (work);
  if (isinf (mass_spread))
    return tl_centre_cannot_tell (estimate,
                                  _ ("the projections hold nothing but air"));
  if (!(mass_spread < MAX_MASS_SPREAD))
    return tl_centre_cannot_tell (
        estimate,
        _ ("the sums of the projections differ by %.2g %%, as if the object "
           "is wider than the detector"),
        100 * mass_spread);
  const double centre = fit (work, N_BLOCKS, &part);
  for (guint block = 0; block < N_BLOCKS; block++)
    {
      const double away = fit (work, block, NULL) - centre;
      variance += away * away * (N_BLOCKS - 1) / N_BLOCKS;
    }
  const double uncertainty =
      MIN_UNCERTAINTY * MAX (sqrt (HALF_TURN_PART / part), 1)
      + hypot (CAUTION * sqrt (variance), MAX (sqrt (HALF_TURN_PART / part), 1)
                                              * MASS_ERROR * mass_spread
                                              * (double)work->rows->n_cols);
  if (!(centre >= work->data->first_col && centre <= work->data->last_col))
    return tl_centre_cannot_tell (
        estimate,
        _ ("the centres of mass do not lie about an axis in the range"));
  estimate->is_found = TRUE;
  estimate->centre_col = centre;
  estimate->uncertainty_col = uncertainty;
  estimate->reason = g_strdup_printf (
      _ ("centres of mass; the sums of the projections differ by %.2g %%"),
      100 * mass_spread);
  return TRUE;
}

gboolean
tl_centre_by_moments (const TlCentreData *data, TlCentreEstimate *estimate,
                      GError **error)
{
  g_autoptr (TlCentreRows) rows = tl_centre_rows_begin (
      data, TL_CENTRE_MOMENTS, TL_CENTRE_MENDED, estimate, error);
  if (rows == NULL)
    return FALSE;
  Work work = { .data = data, .rows = rows, .n = rows->n_projections };
  if (rows->range_rad < MIN_RANGE_DEG * G_PI / 180)
    return tl_centre_rows_lack_angles (
        rows, _ ("the centres of mass need a quarter of a turn"), estimate);
  g_autofree double *memory = g_new (double, 3 * work.n);
  work.masses = memory;
  work.moments = memory + work.n;
  work.angles_rad = memory + 2 * work.n;
  return run (&work, estimate);
}
