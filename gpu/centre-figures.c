#include "gpu/centre-private.h"

#include <math.h>

/* Of the histogram. */
#define N_BINS 256

/* Of one quarter. */
typedef struct
{
  double n, sum, square, negative, gradient;
  double histogram[N_BINS];
} Sums;

static void
add_pixel (const float *pixel, size_t stride, float low, float high, Sums *sums)
{
  const double v = *pixel;
  const double dx = (double)pixel[1] - v, dy = (double)pixel[stride] - v;
  /* shared between two bins, so that the entropy has no steps */
  const double place =
      CLAMP ((v - low) / ((double)high - low), 0, 1) * (N_BINS - 1.001);
  const size_t bin = (size_t)place;
  sums->n++;
  sums->sum += v;
  sums->square += v * v;
  sums->negative += MIN (v, 0);
  sums->gradient += dx * dx + dy * dy;
  sums->histogram[bin] += (double)(bin + 1) - place;
  sums->histogram[bin + 1] += place - (double)bin;
}

static void
get_figures (const Sums *sums, double *figures)
{
  double entropy = 0;
  for (size_t k = 0; k < N_BINS; k++)
    if (sums->histogram[k] > 0)
      entropy -=
          sums->histogram[k] / sums->n * log (sums->histogram[k] / sums->n);
  figures[0 * TL_CENTRE_N_QUARTERS] = -entropy * sums->n;
  figures[1 * TL_CENTRE_N_QUARTERS] = sums->negative;
  figures[2 * TL_CENTRE_N_QUARTERS] = sums->gradient;
  figures[3 * TL_CENTRE_N_QUARTERS] =
      sums->square - sums->sum * sums->sum / MAX (sums->n, 1);
}

void
tl_centre_judge (const float *pixels, size_t n, double radius, float low,
                 float high, double *figures)
{
  const double middle = ((double)n - 1) / 2;
  g_autofree Sums *sums = g_new0 (Sums, TL_CENTRE_N_QUARTERS);
  for (size_t i = 0; i + 1 < n; i++)
    for (size_t j = 0; j + 1 < n; j++)
      {
        const double x = (double)j - middle, y = (double)i - middle;
        if (x * x + y * y < radius * radius)
          add_pixel (pixels + i * n + j, n, low, high,
                     &sums[(x < 0 ? 0 : 1) + (y < 0 ? 0 : 2)]);
      }
  for (guint quarter = 0; quarter < TL_CENTRE_N_QUARTERS; quarter++)
    get_figures (&sums[quarter], figures + quarter);
}
