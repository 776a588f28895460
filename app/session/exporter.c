#include "app/session/exporter.h"

#include "data/error.h"
#include "data/stream/stream.h"

#include <glib/gi18n.h>
#include <string.h>

struct _TlExporter
{
  GObject parent;
  TlParameters *parameters;
  TlScanSource *source;
  TlMessages *messages;

  GListStore *runs; /* of TlExportRun */
  GQueue waiting;   /* of TlExportRun, which the list owns: the next is first */
  TlExportRun *run; /* (nullable): runs, or was the last one */
  guint n_examined; /* threads that look at the places of runs */
  char *refused;    /* (nullable): path to which an export was refused last,
                       while another one to it had not ended */
  char *refusal;    /* (nullable): the reason that was told last for refusing
                       an export */
};

enum
{
  PROP_0,
  PROP_RUNNING,
  PROP_PROGRESS,
  N_PROPS
};

static GParamSpec *props[N_PROPS];

enum
{
  ENDED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (TlExporter, tl_exporter, G_TYPE_OBJECT)

/* --- the queue --- */

static gboolean
is_at_work (TlExporter *self)
{
  return self->run != NULL
         && tl_export_run_get_state (self->run) == TL_EXPORT_RUNNING;
}

static void
notify_state (TlExporter *self)
{
  for (guint k = PROP_0 + 1; k < N_PROPS; k++)
    g_object_notify_by_pspec (G_OBJECT (self), props[k]);
}

static void
start_next (TlExporter *self)
{
  if (!is_at_work (self) && !g_queue_is_empty (&self->waiting))
    {
      g_set_object (&self->run, g_queue_pop_head (&self->waiting));
      tl_export_run_begin (self->run);
    }
  notify_state (self);
}

static void
on_examined (GObject *run, GAsyncResult *result, gpointer data)
{
  g_autoptr (TlExporter) self = data;
  self->n_examined--;
  tl_export_run_take_findings (TL_EXPORT_RUN (run), result);
}

/* An export that does not begin at once asks now what it has to ask, while the
 * user is there. */
static void
enqueue (TlExporter *self, TlExportRun *run, TlExportConsent consent)
{
  g_queue_push_tail (&self->waiting, run);
  start_next (self);
  if (tl_export_run_get_state (run) != TL_EXPORT_WAITING
      || consent != TL_EXPORT_ASK)
    return;
  self->n_examined++;
  tl_export_run_examine (run, on_examined, g_object_ref (self));
}

/* --- the runs --- */

/* @error: (out): says that another export to @path has not ended */
static gboolean
check_target (TlExporter *self, const char *path, GError **error)
{
  if (!tl_exporter_has_target (self, path))
    return TRUE;
  tl_fail (error, TL_ERROR_VALUE,
           _ ("another export to %s has not ended; wait for it, "
              "cancel it, or choose another name"),
           path);
  g_free (self->refused);
  self->refused = g_canonicalize_filename (path, NULL);
  return FALSE;
}

static void
tell_refusal (TlExporter *self, const GError *error)
{
  g_free (self->refusal);
  self->refusal = g_strdup (error->message);
  tl_messages_warn (self->messages, FALSE,
                    _ ("The slices cannot be exported: %s"), error->message);
}

static void
tell_success (TlExporter *self, TlExportRun *run)
{
  g_autofree char *status = NULL;
  g_autofree char *missing = tl_export_run_dup_missing (run);
  g_object_get (run, "status", &status, NULL);
  char *end = strchr (status, '\n');
  if (end != NULL) /* only the result: what is missing is a warning */
    *end = '\0';
  tl_messages_clear_warning (self->messages, TRUE);
  tl_messages_tell (self->messages, "%s", status);
  if (missing != NULL)
    tl_messages_warn (self->messages, TRUE, "%s", missing);
}

static void
tell_failure (TlExporter *self, TlExportRun *run)
{
  g_autofree char *status = NULL;
  g_object_get (run, "status", &status, NULL);
  tl_messages_warn (self->messages, TRUE, "%s", status);
}

void
tl_exporter_withdraw_refusal (TlExporter *self)
{
  g_return_if_fail (TL_IS_EXPORTER (self));
  g_autofree char *message = NULL;
  g_object_get (self->messages, "message", &message, NULL);
  if (message != NULL && self->refusal != NULL
      && strstr (message, self->refusal) != NULL)
    tl_messages_clear_warning (self->messages, FALSE);
}

/* What the message says of another export is over when that has ended. Other
 * messages stay. */
static void
withdraw_ended (TlExporter *self)
{
  if (self->refused == NULL || tl_exporter_has_target (self, self->refused))
    return;
  g_clear_pointer (&self->refused, g_free);
  tl_exporter_withdraw_refusal (self);
}

static void
on_state (TlExportRun *run, GParamSpec *pspec, gpointer data)
{
  TlExporter *self = data;
  const TlExportState state = tl_export_run_get_state (run);
  if (state == TL_EXPORT_WAITING || state == TL_EXPORT_RUNNING)
    return;
  g_queue_remove (&self->waiting, run);
  withdraw_ended (self);
  if (state == TL_EXPORT_FINISHED)
    tell_success (self, run);
  else if (state == TL_EXPORT_FAILED)
    tell_failure (self, run);
  if (state == TL_EXPORT_FINISHED || state == TL_EXPORT_FAILED)
    g_signal_emit (self, signals[ENDED], 0, run);
  start_next (self);
}

static void
on_progress (TlExportRun *run, GParamSpec *pspec, gpointer data)
{
  TlExporter *self = data;
  if (run == self->run)
    g_object_notify_by_pspec (G_OBJECT (self), props[PROP_PROGRESS]);
}

char *
tl_exporter_dup_objection (TlExporter *self)
{
  g_return_val_if_fail (TL_IS_EXPORTER (self), NULL);
  const TlScanSummary *scan = tl_scan_source_get_summary (self->source);
  if (scan == NULL)
    return g_strdup (_ ("no scan is open"));
  if (!tl_scan_source_is_held (self->source))
    return NULL;
  const char *copy = tl_scan_source_get_copy (self->source);
  if (copy != NULL)
    return g_strdup_printf (
        _ ("the scan that is shown is in memory only; what was recorded of "
           "it is in %s: open that file, and export it"),
        copy);
  return g_strdup (
      tl_stream_is_address (scan->path)
          ? _ ("the scan has come over the network and is in memory "
               "only; if it is recorded, export it when it is complete, or "
               "else from the file that the beamline has written")
          : _ ("the scan was not complete when it was read; open it "
               "again when it is, and export it then"));
}

TlExportRun *
tl_exporter_start (TlExporter *self, const char *path,
                   const TlExportSettings *settings, TlExportConsent consent)
{
  g_return_val_if_fail (TL_IS_EXPORTER (self), NULL);
  g_return_val_if_fail (path != NULL && settings != NULL, NULL);
  const TlScanSummary *scan = tl_scan_source_get_summary (self->source);
  const TlRecipe *recipe = tl_parameters_get_recipe (self->parameters);
  g_autoptr (GError) error = NULL;
  g_autofree char *objection = tl_exporter_dup_objection (self);
  g_clear_pointer (&self->refused, g_free);
  if (objection != NULL)
    tl_fail (&error, TL_ERROR_VALUE, "%s", objection);
  else if (tl_export_settings_check (settings, &recipe->params.grid,
                                     scan->n_rows, &error))
    check_target (self, path, &error);
  if (error != NULL)
    {
      tell_refusal (self, error);
      return NULL;
    }
  g_autoptr (TlExportRun) run =
      tl_export_run_new (scan, recipe, path, settings, consent);
  g_signal_connect_object (run, "notify::state", G_CALLBACK (on_state), self,
                           0);
  g_signal_connect_object (run, "notify::progress", G_CALLBACK (on_progress),
                           self, 0);
  g_list_store_append (self->runs, run);
  tl_messages_dismiss (self->messages);
  enqueue (self, run, consent);
  return run;
}

GListModel *
tl_exporter_get_runs (TlExporter *self)
{
  g_return_val_if_fail (TL_IS_EXPORTER (self), NULL);
  return G_LIST_MODEL (self->runs);
}

gboolean
tl_exporter_has_target (TlExporter *self, const char *path)
{
  g_return_val_if_fail (TL_IS_EXPORTER (self) && path != NULL, FALSE);
  GListModel *runs = G_LIST_MODEL (self->runs);
  g_autofree char *wanted = g_canonicalize_filename (path, NULL);
  for (guint k = 0; k < g_list_model_get_n_items (runs); k++)
    {
      g_autoptr (TlExportRun) run = g_list_model_get_item (runs, k);
      g_autofree char *target =
          g_canonicalize_filename (tl_export_run_get_path (run), NULL);
      if (!tl_export_run_has_ended (run) && strcmp (target, wanted) == 0)
        return TRUE;
    }
  return FALSE;
}

void
tl_exporter_answer (TlExporter *self, TlExportRun *run, TlExportConsent consent)
{
  g_return_if_fail (TL_IS_EXPORTER (self));
  if (tl_export_run_get_state (run) != TL_EXPORT_ASKING)
    return;
  tl_export_run_wait (run, consent);
  g_queue_push_head (&self->waiting, run);
  start_next (self);
}

void
tl_exporter_run_again (TlExporter *self, TlExportRun *run)
{
  g_return_if_fail (TL_IS_EXPORTER (self));
  g_autoptr (GError) error = NULL;
  if (!tl_export_run_has_ended (run))
    return;
  if (!check_target (self, tl_export_run_get_path (run), &error))
    {
      tell_refusal (self, error);
      return;
    }
  tl_export_run_wait (run, TL_EXPORT_ASK);
  enqueue (self, run, TL_EXPORT_ASK);
}

void
tl_exporter_remove (TlExporter *self, TlExportRun *run)
{
  guint place;
  g_return_if_fail (TL_IS_EXPORTER (self));
  if (tl_export_run_has_ended (run)
      && g_list_store_find (self->runs, run, &place))
    g_list_store_remove (self->runs, place);
}

void
tl_exporter_cancel (TlExporter *self)
{
  g_return_if_fail (TL_IS_EXPORTER (self));
  if (self->run != NULL)
    tl_export_run_cancel (self->run);
}

static void
cancel_all (TlExporter *self)
{
  GListModel *runs = G_LIST_MODEL (self->runs);
  /* from the last on, so that none of them begins when the first ends */
  for (guint k = g_list_model_get_n_items (runs); k > 0; k--)
    {
      g_autoptr (TlExportRun) run = g_list_model_get_item (runs, k - 1);
      if (run != self->run)
        tl_export_run_cancel (run);
    }
  tl_exporter_cancel (self);
}

void
tl_exporter_stop (TlExporter *self)
{
  cancel_all (self);
  while (is_at_work (self) || self->n_examined > 0)
    g_main_context_iteration (NULL, TRUE);
}

/* --- in numbers and words --- */

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

static double
get_progress (TlExporter *self)
{
  return self->run != NULL ? tl_export_run_get_progress (self->run) : 0;
}

char *
tl_exporter_dup_progress (TlExporter *self)
{
  g_return_val_if_fail (TL_IS_EXPORTER (self), NULL);
  g_autofree char *status = NULL;
  if (self->run == NULL)
    return g_strdup ("");
  g_object_get (self->run, "status", &status, NULL);
  /* translators: how many slices are made, and how much time is left */
  return g_strdup_printf (_ ("Exporting: %s"), status);
}

/* --- the object --- */

static void
tl_exporter_get_property (GObject *object, guint prop, GValue *value,
                          GParamSpec *pspec)
{
  TlExporter *self = TL_EXPORTER (object);
  if (prop == PROP_RUNNING)
    g_value_set_boolean (value, is_at_work (self)
                                    || !g_queue_is_empty (&self->waiting));
  else
    g_value_set_double (value, get_progress (self));
}

static void
tl_exporter_finalize (GObject *object)
{
  TlExporter *self = TL_EXPORTER (object);
  g_queue_clear (&self->waiting);
  g_free (self->refused);
  g_free (self->refusal);
  g_clear_object (&self->run);
  g_object_unref (self->runs);
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
  g_object_class_install_properties (object_class, N_PROPS, props);
  signals[ENDED] =
      g_signal_new ("ended", TL_TYPE_EXPORTER, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                    NULL, G_TYPE_NONE, 1, TL_TYPE_EXPORT_RUN);
}

static void
tl_exporter_init (TlExporter *self)
{
  g_queue_init (&self->waiting);
  self->runs = g_list_store_new (TL_TYPE_EXPORT_RUN);
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
