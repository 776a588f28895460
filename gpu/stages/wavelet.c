#include "gpu/stages/wavelet.h"

#include <math.h>

/* The taps follow from the roots of Daubechies' polynomial inside the unit
 * circle, computed with 60 digits. Daubechies, Ten lectures on wavelets (1992),
 * section 6.4. */
static const double low_taps[TL_WAVELET_TAPS] = {
  0.026670057900555554,   0.1881768000776915,      0.52720118893172563,
  0.68845903945360354,    0.28117234366057747,     -0.24984642432731538,
  -0.19594627437737705,   0.12736934033579325,     0.093057364603572348,
  -0.071394147166397082,  -0.029457536821875813,   0.033212674059341002,
  0.0036065535669561697,  -0.010733175483330575,   0.0013953517470529011,
  0.0019924052951850561,  -0.00068585669495971162, -0.00011646685512928545,
  9.3588670320069592e-05, -1.3264202894521244e-05,
};

/* For k above this many sigma, exp (-k^2 / (2 sigma^2)) is below 1e-7. */
#define LAST_SIGMA 5.7

void
tl_wavelet_init (TlWavelet *wavelet)
{
  for (int j = 0; j < TL_WAVELET_TAPS; j++)
    {
      const double mirrored = low_taps[TL_WAVELET_TAPS - 1 - j];

      wavelet->low[j] = (float)low_taps[j];
      wavelet->high[j] = (float)(j % 2 == 0 ? mirrored : -mirrored);
    }
}

/* Returns: the length of a and d for @n values of x. */
static size_t
get_length (size_t n)
{
  return (n + TL_WAVELET_TAPS - 1) / 2;
}

size_t
tl_wavelet_plan (size_t n_angles, size_t n_rows, size_t n_cols, guint n_levels,
                 TlWaveletLevel *levels)
{
  size_t end = get_length (n_angles) * n_rows * n_cols;

  for (guint l = 0; l < n_levels; l++)
    {
      const size_t coarse_angles = get_length (n_angles);
      const size_t coarse_cols = get_length (n_cols);
      const size_t n = coarse_angles * n_rows * coarse_cols;

      levels[l] = (TlWaveletLevel){
        .n_angles = n_angles,
        .n_cols = n_cols,
        .coarse_angles = coarse_angles,
        .coarse_cols = coarse_cols,
        .low = 0,
        .coarse = end,
        .band = end + n,
      };
      end += 2 * n;
      n_angles = coarse_angles;
      n_cols = coarse_cols;
    }
  return end;
}

size_t
tl_wavelet_count_frequencies (double sigma, size_t n)
{
  return MIN ((size_t)(LAST_SIGMA * sigma), n / 2) + 1;
}

float *
tl_wavelet_damping (double sigma, size_t n, size_t *n_frequencies)
{
  const size_t n_counting = tl_wavelet_count_frequencies (sigma, n);
  float *damping = g_new (float, n_counting);

  for (size_t k = 0; k < n_counting; k++)
    {
      const double part = exp (-(double)(k * k) / (2.0 * sigma * sigma));
      const double times = k == 0 || 2 * k == n ? 1.0 : 2.0;

      damping[k] = (float)(times * part / (double)n);
    }
  *n_frequencies = n_counting;
  return damping;
}

float *
tl_wavelet_turns (size_t n)
{
  float *turns = g_new (float, 2 * n);

  for (size_t i = 0; i < n; i++)
    {
      const double turn = 2.0 * G_PI * (double)i / (double)n;

      turns[i] = (float)cos (turn);
      turns[n + i] = (float)sin (turn);
    }
  return turns;
}
