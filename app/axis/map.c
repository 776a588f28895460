#include "app/axis/map.h"

#include "app/axis/height.h"
#include "app/background/background.h"
#include "app/background/time-left.h"
#include "app/session/follow.h"
#include "app/session/session.h"

#include "data/array.h"

#include <math.h>

#define KEY "tl-axis-map"

#define N_ROWS 32
/* Rows read and being measured at a time: each is a whole sinogram in memory.
 */
#define MAX_UNDER_WAY 2

struct _TlAxisMap
{
  GObject parent;
  TlSession *session; /* (nullable): a weak pointer: the session owns the map */

  guint n_wanted; /* rows to measure */
  gboolean was_busy;

  /* The present measurement. */
  guint64 scan_serial;
  guint generation;
  TlRecipe *recipe; /* (nullable): %NULL before the first */
  TlAxisQuestion question;
  size_t n_values;     /* of a curve */
  TlAxisPoint *points; /* [question.n] */
  float **curves;      /* [question.n]; NULL if not measured */
  guint n_asked, n_known;
  guint n_under_way; /* rows being measured, including cancelled ones that have
                        not ended */
  GCancellable *cancellable; /* of the rows of this generation */
  TlTimeLeft left;
  gboolean is_reading;
  TlAxisLine line;
  gboolean has_line;
  char *problem; /* (nullable): the error */
};

enum
{
  PROP_0,
  PROP_ROWS,
  PROP_BUSY,
  N_PROPS
};

static GParamSpec *props[N_PROPS];
static guint changed_signal;

G_DEFINE_FINAL_TYPE (TlAxisMap, tl_axis_map, G_TYPE_OBJECT)

/* --- one row: read in the engine's thread, measured in another --- */

/* The state of the task that reads a row. */
typedef struct
{
  TlAxisQuestion question;
  guint nth; /* in the order of measurement */
} Reading;

/* A #TlTaskStep, the only one of its task. */
static gboolean
read_row (gpointer state, TlRecon *recon, const TlRecipe *recipe,
          GCancellable *cancellable, gpointer *result, gboolean *is_done,
          GError **error)
{
  const Reading *reading = state;
  *result = tl_axis_read_row (recon, recipe, &reading->question, reading->nth,
                              cancellable, error);
  *is_done = TRUE;
  return *result != NULL;
}

/* The data of the task that measures a row. */
typedef struct
{
  GWeakRef map; /* may be finalized first; main thread only */
  guint generation;
  guint k; /* index from the top */
  TlAxisQuestion question;
  TlCentreRow *row; /* (nullable) */
  size_t n_values;
  TlAxisPoint point;
  float *curve; /* (nullable): [n_values], see tl_axis_map_get_curve() */
} Work;

static void
work_free (gpointer data)
{
  Work *work = data;
  g_weak_ref_clear (&work->map);
  tl_centre_row_free (work->row);
  g_free (work->curve);
  g_free (work);
}

/* Scales from 0 for the median, since the axis is not at most positions, to 1
 * for the maximum. */
static void
normalise (float *values, size_t n)
{
  g_autofree float *sorted = g_memdup2 (values, n * sizeof *values);
  tl_sort_floats (sorted, n);
  const float low = sorted[n / 2], range = sorted[n - 1] - low;
  for (size_t k = 0; k < n; k++)
    values[k] = range > 0 ? fmaxf ((values[k] - low) / range, 0) : 0;
}

/* Resamples to a common pitch; positions outside the curve get the value of its
 * end. */
static float *
resample (const TlCentreEstimate *e, size_t n)
{
  float *values = g_new0 (float, n);
  size_t at = 0;
  if (e->n_points == 0)
    return values;
  for (size_t k = 0; k < n; k++)
    {
      const double col = (double)k * TL_AXIS_MAP_PITCH;
      while (at + 1 < e->n_points && e->positions[at + 1] <= col)
        at++;
      const size_t next = MIN (at + 1, e->n_points - 1);
      const double width = e->positions[next] - e->positions[at];
      const double part =
          width > 0 ? CLAMP ((col - e->positions[at]) / width, 0, 1) : 0;
      values[k] = (float)((1 - part) * e->values[at] + part * e->values[next]);
    }
  normalise (values, n);
  return values;
}

/* A #GTaskThreadFunc. */
static void
measure (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Work *work = data;
  g_auto (TlCentreEstimate) estimate = { 0 };
  GError *error = NULL;
  if (!tl_axis_measure_row (NULL, work->row, &work->question, cancellable,
                            &work->point, &estimate, &error))
    {
      g_task_return_error (task, error);
      return;
    }
  work->curve = resample (&estimate, work->n_values);
  g_clear_pointer (&work->row, tl_centre_row_free);
  g_task_return_boolean (task, TRUE);
}

/* --- the measured rows --- */

static void
note_change (TlAxisMap *map)
{
  const gboolean is_busy = map->recipe != NULL && map->problem == NULL
                           && map->n_known < map->question.n;
  g_signal_emit (map, changed_signal, 0);
  if (is_busy == map->was_busy)
    return;
  map->was_busy = is_busy;
  g_object_notify_by_pspec (G_OBJECT (map), props[PROP_BUSY]);
}

static void
forget (TlAxisMap *map)
{
  for (size_t k = 0; map->curves != NULL && k < map->question.n; k++)
    g_free (map->curves[k]);
  g_clear_pointer (&map->curves, g_free);
  g_clear_pointer (&map->points, g_free);
  g_clear_pointer (&map->recipe, tl_recipe_free);
  g_clear_pointer (&map->problem, g_free);
  tl_axis_line_clear (&map->line);
  map->has_line = FALSE;
  map->n_asked = map->n_known = 0;
  map->left = (TlTimeLeft){ 0 };
  map->is_reading = FALSE;
  map->generation++;
  g_cancellable_cancel (map->cancellable);
  g_clear_object (&map->cancellable);
  map->cancellable = g_cancellable_new ();
}

/* Returns: (nullable): of the open scan */
static const TlScanSummary *
get_scan (const TlAxisMap *map)
{
  return map->session != NULL
             ? tl_scan_source_get_summary (map->session->source)
             : NULL;
}

/* Returns: the part of the scan's data that app/axis/height.h needs */
static TlScanInfo
get_info (const TlAxisMap *map)
{
  const TlScanSummary *scan = get_scan (map);
  return (TlScanInfo){ .n_rows = scan->n_rows, .n_cols = scan->n_cols };
}

static void
fit (TlAxisMap *map)
{
  const TlScanInfo info = get_info (map);
  g_autofree TlAxisPoint *known = g_new (TlAxisPoint, map->question.n);
  size_t n = 0;
  tl_axis_line_clear (&map->line);
  map->has_line = FALSE;
  for (size_t k = 0; k < map->question.n; k++)
    if (map->curves[k] != NULL)
      known[n++] = map->points[k];
  if (n < 3 && n < map->question.n)
    return;
  tl_axis_fit (known, n, map->recipe, &info, &map->line);
  map->has_line = TRUE;
  for (size_t k = map->question.n; k-- > 0;)
    if (map->curves[k] != NULL)
      map->points[k] = known[--n];
}

static void step (TlAxisMap *map);

static void
on_measured (GObject *source, GAsyncResult *result, gpointer data)
{
  Work *work = g_task_get_task_data (G_TASK (result));
  g_autoptr (TlAxisMap) map = g_weak_ref_get (&work->map);
  g_autoptr (GError) error = NULL;
  const gboolean is_done = g_task_propagate_boolean (G_TASK (result), &error);
  if (map == NULL || map->session == NULL)
    return;
  map->n_under_way--;
  if (map->generation != work->generation)
    {
      step (map); /* another row can be measured now */
      return;
    }
  if (is_done)
    {
      map->points[work->k] = work->point;
      map->curves[work->k] = g_steal_pointer (&work->curve);
      map->n_known++;
      tl_time_left_note (&map->left, g_get_monotonic_time (),
                         (double)map->n_known / (double)map->question.n);
      fit (map);
    }
  else if (map->problem == NULL)
    map->problem = g_strdup (error->message);
  note_change (map);
  step (map);
}

static void
take_row (TlReply *reply, gpointer data)
{
  TlAxisMap *map = data;
  map->is_reading = FALSE;
  if (reply->error != NULL)
    {
      g_free (map->problem);
      map->problem = g_strdup (reply->error->message);
      note_change (map);
      return;
    }
  if (reply->result == NULL)
    return;
  Work *work = g_new0 (Work, 1);
  g_weak_ref_init (&work->map, map);
  work->generation = map->generation;
  work->k = (guint)tl_axis_line_get_order (map->question.n, map->n_asked++);
  work->question = map->question;
  work->n_values = map->n_values;
  work->row = g_steal_pointer (&reply->result);
  map->n_under_way++;
  GTask *task = g_task_new (NULL, map->cancellable, on_measured, NULL);
  g_task_set_task_data (task, work, work_free);
  g_thread_unref (tl_background_run (task, "axis-row", FALSE, measure));
  step (map);
}

/* --- start and stop of the measurement --- */

/* Returns: whether the measurement is of other parameters than the present
 * ones. The centre, and a tilt too small to resample projections, do not
 * matter. */
static gboolean
is_old (TlAxisMap *map)
{
  TlSession *session = map->session;
  const TlRecipe *recipe = tl_parameters_get_recipe (session->parameters);
  const size_t n_cols = get_scan (map)->n_cols;
  return map->recipe == NULL
         || map->scan_serial != tl_scan_source_get_serial (session->source)
         || tl_axis_get_turned_back (map->recipe, n_cols)
                != tl_axis_get_turned_back (recipe, n_cols)
         || !tl_recipe_corrects_alike (map->recipe, recipe);
}

static void
begin (TlAxisMap *map)
{
  const TlScanInfo info = get_info (map);
  forget (map);
  map->scan_serial = tl_scan_source_get_serial (map->session->source);
  map->recipe =
      tl_recipe_dup (tl_parameters_get_recipe (map->session->parameters));
  tl_axis_question_init (&map->question, map->recipe, &info, map->n_wanted);
  map->n_values = (size_t)((double)(info.n_cols - 1) / TL_AXIS_MAP_PITCH) + 1;
  map->points = g_new0 (TlAxisPoint, map->question.n);
  map->curves = g_new0 (float *, map->question.n);
  note_change (map);
}

/* Reads the next row while the previous one is measured. */
static void
step (TlAxisMap *map)
{
  if (map->session == NULL || map->is_reading || map->recipe == NULL
      || map->problem != NULL || map->n_under_way >= MAX_UNDER_WAY
      || map->n_asked >= map->question.n
      || tl_display_get_page (map->session->display) != TL_PAGE_AXIS)
    return;
  const Reading reading = { map->question, map->n_asked };
  const TlTask task = {
    .kind = TL_TASK_HEIGHT,
    .step = read_row,
    .state = g_memdup2 (&reading, sizeof reading),
    .free_state = g_free,
    .free_result = (GDestroyNotify)tl_centre_row_free,
  };
  map->is_reading = TRUE;
  tl_tasks_send (map->session->tasks, map->recipe, &task, take_row, map);
}

static void
stop (TlAxisMap *map)
{
  if (map->session != NULL)
    tl_tasks_drop (map->session->tasks, TL_TASK_HEIGHT);
  map->is_reading = FALSE;
}

/* Handles a change of the session or of its page. */
static void
update (TlAxisMap *map)
{
  TlSession *session = map->session;
  if (get_scan (map) == NULL || tl_scan_source_is_opening (session->source)
      || tl_display_get_page (session->display) != TL_PAGE_AXIS)
    {
      if (map->is_reading)
        stop (map);
      return;
    }
  if (is_old (map))
    {
      stop (map);
      begin (map);
    }
  else
    note_change (map); /* the present axis may have changed */
  step (map);
}

/* --- setters and getters --- */

void
tl_axis_map_set_rows (TlAxisMap *map, guint n_rows)
{
  g_return_if_fail (TL_IS_AXIS_MAP (map));
  n_rows = CLAMP (n_rows, TL_AXIS_MAP_MIN_ROWS, TL_AXIS_MAP_MAX_ROWS);
  if (map->n_wanted == n_rows)
    return;
  map->n_wanted = n_rows;
  if (map->is_reading)
    stop (map);
  forget (map);
  g_object_notify_by_pspec (G_OBJECT (map), props[PROP_ROWS]);
  note_change (map);
  update (map);
}

guint
tl_axis_map_get_rows (TlAxisMap *map)
{
  g_return_val_if_fail (TL_IS_AXIS_MAP (map), N_ROWS);
  return map->n_wanted;
}

gboolean
tl_axis_map_get_size (TlAxisMap *map, size_t *n_rows, size_t *n_cols, guint *n,
                      guint *n_known)
{
  g_return_val_if_fail (TL_IS_AXIS_MAP (map), FALSE);
  if (map->recipe == NULL || get_scan (map) == NULL
      || map->scan_serial != tl_scan_source_get_serial (map->session->source))
    return FALSE;
  *n_rows = get_scan (map)->n_rows;
  *n_cols = get_scan (map)->n_cols;
  *n = (guint)map->question.n;
  *n_known = map->n_known;
  return TRUE;
}

char *
tl_axis_map_dup_time_left (TlAxisMap *map)
{
  g_return_val_if_fail (TL_IS_AXIS_MAP (map), NULL);
  return tl_time_left_describe (&map->left, g_get_monotonic_time ());
}

const TlAxisPoint *
tl_axis_map_get_point (TlAxisMap *map, guint k)
{
  g_return_val_if_fail (map->recipe != NULL && k < map->question.n, NULL);
  return map->curves[k] != NULL ? &map->points[k] : NULL;
}

const float *
tl_axis_map_get_curve (TlAxisMap *map, guint k, size_t *n)
{
  g_return_val_if_fail (map->recipe != NULL && k < map->question.n, NULL);
  *n = map->n_values;
  return map->curves[k];
}

const TlAxisLine *
tl_axis_map_get_line (TlAxisMap *map)
{
  g_return_val_if_fail (TL_IS_AXIS_MAP (map), NULL);
  return map->has_line ? &map->line : NULL;
}

const char *
tl_axis_map_get_problem (TlAxisMap *map)
{
  g_return_val_if_fail (TL_IS_AXIS_MAP (map), NULL);
  return map->problem;
}

double
tl_axis_map_get_turned_back (TlAxisMap *map)
{
  g_return_val_if_fail (TL_IS_AXIS_MAP (map), 0);
  return map->recipe != NULL && get_scan (map) != NULL
             ? tl_axis_get_turned_back (map->recipe, get_scan (map)->n_cols)
             : 0;
}

/* Returns: the column in @row of projections resampled to correct the tilt, of
 * an axis given for the detector */
static double
get_col (TlAxisMap *map, double tilt_deg, double centre_col, double row)
{
  TlAxisLine line = { .tilt_deg = tilt_deg, .centre_col = centre_col };
  const double middle = ((double)get_scan (map)->n_rows - 1) / 2;
  tl_axis_line_turn_back (&line, -tl_axis_map_get_turned_back (map),
                          map->recipe->params.centre_col);
  return tl_tilt_get_axis_col (line.tilt_deg, line.centre_col, row - middle);
}

double
tl_axis_map_get_fitted_col (TlAxisMap *map, double row)
{
  g_return_val_if_fail (TL_IS_AXIS_MAP (map), NAN);
  TlAcceptedAxis axis;
  if (!tl_axis_map_can_accept (map))
    return NAN;
  tl_axis_map_propose (map, &axis);
  return get_col (map, axis.tilt_deg, axis.centre_col, row);
}

double
tl_axis_map_get_present_col (TlAxisMap *map, double row)
{
  g_return_val_if_fail (TL_IS_AXIS_MAP (map), NAN);
  if (map->recipe == NULL || get_scan (map) == NULL)
    return NAN;
  const TlParams *params =
      &tl_parameters_get_recipe (map->session->parameters)->params;
  return get_col (map, params->tilt_deg, params->centre_col, row);
}

gboolean
tl_axis_map_is_shown (TlAxisMap *map)
{
  g_return_val_if_fail (TL_IS_AXIS_MAP (map), FALSE);
  return map->session != NULL
         && tl_display_get_page (map->session->display) == TL_PAGE_AXIS;
}

gboolean
tl_axis_map_can_accept (TlAxisMap *map)
{
  g_return_val_if_fail (TL_IS_AXIS_MAP (map), FALSE);
  return map->has_line && map->line.verdict != TL_AXIS_CANNOT_TELL
         && get_scan (map) != NULL
         && map->scan_serial
                == tl_scan_source_get_serial (map->session->source);
}

double
tl_axis_map_get_present_tilt (TlAxisMap *map)
{
  g_return_val_if_fail (TL_IS_AXIS_MAP (map), 0);
  return map->session != NULL
             ? tl_parameters_get_recipe (map->session->parameters)
                   ->params.tilt_deg
             : 0;
}

void
tl_axis_map_propose (TlAxisMap *map, TlAcceptedAxis *axis)
{
  g_return_if_fail (tl_axis_map_can_accept (map) && axis != NULL);
  const TlAxisLine *line = &map->line;
  const TlAcceptedAxis *accepted = tl_accepted_axis_get (map->session);
  const double tilt_deg =
      tl_axis_line_get_proposal (line, tl_axis_map_get_present_tilt (map));
  *axis = (TlAcceptedAxis){
    .centre_col = tl_axis_line_get_centre (line, tilt_deg),
    .centre_uncertainty_col = line->centre_uncertainty_col,
    .tilt_deg = tilt_deg,
    .tilt_uncertainty_deg = line->tilt_uncertainty_deg,
  };
  if (accepted != NULL && accepted->tilt_deg == tilt_deg)
    axis->tilt_uncertainty_deg =
        fmin (accepted->tilt_uncertainty_deg, line->tilt_uncertainty_deg);
}

gboolean
tl_axis_map_agrees (TlAxisMap *map)
{
  g_return_val_if_fail (TL_IS_AXIS_MAP (map), FALSE);
  TlAcceptedAxis axis;
  if (!tl_axis_map_can_accept (map))
    return FALSE;
  const TlParams *params =
      &tl_parameters_get_recipe (map->session->parameters)->params;
  tl_axis_map_propose (map, &axis);
  return fabs (params->tilt_deg - axis.tilt_deg)
             <= map->line.tilt_uncertainty_deg
         && fabs (params->centre_col - axis.centre_col)
                <= map->line.centre_uncertainty_col;
}

void
tl_axis_map_accept (TlAxisMap *map)
{
  g_return_if_fail (TL_IS_AXIS_MAP (map));
  TlAcceptedAxis axis;
  if (!tl_axis_map_can_accept (map))
    return;
  tl_axis_map_propose (map, &axis);
  tl_accepted_axis_set (map->session, &axis);
}

/* --- the object --- */

static void
tl_axis_map_get_property (GObject *object, guint property, GValue *value,
                          GParamSpec *pspec)
{
  TlAxisMap *map = TL_AXIS_MAP (object);
  if (property == PROP_ROWS)
    g_value_set_uint (value, map->n_wanted);
  else if (property == PROP_BUSY)
    g_value_set_boolean (value, map->was_busy);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property, pspec);
}

static void
tl_axis_map_finalize (GObject *object)
{
  g_clear_weak_pointer (&TL_AXIS_MAP (object)->session);
  forget (TL_AXIS_MAP (object));
  g_clear_object (&TL_AXIS_MAP (object)->cancellable);
  G_OBJECT_CLASS (tl_axis_map_parent_class)->finalize (object);
}

static void
tl_axis_map_class_init (TlAxisMapClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags read =
      G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY;
  object_class->get_property = tl_axis_map_get_property;
  object_class->finalize = tl_axis_map_finalize;
  props[PROP_ROWS] =
      g_param_spec_uint ("rows", NULL, NULL, TL_AXIS_MAP_MIN_ROWS,
                         TL_AXIS_MAP_MAX_ROWS, N_ROWS, read);
  props[PROP_BUSY] = g_param_spec_boolean ("busy", NULL, NULL, FALSE, read);
  g_object_class_install_properties (object_class, N_PROPS, props);
  changed_signal = g_signal_new ("changed", TL_TYPE_AXIS_MAP, G_SIGNAL_RUN_LAST,
                                 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
tl_axis_map_init (TlAxisMap *map)
{
  map->n_wanted = N_ROWS;
  map->cancellable = g_cancellable_new ();
}

TlAxisMap *
tl_session_get_axis_map (TlSession *session)
{
  g_return_val_if_fail (TL_IS_SESSION (session), NULL);
  TlAxisMap *map = g_object_get_data (G_OBJECT (session), KEY);
  if (map != NULL)
    return map;
  map = g_object_new (TL_TYPE_AXIS_MAP, NULL);
  g_set_weak_pointer (&map->session, session);
  g_object_set_data_full (G_OBJECT (session), KEY, map, g_object_unref);
  tl_follow (session->display, "picture", G_CALLBACK (update), map);
  tl_follow (session->parameters, "recipe", G_CALLBACK (update), map);
  tl_follow (session->source, "summary", G_CALLBACK (update), map);
  update (map);
  return map;
}
