#include "app/recon/measured-view.h"

#include "app/recon/recon.h"

#include "data/array.h"

#include <glib/gi18n.h>

struct TlMeasuredView
{
  TlRecon *recon;
  TlEngine *host; /* NULL before the first picture */
  /* Of projections, [n_rows][n_cols]; NULL before they are needed. */
  void *samples;
  double *dark, *flat_first, *flat_last;
  double *flat; /* of the projection that was read last */
};

TlMeasuredView *
tl_measured_view_new (TlRecon *recon)
{
  g_return_val_if_fail (recon != NULL, NULL);
  TlMeasuredView *view = g_new0 (TlMeasuredView, 1);
  view->recon = recon;
  return view;
}

static void
forget_fields (TlMeasuredView *view)
{
  g_clear_pointer (&view->dark, g_free);
  g_clear_pointer (&view->flat_first, g_free);
  g_clear_pointer (&view->flat_last, g_free);
  g_clear_pointer (&view->flat, g_free);
}

void
tl_measured_view_free (TlMeasuredView *view)
{
  if (view == NULL)
    return;
  g_clear_pointer (&view->host, tl_engine_close);
  g_free (view->samples);
  forget_fields (view);
  g_free (view);
}

static const TlScanInfo *
get_info (TlMeasuredView *view)
{
  return tl_reader_get_info (tl_recon_get_reader (view->recon));
}

/* Reads the flat and dark fields of the whole detector once, and keeps them for
 * the next projections. */
static gboolean
read_fields (TlMeasuredView *view, GCancellable *cancellable, GError **error)
{
  const TlScanInfo *info = get_info (view);
  double **fields[] = { &view->dark, &view->flat_first, &view->flat_last,
                        &view->flat };
  if (view->flat != NULL)
    return TRUE;
  for (size_t k = 0; k < G_N_ELEMENTS (fields); k++)
    {
      *fields[k] = tl_try_alloc (info->n_rows, info->n_cols, 1, sizeof (double),
                                 _ ("the flat and dark fields"), error);
      if (*fields[k] == NULL)
        break;
    }
  if (view->flat != NULL
      && tl_reader_read_fields (tl_recon_get_reader (view->recon), 0,
                                info->n_rows, view->dark, view->flat_first,
                                view->flat_last, cancellable, error))
    return TRUE;
  forget_fields (view);
  return FALSE;
}

/* The stage "correct" uses a block's first flat field for its first projection,
 * so the field that is interpolated for this projection goes there. */
static void
mix_flats (TlMeasuredView *view, size_t projection)
{
  const TlScanInfo *info = get_info (view);
  const size_t n = info->n_rows * info->n_cols;
  const double part =
      info->n_projections > 1
          ? (double)projection / (double)(info->n_projections - 1)
          : 0;
  for (size_t i = 0; i < n; i++)
    view->flat[i] =
        view->flat_first[i] + (view->flat_last[i] - view->flat_first[i]) * part;
}

static gboolean
read_projection (TlMeasuredView *view, const TlRecipe *recipe,
                 size_t projection, GCancellable *cancellable, GError **error)
{
  const TlScanInfo *info = get_info (view);
  if (view->samples == NULL)
    view->samples =
        tl_try_alloc (info->n_rows, info->n_cols, 1,
                      tl_sample_size (info->type), _ ("the projection"), error);
  if (view->samples == NULL
      || !tl_reader_read_projection (tl_recon_get_reader (view->recon),
                                     projection, view->samples, error)
      || (recipe->params.flat_field && !read_fields (view, cancellable, error)))
    return FALSE;
  if (recipe->params.flat_field)
    mix_flats (view, projection);
  return TRUE;
}

/* Corrects the projection that was read, loaded as a block of its own. */
static gboolean
correct_projection (TlMeasuredView *view, const TlRecipe *recipe, float *pixels,
                    GCancellable *cancellable, GError **error)
{
  static const double angle_rad = 0; /* not used before the filter */
  const TlScanInfo *info = get_info (view);
  const gboolean has_flat = recipe->params.flat_field;
  const TlBlock block = {
    .n_projections = 1,
    .n_rows = info->n_rows,
    .n_cols = info->n_cols,
    .middle_row = ((double)info->n_rows - 1) / 2,
    .type = info->type,
    .samples = view->samples,
    .angles_rad = &angle_rad,
    .dark = has_flat ? view->dark : NULL,
    .flat_first = has_flat ? view->flat : NULL,
  };
  /* Zingers, rings and half acquisition need several projections. */
  TlParams params = recipe->params;
  params.zingers = FALSE;
  params.rings = TL_RINGS_OFF;
  params.half = FALSE;
  params.kernel = TL_KERNEL_AUTO; /* the recipe's may not exist on the host */
  return tl_engine_load (view->host, &block, error)
         && tl_engine_correct (view->host, &params, cancellable, error)
         && tl_engine_read_corrected (view->host, pixels, error);
}

static gboolean
open_host (TlMeasuredView *view, GError **error)
{
  if (view->host == NULL)
    view->host = tl_engine_open ("host", error);
  return view->host != NULL;
}

static TlFrame *
make_projection (TlMeasuredView *view, const TlRecipe *recipe,
                 size_t projection, GCancellable *cancellable,
                 TlReconTimes *times, GError **error)
{
  const TlScanInfo *info = get_info (view);
  const gint64 start_us = g_get_monotonic_time ();
  float *pixels;
  if (!read_projection (view, recipe, projection, cancellable, error))
    return NULL;
  const gint64 read_us = g_get_monotonic_time ();
  g_autoptr (TlFrame) frame =
      tl_frame_new (info->n_rows, info->n_cols, &pixels, error);
  if (frame == NULL
      || !correct_projection (view, recipe, pixels, cancellable, error))
    return NULL;
  *times = (TlReconTimes){
    .read_ms = (double)(read_us - start_us) / 1e3,
    .compute_ms = (double)(g_get_monotonic_time () - read_us) / 1e3,
  };
  return g_steal_pointer (&frame);
}

void
tl_pair_clear (TlPair *pair)
{
  g_clear_pointer (&pair->frame, tl_frame_unref);
  g_clear_pointer (&pair->mirrorable, tl_frame_unref);
  g_clear_pointer (&pair->problem, g_free);
}

/* As make_projection(), but adds to @times. */
static TlFrame *
add_projection (TlMeasuredView *view, const TlRecipe *recipe, size_t projection,
                GCancellable *cancellable, TlReconTimes *times, GError **error)
{
  TlReconTimes own = { 0 };
  TlFrame *frame =
      make_projection (view, recipe, projection, cancellable, &own, error);
  times->read_ms += own.read_ms;
  times->compute_ms += own.compute_ms;
  return frame;
}

/* Returns: (transfer full): the opposite, interpolated if need be */
static TlFrame *
make_opposite (TlMeasuredView *view, const TlRecipe *recipe,
               const TlOpposite *opposite, GCancellable *cancellable,
               TlReconTimes *times, GError **error)
{
  const TlScanInfo *info = get_info (view);
  g_autoptr (TlFrame) before = add_projection (view, recipe, opposite->before,
                                               cancellable, times, error);
  if (before == NULL || opposite->before == opposite->after)
    return g_steal_pointer (&before);
  g_autoptr (TlFrame) after =
      add_projection (view, recipe, opposite->after, cancellable, times, error);
  float *mean;
  g_autoptr (TlFrame) frame =
      after != NULL ? tl_frame_new (info->n_rows, info->n_cols, &mean, error)
                    : NULL;
  if (frame == NULL)
    return NULL;
  const float *a = tl_frame_get_pixels (before);
  const float *b = tl_frame_get_pixels (after);
  for (size_t i = 0; i < info->n_rows * info->n_cols; i++)
    mean[i] = (float)(a[i] + ((double)b[i] - a[i]) * opposite->part);
  return g_steal_pointer (&frame);
}

static void
number_as_file (TlOpposite *opposite, const TlScanInfo *info)
{
  opposite->projection = info->frames[opposite->projection];
  opposite->before = info->frames[opposite->before];
  opposite->after = info->frames[opposite->after];
}

gboolean
tl_measured_view_run_pair (TlMeasuredView *view, const TlRecipe *recipe,
                           size_t projection, GCancellable *cancellable,
                           TlPair *pair, TlStats *stats, TlReconTimes *times,
                           GError **error)
{
  g_return_val_if_fail (view != NULL && recipe != NULL, FALSE);
  g_return_val_if_fail (projection < get_info (view)->n_projections, FALSE);
  const TlScanInfo *info = get_info (view);
  g_autoptr (TlRecipe) plain = tl_recipe_dup (recipe);
  g_autoptr (GError) reason = NULL;
  *pair = (TlPair){ 0 };
  plain->params.tilt_deg = 0;
  plain->params.phase.on = FALSE;
  if (!open_host (view, error))
    return FALSE;
  pair->frame =
      make_projection (view, plain, projection, cancellable, times, error);
  if (pair->frame == NULL)
    return FALSE;
  if (tl_opposite_find (info->angles_deg, info->n_projections, projection,
                        &pair->opposite, &reason))
    {
      pair->mirrorable = make_opposite (view, plain, &pair->opposite,
                                        cancellable, times, error);
      if (pair->mirrorable == NULL)
        return FALSE;
    }
  else
    pair->problem = g_strdup (reason->message);
  number_as_file (&pair->opposite, info);
  return stats == NULL
         || tl_engine_measure (view->host, pair->frame, 0, stats, error);
}

static TlFrame *
make_sinogram (TlMeasuredView *view, const TlRecipe *recipe,
               GCancellable *cancellable, TlReconTimes *times, GError **error)
{
  const TlScanInfo *info = get_info (view);
  float *pixels;
  g_autoptr (TlFrame) frame =
      tl_frame_new (info->n_projections, info->n_cols, &pixels, error);
  if (frame == NULL
      || !tl_recon_read_corrected (view->recon, recipe, recipe->slice, pixels,
                                   cancellable, error))
    return NULL;
  tl_recon_get_times (view->recon, times);
  return g_steal_pointer (&frame);
}

TlFrame *
tl_measured_view_run (TlMeasuredView *view, const TlRecipe *recipe,
                      const TlPictureChoice *choice, GCancellable *cancellable,
                      TlStats *stats, TlReconTimes *times, GError **error)
{
  g_return_val_if_fail (view != NULL && recipe != NULL, NULL);
  g_return_val_if_fail (choice->picture == TL_PICTURE_SINOGRAM
                            || choice->projection
                                   < get_info (view)->n_projections,
                        NULL);
  if (!open_host (view, error))
    return NULL;
  g_autoptr (TlFrame) frame =
      choice->picture == TL_PICTURE_SINOGRAM
          ? make_sinogram (view, recipe, cancellable, times, error)
          : make_projection (view, recipe, choice->projection, cancellable,
                             times, error);
  if (frame == NULL || !tl_engine_measure (view->host, frame, 0, stats, error))
    return NULL;
  return g_steal_pointer (&frame);
}
