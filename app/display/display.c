#include "app/display/display-private.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

enum
{
  PROP_0,
  PROP_FRAME,
  PROP_PRECISION_COST,
  PROP_CAPTION,
  PROP_PICTURE,
  PROP_DETAIL,
  PROP_SHARP_ZOOM,
  PROP_COMPARISON,
  PROP_HELD_BYTES,
  PROP_VARIANTS,
  N_PROPS
};

static GParamSpec *props[N_PROPS];

G_DEFINE_FINAL_TYPE (TlDisplay, tl_display, G_TYPE_OBJECT)

TlFrame *
tl_display_get_frame (TlDisplay *display)
{
  g_return_val_if_fail (TL_IS_DISPLAY (display), NULL);
  const TlShownMeasuredView *view = tl_display_get_view (display);
  if (view != NULL)
    return view->shown.frame;
  return display->cost.map != NULL ? display->cost.map : display->frame;
}

const TlRecipe *
tl_display_get_frame_recipe (TlDisplay *display)
{
  g_return_val_if_fail (TL_IS_DISPLAY (display), NULL);
  const TlShownMeasuredView *view = tl_display_get_view (display);
  return view != NULL ? view->shown.recipe : display->shown;
}

/* Returns: %FALSE where no composite is shown; the display's frame is the
 * picture then */
static gboolean
get_composite (TlDisplay *display, TlFrame **frame, const TlStats **stats)
{
  return display->choice.picture == TL_PICTURE_OVERLAY
         && display->composite != NULL
         && TL_COMPOSITE_GET_IFACE (display->composite)
                ->get_picture (display->composite, frame, stats);
}

/* Returns: (nullable): of the picture that is shown; %NULL while unknown */
static const TlStats *
get_stats (TlDisplay *display)
{
  const TlShownMeasuredView *view = tl_display_get_view (display);
  TlFrame *composite;
  const TlStats *stats;
  if (tl_display_get_frame (display) == NULL)
    return NULL;
  if (get_composite (display, &composite, &stats))
    return stats;
  if (tl_slice_comparison_get_shown_mode (display->comparison)
      == TL_COMPARE_DIFFERENCE)
    return tl_slice_comparison_get_stats (display->comparison);
  if (view != NULL)
    return &view->shown.stats;
  return display->cost.map != NULL ? &display->cost.stats : &display->stats;
}

gboolean
tl_display_get_frame_size (TlDisplay *display, size_t *n_rows, size_t *n_cols)
{
  TlFrame *frame = tl_display_get_frame (display);
  if (frame == NULL)
    return FALSE;
  *n_rows = tl_frame_get_n_rows (frame);
  *n_cols = tl_frame_get_n_cols (frame);
  return TRUE;
}

const float *
tl_display_get_pixels (TlDisplay *display, size_t *n_rows, size_t *n_cols)
{
  if (!tl_display_get_frame_size (display, n_rows, n_cols))
    return NULL;
  TlFrame *frame = tl_display_get_frame (display);
  if (tl_slice_comparison_get_shown_mode (display->comparison)
      == TL_COMPARE_DIFFERENCE)
    frame = tl_display_get_difference (display);
  const TlStats *stats;
  get_composite (display, &frame, &stats);
  return frame != NULL ? tl_frame_get_pixels (frame) : NULL;
}

const guint32 *
tl_display_get_histogram (TlDisplay *display, size_t *n, float *min, float *max)
{
  const TlStats *stats = get_stats (display);
  if (stats == NULL)
    return NULL;
  *n = TL_HISTOGRAM_BINS;
  *min = stats->min;
  *max = stats->max;
  return stats->histogram;
}

gboolean
tl_display_get_percentiles (TlDisplay *display, double f_low, double f_high,
                            float *low, float *high)
{
  const TlStats *stats = get_stats (display);
  if (stats == NULL)
    return FALSE;
  *low = tl_stats_percentile (stats, f_low);
  *high = tl_stats_percentile (stats, f_high);
  return TRUE;
}

const TlStatus *
tl_display_get_status (TlDisplay *display)
{
  g_return_val_if_fail (TL_IS_DISPLAY (display), NULL);
  const TlShownMeasuredView *view = tl_display_get_view (display);
  return view != NULL ? &view->shown.status : &display->status;
}

void
tl_display_set_composite (TlDisplay *display, TlComposite *composite)
{
  g_return_if_fail (TL_IS_DISPLAY (display) && TL_IS_COMPOSITE (composite));
  g_set_weak_pointer (&display->composite, composite);
}

void
tl_display_note_composite (TlDisplay *display)
{
  g_return_if_fail (TL_IS_DISPLAY (display));
  if (display->choice.picture == TL_PICTURE_OVERLAY)
    g_object_notify_by_pspec (G_OBJECT (display), props[PROP_COMPARISON]);
}

guint64
tl_display_get_picture_serial (TlDisplay *display)
{
  g_return_val_if_fail (TL_IS_DISPLAY (display), 0);
  const TlShownMeasuredView *view = tl_display_get_view (display);
  return view != NULL ? view->serial : display->frame_serial;
}

/* --- previews --- */

/* Where whole pictures are slow, a request is answered by a reduced picture,
 * and the whole one is requested once no further request has arrived for
 * TL_DISPLAY_REST_MS. Where reading the rows is slow, the worker answers a
 * request by a picture from some of the projections, and the whole one is
 * requested at once. The next request cancels the whole picture. */

static gboolean
is_preview (TlDisplay *display)
{
  return display->frame != NULL
         && (display->grid.pitch > 1 || display->every > 1);
}

gboolean
tl_display_shows_preview (TlDisplay *display)
{
  g_return_val_if_fail (TL_IS_DISPLAY (display), FALSE);
  return (display->choice.picture == TL_PICTURE_SLICE && is_preview (display))
         || tl_display_shows_coarse_planes (display);
}

gboolean
tl_display_is_slice_old (TlDisplay *display)
{
  g_autofree char *wanted =
      tl_recipe_to_text (tl_parameters_get_recipe (display->parameters), NULL);
  g_autofree char *shown = tl_recipe_to_text (display->shown, NULL);
  return is_preview (display) || display->growth < display->newest_growth
         || strcmp (wanted, shown) != 0;
}

gboolean
tl_display_can_make_held (TlDisplay *display)
{
  g_return_val_if_fail (TL_IS_DISPLAY (display), FALSE);
  const TlRecipe *held = tl_slice_comparison_get_recipe (display->comparison);
  return held != NULL
         && tl_recipe_reads_alike (
             held, tl_parameters_get_recipe (display->parameters));
}

/* Returns: (transfer none) (nullable): the parameters of a slice A that has to
 * be made */
static const TlRecipe *
get_missing (TlDisplay *display)
{
  return tl_display_can_make_held (display)
             ? tl_slice_comparison_get_missing (display->comparison)
             : NULL;
}

void
tl_display_ask_for_whole (TlDisplay *display, gboolean grows)
{
  TlJob *job = tl_requests_make_job (
      display->requests, TL_JOB_PREVIEW,
      tl_parameters_get_recipe (display->parameters), NULL);
  const TlRecipe *missing = get_missing (display);
  job->gives_way = TRUE;
  job->grows = grows;
  job->compared = missing != NULL ? tl_recipe_dup (missing) : NULL;
  tl_display_add_detail (display, job);
  tl_requests_push (display->requests, job);
}

/* A preview that has not arrived yet is followed when it does. */
gboolean
tl_display_on_rest (gpointer data)
{
  TlDisplay *display = data;
  if (display->choice.picture == TL_PICTURE_PLANES)
    tl_display_request_fine_planes (display);
  else if (tl_display_shows_preview (display)
           && display->frame_serial
                  == tl_requests_get_newest (display->requests))
    tl_display_ask_for_whole (display, FALSE);
  return G_SOURCE_REMOVE;
}

void
tl_display_follow_preview (TlDisplay *display)
{
  if (!tl_requests_is_delayed (display->requests))
    tl_display_on_rest (display);
}

void
tl_display_grow (TlDisplay *display)
{
  g_return_if_fail (TL_IS_DISPLAY (display));
  if (display->choice.picture == TL_PICTURE_SLICE)
    tl_display_ask_for_whole (display, TRUE);
  else
    tl_display_ask_for_view (display, TRUE, FALSE);
}

/* Returns: the first pipeline stage that has to run again for the requested
 * parameters */
static TlStage
find_stage (TlDisplay *display)
{
  const TlRecipe *recipe = tl_parameters_get_recipe (display->parameters);
  size_t n;
  const TlParamSpec *keys = tl_recipe_list_keys (&n);
  TlStage first = TL_STAGE_BACKPROJECT;
  if (display->whole == NULL)
    return TL_STAGE_UPLOAD;
  for (size_t k = 0; k < n; k++)
    {
      const TlStage stage = tl_recipe_get_stage (
          display->whole, recipe, &keys[k],
          tl_scan_source_get_summary (display->source)->n_cols);
      if (!tl_recipe_is_equal (display->whole, recipe, &keys[k]))
        first = MIN (first, stage);
    }
  return first;
}

/* No slice is made while the volume is shown: it has the engine for itself.
 *
 * Where the corrections alone are too slow for a drag, only every n-th
 * projection is used. Sharp zoom is left out then, because a part must use all
 * projections. */
void
tl_display_request (TlDisplay *display)
{
  if (display->page == TL_PAGE_VOLUME)
    return;
  if (display->choice.picture != TL_PICTURE_SLICE)
    {
      tl_display_request_view (display);
      return;
    }
  TlJob *job = tl_requests_make_job (
      display->requests, TL_JOB_PREVIEW,
      tl_parameters_get_recipe (display->parameters), NULL);
  job->every = tl_preview_scheduler_choose_subsampling (&display->scheduler,
                                                        find_stage (display));
  job->reduction = job->every > 1
                       ? tl_preview_scheduler_choose_subsampled (
                           &display->scheduler, job->every)
                       : tl_preview_scheduler_choose (&display->scheduler);
  const gboolean is_reduced = job->reduction > 0;
  if (job->every <= 1)
    tl_display_add_detail (display, job);
  tl_requests_push (display->requests, job);
  if (is_reduced)
    tl_requests_push_later (display->requests, TL_DISPLAY_REST_MS,
                            tl_display_on_rest, display);
}

gboolean
tl_display_get_picture_size (TlDisplay *display, size_t *n_rows, size_t *n_cols)
{
  g_return_val_if_fail (TL_IS_DISPLAY (display), FALSE);
  if (display->choice.picture != TL_PICTURE_SLICE)
    return tl_display_get_frame_size (display, n_rows, n_cols);
  if (display->frame == NULL)
    return FALSE;
  *n_rows = display->shown->params.grid.ny;
  *n_cols = display->shown->params.grid.nx;
  return TRUE;
}

static void
find_place (TlDisplay *display, const TlGrid *grid, double *row, double *col,
            double *pitch)
{
  const TlGrid *whole = &display->shown->params.grid;
  *row = whole->y0 - grid->y0;
  *col = grid->x0 - whole->x0;
  *pitch = grid->pitch;
}

void
tl_display_get_frame_place (TlDisplay *display, double *row, double *col,
                            double *pitch)
{
  g_return_if_fail (TL_IS_DISPLAY (display));
  g_return_if_fail (display->frame != NULL);
  if (display->choice.picture == TL_PICTURE_SLICE)
    {
      find_place (display, &display->grid, row, col, pitch);
      return;
    }
  *row = *col = 0;
  *pitch = 1;
}

void
tl_display_get_detail_place (TlDisplay *display, double *row, double *col,
                             double *pitch)
{
  g_return_if_fail (TL_IS_DISPLAY (display));
  g_return_if_fail (display->detail != NULL);
  find_place (display, &display->detail_grid, row, col, pitch);
}

gboolean
tl_display_read_pixel (TlDisplay *display, size_t row, size_t col, float *value)
{
  size_t n_rows, n_cols;
  double row0, col0, pitch;
  if (!tl_display_get_picture_size (display, &n_rows, &n_cols) || row >= n_rows
      || col >= n_cols)
    return FALSE;
  TlFrame *frame = tl_display_get_frame (display);
  tl_display_get_frame_place (display, &row0, &col0, &pitch);
  const double i = floor (((double)row - row0) / pitch + 0.5);
  const double j = floor (((double)col - col0) / pitch + 0.5);
  return tl_frame_read_pixel (
      frame, 0, MIN ((size_t)MAX (i, 0), tl_frame_get_n_rows (frame) - 1),
      MIN ((size_t)MAX (j, 0), tl_frame_get_n_cols (frame) - 1), value, NULL);
}

/* Samples of the level for a drag, 256 or 512 in each direction: to filter all
 * its rows anew takes some 0.15 s on two cores, and milliseconds on a device.
 */
#define HOST_SAMPLES 16.8e6
#define DEVICE_SAMPLES 134.3e6

double
tl_display_estimate_slice_s (TlDisplay *display, double part)
{
  g_return_val_if_fail (TL_IS_DISPLAY (display), 0);
  return tl_preview_scheduler_estimate_s (&display->scheduler, part);
}

double
tl_display_count_drag_samples (TlDisplay *display)
{
  g_return_val_if_fail (TL_IS_DISPLAY (display), HOST_SAMPLES);
  const gboolean is_host =
      display->engine == NULL || strcmp (display->engine, "host") == 0;
  return is_host ? HOST_SAMPLES : DEVICE_SAMPLES;
}

/* --- the cost of fast precision --- */

/* It is shown in place of the slice until the user ends it, changes a parameter
 * or opens another scan. The slice is kept, so that it can be shown again
 * without a new reconstruction. */

void
tl_display_update_paused (TlDisplay *display)
{
  const gboolean is_slice =
      display->choice.picture == TL_PICTURE_SLICE && display->cost.map == NULL;
  tl_slice_comparison_set_compared (display->comparison,
                                    display->choice.picture == TL_PICTURE_PLANES
                                        ? TL_COMPARED_PLANES
                                    : is_slice ? TL_COMPARED_SLICES
                                               : TL_COMPARED_NOTHING);
}

gboolean
tl_display_is_cost (TlDisplay *display, const TlReply *reply)
{
  return reply->serial == display->cost_serial;
}

static void
request_cost (TlDisplay *display)
{
  TlJob *job = tl_requests_make_job (
      display->requests, TL_JOB_COST,
      tl_parameters_get_recipe (display->parameters), NULL);
  job->cancellable = g_cancellable_new ();
  display->cost_serial = job->serial;
  g_set_object (&display->cost_cancellable, job->cancellable);
  tl_requests_push (display->requests, job);
}

/* Shows the map of @reply if it is still requested. */
static void
take_cost (TlDisplay *display, TlReply *reply)
{
  if (reply->cost.map == NULL || reply->serial != display->cost_serial)
    return;
  tl_precision_cost_clear (&display->cost);
  display->cost = reply->cost;
  reply->cost.map = NULL;
  g_free (display->caption);
  display->caption = tl_precision_cost_describe (&display->cost);
  tl_display_update_paused (display);
  g_object_notify (G_OBJECT (display), "caption");
}

void
tl_display_leave_cost (TlDisplay *display)
{
  const gboolean was_shown = display->cost.map != NULL;
  if (display->cost_serial == 0)
    return;
  g_cancellable_cancel (display->cost_cancellable);
  g_clear_object (&display->cost_cancellable);
  display->cost_serial = 0;
  tl_precision_cost_clear (&display->cost);
  g_clear_pointer (&display->caption, g_free);
  tl_display_update_paused (display);
  g_object_freeze_notify (G_OBJECT (display));
  g_object_notify (G_OBJECT (display), "precision-cost");
  if (was_shown)
    {
      g_object_notify (G_OBJECT (display), "caption");
      g_object_notify (G_OBJECT (display), "frame");
      tl_display_update_detail (display);
    }
  g_object_thaw_notify (G_OBJECT (display));
}

void
tl_display_set_precision_cost (TlDisplay *display, gboolean wanted)
{
  g_return_if_fail (TL_IS_DISPLAY (display));
  if (!wanted || display->cost_serial != 0)
    {
      if (!wanted)
        tl_display_leave_cost (display);
      return;
    }
  if (!tl_scan_source_is_open (display->source)
      || tl_scan_source_is_opening (display->source))
    {
      tl_messages_warn (display->messages, FALSE,
                        _ ("The error of fast precision cannot be shown: %s"),
                        tl_scan_source_is_opening (display->source)
                            ? _ ("a scan is being opened")
                            : _ ("no scan is open"));
      return;
    }
  tl_display_set_picture (display, TL_PICTURE_SLICE);
  request_cost (display);
  g_object_notify (G_OBJECT (display), "precision-cost");
}

gboolean
tl_display_get_precision_cost (TlDisplay *display)
{
  g_return_val_if_fail (TL_IS_DISPLAY (display), FALSE);
  return display->cost_serial != 0;
}

gboolean
tl_display_shows_differences (TlDisplay *display)
{
  g_return_val_if_fail (TL_IS_DISPLAY (display), FALSE);
  return display->cost.map != NULL;
}

/* --- replies --- */

/* Takes the variants from the engine that made the picture: if the requested
 * engine failed, the next request does not use it either. */
static void
take_variants (TlDisplay *display, const TlReply *reply)
{
  if (display->variants == reply->variants)
    return;
  display->variants = reply->variants;
  display->n_variants = reply->n_variants;
  g_object_notify_by_pspec (G_OBJECT (display), props[PROP_VARIANTS]);
}

/* Milliseconds: a slower picture does not keep up with a drag. */
#define SLOW_MS 100.0

void
tl_display_name_slow_step (TlStatus *status, const TlReply *reply)
{
  if (status->frame_ms > SLOW_MS)
    status->slow_step = tl_reply_find_slow_step (reply, &status->slow_ms);
}

static size_t
count_angles (TlDisplay *display, const TlReply *reply)
{
  const guint every = MAX (reply->every, 1);
  return (tl_scan_source_get_summary (display->source)->n_projections + every
          - 1)
         / every;
}

/* Returns: whether @reply is older than the open scan or the shown slice */
static gboolean
is_stale (TlDisplay *display, const TlReply *reply)
{
  return reply->kind != TL_JOB_OPEN
         && (reply->serial <= tl_scan_source_get_serial (display->source)
             || reply->serial <= display->frame_serial);
}

/* Takes slice A if it was made, or else asks for it: planes were held as A. */
static void
take_held_slice (TlDisplay *display, TlReply *reply)
{
  if (reply->compared_slice != NULL)
    tl_slice_comparison_take_held (display->comparison, reply->compared_slice,
                                   reply->compared);
  else if (reply->compared == NULL && !is_preview (display)
           && display->choice.picture == TL_PICTURE_SLICE
           && reply->serial == tl_requests_get_newest (display->requests)
           && get_missing (display) != NULL)
    tl_display_ask_for_whole (display, FALSE);
}

void
tl_display_take_frame (TlDisplay *display, TlReply *reply)
{
  if (is_stale (display, reply))
    return;
  if (!reply->grows) /* the user has asked for the picture */
    tl_messages_clear_warning (display->messages, FALSE);
  g_clear_pointer (&display->shown, tl_recipe_free);
  g_clear_pointer (&display->frame, tl_frame_unref);
  display->shown = tl_recipe_dup (reply->recipe);
  display->frame = g_steal_pointer (&reply->frame);
  display->grid = reply->grid;
  display->every = reply->every;
  display->frame_serial = reply->serial;
  display->growth = reply->growth;
  display->newest_growth = MAX (display->newest_growth, reply->growth);
  display->stats = reply->stats;
  tl_display_take_detail (display, g_steal_pointer (&reply->detail),
                          &reply->detail_grid);
  take_cost (display, reply);
  take_variants (display, reply);

  g_free (display->engine);
  g_free (display->device);
  display->engine = g_steal_pointer (&reply->engine);
  display->device = g_steal_pointer (&reply->device);
  const TlEngineReport *report = &reply->report;
  const TlVariant *variant = report->variant;
  display->status = (TlStatus){
    .engine = display->engine,
    .device = display->device,
    .kernel = variant != NULL ? variant->name : NULL,
    .is_fourier = variant != NULL && variant->is_fourier,
    .n_folded = report->n_folded,
    .fallback = report->fallback,
    .precision = tl_precision_names[reply->recipe->params.precision],
    .frame_ms = reply->frame_ms,
    .read_ms = reply->times.read_ms,
    .backproject_ms = report->last_ms[TL_STAGE_BACKPROJECT],
    .filter_ms = report->last_ms[TL_STAGE_FILTER],
    .memory_bytes = report->memory_bytes,
    .free_bytes = reply->free_bytes,
    .n_angles = count_angles (display, reply),
    .n_dead = report->n_dead,
    .is_preview = is_preview (display),
  };
  tl_display_name_slow_step (&display->status, reply);
  if (reply->every <= 1)
    {
      g_clear_pointer (&display->whole, tl_recipe_free);
      display->whole = tl_recipe_dup (reply->recipe);
      tl_preview_scheduler_note (&display->scheduler, reply->grid.pitch,
                                 &reply->times,
                                 report->last_ms[TL_STAGE_BACKPROJECT]);
    }
  tl_slice_comparison_take_slice (display->comparison, display->frame,
                                  display->shown, !is_preview (display));
  take_held_slice (display, reply);
  g_object_notify (G_OBJECT (display), "frame");
}

void
tl_display_begin_scan (TlDisplay *display, gboolean is_other)
{
  const guint last =
      (guint)tl_scan_source_get_summary (display->source)->n_projections - 1;
  TlPictureChoice *choice = &display->choice;
  display->makes_compared = FALSE; /* the planes before are given back */
  if (is_other)
    tl_slice_comparison_release (display->comparison);
  display->scheduler = (TlPreviewScheduler){ 0 };
  display->newest_growth = 0;
  g_clear_pointer (&display->whole, tl_recipe_free);
  choice->projection = MIN (choice->projection, last);
  choice->pair = is_other ? 0 : MIN (choice->pair, last);
  tl_display_forget_views (display);
}

gboolean
tl_display_is_old (TlDisplay *display)
{
  return display->choice.picture == TL_PICTURE_SLICE
             ? tl_display_is_slice_old (display)
             : tl_display_is_view_old (display);
}

void
tl_display_fall_back (TlDisplay *display)
{
  if (display->choice.picture == TL_PICTURE_SLICE)
    tl_parameters_fall_back (display->parameters, display->shown);
  else
    tl_display_restore_view (display);
}

/* --- comparing --- */

TlFrame *
tl_display_get_difference (TlDisplay *display)
{
  const TlPlaneSet *planes =
      &tl_slice_comparison_get_planes (display->comparison)->difference;
  if (tl_slice_comparison_get_shown_mode (display->comparison)
      != TL_COMPARE_DIFFERENCE)
    return NULL;
  return display->choice.picture == TL_PICTURE_PLANES
             ? tl_plane_set_get_first (planes)
             : tl_slice_comparison_get_difference (display->comparison);
}

void
tl_display_hold_slice (TlDisplay *display)
{
  g_return_if_fail (TL_IS_DISPLAY (display));
  const gboolean was_slice = display->choice.picture == TL_PICTURE_SLICE;
  if (!tl_scan_source_is_open (display->source)
      || tl_scan_source_is_opening (display->source))
    {
      tl_messages_warn (display->messages, FALSE,
                        _ ("The slice cannot be held as A: %s"),
                        tl_scan_source_is_opening (display->source)
                            ? _ ("a scan is being opened")
                            : _ ("no scan is open"));
      return;
    }
  if (display->choice.picture == TL_PICTURE_PLANES)
    {
      tl_display_hold_planes (display);
      return;
    }
  tl_display_leave_cost (display);
  tl_display_set_picture (display, TL_PICTURE_SLICE);
  tl_slice_comparison_hold (display->comparison,
                            was_slice || !tl_display_is_slice_old (display));
}

gboolean
tl_display_read_compared (TlDisplay *display, size_t row, size_t col, float *a,
                          float *b)
{
  TlFrame *held = tl_slice_comparison_get_held (display->comparison);
  double first_row, first_col;
  if (!tl_slice_comparison_get_place (display->comparison, &first_row,
                                      &first_col))
    return FALSE;
  const double held_row = floor ((double)row - first_row + 0.5);
  const double held_col = floor ((double)col - first_col + 0.5);
  return held_row >= 0 && held_row < (double)tl_frame_get_n_rows (held)
         && held_col >= 0 && held_col < (double)tl_frame_get_n_cols (held)
         && tl_frame_read_pixel (held, 0, (size_t)held_row, (size_t)held_col, a,
                                 NULL)
         && tl_display_read_pixel (display, row, col, b);
}

/* Sharp zoom is off while a comparison is shown, so update it as well. */
static void
on_comparison (TlDisplay *display)
{
  tl_display_update_compared_planes (display);
  g_object_notify_by_pspec (G_OBJECT (display), props[PROP_COMPARISON]);
  tl_display_update_detail (display);
}

/* --- the object --- */

/* Requests the shown picture again if its pixels are not in host memory. */
static void
on_fetch (TlDisplay *display)
{
  gboolean fetch;
  g_object_get (display->requests, "fetch", &fetch, NULL);
  if (!fetch || display->frame == NULL
      || tl_scan_source_is_opening (display->source)
      || tl_frame_get_pixels (display->frame) != NULL)
    return;
  if (display->cost_serial != 0)
    request_cost (display);
  else if (display->choice.picture == TL_PICTURE_PLANES
           && !display->awaits_planes)
    tl_display_ask_for_view (display, FALSE, TRUE);
  else
    tl_display_request (display);
}

static void
tl_display_set_property (GObject *object, guint prop, const GValue *value,
                         GParamSpec *pspec)
{
  TlDisplay *display = TL_DISPLAY (object);
  switch (prop)
    {
    case PROP_PRECISION_COST:
      tl_display_set_precision_cost (display, g_value_get_boolean (value));
      break;
    case PROP_SHARP_ZOOM:
      tl_display_set_sharp_zoom (display, g_value_get_boolean (value));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop, pspec);
    }
}

static void
tl_display_get_property (GObject *object, guint prop, GValue *value,
                         GParamSpec *pspec)
{
  TlDisplay *display = TL_DISPLAY (object);
  switch (prop)
    {
    case PROP_FRAME:
      g_value_set_pointer (value, tl_display_get_frame (display));
      break;
    case PROP_PRECISION_COST:
      g_value_set_boolean (value, tl_display_get_precision_cost (display));
      break;
    case PROP_CAPTION:
      g_value_set_string (value, display->caption);
      break;
    case PROP_PICTURE:
      g_value_set_uint (value, display->choice.picture);
      break;
    case PROP_DETAIL:
      g_value_set_pointer (value, display->detail);
      break;
    case PROP_SHARP_ZOOM:
      g_value_set_boolean (value, display->sharp_zoom);
      break;
    case PROP_HELD_BYTES:
      g_value_set_uint64 (value, display->held_bytes);
      break;
    case PROP_VARIANTS:
      g_value_set_pointer (value, (gpointer)display->variants);
      break;
    case PROP_COMPARISON:
      g_value_set_object (value, display->comparison);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop, pspec);
    }
}

static void
tl_display_finalize (GObject *object)
{
  TlDisplay *display = TL_DISPLAY (object);
  tl_display_forget_detail (display);
  g_clear_weak_pointer (&display->composite);
  g_clear_pointer (&display->shown, tl_recipe_free);
  g_clear_pointer (&display->whole, tl_recipe_free);
  g_clear_pointer (&display->frame, tl_frame_unref);
  tl_display_forget_views (display);
  tl_display_forget_plane_levels (display);
  g_clear_pointer (&display->detail, tl_frame_unref);
  g_clear_object (&display->cost_cancellable);
  tl_precision_cost_clear (&display->cost);
  g_free (display->caption);
  g_free (display->engine);
  g_free (display->device);
  g_object_unref (display->comparison);
  g_object_unref (display->parameters);
  g_object_unref (display->source);
  g_object_unref (display->requests);
  g_object_unref (display->messages);
  G_OBJECT_CLASS (tl_display_parent_class)->finalize (object);
}

static void
tl_display_class_init (TlDisplayClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags read =
      G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY;
  const GParamFlags write = read | G_PARAM_WRITABLE;
  object_class->set_property = tl_display_set_property;
  object_class->get_property = tl_display_get_property;
  object_class->finalize = tl_display_finalize;

  props[PROP_FRAME] = g_param_spec_pointer ("frame", NULL, NULL, read);
  props[PROP_PRECISION_COST] =
      g_param_spec_boolean ("precision-cost", NULL, NULL, FALSE, write);
  props[PROP_CAPTION] = g_param_spec_string ("caption", NULL, NULL, NULL, read);
  props[PROP_PICTURE] =
      g_param_spec_uint ("picture", NULL, NULL, 0, TL_N_PICTURES - 1, 0, read);
  props[PROP_DETAIL] = g_param_spec_pointer ("detail", NULL, NULL, read);
  props[PROP_SHARP_ZOOM] =
      g_param_spec_boolean ("sharp-zoom", NULL, NULL, TRUE, write);
  props[PROP_HELD_BYTES] =
      g_param_spec_uint64 ("held-bytes", NULL, NULL, 0, G_MAXUINT64, 0, read);
  props[PROP_VARIANTS] = g_param_spec_pointer ("variants", NULL, NULL, read);
  props[PROP_COMPARISON] = g_param_spec_object ("comparison", NULL, NULL,
                                                TL_TYPE_SLICE_COMPARISON, read);
  g_object_class_install_properties (object_class, N_PROPS, props);
}

static void
tl_display_init (TlDisplay *display)
{
  display->sharp_zoom = TRUE;
}

TlDisplay *
tl_display_new (TlParameters *parameters, TlScanSource *source,
                TlRequests *requests, TlMessages *messages,
                TlSliceComparison *comparison)
{
  TlDisplay *display = g_object_new (TL_TYPE_DISPLAY, NULL);
  const struct
  {
    gpointer object;
    const char *signal;
    GCallback handler;
  } signals[] = {
    { parameters, "notify::recipe", G_CALLBACK (tl_display_leave_cost) },
    { parameters, "requested", G_CALLBACK (tl_display_request) },
    { source, "notify::opening", G_CALLBACK (tl_display_leave_cost) },
    { requests, "notify::fetch", G_CALLBACK (on_fetch) },
    { comparison, "changed", G_CALLBACK (on_comparison) },
  };
  display->parameters = g_object_ref (parameters);
  display->source = g_object_ref (source);
  display->requests = g_object_ref (requests);
  display->messages = g_object_ref (messages);
  display->comparison = g_object_ref (comparison);
  for (guint k = 0; k < G_N_ELEMENTS (signals); k++)
    g_signal_connect_object (signals[k].object, signals[k].signal,
                             signals[k].handler, display, G_CONNECT_SWAPPED);
  return display;
}
