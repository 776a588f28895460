#include "ui/dialogs/file-chooser.h"

#include <glib/gi18n.h>

/* Choosers not in use, kept until the program ends. After a chooser was freed
 * GTK 4.8 continues to load and to monitor its folder, and crashes. */
static GPtrArray *idle;

GtkFileChooserNative *
tl_file_chooser_take (GtkWindow *parent, const char *title,
                      GtkFileChooserAction action, const char *accept)
{
  gtk_widget_activate_action (GTK_WIDGET (parent), "win.leave-field", NULL);
  for (guint i = 0; idle != NULL && i < idle->len; i++)
    if (g_strcmp0 (gtk_native_dialog_get_title (idle->pdata[i]), title) == 0)
      {
        GtkFileChooserNative *chooser = g_ptr_array_steal_index_fast (idle, i);

        gtk_native_dialog_set_transient_for (GTK_NATIVE_DIALOG (chooser),
                                             parent);
        return chooser;
      }
  return gtk_file_chooser_native_new (title, parent, action, accept, NULL);
}

void
tl_file_chooser_let_go (gpointer chooser)
{
  g_signal_handlers_disconnect_matched (
      chooser, G_SIGNAL_MATCH_ID,
      g_signal_lookup ("response", GTK_TYPE_NATIVE_DIALOG), 0, NULL, NULL,
      NULL);
  gtk_native_dialog_hide (chooser);
  gtk_native_dialog_set_transient_for (chooser, NULL);
  if (idle == NULL)
    idle = g_ptr_array_new ();
  g_ptr_array_add (idle, chooser);
}

static void
on_response (GtkNativeDialog *dialog, int response, GtkWidget *widget)
{
  TlFileChosen chosen =
      (TlFileChosen)g_object_get_data (G_OBJECT (dialog), "tl-chosen");
  g_autoptr (GFile) file =
      response == GTK_RESPONSE_ACCEPT
          ? gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog))
          : NULL;
  g_autofree char *path = file != NULL ? g_file_get_path (file) : NULL;

  if (path != NULL)
    chosen (widget, path);
}

GtkNativeDialog *
tl_file_chooser_prepare (GtkWidget *widget, const char *title,
                         GtkFileChooserAction action, TlFileChosen chosen)
{
  GtkFileChooserNative *chooser;

  g_object_set_data (G_OBJECT (widget), "tl-chooser", NULL);
  chooser = tl_file_chooser_take (GTK_WINDOW (gtk_widget_get_root (widget)),
                                  title, action, _ ("_Choose"));
  g_object_set_data (G_OBJECT (chooser), "tl-chosen", (gpointer)chosen);
  g_signal_connect_object (chooser, "response", G_CALLBACK (on_response),
                           widget, 0);
  g_object_set_data_full (G_OBJECT (widget), "tl-chooser", chooser,
                          tl_file_chooser_let_go);
  return GTK_NATIVE_DIALOG (chooser);
}

static void
take_path (GtkWidget *entry, const char *path)
{
  gtk_editable_set_text (GTK_EDITABLE (entry), path);
}

void
tl_file_chooser_fill (GtkWidget *entry, const char *title)
{
  gtk_native_dialog_show (tl_file_chooser_prepare (
      entry, title, GTK_FILE_CHOOSER_ACTION_OPEN, take_path));
}
