/* The views of measured data (sinogram, projection, overlay), the planes, and
 * which picture is shown. A view is made only while it is shown and when it
 * does not match the recipe. */
#include "app/display/display-private.h"

#include <string.h>

/* Returns: the projection that the picture shows; unused for a sinogram */
static guint *
get_number (TlPictureChoice *choice)
{
  return choice->picture == TL_PICTURE_OVERLAY ? &choice->pair
                                               : &choice->projection;
}

/* Returns: whether the view made with @recipe would change if @key took the
 * display's value; app/recon/measured-view.h lists the stages of each view. The
 * slice number only moves a line drawn over a projection. */
static gboolean
depends_on (TlDisplay *display, const TlRecipe *recipe, const TlParamSpec *key)
{
  const TlStage stage = tl_recipe_get_stage (
      recipe, tl_parameters_get_recipe (display->parameters), key,
      tl_scan_source_get_summary (display->source)->n_cols);
  if (display->choice.picture == TL_PICTURE_PLANES)
    return strcmp (key->key, "slice") != 0;
  if (display->choice.picture == TL_PICTURE_SINOGRAM)
    return stage < TL_STAGE_TRANSFORM;
  if (display->choice.picture == TL_PICTURE_OVERLAY && key->is_of_axis)
    return FALSE;
  return stage == TL_STAGE_CORRECT
         || (display->choice.picture == TL_PICTURE_PROJECTION
             && (stage == TL_STAGE_TILT || stage == TL_STAGE_PHASE))
         || (stage == TL_STAGE_UPLOAD && strcmp (key->key, "slice") != 0);
}

/* @a, @b: [TL_N_PANES] */
static gboolean
are_equal (const TlPlane *a, const TlPlane *b)
{
  gboolean same = TRUE;
  for (guint pane = 0; pane < TL_N_PANES; pane++)
    same = same && tl_plane_equal (&a[pane], &b[pane]);
  return same;
}

/* Returns: whether another part of the data is chosen than @projection or
 * @planes. A sinogram is that of the slice, which is in the recipe. */
static gboolean
is_other_part (const TlPictureChoice *choice, guint projection,
               const TlPlane *planes)
{
  if (choice->picture == TL_PICTURE_PLANES)
    return !are_equal (choice->planes, planes);
  return choice->picture != TL_PICTURE_SINOGRAM
         && projection
                != (choice->picture == TL_PICTURE_OVERLAY ? choice->pair
                                                          : choice->projection);
}

/* Returns: whether a view made with @recipe (nullable), @projection and @planes
 * differs from the requested one */
static gboolean
differs (TlDisplay *display, const TlRecipe *recipe, guint projection,
         const TlPlane *planes)
{
  const TlRecipe *wanted = tl_parameters_get_recipe (display->parameters);
  const TlPictureChoice *choice = &display->choice;
  size_t n;
  const TlParamSpec *keys = tl_recipe_list_keys (&n);
  if (recipe == NULL || is_other_part (choice, projection, planes))
    return TRUE;
  for (size_t k = 0; k < n; k++)
    {
      if (depends_on (display, recipe, &keys[k])
          && (tl_recipe_is_relevant (recipe, &keys[k])
              || tl_recipe_is_relevant (wanted, &keys[k]))
          && !tl_recipe_is_equal (recipe, wanted, &keys[k]))
        return TRUE;
    }
  return FALSE;
}

TlShownMeasuredView *
tl_display_get_view (TlDisplay *display)
{
  return display->choice.picture != TL_PICTURE_SLICE
             ? &display->measured_views[display->choice.picture]
             : NULL;
}

const TlShownView *
tl_display_get_shown_view (TlDisplay *display, TlPicture picture)
{
  g_return_val_if_fail (TL_IS_DISPLAY (display), NULL);
  g_return_val_if_fail (picture > TL_PICTURE_SLICE && picture < TL_N_PICTURES,
                        NULL);
  return &display->measured_views[picture].shown;
}

gboolean
tl_display_has_moved (TlDisplay *display)
{
  return !are_equal (display->choice.planes,
                     tl_display_get_view (display)->shown_planes);
}

gboolean
tl_display_is_view_old (TlDisplay *display)
{
  const TlShownMeasuredView *view = tl_display_get_view (display);
  return view != NULL
         && (view->growth < display->newest_growth
             || tl_display_shows_coarse_planes (display)
             || differs (display, view->shown.recipe, view->shown.projection,
                         view->shown_planes));
}

void
tl_display_ask_for_view (TlDisplay *display, gboolean grows, gboolean is_fine)
{
  TlShownMeasuredView *view = tl_display_get_view (display);
  TlJob *job = tl_requests_make_job (
      display->requests, TL_JOB_VIEW,
      tl_parameters_get_recipe (display->parameters), NULL);
  job->choice = display->choice;
  job->grows = grows;
  const gboolean is_followed =
      job->choice.picture == TL_PICTURE_PLANES
      && tl_display_fill_planes_job (display, job, is_fine);
  g_clear_pointer (&view->wanted, tl_recipe_free);
  view->wanted = tl_recipe_dup (tl_parameters_get_recipe (display->parameters));
  view->wanted_projection = *get_number (&display->choice);
  memcpy (view->wanted_planes, job->choice.planes, sizeof job->choice.planes);
  view->wanted_serial = job->serial;
  tl_requests_push (display->requests, job);
  if (is_followed)
    tl_requests_push_later (display->requests, TL_DISPLAY_REST_MS,
                            tl_display_on_rest, display);
}

void
tl_display_request_view (TlDisplay *display)
{
  TlShownMeasuredView *view = tl_display_get_view (display);
  if (view == NULL
      || (display->awaits_planes
          && display->choice.picture == TL_PICTURE_PLANES))
    return;
  const gboolean is_awaited =
      tl_requests_is_busy (display->requests)
      && view->wanted_serial == tl_requests_get_newest (display->requests);
  if (is_awaited ? !differs (display, view->wanted, view->wanted_projection,
                             view->wanted_planes)
                 : !tl_display_is_view_old (display))
    return;
  tl_display_ask_for_view (display, FALSE, FALSE);
}

static void
forget_frame (TlShownMeasuredView *view)
{
  g_clear_pointer (&view->shown.frame, tl_frame_unref);
  g_clear_pointer (&view->shown.recipe, tl_recipe_free);
  tl_pair_clear (&view->shown.pair);
  tl_plane_set_clear (&view->shown.planes);
  view->shown.status = (TlStatus){ 0 };
}

void
tl_display_forget_views (TlDisplay *display)
{
  for (int k = 0; k < TL_N_PICTURES; k++)
    {
      forget_frame (&display->measured_views[k]);
      g_clear_pointer (&display->measured_views[k].wanted, tl_recipe_free);
    }
  tl_slice_comparison_forget_planes (display->comparison);
}

static void
take_result (TlDisplay *display, TlShownMeasuredView *view, TlReply *reply)
{
  const gboolean is_of_engine = reply->choice.picture == TL_PICTURE_SINOGRAM
                                || reply->choice.picture == TL_PICTURE_PLANES;
  view->shown.frame = g_steal_pointer (&reply->frame);
  view->shown.recipe = tl_recipe_dup (reply->recipe);
  view->shown.projection = *get_number (&reply->choice);
  view->shown.pair = reply->pair;
  reply->pair = (TlPair){ 0 };
  view->shown.planes = reply->planes;
  reply->planes = (TlPlaneSet){ 0 };
  memcpy (view->shown_planes, reply->choice.planes, sizeof view->shown_planes);
  if (reply->choice.picture == TL_PICTURE_PLANES)
    tl_slice_comparison_take_planes (display->comparison,
                                     &reply->compared_planes, reply->compared,
                                     reply->recipe);
  view->shown.stats = reply->stats;
  view->shown.status = (TlStatus){
    /* The engine corrects sinograms and makes planes; host corrects
     * projections, see app/recon/measured-view.h. */
    .engine = is_of_engine ? g_intern_string (reply->engine) : "host",
    .device = is_of_engine ? g_intern_string (reply->device) : NULL,
    .frame_ms = reply->frame_ms,
    .read_ms = reply->times.read_ms,
    .correct_ms = reply->times.load_ms + reply->times.compute_ms,
    .memory_bytes = reply->report.memory_bytes > 0
                        ? reply->report.memory_bytes
                        : display->status.memory_bytes,
    .n_angles = tl_scan_source_get_summary (display->source)->n_projections,
  };
  tl_display_name_slow_step (&view->shown.status, reply);
}

void
tl_display_take_view (TlDisplay *display, TlReply *reply)
{
  TlShownMeasuredView *view = &display->measured_views[reply->choice.picture];
  if (!reply->grows)
    tl_messages_clear_warning (display->messages, FALSE);
  if (reply->serial < tl_scan_source_get_serial (display->source)
      || reply->serial < view->serial)
    return;
  view->serial = reply->serial;
  view->growth = reply->growth;
  display->newest_growth = MAX (display->newest_growth, reply->growth);
  if (reply->choice.picture == TL_PICTURE_PLANES
      && view != tl_display_get_view (display))
    return; /* they are not shown any more */
  forget_frame (view);
  if (reply->choice.picture == TL_PICTURE_PLANES)
    tl_display_note_planes (display, reply);
  take_result (display, view, reply);
  view->shown.status.is_preview = tl_display_shows_coarse_planes (display);
  if (view == tl_display_get_view (display))
    g_object_notify (G_OBJECT (display), "frame");
}

void
tl_display_restore_view (TlDisplay *display)
{
  const TlShownMeasuredView *view = tl_display_get_view (display);
  size_t n;
  const TlParamSpec *keys = tl_recipe_list_keys (&n);
  if (view == NULL || view->shown.recipe == NULL)
    return;
  TlRecipe *recipe =
      tl_recipe_dup (tl_parameters_get_recipe (display->parameters));
  for (size_t k = 0; k < n; k++)
    {
      g_autofree char *value = tl_recipe_get (view->shown.recipe, keys[k].key);
      if (depends_on (display, view->shown.recipe, &keys[k]))
        tl_recipe_set (recipe, keys[k].key, value, NULL);
    }
  *get_number (&display->choice) = view->shown.projection;
  tl_parameters_take_recipe (display->parameters, recipe);
  g_object_notify (G_OBJECT (display), "picture");
}

/* Four frames as large as the screen take more than other views, and are made
 * anew from bins that are given back, too. */
static void
give_planes_back (TlDisplay *display)
{
  TlShownMeasuredView *view = &display->measured_views[TL_PICTURE_PLANES];
  forget_frame (view);
  g_clear_pointer (&view->wanted, tl_recipe_free);
  display->makes_compared = FALSE;
  tl_slice_comparison_forget_planes (display->comparison);
}

/* A slice that waits to be held is not made while planes are shown. */
static void
hold_awaited (TlDisplay *display)
{
  if (tl_slice_comparison_is_held (display->comparison)
      && tl_slice_comparison_get_recipe (display->comparison) == NULL)
    tl_slice_comparison_hold_recipe (
        display->comparison, tl_parameters_get_recipe (display->parameters));
}

static void
choose (TlDisplay *display, TlPictureChoice choice)
{
  const gboolean is_other = choice.picture != display->choice.picture;
  const gboolean had_planes =
      is_other && display->choice.picture == TL_PICTURE_PLANES;
  if (had_planes)
    give_planes_back (display);
  display->choice = choice;
  if (choice.picture == TL_PICTURE_PLANES)
    hold_awaited (display);
  tl_display_update_paused (display);
  g_object_freeze_notify (G_OBJECT (display));
  g_object_notify (G_OBJECT (display), "picture");
  if (is_other)
    g_object_notify (G_OBJECT (display), "frame");
  g_object_thaw_notify (G_OBJECT (display));
  if (tl_scan_source_is_opening (display->source))
    return;
  if (choice.picture == TL_PICTURE_SLICE && is_other
      && (tl_display_is_slice_old (display)
          || tl_requests_is_busy (
              display->requests))) /* a preview may still arrive */
    tl_display_request (display);
  /* one that has not changed, so that the worker lets go of the projections of
   * the planes */
  else if (choice.picture == TL_PICTURE_SLICE && had_planes)
    tl_display_ask_for_whole (display, FALSE);
  else if (had_planes)
    tl_display_ask_for_view (display, FALSE, FALSE);
  else
    tl_display_request_view (display);
}

static void
turn_to (TlDisplay *display, TlPage page)
{
  if (display->page == page)
    return;
  display->page = page;
  g_object_notify (G_OBJECT (display), "picture");
}

/* After the volume a slice is asked for that may not have changed, so that the
 * engine has its rows again, and gives back the memory of the volume. Call it
 * when the page was notified: by then nobody has the voxels any more. */
static void
leave_volume (TlDisplay *display, TlPage before)
{
  if (before == TL_PAGE_VOLUME && display->page != before
      && !tl_scan_source_is_opening (display->source))
    tl_display_request (display);
}

static void
choose_picture (TlDisplay *display, TlPicture picture)
{
  if (display->choice.picture == picture
      || (picture == TL_PICTURE_PLANES && tl_display_refuses_planes (display)))
    return;
  if (picture != TL_PICTURE_SLICE)
    tl_display_leave_cost (display);
  TlPictureChoice choice = display->choice;
  choice.picture = picture;
  choose (display, choice);
}

void
tl_display_set_page (TlDisplay *display, TlPage page)
{
  g_return_if_fail (TL_IS_DISPLAY (display));
  g_return_if_fail ((guint)page < TL_N_PAGES);
  const TlPage before = display->page;
  if (!tl_scan_source_is_open (display->source) || before == page)
    return;
  g_object_freeze_notify (G_OBJECT (display));
  if (page != TL_PAGE_PICTURE)
    choose_picture (display, TL_PICTURE_SLICE);
  turn_to (display, page);
  g_object_thaw_notify (G_OBJECT (display));
  leave_volume (display, before);
}

TlPage
tl_display_get_page (TlDisplay *display)
{
  g_return_val_if_fail (TL_IS_DISPLAY (display), TL_PAGE_PICTURE);
  return display->page;
}

void
tl_display_set_picture (TlDisplay *display, TlPicture picture)
{
  g_return_if_fail (TL_IS_DISPLAY (display));
  g_return_if_fail ((guint)picture < TL_N_PICTURES);
  const TlPage before = display->page;
  if (!tl_scan_source_is_open (display->source))
    return;
  turn_to (display, TL_PAGE_PICTURE);
  leave_volume (display, before);
  choose_picture (display, picture);
}

TlPicture
tl_display_get_picture (TlDisplay *display)
{
  g_return_val_if_fail (TL_IS_DISPLAY (display), TL_PICTURE_SLICE);
  return display->choice.picture;
}

void
tl_display_set_projection (TlDisplay *display, guint projection)
{
  g_return_if_fail (TL_IS_DISPLAY (display));
  if (!tl_scan_source_is_open (display->source))
    return;
  const TlScanSummary *scan = tl_scan_source_get_summary (display->source);
  TlPictureChoice choice = display->choice;
  guint *used = get_number (&choice);
  if (scan->frames[*used] == projection)
    return;
  if (scan->frames[*used] < projection)
    while (*used + 1 < scan->n_projections && scan->frames[*used] < projection)
      (*used)++;
  else
    while (*used > 0 && scan->frames[*used] > projection)
      (*used)--;
  if (*used != *get_number (&display->choice))
    choose (display, choice);
}

guint
tl_display_get_projection (TlDisplay *display)
{
  g_return_val_if_fail (TL_IS_DISPLAY (display), 0);
  const TlScanSummary *scan = tl_scan_source_get_summary (display->source);
  const guint used = *get_number (&display->choice);
  return scan != NULL ? (guint)scan->frames[used] : used;
}
