/* The background task of the candidates: makes the missing pictures and figures
 * in the engine's thread. */
#include "app/axis/candidates/candidates-private.h"

#include "app/session/session.h"

#include <math.h>
#include <string.h>

/* Size of a picture if the visible part is unknown. */
#define TILE_PIXELS 200

/* --- engine's thread --- */

typedef struct
{
  guint index;
  double centre_col;
  gboolean judges; /* makes figures instead of a picture */
} Step;

/* The state of the task. */
typedef struct
{
  TlCandidateView view;
  guint next, n_steps;
  Step steps[2 * TL_CANDIDATES_MAX];
} Round;

/* The result of a step. */
typedef struct
{
  Step step;
  TlCandidateView view; /* including the histogram's range */
  TlCandidateResult result;
} Piece;

static void
free_piece (gpointer data)
{
  Piece *piece = data;
  tl_candidate_result_clear (&piece->result);
  g_free (piece);
}

static gboolean
do_step (gpointer state, TlRecon *recon, const TlRecipe *recipe,
         GCancellable *cancellable, gpointer *result, gboolean *is_done,
         GError **error)
{
  Round *round = state;
  const Step *step = &round->steps[round->next];
  TlCandidateView view = round->view;
  TlCandidateResult made;
  if (step->judges)
    view.shown.nx = 0;
  else
    view.judged.nx = 0;
  if (!tl_candidate_run (recon, recipe, step->centre_col, &view, cancellable,
                         &made, error))
    return FALSE;
  round->view.low = view.low;
  round->view.high = view.high;
  Piece *piece = g_new (Piece, 1);
  *piece = (Piece){ *step, round->view, made };
  *result = piece;
  *is_done = ++round->next == round->n_steps;
  return TRUE;
}

/* --- what is wanted --- */

static TlGrid
find_shown (TlCandidates *self, const TlGrid *whole)
{
  const guint factor = (guint)((whole->nx + TILE_PIXELS - 1) / TILE_PIXELS);
  return self->visible.n_rows > 0 && self->visible.n_cols > 0
             ? tl_visible_find_grid (&self->visible, whole)
             : tl_grid_reduced (whole->nx, MAX (factor, 1));
}

/* Returns: the pixels of the slice that are visible, at least two per side so
 * that there is a gradient */
static TlGrid
find_judged (const TlGrid *shown, const TlGrid *whole)
{
  const double half = shown->pitch / 2, n = (double)whole->nx;
  const double left = floor (shown->x0 - whole->x0 - half + 0.5);
  const double top = floor (whole->y0 - shown->y0 - half + 0.5);
  const double col = CLAMP (left, 0, n - 2), row = CLAMP (top, 0, n - 2);
  const double n_cols = round ((double)shown->nx * shown->pitch);
  const double n_rows = round ((double)shown->ny * shown->pitch);
  return (TlGrid){ .nx = (size_t)CLAMP (n_cols, 2, n - col),
                   .ny = (size_t)CLAMP (n_rows, 2, n - row),
                   .x0 = whole->x0 + col,
                   .y0 = whole->y0 - row,
                   .pitch = 1 };
}

static TlCandidateView
find_view (TlCandidates *self)
{
  const TlRecipe *recipe = tl_parameters_get_recipe (self->session->parameters);
  const TlGrid *whole = &recipe->params.grid;
  TlCandidateView view = { .shown = find_shown (self, whole) };
  if (self->region == TL_CANDIDATES_VISIBLE && view.shown.nx > 0)
    {
      view.judged = find_judged (&view.shown, whole);
      view.radius = INFINITY;
    }
  else
    tl_candidate_view_judge_whole (
        &view, recipe,
        tl_scan_source_get_summary (self->session->source)->n_cols,
        self->middle_col);
  return view;
}

/* Returns: (transfer full): all parameters of the slice but the centre, as text
 */
static char *
dup_wanted (TlCandidates *self)
{
  g_autoptr (TlRecipe) recipe =
      tl_recipe_dup (tl_parameters_get_recipe (self->session->parameters));
  recipe->params.centre_col = 0;
  g_autofree char *text = tl_recipe_to_text (recipe, NULL);
  return g_strdup_printf ("%" G_GUINT64_FORMAT "\n%d\n%zu\n%s",
                          tl_scan_source_get_serial (self->session->source),
                          recipe->params.half, recipe->params.grid.nx, text);
}

static gboolean
is_same_grid (const TlGrid *a, const TlGrid *b)
{
  return a->nx == b->nx && a->ny == b->ny && a->x0 == b->x0 && a->y0 == b->y0
         && a->pitch == b->pitch;
}

/* --- from what is there to what is wanted --- */

static void
forget_figures (TlCandidateTile *tile)
{
  tile->result.is_judged = FALSE;
}

/* Updates the view and marks tiles of another view as old.
 *
 * Returns: whether the view has changed */
static gboolean
take_view (TlCandidates *self)
{
  g_autofree char *wanted = dup_wanted (self);
  const TlCandidateView old = self->view;
  const gboolean is_other = g_strcmp0 (wanted, self->wanted) != 0;
  self->view = find_view (self);
  const gboolean shows_other =
      is_other || !is_same_grid (&old.shown, &self->view.shown);
  const gboolean judges_other =
      is_other || !is_same_grid (&old.judged, &self->view.judged)
      || old.radius != self->view.radius;
  if (!judges_other)
    {
      self->view.low = old.low;
      self->view.high = old.high;
    }
  for (guint k = 0; k < self->n; k++)
    {
      self->tiles[k].shown.is_old |= shows_other;
      if (judges_other)
        forget_figures (&self->tiles[k]);
    }
  g_free (self->wanted);
  self->wanted = g_steal_pointer (&wanted);
  return shows_other || judges_other;
}

/* Returns: (nullable): the old tile with the nearest centre */
static const TlCandidateTile *
find_nearest (const TlCandidateTile *tiles, guint n, double centre_col)
{
  const TlCandidateTile *nearest = NULL;
  for (guint k = 0; k < n; k++)
    if (tiles[k].shown.frame != NULL
        && (nearest == NULL
            || fabs (tiles[k].shown.centre_col - centre_col)
                   < fabs (nearest->shown.centre_col - centre_col)))
      nearest = &tiles[k];
  return nearest;
}

/* Reuses @nearest if it has the same centre; otherwise shows its picture until
 * the tile's own is made. */
static void
inherit (TlCandidateTile *tile, const TlCandidateTile *nearest)
{
  const double centre_col = tile->shown.centre_col;
  if (nearest == NULL)
    return;
  *tile = *nearest;
  if (tile->result.frame != NULL)
    tl_frame_ref (tile->result.frame);
  if (tile->shown.centre_col == centre_col)
    return;
  tile->shown.centre_col = centre_col;
  tile->shown.is_old = TRUE;
  forget_figures (tile);
}

static void
lay_out (TlCandidates *self)
{
  const guint n = self->n;
  gboolean is_same = TRUE;
  tl_candidates_fit (self);
  TlCandidateTile *tiles = g_new0 (TlCandidateTile, n);
  for (guint k = 0; k < n; k++)
    {
      tiles[k].shown.value = NAN;
      tiles[k].shown.centre_col =
          tl_candidate_centre (n, self->middle_col, self->step_col, k);
      is_same &= tiles[k].shown.centre_col == self->tiles[k].shown.centre_col;
    }
  if (is_same)
    {
      g_free (tiles);
      return;
    }
  self->is_moved = TRUE;
  for (guint k = 0; k < n; k++)
    inherit (&tiles[k],
             find_nearest (self->tiles, n, tiles[k].shown.centre_col));
  TlCandidateTile *old = g_steal_pointer (&self->tiles);
  self->tiles = tiles;
  for (guint k = 0; k < n; k++)
    tl_candidates_emit (self, k);
  tl_candidates_free_tiles (old, n);
}

static void
forget_tiles (TlCandidates *self)
{
  for (guint k = 0; k < self->n; k++)
    {
      TlCandidateTile *tile = &self->tiles[k];
      tl_candidate_result_clear (&tile->result);
      tile->result.is_judged = FALSE;
      tile->shown =
          (TlCandidate){ .centre_col = tile->shown.centre_col, .value = NAN };
      tl_candidates_emit (self, k);
    }
}

/* --- figures to scores --- */

static void
take_score (TlCandidates *self, guint index, double value, double score)
{
  TlCandidateTile *tile = &self->tiles[index];
  const gboolean has_value = tile->result.is_judged;
  const gboolean is_same =
      tile->shown.has_value == has_value
      && (!has_value
          || (tile->shown.value == value && tile->shown.score == score));
  tile->shown.has_value = has_value;
  tile->shown.value = has_value ? value : NAN;
  tile->shown.score = has_value ? score : 0;
  if (!is_same)
    tl_candidates_emit (self, index);
}

void
tl_candidates_rate_tiles (TlCandidates *self)
{
  const guint n = self->n;
  g_autofree TlCandidateResult *results = g_new (TlCandidateResult, n);
  g_autofree double *values = g_new (double, n);
  g_autofree double *scores = g_new (double, n);
  guint n_judged = 0, place = 0;
  int best = -1;
  for (guint k = 0; k < n; k++)
    if (self->tiles[k].result.is_judged)
      results[n_judged++] = self->tiles[k].result;
  const int best_place =
      tl_candidates_rate (results, n_judged, self->metric, values, scores);
  for (guint k = 0; k < n; k++)
    {
      const gboolean is_judged = self->tiles[k].result.is_judged;
      if (is_judged && (int)place == best_place)
        best = (int)k;
      take_score (self, k, is_judged ? values[place] : NAN,
                  is_judged ? scores[place] : 0);
      place += is_judged;
    }
  tl_candidates_take_best (self, best);
}

/* --- the task --- */

static void
take_picture (TlCandidates *self, TlCandidateTile *tile, Piece *piece)
{
  const TlGrid *grid = &piece->view.shown;
  const double middle = ((double)self->slice_size - 1) / 2;
  g_clear_pointer (&tile->result.frame, tl_frame_unref);
  tile->result.frame = g_steal_pointer (&piece->result.frame);
  tile->shown.frame = tile->result.frame;
  tile->shown.is_old = FALSE;
  tile->shown.row = middle - grid->y0;
  tile->shown.col = grid->x0 + middle;
  tile->shown.pitch = grid->pitch;
}

static void
take_figures (TlCandidates *self, TlCandidateTile *tile, const Piece *piece)
{
  TlFrame *frame = tile->result.frame;
  tile->result = piece->result;
  tile->result.frame = frame;
  self->view.low = piece->view.low;
  self->view.high = piece->view.high;
}

static void
take_reply (TlReply *reply, gpointer data)
{
  TlCandidates *self = data;
  Piece *piece = reply->result;
  g_object_ref (self);
  g_object_freeze_notify (G_OBJECT (self));
  if (reply->error != NULL)
    {
      tl_messages_warn (self->session->messages, FALSE, "%s",
                        reply->error->message);
      tl_candidates_take_progress (self, 0, 0);
    }
  else if (piece != NULL)
    {
      TlCandidateTile *tile = &self->tiles[piece->step.index];
      tl_candidates_take_progress (self, self->n_steps, self->n_done + 1);
      if (piece->step.judges)
        {
          take_figures (self, tile, piece);
          tl_candidates_rate_tiles (self);
        }
      else
        {
          take_picture (self, tile, piece);
          tl_candidates_emit (self, piece->step.index);
        }
    }
  g_object_thaw_notify (G_OBJECT (self));
  g_object_unref (self);
}

void
tl_candidates_stop (TlCandidates *self)
{
  if (self->n_done == self->n_steps)
    return;
  tl_tasks_drop (self->session->tasks, TL_TASK_CANDIDATES);
  tl_candidates_take_progress (self, 0, 0);
}

/* Adds the missing pictures first, then the missing figures. */
static void
add_steps (TlCandidates *self, Round *round)
{
  g_autofree size_t *order = tl_candidate_order (self->n);
  for (guint judges = FALSE; judges <= TRUE; judges++)
    for (guint k = 0; k < self->n; k++)
      {
        const TlCandidateTile *tile = &self->tiles[order[k]];
        const gboolean is_there =
            judges ? tile->result.is_judged
                   : tile->shown.frame != NULL && !tile->shown.is_old;
        if (!is_there && (judges || self->view.shown.nx > 0))
          round->steps[round->n_steps++] =
              (Step){ (guint)order[k], tile->shown.centre_col, judges };
      }
}

static void
start (TlCandidates *self)
{
  Round *round = g_new0 (Round, 1);
  round->view = self->view;
  add_steps (self, round);
  if (round->n_steps == 0)
    {
      g_free (round);
      tl_candidates_stop (self);
      return;
    }
  const TlTask task = { .kind = TL_TASK_CANDIDATES,
                        .step = do_step,
                        .state = round,
                        .free_state = g_free,
                        .free_result = free_piece };
  tl_candidates_take_progress (self, round->n_steps, 0);
  tl_tasks_send (self->session->tasks,
                 tl_parameters_get_recipe (self->session->parameters), &task,
                 take_reply, self);
}

/* Moves the middle to the session's centre if that has left the range of the
 * candidates, or if the page is entered and no candidate has it. */
static void
follow_centre (TlCandidates *self, gboolean is_entered)
{
  const double centre_col =
      tl_parameters_get_centre (self->session->parameters);
  const double first = self->tiles[0].shown.centre_col;
  const double last = self->tiles[self->n - 1].shown.centre_col;
  const gboolean is_covered = centre_col >= first && centre_col <= last;
  const gboolean is_moved = centre_col != self->followed_col;
  self->followed_col = centre_col;
  tl_candidates_find_chosen (self);
  if ((is_moved && !is_covered) || (is_entered && self->chosen < 0))
    {
      tl_candidates_take_middle (self, centre_col);
      lay_out (self);
    }
}

static void
forget_other_scan (TlCandidates *self)
{
  if (self->scan_serial == tl_scan_source_get_serial (self->session->source))
    return;
  self->scan_serial = tl_scan_source_get_serial (self->session->source);
  self->followed_col = NAN; /* the axis of another scan */
  tl_candidates_take_progress (self, 0, 0);
  forget_tiles (self);
  tl_candidates_take_best (self, -1);
}

void
tl_candidates_update (TlCandidates *self)
{
  TlSession *session = self->session;
  if (session == NULL || !tl_scan_source_is_open (session->source))
    return;
  const gboolean is_shown =
      tl_display_get_page (session->display) == TL_PAGE_CANDIDATES;
  const gboolean is_entered = is_shown && !self->is_shown;
  self->is_shown = is_shown;
  g_object_freeze_notify (G_OBJECT (self));
  forget_other_scan (self);
  self->slice_size =
      tl_parameters_get_recipe (session->parameters)->params.grid.nx;
  lay_out (self);
  if (is_shown)
    follow_centre (self, is_entered);
  tl_candidates_find_chosen (self);
  if (!is_shown)
    {
      tl_candidates_stop (self);
      if (self->is_moved)
        tl_candidates_rate_tiles (self);
    }
  else if ((take_view (self) | is_entered) || self->is_moved)
    {
      self->is_moved = FALSE;
      tl_candidates_rate_tiles (self);
      start (self);
    }
  g_object_thaw_notify (G_OBJECT (self));
}
