#include "ui/export/export-row.h"

#include "ui/view/widget.h"

#include <glib/gi18n.h>

struct _TlExportRow
{
  GtkBox parent_instance;

  TlExporter *exporter; /* not owned: the session's */
  TlExportRun *run;
  GtkLabel *title_label, *what_label, *plan_label, *status_label;
  GtkProgressBar *progress_bar;
  GtkButton *cancel_button, *replace_button, *resume_button, *show_button,
      *again_button, *remove_button;
};

G_DEFINE_FINAL_TYPE (TlExportRow, tl_export_row, GTK_TYPE_BOX)

/* --- what is shown --- */

/* A hidden button cannot keep the focus: the first one of the row gets it. */
static void
keep_focus (GtkWidget *before)
{
  GtkWidget *next = gtk_widget_get_first_child (gtk_widget_get_parent (before));

  while (next != NULL
         && !(GTK_IS_BUTTON (next) && gtk_widget_get_visible (next)))
    next = gtk_widget_get_next_sibling (next);
  if (next != NULL)
    gtk_widget_grab_focus (next);
}

static void
update_buttons (TlExportRow *self, TlExportState state, gboolean can_resume)
{
  const gboolean asks = state == TL_EXPORT_ASKING;
  const gboolean has_ended = tl_export_run_has_ended (self->run);
  GtkWidget *focus = gtk_widget_get_focus_child (
      gtk_widget_get_parent (GTK_WIDGET (self->cancel_button)));

#define SHOW(button, when)                                                     \
  gtk_widget_set_visible (GTK_WIDGET (self->button), when)
  SHOW (cancel_button, !has_ended);
  SHOW (resume_button, asks && can_resume);
  SHOW (replace_button, asks);
  SHOW (show_button, has_ended && tl_export_run_has_volume (self->run));
  SHOW (again_button, has_ended);
  SHOW (remove_button, has_ended);
#undef SHOW
  gtk_button_set_label (self->replace_button,
                        can_resume ? _ ("Begin Again") : _ ("Replace"));
  if (focus != NULL && !gtk_widget_get_visible (focus))
    keep_focus (focus);
}

static void
update (TlExportRow *self)
{
  const TlExportState state = tl_export_run_get_state (self->run);
  g_autofree char *status = NULL;
  g_autofree char *plan = NULL;
  gboolean can_resume;

  g_object_get (self->run, "status", &status, "plan", &plan, "can-resume",
                &can_resume, NULL);
  tl_label_show (self->status_label, status);
  tl_label_show (self->plan_label, state == TL_EXPORT_RUNNING ? plan : NULL);
  tl_widget_set_class (self->status_label, "asks",
                       state == TL_EXPORT_ASKING || state == TL_EXPORT_FAILED);
  gtk_widget_set_visible (GTK_WIDGET (self->progress_bar),
                          state == TL_EXPORT_RUNNING);
  gtk_progress_bar_set_fraction (self->progress_bar,
                                 tl_export_run_get_progress (self->run));
  update_buttons (self, state, can_resume);
}

/* --- buttons --- */

static void
on_cancel (TlExportRow *self)
{
  tl_export_run_cancel (self->run);
}

static void
on_replace (TlExportRow *self)
{
  tl_exporter_answer (self->exporter, self->run, TL_EXPORT_REPLACE);
}

static void
on_resume (TlExportRow *self)
{
  tl_exporter_answer (self->exporter, self->run, TL_EXPORT_RESUME);
}

static void
on_again (TlExportRow *self)
{
  tl_exporter_run_again (self->exporter, self->run);
}

/* Destroys the row. */
static void
on_remove (TlExportRow *self)
{
  tl_exporter_remove (self->exporter, self->run);
}

/* Opens the folder of the volume, or the volume where it is a folder. */
static void
show_folder (TlExportRow *self)
{
  const char *path = tl_export_run_get_path (self->run);
  g_autofree char *folder = g_file_test (path, G_FILE_TEST_IS_DIR)
                                ? g_strdup (path)
                                : g_path_get_dirname (path);
  g_autofree char *uri = g_filename_to_uri (folder, NULL, NULL);

  if (uri != NULL)
    gtk_show_uri (GTK_WINDOW (gtk_widget_get_root (GTK_WIDGET (self))), uri,
                  GDK_CURRENT_TIME);
}

static void
on_shown (GObject *bus, GAsyncResult *result, gpointer data)
{
  g_autoptr (TlExportRow) self = data;
  g_autoptr (GVariant) reply =
      g_dbus_connection_call_finish (G_DBUS_CONNECTION (bus), result, NULL);

  if (reply == NULL && self->run != NULL)
    show_folder (self);
}

/* A file manager that the bus knows selects the volume in its folder. */
static void
on_show (TlExportRow *self)
{
  GDBusConnection *bus =
      g_application_get_dbus_connection (g_application_get_default ());
  g_autofree char *uri =
      g_filename_to_uri (tl_export_run_get_path (self->run), NULL, NULL);
  const char *const uris[] = { uri, NULL };

  if (bus == NULL || uri == NULL)
    show_folder (self);
  else
    g_dbus_connection_call (
        bus, "org.freedesktop.FileManager1", "/org/freedesktop/FileManager1",
        "org.freedesktop.FileManager1", "ShowItems",
        g_variant_new ("(^ass)", uris, ""), NULL, G_DBUS_CALL_FLAGS_NONE, -1,
        NULL, on_shown, g_object_ref (self));
}

/* --- the widget --- */

static void
tl_export_row_dispose (GObject *object)
{
  g_clear_object (&TL_EXPORT_ROW (object)->run);
  G_OBJECT_CLASS (tl_export_row_parent_class)->dispose (object);
}

static void
tl_export_row_class_init (TlExportRowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = tl_export_row_dispose;
  gtk_widget_class_set_template_from_resource (
      widget_class, "/org/tomolens/Tomolens/export-row.ui");
#define BIND(name)                                                             \
  gtk_widget_class_bind_template_child (widget_class, TlExportRow, name)
  BIND (title_label);
  BIND (what_label);
  BIND (plan_label);
  BIND (status_label);
  BIND (progress_bar);
  BIND (cancel_button);
  BIND (replace_button);
  BIND (resume_button);
  BIND (show_button);
  BIND (again_button);
  BIND (remove_button);
#undef BIND
  gtk_widget_class_bind_template_callback (widget_class, on_cancel);
  gtk_widget_class_bind_template_callback (widget_class, on_replace);
  gtk_widget_class_bind_template_callback (widget_class, on_resume);
  gtk_widget_class_bind_template_callback (widget_class, on_again);
  gtk_widget_class_bind_template_callback (widget_class, on_remove);
  gtk_widget_class_bind_template_callback (widget_class, on_show);
}

static void
tl_export_row_init (TlExportRow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

/* With several rows, a screen reader says which volume a button is for. */
static void
name_parts (TlExportRow *self, const char *name)
{
  GtkButton *buttons[] = { self->cancel_button, self->replace_button,
                           self->resume_button, self->show_button,
                           self->again_button,  self->remove_button };

  for (guint i = 0; i < G_N_ELEMENTS (buttons); i++)
    tl_widget_describe (buttons[i], name);
  tl_widget_name (self, name);
}

GtkWidget *
tl_export_row_new (TlExporter *exporter, TlExportRun *run)
{
  TlExportRow *self = g_object_new (TL_TYPE_EXPORT_ROW, NULL);
  const char *path = tl_export_run_get_path (run);
  g_autofree char *name = g_path_get_basename (path);

  self->exporter = exporter;
  self->run = g_object_ref (run);
  gtk_label_set_text (self->title_label, name);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->title_label), path);
  gtk_label_set_text (self->what_label, tl_export_run_get_what (run));
  name_parts (self, name);
  tl_follow (run, "state progress status plan can-resume", G_CALLBACK (update),
             self);
  update (self);
  return GTK_WIDGET (self);
}
