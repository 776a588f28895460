#include "ui/chooser/files-window.h"

#include "ui/chooser/chooser-row.h"
#include "ui/view/widget.h"

#include <glib/gi18n.h>

struct _TlFilesWindow
{
  GtkWindow parent_instance;

  TlSession *session; /* kept */
  GtkLabel *folder_label, *present_label, *error_label;
  GtkListBox *list;
  GtkEntry *angles_entry;
  GtkWidget *apply_button;
};

G_DEFINE_FINAL_TYPE (TlFilesWindow, tl_files_window, GTK_TYPE_WINDOW)

/* --- the groups --- */

static guint
get_index (TlFilesWindow *self, gpointer offer)
{
  GListModel *offers = tl_scan_files_get_offers (self->session->files);
  guint index = 0;

  g_list_store_find (G_LIST_STORE (offers), offer, &index);
  return index;
}

static void
on_kind (GtkDropDown *drop, GParamSpec *pspec, TlFilesWindow *self)
{
  gpointer offer = g_object_get_data (G_OBJECT (drop), "tl-offer");

  tl_scan_files_set_kind (self->session->files, get_index (self, offer),
                          gtk_drop_down_get_selected (drop));
  tl_label_show (self->error_label, NULL);
}

/* The entries are in the order of TlFrameKind. */
static GtkWidget *
make_drop (TlFilesWindow *self, TlScanOffer *offer)
{
  const char *const kinds[] = { _ ("Projections"), _ ("Flat fields"),
                                _ ("Dark fields"), _ ("Leave out"), NULL };
  GtkWidget *drop = gtk_drop_down_new_from_strings (kinds);

  gtk_widget_set_valign (drop, GTK_ALIGN_CENTER);
  gtk_drop_down_set_selected (
      GTK_DROP_DOWN (drop),
      tl_scan_files_get_kind (self->session->files, get_index (self, offer)));
  tl_widget_describe (drop, tl_scan_offer_get_path (offer));
  g_object_set_data_full (G_OBJECT (drop), "tl-offer", g_object_ref (offer),
                          g_object_unref);
  g_signal_connect_object (drop, "notify::selected", G_CALLBACK (on_kind), self,
                           0);
  return drop;
}

static GtkWidget *
make_row (gpointer offer, gpointer data)
{
  GtkWidget *row = tl_chooser_row_new (offer);

  gtk_box_append (GTK_BOX (row), make_drop (data, offer));
  return row;
}

/* --- the dialog --- */

static void
on_angles (TlFilesWindow *self)
{
  tl_scan_files_set_angles (
      self->session->files,
      gtk_editable_get_text (GTK_EDITABLE (self->angles_entry)));
  tl_label_show (self->error_label, NULL);
}

static void
on_apply (TlFilesWindow *self)
{
  g_autoptr (GError) error = NULL;

  if (tl_session_assign_files (self->session, &error))
    gtk_window_close (GTK_WINDOW (self));
  else
    tl_label_show (self->error_label, error->message);
}

void
tl_files_window_show (TlFilesWindow *self)
{
  TlScanFiles *files = self->session->files;
  g_autofree char *present = NULL;
  g_autofree char *name = NULL;
  g_autofree char *angles = NULL;
  g_autofree char *example = NULL;

  tl_session_list_files (self->session);
  present = tl_scan_files_dup_present_angles (files);
  name = g_filename_display_basename (tl_scan_files_get_path (files));
  angles = g_strdup (tl_scan_files_get_angles (files));
  gtk_label_set_text (self->folder_label, name);
  tl_label_show (self->present_label, present);
  tl_label_show (self->error_label, NULL);
  example = tl_scan_files_dup_example (files);
  gtk_editable_set_text (GTK_EDITABLE (self->angles_entry), angles);
  gtk_entry_set_placeholder_text (self->angles_entry, example);
  gtk_window_present (GTK_WINDOW (self));
}

/* Pictures that nobody sees are not read. */
static gboolean
tl_files_window_close_request (GtkWindow *window)
{
  tl_scan_files_cancel (TL_FILES_WINDOW (window)->session->files);
  return GTK_WINDOW_CLASS (tl_files_window_parent_class)
      ->close_request (window);
}

static void
tl_files_window_class_init (TlFilesWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  GTK_WINDOW_CLASS (klass)->close_request = tl_files_window_close_request;

  gtk_widget_class_set_template_from_resource (
      widget_class, "/org/tomolens/Tomolens/files-window.ui");
#define BIND(name)                                                             \
  gtk_widget_class_bind_template_child (widget_class, TlFilesWindow, name)
  BIND (folder_label);
  BIND (present_label);
  BIND (error_label);
  BIND (list);
  BIND (angles_entry);
  BIND (apply_button);
#undef BIND
  gtk_widget_class_bind_template_callback (widget_class, on_angles);
  gtk_widget_class_bind_template_callback (widget_class, on_apply);
}

static void
tl_files_window_init (TlFilesWindow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_window_set_default_widget (GTK_WINDOW (self), self->apply_button);
}

TlFilesWindow *
tl_files_window_new (GtkWindow *parent, TlSession *session)
{
  TlFilesWindow *self =
      g_object_new (TL_TYPE_FILES_WINDOW, "transient-for", parent, NULL);

  self->session = tl_keep (self, session);
  gtk_list_box_bind_model (self->list,
                           tl_scan_files_get_offers (session->files), make_row,
                           self, NULL);
  return self;
}
