#include "app/axis/centre-search.h"

#include "app/axis/accepted-axis.h"
#include "app/axis/centre-thread-private.h"
#include "app/session/follow.h"
#include "app/session/session.h"
#include "data/geometry.h"
#include "gpu/centre/centre.h"
#include "gpu/stages/tilt.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#define KEY "tl-centre-search"

/* Rounds to as many digits as the command line prints. */
#define PARTS 1000

/* More than any distance between columns, yet small enough to keep thousandths
 * in a double. */
#define ALL_AROUND 1e9

/* The estimators need projections from opposite sides, half a turn to within
 * one and a half steps, and some more. */
#define HALF_DEG 180
#define MIN_PROJECTIONS 64

/* Columns, and standard deviations: the axis has moved by more than the
 * uncertainty explains. */
#define MOVED_COLS 0.25
#define MOVED_DEVIATIONS 3

/* Of a scan that is being taken: the axis is searched again when its angles
 * span a quarter turn more, or it has so many times more projections; sooner if
 * it is not certain. */
#define MORE_DEG 90
#define MORE_TIMES 2
#define MORE_TIMES_UNCERTAIN 1.1

struct _TlCentreSearch
{
  GObject parent;
  TlSession
      *session; /* (nullable): a weak pointer: the session owns the search */

  TlCentreSearchState state;
  gboolean seeks;
  gboolean is_old;
  gboolean awaits;          /* more of the scan, to search by itself */
  size_t asked_projections; /* of the last search by itself; 0: none yet */
  double asked_deg;         /* that its angles spanned */
  gboolean is_live;         /* the scan was opened while it was being taken, or
                               is the file of one that was */
  gboolean is_own;          /* the last search began by itself */
  gboolean is_told; /* which centre a search has set while the scan was taken */
  /* Found by the first one that was certain; NaN: nothing. */
  double first_col, first_uncertainty_col;
  guint first_row;

  guint row;
  TlRecipe *recipe;      /* (nullable): used for the search */
  double from_col;       /* the centre at the start of the search */
  gboolean is_touched;   /* the user has changed it since */
  guint64 scan_serial;   /* of the searched scan */
  char *path;            /* (nullable): of the searched scan */
  TlCentreAnswer answer; /* results so far; n 0: none */
  gboolean
      is_pending; /* answer is complete, the conclusion waits for the scan */
  char *problem;  /* (nullable): the error */
  char *notice;   /* (nullable): what was told last of a centre */

  GThread *thread; /* (nullable): kept until it has ended, even if cancelled */
  GCancellable *cancellable; /* (nullable): of thread; NULL: was cancelled */
  TlCentreRow *next_row; /* (nullable): to be searched when thread has ended */
};

enum
{
  PROP_0,
  PROP_STATE,
  PROP_OLD,
  PROP_SEEKS,
  N_PROPS
};

static GParamSpec *props[N_PROPS];
static guint changed_signal;

G_DEFINE_FINAL_TYPE (TlCentreSearch, tl_centre_search, G_TYPE_OBJECT)

static void
set_state (TlCentreSearch *search, TlCentreSearchState state)
{
  if (search->state == state)
    return;
  search->state = state;
  g_object_notify_by_pspec (G_OBJECT (search), props[PROP_STATE]);
}

static void
set_old (TlCentreSearch *search, gboolean is_old)
{
  if (search->is_old == is_old)
    return;
  search->is_old = is_old;
  g_object_notify_by_pspec (G_OBJECT (search), props[PROP_OLD]);
}

static void
note_change (TlCentreSearch *search)
{
  g_signal_emit (search, changed_signal, 0);
}

/* Drops all work in progress. */
static void
stop (TlCentreSearch *search)
{
  tl_tasks_drop (search->session->tasks, TL_TASK_CENTRE);
  g_clear_pointer (&search->next_row, tl_centre_row_free);
  g_cancellable_cancel (search->cancellable);
  g_clear_object (&search->cancellable);
}

static void
forget (TlCentreSearch *search)
{
  stop (search);
  g_clear_pointer (&search->recipe, tl_recipe_free);
  g_clear_pointer (&search->problem, g_free);
  tl_centre_answer_clear (&search->answer);
  search->is_pending = FALSE;
  set_old (search, FALSE);
  set_state (search, TL_CENTRE_SEARCH_IDLE);
  note_change (search);
}

/* --- the centre that is found --- */

/* Sets the session's centre to @to_col, as a step of the history with its own
 * words. If the search began by itself, because the user has changed how the
 * scan is read, the centre belongs to the step of that change. */
static void
adopt (TlCentreSearch *search, double to_col)
{
  TlParameters *parameters = search->session->parameters;
  const double from_col = tl_parameters_get_centre (parameters);
  /* translators: a step of the history; two columns, the second in both
   * conventions */
  g_autofree char *words =
      g_strdup_printf (_ ("axis found: centre %.10g → %.10g (boundary %.10g)"),
                       from_col, to_col, tl_centre_to_boundary (to_col));
  if (search->is_own)
    tl_history_join_centre (tl_parameters_get_history (parameters), to_col);
  tl_parameters_set_as_step (parameters, "centre",
                             g_variant_new_double (to_col), words, NULL);
}

static gboolean
is_growing (const TlCentreSearch *search)
{
  return tl_scan_source_get_summary (search->session->source)->is_growing;
}

/* Returns: whether the axis is elsewhere than by the first search, in the same
 * row, because a tilt moves it from row to row */
static gboolean
has_moved (const TlCentreSearch *search)
{
  const TlCentreConsensus *c = &search->answer.consensus;
  const double moved_cols = fabs (c->centre_col - search->first_col);
  return search->row == search->first_row && c->verdict == TL_CENTRE_CERTAIN
         && moved_cols > MOVED_COLS
         && moved_cols > MOVED_DEVIATIONS
                             * hypot (c->uncertainty_col,
                                      search->first_uncertainty_col);
}

static double
get_span_deg (const TlScanSummary *scan)
{
  return scan->steps.highest - scan->steps.lowest;
}

/* Returns: whether the angles span half a turn to within one and a half steps,
 * as the estimators need it */
static gboolean
spans_half (const TlScanSummary *scan)
{
  return get_span_deg (scan) + TL_CENTRE_MAX_STEPS_BEYOND * scan->steps.mean
         >= HALF_DEG;
}

/* Tells why no axis was found: wrong angles are as likely as a slice without
 * detail. */
static void
tell_why (TlCentreSearch *search, const TlScanSummary *scan)
{
  g_autofree char *range = tl_scan_summary_dup_range (scan);
  if (search->answer.note != NULL)
    /* translators: a slice, and why */
    tl_messages_tell (search->session->messages,
                      _ ("The axis cannot be found in slice %u: %s"),
                      search->row, search->answer.note);
  else
    /* translators: a slice, and first and last angle */
    tl_messages_tell (search->session->messages,
                      _ ("The axis cannot be found in slice %u; check the "
                         "angles (%s) or try another slice"),
                      search->row, range);
}

/* @is_set: the centre is another one now
 *
 * Returns: whether it is told in the notice */
static gboolean
tell (TlCentreSearch *search, gboolean is_adopted, gboolean is_set)
{
  TlMessages *messages = search->session->messages;
  const TlScanSummary *scan =
      tl_scan_source_get_summary (search->session->source);
  const TlCentreConsensus *c = &search->answer.consensus;
  const double col = tl_round_to_parts (c->centre_col, PARTS);
  const double boundary = tl_centre_to_boundary (col);
  if (c->verdict == TL_CENTRE_CANNOT_TELL && is_growing (search))
    return FALSE; /* there is another search at the end */
  if (has_moved (search))
    {
      tl_messages_warn (messages, TRUE,
                        _ ("The axis is at %.3f (boundary %.3f) by the "
                           "projections that have come, and was at %.3f by the "
                           "first of them: it may have moved"),
                        col, boundary,
                        tl_round_to_parts (search->first_col, PARTS));
      return FALSE;
    }
  if (is_growing (search) && (search->is_told || !is_set))
    return FALSE; /* as before */
  else if (search->is_live && search->is_own && !is_adopted)
    return FALSE; /* nobody has asked; tl_session_dup_centre_line() has it */
  else if (c->verdict == TL_CENTRE_CANNOT_TELL && !spans_half (scan))
    tl_messages_tell (messages,
                      _ ("The axis cannot be found: the angles span %.0f°, and "
                         "half a turn is needed; set the centre by hand"),
                      get_span_deg (scan));
  else if (c->verdict == TL_CENTRE_CANNOT_TELL && scan->n_rows == 1)
    tl_messages_tell (
        messages,
        _ ("The axis cannot be found in the only slice; set the centre by "
           "hand"));
  else if (c->verdict == TL_CENTRE_CANNOT_TELL)
    tell_why (search, scan);
  else if (!is_adopted)
    tl_messages_tell (
        messages,
        g_dngettext (NULL,
                     "The axis is at %.3f (boundary %.3f) by %u of %u "
                     "estimate; the centre that was set stays",
                     "The axis is at %.3f (boundary %.3f) by %u of %u "
                     "estimates; the centre that was set stays",
                     c->n_found),
        col, boundary, c->n_agreeing, c->n_found);
  else if (c->verdict == TL_CENTRE_UNCERTAIN && search->answer.note != NULL)
    tl_messages_tell (messages,
                      _ ("Centre %.3f (boundary %.3f) is uncertain: the angles "
                         "contradict the projections"),
                      col, boundary);
  else if (c->verdict == TL_CENTRE_UNCERTAIN)
    tl_messages_tell (
        messages,
        g_dngettext (NULL,
                     "Centre %.3f (boundary %.3f) by %u of %u estimate is "
                     "uncertain; check it before you use it",
                     "Centre %.3f (boundary %.3f) by %u of %u estimates is "
                     "uncertain; check it before you use it",
                     c->n_found),
        col, boundary, c->n_agreeing, c->n_found);
  else
    tl_messages_tell (
        messages,
        g_dngettext (NULL,
                     "Centre %.3f (boundary %.3f), found by %u of %u estimate",
                     "Centre %.3f (boundary %.3f), found by %u of %u estimates",
                     c->n_found),
        col, boundary, c->n_agreeing, c->n_found);
  return TRUE;
}

/* Returns: whether the centre is not the user's choice */
static gboolean
may_set (const TlCentreSearch *search)
{
  TlParameters *parameters = search->session->parameters;
  return tl_parameters_is_centre_assumed (parameters)
         || tl_parameters_is_centre_found (parameters);
}

/* Notes what was found while the scan is being taken. What is uncertain cannot
 * tell whether the axis moves. */
static void
note_first (TlCentreSearch *search)
{
  if (!isnan (search->first_col)
      || search->answer.consensus.verdict != TL_CENTRE_CERTAIN)
    return;
  search->first_col = search->answer.consensus.centre_col;
  search->first_uncertainty_col = search->answer.consensus.uncertainty_col;
  search->first_row = search->row;
}

/* Returns: whether the centre that is found takes the place of the present one.
 * While the scan is taken, one that was found before stays if it is within the
 * uncertainty, so that the slice can go on growing. */
static gboolean
is_better (const TlCentreSearch *search)
{
  const TlCentreConsensus *c = &search->answer.consensus;
  const double present_col =
      tl_parameters_get_recipe (search->session->parameters)->params.centre_col;
  return !is_growing (search)
         || !tl_parameters_is_centre_found (search->session->parameters)
         || fabs (c->centre_col - present_col) > c->uncertainty_col;
}

/* Returns: whether the present centre is certain, and what was found is not: a
 * search that began by itself in a scan of a stream leaves it */
static gboolean
doubts_certain (const TlCentreSearch *search)
{
  return search->is_live && search->is_own
         && search->answer.consensus.verdict == TL_CENTRE_UNCERTAIN
         && tl_parameters_is_centre_certain (search->session->parameters);
}

/* Searches anew if angles or tilt have changed during the search, so that its
 * results cannot be used.
 *
 * Returns: whether it does */
static gboolean
repeat (TlCentreSearch *search)
{
  const gboolean is_own = search->is_own;
  if (!search->is_old || search->is_touched || !may_set (search)
      || tl_scan_source_is_opening (search->session->source))
    return FALSE;
  tl_centre_search_start (search);
  search->is_own = is_own;
  return TRUE;
}

/* While another scan is being opened, new parameters may be for that one. Wait
 * until it has opened or failed. */
static void
conclude (TlCentreSearch *search)
{
  search->is_pending = tl_scan_source_is_opening (search->session->source);
  if (search->is_pending || repeat (search))
    return;
  const gboolean adopts =
      search->answer.consensus.verdict != TL_CENTRE_CANNOT_TELL
      && !search->is_touched && !search->is_old && may_set (search)
      && !doubts_certain (search);
  const gboolean sets = adopts && is_better (search);
  const double col =
      sets ? tl_round_to_parts (search->answer.consensus.centre_col, PARTS)
           : tl_parameters_get_centre (search->session->parameters);
  if (adopts)
    tl_parameters_note_found_centre (search->session->parameters, col,
                                     search->answer.consensus.verdict
                                         == TL_CENTRE_CERTAIN);
  if (sets)
    adopt (search, col);
  if (adopts)
    note_change (search);
  if (sets)
    tl_messages_take_back (search->session->messages, search->notice);
  if (tell (search, adopts, sets))
    {
      g_free (search->notice);
      g_object_get (search->session->messages, "notice", &search->notice, NULL);
      if (sets)
        tl_messages_tell_step (
            search->session->messages,
            tl_history_get_present (
                tl_parameters_get_history (search->session->parameters)));
    }
  search->is_told = is_growing (search) && (search->is_told || sets);
  if (!is_growing (search))
    search->first_col = NAN;
  else if (!search->is_old)
    note_first (search);
}

/* --- the search --- */

static void
fail (TlCentreSearch *search, const GError *error)
{
  g_free (search->problem);
  search->problem = g_strdup (error->message);
  set_state (search, TL_CENTRE_SEARCH_FAILED);
  note_change (search);
}

/* Steals the contents of @answer. */
static void
take_answer (TlCentreSearch *search, TlCentreAnswer *answer)
{
  tl_centre_answer_clear (&search->answer);
  search->answer = *answer;
  *answer = (TlCentreAnswer){ 0 };
}

/* A #TlCentrePartFunc. */
static void
on_estimate (GObject *object, TlCentreAnswer *answer)
{
  TlCentreSearch *search = TL_CENTRE_SEARCH (object);
  take_answer (search, answer);
  note_change (search);
}

static void begin_run (TlCentreSearch *search, TlCentreRow *row);

static void
on_estimated (GObject *object, GAsyncResult *result, gpointer data)
{
  TlCentreSearch *search = TL_CENTRE_SEARCH (object);
  g_auto (TlCentreAnswer) answer = { 0 };
  g_autoptr (GError) error = NULL;
  const gboolean good = tl_centre_thread_finish (result, &answer, &error);
  if (search->session == NULL)
    return;
  /* A notified handler may drop the last reference. */
  TlSession *session = g_object_ref (search->session);
  g_clear_pointer (&search->thread, g_thread_join);
  if (search->cancellable == NULL)
    {
      if (search->next_row != NULL)
        begin_run (search, g_steal_pointer (&search->next_row));
    }
  else if (good)
    {
      take_answer (search, &answer);
      if (!repeat (search))
        {
          set_state (search, TL_CENTRE_SEARCH_DONE);
          note_change (search);
          conclude (search);
        }
    }
  else
    fail (search, error);
  g_object_unref (session);
}

/* Starts the estimators on @row (transfer full). */
static void
begin_run (TlCentreSearch *search, TlCentreRow *row)
{
  search->cancellable = g_cancellable_new ();
  search->thread = tl_centre_thread_start (search, row, search->recipe->engine,
                                           search->cancellable, on_estimate,
                                           on_estimated, NULL);
}

/* A #TlTaskStep. */
static gboolean
read_row (gpointer state, TlRecon *recon, const TlRecipe *recipe,
          GCancellable *cancellable, gpointer *result, gboolean *is_done,
          GError **error)
{
  *result =
      tl_centre_row_read (recon, recipe, recipe->slice, cancellable, error);
  *is_done = TRUE;
  return *result != NULL;
}

/* A #TlTaskFunc. */
static void
on_row (TlReply *reply, gpointer data)
{
  TlCentreSearch *search = data;
  if (reply->error != NULL)
    {
      fail (search, reply->error);
      return;
    }
  TlCentreRow *row = g_steal_pointer (&reply->result);
  set_state (search, TL_CENTRE_SEARCH_ESTIMATING);
  if (search->thread == NULL)
    begin_run (search, row);
  else
    search->next_row = row; /* the running estimator cannot be stopped */
}

void
tl_centre_search_start (TlCentreSearch *search)
{
  g_return_if_fail (TL_IS_CENTRE_SEARCH (search));
  TlSession *session = search->session;
  const TlTask task = { .kind = TL_TASK_CENTRE,
                        .step = read_row,
                        .free_result = (GDestroyNotify)tl_centre_row_free };
  if (session == NULL)
    return;
  TlScanSource *source = session->source;
  TlParameters *parameters = session->parameters;
  if (!tl_scan_source_is_open (source) || tl_scan_source_is_opening (source))
    return;
  forget (search);
  search->from_col = tl_parameters_get_recipe (parameters)->params.centre_col;
  search->is_touched = search->is_own = FALSE;
  search->scan_serial = tl_scan_source_get_serial (source);
  g_free (search->path);
  search->path = g_strdup (tl_scan_source_get_summary (source)->path);
  search->row = (guint)tl_parameters_get_recipe (parameters)->slice;
  search->recipe = tl_recipe_dup (tl_parameters_get_recipe (parameters));
  tl_tasks_send (session->tasks, search->recipe, &task, on_row, search);
  set_state (search, TL_CENTRE_SEARCH_READING);
}

/* --- changes of the session --- */

/* Returns: whether enough has come for the first search, or since the last one,
 * which is left to end */
static gboolean
has_more (const TlCentreSearch *search, const TlScanSummary *scan)
{
  const gboolean is_uncertain =
      search->state == TL_CENTRE_SEARCH_DONE
      && search->answer.consensus.verdict != TL_CENTRE_CERTAIN;
  const double times = is_uncertain ? MORE_TIMES_UNCERTAIN : MORE_TIMES;
  return search->state != TL_CENTRE_SEARCH_READING
         && search->state != TL_CENTRE_SEARCH_ESTIMATING
         && scan->n_projections >= MIN_PROJECTIONS && spans_half (scan)
         && ((double)scan->n_projections
                 >= times * (double)search->asked_projections
             || get_span_deg (scan) >= search->asked_deg + MORE_DEG);
}

/* Searches by itself, if enough or more of the scan has come. A file that is
 * still written is opened again, as a scan that is being taken, when it grows.
 *
 * @again: the centre that was found is asked again
 */
static void
seek (TlCentreSearch *search, gboolean again)
{
  TlParameters *parameters = search->session->parameters;
  const TlScanSummary *scan =
      tl_scan_source_get_summary (search->session->source);
  if (scan == NULL || !search->awaits
      || ((scan->is_growing || scan->has_writer) && !has_more (search, scan)))
    return;
  search->awaits = scan->is_growing;
  search->asked_projections = scan->n_projections;
  search->asked_deg = get_span_deg (scan);
  if (!search->seeks
      || !(search->is_live || tl_parameters_is_centre_assumed (parameters)
           || (again && tl_parameters_is_centre_found (parameters))))
    return;
  tl_centre_search_start (search);
  search->is_own = TRUE;
}

/* While a scan is being taken, too few angles are there at first. */
static void
on_summary (TlCentreSearch *search)
{
  seek (search, FALSE);
}

/* Returns: whether the same scan is read in another way, in the same columns,
 * so that its results stay, as old ones */
static gboolean
is_read_anew (const TlCentreSearch *search, const TlScanSummary *scan)
{
  const TlRecipe *wanted =
      tl_parameters_get_recipe (search->session->parameters);
  return scan != NULL && !search->is_live && !search->is_pending
         && search->state == TL_CENTRE_SEARCH_DONE
         && strcmp (search->path, scan->path) == 0
         && search->recipe->bin == wanted->bin
         && !tl_recipe_reads_alike (search->recipe, wanted);
}

/* A scan that is complete may be opened again as a file, before the search in
 * all of its projections has ended: it is searched as if it were taken still.
 */
static void
on_path (TlCentreSearch *search)
{
  const gboolean was_live = search->is_live;
  const TlScanSummary *scan =
      tl_scan_source_get_summary (search->session->source);
  if (is_read_anew (search, scan))
    set_old (search, TRUE);
  else
    forget (search);
  search->first_col = NAN;
  search->asked_projections = 0;
  search->awaits = TRUE;
  search->is_live =
      scan != NULL
      && (scan->is_growing || (was_live && search->session->is_same));
  search->is_told = FALSE;
  seek (search, was_live);
}

/* "centre" may be notified without a change. */
static void
on_centre (TlCentreSearch *search)
{
  if (tl_parameters_get_recipe (search->session->parameters)->params.centre_col
      != search->from_col)
    search->is_touched = TRUE;
}

/* Returns: how far the tilt moves the axis from the searched row to the middle
 * row, where the results are, in columns */
static double
get_lean (const TlCentreSearch *search, double tilt_deg)
{
  const TlScanSummary *scan =
      tl_scan_source_get_summary (search->session->source);
  const double middle = scan != NULL ? ((double)scan->n_rows - 1) / 2 : 0;
  return tl_tilt_get_axis_col (tilt_deg, 0, search->row - middle);
}

/* Returns: whether the results still apply: the angles and projections are the
 * same, and the tilt moves the axis by no more than its uncertainty, or was
 * accepted: it rests on many rows and is not questioned by one. Corrections
 * change the values in a row, not where its axis is: on a phantom of 512
 * columns zingers, rings and phase move the result by 0.001 columns at most and
 * the logarithm by 0.02, with an uncertainty of 0.04. */
static gboolean
is_valid (const TlCentreSearch *search)
{
  TlSession *session = search->session;
  const TlRecipe *wanted = tl_parameters_get_recipe (session->parameters);
  const double moved_cols =
      get_lean (search, wanted->params.tilt_deg)
      - get_lean (search, search->recipe->params.tilt_deg);
  return tl_recipe_reads_alike (search->recipe, wanted)
         && (wanted->params.tilt_deg == search->recipe->params.tilt_deg
             || fabs (moved_cols) <= search->answer.consensus.uncertainty_col
             || tl_accepted_axis_has_tilt (session));
}

static void
on_parameters (TlCentreSearch *search)
{
  set_old (search, search->recipe != NULL && !is_valid (search));
  /* Opening another scan has failed, so the result can be used now. */
  if (search->is_pending
      && search->scan_serial
             == tl_scan_source_get_serial (search->session->source))
    conclude (search);
}

/* --- getters of the results --- */

TlCentreSearchState
tl_centre_search_get_state (TlCentreSearch *search)
{
  g_return_val_if_fail (TL_IS_CENTRE_SEARCH (search), TL_CENTRE_SEARCH_IDLE);
  return search->state;
}

guint
tl_centre_search_get_row (TlCentreSearch *search)
{
  g_return_val_if_fail (TL_IS_CENTRE_SEARCH (search), 0);
  return search->row;
}

guint
tl_centre_search_count (TlCentreSearch *search)
{
  g_return_val_if_fail (TL_IS_CENTRE_SEARCH (search), 0);
  return (guint)search->answer.n;
}

void
tl_centre_search_get (TlCentreSearch *search, guint k, TlCentreFound *found)
{
  g_return_if_fail (TL_IS_CENTRE_SEARCH (search));
  g_return_if_fail (k < search->answer.n);
  const TlCentreEstimate *e = &search->answer.estimates[k];
  *found = (TlCentreFound){
    .name = tl_centre_method_names[e->method],
    .label = _ (tl_centre_method_names[e->method]),
    .what = _ (tl_centre_method_texts[e->method]),
    .reason = e->reason,
    .is_found = e->is_found,
    .centre_col = tl_round_to_parts (e->centre_col, PARTS),
    .uncertainty_col = e->uncertainty_col,
    .agrees = search->answer.consensus.agrees[e->method],
    .n_points = e->n_points,
    .positions = e->positions,
    .values = e->values,
  };
}

gboolean
tl_centre_search_get_agreement (TlCentreSearch *search,
                                TlCentreAgreement *agreement)
{
  g_return_val_if_fail (TL_IS_CENTRE_SEARCH (search), FALSE);
  const TlCentreConsensus *c = &search->answer.consensus;
  if (search->state != TL_CENTRE_SEARCH_DONE)
    return FALSE;
  *agreement = (TlCentreAgreement){
    .is_found = c->verdict != TL_CENTRE_CANNOT_TELL,
    .is_certain = c->verdict == TL_CENTRE_CERTAIN,
    .centre_col = tl_round_to_parts (c->centre_col, PARTS),
    .uncertainty_col = c->uncertainty_col,
    .n_found = c->n_found,
    .n_agreeing = c->n_agreeing,
    .sentence = c->sentence,
  };
  return TRUE;
}

const char *
tl_centre_search_get_note (TlCentreSearch *search)
{
  g_return_val_if_fail (TL_IS_CENTRE_SEARCH (search), NULL);
  return search->problem != NULL ? search->problem : search->answer.note;
}

char *
tl_centre_search_dup_angles (TlCentreSearch *search)
{
  g_return_val_if_fail (TL_IS_CENTRE_SEARCH (search), NULL);
  return search->problem == NULL && search->answer.end_deg != 0
             ? g_strdup_printf ("0:%.6g", search->answer.end_deg)
             : NULL;
}

/* Returns: the distance from @from_col to @to_col in direction @n, wrapping
 * around; equal columns differ by half a thousandth at most */
static double
get_way (double from_col, double to_col, int n)
{
  const double way = (to_col - from_col) * n;
  return way > 0.5 / PARTS ? way : way + ALL_AROUND;
}

double
tl_centre_search_find_next (TlCentreSearch *search, double from_col, int n)
{
  g_return_val_if_fail (TL_IS_CENTRE_SEARCH (search), NAN);
  g_return_val_if_fail (n == 1 || n == -1, NAN);
  TlCentreAgreement agreement;
  double next_col = NAN;
  if (tl_centre_search_get_agreement (search, &agreement))
    next_col = agreement.centre_col;
  for (guint k = 0; k < tl_centre_search_count (search); k++)
    {
      TlCentreFound found;
      tl_centre_search_get (search, k, &found);
      if (found.is_found
          && (isnan (next_col)
              || get_way (from_col, found.centre_col, n)
                     < get_way (from_col, next_col, n)))
        next_col = found.centre_col;
    }
  return next_col;
}

/* --- the object --- */

static void
tl_centre_search_set_property (GObject *object, guint prop, const GValue *value,
                               GParamSpec *pspec)
{
  TlCentreSearch *search = TL_CENTRE_SEARCH (object);
  if (prop != PROP_SEEKS)
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop, pspec);
  else if (search->seeks != g_value_get_boolean (value))
    {
      search->seeks = !search->seeks;
      g_object_notify_by_pspec (object, pspec);
    }
}

static void
tl_centre_search_get_property (GObject *object, guint prop, GValue *value,
                               GParamSpec *pspec)
{
  TlCentreSearch *search = TL_CENTRE_SEARCH (object);
  switch (prop)
    {
    case PROP_STATE:
      g_value_set_uint (value, search->state);
      break;
    case PROP_OLD:
      g_value_set_boolean (value, search->is_old);
      break;
    case PROP_SEEKS:
      g_value_set_boolean (value, search->seeks);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop, pspec);
    }
}

static void
tl_centre_search_dispose (GObject *object)
{
  TlCentreSearch *search = TL_CENTRE_SEARCH (object);
  g_cancellable_cancel (search->cancellable);
  g_clear_object (&search->cancellable);
  g_clear_pointer (&search->thread, g_thread_join);
  g_clear_pointer (&search->next_row, tl_centre_row_free);
  g_clear_weak_pointer (&search->session);
  G_OBJECT_CLASS (tl_centre_search_parent_class)->dispose (object);
}

static void
tl_centre_search_finalize (GObject *object)
{
  TlCentreSearch *search = TL_CENTRE_SEARCH (object);
  g_clear_pointer (&search->recipe, tl_recipe_free);
  tl_centre_answer_clear (&search->answer);
  g_free (search->problem);
  g_free (search->notice);
  g_free (search->path);
  G_OBJECT_CLASS (tl_centre_search_parent_class)->finalize (object);
}

static void
tl_centre_search_class_init (TlCentreSearchClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags read =
      G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY;
  object_class->set_property = tl_centre_search_set_property;
  object_class->get_property = tl_centre_search_get_property;
  object_class->dispose = tl_centre_search_dispose;
  object_class->finalize = tl_centre_search_finalize;

  props[PROP_STATE] =
      g_param_spec_uint ("state", NULL, NULL, TL_CENTRE_SEARCH_IDLE,
                         TL_CENTRE_SEARCH_FAILED, TL_CENTRE_SEARCH_IDLE, read);
  props[PROP_OLD] = g_param_spec_boolean ("old", NULL, NULL, FALSE, read);
  props[PROP_SEEKS] = g_param_spec_boolean ("seeks", NULL, NULL, FALSE,
                                            read | G_PARAM_WRITABLE);
  g_object_class_install_properties (object_class, N_PROPS, props);
  changed_signal =
      g_signal_new ("changed", TL_TYPE_CENTRE_SEARCH, G_SIGNAL_RUN_LAST, 0,
                    NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
tl_centre_search_init (TlCentreSearch *search)
{
  search->first_col = NAN;
}

/* The session is finalized: end the search even if others hold references. */
static void
dispose_and_unref (gpointer data)
{
  g_object_run_dispose (data);
  g_object_unref (data);
}

static TlCentreSearch *
make (TlSession *session)
{
  TlCentreSearch *search = g_object_new (TL_TYPE_CENTRE_SEARCH, NULL);
  g_set_weak_pointer (&search->session, session);
  tl_follow (session->source, "path", G_CALLBACK (on_path), search);
  tl_follow (session->source, "summary", G_CALLBACK (on_summary), search);
  tl_follow (session->parameters, "centre", G_CALLBACK (on_centre), search);
  tl_follow (session->parameters, "recipe", G_CALLBACK (on_parameters), search);
  return search;
}

TlCentreSearch *
tl_session_get_centre_search (TlSession *session)
{
  g_return_val_if_fail (TL_IS_SESSION (session), NULL);
  TlCentreSearch *search = g_object_get_data (G_OBJECT (session), KEY);
  if (search == NULL)
    {
      search = make (session);
      g_object_set_data_full (G_OBJECT (session), KEY, search,
                              dispose_and_unref);
    }
  return search;
}
