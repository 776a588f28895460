/* drag-source FILE...: a small window from which the files can be dragged, as
 * from a file manager, or an address as text. Prints "ready" when the drag can
 * start, and exits after the drag: 0 if another window has accepted it. */
#include <gtk/gtk.h>
#include <stdio.h>
#include <string.h>

#define SIZE 64

static int status = 1;

static GdkContentProvider *
list_files (GtkDragSource *source, double x, double y, gpointer files)
{
  return gdk_content_provider_new_typed (GDK_TYPE_FILE_LIST, files);
}

static GdkContentProvider *
give_text (GtkDragSource *source, double x, double y, gpointer text)
{
  return gdk_content_provider_new_typed (G_TYPE_STRING, text);
}

static void
on_drag_end (GtkDragSource *source, GdkDrag *drag, gboolean deleted,
             gpointer loop)
{
  if (gdk_drag_get_selected_action (drag) == GDK_ACTION_COPY)
    status = 0;
  g_main_loop_quit (loop);
}

static gboolean
on_drag_cancel (GtkDragSource *source, GdkDrag *drag,
                GdkDragCancelReason reason, gpointer loop)
{
  g_main_loop_quit (loop);
  return FALSE;
}

/* After the second frame the window is on the screen. */
static gboolean
say_ready (GtkWidget *window, GdkFrameClock *clock, gpointer data)
{
  if (gdk_frame_clock_get_frame_counter (clock) < 2)
    return G_SOURCE_CONTINUE;
  puts ("ready");
  fflush (stdout);
  return G_SOURCE_REMOVE;
}

int
main (int argc, char **argv)
{
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);
  g_autoptr (GPtrArray) array = g_ptr_array_new_with_free_func (g_object_unref);
  GdkFileList *files;
  GtkDragSource *source;
  GtkWidget *window;

  gtk_init ();
  for (int i = 1; i < argc; i++)
    g_ptr_array_add (array, g_file_new_for_path (argv[i]));
  files = gdk_file_list_new_from_array ((GFile **)array->pdata, array->len);
  source = gtk_drag_source_new ();
  if (argc == 2 && strstr (argv[1], "://") != NULL)
    g_signal_connect (source, "prepare", G_CALLBACK (give_text), argv[1]);
  else
    g_signal_connect (source, "prepare", G_CALLBACK (list_files), files);
  g_signal_connect (source, "drag-end", G_CALLBACK (on_drag_end), loop);
  g_signal_connect (source, "drag-cancel", G_CALLBACK (on_drag_cancel), loop);
  window = gtk_window_new ();
  gtk_window_set_decorated (GTK_WINDOW (window), FALSE);
  gtk_window_set_default_size (GTK_WINDOW (window), SIZE, SIZE);
  gtk_widget_add_controller (window, GTK_EVENT_CONTROLLER (source));
  gtk_widget_add_tick_callback (window, say_ready, NULL, NULL);
  gtk_window_present (GTK_WINDOW (window));
  g_main_loop_run (loop);
  g_boxed_free (GDK_TYPE_FILE_LIST, files);
  return status;
}
