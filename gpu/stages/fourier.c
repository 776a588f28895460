#include "gpu/stages/fourier.h"

#include "data/error.h"
#include "gpu/stages/filter.h"

#include <glib/gi18n.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

gboolean
tl_fourier_check_reach (const TlGrid *grid, size_t n_cols, double axis_col,
                        GError **error)
{
  const double x1 = grid->x0 + (double)(grid->nx - 1) * grid->pitch;
  const double y1 = grid->y0 - (double)(grid->ny - 1) * grid->pitch;
  const double reach = hypot (fmax (fabs (grid->x0), fabs (x1)),
                              fmax (fabs (grid->y0), fabs (y1)));
  const double length = (double)tl_filter_length (n_cols);
  const double limit =
      fmin (length - axis_col, axis_col + length - ((double)n_cols - 1.0));

  if (reach <= limit)
    return TRUE;
  return tl_fail (error, TL_ERROR_VALUE,
                  _ ("the pixels reach up to %.0f columns from the axis, and "
                     "the Fourier method only to %.0f; back-projection has no "
                     "such limit"),
                  reach, limit);
}

size_t
tl_fourier_count_finer (double pitch, size_t last, size_t length)
{
  const double cycles = pitch * (double)last / (double)length;

  return (size_t)fmax (ceil (2.0 * cycles - 1e-9), 1.0);
}

size_t
tl_fourier_find_last (const float *response, size_t length)
{
  size_t k = length / 2;

  while (k > 0 && response[k] == 0.0f)
    k--;
  return k;
}

void
tl_fourier_find_middle (const TlGrid *grid, double *x, double *y)
{
  *x = grid->x0 + (double)(grid->nx / 2) * grid->pitch;
  *y = grid->y0 - (double)(grid->ny / 2) * grid->pitch;
}

static int
compare_rays (const void *a, const void *b)
{
  const TlFourierRay *first = a, *second = b;

  if (first->turn != second->turn)
    return first->turn < second->turn ? -1 : 1;
  return first->projection < second->projection ? -1 : 1;
}

void
tl_fourier_sort_rays (TlFourierRay *rays, size_t n)
{
  qsort (rays, n, sizeof *rays, compare_rays);
}

size_t
tl_fourier_grid_length (size_t n)
{
  static const size_t odd[] = { 1, 3, 5, 9, 15 };
  size_t best = 0;

  for (size_t i = 0; i < G_N_ELEMENTS (odd); i++)
    {
      size_t length = 32 * odd[i];

      while (length < 2 * n)
        length *= 2;
      if (best == 0 || length < best)
        best = length;
    }
  return best;
}

double
tl_fourier_get_beta (int width)
{
  return 0.98 * G_PI * width * 0.75;
}

double
tl_fourier_get_kernel (int width, double rest)
{
  const double beta = tl_fourier_get_beta (width);

  return tl_fourier_bessel (0, beta * sqrt (fmax (0.0, rest)))
         / tl_fourier_bessel (0, beta);
}

double
tl_fourier_bessel (int order, double x)
{
  double term = order == 0 ? 1.0 : 0.5, sum = term;

  for (int k = 1; term > 1e-17 * sum; k++)
    {
      term *= x * x / (4.0 * k * (k + order));
      sum += term;
    }
  return sum;
}

void
tl_fourier_fit (double (*get) (double z, gconstpointer data),
                gconstpointer data, int n_terms, double *powers)
{
  /* Coefficients of the Chebyshev polynomials of two successive orders. */
  double before[TL_FOURIER_MAX_TERMS] = { 0 };
  double current[TL_FOURIER_MAX_TERMS] = { 1.0 };
  double values[TL_FOURIER_MAX_TERMS]; /* of the function, at the nodes */

  g_return_if_fail (n_terms > 0 && n_terms <= TL_FOURIER_MAX_TERMS);
  memset (powers, 0, (size_t)n_terms * sizeof *powers);
  for (int i = 0; i < n_terms; i++)
    values[i] = get (cos (G_PI * (i + 0.5) / n_terms), data);
  for (int order = 0; order < n_terms; order++)
    {
      double weight = 0.0;

      for (int i = 0; i < n_terms; i++)
        {
          const double angle = G_PI * (i + 0.5) / n_terms;

          weight += values[i] * cos (order * angle) * (order == 0 ? 1.0 : 2.0)
                    / n_terms;
        }
      for (int i = 0; i < n_terms; i++)
        powers[i] += weight * current[i];
      /* From above, because the entries below i still belong to the current
       * order. */
      for (int i = n_terms - 1; i >= 0; i--)
        {
          const double next =
              (order == 0 ? 1.0 : 2.0) * (i > 0 ? current[i - 1] : 0.0)
              - before[i];

          before[i] = current[i];
          current[i] = next;
        }
    }
}
