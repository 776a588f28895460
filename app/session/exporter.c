#include "app/session/exporter.h"

#include "data/write/writer.h"

#include <glib/gi18n.h>

struct _TlExporter
{
  GObject parent;
  TlParameters *parameters;
  TlScanSource *source;
  TlRequests *requests;
  TlMessages *messages;

  guint64 serial; /* of the job; 0: none */
  char *folder;
  GCancellable *cancellable;
  guint n_slices; /* in the last export */
  double progress;
};

enum
{
  PROP_0,
  PROP_RUNNING,
  PROP_PROGRESS,
  N_PROPS
};

static GParamSpec *props[N_PROPS];

G_DEFINE_FINAL_TYPE (TlExporter, tl_exporter, G_TYPE_OBJECT)

double
tl_exporter_get_slice_bytes (TlExporter *self)
{
  const TlGrid *grid =
      &tl_parameters_get_recipe (self->parameters)->params.grid;
  return tl_scan_source_is_open (self->source)
             ? (double)grid->nx * (double)grid->ny * sizeof (float)
             : 0;
}

void
tl_exporter_start (TlExporter *self, const char *folder, guint first,
                   guint last)
{
  g_return_if_fail (TL_IS_EXPORTER (self));
  g_return_if_fail (folder != NULL);
  if (!tl_scan_source_is_open (self->source) || self->serial != 0
      || first > last
      || last >= tl_scan_source_get_summary (self->source)->n_rows)
    {
      const char *why = !tl_scan_source_is_open (self->source)
                            ? _ ("no scan is open")
                        : self->serial != 0 ? _ ("an export is already running")
                                            : _ ("there are no such slices");
      tl_messages_warn (self->messages, FALSE,
                        _ ("The slices cannot be exported: %s"), why);
      return;
    }
  TlJob *job = tl_requests_make_job (
      self->requests, TL_JOB_EXPORT,
      tl_parameters_get_recipe (self->parameters), folder);
  job->first_row = first;
  job->n_rows = (size_t)last - first + 1;
  job->cancellable = g_cancellable_new ();
  self->serial = job->serial;
  self->cancellable = g_object_ref (job->cancellable);
  self->n_slices = last - first + 1;
  self->progress = 0;
  g_free (self->folder);
  self->folder = g_strdup (folder);
  tl_messages_dismiss (self->messages);
  tl_requests_push (self->requests, job);
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_RUNNING]);
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_PROGRESS]);
}

gboolean
tl_exporter_has_room (TlExporter *self, const char *folder, guint first,
                      guint last)
{
  g_return_val_if_fail (TL_IS_EXPORTER (self) && folder != NULL, FALSE);
  g_return_val_if_fail (first <= last, FALSE);
  const size_t n_pixels =
      (size_t)(tl_exporter_get_slice_bytes (self) / sizeof (float));
  return n_pixels == 0
         || tl_writer_check_room (folder, first, (size_t)last - first + 1, 1,
                                  n_pixels, NULL, NULL);
}

char *
tl_exporter_dup_progress (TlExporter *self)
{
  g_return_val_if_fail (TL_IS_EXPORTER (self), NULL);
  const guint n = self->n_slices;
  /* translators: so many are written, of so many */
  return g_strdup_printf (g_dngettext (NULL, "Exporting: %.0f of %u slice",
                                       "Exporting: %.0f of %u slices", n),
                          self->progress * n, n);
}

void
tl_exporter_cancel (TlExporter *self)
{
  g_return_if_fail (TL_IS_EXPORTER (self));
  if (self->cancellable != NULL)
    g_cancellable_cancel (self->cancellable);
}

void
tl_exporter_take_reply (TlExporter *self, TlReply *reply)
{
  if (reply->serial != self->serial)
    return;
  if (self->progress != reply->progress && reply->error == NULL)
    {
      self->progress = reply->progress;
      g_object_notify_by_pspec (G_OBJECT (self), props[PROP_PROGRESS]);
    }
  if (reply->progress < 1)
    return;
  self->serial = 0;
  g_clear_object (&self->cancellable);
  if (reply->error == NULL)
    {
      const size_t n = reply->export_report.n_slices;
      g_autofree char *limit =
          tl_pipeline_describe_limit (&reply->export_report.pipeline);
      tl_messages_clear_warning (self->messages, TRUE);
      tl_messages_tell (self->messages,
                        g_dngettext (NULL, "%zu slice written to %s, %s",
                                     "%zu slices written to %s, %s", n),
                        n, self->folder, limit);
    }
  else if (!g_error_matches (reply->error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    tl_messages_warn (self->messages, TRUE, "%s", reply->error->message);
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_RUNNING]);
}

static void
tl_exporter_get_property (GObject *object, guint prop, GValue *value,
                          GParamSpec *pspec)
{
  TlExporter *self = TL_EXPORTER (object);
  if (prop == PROP_RUNNING)
    g_value_set_boolean (value, self->serial != 0);
  else
    g_value_set_double (value, self->progress);
}

static void
tl_exporter_finalize (GObject *object)
{
  TlExporter *self = TL_EXPORTER (object);
  g_clear_object (&self->cancellable);
  g_free (self->folder);
  g_object_unref (self->parameters);
  g_object_unref (self->source);
  g_object_unref (self->requests);
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
}

static void
tl_exporter_init (TlExporter *self)
{
}

TlExporter *
tl_exporter_new (TlParameters *parameters, TlScanSource *source,
                 TlRequests *requests, TlMessages *messages)
{
  TlExporter *self = g_object_new (TL_TYPE_EXPORTER, NULL);
  self->parameters = g_object_ref (parameters);
  self->source = g_object_ref (source);
  self->requests = g_object_ref (requests);
  self->messages = g_object_ref (messages);
  return self;
}
