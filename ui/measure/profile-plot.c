#include "ui/measure/profile-plot.h"

#include "ui/view/drawn-text.h"
#include "ui/view/widget.h"

#include <glib/gi18n.h>
#include <math.h>

#define MIN_WIDTH 200
#define HEIGHT 150

/* Widget units. */
#define TOP 8.0
#define RIGHT 12.0
#define GAP 5.0 /* between a number and its tick */
#define TICK_LENGTH 4.0
#define TICK_DISTANCE_X 80.0
#define TICK_DISTANCE_Y 24.0
#define DOT 3.5

/* Space above and below the curve, as a part of its range. */
#define HEADROOM 0.06

struct _TlProfilePlot
{
  GtkWidget parent_instance;

  TlMeasure *measure; /* (nullable) */
  gboolean has_pointer;
  double pointer_x;
  char *readout;
};

G_DEFINE_FINAL_TYPE (TlProfilePlot, tl_profile_plot, GTK_TYPE_WIDGET)

enum
{
  PROP_READOUT = 1,
  N_PROPERTIES
};

static GParamSpec *properties[N_PROPERTIES];

/* Layout of the plot; positions and values in the units of the axes. */
typedef struct
{
  double left, right, top, bottom; /* area of the curve, widget units */
  double last, low,
      high; /* positions go from 0 to last, values from low to high */
  double per_pixel;
  const char *position_unit;
  TlUnits units;
  TlTicks x_ticks, y_ticks;
} Axes;

static const TlProfile *
get_profile (TlProfilePlot *self)
{
  return self->measure != NULL ? tl_measure_get_profile (self->measure) : NULL;
}

/* -- the axes ------------------------------------------------------------- */

/* Measures the widest number of the value axis, and the height of a number. */
static double
measure_numbers (TlProfilePlot *self, const TlTicks *ticks, double *height)
{
  double widest = 0;

  for (guint i = 0; i < ticks->n; i++)
    {
      g_autofree char *number = tl_ticks_format (ticks, i);
      double width;

      g_object_unref (tl_words_new (GTK_WIDGET (self), number, &width, height));
      widest = fmax (widest, width);
    }
  return widest;
}

static void
fit_values (Axes *axes, float min, float max)
{
  double least = fmax (fabs (min), fabs (max)) * 1e-6;
  double room = ((double)max - min) * HEADROOM;

  /* a constant profile is drawn in the middle */
  if (max - min <= least)
    room = least > 0 ? least : 1;
  axes->low = (min - room) * axes->units.per_value;
  axes->high = (max + room) * axes->units.per_value;
}

/* Returns: %FALSE if there is nothing to draw */
static gboolean
lay_out (TlProfilePlot *self, Axes *axes)
{
  const TlProfile *profile = get_profile (self);
  double width = gtk_widget_get_width (GTK_WIDGET (self));
  double height = gtk_widget_get_height (GTK_WIDGET (self));
  double length, text_height = 0;
  float min, max;

  if (profile == NULL || profile->step <= 0
      || !tl_profile_get_range (profile, &min, &max))
    return FALSE;
  length = (double)(profile->n - 1) * profile->step;
  tl_measure_get_units (self->measure, &axes->units);
  axes->per_pixel = tl_ruler_get_length_unit (length, axes->units.pixel_size_um,
                                              &axes->position_unit);
  axes->last = length * axes->per_pixel;
  fit_values (axes, min, max);
  tl_ticks_init (&axes->y_ticks, axes->low, axes->high,
                 (guint)fmax (2, height / TICK_DISTANCE_Y));
  axes->left = measure_numbers (self, &axes->y_ticks, &text_height);
  axes->left += 2 * GAP + TICK_LENGTH;
  axes->right = width - RIGHT;
  /* room for the unit above the values */
  axes->top = TOP + text_height;
  axes->bottom = height - text_height - TICK_LENGTH - GAP;
  if (axes->right <= axes->left || axes->bottom <= axes->top)
    return FALSE;
  tl_ticks_init (&axes->x_ticks, 0, axes->last,
                 (guint)fmax (2, (axes->right - axes->left) / TICK_DISTANCE_X));
  return TRUE;
}

static double
get_x (const Axes *axes, double position)
{
  return axes->left + position / axes->last * (axes->right - axes->left);
}

static double
get_y (const Axes *axes, double value)
{
  return axes->bottom
         - (value - axes->low) / (axes->high - axes->low)
               * (axes->bottom - axes->top);
}

/* -- drawing -------------------------------------------------------------- */

/* @align_x, @align_y: part of the text that is left of @x, above @y: 0, 0.5, 1
 */
static void
draw_words (TlProfilePlot *self, cairo_t *cr, const char *words, double x,
            double y, double align_x, double align_y)
{
  double width, height;
  g_autoptr (PangoLayout) text =
      tl_words_new (GTK_WIDGET (self), words, &width, &height);

  cairo_move_to (cr, x - align_x * width, y - align_y * height);
  pango_cairo_show_layout (cr, text);
}

/* Draws the positions; the last number has the unit. */
static void
draw_x_axis (TlProfilePlot *self, cairo_t *cr, const Axes *axes)
{
  for (guint i = 0; i < axes->x_ticks.n; i++)
    {
      double x = get_x (axes, tl_ticks_get (&axes->x_ticks, i));
      g_autofree char *number = tl_ticks_format (&axes->x_ticks, i);
      g_autofree char *last =
          g_strdup_printf ("%s %s", number, axes->position_unit);
      double width, height;
      g_autoptr (PangoLayout) text = tl_words_new (
          GTK_WIDGET (self), i + 1 < axes->x_ticks.n ? number : last, &width,
          &height);

      cairo_rectangle (cr, x - 0.5, axes->bottom, 1, TICK_LENGTH);
      cairo_fill (cr);
      cairo_move_to (cr, fmin (x - width / 2, axes->right + RIGHT - width),
                     axes->bottom + TICK_LENGTH);
      pango_cairo_show_layout (cr, text);
    }
}

static void
draw_y_axis (TlProfilePlot *self, cairo_t *cr, const Axes *axes)
{
  draw_words (self, cr, axes->units.unit, axes->left, 0, 0, 0);
  for (guint i = 0; i < axes->y_ticks.n; i++)
    {
      double y = get_y (axes, tl_ticks_get (&axes->y_ticks, i));
      g_autofree char *number = tl_ticks_format (&axes->y_ticks, i);

      cairo_rectangle (cr, axes->left - TICK_LENGTH, y - 0.5, TICK_LENGTH, 1);
      cairo_fill (cr);
      draw_words (self, cr, number, axes->left - TICK_LENGTH - GAP, y, 1, 0.5);
    }
}

/* Draws the curve, with gaps where the line is outside the picture. */
static void
draw_curve (cairo_t *cr, const Axes *axes, const TlProfile *profile)
{
  gboolean is_joined = FALSE;

  for (size_t i = 0; i < profile->n; i++)
    {
      double value = profile->values[i];
      double x = get_x (axes, (double)i * profile->step * axes->per_pixel);
      double y = get_y (axes, value * axes->units.per_value);

      if (isnan (value))
        is_joined = FALSE;
      else if (is_joined)
        cairo_line_to (cr, x, y);
      else
        {
          cairo_move_to (cr, x, y);
          is_joined = TRUE;
        }
    }
  cairo_set_line_width (cr, 1.5);
  cairo_set_line_join (cr, CAIRO_LINE_JOIN_ROUND);
  cairo_stroke (cr);
}

/* Marks the value nearest to the pointer. */
static size_t
find_value (const Axes *axes, const TlProfile *profile, double x)
{
  double part = (x - axes->left) / (axes->right - axes->left);

  return (size_t)round (CLAMP (part, 0, 1) * (double)(profile->n - 1));
}

static void
draw_pointer (TlProfilePlot *self, cairo_t *cr, const Axes *axes,
              const TlProfile *profile)
{
  size_t i = find_value (axes, profile, self->pointer_x);
  double x = get_x (axes, (double)i * profile->step * axes->per_pixel);
  double value = profile->values[i];

  cairo_rectangle (cr, x - 0.5, axes->top, 1, axes->bottom - axes->top);
  cairo_fill (cr);
  if (isnan (value))
    return;
  cairo_arc (cr, x, get_y (axes, value * axes->units.per_value), DOT, 0,
             2 * G_PI);
  cairo_fill (cr);
}

static void
draw_plot (TlProfilePlot *self, cairo_t *cr, const Axes *axes)
{
  GtkStyleContext *style = gtk_widget_get_style_context (GTK_WIDGET (self));
  const TlProfile *profile = get_profile (self);
  GdkRGBA colour;

  gtk_style_context_get_color (style, &colour);
  gdk_cairo_set_source_rgba (cr, &colour);
  draw_x_axis (self, cr, axes);
  draw_y_axis (self, cr, axes);
  draw_curve (cr, axes, profile);
  if (self->readout != NULL)
    draw_words (self, cr, self->readout, axes->right, 0, 1, 0);
  if (self->has_pointer)
    draw_pointer (self, cr, axes, profile);
  colour.alpha *= 0.35F;
  gdk_cairo_set_source_rgba (cr, &colour);
  cairo_set_line_width (cr, 1);
  cairo_rectangle (cr, axes->left + 0.5, axes->top + 0.5,
                   axes->right - axes->left - 1, axes->bottom - axes->top - 1);
  cairo_stroke (cr);
}

static void
tl_profile_plot_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  TlProfilePlot *self = TL_PROFILE_PLOT (widget);
  int width = gtk_widget_get_width (widget);
  int height = gtk_widget_get_height (widget);
  graphene_rect_t area = GRAPHENE_RECT_INIT (0, 0, width, height);
  cairo_t *cr;
  Axes axes;

  if (!lay_out (self, &axes))
    return;
  cr = gtk_snapshot_append_cairo (snapshot, &area);
  draw_plot (self, cr, &axes);
  cairo_destroy (cr);
}

/* -- under the pointer ---------------------------------------------------- */

static char *
describe_pointer (TlProfilePlot *self, const Axes *axes)
{
  const TlProfile *profile = get_profile (self);
  size_t i = find_value (axes, profile, self->pointer_x);
  double position = (double)i * profile->step;
  double value = profile->values[i] * axes->units.per_value;

  if (isnan (value))
    return g_strdup (_ ("outside the picture"));
  if (axes->units.pixel_size_um <= 0)
    return g_strdup_printf ("%.1f %s · %.5g %s", position, axes->position_unit,
                            value, axes->units.unit);
  /* translators: a position in pixels, the same in µm or mm, the value there */
  return g_strdup_printf (_ ("%.1f pixels · %.4g %s · %.5g %s"), position,
                          position * axes->per_pixel, axes->position_unit,
                          value, axes->units.unit);
}

static void
update (TlProfilePlot *self)
{
  g_autofree char *readout = NULL;
  double mark = -1;
  Axes axes;

  if (self->has_pointer && lay_out (self, &axes))
    {
      const TlProfile *profile = get_profile (self);

      readout = describe_pointer (self, &axes);
      mark = (double)find_value (&axes, profile, self->pointer_x)
             / (double)(profile->n - 1);
    }
  gtk_widget_queue_draw (GTK_WIDGET (self));
  if (self->measure != NULL)
    tl_measure_set_mark (self->measure, mark);
  if (g_strcmp0 (readout, self->readout) == 0)
    return;
  g_free (self->readout);
  self->readout = g_steal_pointer (&readout);
  tl_widget_describe (self, self->readout);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_READOUT]);
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

/* -- the widget ----------------------------------------------------------- */

static void
tl_profile_plot_measure (GtkWidget *widget, GtkOrientation orientation,
                         int for_size, int *minimum, int *natural,
                         int *minimum_baseline, int *natural_baseline)
{
  *minimum = *natural =
      orientation == GTK_ORIENTATION_HORIZONTAL ? MIN_WIDTH : HEIGHT;
}

static void
tl_profile_plot_get_property (GObject *object, guint property, GValue *value,
                              GParamSpec *pspec)
{
  if (property == PROP_READOUT)
    g_value_set_string (value, TL_PROFILE_PLOT (object)->readout);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property, pspec);
}

static void
tl_profile_plot_dispose (GObject *object)
{
  TlProfilePlot *self = TL_PROFILE_PLOT (object);

  g_clear_object (&self->measure);
  g_clear_pointer (&self->readout, g_free);
  G_OBJECT_CLASS (tl_profile_plot_parent_class)->dispose (object);
}

static void
tl_profile_plot_class_init (TlProfilePlotClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->get_property = tl_profile_plot_get_property;
  object_class->dispose = tl_profile_plot_dispose;
  widget_class->measure = tl_profile_plot_measure;
  widget_class->snapshot = tl_profile_plot_snapshot;
  properties[PROP_READOUT] = g_param_spec_string (
      "readout", NULL, NULL, NULL, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPERTIES, properties);
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
  tl_widget_name (self, _ ("Values along the line"));
}

void
tl_profile_plot_set_measure (TlProfilePlot *self, TlMeasure *measure)
{
  g_return_if_fail (self->measure == NULL);

  self->measure = g_object_ref (measure);
  tl_follow (measure, "profile", G_CALLBACK (update), self);
  update (self);
}
