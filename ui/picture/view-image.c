#include "ui/picture/view-image.h"

#include "data/write/part-file.h"

#include <glib/gi18n.h>

/* Copies the texture to host memory: the thread that writes the file has no GL
 * context. */
static GdkTexture *
fetch (GdkTexture *texture)
{
  int width = gdk_texture_get_width (texture);
  int height = gdk_texture_get_height (texture);
  gsize stride = 4 * (gsize)width;
  guchar *pixels = g_malloc (stride * (gsize)height);
  g_autoptr (GBytes) bytes = g_bytes_new_take (pixels, stride * (gsize)height);

  gdk_texture_download (texture, pixels, stride);
  return gdk_memory_texture_new (width, height, GDK_MEMORY_DEFAULT, bytes,
                                 stride);
}

GdkTexture *
tl_view_image_new (TlSliceView *view)
{
  GtkWidget *widget = GTK_WIDGET (view);
  GtkNative *native = gtk_widget_get_native (widget);
  float scale = (float)gtk_widget_get_scale_factor (widget);
  float width = (float)gtk_widget_get_width (widget);
  float height = (float)gtk_widget_get_height (widget);
  graphene_rect_t area =
      GRAPHENE_RECT_INIT (0, 0, width * scale, height * scale);
  GtkSnapshot *snapshot;
  GskRenderNode *node;
  g_autoptr (GdkTexture) texture = NULL;

  if (native == NULL || !tl_slice_view_is_drawn (view))
    return NULL;
  snapshot = gtk_snapshot_new ();
  gtk_snapshot_scale (snapshot, scale, scale);
  tl_slice_view_draw (view, snapshot);
  node = gtk_snapshot_free_to_node (snapshot);
  if (node == NULL)
    return NULL;
  texture = gsk_renderer_render_texture (gtk_native_get_renderer (native), node,
                                         &area);
  gsk_render_node_unref (node);
  return fetch (texture);
}

/* Data of the thread that writes the file. */
typedef struct
{
  GdkTexture *texture;
  char *path;
} Saving;

static void
saving_free (gpointer data)
{
  Saving *saving = data;

  g_object_unref (saving->texture);
  g_free (saving->path);
  g_free (saving);
}

static void
save (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Saving *saving = data;
  g_autoptr (GBytes) png = gdk_texture_save_to_png_bytes (saving->texture);
  GError *error = NULL;

  if (tl_write_file (saving->path, g_bytes_get_data (png, NULL),
                     g_bytes_get_size (png), TRUE, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

void
tl_view_image_save (TlSliceView *view, const char *path,
                    GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (NULL, NULL, callback, user_data);
  g_autoptr (GdkTexture) texture = tl_view_image_new (view);
  Saving *saving;

  if (texture == NULL)
    {
      g_task_return_new_error (task, G_IO_ERROR, G_IO_ERROR_FAILED, "%s",
                               _ ("The view cannot be saved: there is no "
                                  "picture yet"));
      return;
    }
  saving = g_new0 (Saving, 1);
  saving->texture = g_steal_pointer (&texture);
  saving->path = g_strdup (path);
  g_task_set_task_data (task, saving, saving_free);
  g_task_run_in_thread (task, save);
}

gboolean
tl_view_image_save_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_boolean (G_TASK (result), error);
}
