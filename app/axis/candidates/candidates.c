#include "app/axis/candidates/candidates.h"

#include "app/axis/candidates/candidate-slice.h"
#include "app/background/time-left.h"
#include "app/session/follow.h"

#include <math.h>

#define KEY "tl-candidates"

#define DEFAULT_N 9
#define DEFAULT_STEP 0.5

/* Columns: centres that differ by less count as the same. */
#define SAME_COL 1e-6

/* Size of a picture if the visible part is unknown. */
#define TILE_PIXELS 200

const char *const tl_candidates_region_names[TL_N_CANDIDATES_REGIONS + 1] = {
  [TL_CANDIDATES_WHOLE] = "whole",
  [TL_CANDIDATES_VISIBLE] = "visible",
};

/* One candidate and its result. */
typedef struct
{
  TlCandidate shown;        /* its frame is lent by the result */
  TlCandidateResult result; /* of the present view, or outdated */
} Tile;

struct _TlCandidates
{
  GObject parent;
  TlSession *
      session; /* (nullable): a weak pointer: the session owns the candidates */

  guint n;
  double step_col, middle_col;
  TlCandidatesRegion region;
  TlCandidateMetric metric;
  TlVisible visible;
  int best, chosen;

  gboolean is_shown;   /* their page is shown */
  gboolean is_moved;   /* tiles changed centres after the task was sent */
  double followed_col; /* the session's centre when it was last checked */
  guint64 scan_serial; /* of the tiles' scan */
  char *wanted;        /* (nullable): the parameters of the tiles, as text */
  size_t slice_size;
  TlCandidateView view; /* of the tiles that are made now */
  Tile *tiles;          /* [n] */

  guint n_steps, n_done; /* of the task; equal: no task */
  guint n_pictures; /* of the steps, if figures follow, which take another time
                     */
  TlTimeLeft left;
};

enum
{
  PROP_0,
  PROP_N,
  PROP_STEP,
  PROP_MIDDLE,
  PROP_REGION,
  PROP_METRIC,
  PROP_BEST,
  PROP_CHOSEN,
  PROP_PROGRESS,
  PROP_TIME_LEFT,
  PROP_BUSY,
  N_PROPS
};

static GParamSpec *props[N_PROPS];
static guint changed_signal;

G_DEFINE_FINAL_TYPE (TlCandidates, tl_candidates, G_TYPE_OBJECT)

static void
free_tiles (Tile *tiles, guint n)
{
  for (guint k = 0; tiles != NULL && k < n; k++)
    tl_candidate_result_clear (&tiles[k].result);
  g_free (tiles);
}

static void
emit (TlCandidates *self, guint index)
{
  g_signal_emit (self, changed_signal, 0, index);
}

static void
notify (TlCandidates *self, guint prop)
{
  g_object_notify_by_pspec (G_OBJECT (self), props[prop]);
}

static void
set_index (TlCandidates *self, int *index, int value, guint prop)
{
  if (*index == value)
    return;
  *index = value;
  notify (self, prop);
}

static void
set_col (TlCandidates *self, double *col, double value, guint prop)
{
  if (*col == value)
    return;
  *col = value;
  notify (self, prop);
}

/* Updates "chosen" after a change of any centre. */
static void
find_chosen (TlCandidates *self)
{
  const double centre_col =
      tl_parameters_get_centre (self->session->parameters);
  int chosen = -1;
  for (guint k = 0; k < self->n; k++)
    if (fabs (self->tiles[k].shown.centre_col - centre_col) < SAME_COL)
      chosen = (int)k;
  set_index (self, &self->chosen, chosen, PROP_CHOSEN);
}

static gboolean
is_busy (TlCandidates *self)
{
  return self->n_done < self->n_steps;
}

static double
get_progress (TlCandidates *self)
{
  return is_busy (self) ? (double)self->n_done / self->n_steps : 1;
}

/* Returns: (transfer full): of "time-left" */
static char *
dup_time_left (TlCandidates *self)
{
  char *left = tl_time_left_describe (&self->left, g_get_monotonic_time ());
  return left != NULL ? left : g_strdup ("");
}

/* Updates "progress", "time-left" and "busy". */
static void
take_progress (TlCandidates *self, guint n_steps, guint n_done)
{
  const gboolean was_busy = is_busy (self);
  self->n_steps = n_steps;
  self->n_done = n_done;
  tl_time_left_note (
      &self->left, g_get_monotonic_time (),
      is_busy (self) && n_done > self->n_pictures ? get_progress (self) : 0);
  notify (self, PROP_PROGRESS);
  notify (self, PROP_TIME_LEFT);
  if (is_busy (self) != was_busy)
    notify (self, PROP_BUSY);
}

/* Limits "step" and "middle" so that all centres are on the detector. */
static void
fit (TlCandidates *self)
{
  const TlScanSummary *scan =
      tl_scan_source_get_summary (self->session->source);
  if (scan == NULL)
    return;
  const double last = (double)scan->n_cols - 1;
  if (self->n > 1)
    set_col (self, &self->step_col, MIN (self->step_col, last / (self->n - 1)),
             PROP_STEP);
  const double below = (self->n / 2) * self->step_col;
  const double above = (self->n - 1 - self->n / 2) * self->step_col;
  set_col (self, &self->middle_col,
           MAX (MIN (self->middle_col, last - above), below), PROP_MIDDLE);
}

/* --- steps in the engine's thread --- */

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
  round->view.method = view.method;
  Piece *piece = g_new (Piece, 1);
  *piece = (Piece){ *step, round->view, made };
  *result = piece;
  *is_done = ++round->next == round->n_steps;
  return TRUE;
}

/* --- the wanted view --- */

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

/* --- reuse of present pictures --- */

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
      is_other || !tl_grid_equal (&old.shown, &self->view.shown);
  const gboolean judges_other =
      is_other || !tl_grid_equal (&old.judged, &self->view.judged)
      || old.radius != self->view.radius;
  if (!judges_other)
    {
      self->view.low = old.low;
      self->view.high = old.high;
      self->view.method = old.method;
    }
  for (guint k = 0; k < self->n; k++)
    {
      self->tiles[k].shown.is_old |= shows_other;
      if (judges_other)
        self->tiles[k].result.is_judged = FALSE;
    }
  g_free (self->wanted);
  self->wanted = g_steal_pointer (&wanted);
  return shows_other || judges_other;
}

/* Returns: (nullable): the old tile with the nearest centre */
static const Tile *
find_nearest (const Tile *tiles, guint n, double centre_col)
{
  const Tile *nearest = NULL;
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
inherit (Tile *tile, const Tile *nearest)
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
  tile->result.is_judged = FALSE;
}

static void
lay_out (TlCandidates *self)
{
  const guint n = self->n;
  gboolean is_same = TRUE;
  fit (self);
  Tile *tiles = g_new0 (Tile, n);
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
  Tile *old = g_steal_pointer (&self->tiles);
  self->tiles = tiles;
  for (guint k = 0; k < n; k++)
    emit (self, k);
  free_tiles (old, n);
}

static void
forget_tiles (TlCandidates *self)
{
  for (guint k = 0; k < self->n; k++)
    {
      Tile *tile = &self->tiles[k];
      tl_candidate_result_clear (&tile->result);
      tile->result.is_judged = FALSE;
      tile->shown =
          (TlCandidate){ .centre_col = tile->shown.centre_col, .value = NAN };
      emit (self, k);
    }
}

/* --- scores of the candidates --- */

static void
take_score (TlCandidates *self, guint index, double value, double score)
{
  Tile *tile = &self->tiles[index];
  const gboolean has_value = tile->result.is_judged;
  const gboolean is_same =
      tile->shown.has_value == has_value
      && (!has_value
          || (tile->shown.value == value && tile->shown.score == score));
  tile->shown.has_value = has_value;
  tile->shown.value = has_value ? value : NAN;
  tile->shown.score = has_value ? score : 0;
  if (!is_same)
    emit (self, index);
}

/* Updates values and scores after a change of "metric" or of the figures. */
static void
rate_tiles (TlCandidates *self)
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
  set_index (self, &self->best, best, PROP_BEST);
}

/* --- the task --- */

static void
take_picture (TlCandidates *self, Tile *tile, Piece *piece)
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
take_figures (TlCandidates *self, Tile *tile, const Piece *piece)
{
  TlFrame *frame = tile->result.frame;
  tile->result = piece->result;
  tile->result.frame = frame;
  self->view.low = piece->view.low;
  self->view.high = piece->view.high;
  self->view.method = piece->view.method;
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
      take_progress (self, 0, 0);
    }
  else if (piece != NULL)
    {
      Tile *tile = &self->tiles[piece->step.index];
      take_progress (self, self->n_steps, self->n_done + 1);
      if (piece->step.judges)
        {
          take_figures (self, tile, piece);
          rate_tiles (self);
        }
      else
        {
          take_picture (self, tile, piece);
          emit (self, piece->step.index);
        }
    }
  g_object_thaw_notify (G_OBJECT (self));
  g_object_unref (self);
}

static void
stop (TlCandidates *self)
{
  if (!is_busy (self))
    return;
  tl_tasks_drop (self->session->tasks, TL_TASK_CANDIDATES);
  take_progress (self, 0, 0);
}

/* Adds the missing pictures first, then the missing figures. */
static void
add_steps (TlCandidates *self, Round *round)
{
  g_autofree size_t *order = tl_candidate_order (self->n);
  for (guint judges = FALSE; judges <= TRUE; judges++)
    {
      self->n_pictures = round->n_steps;
      for (guint k = 0; k < self->n; k++)
        {
          const Tile *tile = &self->tiles[order[k]];
          const gboolean is_there =
              judges ? tile->result.is_judged
                     : tile->shown.frame != NULL && !tile->shown.is_old;
          if (!is_there && (judges || self->view.shown.nx > 0))
            round->steps[round->n_steps++] =
                (Step){ (guint)order[k], tile->shown.centre_col, judges };
        }
    }
  if (self->n_pictures == round->n_steps)
    self->n_pictures = 0;
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
      stop (self);
      return;
    }
  const TlTask task = { .kind = TL_TASK_CANDIDATES,
                        .step = do_step,
                        .state = round,
                        .free_state = g_free,
                        .free_result = free_piece };
  take_progress (self, round->n_steps, 0);
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
  find_chosen (self);
  if ((is_moved && !is_covered) || (is_entered && self->chosen < 0))
    {
      set_col (self, &self->middle_col, centre_col, PROP_MIDDLE);
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
  take_progress (self, 0, 0);
  forget_tiles (self);
  set_index (self, &self->best, -1, PROP_BEST);
}

/* Keeps tiles that are up to date and requests the others; requests none while
 * another page is shown. */
static void
update (TlCandidates *self)
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
  find_chosen (self);
  if (!is_shown)
    {
      stop (self);
      if (self->is_moved)
        rate_tiles (self);
    }
  else if (take_view (self) || is_entered || self->is_moved)
    {
      self->is_moved = FALSE;
      rate_tiles (self);
      start (self);
    }
  g_object_thaw_notify (G_OBJECT (self));
}

/* --- number, step and middle --- */

guint
tl_candidates_get_n (TlCandidates *self)
{
  g_return_val_if_fail (TL_IS_CANDIDATES (self), 0);
  return self->n;
}

/* Returns: the new index of candidate @index when their number changes from
 * @n_old to @n; -1: it is dropped */
static int
move_index (int index, guint n_old, guint n)
{
  const int moved = index - (int)(n_old / 2) + (int)(n / 2);
  return index >= 0 && moved >= 0 && moved < (int)n ? moved : -1;
}

void
tl_candidates_set_n (TlCandidates *self, guint n)
{
  g_return_if_fail (TL_IS_CANDIDATES (self));
  n = CLAMP (n, 1, TL_CANDIDATES_MAX);
  if (self->n == n)
    return;
  Tile *tiles = g_new0 (Tile, n);
  /* The middle candidate keeps its tile. */
  for (guint k = 0; k < n; k++)
    {
      const guint old = k + self->n / 2 - n / 2;
      tiles[k].shown.centre_col = self->middle_col;
      tiles[k].shown.value = NAN;
      if (old < self->n)
        {
          tiles[k] = self->tiles[old];
          self->tiles[old] = (Tile){ 0 };
        }
    }
  free_tiles (self->tiles, self->n);
  self->tiles = tiles;
  const int best = self->best, chosen = self->chosen;
  self->best = move_index (best, self->n, n);
  self->chosen = move_index (chosen, self->n, n);
  self->n = n;
  self->is_moved = TRUE;
  notify (self, PROP_N);
  if (self->best != best)
    notify (self, PROP_BEST);
  if (self->chosen != chosen)
    notify (self, PROP_CHOSEN);
  update (self);
}

double
tl_candidates_get_step (TlCandidates *self)
{
  g_return_val_if_fail (TL_IS_CANDIDATES (self), 0);
  return self->step_col;
}

static void
place (TlCandidates *self, double middle_col, double step_col)
{
  g_object_freeze_notify (G_OBJECT (self));
  set_col (self, &self->step_col,
           CLAMP (step_col, TL_CANDIDATES_MIN_STEP, TL_CANDIDATES_MAX_STEP),
           PROP_STEP);
  set_col (self, &self->middle_col, middle_col, PROP_MIDDLE);
  update (self);
  g_object_thaw_notify (G_OBJECT (self));
}

void
tl_candidates_set_step (TlCandidates *self, double step_col)
{
  g_return_if_fail (TL_IS_CANDIDATES (self) && isfinite (step_col));
  place (self, self->middle_col, step_col);
}

/* Returns: the next value of the series 1, 2, 5, 10 below or above @step */
static double
find_step (double step, gboolean is_finer)
{
  static const double digits[] = { 0.5, 1, 2, 5, 10, 20 };
  const double ten = pow (10, floor (log10 (step) + 1e-9));
  const double digit = step / ten;
  guint k = 0;
  if (is_finer)
    {
      while (digits[k + 1] < digit - 1e-6)
        k++;
      return digits[k] * ten;
    }
  while (digits[k] < digit + 1e-6)
    k++;
  return digits[k] * ten;
}

static void
change_step (TlCandidates *self, int index, gboolean is_finer)
{
  if (index < 0)
    index = self->best >= 0 && (is_finer || self->chosen < 0) ? self->best
                                                              : self->chosen;
  place (self,
         index >= 0 && (guint)index < self->n
             ? self->tiles[index].shown.centre_col
             : self->middle_col,
         find_step (self->step_col, is_finer));
}

void
tl_candidates_finer (TlCandidates *self, int index)
{
  g_return_if_fail (TL_IS_CANDIDATES (self));
  change_step (self, index, TRUE);
}

void
tl_candidates_coarser (TlCandidates *self, int index)
{
  g_return_if_fail (TL_IS_CANDIDATES (self));
  change_step (self, index, FALSE);
}

/* Makes a step of its own in the history, even right after another change of
 * the centre. */
void
tl_candidates_adopt (TlCandidates *self, guint index)
{
  g_return_if_fail (TL_IS_CANDIDATES (self) && index < self->n);
  const double centre_col = self->tiles[index].shown.centre_col;
  if (self->session == NULL || !tl_scan_source_is_open (self->session->source))
    return;
  TlParameters *parameters = self->session->parameters;
  TlHistory *history = tl_parameters_get_history (parameters);
  tl_history_begin_drag (history, tl_history_get_present (history));
  tl_parameters_set_centre (parameters, centre_col);
  tl_history_end_drag (history);
}

/* --- region, metric and results --- */

TlCandidatesRegion
tl_candidates_get_region (TlCandidates *self)
{
  g_return_val_if_fail (TL_IS_CANDIDATES (self), TL_CANDIDATES_WHOLE);
  return self->region;
}

void
tl_candidates_set_region (TlCandidates *self, TlCandidatesRegion region)
{
  g_return_if_fail (TL_IS_CANDIDATES (self));
  g_return_if_fail ((guint)region < TL_N_CANDIDATES_REGIONS);
  if (self->region == region)
    return;
  self->region = region;
  notify (self, PROP_REGION);
  update (self);
}

TlCandidateMetric
tl_candidates_get_metric (TlCandidates *self)
{
  g_return_val_if_fail (TL_IS_CANDIDATES (self), TL_CANDIDATE_COMBINED);
  return self->metric;
}

void
tl_candidates_set_metric (TlCandidates *self, TlCandidateMetric metric)
{
  g_return_if_fail (TL_IS_CANDIDATES (self));
  g_return_if_fail ((guint)metric < TL_N_CANDIDATE_METRICS);
  if (self->metric == metric)
    return;
  self->metric = metric;
  notify (self, PROP_METRIC);
  rate_tiles (self);
}

void
tl_candidates_set_visible (TlCandidates *self, const TlVisible *visible)
{
  g_return_if_fail (TL_IS_CANDIDATES (self) && visible != NULL);
  const TlVisible *old = &self->visible;
  if (old->row == visible->row && old->col == visible->col
      && old->pitch == visible->pitch && old->n_rows == visible->n_rows
      && old->n_cols == visible->n_cols)
    return;
  self->visible = *visible;
  update (self);
}

int
tl_candidates_get_best (TlCandidates *self)
{
  g_return_val_if_fail (TL_IS_CANDIDATES (self), -1);
  return self->best;
}

int
tl_candidates_get_chosen (TlCandidates *self)
{
  g_return_val_if_fail (TL_IS_CANDIDATES (self), -1);
  return self->chosen;
}

gboolean
tl_candidates_metric_tells (TlCandidates *self)
{
  g_return_val_if_fail (TL_IS_CANDIDATES (self), TRUE);
  for (guint k = 0; k < self->n; k++)
    if (self->tiles[k].result.is_judged)
      return tl_candidate_metric_tells (self->metric,
                                        self->tiles[k].result.rays);
  return TRUE;
}

const TlCandidate *
tl_candidates_get (TlCandidates *self, guint index)
{
  g_return_val_if_fail (TL_IS_CANDIDATES (self) && index < self->n, NULL);
  return &self->tiles[index].shown;
}

size_t
tl_candidates_get_slice_size (TlCandidates *self)
{
  g_return_val_if_fail (TL_IS_CANDIDATES (self), 0);
  return self->slice_size;
}

/* --- the object --- */

static void
tl_candidates_get_property (GObject *object, guint prop, GValue *value,
                            GParamSpec *pspec)
{
  TlCandidates *self = TL_CANDIDATES (object);
  switch (prop)
    {
    case PROP_N:
      g_value_set_uint (value, self->n);
      break;
    case PROP_STEP:
      g_value_set_double (value, self->step_col);
      break;
    case PROP_MIDDLE:
      g_value_set_double (value, self->middle_col);
      break;
    case PROP_REGION:
      g_value_set_uint (value, self->region);
      break;
    case PROP_METRIC:
      g_value_set_uint (value, self->metric);
      break;
    case PROP_BEST:
      g_value_set_int (value, self->best);
      break;
    case PROP_CHOSEN:
      g_value_set_int (value, self->chosen);
      break;
    case PROP_PROGRESS:
      g_value_set_double (value, get_progress (self));
      break;
    case PROP_TIME_LEFT:
      g_value_take_string (value, dup_time_left (self));
      break;
    case PROP_BUSY:
      g_value_set_boolean (value, is_busy (self));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop, pspec);
    }
}

static void
tl_candidates_finalize (GObject *object)
{
  TlCandidates *self = TL_CANDIDATES (object);
  g_clear_weak_pointer (&self->session);
  free_tiles (self->tiles, self->n);
  g_free (self->wanted);
  G_OBJECT_CLASS (tl_candidates_parent_class)->finalize (object);
}

static void
tl_candidates_class_init (TlCandidatesClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags read =
      G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY;
  object_class->get_property = tl_candidates_get_property;
  object_class->finalize = tl_candidates_finalize;

  props[PROP_N] = g_param_spec_uint ("n", NULL, NULL, 1, TL_CANDIDATES_MAX,
                                     DEFAULT_N, read);
  props[PROP_STEP] =
      g_param_spec_double ("step", NULL, NULL, TL_CANDIDATES_MIN_STEP,
                           TL_CANDIDATES_MAX_STEP, DEFAULT_STEP, read);
  props[PROP_MIDDLE] = g_param_spec_double ("middle", NULL, NULL, -G_MAXDOUBLE,
                                            G_MAXDOUBLE, 0, read);
  props[PROP_REGION] =
      g_param_spec_uint ("region", NULL, NULL, 0, TL_N_CANDIDATES_REGIONS - 1,
                         TL_CANDIDATES_WHOLE, read);
  props[PROP_METRIC] =
      g_param_spec_uint ("metric", NULL, NULL, 0, TL_N_CANDIDATE_METRICS - 1,
                         TL_CANDIDATE_COMBINED, read);
  props[PROP_BEST] = g_param_spec_int ("best", NULL, NULL, -1,
                                       TL_CANDIDATES_MAX - 1, -1, read);
  props[PROP_CHOSEN] = g_param_spec_int ("chosen", NULL, NULL, -1,
                                         TL_CANDIDATES_MAX - 1, -1, read);
  props[PROP_PROGRESS] =
      g_param_spec_double ("progress", NULL, NULL, 0, 1, 1, read);
  props[PROP_TIME_LEFT] =
      g_param_spec_string ("time-left", NULL, NULL, "", read);
  props[PROP_BUSY] = g_param_spec_boolean ("busy", NULL, NULL, FALSE, read);
  g_object_class_install_properties (object_class, N_PROPS, props);

  changed_signal =
      g_signal_new ("changed", TL_TYPE_CANDIDATES, G_SIGNAL_RUN_LAST, 0, NULL,
                    NULL, NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
}

static void
tl_candidates_init (TlCandidates *self)
{
  self->n = DEFAULT_N;
  self->step_col = DEFAULT_STEP;
  self->best = self->chosen = -1;
  self->tiles = g_new0 (Tile, self->n);
  for (guint k = 0; k < self->n; k++)
    self->tiles[k].shown.value = NAN;
}

TlCandidates *
tl_session_get_candidates (TlSession *session)
{
  g_return_val_if_fail (TL_IS_SESSION (session), NULL);
  TlCandidates *self = g_object_get_data (G_OBJECT (session), KEY);
  if (self != NULL)
    return self;
  self = g_object_new (TL_TYPE_CANDIDATES, NULL);
  g_set_weak_pointer (&self->session, session);
  g_object_set_data_full (G_OBJECT (session), KEY, self, g_object_unref);
  tl_follow (session->display, "picture", G_CALLBACK (update), self);
  tl_follow (session->parameters, "recipe", G_CALLBACK (update), self);
  tl_follow (session->source, "summary", G_CALLBACK (update), self);
  update (self);
  return self;
}
