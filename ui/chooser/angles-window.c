#include "ui/chooser/angles-window.h"

#include "ui/dialogs/file-chooser.h"
#include "ui/view/widget.h"

#include <glib/gi18n.h>

struct _TlAnglesWindow
{
  GtkWindow parent_instance;

  TlSession *session; /* kept */
  GtkLabel *reason_label, *error_label;
  GtkEditable *angles_entry;
  GtkWidget *open_button;
};

G_DEFINE_FINAL_TYPE (TlAnglesWindow, tl_angles_window, GTK_TYPE_WINDOW)

static void
on_said (TlAnglesWindow *self)
{
  tl_label_show (self->error_label, NULL);
}

static void
on_choose (TlAnglesWindow *self)
{
  tl_file_chooser_fill (GTK_WIDGET (self->angles_entry),
                        _ ("Choose a file of angles"));
}

static void
on_open (TlAnglesWindow *self)
{
  g_autoptr (GError) error = NULL;

  if (tl_session_open_with_angles (
          self->session, gtk_editable_get_text (self->angles_entry), &error))
    gtk_window_close (GTK_WINDOW (self));
  else
    tl_label_show (self->error_label, error->message);
}

void
tl_angles_window_show (TlAnglesWindow *self)
{
  g_autofree char *message = NULL;

  g_object_get (self->session->messages, "message", &message, NULL);
  tl_label_show (self->reason_label, message);
  tl_label_show (self->error_label, NULL);
  gtk_editable_set_text (self->angles_entry, "");
  gtk_widget_grab_focus (GTK_WIDGET (self->angles_entry));
  gtk_window_present (GTK_WINDOW (self));
}

static void
tl_angles_window_class_init (TlAnglesWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  gtk_widget_class_set_template_from_resource (
      widget_class, "/org/tomolens/Tomolens/angles-window.ui");
#define BIND(name)                                                             \
  gtk_widget_class_bind_template_child (widget_class, TlAnglesWindow, name)
  BIND (reason_label);
  BIND (error_label);
  BIND (angles_entry);
  BIND (open_button);
#undef BIND
  gtk_widget_class_bind_template_callback (widget_class, on_said);
  gtk_widget_class_bind_template_callback (widget_class, on_choose);
  gtk_widget_class_bind_template_callback (widget_class, on_open);
}

static void
tl_angles_window_init (TlAnglesWindow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_window_set_default_widget (GTK_WINDOW (self), self->open_button);
}

TlAnglesWindow *
tl_angles_window_new (GtkWindow *parent, TlSession *session)
{
  TlAnglesWindow *self =
      g_object_new (TL_TYPE_ANGLES_WINDOW, "transient-for", parent, NULL);

  self->session = session;
  return self;
}
