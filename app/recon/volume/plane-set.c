#include "app/recon/volume/plane-set.h"

#include "data/error.h"

#include <math.h>
#include <string.h>

void
tl_plane_set_clear (TlPlaneSet *set)
{
  for (guint k = 0; k < TL_N_PANES; k++)
    g_clear_pointer (&set->frames[k], tl_frame_unref);
  *set = (TlPlaneSet){ 0 };
}

TlFrame *
tl_plane_set_get_first (const TlPlaneSet *set)
{
  for (guint k = 0; k < TL_N_PANES; k++)
    if (set->frames[k] != NULL)
      return set->frames[k];
  return NULL;
}

void
tl_compared_planes_clear (TlComparedPlanes *compared)
{
  tl_plane_set_clear (&compared->held);
  tl_plane_set_clear (&compared->difference);
}

gboolean
tl_plane_set_copy (const TlPlaneSet *set, TlPlaneSet *copy, GError **error)
{
  *copy = *set;
  memset (copy->frames, 0, sizeof copy->frames);
  for (guint k = 0; k < TL_N_PANES; k++)
    if (set->frames[k] != NULL
        && (copy->frames[k] = tl_frame_copy (set->frames[k], error)) == NULL)
      return FALSE;
  return TRUE;
}

TlPlaneSet
tl_plane_set_share (const TlPlaneSet *set)
{
  for (guint k = 0; k < TL_N_PANES; k++)
    if (set->frames[k] != NULL)
      tl_frame_ref (set->frames[k]);
  return *set;
}

/* Returns: (transfer full): @frame - @less */
static TlFrame *
subtract (TlFrame *frame, TlFrame *less, GError **error)
{
  const size_t n_rows = tl_frame_get_n_rows (frame);
  const size_t n_cols = tl_frame_get_n_cols (frame);
  float *pixels;
  if (!tl_frame_fetch (frame, error) || !tl_frame_fetch (less, error))
    return NULL;
  TlFrame *difference = tl_frame_new (n_rows, n_cols, &pixels, error);
  const float *b = tl_frame_get_pixels (frame);
  const float *a = tl_frame_get_pixels (less);
  for (size_t i = 0; difference != NULL && i < n_rows * n_cols; i++)
    pixels[i] = b[i] - a[i];
  return difference;
}

gboolean
tl_plane_set_subtract (const TlPlaneSet *set, const TlPlaneSet *less,
                       TlPlaneSet *difference, GError **error)
{
  *difference = *set;
  memset (difference->frames, 0, sizeof difference->frames);
  for (guint k = 0; k < TL_N_PANES; k++)
    {
      if (set->frames[k] == NULL || less->frames[k] == NULL)
        continue;
      difference->frames[k] = subtract (set->frames[k], less->frames[k], error);
      if (difference->frames[k] == NULL)
        return FALSE;
    }
  return TRUE;
}

/* Returns: the largest power of two up to the distance between the pixels that
 * were asked for. The filter is limited to what these show; it stays the same
 * for small changes of the zoom and for coarser previews, which would otherwise
 * have to wait for all rows to be filtered again. */
static double
find_band (const TlPlane *planes)
{
  for (guint k = 0; k < TL_N_PANES; k++)
    {
      const double *u = planes[k].u;
      const double pitch = hypot (hypot (u[0], u[1]), u[2]);
      if (planes[k].nx > 0)
        return pitch >= 1 ? exp2 (floor (log2 (pitch * (1 + 1e-9)))) : 1;
    }
  return 1;
}

gboolean
tl_plane_set_run (TlRecon *recon, const TlRecipe *recipe, const TlPlane *planes,
                  guint coarseness, GCancellable *cancellable, TlPlaneSet *set,
                  TlStats *stats, TlReconTimes *times, GError **error)
{
  g_return_val_if_fail (recon != NULL && recipe != NULL, FALSE);
  g_return_val_if_fail (planes != NULL && coarseness > 0, FALSE);
  g_autoptr (TlRecipe) own = tl_recipe_dup (recipe);
  g_autoptr (GError) reason = NULL;
  *set = (TlPlaneSet){ .coarseness = coarseness, .bin = recipe->bin };
  *stats = (TlStats){ 0 };
  for (guint k = 0; k < TL_N_PANES; k++)
    set->planes[k] = tl_plane_coarse (&planes[k], coarseness);
  own->params.band_limit = 1 / find_band (planes);
  if (own->params.method == TL_METHOD_FOURIER)
    own->params.method = TL_METHOD_BACKPROJECTION;
  gboolean good =
      tl_recon_run_planes (recon, own, set->planes, TL_N_PANES, 0, set->frames,
                           times, cancellable, &reason);
  if (g_error_matches (reason, TL_ERROR, TL_ERROR_UNSUPPORTED)
      && own->params.interpolation != TL_INTERPOLATION_LINEAR)
    {
      g_clear_error (&reason);
      own->params.interpolation = TL_INTERPOLATION_LINEAR;
      good = tl_recon_run_planes (recon, own, set->planes, TL_N_PANES, 0,
                                  set->frames, times, cancellable, &reason);
    }
  if (!good)
    {
      g_propagate_error (error, g_steal_pointer (&reason));
      return FALSE;
    }
  TlFrame *first = tl_plane_set_get_first (set);
  return first == NULL
         || tl_engine_measure (tl_recon_get_engine (recon), first, 0, stats,
                               error);
}
