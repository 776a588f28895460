#include "gpu/request.h"

#include "data/error.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

gboolean
tl_request_init (TlRequest *request, const TlParams *params,
                 const TlRequestLimits *limits, GError **error)
{
  if (!tl_params_check (params, limits->n_cols, error))
    return FALSE;
  if (params->flat_field && !limits->has_flat)
    return tl_fail (error, TL_ERROR_VALUE,
                    _ ("flat-field correction is switched on, but the scan has "
                       "no flat field"));
  if (params->half && !limits->covers_turn)
    return tl_fail (error, TL_ERROR_VALUE,
                    _ ("half acquisition needs projections over a full "
                       "turn, and these do not go all around"));
  *request = (TlRequest){ .params = *params };
  request->resamples =
      tl_tilt_resamples (params->tilt_deg, params->centre_col, limits->n_cols);
  request->all_rows = request->resamples || params->phase.on;
  request->tilt_deg = request->resamples ? params->tilt_deg : 0.0;
  request->tilt_centre_col = request->resamples ? params->centre_col : 0.0;
  request->shear_deg = request->resamples ? 0.0 : params->tilt_deg;
  request->zinger_excess =
      params->zingers ? 1.0 + params->zinger_threshold : 0.0;
  request->phase_scale = tl_phase_get_scale (&params->phase);
  request->span =
      tl_half_span (params->half, params->centre_col, limits->n_cols);
  request->half_centre_col = params->half ? params->centre_col : 0.0;
  request->half_feather_cols = params->half ? params->feather_cols : 0.0;
  request->half_tilt_deg = params->half ? request->tilt_deg : 0.0;
  request->half_shear_deg = params->half ? request->shear_deg : 0.0;
  request->axis_col = round (2.0 * params->centre_col) / 2.0;
  request->shift_cols = request->axis_col - params->centre_col;
  request->axis_col += (double)request->span.first_col;
  return TRUE;
}

gboolean
tl_request_check_plane (const TlPlane *plane, GError **error)
{
  const double nx = (double)plane->nx, ny = (double)plane->ny;

  if (plane->nx == 0 || plane->ny == 0)
    return tl_fail (error, TL_ERROR_VALUE,
                    _ ("a plane of %zu x %zu pixels has no pixel"), plane->ny,
                    plane->nx);
  for (size_t k = 0; k < 3; k++)
    if (!(fabs (plane->origin[k]) + nx * fabs (plane->u[k])
              + ny * fabs (plane->v[k])
          <= TL_MAX_DISTANCE))
      return tl_fail (error, TL_ERROR_VALUE,
                      _ ("the plane reaches farther than %g pixels, or has a "
                         "coordinate that is not a number"),
                      TL_MAX_DISTANCE);
  return TRUE;
}

void
tl_request_set_choice (TlRequest *request, const TlVariant *variant,
                       const TlFold *fold, TlTransform transform)
{
  request->variant = variant;
  request->params.interpolation = variant->interpolation;
  request->transform = transform;
  request->fold = fold;
  request->fold_serial = fold != NULL ? fold->serial : 0;
  request->fold_axis_col = fold != NULL ? request->axis_col : 0.0;
}

/* --- changes --- */

/* A part of the request that is computed from several parameters, and the first
 * stage that has to run again when this part changes. tl_params_compare()
 * covers the other parameters. */
typedef struct
{
  size_t offset, size;
  TlStage first;
} Dependence;

#define DEPENDENCE(member, first)                                              \
  {                                                                            \
    offsetof (TlRequest, member), sizeof (((TlRequest *)NULL)->member), first  \
  }

static const Dependence dependences[] = {
  DEPENDENCE (resamples, TL_STAGE_CORRECT),
  DEPENDENCE (tilt_deg, TL_STAGE_TILT),
  DEPENDENCE (tilt_centre_col, TL_STAGE_TILT),
  DEPENDENCE (phase_scale, TL_STAGE_PHASE),
  DEPENDENCE (half_centre_col, TL_STAGE_TRANSFORM),
  DEPENDENCE (half_tilt_deg, TL_STAGE_TRANSFORM),
  DEPENDENCE (half_shear_deg, TL_STAGE_TRANSFORM),
  DEPENDENCE (transform, TL_STAGE_TRANSFORM),
  DEPENDENCE (in_halves, TL_STAGE_TRANSFORM),
  DEPENDENCE (params.band_limit, TL_STAGE_FILTER),
  DEPENDENCE (shift_cols, TL_STAGE_FILTER),
  DEPENDENCE (shear_deg, TL_STAGE_FILTER),
  /* Each variant has its own layout of rows. */
  DEPENDENCE (variant, TL_STAGE_FILTER),
  /* The rows of a fold are mirrored about the axis. */
  DEPENDENCE (fold_serial, TL_STAGE_FILTER),
  DEPENDENCE (fold_axis_col, TL_STAGE_FILTER),
  DEPENDENCE (axis_col, TL_STAGE_BACKPROJECT),
  DEPENDENCE (params.grid, TL_STAGE_BACKPROJECT),
};

TlStage
tl_request_compare (const TlRequest *done, const TlRequest *wanted)
{
  TlStage first = tl_params_compare (&done->params, &wanted->params);

  for (size_t i = 0; i < G_N_ELEMENTS (dependences); i++)
    {
      const Dependence *d = &dependences[i];

      if (memcmp ((const char *)done + d->offset,
                  (const char *)wanted + d->offset, d->size)
          != 0)
        first = MIN (first, d->first);
    }
  return first;
}
