#include "ui/panel/filter-curve.h"

#include "ui/view/widget.h"

#include <glib/gi18n.h>

#define N_POINTS 129
#define MARGIN 2.0 /* widget units */

static void
draw (GtkDrawingArea *area, cairo_t *cr, int width, int height, gpointer data)
{
  float curve[N_POINTS] = { 0 };
  GdkRGBA colour;

  tl_parameters_get_filter_curve (data, curve, N_POINTS);
  gtk_style_context_get_color (gtk_widget_get_style_context (GTK_WIDGET (area)),
                               &colour);
  gdk_cairo_set_source_rgba (cr, &colour);
  cairo_set_line_width (cr, 1.5);
  for (int i = 0; i < N_POINTS; i++)
    cairo_line_to (cr, MARGIN + (width - 2 * MARGIN) * i / (N_POINTS - 1),
                   height - MARGIN - (height - 2 * MARGIN) * (double)curve[i]);
  cairo_stroke_preserve (cr);
  cairo_line_to (cr, width - MARGIN, height - MARGIN);
  cairo_close_path (cr);
  colour.alpha *= 0.15F;
  gdk_cairo_set_source_rgba (cr, &colour);
  cairo_fill (cr);
}

static void
update (GtkWidget *area, GParamSpec *pspec, TlParameters *parameters)
{
  const TlRecipe *recipe = tl_parameters_get_recipe (parameters);
  g_autofree char *filter = tl_recipe_get (recipe, "filter");
  g_autofree char *cutoff = tl_recipe_get (recipe, "cutoff");
  /* translators: name of a filter and its cut-off */
  g_autofree char *words = g_strdup_printf (_ ("%s up to %s"), filter, cutoff);

  tl_widget_describe (area, words);
  gtk_widget_queue_draw (area);
}

void
tl_filter_curve_bind (GtkDrawingArea *area, TlSession *session)
{
  TlParameters *parameters = session->parameters;

  tl_keep (area, session);
  gtk_drawing_area_set_draw_func (area, draw, parameters, NULL);
  tl_follow (parameters, "recipe", G_CALLBACK (update), area);
  update (GTK_WIDGET (area), NULL, parameters);
}
