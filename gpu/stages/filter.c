/* Filter curves: the ramp times a window.
 *
 * The ramp is the transform of the band-limited spatial kernel
 *
 *   h[0] = 1/4    h[n] = -1 / (pi n)^2 for odd n    h[n] = 0 for even n
 *
 * of Kak and Slaney (Principles of Computerized Tomographic Imaging, 1988,
 * equation 3.61, unit spacing) on a circle of the padded row's length. A ramp
 * sampled in the frequency domain would be 0 at frequency 0 and take the mean
 * out of the slice.
 *
 * Windows, with u = f / f_c, f_c the cut-off; all but Butterworth are 0 beyond
 * u = 1:
 *
 *   ramp         1
 *   shepp-logan  sin (pi u / 2) / (pi u / 2)
 *   cosine       cos (pi u / 2)
 *   hann         0.5 + 0.5 cos (pi u)
 *   hamming      0.54 + 0.46 cos (pi u)
 *   parzen       1 - 6 u^2 (1 - u) up to u = 1/2, then 2 (1 - u)^3
 *   butterworth  1 / (1 + u^(2 n)), n the order
 */
#include "gpu/stages/filter.h"

#include "data/array.h"
#include "data/error.h"

#include <complex.h>
#include <glib/gi18n.h>
#include <math.h>

size_t
tl_filter_length (size_t n_cols)
{
  size_t length = 2;

  g_return_val_if_fail (n_cols > 0 && n_cols <= G_MAXSIZE / 4, 0);

  while (length < 2 * n_cols)
    length *= 2;
  return length;
}

double
tl_filter_window (TlFilter filter, guint butterworth_order, double u)
{
  if (filter == TL_FILTER_BUTTERWORTH)
    return 1.0 / (1.0 + pow (u, 2.0 * butterworth_order));
  if (u > 1.0)
    return 0.0;

  switch (filter)
    {
    case TL_FILTER_SHEPP_LOGAN:
      return u > 0.0 ? sin (G_PI_2 * u) / (G_PI_2 * u) : 1.0;
    case TL_FILTER_COSINE:
      return cos (G_PI_2 * u);
    case TL_FILTER_HANN:
      return 0.5 + 0.5 * cos (G_PI * u);
    case TL_FILTER_HAMMING:
      return 0.54 + 0.46 * cos (G_PI * u);
    case TL_FILTER_PARZEN:
      return u <= 0.5 ? 1.0 - 6.0 * u * u * (1.0 - u)
                      : 2.0 * (1.0 - u) * (1.0 - u) * (1.0 - u);
    case TL_FILTER_RAMP:
    case TL_FILTER_BUTTERWORTH:
    case TL_N_FILTERS:
      break;
    }
  return 1.0;
}

/* A radix-2 transform in double, because this folder must not depend on an FFT
 * library and a single curve needs no fast one. from: n values stride apart;
 * to: n values; roots[k * stride] = exp (-2 pi i k / n). */
static void
transform (const double complex *from, double complex *to, size_t n,
           size_t stride, const double complex *roots)
{
  if (n == 1)
    {
      to[0] = from[0];
      return;
    }
  transform (from, to, n / 2, 2 * stride, roots);
  transform (from + stride, to + n / 2, n / 2, 2 * stride, roots);
  for (size_t k = 0; k < n / 2; k++)
    {
      const double complex even = to[k];
      const double complex odd = roots[k * stride] * to[k + n / 2];

      to[k] = even + odd;
      to[k + n / 2] = even - odd;
    }
}

/* The factor that turns a row into the coefficients of the cubic B-spline
 * through its values: 1 at 0 and 3 at the Nyquist frequency. @f: cycles per
 * column */
static double
prefilter (double f)
{
  return 3.0 / (2.0 + cos (2.0 * G_PI * f));
}

void
tl_filter_response (const TlParams *params, size_t length, float *response)
{
  g_autofree double complex *kernel = NULL, *ramp = NULL, *roots = NULL;

  g_return_if_fail (params != NULL);
  g_return_if_fail (length >= 2 && (length & (length - 1)) == 0);
  g_return_if_fail (response != NULL);

  kernel = g_new0 (double complex, length);
  ramp = g_new (double complex, length);
  roots = g_new (double complex, length / 2);

  kernel[0] = 0.25;
  for (size_t n = 1; n <= length / 2; n += 2)
    {
      kernel[n] = -1.0 / (G_PI * G_PI * (double)n * (double)n);
      kernel[length - n] = kernel[n];
    }
  for (size_t k = 0; k < length / 2; k++)
    roots[k] = cexp (-2.0 * G_PI * I * (double)k / (double)length);
  transform (kernel, ramp, length, 1, roots);

  for (size_t k = 0; k <= length / 2; k++)
    {
      const double f = (double)k / (double)length;
      double size =
          creal (ramp[k])
          * tl_filter_window (params->filter, params->butterworth_order,
                              2.0 * f / params->cutoff);

      if (params->interpolation == TL_INTERPOLATION_CUBIC)
        size *= prefilter (f);
      if (params->band_limit < 1.0)
        size *= tl_filter_window (TL_FILTER_COSINE, 0,
                                  2.0 * f / params->band_limit);
      response[k] = (float)size;
    }
}

float *
tl_filter_weights (const double *angles_rad, size_t n, gboolean of_turn,
                   const double *given, GError **error)
{
  const char *what = _ ("the angles");

  for (size_t i = 0; i < n; i++)
    {
      if (!isfinite (angles_rad[i]))
        return tl_fail_null (
            error, TL_ERROR_VALUE,
            _ ("the angle of projection %zu of %zu is not a number"), i, n);
    }
  g_autofree double *found =
      given == NULL ? tl_try_alloc (n, 1, 1, sizeof (double), what, error)
                    : NULL;
  g_autofree float *result =
      tl_try_alloc (n, 1, 1, sizeof (float), what, error);
  if ((given == NULL && found == NULL) || result == NULL)
    return NULL;
  if (given == NULL && !tl_angle_weights (angles_rad, n, of_turn, found, error))
    return NULL;
  for (size_t i = 0; i < n; i++)
    result[i] = (float)(given != NULL ? given[i] : found[i]);
  return g_steal_pointer (&result);
}

/* Returns: whether @a and @b have the same response. The response depends on
 * the interpolation too, because cubic interpolation adds the prefilter. */
static gboolean
is_same_response (const TlParams *a, const TlParams *b)
{
  return a->filter == b->filter && a->cutoff == b->cutoff
         && a->band_limit == b->band_limit
         && a->butterworth_order == b->butterworth_order
         && a->interpolation == b->interpolation;
}

const float *
tl_kept_response_get (TlKeptResponse *kept, const TlParams *params,
                      size_t length)
{
  g_return_val_if_fail (kept != NULL, NULL);
  g_return_val_if_fail (params != NULL, NULL);

  if (kept->length == length && is_same_response (&kept->params, params))
    return kept->response;

  kept->length = length;
  kept->params = *params;
  kept->response = g_renew (float, kept->response, length / 2 + 1);
  tl_filter_response (params, length, kept->response);
  return kept->response;
}

void
tl_kept_response_clear (TlKeptResponse *kept)
{
  g_return_if_fail (kept != NULL);

  g_free (kept->response);
  *kept = (TlKeptResponse){ 0 };
}
