#include "tests/support/compare.h"

#include <math.h>
#include <stdlib.h>

double
tl_test_tolerance (const char *engine, const TlVariant *variant,
                   size_t n_projections, gboolean is_noise)
{
  if (variant->is_fourier)
    return TL_TOLERANCE_FOURIER;
  if (g_str_equal (engine, "host"))
    return TL_TOLERANCE_HOST;
  if (variant->precision == TL_PRECISION_FULL)
    return TL_TOLERANCE_FULL;
  if (variant->is_reference)
    return TL_TOLERANCE_EIGHT_BITS;
  if (!is_noise && n_projections >= TL_TOLERANCE_FAST_PROJECTIONS)
    return TL_TOLERANCE_FAST;
  return variant->kernel == TL_KERNEL_HYBRID ? TL_TOLERANCE_EIGHT_BITS
                                             : TL_TOLERANCE_FAST_ROUGH;
}

double
tl_test_distance (const float *got, const double *want, size_t n)
{
  double difference = 0.0, size = 0.0;

  for (size_t i = 0; i < n; i++)
    {
      const double d = got[i] - want[i];

      difference += d * d;
      size += want[i] * want[i];
    }
  if (size == 0.0)
    return difference == 0.0 ? 0.0 : INFINITY;
  return sqrt (difference / size);
}

static void
report_worst (const float *got, const double *want, size_t n)
{
  size_t worst = 0;

  for (size_t i = 1; i < n; i++)
    {
      /* The comparison ranks NaN as the worst difference. */
      if (!(fabs (got[i] - want[i]) <= fabs (got[worst] - want[worst])))
        worst = i;
    }
  g_test_message ("worst of %zu at %zu: got %.9g, want %.9g", n, worst,
                  got[worst], want[worst]);
}

void
tl_test_assert_near (const float *got, const double *want, size_t n,
                     double tolerance)
{
  const double distance = tl_test_distance (got, want, n);

  if (!(distance <= tolerance))
    report_worst (got, want, n);
  g_assert_cmpfloat (distance, <=, tolerance);
}

static int
compare_doubles (const void *a, const void *b)
{
  const double *x = a, *y = b;

  return (*x > *y) - (*x < *y);
}

static void
assert_near_but_ties (const float *got, const double *want, size_t n,
                      double tolerance)
{
  g_autofree double *squares = g_new (double, n);
  const size_t n_kept = n - (size_t)(TL_TOLERANCE_TIES * (double)n);
  double difference = 0.0, size = 0.0;

  for (size_t i = 0; i < n; i++)
    {
      squares[i] = (got[i] - want[i]) * (got[i] - want[i]);
      size += want[i] * want[i];
      g_assert_true (isfinite (got[i]));
    }
  qsort (squares, n, sizeof (double), compare_doubles);
  for (size_t i = 0; i < n_kept; i++)
    difference += squares[i];
  if (difference > tolerance * tolerance * size)
    report_worst (got, want, n);
  g_assert_cmpfloat (difference, <=, tolerance * tolerance * size);
}

void
tl_test_assert_slices (TlInterpolation interpolation, const float *got,
                       const double *want, size_t n, double tolerance)
{
  if (interpolation == TL_INTERPOLATION_NEAREST
      || interpolation == TL_INTERPOLATION_OVERSAMPLED)
    assert_near_but_ties (got, want, n, tolerance);
  else
    tl_test_assert_near (got, want, n, tolerance);
}
