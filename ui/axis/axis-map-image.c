#include "ui/axis/axis-map-image.h"

#include <math.h>
#include <string.h>

/* Fills a line of pixels from the curve @values [@n]. */
static void
fill_line (const float *values, size_t n, const TlAxisMapRange *range,
           const guint8 *colours, int width, guint8 *pixels)
{
  for (int i = 0; i < width; i++)
    {
      double part = (i + 0.5) / width;
      double col =
          range->first_col + part * (range->last_col - range->first_col);
      double at = col / TL_AXIS_MAP_PITCH;
      double value;
      size_t low, colour;

      if (at < 0 || at > (double)(n - 1))
        continue;
      low = MIN ((size_t)at, n - 2);
      value =
          values[low] + (at - (double)low) * (values[low + 1] - values[low]);
      colour = (size_t)(CLAMP (value, 0, 1) * (TL_COLORMAP_SIZE - 1) + 0.5);
      memcpy (pixels + 4 * (size_t)i, colours + 4 * colour, 4);
    }
}

/* Returns: the known row nearest to the middle of the line @y, or -1 */
static int
find_nearest (TlAxisMap *map, guint n, double row)
{
  double nearest = INFINITY;
  int found = -1;

  for (guint k = 0; k < n; k++)
    {
      const TlAxisPoint *point = tl_axis_map_get_point (map, k);
      double away = point != NULL ? fabs ((double)point->row - row) : INFINITY;

      if (away >= nearest)
        continue;
      nearest = away;
      found = (int)k;
    }
  return found;
}

GdkTexture *
tl_axis_map_image_new (TlAxisMap *map, const TlAxisMapRange *range, int width,
                       int height)
{
  size_t stride = 4 * (size_t)width;
  guint8 *pixels = g_malloc0 (stride * (size_t)height);
  g_autoptr (GBytes) bytes = g_bytes_new_take (pixels, stride * (size_t)height);
  guint8 colours[TL_COLORMAP_SIZE * 4];
  size_t n_rows, n_cols, n_values;
  guint n, n_known;
  int before = -1;

  tl_colormap_fill (range->colormap, colours);
  if (tl_axis_map_get_size (map, &n_rows, &n_cols, &n, &n_known))
    for (int y = 0; y < height; y++)
      {
        double row = (y + 0.5) / height * (double)n_rows - 0.5;
        int k = find_nearest (map, n, row);
        guint8 *line = pixels + stride * (size_t)y;

        if (k >= 0 && k == before)
          memcpy (line, line - stride, stride);
        else if (k >= 0)
          {
            const float *values =
                tl_axis_map_get_curve (map, (guint)k, &n_values);

            fill_line (values, n_values, range, colours, width, line);
          }
        before = k;
      }
  return gdk_memory_texture_new (width, height, GDK_MEMORY_R8G8B8A8, bytes,
                                 stride);
}
