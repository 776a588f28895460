/* The planes that are shown. While they change, they are made of a level of the
 * scan that is small enough, and in larger pixels if need be; once nothing has
 * changed for a moment, in the pixels of the screen, of projections that have
 * as many. */
#include "app/display/display-private.h"

#include "data/read/held/held.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

/* Milliseconds that the back-projection of planes may take in a drag, so that
 * five sets a second are shown even if other programs use the machine. */
#define DRAG_MS 100.0

/* Pixels larger than this show too little. */
#define MAX_COARSENESS 4

/* The first set: nothing is known of the engine. */
#define FIRST_COARSENESS 2

/* Returns: the distance between the pixels that were asked for, in pixels of
 * the scan; 0: there are none */
static double
find_pitch (TlDisplay *display)
{
  for (TlPane pane = 0; pane < TL_N_PANES; pane++)
    {
      const TlPlane *plane = &display->choice.planes[pane];
      const double *u = plane->u;
      if (plane->nx > 0)
        return hypot (hypot (u[0], u[1]), u[2]);
    }
  return 0;
}

/* Returns: how many pixels of the scan one of the level is wide */
static double
get_ratio (TlDisplay *display, const TlPlaneLevel *level)
{
  const TlRecipe *recipe = tl_parameters_get_recipe (display->parameters);
  return (double)level->bin / MAX (recipe->bin, 1);
}

/* Returns: (nullable): the finest level that suits a drag, or else the coarsest
 * one; %NULL: the scan is small enough itself */
static const TlPlaneLevel *
choose_drag_level (TlDisplay *display)
{
  const TlScanSummary *scan = tl_scan_source_get_summary (display->source);
  const double limit = tl_display_count_drag_samples (display);
  const double n =
      (double)scan->n_projections * (double)scan->n_rows * (double)scan->n_cols;
  const TlPlaneLevel *chosen =
      display->n_plane_levels > 0 ? display->plane_levels : NULL;
  if (n <= limit)
    return NULL;
  for (guint k = 1; k < display->n_plane_levels; k++)
    if (n / pow (get_ratio (display, &display->plane_levels[k]), 3) <= limit)
      chosen = &display->plane_levels[k];
  return chosen;
}

/* Returns: (nullable): the coarsest level with the pixels of the screen; %NULL:
 * only the scan has them */
static const TlPlaneLevel *
choose_fine_level (TlDisplay *display)
{
  const double pitch = find_pitch (display) * (1 + 1e-9);
  for (guint k = 0; k < display->n_plane_levels; k++)
    if (get_ratio (display, &display->plane_levels[k]) <= pitch)
      return &display->plane_levels[k];
  return NULL;
}

/* Returns: (nullable): the level for the next planes while nothing changes. Of
 * the scan itself they may take long, so they are made of the finest level
 * first. */
static const TlPlaneLevel *
choose_rest_level (TlDisplay *display)
{
  const TlPlaneSet *shown = &tl_display_get_view (display)->shown.planes;
  const TlPlaneLevel *level = choose_fine_level (display);
  if (level != NULL || display->n_plane_levels == 0)
    return level;
  level = &display->plane_levels[display->n_plane_levels - 1];
  return shown->bin > level->bin || shown->coarseness > 1 ? level : NULL;
}

static double
count_pixels (const TlPlane *planes)
{
  double n = 0;
  for (TlPane pane = 0; pane < TL_N_PANES; pane++)
    n += (double)planes[pane].nx * (double)planes[pane].ny;
  return n;
}

/* Returns: (transfer none) (nullable): the parameters of A's planes, while A is
 * shown */
static const TlRecipe *
get_compared (TlDisplay *display)
{
  return tl_slice_comparison_get_mode (display->comparison) != TL_COMPARE_OFF
                 && tl_display_can_make_held (display)
             ? tl_slice_comparison_get_recipe (display->comparison)
             : NULL;
}

/* Returns: as of TlJob.coarseness, for planes that keep up with a drag. A's are
 * made again only when the panes look elsewhere. */
static guint
choose_coarseness (TlDisplay *display, double ratio)
{
  const double n_sets =
      get_compared (display) != NULL && tl_display_has_moved (display) ? 2 : 1;
  const double ms = n_sets * count_pixels (display->choice.planes)
                    * display->plane_ms / ratio;
  guint coarseness = 1;
  if (display->plane_ms <= 0)
    return FIRST_COARSENESS;
  while (coarseness < MAX_COARSENESS
         && ms / (coarseness * coarseness) > DRAG_MS)
    coarseness++;
  return coarseness;
}

/* Requests the planes that are shown again, with A or without it. */
static void
ask_for_compared (TlDisplay *display, gboolean is_fine)
{
  const TlShownMeasuredView *view = tl_display_get_view (display);
  if (display->choice.picture == TL_PICTURE_PLANES && view->wanted != NULL
      && !display->awaits_planes
      && !tl_scan_source_is_opening (display->source))
    tl_display_ask_for_view (display, FALSE, is_fine);
}

void
tl_display_update_compared_planes (TlDisplay *display)
{
  if (get_compared (display) != NULL && !display->makes_compared)
    ask_for_compared (display, FALSE);
  else if (!tl_slice_comparison_is_held (display->comparison)
           && display->makes_compared)
    ask_for_compared (display, TRUE);
}

void
tl_display_hold_planes (TlDisplay *display)
{
  const gboolean had_compared = display->makes_compared;
  tl_slice_comparison_hold_recipe (
      display->comparison, tl_parameters_get_recipe (display->parameters));
  if (had_compared && get_compared (display) != NULL)
    ask_for_compared (display, FALSE);
}

gboolean
tl_display_fill_planes_job (TlDisplay *display, TlJob *job, gboolean is_fine)
{
  const TlPlaneLevel *level =
      is_fine ? choose_rest_level (display) : choose_drag_level (display);
  job->coarseness =
      is_fine ? 1
              : choose_coarseness (
                  display, level != NULL ? get_ratio (display, level) : 1);
  if (level != NULL)
    {
      job->level = tl_held_copy_ref (level->copy);
      job->level_bin = level->bin;
    }
  const TlRecipe *compared = get_compared (display);
  job->compared = compared != NULL ? tl_recipe_dup (compared) : NULL;
  display->makes_compared = compared != NULL;
  job->gives_way = is_fine;
  return !is_fine
         && (job->coarseness > 1 || level != choose_fine_level (display));
}

void
tl_display_note_planes (TlDisplay *display, const TlReply *reply)
{
  const TlPlaneSet *set = &reply->planes;
  const double n = count_pixels (set->planes);
  const double ratio =
      (double)set->bin
      / MAX (tl_parameters_get_recipe (display->parameters)->bin, 1);
  if (n > 0)
    display->plane_ms = reply->times.stage_ms[TL_STAGE_BACKPROJECT] / n * ratio;
}

gboolean
tl_display_refuses_planes (TlDisplay *display)
{
  const TlScanSummary *scan = tl_scan_source_get_summary (display->source);
  TlHeld *held = tl_scan_source_find_held (display->source, scan->path);
  TlHeldState state = { 0 };
  if (held != NULL)
    tl_held_get_state (held, &state);
  if (state.n_kept == state.n_rows)
    return FALSE;
  tl_messages_warn (display->messages, TRUE,
                    _ ("Planes need all rows of the detector, and of this scan "
                       "only the rows %zu to %zu fit into memory"),
                    state.first_kept, state.first_kept + state.n_kept - 1);
  return TRUE;
}

gboolean
tl_display_leave_planes (TlDisplay *display)
{
  g_return_val_if_fail (TL_IS_DISPLAY (display), FALSE);
  if (display->choice.picture != TL_PICTURE_PLANES
      || !tl_scan_source_is_open (display->source)
      || !tl_display_refuses_planes (display))
    return FALSE;
  tl_display_set_picture (display, TL_PICTURE_SLICE);
  return TRUE;
}

gboolean
tl_display_shows_coarse_planes (TlDisplay *display)
{
  const TlShownMeasuredView *view = tl_display_get_view (display);
  const TlPlaneLevel *fine;
  if (display->choice.picture != TL_PICTURE_PLANES
      || view->shown.recipe == NULL)
    return FALSE;
  fine = choose_fine_level (display);
  return view->shown.planes.coarseness > 1
         || view->shown.planes.bin
                != (fine != NULL
                        ? fine->bin
                        : tl_parameters_get_recipe (display->parameters)->bin);
}

void
tl_display_request_fine_planes (TlDisplay *display)
{
  const TlShownMeasuredView *view = tl_display_get_view (display);
  if (tl_display_shows_coarse_planes (display) && !display->awaits_planes
      && view->serial == tl_requests_get_newest (display->requests))
    tl_display_ask_for_view (display, FALSE, TRUE);
}

void
tl_display_set_planes (TlDisplay *display, const TlPlane *planes)
{
  g_return_if_fail (TL_IS_DISPLAY (display) && planes != NULL);
  memcpy (display->choice.planes, planes, sizeof display->choice.planes);
  if (display->choice.picture == TL_PICTURE_PLANES
      && tl_scan_source_is_open (display->source)
      && !tl_scan_source_is_opening (display->source))
    tl_display_request_view (display);
}

void
tl_display_set_pane (TlDisplay *display, TlPane pane)
{
  g_return_if_fail (TL_IS_DISPLAY (display) && (guint)pane < TL_N_PANES);
  display->pane = pane;
}

TlPane
tl_display_get_pane (TlDisplay *display)
{
  g_return_val_if_fail (TL_IS_DISPLAY (display), TL_PANE_XY);
  return display->pane;
}

void
tl_display_forget_plane_levels (TlDisplay *display)
{
  for (guint k = 0; k < display->n_plane_levels; k++)
    tl_held_copy_unref (display->plane_levels[k].copy);
  display->n_plane_levels = 0;
}

void
tl_display_set_plane_levels (TlDisplay *display, const TlPlaneLevel *levels,
                             guint n, gboolean awaits)
{
  g_return_if_fail (TL_IS_DISPLAY (display) && n <= TL_MAX_PLANE_LEVELS);
  tl_display_forget_plane_levels (display);
  for (guint k = 0; k < n; k++)
    display->plane_levels[k] =
        (TlPlaneLevel){ tl_held_copy_ref (levels[k].copy), levels[k].bin };
  display->n_plane_levels = n;
  display->awaits_planes = awaits;
  if (display->choice.picture == TL_PICTURE_PLANES
      && tl_scan_source_is_open (display->source)
      && !tl_scan_source_is_opening (display->source))
    tl_display_request_view (display);
}

void
tl_display_set_held_bytes (TlDisplay *display, guint64 n_bytes)
{
  g_return_if_fail (TL_IS_DISPLAY (display));
  if (display->held_bytes == n_bytes)
    return;
  display->held_bytes = n_bytes;
  g_object_notify (G_OBJECT (display), "held-bytes");
}

guint64
tl_display_get_held_bytes (TlDisplay *display)
{
  g_return_val_if_fail (TL_IS_DISPLAY (display), 0);
  return display->held_bytes;
}
