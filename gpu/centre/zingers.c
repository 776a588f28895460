/* Cuts the zingers of a sinogram before the axis is searched in it. */
#include "gpu/centre/rows-private.h"

#include "data/array.h"
#include "gpu/host/median.h"

#include <glib/gi18n.h>
#include <math.h>

/* A sample is a zinger if its distance from the median is CUT times the mean
 * distance and at least CUT_DEVIATION standard deviations of all samples.
 * Grains of an object do not reach both limits. */
#define CUT 8.0
#define CUT_DEVIATION 0.8

/* Sums over one row: of the medians, and of the distances of samples from them.
 */
typedef struct
{
  double away, sum, square;
} Sums;

typedef struct
{
  size_t n_projections, n_cols;
  float *rows;    /* [n_projections][n_cols] */
  float *medians; /* likewise */
  Sums *sums; /* [n_projections]; added in a fixed order, so that the result is
                 reproducible */
  float limit;
} Work;

/* Computes the medians of row @p along the angle. */
static void
find_medians (size_t p, guint worker, gpointer data)
{
  const Work *work = data;
  const size_t n = work->n_projections, n_cols = work->n_cols;
  const float *own = work->rows + p * n_cols;
  const float *first = work->rows + MIN (MAX (p, 2) - 2, n - 5) * n_cols;
  float *medians = work->medians + p * n_cols;
  Sums sums = { 0 };
  for (size_t k = 0; k < n_cols; k++)
    medians[k] =
        tl_host_median_of_5 (first[k], first[n_cols + k], first[2 * n_cols + k],
                             first[3 * n_cols + k], first[4 * n_cols + k]);
  for (size_t k = 0; k < n_cols; k++)
    {
      const double median = medians[k];
      sums.away += fabs ((double)own[k] - median);
      sums.sum += median;
      sums.square += median * median;
    }
  work->sums[p] = sums;
}

/* Replaces samples of row @p that are far from two medians: that of the same
 * column along the angle, and that of the neighbouring columns. The median
 * along the angle takes their place. */
static void
mend_row (size_t p, guint worker, gpointer data)
{
  const Work *work = data;
  const size_t n_cols = work->n_cols;
  float *row = work->rows + p * n_cols;
  const float *medians = work->medians + p * n_cols;
  for (size_t k = 0; k < n_cols; k++)
    {
      const float *f = row + MIN (MAX (k, 2) - 2, n_cols - 5);
      if (fabsf (row[k] - medians[k]) > work->limit
          && fabsf (row[k] - tl_host_median_of_5 (f[0], f[1], f[2], f[3], f[4]))
                 > work->limit)
        row[k] = medians[k];
    }
}

gboolean
tl_centre_cut_zingers (TlHostPool *pool, float *rows, size_t n_projections,
                       size_t n_cols, GError **error)
{
  const size_t n = n_projections;
  if (n < 5 || n_cols < 5)
    return TRUE;
  g_autofree float *medians = tl_try_alloc (
      n, n_cols, 1, sizeof (float), _ ("the medians of a sinogram"), error);
  if (medians == NULL)
    return FALSE;
  g_autofree Sums *sums = g_new (Sums, n);
  Work work = { .n_projections = n,
                .n_cols = n_cols,
                .rows = rows,
                .medians = medians,
                .sums = sums };
  tl_host_pool_run (pool, n, find_medians, &work);
  Sums all = { 0 };
  for (size_t p = 0; p < n; p++)
    {
      all.away += sums[p].away;
      all.sum += sums[p].sum;
      all.square += sums[p].square;
    }
  const double n_all = (double)(n * n_cols), mean = all.sum / n_all;
  const double variance = MAX (all.square / n_all - mean * mean, 0);
  work.limit =
      (float)MAX (CUT * all.away / n_all, CUT_DEVIATION * sqrt (variance));
  tl_host_pool_run (pool, n, mend_row, &work);
  return TRUE;
}
