/* Sharp zoom reconstructs the visible part of the slice at the resolution of
 * the screen and draws it above the whole picture. Pixel values, histogram and
 * export still use the whole picture. During a drag, a part is made with each
 * picture if whole pictures are fast. If they are slow, a reduced part is drawn
 * in front of an even coarser picture. */
#include "app/session/session.h"

#include "app/session/model.h"
#include "app/session/session-private.h"

#include <math.h>

/* Milliseconds without a change of view or picture before a part is requested.
 */
#define REST_MS 120

/* A smaller zoom shows no visible difference. */
#define MIN_ZOOM 1.01

void
tl_session_forget_detail (TlSession *session)
{
  g_clear_handle_id (&session->detail_id, g_source_remove);
  session->detail_serial = 0;
}

void
tl_session_take_detail (TlSession *session, TlFrame *detail, const TlGrid *grid)
{
  if (session->detail == NULL && detail == NULL)
    return;
  g_clear_pointer (&session->detail, tl_frame_unref);
  session->detail = detail;
  session->detail_grid = *grid;
  g_object_notify (G_OBJECT (session), "detail");
}

/* Returns: the grid of the whole slice that is shown, or of the requested slice
 * before the first one */
static TlGrid
get_whole (TlSession *session)
{
  return session->shown != NULL
             ? session->shown->params.grid
             : tl_parameters_get_recipe (session->parameters)->params.grid;
}

TlGrid
tl_visible_find_grid (const TlVisible *visible, const TlGrid *whole)
{
  const TlGrid none = { 0 };
  const double pitch = visible->pitch, end = (double)whole->nx - 0.5;
  if (!(pitch > 0))
    return none;
  const double left = fmax (ceil ((-0.5 - visible->col) / pitch), 0);
  const double top = fmax (ceil ((-0.5 - visible->row) / pitch), 0);
  const double right =
      fmin (floor ((end - visible->col) / pitch) + 1, (double)visible->n_cols);
  const double bottom =
      fmin (floor ((end - visible->row) / pitch) + 1, (double)visible->n_rows);
  if (!(left < right && top < bottom))
    return none;
  return (TlGrid){ .nx = (size_t)(right - left),
                   .ny = (size_t)(bottom - top),
                   .x0 = whole->x0 + visible->col + left * pitch,
                   .y0 = whole->y0 - visible->row - top * pitch,
                   .pitch = pitch };
}

/* Returns: the pixels of the screen that lie on the slice; empty (nx is 0)
 * unless sharp zoom is on and the view is zoomed in */
static TlGrid
find_detail (TlSession *session)
{
  const TlVisible *visible = &session->visible;
  const TlGrid none = { 0 };
  if (!session->sharp_zoom || !tl_scan_source_is_open (session->source)
      || tl_session_get_comparison (session) != TL_COMPARE_OFF
      || !(visible->pitch * MIN_ZOOM < 1))
    return none;
  const TlGrid whole = get_whole (session);
  return tl_visible_find_grid (visible, &whole);
}

static TlGrid
reduce (const TlGrid *grid, guint reduction)
{
  const double shift = (reduction - 1) * grid->pitch / 2;
  return (TlGrid){ .nx = MAX (grid->nx / reduction, 1),
                   .ny = MAX (grid->ny / reduction, 1),
                   .x0 = grid->x0 + shift,
                   .y0 = grid->y0 - shift,
                   .pitch = grid->pitch * reduction };
}

void
tl_session_add_detail (TlSession *session, TlJob *job)
{
  const TlGrid grid = find_detail (session);
  const double n = (double)get_whole (session).nx;
  const double part = (double)grid.nx * (double)grid.ny / (n * n);
  if (grid.nx == 0)
    return;
  if (job->reduction > 0)
    {
      const guint reduction =
          tl_preview_scheduler_choose_part (&session->scheduler, part);
      job->reduction = TL_PREVIEW_MAX_REDUCTION;
      job->detail = reduce (&grid, reduction);
    }
  else if (job->gives_way
           || tl_preview_scheduler_allows (&session->scheduler, part))
    job->detail = grid;
}

static gboolean
is_same_grid (const TlGrid *a, const TlGrid *b)
{
  return a->nx == b->nx && a->ny == b->ny && a->x0 == b->x0 && a->y0 == b->y0
         && a->pitch == b->pitch;
}

static void
ask_for_detail (TlSession *session, const TlGrid *grid)
{
  TlJob *job = tl_requests_make_job (session->requests, TL_JOB_DETAIL,
                                     session->shown, NULL);
  job->detail = *grid;
  job->gives_way = TRUE;
  session->detail_serial = job->serial;
  tl_requests_push (session->requests, job);
}

static gboolean
on_rest (gpointer data)
{
  TlSession *session = data;
  const TlGrid grid = find_detail (session);
  tl_session_forget_detail (session);
  if (session->frame == NULL || tl_requests_is_busy (session->requests))
    return G_SOURCE_REMOVE;
  if (grid.nx == 0 || session->cost.map != NULL)
    tl_session_take_detail (session, NULL, &grid);
  else if (session->detail == NULL
           || !is_same_grid (&grid, &session->detail_grid))
    ask_for_detail (session, &grid);
  return G_SOURCE_REMOVE;
}

void
tl_session_update_detail (TlSession *session)
{
  tl_session_forget_detail (session);
  session->detail_id = g_timeout_add (REST_MS, on_rest, session);
}

void
tl_session_set_visible (TlSession *session, const TlVisible *visible)
{
  g_return_if_fail (TL_IS_SESSION (session));
  const TlVisible *old = &session->visible;
  if (old->row == visible->row && old->col == visible->col
      && old->pitch == visible->pitch && old->n_rows == visible->n_rows
      && old->n_cols == visible->n_cols)
    return;
  session->visible = *visible;
  tl_session_update_detail (session);
}

void
tl_session_set_sharp_zoom (TlSession *session, gboolean sharp_zoom)
{
  g_return_if_fail (TL_IS_SESSION (session));
  if (session->sharp_zoom == sharp_zoom)
    return;
  session->sharp_zoom = sharp_zoom;
  g_object_notify (G_OBJECT (session), "sharp-zoom");
  tl_session_update_detail (session);
}

TlFrame *
tl_session_get_detail (TlSession *session)
{
  g_return_val_if_fail (TL_IS_SESSION (session), NULL);
  return session->choice.picture == TL_PICTURE_SLICE
                 && tl_session_get_comparison (session) == TL_COMPARE_OFF
             ? session->detail
             : NULL;
}
