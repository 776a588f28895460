#include "ui/measure/profile-plot.h"

#include "ui/plot/plot.h"
#include "ui/view/widget.h"

#include <glib/gi18n.h>
#include <math.h>

#define MIN_WIDTH 200
#define HEIGHT 150

/* Widget units. */
#define TOP 8.0
#define RIGHT 12.0
#define TICK_DISTANCE_X 80.0
#define TICK_DISTANCE_Y 24.0
#define DOT 3.5

/* Space above and below the curve, as a part of its range. */
#define HEADROOM 0.06

/* Of the curve of A, and in the legend. */
static const double dash = 5;
#define SAMPLE 22.0

struct _TlProfilePlot
{
  GtkDrawingArea parent_instance;

  TlMeasure *measure;
  gboolean has_pointer;
  double pointer_x;
};

G_DEFINE_FINAL_TYPE (TlProfilePlot, tl_profile_plot, GTK_TYPE_DRAWING_AREA)

/* Layout of the plot; positions and values in the units of the axes. */
typedef struct
{
  TlPlot plot;
  double per_pixel; /* of the unit of positions */
  const char *position_unit;
  TlUnits units;
  TlTicks x_ticks, y_ticks;
} Axes;

/* --- the axes --- */

static void
fit_values (Axes *axes, float min, float max)
{
  double least = fmax (fabs (min), fabs (max)) * 1e-6;
  double room = ((double)max - min) * HEADROOM;

  /* a constant profile is drawn in the middle */
  if (max - min <= least)
    room = least > 0 ? least : 1;
  axes->plot.low = (min - room) * axes->units.per_value;
  axes->plot.high = (max + room) * axes->units.per_value;
}

/* Returns: %FALSE if there is nothing to draw */
static gboolean
lay_out (TlProfilePlot *self, Axes *axes)
{
  const TlProfile *profile = tl_measure_get_profile (self->measure);
  GtkWidget *widget = GTK_WIDGET (self);
  TlPlot *plot = &axes->plot;
  const TlProfile *held = tl_measure_get_held_profile (self->measure);
  double length, text_height = 0;
  float min, max, held_min, held_max;

  if (profile == NULL || profile->step <= 0
      || !tl_profile_get_range (profile, &min, &max))
    return FALSE;
  if (held != NULL && tl_profile_get_range (held, &held_min, &held_max))
    {
      min = fminf (min, held_min);
      max = fmaxf (max, held_max);
    }
  *plot = (TlPlot){ .widget = widget };
  length = (double)(profile->n - 1) * profile->step;
  tl_measure_get_units (self->measure, &axes->units);
  axes->per_pixel = tl_ruler_get_length_unit (length, axes->units.pixel_size_um,
                                              &axes->position_unit);
  plot->last = length * axes->per_pixel;
  fit_values (axes, min, max);
  tl_ticks_init (
      &axes->y_ticks, plot->low, plot->high,
      (guint)fmax (2, gtk_widget_get_height (widget) / TICK_DISTANCE_Y));
  plot->left = tl_words_measure_ticks (widget, &axes->y_ticks, &text_height)
               + 2 * TL_PLOT_GAP + TL_PLOT_TICK;
  plot->right = gtk_widget_get_width (widget) - RIGHT;
  /* room for the unit above the values */
  plot->top = TOP + text_height;
  plot->bottom =
      gtk_widget_get_height (widget) - text_height - TL_PLOT_TICK - TL_PLOT_GAP;
  if (plot->right <= plot->left || plot->bottom <= plot->top)
    return FALSE;
  tl_ticks_init (&axes->x_ticks, 0, plot->last,
                 (guint)fmax (2, (plot->right - plot->left) / TICK_DISTANCE_X));
  return TRUE;
}

static double
get_x (const Axes *axes, const TlProfile *profile, size_t i)
{
  return tl_plot_get_x (&axes->plot,
                        (double)i * profile->step * axes->per_pixel);
}

static double
get_y (const Axes *axes, double value)
{
  return tl_plot_get_y (&axes->plot, value * axes->units.per_value);
}

/* --- drawing --- */

/* Draws the curve, with gaps where the line is outside the picture. */
static void
draw_curve (cairo_t *cr, const Axes *axes, const TlProfile *profile)
{
  for (size_t i = 0; i < profile->n; i++)
    if (isnan (profile->values[i]))
      cairo_new_sub_path (cr);
    else
      cairo_line_to (cr, get_x (axes, profile, i),
                     get_y (axes, profile->values[i]));
  cairo_set_line_width (cr, 1.5);
  cairo_set_line_join (cr, CAIRO_LINE_JOIN_ROUND);
  cairo_stroke (cr);
}

static double
measure_words (GtkWidget *widget, const char *words)
{
  double width, height;

  g_object_unref (tl_words_new (widget, words, &width, &height));
  return width;
}

/* Returns: the width of draw_key(), and of the space after it */
static double
measure_key (GtkWidget *widget, const char *words)
{
  return SAMPLE + measure_words (widget, words) + 4 * TL_PLOT_GAP;
}

/* Draws a piece of a curve and its name. */
static void
draw_key (GtkWidget *widget, cairo_t *cr, const char *words, double x)
{
  double width, height;

  g_object_unref (tl_words_new (widget, words, &width, &height));
  cairo_move_to (cr, x, height / 2);
  cairo_line_to (cr, x + SAMPLE, height / 2);
  cairo_stroke (cr);
  tl_words_draw (widget, cr, words, x + SAMPLE + TL_PLOT_GAP, 0, 0, 0);
}

/* Says after the unit which curve is which, if there is room left of @end. */
static void
draw_legend (cairo_t *cr, const Axes *axes, double end)
{
  GtkWidget *widget = axes->plot.widget;
  const char *held = _ ("A, held"), *now = _ ("B, now");
  const double first = axes->plot.left
                       + measure_words (widget, axes->units.unit)
                       + 4 * TL_PLOT_GAP;
  const double second = first + measure_key (widget, held);

  if (second + measure_key (widget, now) > end)
    return;
  cairo_save (cr);
  cairo_set_dash (cr, &dash, 1, 0);
  draw_key (widget, cr, held, first);
  cairo_restore (cr);
  draw_key (widget, cr, now, second);
}

/* Draws the curve of A dashed. */
static void
draw_held (cairo_t *cr, const Axes *axes, const TlProfile *held)
{
  cairo_save (cr);
  cairo_set_dash (cr, &dash, 1, 0);
  draw_curve (cr, axes, held);
  cairo_restore (cr);
}

/* Marks the value nearest to the pointer. */
static size_t
find_value (const Axes *axes, const TlProfile *profile, double x)
{
  double part = (x - axes->plot.left) / (axes->plot.right - axes->plot.left);

  return (size_t)round (CLAMP (part, 0, 1) * (double)(profile->n - 1));
}

static void
draw_dot (cairo_t *cr, const Axes *axes, double x, double value)
{
  if (isnan (value))
    return;
  cairo_arc (cr, x, get_y (axes, value), DOT, 0, 2 * G_PI);
  cairo_fill (cr);
}

/* Returns: where the read-out begins */
static double
draw_pointer (TlProfilePlot *self, cairo_t *cr, const Axes *axes,
              const TlProfile *profile)
{
  size_t i = find_value (axes, profile, self->pointer_x);
  double x = get_x (axes, profile, i);
  const TlProfile *held = tl_measure_get_held_profile (self->measure);
  g_autofree char *readout = tl_profile_plot_describe (self);

  tl_words_draw (axes->plot.widget, cr, readout, axes->plot.right, 0, 1, 0);
  cairo_rectangle (cr, x - 0.5, axes->plot.top, 1,
                   axes->plot.bottom - axes->plot.top);
  cairo_fill (cr);
  draw_dot (cr, axes, x, profile->values[i]);
  if (held != NULL)
    draw_dot (cr, axes, x, held->values[i]);
  return axes->plot.right - measure_words (axes->plot.widget, readout);
}

static void
draw (GtkDrawingArea *area, cairo_t *cr, int width, int height, gpointer data)
{
  TlProfilePlot *self = TL_PROFILE_PLOT (area);
  GtkWidget *widget = GTK_WIDGET (area);
  const TlProfile *profile = tl_measure_get_profile (self->measure);
  const TlProfile *held = tl_measure_get_held_profile (self->measure);
  GdkRGBA colour;
  Axes axes;
  const TlPlot *plot = &axes.plot;
  double end = INFINITY;

  if (!lay_out (self, &axes))
    return;
  gtk_style_context_get_color (gtk_widget_get_style_context (widget), &colour);
  gdk_cairo_set_source_rgba (cr, &colour);
  tl_plot_draw_x_ticks (plot, cr, &axes.x_ticks, axes.position_unit);
  tl_plot_draw_y_ticks (plot, cr, &axes.y_ticks);
  tl_words_draw (widget, cr, axes.units.unit, plot->left, 0, 0, 0);
  draw_curve (cr, &axes, profile);
  if (held != NULL)
    draw_held (cr, &axes, held);
  if (self->has_pointer)
    end = draw_pointer (self, cr, &axes, profile);
  if (held != NULL)
    draw_legend (cr, &axes, end);
  colour.alpha *= 0.35F;
  gdk_cairo_set_source_rgba (cr, &colour);
  cairo_set_line_width (cr, 1);
  cairo_rectangle (cr, plot->left + 0.5, plot->top + 0.5,
                   plot->right - plot->left - 1, plot->bottom - plot->top - 1);
  cairo_stroke (cr);
}

/* --- under the pointer --- */

/* Returns: whether neither curve has a value there */
static gboolean
is_outside (TlProfilePlot *self, size_t i)
{
  const TlProfile *held = tl_measure_get_held_profile (self->measure);

  return isnan (tl_measure_get_profile (self->measure)->values[i])
         && (held == NULL || isnan (held->values[i]));
}

/* Returns: (transfer full): a dash for none */
static char *
describe_value (double value)
{
  return isnan (value) ? g_strdup ("–") : g_strdup_printf ("%.5g", value);
}

/* Returns: (transfer full): the value, or those of A and B, with their unit */
static char *
describe_values (TlProfilePlot *self, const TlUnits *units, size_t i)
{
  const TlProfile *held = tl_measure_get_held_profile (self->measure);
  g_autofree char *now = describe_value (
      tl_measure_get_profile (self->measure)->values[i] * units->per_value);

  if (held == NULL)
    return g_strdup_printf ("%s %s", now, units->unit);
  g_autofree char *before = describe_value (held->values[i] * units->per_value);
  return g_strdup_printf ("A %s · B %s %s", before, now, units->unit);
}

char *
tl_profile_plot_describe (TlProfilePlot *self)
{
  const TlProfile *profile = tl_measure_get_profile (self->measure);
  Axes axes;
  const TlUnits *units = &axes.units;
  double position;
  size_t i;

  if (!self->has_pointer || !lay_out (self, &axes))
    return NULL;
  i = find_value (&axes, profile, self->pointer_x);
  position = (double)i * profile->step;
  if (is_outside (self, i))
    return g_strdup (_ ("outside the picture"));
  g_autofree char *values = describe_values (self, units, i);
  if (units->pixel_size_um <= 0)
    return g_strdup_printf ("%.1f %s · %s", position, axes.position_unit,
                            values);
  /* translators: a position in pixels, the same in µm or mm, the value there */
  return g_strdup_printf (_ ("%.1f pixels · %.4g %s · %s"), position,
                          position * axes.per_pixel, axes.position_unit,
                          values);
}

static void
update (TlProfilePlot *self)
{
  const TlProfile *profile = tl_measure_get_profile (self->measure);
  g_autofree char *readout = tl_profile_plot_describe (self);
  double mark = -1;
  Axes axes;

  if (self->has_pointer && lay_out (self, &axes))
    mark = (double)find_value (&axes, profile, self->pointer_x)
           / (double)(profile->n - 1);
  gtk_widget_queue_draw (GTK_WIDGET (self));
  tl_measure_set_mark (self->measure, mark);
  tl_widget_describe (self, readout);
}

static void
on_motion (TlProfilePlot *self, double x)
{
  self->has_pointer = TRUE;
  self->pointer_x = x;
  update (self);
}

static void
on_leave (TlProfilePlot *self)
{
  self->has_pointer = FALSE;
  update (self);
}

/* --- the widget --- */

static void
tl_profile_plot_class_init (TlProfilePlotClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  gtk_widget_class_set_css_name (widget_class, "profileplot");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
tl_profile_plot_init (TlProfilePlot *self)
{
  GtkEventController *motion = gtk_event_controller_motion_new ();

  g_signal_connect_swapped (motion, "enter", G_CALLBACK (on_motion), self);
  g_signal_connect_swapped (motion, "motion", G_CALLBACK (on_motion), self);
  g_signal_connect_swapped (motion, "leave", G_CALLBACK (on_leave), self);
  gtk_widget_add_controller (GTK_WIDGET (self), motion);
  gtk_drawing_area_set_draw_func (GTK_DRAWING_AREA (self), draw, NULL, NULL);
  gtk_widget_set_size_request (GTK_WIDGET (self), MIN_WIDTH, HEIGHT);
  tl_widget_name (self, _ ("Values along the line"));
}

void
tl_profile_plot_set_measure (TlProfilePlot *self, TlMeasure *measure)
{
  g_return_if_fail (self->measure == NULL);

  self->measure = tl_keep (self, measure);
  tl_follow (measure, "profile", G_CALLBACK (update), self);
  update (self);
}
