#include "app/session/exporter.h"

#include "data/error.h"
#include "data/write/part-file.h"

#include <glib/gi18n.h>
#include <sys/resource.h>
#include <unistd.h>

#define PROGRESS_MS 100
#define NICE 10
#define PARTS 1000000 /* of the progress, as an integer */

/* One export. The thread that runs it owns all but the members that say
 * otherwise. */
typedef struct
{
  gatomicrefcount ref_count;
  char *scan, *path;
  TlRecipe *recipe;
  TlExportSettings settings;
  gboolean overwrites, resumes;
  GCancellable *cancellable; /* any thread */
  gint progress;             /* atomic: of PARTS */
  char *question; /* (nullable): set if the user has to agree to something */
  gboolean can_resume;
  TlExportReport report;
} Run;

struct _TlExporter
{
  GObject parent;
  TlParameters *parameters;
  TlScanSource *source;
  TlMessages *messages;

  GQueue waiting;  /* of Run */
  Run *run;        /* (nullable): the thread works on it, or the last one */
  gboolean works;  /* a thread works on it */
  guint ticks;     /* source that reports the progress; 0: none */
  double progress; /* of the run */
};

enum
{
  PROP_0,
  PROP_RUNNING,
  PROP_PROGRESS,
  PROP_QUESTION,
  PROP_CAN_RESUME,
  N_PROPS
};

static GParamSpec *props[N_PROPS];

G_DEFINE_FINAL_TYPE (TlExporter, tl_exporter, G_TYPE_OBJECT)

static void start_next (TlExporter *self);

/* --- one export --- */

static Run *
run_ref (Run *run)
{
  g_atomic_ref_count_inc (&run->ref_count);
  return run;
}

static void
run_unref (gpointer data)
{
  Run *run = data;
  if (!g_atomic_ref_count_dec (&run->ref_count))
    return;
  tl_export_report_clear (&run->report);
  tl_recipe_free (run->recipe);
  g_object_unref (run->cancellable);
  g_free (run->question);
  g_free (run->scan);
  g_free (run->path);
  g_free (run);
}

static void
note_progress (double fraction, gpointer data)
{
  g_atomic_int_set (&((Run *)data)->progress, (gint)(fraction * PARTS));
}

static gboolean
do_run (Run *run, GError **error)
{
  const TlExportJob job = {
    .scan = run->scan,
    .recipe = run->recipe,
    .path = run->path,
    .settings = run->settings,
    .overwrites = run->overwrites,
    .resumes = run->resumes,
  };
  g_clear_pointer (&run->question, g_free);
  if (!tl_export_check_target (&job, &run->question, &run->can_resume, error))
    return FALSE;
  if (run->question != NULL && !run->overwrites)
    return TRUE;
  g_clear_pointer (&run->question, g_free);
  return tl_export (&job, NULL, note_progress, run, run->cancellable,
                    &run->report, error);
}

/* The thread, and all that the export starts from it, leaves the processors to
 * the window and its previews. */
static gpointer
run_in_thread (gpointer data)
{
  g_autoptr (GTask) task = data;
  GError *error = NULL;
  setpriority (PRIO_PROCESS, (id_t)gettid (), NICE);
  if (do_run (g_task_get_task_data (task), &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
  return NULL;
}

/* --- the queue --- */

static void
notify_state (TlExporter *self)
{
  for (guint k = PROP_0 + 1; k < N_PROPS; k++)
    g_object_notify_by_pspec (G_OBJECT (self), props[k]);
}

static void
take_progress (TlExporter *self)
{
  const double progress =
      (double)g_atomic_int_get (&self->run->progress) / PARTS;
  if (progress == self->progress)
    return;
  self->progress = progress;
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_PROGRESS]);
}

static gboolean
on_tick (gpointer data)
{
  take_progress (data);
  return G_SOURCE_CONTINUE;
}

static void
report_success (TlExporter *self, const Run *run)
{
  const TlExportReport *report = &run->report;
  const size_t n = report->n_slices;
  const guint n_failures = report->failures->len;
  g_autofree char *limit = tl_pipeline_describe_limit (&report->pipeline);
  tl_messages_clear_warning (self->messages, TRUE);
  tl_messages_tell (self->messages,
                    g_dngettext (NULL, "%zu slice written to %s, %s",
                                 "%zu slices written to %s, %s", n),
                    n, run->path, limit);
  if (n_failures > 0)
    tl_messages_warn (
        self->messages, TRUE,
        g_dngettext (NULL, "%u slice is missing in %s: %s",
                     "%u slices are missing in %s; the first: %s", n_failures),
        n_failures, run->path, (char *)report->failures->pdata[0]);
}

static void
on_done (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (TlExporter) self = data;
  g_autoptr (GError) error = NULL;
  Run *run = self->run;
  g_clear_handle_id (&self->ticks, g_source_remove);
  self->works = FALSE;
  const gboolean good = g_task_propagate_boolean (G_TASK (result), &error);
  if (!good && !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    tl_messages_warn (self->messages, TRUE, "%s", error->message);
  else if (good && run->question == NULL)
    report_success (self, run);
  take_progress (self);
  start_next (self);
}

/* Starts the thread for self->run. */
static void
start_thread (TlExporter *self)
{
  GTask *task =
      g_task_new (self, self->run->cancellable, on_done, g_object_ref (self));
  self->works = TRUE;
  self->progress = 0;
  self->run->progress = 0;
  self->ticks = g_timeout_add (PROGRESS_MS, on_tick, self);
  g_task_set_task_data (task, run_ref (self->run), run_unref);
  /* not one of GLib's threads, which could not be given its priority back */
  g_thread_unref (g_thread_new ("export", run_in_thread, task));
  notify_state (self);
}

/* Unless an export runs, or waits for an answer. */
static void
start_next (TlExporter *self)
{
  if (self->works || (self->run != NULL && self->run->question != NULL)
      || g_queue_is_empty (&self->waiting))
    {
      notify_state (self);
      return;
    }
  g_clear_pointer (&self->run, run_unref);
  self->run = g_queue_pop_head (&self->waiting);
  start_thread (self);
}

void
tl_exporter_start (TlExporter *self, const char *path,
                   const TlExportSettings *settings)
{
  g_return_if_fail (TL_IS_EXPORTER (self));
  g_return_if_fail (path != NULL && settings != NULL);
  const TlScanSummary *scan = tl_scan_source_get_summary (self->source);
  const TlRecipe *recipe = tl_parameters_get_recipe (self->parameters);
  g_autoptr (GError) error = NULL;
  if (!tl_scan_source_is_open (self->source))
    tl_fail (&error, TL_ERROR_VALUE, _ ("no scan is open"));
  else
    tl_export_settings_check (settings, &recipe->params.grid, scan->n_rows,
                              &error);
  if (error != NULL)
    {
      tl_messages_warn (self->messages, FALSE,
                        _ ("The slices cannot be exported: %s"),
                        error->message);
      return;
    }
  Run *run = g_new0 (Run, 1);
  g_atomic_ref_count_init (&run->ref_count);
  run->scan = g_strdup (scan->path);
  run->path = g_strdup (path);
  run->recipe = tl_recipe_dup (recipe);
  run->settings = *settings;
  run->cancellable = g_cancellable_new ();
  g_queue_push_tail (&self->waiting, run);
  tl_messages_dismiss (self->messages);
  start_next (self);
}

void
tl_exporter_answer (TlExporter *self, TlExportAnswer answer)
{
  g_return_if_fail (TL_IS_EXPORTER (self));
  if (self->works || self->run == NULL || self->run->question == NULL)
    return;
  g_clear_pointer (&self->run->question, g_free);
  if (answer == TL_EXPORT_GIVE_UP)
    {
      start_next (self);
      return;
    }
  self->run->overwrites = TRUE;
  self->run->resumes = answer == TL_EXPORT_RESUME;
  start_thread (self);
}

void
tl_exporter_cancel (TlExporter *self)
{
  g_return_if_fail (TL_IS_EXPORTER (self));
  g_queue_clear_full (&self->waiting, run_unref);
  tl_exporter_answer (self, TL_EXPORT_GIVE_UP);
  if (self->works)
    g_cancellable_cancel (self->run->cancellable);
}

void
tl_exporter_stop (TlExporter *self)
{
  tl_exporter_cancel (self);
  while (self->works)
    g_main_context_iteration (NULL, TRUE);
}

/* --- what the dialog asks --- */

guint64
tl_exporter_count_bytes (TlExporter *self, const TlExportSettings *settings)
{
  g_return_val_if_fail (TL_IS_EXPORTER (self), 0);
  const TlRecipe *recipe = tl_parameters_get_recipe (self->parameters);
  TlVolumeInfo info;
  if (!tl_scan_source_is_open (self->source))
    return 0;
  tl_export_settings_describe (settings, &recipe->params.grid, 0, &info);
  return tl_volume_count_bytes (&info);
}

gboolean
tl_exporter_has_room (TlExporter *self, const char *path,
                      const TlExportSettings *settings)
{
  g_return_val_if_fail (path != NULL, FALSE);
  return tl_check_room (path, tl_exporter_count_bytes (self, settings), NULL);
}

char *
tl_exporter_dup_progress (TlExporter *self)
{
  g_return_val_if_fail (TL_IS_EXPORTER (self), NULL);
  const guint n = self->run != NULL ? (guint)self->run->settings.n_rows : 0;
  /* translators: so many are written, of so many */
  return g_strdup_printf (g_dngettext (NULL, "Exporting: %.0f of %u slice",
                                       "Exporting: %.0f of %u slices", n),
                          self->progress * n, n);
}

/* --- the object --- */

static void
tl_exporter_get_property (GObject *object, guint prop, GValue *value,
                          GParamSpec *pspec)
{
  TlExporter *self = TL_EXPORTER (object);
  if (prop == PROP_RUNNING)
    g_value_set_boolean (value,
                         self->works || !g_queue_is_empty (&self->waiting));
  else if (prop == PROP_PROGRESS)
    g_value_set_double (value, self->progress);
  else if (self->works || self->run == NULL)
    return; /* the thread may be writing the question */
  else if (prop == PROP_QUESTION)
    g_value_set_string (value, self->run->question);
  else
    g_value_set_boolean (value, self->run->can_resume);
}

static void
tl_exporter_finalize (GObject *object)
{
  TlExporter *self = TL_EXPORTER (object);
  g_queue_clear_full (&self->waiting, run_unref);
  g_clear_pointer (&self->run, run_unref);
  g_object_unref (self->parameters);
  g_object_unref (self->source);
  g_object_unref (self->messages);
  G_OBJECT_CLASS (tl_exporter_parent_class)->finalize (object);
}

static void
tl_exporter_class_init (TlExporterClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags flags =
      G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY;
  object_class->get_property = tl_exporter_get_property;
  object_class->finalize = tl_exporter_finalize;
  props[PROP_RUNNING] =
      g_param_spec_boolean ("running", NULL, NULL, FALSE, flags);
  props[PROP_PROGRESS] =
      g_param_spec_double ("progress", NULL, NULL, 0, 1, 0, flags);
  props[PROP_QUESTION] =
      g_param_spec_string ("question", NULL, NULL, NULL, flags);
  props[PROP_CAN_RESUME] =
      g_param_spec_boolean ("can-resume", NULL, NULL, FALSE, flags);
  g_object_class_install_properties (object_class, N_PROPS, props);
}

static void
tl_exporter_init (TlExporter *self)
{
  g_queue_init (&self->waiting);
}

TlExporter *
tl_exporter_new (TlParameters *parameters, TlScanSource *source,
                 TlMessages *messages)
{
  TlExporter *self = g_object_new (TL_TYPE_EXPORTER, NULL);
  self->parameters = g_object_ref (parameters);
  self->source = g_object_ref (source);
  self->messages = g_object_ref (messages);
  return self;
}
