#include "ui/picture/view-image.h"

#include "data/write/part-file.h"
#include "ui/picture/slice-view.h"

#include <cairo-svg.h>
#include <glib/gi18n.h>

#define CAPTION_MARGIN 9.0f /* widget units */

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

/* Unlike a GtkWidgetPaintable, which is empty from gtk_widget_queue_draw()
 * until the next frame of the screen. */
static void
draw_at_origin (GtkWidget *widget, GtkSnapshot *snapshot)
{
  GtkWidget *parent = gtk_widget_get_parent (widget);
  double x, y;

  if (!gtk_widget_translate_coordinates (widget, parent, 0, 0, &x, &y))
    return;
  gtk_snapshot_translate (snapshot,
                          &GRAPHENE_POINT_INIT ((float)-x, (float)-y));
  gtk_widget_snapshot_child (parent, widget, snapshot);
}

/* Draws @widget without a read-out.
 *
 * Returns: (transfer full) (nullable): in widget units */
static GskRenderNode *
draw_widget (GtkWidget *widget)
{
  GtkSnapshot *snapshot = gtk_snapshot_new ();

  if (TL_IS_SLICE_VIEW (widget))
    {
      if (tl_slice_view_is_drawn (TL_SLICE_VIEW (widget)))
        tl_slice_view_draw (TL_SLICE_VIEW (widget), snapshot);
    }
  else
    draw_at_origin (widget, snapshot);
  return gtk_snapshot_free_to_node (snapshot);
}

/* Draws @widget and the caption below it on the ground of its window.
 *
 * @size: (out): in widget units
 *
 * Returns: (transfer full) (nullable): %NULL if nothing is drawn yet */
static GskRenderNode *
draw (GtkWidget *widget, const char *caption, graphene_size_t *size)
{
  GtkStyleContext *style = gtk_widget_get_style_context (widget);
  g_autoptr (PangoLayout) layout =
      gtk_widget_create_pango_layout (widget, caption);
  const float height = (float)gtk_widget_get_height (widget);
  GskRenderNode *node = draw_widget (widget);
  GtkSnapshot *snapshot;
  GdkRGBA ground, ink;
  int caption_height;

  if (node == NULL)
    return NULL;
  pango_layout_get_pixel_size (layout, NULL, &caption_height);
  *size = GRAPHENE_SIZE_INIT (
      (float)gtk_widget_get_width (widget),
      height
          + (caption != NULL ? (float)caption_height + 2 * CAPTION_MARGIN : 0));
  snapshot = gtk_snapshot_new ();
  if (gtk_style_context_lookup_color (style, "theme_bg_color", &ground))
    gtk_snapshot_append_color (
        snapshot, &ground,
        &GRAPHENE_RECT_INIT (0, 0, size->width, size->height));
  gtk_snapshot_append_node (snapshot, node);
  gsk_render_node_unref (node);
  if (caption != NULL)
    {
      gtk_style_context_get_color (style, &ink);
      gtk_snapshot_translate (
          snapshot,
          &GRAPHENE_POINT_INIT (CAPTION_MARGIN, height + CAPTION_MARGIN));
      gtk_snapshot_append_layout (snapshot, layout, &ink);
    }
  return gtk_snapshot_free_to_node (snapshot);
}

GdkTexture *
tl_view_image_new (GtkWidget *widget, const char *caption)
{
  GtkNative *native = gtk_widget_get_native (widget);
  const float scale = (float)gtk_widget_get_scale_factor (widget);
  graphene_size_t size;
  GskRenderNode *node = native != NULL ? draw (widget, caption, &size) : NULL;
  GtkSnapshot *snapshot;
  g_autoptr (GskRenderNode) scaled = NULL;
  g_autoptr (GdkTexture) texture = NULL;

  if (node == NULL)
    return NULL;
  snapshot = gtk_snapshot_new ();
  gtk_snapshot_scale (snapshot, scale, scale);
  gtk_snapshot_append_node (snapshot, node);
  gsk_render_node_unref (node);
  scaled = gtk_snapshot_free_to_node (snapshot);
  texture = gsk_renderer_render_texture (
      gtk_native_get_renderer (native), scaled,
      &GRAPHENE_RECT_INIT (0, 0, size.width * scale, size.height * scale));
  return fetch (texture);
}

static cairo_status_t
append (void *bytes, const unsigned char *data, unsigned int n)
{
  g_byte_array_append (bytes, data, n);
  return CAIRO_STATUS_SUCCESS;
}

/* Returns: (transfer full) (nullable): as of tl_view_image_new() */
static GBytes *
draw_svg (GtkWidget *widget, const char *caption)
{
  graphene_size_t size;
  GskRenderNode *node = draw (widget, caption, &size);
  GByteArray *bytes;
  cairo_surface_t *surface;
  cairo_t *cr;

  if (node == NULL)
    return NULL;
  bytes = g_byte_array_new ();
  surface = cairo_svg_surface_create_for_stream (
      append, bytes, (double)size.width, (double)size.height);
  cr = cairo_create (surface);
  gsk_render_node_draw (node, cr);
  cairo_destroy (cr);
  cairo_surface_destroy (surface);
  gsk_render_node_unref (node);
  return g_byte_array_free_to_bytes (bytes);
}

/* Data of the thread that writes the file: either of the images. */
typedef struct
{
  GdkTexture *texture; /* (nullable) */
  GBytes *svg;         /* (nullable) */
  char *path;
} Saving;

static void
saving_free (gpointer data)
{
  Saving *saving = data;

  g_clear_object (&saving->texture);
  g_clear_pointer (&saving->svg, g_bytes_unref);
  g_free (saving->path);
  g_free (saving);
}

static void
save (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Saving *saving = data;
  g_autoptr (GBytes) bytes =
      saving->svg != NULL ? g_bytes_ref (saving->svg)
                          : gdk_texture_save_to_png_bytes (saving->texture);
  GError *error = NULL;

  if (tl_write_file (saving->path, g_bytes_get_data (bytes, NULL),
                     g_bytes_get_size (bytes), TRUE, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

void
tl_view_image_save (GtkWidget *widget, const char *caption, const char *path,
                    GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (NULL, NULL, callback, user_data);
  Saving *saving = g_new0 (Saving, 1);

  saving->path = g_strdup (path);
  g_task_set_task_data (task, saving, saving_free);
  if (g_str_has_suffix (path, ".svg"))
    saving->svg = draw_svg (widget, caption);
  else
    saving->texture = tl_view_image_new (widget, caption);
  if (saving->svg == NULL && saving->texture == NULL)
    g_task_return_new_error (task, G_IO_ERROR, G_IO_ERROR_FAILED, "%s",
                             _ ("The view cannot be saved: there is no "
                                "picture yet"));
  else
    g_task_run_in_thread (task, save);
}

gboolean
tl_view_image_save_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_boolean (G_TASK (result), error);
}
