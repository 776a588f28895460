/* The kernel of the Fourier method, as polynomials. */
#include "gpu/cuda/fourier/fourier.h"

#include "gpu/stages/fourier.h"

#include <math.h>
#include <string.h>

/* @z: 2 (r / H)^2 - 1; @width: of int */
static double
get_value (double z, gconstpointer width)
{
  return tl_fourier_get_kernel (*(const int *)width, (1.0 - z) / 2.0);
}

/* @z: 16 f^2 - 1; @width: of int */
static double
get_scale (double z, gconstpointer width)
{
  const double beta = tl_fourier_get_beta (*(const int *)width);
  const double half = *(const int *)width / 2.0;
  const double turn = 2.0 * G_PI * half;
  const double s = sqrt (beta * beta - turn * turn * (z + 1.0) / 16.0);

  return tl_fourier_bessel (0, beta)
         / (2.0 * G_PI * half * half * tl_fourier_bessel (1, s));
}

static void
fit (double (*get) (double z, gconstpointer width), int width, int n_terms,
     float *terms)
{
  double powers[TL_CUDA_FOURIER_TERMS];

  tl_fourier_fit (get, &width, n_terms, powers);
  for (int i = 0; i < n_terms; i++)
    terms[i] = (float)powers[n_terms - 1 - i];
}

void
tl_cuda_fourier_kernel_init (TlCudaFourierKernel *kernel, int width)
{
  memset (kernel, 0, sizeof *kernel);
  kernel->width = width;
  fit (get_value, width,
       width == TL_CUDA_FOURIER_NARROW ? TL_CUDA_FOURIER_FEWER_TERMS
                                       : TL_CUDA_FOURIER_TERMS,
       kernel->values);
  fit (get_scale, width, TL_CUDA_FOURIER_TERMS, kernel->scales);
}
