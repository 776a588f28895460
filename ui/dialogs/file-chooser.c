#include "ui/dialogs/file-chooser.h"

/* Choosers not in use, kept until the program ends. After a chooser was freed
 * GTK 4.8 continues to load and to monitor its folder, and crashes. */
static GPtrArray *idle;

GtkFileChooserNative *
tl_file_chooser_take (GtkWindow *parent, const char *title,
                      GtkFileChooserAction action, const char *accept)
{
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
