#include "ui/window/screenshot.h"

gboolean
tl_screenshot_save (GtkWidget *widget, const char *path, GError **error)
{
  int scale = gtk_widget_get_scale_factor (widget);
  g_autoptr (GdkPaintable) paintable = gtk_widget_paintable_new (widget);
  GskRenderer *renderer = gtk_native_get_renderer (GTK_NATIVE (widget));
  GtkSnapshot *snapshot = gtk_snapshot_new ();
  g_autoptr (GdkTexture) texture = NULL;
  GskRenderNode *node;

  gtk_snapshot_scale (snapshot, (float)scale, (float)scale);
  gdk_paintable_snapshot (paintable, snapshot, gtk_widget_get_width (widget),
                          gtk_widget_get_height (widget));
  node = gtk_snapshot_free_to_node (snapshot);
  if (node == NULL)
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_BUSY,
                   "%s: the window is not drawn yet", path);
      return FALSE;
    }
  texture = gsk_renderer_render_texture (renderer, node, NULL);
  gsk_render_node_unref (node);
  if (!gdk_texture_save_to_png (texture, path))
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED,
                   "%s: the picture of the window cannot be written", path);
      return FALSE;
    }
  return TRUE;
}
