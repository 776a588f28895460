/* Keeps the picture in step with the pointer. Where whole pictures are slow, a
 * request is answered by a reduced picture, and the whole one is requested once
 * no further request has arrived for REST_MS. The next request cancels the
 * whole picture. */
#include "app/session/session.h"

#include "app/session/session-private.h"

#include <math.h>
#include <string.h>

/* Milliseconds without a request before the whole picture is made: longer than
 * the interval between two steps of a drag or of key repeat, shorter than a
 * delay that the user notices. */
#define REST_MS 120

static gboolean
is_reduced (TlSession *session)
{
  return session->frame != NULL && session->grid.pitch > 1;
}

gboolean
tl_session_shows_preview (TlSession *session)
{
  g_return_val_if_fail (TL_IS_SESSION (session), FALSE);
  return session->choice.picture == TL_PICTURE_SLICE && is_reduced (session);
}

gboolean
tl_session_is_slice_old (TlSession *session)
{
  g_autofree char *wanted =
      tl_recipe_to_text (tl_parameters_get_recipe (session->parameters), NULL);
  g_autofree char *shown = tl_recipe_to_text (session->shown, NULL);
  return is_reduced (session) || strcmp (wanted, shown) != 0;
}

static gboolean
ask_for_whole (gpointer data)
{
  TlSession *session = data;
  if (session->choice.picture == TL_PICTURE_SLICE
      && tl_session_is_slice_old (session))
    {
      TlJob *job = tl_requests_make_job (
          session->requests, TL_JOB_PREVIEW,
          tl_parameters_get_recipe (session->parameters), NULL);
      job->gives_way = TRUE;
      tl_session_add_detail (session, job);
      tl_requests_push (session->requests, job);
    }
  return G_SOURCE_REMOVE;
}

/* The idle timeout may fire before the preview arrives, while the old whole
 * picture is still shown. Nobody has requested the new whole picture then, so
 * request it here. */
void
tl_session_follow_preview (TlSession *session)
{
  if (is_reduced (session) && !tl_requests_is_delayed (session->requests)
      && session->frame_serial == tl_requests_get_newest (session->requests))
    ask_for_whole (session);
}

/* Returns: the first pipeline stage that has to run again for the requested
 * parameters */
static TlStage
find_stage (TlSession *session)
{
  size_t n;
  const TlParameter *keys = tl_recipe_list_keys (&n);
  TlStage first = TL_STAGE_BACKPROJECT;
  for (size_t k = 0; k < n; k++)
    {
      const TlStage stage = tl_recipe_get_stage (
          session->whole, tl_parameters_get_recipe (session->parameters),
          &keys[k], tl_scan_source_get_summary (session->source)->n_cols);
      if (!tl_recipe_is_equal (session->whole,
                               tl_parameters_get_recipe (session->parameters),
                               &keys[k]))
        first = MIN (first, stage);
    }
  return first;
}

/* Where the corrections alone are too slow for a drag, only every n-th
 * projection is used. Sharp zoom is left out then, because a part must use all
 * projections. */
static void
ask_for_slice (TlSession *session)
{
  TlJob *job = tl_requests_make_job (
      session->requests, TL_JOB_PREVIEW,
      tl_parameters_get_recipe (session->parameters), NULL);
  job->every = tl_preview_scheduler_choose_subsampling (&session->scheduler,
                                                        find_stage (session));
  job->reduction = job->every > 1
                       ? tl_preview_scheduler_choose_subsampled (
                           &session->scheduler, job->every)
                       : tl_preview_scheduler_choose (&session->scheduler);
  const gboolean is_reduced = job->reduction > 0;
  if (job->every <= 1)
    tl_session_add_detail (session, job);
  tl_requests_push (session->requests, job);
  if (is_reduced)
    tl_requests_push_later (session->requests, REST_MS, ask_for_whole, session);
}

void
tl_session_ask_for_frame (TlSession *session)
{
  if (session->choice.picture == TL_PICTURE_SLICE)
    ask_for_slice (session);
  else
    tl_session_ask_for_measured_view (session);
}

gboolean
tl_session_get_picture_size (TlSession *session, size_t *n_rows, size_t *n_cols)
{
  g_return_val_if_fail (TL_IS_SESSION (session), FALSE);
  if (session->choice.picture != TL_PICTURE_SLICE)
    return tl_session_get_frame_size (session, n_rows, n_cols);
  if (session->frame == NULL)
    return FALSE;
  *n_rows = session->shown->params.grid.ny;
  *n_cols = session->shown->params.grid.nx;
  return TRUE;
}

static void
find_place (TlSession *session, const TlGrid *grid, double *row, double *col,
            double *pitch)
{
  const TlGrid *whole = &session->shown->params.grid;
  *row = whole->y0 - grid->y0;
  *col = grid->x0 - whole->x0;
  *pitch = grid->pitch;
}

void
tl_session_get_frame_place (TlSession *session, double *row, double *col,
                            double *pitch)
{
  g_return_if_fail (TL_IS_SESSION (session));
  g_return_if_fail (session->frame != NULL);
  if (session->choice.picture == TL_PICTURE_SLICE)
    {
      find_place (session, &session->grid, row, col, pitch);
      return;
    }
  *row = *col = 0;
  *pitch = 1;
}

void
tl_session_get_detail_place (TlSession *session, double *row, double *col,
                             double *pitch)
{
  g_return_if_fail (TL_IS_SESSION (session));
  g_return_if_fail (session->detail != NULL);
  find_place (session, &session->detail_grid, row, col, pitch);
}

gboolean
tl_session_read_pixel (TlSession *session, size_t row, size_t col, float *value)
{
  size_t n_rows, n_cols;
  double row0, col0, pitch;
  if (!tl_session_get_picture_size (session, &n_rows, &n_cols) || row >= n_rows
      || col >= n_cols)
    return FALSE;
  TlFrame *frame = tl_session_get_frame (session);
  tl_session_get_frame_place (session, &row0, &col0, &pitch);
  const double i = floor (((double)row - row0) / pitch + 0.5);
  const double j = floor (((double)col - col0) / pitch + 0.5);
  return tl_frame_read_pixel (
      frame, 0, MIN ((size_t)MAX (i, 0), tl_frame_get_n_rows (frame) - 1),
      MIN ((size_t)MAX (j, 0), tl_frame_get_n_cols (frame) - 1), value, NULL);
}
