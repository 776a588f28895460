#include "ui/growth/address-window.h"

#include "data/stream/socket.h"
#include "data/stream/stream.h"
#include "ui/controls/control.h"
#include "ui/dialogs/file-chooser.h"
#include "ui/view/widget.h"

#include <glib/gi18n.h>
#include <string.h>

struct _TlAddressWindow
{
  GtkWindow parent_instance;

  TlSession *session; /* kept */
  GtkDropDown *kind_drop;
  GtkEditable *address_entry, *projections_entry, *flats_entry, *darks_entry,
      *angles_entry, *series_entry;
  GtkLabel *error_label;
  GtkWidget *open_button;
  gboolean is_said; /* something was entered beside the address */
};

G_DEFINE_FINAL_TYPE (TlAddressWindow, tl_address_window, GTK_TYPE_WINDOW)

/* --- the address and its kind --- */

/* In the order of the list. */
static const char *const schemes[] = {
  "zmq+tomopackets://",
  "zmq+tomopackets+rep://",
  "zmq+json://",
  "zmq+json+sub://",
};

/* Shows what was said of the address when it was open, unless the user has said
 * something here. */
static void
fill_words (TlAddressWindow *self)
{
  g_auto (TlAddressWords) words = { 0 };
  g_auto (GStrv) expected = NULL;
  GtkEditable *const entries[] = { self->projections_entry, self->flats_entry,
                                   self->darks_entry };

  if (self->is_said)
    return;
  tl_scan_memory_recall_address (gtk_editable_get_text (self->address_entry),
                                 &words);
  if (words.expected != NULL)
    expected = g_strsplit (words.expected, ",", G_N_ELEMENTS (entries));
  for (guint k = 0; k < G_N_ELEMENTS (entries); k++)
    gtk_editable_set_text (
        entries[k],
        expected != NULL && k < g_strv_length (expected) ? expected[k] : "");
  gtk_editable_set_text (self->angles_entry,
                         words.angles != NULL ? words.angles : "");
  gtk_editable_set_text (self->series_entry,
                         words.kinds != NULL ? words.kinds : "");
  self->is_said = FALSE; /* the user has not said this here */
}

/* An address without a scheme may be of each kind. */
static void
on_address (TlAddressWindow *self)
{
  const char *address = gtk_editable_get_text (self->address_entry);
  guint kind = GTK_INVALID_LIST_POSITION;

  tl_label_show (self->error_label, NULL);
  fill_words (self);
  if (tl_socket_skip_scheme (address) == address)
    return;
  for (guint k = 0; k < G_N_ELEMENTS (schemes); k++)
    if (g_str_has_prefix (address, schemes[k]))
      kind = k;
  if (gtk_drop_down_get_selected (self->kind_drop) != kind)
    gtk_drop_down_set_selected (self->kind_drop, kind);
}

/* Gives the address the scheme of the chosen kind. */
static void
complete_address (TlAddressWindow *self)
{
  const guint kind = gtk_drop_down_get_selected (self->kind_drop);
  const char *address = gtk_editable_get_text (self->address_entry);
  g_autofree char *other = NULL;

  if (kind == GTK_INVALID_LIST_POSITION
      || g_str_has_prefix (address, schemes[kind]))
    return;
  other = g_strconcat (schemes[kind], tl_socket_skip_scheme (address), NULL);
  gtk_editable_set_text (self->address_entry, other);
}

static void
on_kind (TlAddressWindow *self)
{
  GtkStringObject *kind = gtk_drop_down_get_selected_item (self->kind_drop);

  tl_control_name_choice (
      self->kind_drop, kind != NULL ? gtk_string_object_get_string (kind) : "");
  complete_address (self);
}

/* --- the dialog --- */

static void
on_said (TlAddressWindow *self)
{
  self->is_said = TRUE;
  tl_label_show (self->error_label, NULL);
}

static void
on_choose (TlAddressWindow *self)
{
  tl_file_chooser_fill (GTK_WIDGET (self->angles_entry),
                        _ ("Choose a file of angles"));
}

static void
on_open (TlAddressWindow *self)
{
  g_autofree char *expected =
      g_strjoin (",", gtk_editable_get_text (self->projections_entry),
                 gtk_editable_get_text (self->flats_entry),
                 gtk_editable_get_text (self->darks_entry), NULL);
  g_autoptr (GError) error = NULL;

  complete_address (self);
  if (tl_session_follow_address (
          self->session, gtk_editable_get_text (self->address_entry), expected,
          gtk_editable_get_text (self->angles_entry),
          gtk_editable_get_text (self->series_entry), &error))
    gtk_window_close (GTK_WINDOW (self));
  else
    tl_label_show (self->error_label, error->message);
}

/* Shows the address that is followed. */
static void
fill (TlAddressWindow *self)
{
  const char *name = tl_growth_get_name (self->session->growth);
  gboolean is_address = name != NULL && tl_stream_is_address (name);

  gtk_editable_set_text (self->address_entry, is_address ? name : "");
  self->is_said = FALSE;
  fill_words (self);
}

void
tl_address_window_show (TlAddressWindow *self)
{
  fill (self);
  tl_label_show (self->error_label, NULL);
  gtk_widget_grab_focus (GTK_WIDGET (self->address_entry));
  gtk_window_present (GTK_WINDOW (self));
}

static void
tl_address_window_class_init (TlAddressWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  gtk_widget_class_set_template_from_resource (
      widget_class, "/org/tomolens/Tomolens/address-window.ui");
#define BIND(name)                                                             \
  gtk_widget_class_bind_template_child (widget_class, TlAddressWindow, name)
  BIND (kind_drop);
  BIND (address_entry);
  BIND (projections_entry);
  BIND (flats_entry);
  BIND (darks_entry);
  BIND (angles_entry);
  BIND (series_entry);
  BIND (error_label);
  BIND (open_button);
#undef BIND
  gtk_widget_class_bind_template_callback (widget_class, on_address);
  gtk_widget_class_bind_template_callback (widget_class, on_kind);
  gtk_widget_class_bind_template_callback (widget_class, on_said);
  gtk_widget_class_bind_template_callback (widget_class, on_choose);
  gtk_widget_class_bind_template_callback (widget_class, on_open);
}

static void
tl_address_window_init (TlAddressWindow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_window_set_default_widget (GTK_WINDOW (self), self->open_button);
  tl_control_name_rows (self->kind_drop);
  on_kind (self);
}

TlAddressWindow *
tl_address_window_new (GtkWindow *parent, TlSession *session)
{
  TlAddressWindow *self =
      g_object_new (TL_TYPE_ADDRESS_WINDOW, "transient-for", parent, NULL);

  self->session = tl_keep (self, session);
  return self;
}
