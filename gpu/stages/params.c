#include "gpu/stages/params.h"

#include "data/error.h"

#include <glib/gi18n.h>
#include <math.h>

const char *const tl_filter_names[TL_N_FILTERS + 1] = {
  "ramp",    "shepp-logan", "cosine",      "hann",
  "hamming", "parzen",      "butterworth", NULL
};
const char *const tl_interpolation_names[TL_N_INTERPOLATIONS + 1] = {
  "nearest", "linear", "oversampled", "cubic", NULL
};
const char *const tl_kernel_names[TL_N_KERNELS + 1] = {
  "auto", "standard", "texture", "texture-quarters", "alu", "hybrid", NULL
};
const char *const tl_precision_names[TL_N_PRECISIONS + 1] = { "full", "fast",
                                                              NULL };
const char *const tl_padding_names[TL_N_PADDINGS + 1] = { "edge", "zero",
                                                          NULL };
const char *const tl_rings_names[TL_N_RINGS + 1] = { "off", "sorting",
                                                     "wavelet", NULL };

void
tl_params_init (TlParams *params, size_t n_cols)
{
  g_return_if_fail (params != NULL);
  g_return_if_fail (n_cols > 0);

  *params = (TlParams){
    .flat_field = TRUE,
    .minus_log = TRUE,
    .zinger_threshold = 0.5,
    .rings = TL_RINGS_OFF,
    .ring_size = 9,
    .ring_levels = 3,
    .ring_sigma = 1.0,
    .padding = TL_PADDING_EDGE,
    .filter = TL_FILTER_RAMP,
    .cutoff = 1.0,
    .band_limit = 1.0,
    .butterworth_order = 8,
    .interpolation = TL_INTERPOLATION_LINEAR,
    .kernel = TL_KERNEL_AUTO,
    .precision = TL_PRECISION_FULL,
    .centre_col = ((double)n_cols - 1.0) / 2.0,
    .grid = tl_grid_full (n_cols),
  };
}

/* Far more than any detector; kernels count columns in 32 bits. */
#define MAX_DISTANCE 1e7

static gboolean
check_grid (const TlGrid *grid, GError **error)
{
  const double x1 = grid->x0 + (double)grid->nx * grid->pitch;
  const double y1 = grid->y0 - (double)grid->ny * grid->pitch;

  if (grid->nx == 0 || grid->ny == 0)
    {
      g_set_error (error, TL_ERROR, TL_ERROR_VALUE,
                   _ ("a slice of %zu x %zu pixels has no pixel"), grid->ny,
                   grid->nx);
      return FALSE;
    }
  if (!(grid->pitch > 0.0))
    {
      g_set_error (error, TL_ERROR, TL_ERROR_VALUE,
                   _ ("the distance between pixels is %g, it must be above 0"),
                   grid->pitch);
      return FALSE;
    }
  if (!(fabs (grid->x0) <= MAX_DISTANCE && fabs (grid->y0) <= MAX_DISTANCE
        && fabs (x1) <= MAX_DISTANCE && fabs (y1) <= MAX_DISTANCE))
    {
      g_set_error (error, TL_ERROR, TL_ERROR_VALUE,
                   _ ("the slice reaches from x %g to %g and from y %g to %g, "
                      "more than %g columns from the axis"),
                   grid->x0, x1, grid->y0, y1, MAX_DISTANCE);
      return FALSE;
    }
  return TRUE;
}

static gboolean
check_zingers (const TlParams *params, GError **error)
{
  if (params->zinger_threshold > 0.0 && params->zinger_threshold <= 100.0)
    return TRUE;
  g_set_error (error, TL_ERROR, TL_ERROR_VALUE,
               _ ("zinger threshold %g is not above 0 and up to 100"),
               params->zinger_threshold);
  return FALSE;
}

static gboolean
check_half (const TlParams *params, GError **error)
{
  if (params->feather_cols >= 0.0 && isfinite (params->feather_cols))
    return TRUE;
  g_set_error (error, TL_ERROR, TL_ERROR_VALUE,
               _ ("the two halves cannot run into each other over %g columns"),
               params->feather_cols);
  return FALSE;
}

static gboolean
check_rings (const TlParams *params, GError **error)
{
  if (params->ring_size < 3 || params->ring_size > 301
      || params->ring_size % 2 == 0)
    {
      g_set_error (error, TL_ERROR, TL_ERROR_VALUE,
                   _ ("ring size %u is not an odd number from 3 to 301"),
                   params->ring_size);
      return FALSE;
    }
  if (params->ring_levels < 1 || params->ring_levels > 10)
    {
      g_set_error (error, TL_ERROR, TL_ERROR_VALUE,
                   _ ("%u ring levels are not between 1 and 10"),
                   params->ring_levels);
      return FALSE;
    }
  if (!(params->ring_sigma > 0.0 && params->ring_sigma <= 20.0))
    {
      g_set_error (error, TL_ERROR, TL_ERROR_VALUE,
                   _ ("ring sigma %g is not above 0 and up to 20"),
                   params->ring_sigma);
      return FALSE;
    }
  return TRUE;
}

gboolean
tl_params_check (const TlParams *params, size_t n_cols, GError **error)
{
  g_return_val_if_fail (params != NULL, FALSE);
  g_return_val_if_fail ((guint)params->filter < TL_N_FILTERS, FALSE);
  g_return_val_if_fail ((guint)params->padding < TL_N_PADDINGS, FALSE);
  g_return_val_if_fail ((guint)params->rings < TL_N_RINGS, FALSE);
  g_return_val_if_fail ((guint)params->interpolation < TL_N_INTERPOLATIONS,
                        FALSE);
  g_return_val_if_fail ((guint)params->kernel < TL_N_KERNELS, FALSE);
  g_return_val_if_fail ((guint)params->precision < TL_N_PRECISIONS, FALSE);

  /* the detector ends at the edges of its first and last pixel; the
   * comparisons are written so that NaN fails them */
  if (!(params->centre_col >= -0.5
        && params->centre_col <= (double)n_cols - 0.5))
    {
      g_set_error (
          error, TL_ERROR, TL_ERROR_VALUE,
          _ ("centre %g is outside the detector, whose %zu columns reach "
             "from -0.5 to %g"),
          params->centre_col, n_cols, (double)n_cols - 0.5);
      return FALSE;
    }
  if (!(fabs (params->tilt_deg) <= TL_TILT_MAX_DEG))
    {
      g_set_error (error, TL_ERROR, TL_ERROR_VALUE,
                   _ ("a tilt of %g degrees is not between -%g and %g"),
                   params->tilt_deg, TL_TILT_MAX_DEG, TL_TILT_MAX_DEG);
      return FALSE;
    }
  if (!(params->cutoff > 0.0 && params->cutoff <= 1.0))
    {
      g_set_error (error, TL_ERROR, TL_ERROR_VALUE,
                   _ ("cut-off %g is not a fraction of the Nyquist frequency "
                      "above 0 and up to 1"),
                   params->cutoff);
      return FALSE;
    }
  if (!(params->band_limit > 0.0 && params->band_limit <= 1.0))
    {
      g_set_error (
          error, TL_ERROR, TL_ERROR_VALUE,
          _ ("band limit %g is not a fraction of the Nyquist frequency "
             "above 0 and up to 1"),
          params->band_limit);
      return FALSE;
    }
  if (params->butterworth_order < 1 || params->butterworth_order > 64)
    {
      g_set_error (error, TL_ERROR, TL_ERROR_VALUE,
                   _ ("Butterworth order %u is not between 1 and 64"),
                   params->butterworth_order);
      return FALSE;
    }
  return check_zingers (params, error)
         && tl_phase_check (&params->phase, params->minus_log, n_cols, error)
         && check_rings (params, error) && check_half (params, error)
         && check_grid (&params->grid, error);
}

size_t
tl_params_get_margin (const TlParams *params, size_t n_rows, size_t n_cols)
{
  return tl_phase_get_margin (&params->phase)
         + tl_tilt_get_margin (params->tilt_deg, params->centre_col, n_rows,
                               n_cols);
}

gboolean
tl_name_find (const char *const *names, const char *what, const char *name,
              int *value, GError **error)
{
  g_autofree char *list = NULL;

  g_return_val_if_fail (names != NULL, FALSE);
  g_return_val_if_fail (what != NULL, FALSE);
  g_return_val_if_fail (name != NULL, FALSE);
  g_return_val_if_fail (value != NULL, FALSE);

  for (int i = 0; names[i] != NULL; i++)
    {
      if (g_str_equal (names[i], name))
        {
          *value = i;
          return TRUE;
        }
    }
  list = g_strjoinv (", ", (char **)names);
  g_set_error (error, TL_ERROR, TL_ERROR_VALUE,
               _ ("there is no %s \"%s\"; there are %s"), what, name, list);
  return FALSE;
}
