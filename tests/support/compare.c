#include "tests/support/compare.h"

#include <math.h>

double
tl_test_tolerance (const char *engine, const TlVariant *variant,
                   size_t n_projections, gboolean is_noise)
{
  const gboolean is_host = g_str_equal (engine, "host");

  if (variant->is_fourier)
    return is_host || variant->precision == TL_PRECISION_FULL
               ? TL_TOLERANCE_FOURIER
               : TL_TOLERANCE_FOURIER_FAST;
  if (is_host)
    return TL_TOLERANCE_HOST;
  if (variant->precision == TL_PRECISION_FULL)
    return TL_TOLERANCE_FULL;
  if (variant->is_reference)
    return TL_TOLERANCE_TEXTBOOK;
  if (!is_noise && n_projections >= TL_TOLERANCE_FAST_PROJECTIONS)
    return TL_TOLERANCE_FAST;
  return variant->kernel == TL_KERNEL_HYBRID ? TL_TOLERANCE_EIGHT_BITS
                                             : TL_TOLERANCE_FAST_ROUGH;
}

double
tl_test_rounding (const char *engine, TlPrecision precision)
{
  if (g_str_equal (engine, "host"))
    return TL_ROUNDING_HOST;
  return precision == TL_PRECISION_FULL ? TL_ROUNDING_FULL : TL_ROUNDING_FAST;
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

void
tl_test_assert_near (const float *got, const double *want, size_t n,
                     double tolerance)
{
  tl_test_assert_slices (got, want, NULL, n, tolerance);
}

void
tl_test_assert_slices (const float *got, const double *want, const double *ties,
                       size_t n, double tolerance)
{
  double off = 0.0, size = 0.0, most = 0.0;
  size_t worst = 0;

  for (size_t i = 0; i < n; i++)
    size += want[i] * want[i];
  const double norm = sqrt (size), rms = norm / sqrt ((double)n);
  for (size_t i = 0; i < n; i++)
    {
      const double d =
          fmax (fabs (got[i] - want[i]) - (ties != NULL ? ties[i] : 0.0), 0.0);
      const double part = d / (rms + fabs (want[i]));

      g_assert_true (isfinite (got[i]));
      off += d * d;
      if (d > 0.0 && part > most)
        {
          most = part;
          worst = i;
        }
    }
  if (sqrt (off) <= tolerance * norm
      && most <= TL_TOLERANCE_PIXEL_FACTOR * tolerance)
    return;
  g_test_message ("worst of %zu at %zu: got %.9g, want %.9g, ties %.3g", n,
                  worst, got[worst], want[worst],
                  ties != NULL ? ties[worst] : 0.0);
  g_assert_cmpfloat (sqrt (off), <=, tolerance * norm);
  g_assert_cmpfloat (most, <=, TL_TOLERANCE_PIXEL_FACTOR * tolerance);
}
