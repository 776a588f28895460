/* Keeps the picture in step with the pointer. Where whole pictures are slow, a
 * request is answered by a reduced picture, and the whole one is requested once
 * no further request has arrived for REST_MS. The next request cancels the
 * whole picture. */
#include "app/session/display-private.h"

#include <math.h>
#include <string.h>

/* Milliseconds without a request before the whole picture is made: longer than
 * the interval between two steps of a drag or of key repeat, shorter than a
 * delay that the user notices. */
#define REST_MS 120

static gboolean
is_reduced (TlDisplay *display)
{
  return display->frame != NULL && display->grid.pitch > 1;
}

gboolean
tl_display_shows_preview (TlDisplay *display)
{
  g_return_val_if_fail (TL_IS_DISPLAY (display), FALSE);
  return display->choice.picture == TL_PICTURE_SLICE && is_reduced (display);
}

gboolean
tl_display_is_slice_old (TlDisplay *display)
{
  g_autofree char *wanted =
      tl_recipe_to_text (tl_parameters_get_recipe (display->parameters), NULL);
  g_autofree char *shown = tl_recipe_to_text (display->shown, NULL);
  return is_reduced (display) || strcmp (wanted, shown) != 0;
}

static gboolean
ask_for_whole (gpointer data)
{
  TlDisplay *display = data;
  if (display->choice.picture == TL_PICTURE_SLICE
      && tl_display_is_slice_old (display))
    {
      TlJob *job = tl_requests_make_job (
          display->requests, TL_JOB_PREVIEW,
          tl_parameters_get_recipe (display->parameters), NULL);
      job->gives_way = TRUE;
      tl_display_add_detail (display, job);
      tl_requests_push (display->requests, job);
    }
  return G_SOURCE_REMOVE;
}

/* The idle timeout may fire before the preview arrives, while the old whole
 * picture is still shown. Nobody has requested the new whole picture then, so
 * request it here. */
void
tl_display_follow_preview (TlDisplay *display)
{
  if (is_reduced (display) && !tl_requests_is_delayed (display->requests)
      && display->frame_serial == tl_requests_get_newest (display->requests))
    ask_for_whole (display);
}

/* Returns: the first pipeline stage that has to run again for the requested
 * parameters */
static TlStage
find_stage (TlDisplay *display)
{
  size_t n;
  const TlParameter *keys = tl_recipe_list_keys (&n);
  TlStage first = TL_STAGE_BACKPROJECT;
  for (size_t k = 0; k < n; k++)
    {
      const TlStage stage = tl_recipe_get_stage (
          display->whole, tl_parameters_get_recipe (display->parameters),
          &keys[k], tl_scan_source_get_summary (display->source)->n_cols);
      if (!tl_recipe_is_equal (display->whole,
                               tl_parameters_get_recipe (display->parameters),
                               &keys[k]))
        first = MIN (first, stage);
    }
  return first;
}

/* Where the corrections alone are too slow for a drag, only every n-th
 * projection is used. Sharp zoom is left out then, because a part must use all
 * projections. */
static void
ask_for_slice (TlDisplay *display)
{
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
    tl_requests_push_later (display->requests, REST_MS, ask_for_whole, display);
}

void
tl_display_request (TlDisplay *display)
{
  if (display->choice.picture == TL_PICTURE_SLICE)
    ask_for_slice (display);
  else
    tl_display_request_view (display);
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
