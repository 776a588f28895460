#include "ui/chooser/chooser-window.h"

#include "ui/chooser/chooser-row.h"
#include "ui/dialogs/file-chooser.h"
#include "ui/view/widget.h"

#include <glib/gi18n.h>

/* The fields, in the order of the template. */
static const char *const field_keys[] = { "flats-path", "darks-path",
                                          "angles-path", "keys-path" };

enum
{
  N_FIELDS = G_N_ELEMENTS (field_keys)
};

struct _TlChooserWindow
{
  GtkWindow parent_instance;

  TlScanChooser *chooser; /* kept */
  GtkLabel *file_label, *question_label;
  GtkListBox *list;
  GtkExpander *expander;
  GtkWidget *open_button, *keys_label, *others_box;
  GtkComboBoxText *flats_combo, *darks_combo, *angles_combo, *keys_combo;
};

G_DEFINE_FINAL_TYPE (TlChooserWindow, tl_chooser_window, GTK_TYPE_WINDOW)

/* --- the fields --- */

static GtkComboBoxText *
get_combo (TlChooserWindow *self, guint field)
{
  GtkComboBoxText *const combos[] = { self->flats_combo, self->darks_combo,
                                      self->angles_combo, self->keys_combo };

  return combos[field];
}

static GtkEditable *
get_entry (TlChooserWindow *self, guint field)
{
  return GTK_EDITABLE (
      gtk_combo_box_get_child (GTK_COMBO_BOX (get_combo (self, field))));
}

/* Lists what may be chosen; what the entries say stays. */
static void
fill_lists (TlChooserWindow *self)
{
  for (guint field = 0; field < N_FIELDS; field++)
    {
      GtkComboBoxText *combo = get_combo (self, field);
      g_autofree const char **places =
          tl_scan_chooser_list_places (self->chooser, field_keys[field]);

      gtk_combo_box_text_remove_all (combo);
      for (guint i = 0; places[i] != NULL; i++)
        gtk_combo_box_text_append_text (combo, places[i]);
    }
}

static void
fill_entries (TlChooserWindow *self)
{
  gboolean has_text = FALSE;

  for (guint field = 0; field < N_FIELDS; field++)
    {
      g_autofree char *place =
          tl_scan_chooser_dup_place (self->chooser, field_keys[field]);

      gtk_editable_set_text (get_entry (self, field), place);
      has_text |= *place != '\0';
    }
  gtk_expander_set_expanded (self->expander, has_text);
}

static void
add_file (GtkWidget *widget, const char *path)
{
  tl_scan_chooser_add_file (TL_CHOOSER_WINDOW (widget)->chooser, path);
}

static void
on_add_file (TlChooserWindow *self)
{
  gtk_native_dialog_show (
      tl_file_chooser_prepare (GTK_WIDGET (self), _ ("Choose another file"),
                               GTK_FILE_CHOOSER_ACTION_OPEN, add_file));
}

/* --- the list --- */

static GtkWidget *
make_row (gpointer offer, gpointer data)
{
  return tl_chooser_row_new (offer);
}

static gboolean
is_scan (TlChooserWindow *self, GtkListBoxRow *row)
{
  g_autoptr (TlScanOffer) offer =
      g_list_model_get_item (tl_scan_chooser_get_offers (self->chooser),
                             (guint)gtk_list_box_row_get_index (row));

  return tl_scan_offer_is_scan (offer);
}

/* The first scan and the first dataset have a title above them. */
static void
update_header (GtkListBoxRow *row, GtkListBoxRow *before, gpointer data)
{
  TlChooserWindow *self = data;
  GtkWidget *title;

  if (before != NULL && is_scan (self, row) == is_scan (self, before))
    {
      gtk_list_box_row_set_header (row, NULL);
      return;
    }
  title = gtk_label_new (is_scan (self, row) ? _ ("Scans")
                                             : _ ("Datasets of the file"));
  gtk_label_set_xalign (GTK_LABEL (title), 0);
  gtk_widget_add_css_class (title, "title");
  gtk_list_box_row_set_header (row, title);
}

/* --- the choice --- */

static void
on_selected (TlChooserWindow *self)
{
  gtk_widget_set_sensitive (self->open_button,
                            gtk_list_box_get_selected_row (self->list) != NULL);
}

static void
on_open (TlChooserWindow *self)
{
  GtkListBoxRow *row = gtk_list_box_get_selected_row (self->list);
  GtkWidget *parent =
      GTK_WIDGET (gtk_window_get_transient_for (GTK_WINDOW (self)));
  g_autoptr (GFile) file =
      g_file_new_for_path (tl_scan_chooser_get_file (self->chooser));
  g_autofree char *uri = g_file_get_uri (file);
  g_autoptr (TlScanOffer) offer = NULL;
  GVariantBuilder places;

  if (row == NULL || parent == NULL)
    return;
  offer = g_list_model_get_item (tl_scan_chooser_get_offers (self->chooser),
                                 (guint)gtk_list_box_row_get_index (row));
  g_variant_builder_init (&places, G_VARIANT_TYPE ("a{ss}"));
  g_variant_builder_add (&places, "{ss}", "data-path",
                         tl_scan_offer_get_path (offer));
  for (guint field = 0; field < N_FIELDS; field++)
    {
      const char *text = gtk_editable_get_text (get_entry (self, field));

      if (*text != '\0')
        g_variant_builder_add (&places, "{ss}", field_keys[field], text);
    }
  gtk_widget_activate_action (parent, "app.open-places", "(sa{ss})", uri,
                              &places);
  gtk_window_close (GTK_WINDOW (self));
}

/* --- the dialog --- */

void
tl_chooser_window_show (TlChooserWindow *self)
{
  g_autofree char *name =
      g_filename_display_basename (tl_scan_chooser_get_file (self->chooser));
  g_autofree char *question = tl_scan_chooser_dup_question (self->chooser);
  const gboolean takes_files = tl_scan_chooser_takes_files (self->chooser);
  GtkListBoxRow *row;

  gtk_label_set_text (self->file_label, name);
  tl_label_show (self->question_label, question);
  fill_lists (self);
  fill_entries (self);
  gtk_widget_set_visible (self->keys_label, takes_files);
  gtk_widget_set_visible (GTK_WIDGET (self->keys_combo), takes_files);
  gtk_widget_set_visible (self->others_box, takes_files);
  row = gtk_list_box_get_row_at_index (
      self->list, (int)tl_scan_chooser_get_present (self->chooser));
  gtk_list_box_select_row (self->list, row);
  gtk_window_present (GTK_WINDOW (self));
  gtk_widget_grab_focus (GTK_WIDGET (row));
}

/* Pictures that nobody sees are not read. */
static gboolean
tl_chooser_window_close_request (GtkWindow *window)
{
  tl_scan_chooser_decline (TL_CHOOSER_WINDOW (window)->chooser);
  return GTK_WINDOW_CLASS (tl_chooser_window_parent_class)
      ->close_request (window);
}

static void
tl_chooser_window_class_init (TlChooserWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  GTK_WINDOW_CLASS (klass)->close_request = tl_chooser_window_close_request;

  gtk_widget_class_set_template_from_resource (
      widget_class, "/org/tomolens/Tomolens/chooser-window.ui");
#define BIND(name)                                                             \
  gtk_widget_class_bind_template_child (widget_class, TlChooserWindow, name)
  BIND (file_label);
  BIND (question_label);
  BIND (list);
  BIND (expander);
  BIND (open_button);
  BIND (keys_label);
  BIND (others_box);
  BIND (flats_combo);
  BIND (darks_combo);
  BIND (angles_combo);
  BIND (keys_combo);
#undef BIND
  gtk_widget_class_bind_template_callback (widget_class, on_add_file);
  gtk_widget_class_bind_template_callback (widget_class, on_open);
  gtk_widget_class_bind_template_callback (widget_class, on_selected);
}

static void
tl_chooser_window_init (TlChooserWindow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_window_set_default_widget (GTK_WINDOW (self), self->open_button);
  for (guint field = 0; field < N_FIELDS; field++)
    gtk_entry_set_activates_default (GTK_ENTRY (get_entry (self, field)), TRUE);
}

TlChooserWindow *
tl_chooser_window_new (GtkWindow *parent, TlScanChooser *chooser)
{
  TlChooserWindow *self =
      g_object_new (TL_TYPE_CHOOSER_WINDOW, "transient-for", parent, NULL);

  self->chooser = tl_keep (self, chooser);
  gtk_list_box_set_header_func (self->list, update_header, self, NULL);
  gtk_list_box_bind_model (self->list, tl_scan_chooser_get_offers (chooser),
                           make_row, NULL, NULL);
  g_signal_connect_object (chooser, "changed", G_CALLBACK (fill_lists), self,
                           G_CONNECT_SWAPPED);
  return self;
}
