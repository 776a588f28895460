#include "ui/view-image.h"

#include <glib/gi18n.h>

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
  GdkTexture *texture;

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
  return texture;
}

gboolean
tl_view_image_save (TlSliceView *view, const char *path, GError **error)
{
  g_autoptr (GdkTexture) texture = tl_view_image_new (view);
  g_autoptr (GBytes) png = NULL;
  g_autoptr (GError) reason = NULL;

  if (texture == NULL)
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED,
                   _ ("%s: there is no picture to save"), path);
      return FALSE;
    }
  png = gdk_texture_save_to_png_bytes (texture);
  if (g_file_set_contents (path, g_bytes_get_data (png, NULL),
                           (gssize)g_bytes_get_size (png), &reason))
    return TRUE;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED,
               _ ("The view cannot be saved: %s"), reason->message);
  return FALSE;
}
