#include "ui/desktop/notifications.h"

#include "app/axis/candidates/candidates.h"
#include "app/axis/centre-search.h"
#include "app/axis/map.h"

#include <glib/gi18n.h>

typedef struct
{
  gint64 start_us; /* 0: it does not run */
} Work;

struct TlNotifications
{
  GtkApplication *application; /* not owned */
  TlSession *session;
  double long_s;
  Work search, map, candidates;
};

/* --- to the desktop --- */

static void
on_service (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (GNotification) notification = data;
  g_autoptr (GDBusProxy) service = g_dbus_proxy_new_finish (result, NULL);
  g_autofree char *owner =
      service != NULL ? g_dbus_proxy_get_name_owner (service) : NULL;
  GApplication *application = g_application_get_default ();

  if (owner != NULL && application != NULL)
    g_application_send_notification (
        application, g_object_get_data (G_OBJECT (notification), "tl-id"),
        notification);
}

static gboolean
is_seen (TlNotifications *self)
{
  for (GList *l = gtk_application_get_windows (self->application); l != NULL;
       l = l->next)
    if (gtk_window_is_active (l->data))
      return TRUE;
  return FALSE;
}

/* GLib warns where no service shows notifications, so one is looked for first,
 * and started if it can be.
 *
 * @id: (transfer full): a newer notification replaces the older one of the same
 * name */
static void
tell (TlNotifications *self, char *id, const char *title, const char *body)
{
  GDBusConnection *bus =
      g_application_get_dbus_connection (G_APPLICATION (self->application));
  g_autoptr (GNotification) notification = g_notification_new (title);

  g_notification_set_body (notification, body);
  g_notification_set_default_action (notification, "app.show-window");
  g_object_set_data_full (G_OBJECT (notification), "tl-id", id, g_free);
  if (bus != NULL && !is_seen (self))
    g_dbus_proxy_new (bus,
                      G_DBUS_PROXY_FLAGS_DO_NOT_LOAD_PROPERTIES
                          | G_DBUS_PROXY_FLAGS_DO_NOT_CONNECT_SIGNALS,
                      NULL, "org.freedesktop.Notifications",
                      "/org/freedesktop/Notifications",
                      "org.freedesktop.Notifications", NULL, on_service,
                      g_object_ref (notification));
}

/* --- what ends --- */

static void
on_export_ended (TlNotifications *self, TlExportRun *run)
{
  const gboolean is_good = tl_export_run_get_state (run) == TL_EXPORT_FINISHED;
  g_autofree char *status = NULL;

  g_object_get (run, "status", &status, NULL);
  tell (self, g_strconcat ("export ", tl_export_run_get_path (run), NULL),
        is_good ? _ ("The export is finished") : _ ("The export has failed"),
        status);
}

/* Returns: whether the work has ended, and was long */
static gboolean
note (TlNotifications *self, Work *work, gboolean runs)
{
  const gint64 now_us = g_get_monotonic_time ();
  const gboolean is_long =
      work->start_us > 0
      && (double)(now_us - work->start_us) / 1e6 >= self->long_s;

  if (!runs)
    work->start_us = 0;
  else if (work->start_us == 0)
    work->start_us = now_us;
  return !runs && is_long;
}

static void
on_search (TlNotifications *self)
{
  TlCentreSearch *search = tl_session_get_centre_search (self->session);
  const TlCentreSearchState state = tl_centre_search_get_state (search);
  const gboolean runs =
      state == TL_CENTRE_SEARCH_READING || state == TL_CENTRE_SEARCH_ESTIMATING;
  const gboolean is_long = note (self, &self->search, runs);
  const char *said = tl_centre_search_get_note (search);
  TlCentreAgreement agreement;

  if (!is_long || state == TL_CENTRE_SEARCH_IDLE)
    return;
  if (tl_centre_search_get_agreement (search, &agreement))
    said = agreement.sentence;
  tell (self, g_strdup ("search"), _ ("The search of the axis has ended"),
        said);
}

/* @problem: (nullable): the error that has ended the work */
static void
on_busy (TlNotifications *self, GObject *object, Work *work, const char *id,
         const char *title, const char *problem)
{
  const char *path = tl_scan_source_get_name (self->session->source);
  g_autofree char *name =
      path != NULL ? g_filename_display_basename (path) : NULL;
  gboolean busy;

  g_object_get (object, "busy", &busy, NULL);
  if (note (self, work, busy) && name != NULL)
    tell (self, g_strdup (id), title, problem != NULL ? problem : name);
}

static void
on_map (TlNotifications *self)
{
  TlAxisMap *map = tl_session_get_axis_map (self->session);

  on_busy (self, G_OBJECT (map), &self->map, "map",
           _ ("The measurement over the height has ended"),
           tl_axis_map_get_problem (map));
}

static void
on_candidates (TlNotifications *self)
{
  on_busy (self, G_OBJECT (tl_session_get_candidates (self->session)),
           &self->candidates, "candidates",
           _ ("The work on the candidates has ended"), NULL);
}

/* --- life --- */

TlNotifications *
tl_notifications_new (GtkApplication *application, TlSession *session,
                      double long_s)
{
  TlNotifications *self = g_new0 (TlNotifications, 1);

  self->application = application;
  self->session = g_object_ref (session);
  self->long_s = long_s;
  g_signal_connect_swapped (session->exporter, "ended",
                            G_CALLBACK (on_export_ended), self);
  g_signal_connect_swapped (tl_session_get_centre_search (session),
                            "notify::state", G_CALLBACK (on_search), self);
  g_signal_connect_swapped (tl_session_get_axis_map (session), "notify::busy",
                            G_CALLBACK (on_map), self);
  g_signal_connect_swapped (tl_session_get_candidates (session), "notify::busy",
                            G_CALLBACK (on_candidates), self);
  return self;
}

void
tl_notifications_free (TlNotifications *self)
{
  gpointer objects[] = { self->session->exporter,
                         tl_session_get_centre_search (self->session),
                         tl_session_get_axis_map (self->session),
                         tl_session_get_candidates (self->session) };

  for (guint i = 0; i < G_N_ELEMENTS (objects); i++)
    g_signal_handlers_disconnect_by_data (objects[i], self);
  g_object_unref (self->session);
  g_free (self);
}
