/* The views of measured data (sinogram, projection, overlay), and which picture
 * is shown. A view is made only while it is shown and when it does not match
 * the recipe. */
#include "app/session/session.h"

#include "app/session/model.h"
#include "app/session/session-private.h"

#include <string.h>

/* Returns: the projection that the picture shows; unused for a sinogram */
static guint *
get_number (TlPictureChoice *choice)
{
  return choice->picture == TL_PICTURE_OVERLAY ? &choice->pair
                                               : &choice->projection;
}

/* Returns: whether the view made with @recipe would change if @key took the
 * session's value; app/recon/measured-view.h lists the stages of each view. The
 * slice number only moves a line drawn over a projection. */
static gboolean
depends_on (TlSession *session, const TlRecipe *recipe, const TlParameter *key)
{
  const TlStage stage = tl_recipe_get_stage (
      recipe, tl_parameters_get_recipe (session->parameters), key,
      tl_scan_source_get_summary (session->source)->n_cols);
  if (session->choice.picture == TL_PICTURE_SINOGRAM)
    return stage < TL_STAGE_TRANSFORM;
  if (session->choice.picture == TL_PICTURE_OVERLAY && key->is_of_axis)
    return FALSE;
  return stage == TL_STAGE_CORRECT
         || (session->choice.picture == TL_PICTURE_PROJECTION
             && (stage == TL_STAGE_TILT || stage == TL_STAGE_PHASE))
         || (stage == TL_STAGE_UPLOAD && strcmp (key->key, "slice") != 0);
}

/* Returns: whether a view made with @recipe (nullable) and @projection differs
 * from the requested one */
static gboolean
differs (TlSession *session, const TlRecipe *recipe, guint projection)
{
  TlPictureChoice *choice = &session->choice;
  size_t n;
  const TlParameter *keys = tl_recipe_list_keys (&n);
  if (recipe == NULL
      || (choice->picture != TL_PICTURE_SINOGRAM
          && *get_number (choice) != projection))
    return TRUE;
  for (size_t k = 0; k < n; k++)
    {
      if (depends_on (session, recipe, &keys[k])
          && (tl_recipe_is_relevant (recipe, &keys[k])
              || tl_recipe_is_relevant (
                  tl_parameters_get_recipe (session->parameters), &keys[k]))
          && !tl_recipe_is_equal (
              recipe, tl_parameters_get_recipe (session->parameters), &keys[k]))
        return TRUE;
    }
  return FALSE;
}

TlShownMeasuredView *
tl_session_get_measured_view (TlSession *session)
{
  return session->choice.picture != TL_PICTURE_SLICE
             ? &session->measured_views[session->choice.picture]
             : NULL;
}

const TlShownView *
tl_session_get_shown_view (TlSession *session, TlPicture picture)
{
  g_return_val_if_fail (TL_IS_SESSION (session), NULL);
  g_return_val_if_fail (picture > TL_PICTURE_SLICE && picture < TL_N_PICTURES,
                        NULL);
  return &session->measured_views[picture].shown;
}

gboolean
tl_session_is_measured_view_old (TlSession *session)
{
  const TlShownMeasuredView *look = tl_session_get_measured_view (session);
  return look != NULL
         && differs (session, look->shown.recipe, look->shown.projection);
}

void
tl_session_ask_for_measured_view (TlSession *session)
{
  TlShownMeasuredView *look = tl_session_get_measured_view (session);
  const gboolean is_awaited =
      tl_requests_is_busy (session->requests)
      && look->wanted_serial == tl_requests_get_newest (session->requests);
  if (is_awaited ? !differs (session, look->wanted, look->wanted_projection)
                 : !tl_session_is_measured_view_old (session))
    return;
  TlJob *job = tl_requests_make_job (
      session->requests, TL_JOB_LOOK,
      tl_parameters_get_recipe (session->parameters), NULL);
  job->choice = session->choice;
  g_clear_pointer (&look->wanted, tl_recipe_free);
  look->wanted = tl_recipe_dup (tl_parameters_get_recipe (session->parameters));
  look->wanted_projection = *get_number (&session->choice);
  look->wanted_serial = job->serial;
  tl_requests_push (session->requests, job);
}

static void
forget_frame (TlShownMeasuredView *look)
{
  g_clear_pointer (&look->shown.frame, tl_frame_unref);
  g_clear_pointer (&look->shown.recipe, tl_recipe_free);
  tl_pair_clear (&look->shown.pair);
  look->shown.status = (TlStatus){ 0 };
}

void
tl_session_forget_measured_views (TlSession *session)
{
  for (int k = 0; k < TL_N_PICTURES; k++)
    {
      forget_frame (&session->measured_views[k]);
      g_clear_pointer (&session->measured_views[k].wanted, tl_recipe_free);
    }
}

static void
take_result (TlSession *session, TlShownMeasuredView *look, TlReply *reply)
{
  const gboolean is_sinogram = reply->choice.picture == TL_PICTURE_SINOGRAM;
  look->shown.frame = g_steal_pointer (&reply->frame);
  look->shown.recipe = tl_recipe_dup (reply->recipe);
  look->shown.projection = *get_number (&reply->choice);
  look->shown.pair = reply->pair;
  reply->pair = (TlPair){ 0 };
  look->shown.stats = reply->stats;
  look->shown.status = (TlStatus){
    /* The engine corrects sinograms; host corrects projections, see
     * app/recon/measured-view.h. */
    .engine = is_sinogram ? g_intern_string (reply->engine) : "host",
    .device = is_sinogram ? g_intern_string (reply->device) : NULL,
    .frame_ms = reply->frame_ms,
    .read_ms = reply->times.read_ms,
    .correct_ms = reply->times.load_ms + reply->times.compute_ms,
    .memory_bytes = session->status.memory_bytes,
    .n_angles = tl_scan_source_get_summary (session->source)->n_projections,
  };
  tl_session_name_slow_step (&look->shown.status, reply);
}

void
tl_session_take_measured_view (TlSession *session, TlReply *reply)
{
  TlShownMeasuredView *look = &session->measured_views[reply->choice.picture];
  if (reply->serial < tl_scan_source_get_serial (session->source)
      || reply->serial < look->serial)
    return;
  look->serial = reply->serial;
  forget_frame (look);
  take_result (session, look, reply);
  if (look == tl_session_get_measured_view (session))
    g_object_notify (G_OBJECT (session), "frame");
}

void
tl_session_restore_measured_view (TlSession *session)
{
  const TlShownMeasuredView *look = tl_session_get_measured_view (session);
  size_t n;
  const TlParameter *keys = tl_recipe_list_keys (&n);
  if (look == NULL || look->shown.recipe == NULL)
    return;
  TlRecipe *recipe =
      tl_recipe_dup (tl_parameters_get_recipe (session->parameters));
  for (size_t k = 0; k < n; k++)
    {
      g_autofree char *value = tl_recipe_get (look->shown.recipe, keys[k].key);
      if (depends_on (session, look->shown.recipe, &keys[k]))
        tl_recipe_set (recipe, keys[k].key, value, NULL);
    }
  *get_number (&session->choice) = look->shown.projection;
  tl_parameters_take_recipe (session->parameters, recipe);
  g_object_notify (G_OBJECT (session), "picture");
}

static void
choose (TlSession *session, TlPictureChoice choice)
{
  const gboolean is_other = choice.picture != session->choice.picture;
  session->choice = choice;
  g_object_freeze_notify (G_OBJECT (session));
  g_object_notify (G_OBJECT (session), "picture");
  if (is_other)
    g_object_notify (G_OBJECT (session), "frame");
  g_object_thaw_notify (G_OBJECT (session));
  if (tl_scan_source_is_opening (session->source))
    return;
  if (choice.picture != TL_PICTURE_SLICE)
    tl_session_ask_for_measured_view (session);
  else if (is_other
           && (tl_session_is_slice_old (session)
               || tl_requests_is_busy (
                   session->requests))) /* a preview may still arrive */
    tl_session_ask_for_frame (session);
}

static void
turn_to (TlSession *session, TlPage page)
{
  if (session->page == page)
    return;
  session->page = page;
  g_object_notify (G_OBJECT (session), "picture");
}

void
tl_session_set_page (TlSession *session, TlPage page)
{
  g_return_if_fail (TL_IS_SESSION (session));
  g_return_if_fail ((guint)page < TL_N_PAGES);
  if (!tl_scan_source_is_open (session->source) || session->page == page)
    return;
  g_object_freeze_notify (G_OBJECT (session));
  if (page != TL_PAGE_PICTURE)
    tl_session_set_picture (session, TL_PICTURE_SLICE);
  turn_to (session, page);
  g_object_thaw_notify (G_OBJECT (session));
}

TlPage
tl_session_get_page (TlSession *session)
{
  g_return_val_if_fail (TL_IS_SESSION (session), TL_PAGE_PICTURE);
  return session->page;
}

void
tl_session_set_picture (TlSession *session, TlPicture picture)
{
  g_return_if_fail (TL_IS_SESSION (session));
  g_return_if_fail ((guint)picture < TL_N_PICTURES);
  if (!tl_scan_source_is_open (session->source))
    return;
  turn_to (session, TL_PAGE_PICTURE);
  if (session->choice.picture == picture)
    return;
  if (picture != TL_PICTURE_SLICE)
    tl_session_leave_cost (session);
  TlPictureChoice choice = session->choice;
  choice.picture = picture;
  choose (session, choice);
}

TlPicture
tl_session_get_picture (TlSession *session)
{
  g_return_val_if_fail (TL_IS_SESSION (session), TL_PICTURE_SLICE);
  return session->choice.picture;
}

void
tl_session_set_projection (TlSession *session, guint projection)
{
  g_return_if_fail (TL_IS_SESSION (session));
  if (!tl_scan_source_is_open (session->source))
    return;
  projection = MIN (
      projection,
      (guint)tl_scan_source_get_summary (session->source)->n_projections - 1);
  TlPictureChoice choice = session->choice;
  if (*get_number (&choice) == projection)
    return;
  *get_number (&choice) = projection;
  choose (session, choice);
}

guint
tl_session_get_projection (TlSession *session)
{
  g_return_val_if_fail (TL_IS_SESSION (session), 0);
  return *get_number (&session->choice);
}
