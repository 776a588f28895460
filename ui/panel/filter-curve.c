#include "ui/panel/filter-curve.h"

#include <glib/gi18n.h>

#define MIN_WIDTH 160
#define HEIGHT 44
#define N_POINTS 129
#define MARGIN 2.0

struct _TlFilterCurve
{
  GtkWidget parent_instance;

  TlSession *session;
};

G_DEFINE_FINAL_TYPE (TlFilterCurve, tl_filter_curve, GTK_TYPE_WIDGET)

static void
tl_filter_curve_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  TlFilterCurve *self = TL_FILTER_CURVE (widget);
  int width = gtk_widget_get_width (widget);
  int height = gtk_widget_get_height (widget);
  graphene_rect_t area = GRAPHENE_RECT_INIT (0, 0, width, height);
  float curve[N_POINTS] = { 0 };
  GdkRGBA colour;
  cairo_t *cr;

  tl_parameters_get_filter_curve (self->session->parameters, curve, N_POINTS);
  cr = gtk_snapshot_append_cairo (snapshot, &area);
  gtk_style_context_get_color (gtk_widget_get_style_context (widget), &colour);
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
  cairo_destroy (cr);
}

static void
tl_filter_curve_measure (GtkWidget *widget, GtkOrientation orientation,
                         int for_size, int *minimum, int *natural,
                         int *minimum_baseline, int *natural_baseline)
{
  *minimum = *natural =
      orientation == GTK_ORIENTATION_HORIZONTAL ? MIN_WIDTH : HEIGHT;
}

static void
tl_filter_curve_dispose (GObject *object)
{
  g_clear_object (&TL_FILTER_CURVE (object)->session);
  G_OBJECT_CLASS (tl_filter_curve_parent_class)->dispose (object);
}

static void
tl_filter_curve_class_init (TlFilterCurveClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = tl_filter_curve_dispose;
  widget_class->measure = tl_filter_curve_measure;
  widget_class->snapshot = tl_filter_curve_snapshot;
  gtk_widget_class_set_css_name (widget_class, "filtercurve");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
tl_filter_curve_init (TlFilterCurve *self)
{
  gtk_accessible_update_property (GTK_ACCESSIBLE (self),
                                  GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Curve of the filter"), -1);
}

static void
update (TlFilterCurve *self)
{
  TlParameters *parameters = self->session->parameters;
  g_autofree char *filter =
      tl_recipe_get (tl_parameters_get_recipe (parameters), "filter");
  g_autofree char *cutoff =
      tl_recipe_get (tl_parameters_get_recipe (parameters), "cutoff");
  /* translators: name of a filter and its cut-off */
  g_autofree char *words = g_strdup_printf (_ ("%s up to %s"), filter, cutoff);

  gtk_accessible_update_property (
      GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, words, -1);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
tl_filter_curve_set_session (TlFilterCurve *self, TlSession *session)
{
  g_return_if_fail (self->session == NULL);

  self->session = g_object_ref (session);
  g_signal_connect_object (session->parameters, "notify::recipe",
                           G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  update (self);
}
