#include "gpu/stages/phase.h"

#include "data/array.h"
#include "data/error.h"

#include <glib/gi18n.h>
#include <math.h>

/* Planck's constant times the speed of light. */
#define KEV_M 1.23984198e-9

/* A lower limit of the margin m. The exponential describes the continuous
 * response only. Sampling cuts the filter off at the Nyquist frequency, which
 * adds a tail of alternating sign; at most 1 / (2 pi^2 (m + 1)^2) of that tail
 * lies beyond both margins together. */
#define LEAST_MARGIN 8

double
tl_phase_get_scale (const TlPhase *phase)
{
  if (!phase->on)
    return 0.0;
  double pixel_m = phase->pixel_um * 1e-6;
  double wavelength_m = KEV_M / phase->energy_kev;
  return sqrt (wavelength_m * phase->distance_mm * 1e-3 * phase->delta_beta
               / (4.0 * G_PI))
         / pixel_m;
}

static size_t
get_margin (double scale_px)
{
  return (size_t)ceil (-log (TL_PHASE_ERROR) * scale_px) + LEAST_MARGIN;
}

size_t
tl_phase_get_margin (const TlPhase *phase)
{
  return phase->on ? get_margin (tl_phase_get_scale (phase)) : 0;
}

/* Refuses numbers that cannot be, and names all that are missing. */
static gboolean
check_numbers (const TlPhase *phase, GError **error)
{
  const struct
  {
    double number;
    const char *what, *option;
  } needs[] = {
    { phase->energy_kev, N_ ("the photon energy in keV"), "energy=KEV" },
    { phase->distance_mm, N_ ("the distance from object to detector in mm"),
      "distance=MM" },
    { phase->delta_beta, N_ ("delta over beta of the material"),
      "delta-beta=RATIO" },
    { phase->pixel_um, N_ ("the pixel size in µm"), "pixel-size=UM" },
  };
  g_autoptr (GString) missing = g_string_new (NULL);
  guint n_missing = 0;

  for (size_t k = 0; k < G_N_ELEMENTS (needs); k++)
    if (needs[k].number == 0.0)
      g_string_append_printf (missing, "%s%s (%s)", n_missing++ > 0 ? ", " : "",
                              _ (needs[k].what), needs[k].option);
    else if (!(needs[k].number > 0.0 && isfinite (needs[k].number)))
      return tl_fail (error, TL_ERROR_VALUE,
                      _ ("phase retrieval needs %s, and that cannot be %g"),
                      _ (needs[k].what), needs[k].number);
  return n_missing == 0
         || tl_fail (error, TL_ERROR_VALUE,
                     g_dngettext (NULL,
                                  "phase retrieval needs %s, which is not "
                                  "given",
                                  "phase retrieval needs %s, which are not "
                                  "given",
                                  n_missing),
                     missing->str);
}

gboolean
tl_phase_check (const TlPhase *phase, gboolean minus_log, size_t n_cols,
                GError **error)
{
  if (!phase->on)
    return TRUE;
  if (!minus_log)
    return tl_fail (error, TL_ERROR_VALUE,
                    _ ("phase retrieval ends with the minus logarithm, which "
                       "is off; switch it on"));
  if (!check_numbers (phase, error))
    return FALSE;
  double scale_px = tl_phase_get_scale (phase);
  if (!(scale_px <= (double)n_cols))
    return tl_fail (
        error, TL_ERROR_VALUE,
        _ ("phase retrieval with %g keV, %g mm, %g µm and delta over "
           "beta %g would blur over %.3g pixels, more than the %zu of "
           "a row"),
        phase->energy_kev, phase->distance_mm, phase->pixel_um,
        phase->delta_beta, scale_px, n_cols);
  return TRUE;
}

/* --- the filter --- */

/* Returns: the smallest even number >= @n whose only prime factors are 2, 3 and
 * 5. */
static size_t
find_length (size_t n)
{
  for (size_t length = n + n % 2;; length += 2)
    {
      size_t rest = length;

      while (rest % 2 == 0)
        rest /= 2;
      while (rest % 3 == 0)
        rest /= 3;
      while (rest % 5 == 0)
        rest /= 5;
      if (rest == 1)
        return length;
    }
}

/* Computes the response from row to row at one frequency along the row. It is
 * computed on a circle of 2 @half rows, which is long enough that the periodic
 * repetition is negligible.
 * @factors: [@half + 1], scratch; @taps: (out): [@n_taps] */
static void
make_taps (const double *cosines, size_t half, double along, double scale_px,
           double *factors, double *taps, size_t n_taps)
{
  const double size_2 = pow (2.0 * G_PI * scale_px, 2.0);
  const size_t n = 2 * half;
  double sum = 0.0;

  for (size_t q = 0; q <= half; q++)
    {
      const double v = (double)q / (double)n;

      factors[q] = 1.0 / (1.0 + size_2 * (along * along + v * v));
    }
  for (size_t j = 0; j < n_taps; j++)
    {
      size_t at = 0;

      taps[j] = factors[0] + (j % 2 == 0 ? factors[half] : -factors[half]);
      for (size_t q = 1; q < half; q++)
        {
          at += j;
          at -= at >= n ? n : 0;
          taps[j] += 2.0 * factors[q] * cosines[at];
        }
      sum += j == 0 ? taps[j] : 2.0 * taps[j];
    }
  /* Scaling makes up for the truncated taps, so that the filter keeps the mean.
   */
  for (size_t j = 0; j < n_taps; j++)
    taps[j] *= factors[0] / sum;
}

static void
fill_weights (TlPhaseFilter *filter)
{
  const size_t n_taps = filter->n_taps;
  const size_t n_frequencies = filter->length / 2 + 1;
  /* With this length, the nearest repetition is twice the margin away. */
  const size_t half = (3 * n_taps + 1) / 2;
  g_autofree double *cosines = g_new (double, 2 * half);
  g_autofree double *factors = g_new (double, half + 1);
  g_autofree double *taps = g_new (double, n_taps);

  for (size_t i = 0; i < 2 * half; i++)
    cosines[i] = cos (G_PI * (double)i / (double)half);
  for (size_t k = 0; k < n_frequencies; k++)
    {
      make_taps (cosines, half, (double)k / (double)filter->length,
                 filter->scale_px, factors, taps, n_taps);
      for (size_t j = 0; j < n_taps; j++)
        filter->weights[j * n_frequencies + k] =
            (float)(taps[j] / (double)filter->length);
    }
}

gboolean
tl_phase_filter_prepare (TlPhaseFilter *filter, double scale_px, size_t n_cols,
                         GError **error)
{
  const size_t margin = get_margin (scale_px);

  if (filter->weights != NULL && filter->scale_px == scale_px
      && filter->n_cols == n_cols)
    return TRUE;
  tl_phase_filter_clear (filter);
  *filter = (TlPhaseFilter){
    .scale_px = scale_px,
    .n_cols = n_cols,
    .length = find_length (n_cols + 2 * margin),
    .n_taps = margin + 1,
  };
  filter->weights =
      tl_try_alloc (1, filter->n_taps, filter->length / 2 + 1, sizeof (float),
                    _ ("the filter of the phase retrieval"), error);
  if (filter->weights == NULL)
    {
      tl_phase_filter_clear (filter);
      return FALSE;
    }
  fill_weights (filter);
  return TRUE;
}

void
tl_phase_filter_clear (TlPhaseFilter *filter)
{
  g_free (filter->weights);
  *filter = (TlPhaseFilter){ 0 };
}
