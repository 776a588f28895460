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
  float *dark, *flat_first, *flat_last;
  float *flat; /* of the projection that was read last */
};

TlMeasuredView *
tl_measured_view_new (TlRecon *recon)
{
  g_return_val_if_fail (recon != NULL, NULL);
  TlMeasuredView *look = g_new0 (TlMeasuredView, 1);
  look->recon = recon;
  return look;
}

static void
forget_fields (TlMeasuredView *look)
{
  g_clear_pointer (&look->dark, g_free);
  g_clear_pointer (&look->flat_first, g_free);
  g_clear_pointer (&look->flat_last, g_free);
  g_clear_pointer (&look->flat, g_free);
}

void
tl_measured_view_free (TlMeasuredView *look)
{
  if (look == NULL)
    return;
  g_clear_pointer (&look->host, tl_engine_close);
  g_free (look->samples);
  forget_fields (look);
  g_free (look);
}

static const TlScanInfo *
get_info (TlMeasuredView *look)
{
  return tl_reader_get_info (tl_recon_get_reader (look->recon));
}

/* Those of the whole detector: read once, kept for the next projections. */
static gboolean
read_fields (TlMeasuredView *look, GCancellable *cancellable, GError **error)
{
  const TlScanInfo *info = get_info (look);
  float **fields[] = { &look->dark, &look->flat_first, &look->flat_last,
                       &look->flat };
  if (look->flat != NULL)
    return TRUE;
  for (size_t k = 0; k < G_N_ELEMENTS (fields); k++)
    {
      *fields[k] = tl_try_alloc (info->n_rows, info->n_cols, 1, sizeof (float),
                                 _ ("the flat and dark fields"), error);
      if (*fields[k] == NULL)
        break;
    }
  if (look->flat != NULL
      && tl_reader_read_fields (tl_recon_get_reader (look->recon), 0,
                                info->n_rows, look->dark, look->flat_first,
                                look->flat_last, cancellable, error))
    return TRUE;
  forget_fields (look);
  return FALSE;
}

/* The stage "correct" takes a block's first flat field for its first
 * projection: that of this one. */
static void
mix_flats (TlMeasuredView *look, size_t projection)
{
  const TlScanInfo *info = get_info (look);
  const size_t n = info->n_rows * info->n_cols;
  const double part =
      info->n_projections > 1
          ? (double)projection / (double)(info->n_projections - 1)
          : 0;
  for (size_t i = 0; i < n; i++)
    look->flat[i] =
        (float)(look->flat_first[i]
                + ((double)look->flat_last[i] - look->flat_first[i]) * part);
}

static gboolean
read_projection (TlMeasuredView *look, const TlRecipe *recipe,
                 size_t projection, GCancellable *cancellable, GError **error)
{
  const TlScanInfo *info = get_info (look);
  if (look->samples == NULL)
    look->samples =
        tl_try_alloc (info->n_rows, info->n_cols, 1,
                      tl_sample_size (info->type), _ ("the projection"), error);
  if (look->samples == NULL
      || !tl_reader_read_projection (tl_recon_get_reader (look->recon),
                                     projection, look->samples, error)
      || (recipe->params.flat_field && !read_fields (look, cancellable, error)))
    return FALSE;
  if (recipe->params.flat_field)
    mix_flats (look, projection);
  return TRUE;
}

/* The projection that was read, as a block of its own. */
static gboolean
correct_projection (TlMeasuredView *look, const TlRecipe *recipe, float *pixels,
                    GCancellable *cancellable, GError **error)
{
  static const double angle_rad = 0; /* of no account before the filter */
  const TlScanInfo *info = get_info (look);
  const gboolean has_flat = recipe->params.flat_field;
  const TlBlock block = {
    .n_projections = 1,
    .n_rows = info->n_rows,
    .n_cols = info->n_cols,
    .middle_row = ((double)info->n_rows - 1) / 2,
    .type = info->type,
    .samples = look->samples,
    .angles_rad = &angle_rad,
    .dark = has_flat ? look->dark : NULL,
    .flat_first = has_flat ? look->flat : NULL,
  };
  /* what looks along the angle means nothing for one projection */
  TlParams params = recipe->params;
  params.zingers = FALSE;
  params.rings = TL_RINGS_OFF;
  params.half = FALSE;
  params.kernel = TL_KERNEL_AUTO; /* another engine may be wanted */
  return tl_engine_load (look->host, &block, error)
         && tl_engine_correct (look->host, &params, cancellable, error)
         && tl_engine_read_corrected (look->host, pixels, error);
}

/* Opened by the first that needs it. */
static gboolean
open_host (TlMeasuredView *look, GError **error)
{
  if (look->host == NULL)
    look->host = tl_engine_open ("host", error);
  return look->host != NULL;
}

static TlFrame *
make_projection (TlMeasuredView *look, const TlRecipe *recipe,
                 size_t projection, GCancellable *cancellable,
                 TlReconTimes *times, GError **error)
{
  const TlScanInfo *info = get_info (look);
  const gint64 start_us = g_get_monotonic_time ();
  float *pixels;
  if (!read_projection (look, recipe, projection, cancellable, error))
    return NULL;
  const gint64 read_us = g_get_monotonic_time ();
  g_autoptr (TlFrame) frame =
      tl_frame_new (info->n_rows, info->n_cols, &pixels, error);
  if (frame == NULL
      || !correct_projection (look, recipe, pixels, cancellable, error))
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

/* As make_projection(), whose times are added. */
static TlFrame *
add_projection (TlMeasuredView *look, const TlRecipe *recipe, size_t projection,
                GCancellable *cancellable, TlReconTimes *times, GError **error)
{
  TlReconTimes own = { 0 };
  TlFrame *frame =
      make_projection (look, recipe, projection, cancellable, &own, error);
  times->read_ms += own.read_ms;
  times->compute_ms += own.compute_ms;
  return frame;
}

/* Returns: (transfer full): the mean of the two, or the one */
static TlFrame *
make_opposite (TlMeasuredView *look, const TlRecipe *recipe,
               const TlOpposite *opposite, GCancellable *cancellable,
               TlReconTimes *times, GError **error)
{
  const TlScanInfo *info = get_info (look);
  g_autoptr (TlFrame) before = add_projection (look, recipe, opposite->before,
                                               cancellable, times, error);
  if (before == NULL || opposite->before == opposite->after)
    return g_steal_pointer (&before);
  g_autoptr (TlFrame) after =
      add_projection (look, recipe, opposite->after, cancellable, times, error);
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

static gboolean
make_pair (TlMeasuredView *look, const TlRecipe *recipe, size_t projection,
           GCancellable *cancellable, TlPair *pair, TlReconTimes *times,
           GError **error)
{
  const TlScanInfo *info = get_info (look);
  g_autoptr (TlRecipe) plain = tl_recipe_dup (recipe);
  g_autoptr (GError) reason = NULL;
  *pair = (TlPair){ 0 };
  plain->params.tilt_deg = 0;
  plain->params.phase.on = FALSE;
  if (!open_host (look, error))
    return FALSE;
  pair->frame =
      make_projection (look, plain, projection, cancellable, times, error);
  if (pair->frame == NULL)
    return FALSE;
  if (!tl_opposite_find (info->angles_deg, info->n_projections, projection,
                         &pair->opposite, &reason))
    {
      pair->problem = g_strdup (reason->message);
      return TRUE;
    }
  pair->mirrorable =
      make_opposite (look, plain, &pair->opposite, cancellable, times, error);
  return pair->mirrorable != NULL;
}

gboolean
tl_measured_view_read_pair (TlMeasuredView *look, const TlRecipe *recipe,
                            size_t projection, GCancellable *cancellable,
                            TlPair *pair, GError **error)
{
  g_return_val_if_fail (look != NULL && recipe != NULL, FALSE);
  g_return_val_if_fail (projection < get_info (look)->n_projections, FALSE);
  TlReconTimes times;
  return make_pair (look, recipe, projection, cancellable, pair, &times, error);
}

gboolean
tl_measured_view_run_pair (TlMeasuredView *look, const TlRecipe *recipe,
                           size_t projection, GCancellable *cancellable,
                           TlPair *pair, TlStats *stats, TlReconTimes *times,
                           GError **error)
{
  g_return_val_if_fail (look != NULL && recipe != NULL, FALSE);
  g_return_val_if_fail (projection < get_info (look)->n_projections, FALSE);
  return make_pair (look, recipe, projection, cancellable, pair, times, error)
         && tl_engine_measure (look->host, pair->frame, 0, stats, error);
}

static TlFrame *
make_sinogram (TlMeasuredView *look, const TlRecipe *recipe,
               GCancellable *cancellable, TlReconTimes *times, GError **error)
{
  const TlScanInfo *info = get_info (look);
  float *pixels;
  g_autoptr (TlFrame) frame =
      tl_frame_new (info->n_projections, info->n_cols, &pixels, error);
  if (frame == NULL
      || !tl_recon_read_corrected (look->recon, recipe, recipe->slice, pixels,
                                   cancellable, error))
    return NULL;
  tl_recon_get_times (look->recon, times);
  return g_steal_pointer (&frame);
}

TlFrame *
tl_measured_view_run (TlMeasuredView *look, const TlRecipe *recipe,
                      const TlPictureChoice *choice, GCancellable *cancellable,
                      TlStats *stats, TlReconTimes *times, GError **error)
{
  g_return_val_if_fail (look != NULL && recipe != NULL, NULL);
  g_return_val_if_fail (choice->picture == TL_PICTURE_SINOGRAM
                            || choice->projection
                                   < get_info (look)->n_projections,
                        NULL);
  if (!open_host (look, error))
    return NULL;
  g_autoptr (TlFrame) frame =
      choice->picture == TL_PICTURE_SINOGRAM
          ? make_sinogram (look, recipe, cancellable, times, error)
          : make_projection (look, recipe, choice->projection, cancellable,
                             times, error);
  if (frame == NULL || !tl_engine_measure (look->host, frame, 0, stats, error))
    return NULL;
  return g_steal_pointer (&frame);
}
