#include "app/export/run.h"

#include "app/background/time-left.h"
#include "app/export/method.h"

#include <glib/gi18n.h>

#define PROGRESS_MS 100
#define PARTS 1000000 /* of the progress, as an integer */

/* What the user has to agree to. */
typedef struct
{
  char *text;  /* (nullable): the question; %NULL: there is none */
  char *state; /* (nullable): for the answer, as agreed of TlExportJob */
  gboolean can_resume;
} Question;

/* What the thread works on. */
typedef struct
{
  TlExportRun *run; /* the thread reads only what is constant in it */
  gboolean overwrites, resumes;
  char *agreed;              /* (nullable): as of the job */
  GCancellable *cancellable; /* any thread */
  gint progress;             /* atomic: of PARTS */

  GMutex mutex;      /* guards the plan */
  TlExportPlan plan; /* without slices: not yet known */

  /* of the thread, until it ends */
  Question question;
  TlExportReport report;
  const char *note; /* (nullable): of tl_export_settle_method() */
  GError *error;    /* (nullable) */
} Work;

struct _TlExportRun
{
  GObject parent;
  /* constant */
  char *scan, *path, *what;
  TlRecipe *recipe;
  TlExportSettings settings;
  size_t n_slices, n_projections, n_cols;

  TlExportState state;
  TlExportConsent consent;
  char *agreed;          /* (nullable): as of TlExportJob */
  Work *work;            /* (nullable): while running; owned by the thread */
  TlPipelineStage limit; /* as of TlExportPlan */
  guint ticks;           /* source that reports the progress; 0: none */
  double progress;
  char *status;
  char *plan, *question, *missing; /* (nullable) */
  gboolean can_resume;
  gboolean has_volume; /* was finished once */
  TlTimeLeft left;
};

enum
{
  PROP_0,
  PROP_STATE,
  PROP_PROGRESS,
  PROP_STATUS,
  PROP_PLAN,
  PROP_QUESTION,
  PROP_CAN_RESUME,
  N_PROPS
};

static GParamSpec *props[N_PROPS];

G_DEFINE_FINAL_TYPE (TlExportRun, tl_export_run, G_TYPE_OBJECT)

/* --- the thread --- */

static void
question_clear (Question *question)
{
  g_free (question->text);
  g_free (question->state);
}

static void
question_free (gpointer data)
{
  question_clear (data);
  g_free (data);
}

static void
work_free (gpointer data)
{
  Work *work = data;
  tl_export_report_clear (&work->report);
  g_clear_error (&work->error);
  g_mutex_clear (&work->mutex);
  g_object_unref (work->cancellable);
  g_object_unref (work->run);
  question_clear (&work->question);
  g_free (work->agreed);
  g_free (work);
}

static void
take_plan (const TlExportPlan *plan, gpointer data)
{
  Work *work = data;
  g_mutex_lock (&work->mutex);
  work->plan = *plan;
  g_mutex_unlock (&work->mutex);
}

static void
take_fraction (double fraction, gpointer data)
{
  g_atomic_int_set (&((Work *)data)->progress, (gint)(fraction * PARTS));
}

/* Returns: the job, without consent */
static TlExportJob
make_job (const TlExportRun *run)
{
  return (TlExportJob){ .scan = run->scan,
                        .recipe = run->recipe,
                        .path = run->path,
                        .settings = run->settings,
                        .gives_way = TRUE };
}

/* @recipe: (out): of @job from now on
 * @note: (out): of tl_export_settle_method() */
static gboolean
settle (const TlExportRun *run, TlExportJob *job, TlRecipe **recipe,
        const char **note, GError **error)
{
  *recipe = tl_recipe_dup (run->recipe);
  job->recipe = *recipe;
  return tl_export_settle_method (job, run->n_projections, run->n_cols, *recipe,
                                  note, error);
}

/* @question: (out): none if the job has the consent that it needs */
static gboolean
find_question (const TlExportJob *job, Question *question, GError **error)
{
  g_autofree char *text = NULL;
  g_autofree char *state = tl_export_dup_state (job);
  if (!tl_export_check_target (job, &text, &question->can_resume, error))
    return FALSE;
  if (tl_export_has_consent (job, text))
    return TRUE;
  question->text = g_steal_pointer (&text);
  question->state = g_steal_pointer (&state);
  return TRUE;
}

static gboolean
export_volume (Work *work, GError **error)
{
  TlExportJob job = make_job (work->run);
  job.overwrites = work->overwrites;
  job.agreed = work->agreed;
  job.resumes = work->resumes;
  g_autoptr (TlRecipe) recipe = NULL;
  if (!settle (work->run, &job, &recipe, &work->note, error)
      || !find_question (&job, &work->question, error)
      || g_cancellable_set_error_if_cancelled (work->cancellable, error))
    return FALSE;
  return work->question.text != NULL
         || tl_export (&job, take_plan, take_fraction, work, work->cancellable,
                       &work->report, error);
}

static void
examine (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  TlExportJob job = make_job (source);
  Question *question = g_new0 (Question, 1);
  g_autoptr (TlRecipe) recipe = NULL;
  const char *note;
  GError *error = NULL;
  if (settle (source, &job, &recipe, &note, &error)
      && find_question (&job, question, &error))
    g_task_return_pointer (task, question, question_free);
  else
    {
      question_free (question);
      g_task_return_error (task, error);
    }
}

static gboolean on_end (gpointer data);

static gpointer
run_in_thread (gpointer data)
{
  Work *work = data;
  export_volume (work, &work->error);
  g_idle_add_full (G_PRIORITY_DEFAULT, on_end, work, work_free);
  return NULL;
}

/* --- in words --- */

/* Returns: (transfer full): "120 of 512 slices, 8.3 slices/s, about 47 s left,
 * limited by writing" */
static char *
describe_running (const TlExportRun *run)
{
  const double n = (double)run->n_slices,
               rate = tl_time_left_get_rate (&run->left);
  g_autofree char *done =
      g_strdup_printf (g_dngettext (NULL, "%.0f of %zu slice",
                                    "%.0f of %zu slices", run->n_slices),
                       run->progress * n, run->n_slices);
  if (g_cancellable_is_cancelled (run->work->cancellable))
    return g_strdup (_ ("Cancelling…"));
  if (run->progress == 0)
    return g_strdup (_ ("Preparing the first slices…"));
  if (rate <= 0)
    return g_steal_pointer (&done);
  g_autofree char *left =
      tl_time_left_describe (&run->left, g_get_monotonic_time ());
  g_autofree char *speed =
      /* translators: how far, how fast, and "about 20 s left" */
      rate * n >= 1
          ? g_strdup_printf (_ ("%s, %.1f slices/s, %s"), done, rate * n, left)
          : g_strdup_printf (_ ("%s, %.1f slices/min, %s"), done, 60 * rate * n,
                             left);
  return run->limit == TL_N_PIPELINE_STAGES
             ? g_steal_pointer (&speed)
             /* translators: how far, how fast; reading, computing or writing */
             : g_strdup_printf (_ ("%s, limited by %s"), speed,
                                _ (tl_pipeline_stage_names[run->limit]));
}

static char *
describe_finished (const TlExportRun *run, const TlExportReport *report)
{
  const size_t n = report->n_slices;
  const double seconds = report->pipeline.wall_s;
  g_autofree char *limit = tl_pipeline_describe_limit (&report->pipeline);
  g_autofree char *duration = tl_describe_duration (MAX (seconds, 0.1));
  if (n == report->n_resumed || seconds <= 0)
    return g_strdup_printf (g_dngettext (NULL, "%zu slice written to %s",
                                         "%zu slices written to %s", n),
                            n, run->path);
  return g_strdup_printf (
      g_dngettext (NULL, "%zu slice written to %s in %s, %.3g slices/s, %s",
                   "%zu slices written to %s in %s, %.3g slices/s, %s", n),
      n, run->path, duration, (double)(n - report->n_resumed) / seconds, limit);
}

/* Returns: (transfer full) (nullable): how many pixels the range of the integer
 * samples leaves out */
static char *
describe_clipped (const TlExportRun *run, const TlExportReport *report)
{
  const size_t n = report->tally.n_below + report->tally.n_above;
  if (n == 0 || tl_volume_sample_max (run->settings.sample) == 0)
    return NULL;
  return g_strdup_printf (
      g_dngettext (NULL,
                   "%zu pixel (%.3g %%) was outside the range and is clipped",
                   "%zu pixels (%.3g %%) were outside the range and are "
                   "clipped",
                   n),
      n, tl_export_report_get_clipped (report));
}

static char *
describe_missing (const TlExportRun *run, const TlExportReport *report)
{
  const guint n = report->failures->len + report->n_unnamed;
  return g_strdup_printf (
      g_dngettext (NULL, "%u slice is missing in %s: %s",
                   "%u slices are missing in %s; the first: %s", n),
      n, run->path, (char *)report->failures->pdata[0]);
}

static char *
describe_what (const TlExportRun *run)
{
  TlVolumeInfo info;
  g_autofree char *scan = g_path_get_basename (run->scan);
  tl_export_settings_describe (&run->settings, &run->recipe->params.grid, 0,
                               &info);
  /* translators: slices, their rows and columns, scan, format, sample type */
  return g_strdup_printf (
      g_dngettext (NULL, "%zu slice of %zu × %zu from %s: %s, %s",
                   "%zu slices of %zu × %zu from %s: %s, %s", info.n_slices),
      info.n_slices, info.n_rows, info.n_cols, scan,
      _ (tl_volume_format_get_info (info.format)->description),
      tl_volume_sample_name (info.sample));
}

/* --- changes --- */

static void
notify (TlExportRun *run, guint prop)
{
  g_object_notify_by_pspec (G_OBJECT (run), props[prop]);
}

/* @text: (transfer full) */
static void
set_text (TlExportRun *run, guint prop, char **place, char *text)
{
  if (g_strcmp0 (*place, text) != 0)
    {
      g_free (*place);
      *place = text;
      notify (run, prop);
    }
  else
    g_free (text);
}

/* @status: (transfer full). The state is told last, when all the others are
 * those of it. */
static void
set_state (TlExportRun *run, TlExportState state, char *status)
{
  set_text (run, PROP_STATUS, &run->status, status);
  if (state != TL_EXPORT_ASKING)
    set_text (run, PROP_QUESTION, &run->question, NULL);
  if (run->state == state)
    return;
  run->state = state;
  notify (run, PROP_STATE);
}

static void
take_progress (TlExportRun *run)
{
  const double progress =
      (double)g_atomic_int_get (&run->work->progress) / PARTS;
  if (progress == run->progress)
    return;
  run->progress = progress;
  notify (run, PROP_PROGRESS);
}

/* As soon as the status says how much time is left, the plan says none: two
 * times that were found in different ways would contradict each other. */
static void
update_plan (TlExportRun *run)
{
  Work *work = run->work;
  g_mutex_lock (&work->mutex);
  const TlExportPlan plan = work->plan;
  g_mutex_unlock (&work->mutex);
  run->limit = plan.limit;
  set_text (run, PROP_PLAN, &run->plan,
            plan.n_slices > 0 ? tl_export_plan_describe (
                &plan, tl_time_left_get_rate (&run->left) <= 0)
                              : NULL);
}

static gboolean
on_tick (gpointer data)
{
  TlExportRun *run = data;
  take_progress (run);
  tl_time_left_note (&run->left, g_get_monotonic_time (), run->progress);
  update_plan (run);
  set_text (run, PROP_STATUS, &run->status, describe_running (run));
  return G_SOURCE_CONTINUE;
}

/* The status has a line for each thing to say, the result first.
 *
 * @note: (nullable): about the method */
static void
take_success (TlExportRun *run, const TlExportReport *report, const char *note)
{
  const GPtrArray *failures = report->failures;
  g_autofree char *done = describe_finished (run, report);
  g_autofree char *clipped = describe_clipped (run, report);
  g_autofree char *doubt = tl_export_report_dup_doubt (report, &run->settings);
  g_autoptr (GPtrArray) lines = g_ptr_array_new ();
  if (failures != NULL && failures->len > 0)
    run->missing = describe_missing (run, report);
  g_ptr_array_add (lines, done);
  if (report->damaged != NULL)
    g_ptr_array_add (lines, report->damaged);
  if (run->missing != NULL)
    g_ptr_array_add (lines, run->missing);
  if (clipped != NULL)
    g_ptr_array_add (lines, clipped);
  if (doubt != NULL)
    g_ptr_array_add (lines, doubt);
  if (note != NULL)
    g_ptr_array_add (lines, (gpointer)note);
  g_ptr_array_add (lines, NULL);
  run->has_volume = TRUE;
  set_state (run, TL_EXPORT_FINISHED, g_strjoinv ("\n", (char **)lines->pdata));
}

/* Says why the export has no volume, and what is kept. */
static void
take_failure (TlExportRun *run, const Work *work)
{
  const gboolean is_cancelled =
      g_error_matches (work->error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  const char *why = is_cancelled ? _ ("Cancelled") : work->error->message;
  g_autofree char *kept =
      tl_export_report_dup_kept (&work->report, work->error);
  char *status;
  if (kept == NULL)
    status = g_strdup (why);
  else if (work->report.n_slices == 0)
    /* translators: why an export has ended; what is kept of it */
    status = g_strdup_printf (_ ("%s; %s"), why, kept);
  else
    status = g_strdup_printf (_ ("%s; %s, and “Run Again” can go on with them"),
                              why, kept);
  set_state (run, is_cancelled ? TL_EXPORT_CANCELLED : TL_EXPORT_FAILED,
             status);
}

static void
ask (TlExportRun *run, Question *question)
{
  run->can_resume = question->can_resume;
  g_free (run->agreed);
  run->agreed = g_steal_pointer (&question->state);
  notify (run, PROP_CAN_RESUME);
  set_text (run, PROP_QUESTION, &run->question,
            g_steal_pointer (&question->text));
  set_state (run, TL_EXPORT_ASKING, g_strdup_printf ("%s.", run->question));
}

static void
take_result (TlExportRun *run, Work *work)
{
  if (work->error != NULL)
    take_failure (run, work);
  else if (work->question.text != NULL)
    ask (run, &work->question);
  else
    take_success (run, &work->report, work->note);
}

/* Frees the thread's work, when the source of this function is destroyed. */
static gboolean
on_end (gpointer data)
{
  Work *work = data;
  TlExportRun *run = work->run;
  g_clear_handle_id (&run->ticks, g_source_remove);
  take_progress (run);
  update_plan (run);
  run->work = NULL;
  take_result (run, work);
  return G_SOURCE_REMOVE;
}

void
tl_export_run_begin (TlExportRun *run)
{
  g_return_if_fail (TL_IS_EXPORT_RUN (run));
  g_return_if_fail (run->state == TL_EXPORT_WAITING);
  Work *work = g_new0 (Work, 1);
  g_mutex_init (&work->mutex);
  work->run = g_object_ref (run);
  work->cancellable = g_cancellable_new ();
  work->agreed = g_steal_pointer (&run->agreed);
  work->overwrites = run->consent != TL_EXPORT_ASK;
  work->resumes = run->consent == TL_EXPORT_RESUME;
  work->plan.limit = TL_N_PIPELINE_STAGES;
  run->work = work;
  run->left = (TlTimeLeft){ 0 };
  run->progress = 0;
  notify (run, PROP_PROGRESS);
  run->ticks = g_timeout_add (PROGRESS_MS, on_tick, run);
  set_state (run, TL_EXPORT_RUNNING, describe_running (run));
  /* not one of GLib's threads, which could not get its priority back */
  g_thread_unref (g_thread_new ("export", run_in_thread, work));
}

void
tl_export_run_examine (TlExportRun *run, GAsyncReadyCallback callback,
                       gpointer user_data)
{
  g_return_if_fail (TL_IS_EXPORT_RUN (run));
  g_autoptr (GTask) task = g_task_new (run, NULL, callback, user_data);
  g_task_run_in_thread (task, examine);
}

void
tl_export_run_take_findings (TlExportRun *run, GAsyncResult *result)
{
  g_return_if_fail (TL_IS_EXPORT_RUN (run));
  g_autoptr (GError) error = NULL;
  Question *question = g_task_propagate_pointer (G_TASK (result), &error);
  const gboolean is_open =
      run->state == TL_EXPORT_WAITING && run->consent == TL_EXPORT_ASK;
  if (is_open && error != NULL)
    set_state (run, TL_EXPORT_FAILED, g_strdup (error->message));
  else if (is_open && question->text != NULL)
    ask (run, question);
  if (question != NULL)
    question_free (question);
}

void
tl_export_run_wait (TlExportRun *run, TlExportConsent consent)
{
  g_return_if_fail (TL_IS_EXPORT_RUN (run));
  g_return_if_fail (run->state != TL_EXPORT_RUNNING);
  run->consent = consent;
  if (consent == TL_EXPORT_ASK)
    g_clear_pointer (&run->agreed, g_free);
  g_clear_pointer (&run->missing, g_free);
  run->progress = 0;
  notify (run, PROP_PROGRESS);
  set_state (run, TL_EXPORT_WAITING, g_strdup (_ ("Waiting")));
}

void
tl_export_run_cancel (TlExportRun *run)
{
  g_return_if_fail (TL_IS_EXPORT_RUN (run));
  if (run->state == TL_EXPORT_RUNNING)
    g_cancellable_cancel (run->work->cancellable);
  else if (!tl_export_run_has_ended (run))
    set_state (run, TL_EXPORT_CANCELLED,
               g_strdup (run->has_volume
                             ? _ ("Cancelled; the volume stays as it was")
                             : _ ("Cancelled")));
}

/* --- what is known --- */

const char *
tl_export_run_get_path (TlExportRun *run)
{
  g_return_val_if_fail (TL_IS_EXPORT_RUN (run), NULL);
  return run->path;
}

const char *
tl_export_run_get_what (TlExportRun *run)
{
  g_return_val_if_fail (TL_IS_EXPORT_RUN (run), NULL);
  return run->what;
}

TlExportState
tl_export_run_get_state (TlExportRun *run)
{
  g_return_val_if_fail (TL_IS_EXPORT_RUN (run), TL_EXPORT_FAILED);
  return run->state;
}

double
tl_export_run_get_progress (TlExportRun *run)
{
  g_return_val_if_fail (TL_IS_EXPORT_RUN (run), 0);
  return run->progress;
}

size_t
tl_export_run_get_n_slices (TlExportRun *run)
{
  g_return_val_if_fail (TL_IS_EXPORT_RUN (run), 0);
  return run->n_slices;
}

char *
tl_export_run_dup_missing (TlExportRun *run)
{
  g_return_val_if_fail (TL_IS_EXPORT_RUN (run), NULL);
  return g_strdup (run->missing);
}

gboolean
tl_export_run_has_volume (TlExportRun *run)
{
  g_return_val_if_fail (TL_IS_EXPORT_RUN (run), FALSE);
  return run->has_volume;
}

gboolean
tl_export_run_has_ended (TlExportRun *run)
{
  g_return_val_if_fail (TL_IS_EXPORT_RUN (run), TRUE);
  return run->state == TL_EXPORT_FINISHED || run->state == TL_EXPORT_FAILED
         || run->state == TL_EXPORT_CANCELLED;
}

/* --- the object --- */

static void
tl_export_run_get_property (GObject *object, guint prop, GValue *value,
                            GParamSpec *pspec)
{
  TlExportRun *run = TL_EXPORT_RUN (object);
  switch (prop)
    {
    case PROP_STATE:
      g_value_set_uint (value, run->state);
      break;
    case PROP_PROGRESS:
      g_value_set_double (value, run->progress);
      break;
    case PROP_STATUS:
      g_value_set_string (value, run->status);
      break;
    case PROP_PLAN:
      g_value_set_string (value, run->plan);
      break;
    case PROP_QUESTION:
      g_value_set_string (value, run->question);
      break;
    default:
      g_value_set_boolean (value, run->can_resume);
    }
}

static void
tl_export_run_finalize (GObject *object)
{
  TlExportRun *run = TL_EXPORT_RUN (object);
  g_clear_handle_id (&run->ticks, g_source_remove);
  tl_recipe_free (run->recipe);
  g_free (run->scan);
  g_free (run->path);
  g_free (run->what);
  g_free (run->status);
  g_free (run->plan);
  g_free (run->question);
  g_free (run->missing);
  g_free (run->agreed);
  G_OBJECT_CLASS (tl_export_run_parent_class)->finalize (object);
}

static void
tl_export_run_class_init (TlExportRunClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags flags =
      G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY;
  object_class->get_property = tl_export_run_get_property;
  object_class->finalize = tl_export_run_finalize;
  props[PROP_STATE] = g_param_spec_uint (
      "state", NULL, NULL, 0, TL_EXPORT_CANCELLED, TL_EXPORT_WAITING, flags);
  props[PROP_PROGRESS] =
      g_param_spec_double ("progress", NULL, NULL, 0, 1, 0, flags);
  props[PROP_STATUS] = g_param_spec_string ("status", NULL, NULL, NULL, flags);
  props[PROP_PLAN] = g_param_spec_string ("plan", NULL, NULL, NULL, flags);
  props[PROP_QUESTION] =
      g_param_spec_string ("question", NULL, NULL, NULL, flags);
  props[PROP_CAN_RESUME] =
      g_param_spec_boolean ("can-resume", NULL, NULL, FALSE, flags);
  g_object_class_install_properties (object_class, N_PROPS, props);
}

static void
tl_export_run_init (TlExportRun *run)
{
  run->status = g_strdup (_ ("Waiting"));
}

TlExportRun *
tl_export_run_new (const TlScanSummary *scan, const TlRecipe *recipe,
                   const char *path, const TlExportSettings *settings,
                   TlExportConsent consent)
{
  g_return_val_if_fail (scan != NULL && recipe != NULL, NULL);
  g_return_val_if_fail (path != NULL && settings != NULL, NULL);
  TlExportRun *run = g_object_new (TL_TYPE_EXPORT_RUN, NULL);
  TlVolumeInfo info;
  run->scan = g_strdup (scan->path);
  run->n_projections = scan->n_projections;
  run->n_cols = scan->n_cols;
  run->path = g_strdup (path);
  run->recipe = tl_recipe_dup (recipe);
  run->settings = *settings;
  run->consent = consent;
  tl_export_settings_describe (settings, &recipe->params.grid, 0, &info);
  run->n_slices = info.n_slices;
  run->what = describe_what (run);
  return run;
}
