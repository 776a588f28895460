#include "ui/window/file-drop.h"

static gboolean
on_drop (GtkWindow *window, const GValue *value)
{
  g_autoptr (GPtrArray) files = g_ptr_array_new ();

  for (GSList *file = g_value_get_boxed (value); file != NULL;
       file = file->next)
    g_ptr_array_add (files, file->data);
  if (files->len > 0)
    g_application_open (G_APPLICATION (gtk_window_get_application (window)),
                        (GFile **)files->pdata, (int)files->len, "");
  return files->len > 0;
}

void
tl_file_drop_attach (GtkWindow *window)
{
  GtkDropTarget *drop =
      gtk_drop_target_new (GDK_TYPE_FILE_LIST, GDK_ACTION_COPY);

  g_signal_connect_swapped (drop, "drop", G_CALLBACK (on_drop), window);
  gtk_widget_add_controller (GTK_WIDGET (window), GTK_EVENT_CONTROLLER (drop));
}
