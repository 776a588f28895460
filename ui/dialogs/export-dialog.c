#include "ui/dialogs/export-dialog.h"

#include "ui/dialogs/file-chooser.h"

#include <glib/gi18n.h>
#include <unistd.h>

struct _TlExportDialog
{
  GtkWindow parent_instance;

  TlSession *session; /* not owned: belongs to the application */
  GtkEntry *folder_entry;
  GtkCheckButton *all_check, *this_check, *range_check;
  GtkAdjustment *first_adjustment, *last_adjustment;
  GtkLabel *size_label;
  GtkWidget *export_button;
  char *path; /* path of the scan */
  guint n_rows;
  GCancellable *asking; /* (nullable): of the query of the free space */
  guint64 free_bytes;   /* on the disk of the folder */
  gboolean free_known;
};

/* Folder of the last export of this process. */
static char *last_folder;

G_DEFINE_FINAL_TYPE (TlExportDialog, tl_export_dialog, GTK_TYPE_WINDOW)

static void
get_range (TlExportDialog *self, guint *first, guint *last)
{
  *first = 0;
  *last = self->n_rows - 1;
  if (gtk_check_button_get_active (self->this_check))
    *first = *last = tl_parameters_get_slice (self->session->parameters);
  else if (gtk_check_button_get_active (self->range_check))
    {
      *first = (guint)gtk_adjustment_get_value (self->first_adjustment);
      *last = (guint)gtk_adjustment_get_value (self->last_adjustment);
    }
}

static void
update_size (TlExportDialog *self)
{
  const char *folder =
      gtk_editable_get_text (GTK_EDITABLE (self->folder_entry));
  TlExportSettings settings;
  guint first, last, n;
  guint64 bytes;
  gboolean fits;
  g_autofree char *size = NULL;
  g_autofree char *text = NULL;

  get_range (self, &first, &last);
  n = last - first + 1;
  tl_export_settings_init (&settings, n);
  bytes = tl_exporter_count_bytes (self->session->exporter, &settings);
  size = g_format_size (bytes);
  text = g_strdup_printf (
      g_dngettext (NULL, "%u slice, %s", "%u slices, %s", n), n, size);
  /* replaced slices free their space, so they are counted only if space is
   * short */
  fits = !self->free_known || bytes <= self->free_bytes
         || tl_exporter_has_room (self->session->exporter, folder, &settings);
  gtk_widget_set_sensitive (self->export_button, fits);
  if (self->free_known)
    {
      g_autofree char *room = g_format_size (self->free_bytes);
      /* translators: how much is free on the disk */
      g_autofree char *more = g_strdup_printf (
          fits ? _ ("%s; %s are free") : _ ("%s, but only %s are free"), text,
          room);

      gtk_label_set_text (self->size_label, more);
    }
  else
    gtk_label_set_text (self->size_label, text);
}

static void on_space (GObject *object, GAsyncResult *result, gpointer data);

/* The query must not keep the dialog alive beyond its parent window. */
static void
ask_space (TlExportDialog *self, GFile *folder)
{
  GWeakRef *asker = g_new (GWeakRef, 1);

  g_weak_ref_init (asker, self);
  g_file_query_filesystem_info_async (folder, G_FILE_ATTRIBUTE_FILESYSTEM_FREE,
                                      G_PRIORITY_DEFAULT, self->asking,
                                      on_space, asker);
}

/* A folder that does not exist yet will be on the disk of its parent. */
static void
on_space (GObject *object, GAsyncResult *result, gpointer data)
{
  GWeakRef *asker = data;
  g_autoptr (TlExportDialog) self = g_weak_ref_get (asker);
  g_autoptr (GError) error = NULL;
  g_autoptr (GFileInfo) info =
      g_file_query_filesystem_info_finish (G_FILE (object), result, &error);
  g_autoptr (GFile) parent = g_file_get_parent (G_FILE (object));

  g_weak_ref_clear (asker);
  g_free (asker);
  if (self == NULL || g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND)
      && parent != NULL)
    {
      ask_space (self, parent);
      return;
    }
  self->free_known =
      info != NULL
      && g_file_info_has_attribute (info, G_FILE_ATTRIBUTE_FILESYSTEM_FREE);
  if (self->free_known)
    self->free_bytes = g_file_info_get_attribute_uint64 (
        info, G_FILE_ATTRIBUTE_FILESYSTEM_FREE);
  update_size (self);
}

static void
stop_asking (TlExportDialog *self)
{
  if (self->asking != NULL)
    g_cancellable_cancel (self->asking);
  g_clear_object (&self->asking);
}

static void
on_folder_changed (TlExportDialog *self)
{
  g_autoptr (GFile) folder = g_file_new_for_path (
      gtk_editable_get_text (GTK_EDITABLE (self->folder_entry)));

  stop_asking (self);
  self->asking = g_cancellable_new ();
  ask_space (self, folder);
}

/* The ends of the range push each other, so that first <= last. */
static void
on_first_changed (TlExportDialog *self)
{
  double first = gtk_adjustment_get_value (self->first_adjustment);

  if (gtk_adjustment_get_value (self->last_adjustment) < first)
    gtk_adjustment_set_value (self->last_adjustment, first);
  update_size (self);
}

static void
on_last_changed (TlExportDialog *self)
{
  double last = gtk_adjustment_get_value (self->last_adjustment);

  if (gtk_adjustment_get_value (self->first_adjustment) > last)
    gtk_adjustment_set_value (self->first_adjustment, last);
  update_size (self);
}

/* Shows the end of a long path, which says more than its beginning. */
static void
show_folder (TlExportDialog *self, const char *path)
{
  gtk_editable_set_text (GTK_EDITABLE (self->folder_entry), path);
  gtk_editable_set_position (GTK_EDITABLE (self->folder_entry), -1);
}

static void
on_folder_chosen (GtkNativeDialog *chooser, int response, TlExportDialog *self)
{
  g_autoptr (GFile) folder =
      response == GTK_RESPONSE_ACCEPT
          ? gtk_file_chooser_get_file (GTK_FILE_CHOOSER (chooser))
          : NULL;
  g_autofree char *path = folder != NULL ? g_file_get_path (folder) : NULL;

  if (path != NULL)
    show_folder (self, path);
}

static void
on_choose_folder (TlExportDialog *self)
{
  GtkFileChooserNative *chooser;

  g_object_set_data (G_OBJECT (self), "tl-chooser", NULL);
  chooser = tl_file_chooser_take (
      GTK_WINDOW (self), _ ("Folder for the slices"),
      GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER, _ ("_Choose"));

  g_signal_connect_object (chooser, "response", G_CALLBACK (on_folder_chosen),
                           self, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (chooser));
  /* the chooser is kept until the dialog is disposed or it is shown again */
  g_object_set_data_full (G_OBJECT (self), "tl-chooser", chooser,
                          tl_file_chooser_let_go);
}

static void
on_export (TlExportDialog *self)
{
  const char *folder =
      gtk_editable_get_text (GTK_EDITABLE (self->folder_entry));
  GtkWindow *parent = gtk_window_get_transient_for (GTK_WINDOW (self));

  guint first, last;

  if (*folder == '\0')
    return;
  get_range (self, &first, &last);
  g_free (last_folder);
  last_folder = g_strdup (folder);
  gtk_widget_activate_action (GTK_WIDGET (parent), "app.export", "(suu)",
                              folder, first, last);
  gtk_window_close (GTK_WINDOW (self));
}

static void
tl_export_dialog_dispose (GObject *object)
{
  TlExportDialog *self = TL_EXPORT_DIALOG (object);

  stop_asking (self);
  g_clear_pointer (&self->path, g_free);
  G_OBJECT_CLASS (tl_export_dialog_parent_class)->dispose (object);
}

static void
tl_export_dialog_class_init (TlExportDialogClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = tl_export_dialog_dispose;
  gtk_widget_class_set_template_from_resource (
      widget_class, "/org/tomolens/Tomolens/export-dialog.ui");
#define BIND(name)                                                             \
  gtk_widget_class_bind_template_child (widget_class, TlExportDialog, name)
  BIND (folder_entry);
  BIND (all_check);
  BIND (this_check);
  BIND (range_check);
  BIND (first_adjustment);
  BIND (last_adjustment);
  BIND (size_label);
  BIND (export_button);
#undef BIND
  gtk_widget_class_bind_template_callback (widget_class, on_choose_folder);
  gtk_widget_class_bind_template_callback (widget_class, on_export);
  gtk_widget_class_bind_template_callback (widget_class, on_first_changed);
  gtk_widget_class_bind_template_callback (widget_class, on_last_changed);
  gtk_widget_class_bind_template_callback (widget_class, on_folder_changed);
  gtk_widget_class_bind_template_callback (widget_class, update_size);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Escape, 0,
                                       "window.close", NULL);
}

static void
tl_export_dialog_init (TlExportDialog *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

/* Proposes the folder of the last export, else one beside the scan if it may be
 * written. */
static char *
choose_parent (const TlScanSummary *scan)
{
  g_autofree char *folder = g_path_get_dirname (scan->path);
  g_autofree char *last =
      last_folder != NULL ? g_path_get_dirname (last_folder) : NULL;
  const char *documents = g_get_user_special_dir (G_USER_DIRECTORY_DOCUMENTS);

  if (last != NULL && access (last, W_OK) == 0)
    return g_steal_pointer (&last);
  if (access (folder, W_OK) == 0)
    return g_steal_pointer (&folder);
  return g_strdup (documents != NULL && access (documents, W_OK) == 0
                       ? documents
                       : g_get_home_dir ());
}

static char *
propose_folder (const TlScanSummary *scan)
{
  g_autofree char *folder = choose_parent (scan);
  g_autofree char *name = g_path_get_basename (scan->path);
  char *dot = strrchr (name, '.');
  g_autofree char *recon = NULL;

  if (dot != NULL && dot != name)
    *dot = '\0';
  recon = g_strconcat (name, "-recon", NULL);
  return g_build_filename (folder, recon, NULL);
}

TlExportDialog *
tl_export_dialog_new (GtkWindow *parent, TlSession *session)
{
  const TlScanSummary *scan = tl_scan_source_get_summary (session->source);
  TlExportDialog *self =
      g_object_new (TL_TYPE_EXPORT_DIALOG, "transient-for", parent, NULL);
  double last = (double)scan->n_rows - 1;
  g_autofree char *folder = propose_folder (scan);

  self->session = session;
  self->path = g_strdup (scan->path);
  self->n_rows = (guint)scan->n_rows;
  show_folder (self, folder);
  gtk_adjustment_configure (self->last_adjustment, last, 0, last, 1, 10, 0);
  gtk_adjustment_configure (self->first_adjustment, 0, 0, last, 1, 10, 0);
  return self;
}

gboolean
tl_export_dialog_is_for (TlExportDialog *self, TlSession *session)
{
  const TlScanSummary *scan = tl_scan_source_get_summary (session->source);

  return scan != NULL && strcmp (self->path, scan->path) == 0
         && self->n_rows == scan->n_rows;
}

void
tl_export_dialog_open (TlExportDialog *self)
{
  g_autofree char *all =
      g_strdup_printf (_ ("_All slices, 0 to %u"), self->n_rows - 1);
  g_autofree char *this =
      g_strdup_printf (_ ("_This slice, %u"),
                       tl_parameters_get_slice (self->session->parameters));

  gtk_check_button_set_label (self->all_check, all);
  gtk_check_button_set_label (self->this_check, this);
  update_size (self);
  gtk_widget_grab_focus (GTK_WIDGET (self->folder_entry));
  gtk_window_present (GTK_WINDOW (self));
}
