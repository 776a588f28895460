#include "ui/plot/plot.h"

#include <math.h>

PangoLayout *
tl_words_new (GtkWidget *widget, const char *words, double *width,
              double *height)
{
  PangoLayout *layout = gtk_widget_create_pango_layout (widget, words);
  int pixel_width, pixel_height;

  pango_layout_get_pixel_size (layout, &pixel_width, &pixel_height);
  *width = pixel_width;
  *height = pixel_height;
  return layout;
}

void
tl_words_draw (GtkWidget *widget, cairo_t *cr, const char *words, double x,
               double y, double align_x, double align_y)
{
  double width, height;
  g_autoptr (PangoLayout) text = tl_words_new (widget, words, &width, &height);

  cairo_move_to (cr, x - align_x * width, y - align_y * height);
  pango_cairo_show_layout (cr, text);
  cairo_new_path (cr);
}

double
tl_words_measure_ticks (GtkWidget *widget, const TlTicks *ticks, double *height)
{
  double widest = 0;

  for (guint i = 0; i < ticks->n; i++)
    {
      g_autofree char *number = tl_ticks_format (ticks, i);
      double width;

      g_object_unref (tl_words_new (widget, number, &width, height));
      widest = fmax (widest, width);
    }
  return widest;
}

void
tl_words_append (GtkSnapshot *snapshot, PangoLayout *words,
                 const GdkRGBA *colour, double x, double y)
{
  gtk_snapshot_save (snapshot);
  gtk_snapshot_translate (snapshot, &GRAPHENE_POINT_INIT ((float)x, (float)y));
  gtk_snapshot_append_layout (snapshot, words, colour);
  gtk_snapshot_restore (snapshot);
}

void
tl_words_append_label (GtkSnapshot *snapshot, PangoLayout *words,
                       const GdkRGBA *colour, double x, double y,
                       double padding)
{
  static const GdkRGBA dark = { 0, 0, 0, 0.6F };
  graphene_rect_t area;
  GskRoundedRect plate;
  int width, height;

  pango_layout_get_pixel_size (words, &width, &height);
  area = GRAPHENE_RECT_INIT ((float)(x - padding), (float)(y - padding / 2),
                             (float)(width + 2 * padding),
                             (float)(height + padding));
  gsk_rounded_rect_init_from_rect (&plate, &area, (float)padding);
  gtk_snapshot_push_rounded_clip (snapshot, &plate);
  gtk_snapshot_append_color (snapshot, &dark, &area);
  gtk_snapshot_pop (snapshot);
  tl_words_append (snapshot, words, colour, x, y);
}

double
tl_plot_get_x (const TlPlot *plot, double value)
{
  return plot->left
         + (value - plot->first) / (plot->last - plot->first)
               * (plot->right - plot->left);
}

double
tl_plot_get_y (const TlPlot *plot, double value)
{
  return plot->bottom
         - (value - plot->low) / (plot->high - plot->low)
               * (plot->bottom - plot->top);
}

void
tl_plot_draw_x_ticks (const TlPlot *plot, cairo_t *cr, const TlTicks *ticks,
                      const char *unit)
{
  const double most = gtk_widget_get_width (plot->widget) - plot->margin;

  for (guint i = 0; i < ticks->n; i++)
    {
      const gboolean has_unit = unit != NULL && i + 1 == ticks->n;
      const double x = tl_plot_get_x (plot, tl_ticks_get (ticks, i));
      g_autofree char *number = tl_ticks_format (ticks, i);
      g_autofree char *words =
          g_strjoin (" ", number, has_unit ? unit : NULL, NULL);
      double width, height;
      g_autoptr (PangoLayout) text =
          tl_words_new (plot->widget, words, &width, &height);

      cairo_rectangle (cr, x - 0.5, plot->bottom, 1, TL_PLOT_TICK);
      cairo_fill (cr);
      cairo_move_to (cr, CLAMP (x - width / 2, plot->margin, most - width),
                     plot->bottom + TL_PLOT_TICK);
      pango_cairo_show_layout (cr, text);
      cairo_new_path (cr);
    }
}

void
tl_plot_draw_y_ticks (const TlPlot *plot, cairo_t *cr, const TlTicks *ticks)
{
  const double x = plot->left - TL_PLOT_TICK;

  for (guint i = 0; i < ticks->n; i++)
    {
      const double y = tl_plot_get_y (plot, tl_ticks_get (ticks, i));
      g_autofree char *number = tl_ticks_format (ticks, i);

      cairo_rectangle (cr, x, y - 0.5, TL_PLOT_TICK, 1);
      cairo_fill (cr);
      tl_words_draw (plot->widget, cr, number, x - TL_PLOT_GAP, y, 1, 0.5);
    }
}
