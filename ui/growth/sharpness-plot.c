#include "ui/growth/sharpness-plot.h"

#include "ui/view/widget.h"

#include <glib/gi18n.h>
#include <math.h>

/* Widget units. */
#define WIDTH 72
#define HEIGHT 22
#define LINE 1.5
#define MARGIN 2.0

#define FAINT 0.25 /* the frame */

/* A smaller range of values is noise, and fills less of the plot: nats. */
#define MIN_RANGE 0.1

struct _TlSharpnessPlot
{
  GtkWidget parent_instance;

  GArray *points; /* of TlGrowthSharpness */
  size_t n_expected;
};

G_DEFINE_FINAL_TYPE (TlSharpnessPlot, tl_sharpness_plot, GTK_TYPE_WIDGET)

static const TlGrowthSharpness *
get_point (const TlSharpnessPlot *self, guint k)
{
  return &g_array_index (self->points, TlGrowthSharpness, k);
}

static void
draw_curve (const TlSharpnessPlot *self, cairo_t *cr)
{
  const guint n = self->points->len;
  double low = INFINITY, high = -INFINITY;
  double end = (double)self->n_expected;

  for (guint k = 0; k < n; k++)
    {
      low = fmin (low, get_point (self, k)->sharpness);
      high = fmax (high, get_point (self, k)->sharpness);
      end = fmax (end, (double)get_point (self, k)->n_projections);
    }
  const double range = fmax (high - low, MIN_RANGE);

  for (guint k = 0; k < n; k++)
    {
      const TlGrowthSharpness *point = get_point (self, k);

      cairo_line_to (
          cr,
          MARGIN + (WIDTH - 2 * MARGIN) * (double)point->n_projections / end,
          HEIGHT - MARGIN
              - (HEIGHT - 2 * MARGIN) * (point->sharpness - low) / range);
    }
  cairo_stroke (cr);
}

static void
tl_sharpness_plot_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  graphene_rect_t bounds = GRAPHENE_RECT_INIT (
      0, ((float)gtk_widget_get_height (widget) - HEIGHT) / 2, WIDTH, HEIGHT);
  cairo_t *cr = gtk_snapshot_append_cairo (snapshot, &bounds);
  GdkRGBA colour;

  gtk_style_context_get_color (gtk_widget_get_style_context (widget), &colour);
  cairo_translate (cr, bounds.origin.x, bounds.origin.y);
  cairo_set_source_rgba (cr, colour.red, colour.green, colour.blue, FAINT);
  cairo_set_line_width (cr, 1);
  cairo_rectangle (cr, 0.5, 0.5, WIDTH - 1, HEIGHT - 1);
  cairo_stroke (cr);
  gdk_cairo_set_source_rgba (cr, &colour);
  cairo_set_line_width (cr, LINE);
  cairo_set_line_join (cr, CAIRO_LINE_JOIN_ROUND);
  draw_curve (TL_SHARPNESS_PLOT (widget), cr);
  cairo_destroy (cr);
}

static void
tl_sharpness_plot_measure (GtkWidget *widget, GtkOrientation orientation,
                           int for_size, int *minimum, int *natural,
                           int *minimum_baseline, int *natural_baseline)
{
  *minimum = *natural =
      orientation == GTK_ORIENTATION_HORIZONTAL ? WIDTH : HEIGHT;
}

static void
tl_sharpness_plot_finalize (GObject *object)
{
  g_array_unref (TL_SHARPNESS_PLOT (object)->points);
  G_OBJECT_CLASS (tl_sharpness_plot_parent_class)->finalize (object);
}

static void
tl_sharpness_plot_class_init (TlSharpnessPlotClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = tl_sharpness_plot_finalize;
  widget_class->snapshot = tl_sharpness_plot_snapshot;
  widget_class->measure = tl_sharpness_plot_measure;
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
tl_sharpness_plot_init (TlSharpnessPlot *self)
{
  const char *name = _ ("Sharpness of the slice over the projections");

  self->points = g_array_new (FALSE, FALSE, sizeof (TlGrowthSharpness));
  tl_widget_name (self, name);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self), name);
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
}

void
tl_sharpness_plot_set_points (TlSharpnessPlot *self,
                              const TlGrowthSharpness *points, guint n,
                              size_t n_expected)
{
  g_return_if_fail (TL_IS_SHARPNESS_PLOT (self));
  g_array_set_size (self->points, 0);
  g_array_append_vals (self->points, points, n);
  self->n_expected = n_expected;
  gtk_widget_set_visible (GTK_WIDGET (self), n > 1);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}
