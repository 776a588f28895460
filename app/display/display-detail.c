/* Sharp zoom reconstructs the visible part of the slice at the resolution of
 * the screen and draws it above the whole picture. Pixel values, histogram and
 * export still use the whole picture. During a drag, a part is made with each
 * picture if whole pictures are fast. If they are slow, a reduced part is drawn
 * in front of an even coarser picture. */
#include "app/display/display-private.h"

#include <math.h>

/* Milliseconds without a change of view or picture before a part is requested.
 */
#define REST_MS 120

/* A smaller zoom shows no visible difference. */
#define MIN_ZOOM 1.01

void
tl_display_forget_detail (TlDisplay *display)
{
  g_clear_handle_id (&display->detail_id, g_source_remove);
  display->detail_serial = 0;
}

void
tl_display_take_detail (TlDisplay *display, TlFrame *detail, const TlGrid *grid)
{
  if (display->detail == NULL && detail == NULL)
    return;
  g_clear_pointer (&display->detail, tl_frame_unref);
  display->detail = detail;
  display->detail_grid = *grid;
  g_object_notify (G_OBJECT (display), "detail");
}

/* Returns: the grid of the whole slice that is shown, or of the requested slice
 * before the first one */
static TlGrid
get_whole (TlDisplay *display)
{
  return display->shown != NULL
             ? display->shown->params.grid
             : tl_parameters_get_recipe (display->parameters)->params.grid;
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
find_detail (TlDisplay *display)
{
  const TlVisible *visible = &display->visible;
  const TlGrid none = { 0 };
  if (!display->sharp_zoom || !tl_scan_source_is_open (display->source)
      || tl_slice_comparison_get_shown_mode (display->comparison)
             != TL_COMPARE_OFF
      || !(visible->pitch * MIN_ZOOM < 1))
    return none;
  const TlGrid whole = get_whole (display);
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
tl_display_add_detail (TlDisplay *display, TlJob *job)
{
  const TlGrid grid = find_detail (display);
  const double n = (double)get_whole (display).nx;
  const double part = (double)grid.nx * (double)grid.ny / (n * n);
  if (grid.nx == 0)
    return;
  if (job->reduction > 0)
    {
      const guint reduction =
          tl_preview_scheduler_choose_part (&display->scheduler, part);
      job->reduction = TL_PREVIEW_MAX_REDUCTION;
      job->detail = reduce (&grid, reduction);
    }
  else if (job->gives_way
           || tl_preview_scheduler_allows (&display->scheduler, part))
    job->detail = grid;
}

static void
ask_for_detail (TlDisplay *display, const TlGrid *grid)
{
  TlJob *job = tl_requests_make_job (display->requests, TL_JOB_DETAIL,
                                     display->shown, NULL);
  job->detail = *grid;
  job->gives_way = TRUE;
  display->detail_serial = job->serial;
  tl_requests_push (display->requests, job);
}

static gboolean
on_rest (gpointer data)
{
  TlDisplay *display = data;
  const TlGrid grid = find_detail (display);
  tl_display_forget_detail (display);
  if (display->frame == NULL || tl_requests_is_busy (display->requests))
    return G_SOURCE_REMOVE;
  if (grid.nx == 0 || display->cost.map != NULL)
    tl_display_take_detail (display, NULL, &grid);
  else if (display->detail == NULL
           || !tl_grid_equal (&grid, &display->detail_grid))
    ask_for_detail (display, &grid);
  return G_SOURCE_REMOVE;
}

void
tl_display_update_detail (TlDisplay *display)
{
  tl_display_forget_detail (display);
  display->detail_id = g_timeout_add (REST_MS, on_rest, display);
}

void
tl_display_set_visible (TlDisplay *display, const TlVisible *visible)
{
  g_return_if_fail (TL_IS_DISPLAY (display));
  const TlVisible *old = &display->visible;
  if (old->row == visible->row && old->col == visible->col
      && old->pitch == visible->pitch && old->n_rows == visible->n_rows
      && old->n_cols == visible->n_cols)
    return;
  display->visible = *visible;
  tl_display_update_detail (display);
}

void
tl_display_set_sharp_zoom (TlDisplay *display, gboolean sharp_zoom)
{
  g_return_if_fail (TL_IS_DISPLAY (display));
  if (display->sharp_zoom == sharp_zoom)
    return;
  display->sharp_zoom = sharp_zoom;
  g_object_notify (G_OBJECT (display), "sharp-zoom");
  tl_display_update_detail (display);
}

TlFrame *
tl_display_get_detail (TlDisplay *display)
{
  g_return_val_if_fail (TL_IS_DISPLAY (display), NULL);
  return display->choice.picture == TL_PICTURE_SLICE
                 && tl_slice_comparison_get_shown_mode (display->comparison)
                        == TL_COMPARE_OFF
             ? display->detail
             : NULL;
}

/* An error is only logged: the whole picture is shown in any case. */
void
tl_display_take_detail_reply (TlDisplay *display, TlReply *reply)
{
  if (reply->serial != display->detail_serial
      || reply->serial < tl_requests_get_newest (display->requests))
    return;
  display->detail_serial = 0;
  if (reply->error == NULL)
    tl_display_take_detail (display, g_steal_pointer (&reply->detail),
                            &reply->detail_grid);
  else
    g_info ("no sharp zoom: %s", reply->error->message);
}
