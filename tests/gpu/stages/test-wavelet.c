/* The taps of the wavelet satisfy the conditions that define Daubechies'
 * wavelet. */
#include "gpu/stages/wavelet.h"

#include <math.h>

/* The taps are rounded to float. */
#define TOLERANCE 1e-6

/* Low and high are orthogonal to each other and to their own copies, shifted by
 * an even number of places. */
static void
test_orthonormal (void)
{
  TlWavelet w;

  tl_wavelet_init (&w);
  for (int shift = 0; shift < TL_WAVELET_TAPS; shift += 2)
    {
      double low = 0.0, high = 0.0, mixed = 0.0;

      for (int j = shift; j < TL_WAVELET_TAPS; j++)
        {
          low += (double)w.low[j] * w.low[j - shift];
          high += (double)w.high[j] * w.high[j - shift];
          mixed += (double)w.high[j] * w.low[j - shift];
        }
      g_assert_cmpfloat_with_epsilon (low, shift == 0, TOLERANCE);
      g_assert_cmpfloat_with_epsilon (high, shift == 0, TOLERANCE);
      g_assert_cmpfloat_with_epsilon (mixed, 0.0, TOLERANCE);
    }
}

/* The high part of a polynomial of a degree below 10 is zero. */
static void
test_moments (void)
{
  TlWavelet w;

  tl_wavelet_init (&w);
  for (int power = 0; power < TL_WAVELET_TAPS / 2; power++)
    {
      double sum = 0.0;

      for (int j = 0; j < TL_WAVELET_TAPS; j++)
        sum += w.high[j] * pow ((double)j / TL_WAVELET_TAPS, (double)power);
      g_assert_cmpfloat_with_epsilon (sum, 0.0, TOLERANCE);
    }
}

static void
test_damping (void)
{
  size_t n;
  g_autofree float *weak = tl_wavelet_damping (0.1, 60, &n);
  g_autofree float *strong = NULL;

  /* Only the mean is damped, and completely. */
  g_assert_cmpuint (n, ==, 1);
  g_assert_cmpfloat_with_epsilon (weak[0] * 60.0f, 1.0, TOLERANCE);
  strong = tl_wavelet_damping (20.0, 8, &n);
  g_assert_cmpuint (n, ==, 5);
  g_assert_cmpfloat_with_epsilon (strong[3] * 8.0f, 2.0 * exp (-9.0 / 800.0),
                                  TOLERANCE);
  g_assert_cmpfloat_with_epsilon (strong[4] * 8.0f, exp (-16.0 / 800.0),
                                  TOLERANCE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/wavelet/orthonormal", test_orthonormal);
  g_test_add_func ("/wavelet/moments", test_moments);
  g_test_add_func ("/wavelet/damping", test_damping);
  return g_test_run ();
}
