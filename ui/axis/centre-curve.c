#include "ui/axis/centre-curve.h"

#include "data/geometry.h"
#include "ui/plot/plot.h"
#include "ui/view/widget.h"

#include <glib/gi18n.h>
#include <math.h>

/* Widget units. */
#define MIN_WIDTH 200
#define CURVE_HEIGHT 40.0
#define MARGIN 4.0
#define GAP 6.0
#define TICK_DISTANCE 56.0
#define REACH 10.0 /* of a click beside the curves, to a tick */
#define DOT 3.5
#define CAP 3.0 /* half the length of the cap at a bar's end */
#define ARROW 4.0

/* Columns shown: at least LEAST_RANGE. Each estimate gets a margin of some of
 * its standard deviations, MAX_ROOM columns at most; all of them one of ROOM
 * times their range. */
#define LEAST_RANGE 0.4
#define ROOM_DEVIATIONS 2.0
#define MAX_ROOM 0.5
#define ROOM 0.12

/* More than the number of estimators. */
#define MAX_LINES 12

/* A line of the plot: an estimator's estimate, or the combined one. */
typedef struct
{
  TlCentreFound found; /* lent by the search */
  const char *title;   /* translated name; lent */
  gboolean is_common;
} Line;

struct _TlCentreCurve
{
  GtkDrawingArea parent_instance;

  TlSession *session;
  TlCentreSearch *search; /* not owned: the session's */
  Line lines[MAX_LINES];
  guint n_lines;
  int pointed; /* the line under the pointer; -1: none */
};

G_DEFINE_FINAL_TYPE (TlCentreCurve, tl_centre_curve, GTK_TYPE_DRAWING_AREA)

/* Layout of the plot: curves over columns, lines below them, then the axis of
 * columns. */
typedef struct
{
  TlPlot plot;
  double line_height;
  double curve_bottom;
  TlTicks ticks;
} Axes;

/* --- layout --- */

/* Shows all estimates with a margin, and the present axis if it is not far. */
static void
choose_columns (TlCentreCurve *self, TlPlot *plot)
{
  const double centre = tl_parameters_get_centre (self->session->parameters);
  double low = INFINITY, high = -INFINITY, spare;

  for (guint i = 0; i < self->n_lines; i++)
    {
      const TlCentreFound *found = &self->lines[i].found;
      double room = fmin (ROOM_DEVIATIONS * found->uncertainty_col, MAX_ROOM);

      low = fmin (low, found->centre_col - room);
      high = fmax (high, found->centre_col + room);
    }
  spare = fmax (LEAST_RANGE, high - low);
  if (centre > low - spare && centre < high + spare)
    {
      low = fmin (low, centre);
      high = fmax (high, centre);
    }
  spare = fmax (LEAST_RANGE - (high - low), 0) / 2 + ROOM * (high - low);
  plot->first = low - spare;
  plot->last = high + spare;
}

/* Returns: %FALSE if there is nothing to draw, or no room */
static gboolean
lay_out (TlCentreCurve *self, Axes *axes)
{
  GtkWidget *widget = GTK_WIDGET (self);
  TlPlot *plot = &axes->plot;

  if (self->n_lines == 0)
    return FALSE;
  *plot = (TlPlot){ .widget = widget, .margin = MARGIN };
  for (guint i = 0; i < self->n_lines; i++)
    {
      double width;

      g_object_unref (tl_words_new (widget, self->lines[i].title, &width,
                                    &axes->line_height));
      plot->left = fmax (plot->left, MARGIN + width + GAP);
    }
  plot->right = gtk_widget_get_width (widget) - MARGIN;
  axes->curve_bottom = MARGIN + ARROW + CURVE_HEIGHT;
  plot->bottom = axes->curve_bottom + self->n_lines * axes->line_height;
  if (plot->right <= plot->left)
    return FALSE;
  choose_columns (self, plot);
  tl_ticks_init (&axes->ticks, plot->first, plot->last,
                 (guint)fmax (2, (plot->right - plot->left) / TICK_DISTANCE));
  return TRUE;
}

/* Returns: y of the middle of a line */
static double
get_line_y (const Axes *axes, guint line)
{
  return axes->curve_bottom + (line + 0.5) * axes->line_height;
}

/* --- drawing --- */

static void
set_colour (cairo_t *cr, const GdkRGBA *colour, double alpha)
{
  cairo_set_source_rgba (cr, colour->red, colour->green, colour->blue,
                         colour->alpha * alpha);
}

/* Returns: the curve's value at a column; NaN beyond its points */
static double
interpolate (const TlCentreFound *found, double col)
{
  const double *at = found->positions, *values = found->values;
  size_t low = 0, high = found->n_points - 1;

  if (!(col >= at[low] && col <= at[high]))
    return NAN;
  while (high - low > 1)
    {
      size_t middle = (low + high) / 2;

      if (at[middle] <= col)
        low = middle;
      else
        high = middle;
    }
  return values[low]
         + (col - at[low]) / (at[high] - at[low])
               * (values[high] - values[low]);
}

/* Scales the curve to the range of its visible part, because it has no unit. */
static void
draw_curve (cairo_t *cr, const Axes *axes, const TlCentreFound *found)
{
  const TlPlot *plot = &axes->plot;
  guint n = (guint)(plot->right - plot->left) + 1;
  g_autofree double *values = g_new (double, n);
  double low = INFINITY, high = -INFINITY;

  for (guint i = 0; i < n; i++)
    {
      double part = n > 1 ? (double)i / (n - 1) : 0;

      values[i] =
          interpolate (found, plot->first + part * (plot->last - plot->first));
      low = fmin (low, values[i]);
      high = fmax (high, values[i]);
    }
  cairo_new_path (cr);
  for (guint i = 0; i < n; i++)
    if (!isnan (values[i]))
      {
        double part = high > low ? (values[i] - low) / (high - low) : 0.5;

        cairo_line_to (cr, plot->left + i,
                       axes->curve_bottom - 3 - part * (CURVE_HEIGHT - 6));
      }
  cairo_stroke (cr);
}

/* Draws a bar with a cap at each end, or an arrow if it continues outside. */
static void
draw_bar (cairo_t *cr, const TlPlot *plot, const TlCentreFound *found, double y)
{
  const double ends[] = { found->centre_col - found->uncertainty_col,
                          found->centre_col + found->uncertainty_col };

  cairo_move_to (cr, fmax (tl_plot_get_x (plot, ends[0]), plot->left), y);
  cairo_line_to (cr, fmin (tl_plot_get_x (plot, ends[1]), plot->right), y);
  for (guint i = 0; i < 2; i++)
    if (ends[i] > plot->first && ends[i] < plot->last)
      {
        cairo_move_to (cr, tl_plot_get_x (plot, ends[i]), y - CAP);
        cairo_line_to (cr, tl_plot_get_x (plot, ends[i]), y + CAP);
      }
    else
      {
        double x = i == 0 ? plot->left : plot->right;
        double back = i == 0 ? CAP : -CAP;

        cairo_move_to (cr, x + back, y - CAP);
        cairo_line_to (cr, x, y);
        cairo_line_to (cr, x + back, y + CAP);
      }
  cairo_stroke (cr);
}

/* Draws a disc for an estimate that agrees with the others, a ring for an
 * outlier; the combined estimate is a diamond. */
static void
draw_tick (cairo_t *cr, const TlPlot *plot, const Line *line, double y)
{
  double x = tl_plot_get_x (plot, line->found.centre_col);

  cairo_new_path (cr);
  if (line->is_common)
    {
      cairo_move_to (cr, x, y - DOT - 1);
      cairo_line_to (cr, x + DOT + 1, y);
      cairo_line_to (cr, x, y + DOT + 1);
      cairo_line_to (cr, x - DOT - 1, y);
      cairo_close_path (cr);
    }
  else
    cairo_arc (cr, x, y, DOT, 0, 2 * G_PI);
  if (line->found.agrees)
    cairo_fill (cr);
  else
    cairo_stroke (cr);
}

/* Draws the combined estimate's line from the top to its diamond. */
static void
draw_common (cairo_t *cr, const TlPlot *plot, const Line *line, double y)
{
  static const double dashes[] = { 3, 3 };
  double x = tl_plot_get_x (plot, line->found.centre_col);

  cairo_set_line_width (cr, 1);
  cairo_set_dash (cr, dashes, G_N_ELEMENTS (dashes), 0);
  cairo_move_to (cr, x, MARGIN + ARROW);
  cairo_line_to (cr, x, y);
  cairo_stroke (cr);
  cairo_set_dash (cr, NULL, 0, 0);
}

static void
draw_line (TlCentreCurve *self, const Axes *axes, guint i, cairo_t *cr,
           const GdkRGBA *colour)
{
  const TlPlot *plot = &axes->plot;
  const Line *line = &self->lines[i];
  gboolean is_pointed = self->pointed == (int)i;
  double y = get_line_y (axes, i);

  if (is_pointed)
    {
      set_colour (cr, colour, 0.1);
      cairo_rectangle (cr, 0, y - axes->line_height / 2,
                       gtk_widget_get_width (GTK_WIDGET (self)),
                       axes->line_height);
      cairo_fill (cr);
    }
  if (line->found.n_points > 1)
    {
      set_colour (cr, colour, is_pointed ? 1 : 0.45);
      cairo_set_line_width (cr, is_pointed ? 2 : 1);
      draw_curve (cr, axes, &line->found);
    }
  set_colour (cr, colour, 1);
  cairo_set_line_width (cr, 1.5);
  tl_words_draw (plot->widget, cr, line->title, plot->left - GAP, y, 1, 0.5);
  draw_bar (cr, plot, &line->found, y);
  draw_tick (cr, plot, line, y);
  if (line->is_common)
    draw_common (cr, plot, line, y);
}

/* Draws the present axis: a line with an arrow above it, or an arrow alone that
 * points to an axis outside the columns shown. */
static void
draw_centre (TlCentreCurve *self, const TlPlot *plot, cairo_t *cr)
{
  double col = tl_parameters_get_centre (self->session->parameters);
  double x = CLAMP (tl_plot_get_x (plot, col), plot->left, plot->right);
  GdkRGBA colour;

  tl_widget_find_accent (GTK_WIDGET (self), &colour);
  gdk_cairo_set_source_rgba (cr, &colour);
  cairo_new_path (cr);
  if (col < plot->first || col > plot->last)
    {
      double side = col < plot->first ? 1 : -1;

      cairo_move_to (cr, x, MARGIN + ARROW);
      cairo_line_to (cr, x + side * 2 * ARROW, MARGIN);
      cairo_line_to (cr, x + side * 2 * ARROW, MARGIN + 2 * ARROW);
    }
  else
    {
      cairo_rectangle (cr, x - 1, MARGIN, 2, plot->bottom - MARGIN);
      cairo_move_to (cr, x - ARROW - 1, MARGIN);
      cairo_line_to (cr, x + ARROW + 1, MARGIN);
      cairo_line_to (cr, x, MARGIN + ARROW + 2);
    }
  cairo_fill (cr);
}

static void
draw (GtkDrawingArea *area, cairo_t *cr, int width, int height, gpointer data)
{
  TlCentreCurve *self = TL_CENTRE_CURVE (area);
  GdkRGBA colour;
  Axes axes;
  const TlPlot *plot = &axes.plot;

  if (!lay_out (self, &axes))
    return;
  gtk_style_context_get_color (gtk_widget_get_style_context (GTK_WIDGET (area)),
                               &colour);
  draw_centre (self, plot, cr);
  set_colour (cr, &colour, 0.4);
  cairo_rectangle (cr, plot->left, plot->bottom, plot->right - plot->left, 1);
  cairo_fill (cr);
  set_colour (cr, &colour, 0.75);
  tl_plot_draw_x_ticks (plot, cr, &axes.ticks, NULL);
  for (guint i = 0; i < self->n_lines; i++)
    draw_line (self, &axes, i, cr, &colour);
}

/* --- descriptions --- */

static char *
describe_line (const Line *line)
{
  const TlCentreFound *found = &line->found;
  double boundary = tl_centre_to_boundary (found->centre_col);

  /* translators: an estimate of the axis, how it was made, and why it is so */
  return g_strdup_printf (_ ("%s: %.3f ± %.3f, boundary %.3f\n%s: %s"),
                          line->title, found->centre_col,
                          found->uncertainty_col, boundary, found->what,
                          found->reason);
}

static void
update_tooltip (TlCentreCurve *self)
{
  g_autofree char *text =
      self->pointed >= 0 ? describe_line (&self->lines[self->pointed]) : NULL;

  gtk_widget_set_tooltip_text (GTK_WIDGET (self), text);
}

/* Describes the plot for screen readers. */
static void
update_description (TlCentreCurve *self)
{
  g_autoptr (GString) words = g_string_new (NULL);

  for (guint i = 0; i < self->n_lines; i++)
    {
      g_autofree char *line = describe_line (&self->lines[i]);

      g_string_append_printf (words, "%s%s", i > 0 ? "\n" : "", line);
    }
  tl_widget_describe (self, words->str);
}

/* --- under the pointer --- */

/* Returns: the line at a place; among the curves the line with the nearest
 * tick; -1: none */
static int
find_line (TlCentreCurve *self, double x, double y)
{
  double least = REACH;
  int nearest = -1;
  Axes axes;

  if (!lay_out (self, &axes) || y >= axes.plot.bottom)
    return -1;
  if (y >= axes.curve_bottom)
    return CLAMP ((int)((y - axes.curve_bottom) / axes.line_height), 0,
                  (int)self->n_lines - 1);
  for (guint i = 0; i < self->n_lines; i++)
    {
      double col = self->lines[i].found.centre_col;
      double away = fabs (tl_plot_get_x (&axes.plot, col) - x);

      if (away < least)
        nearest = (int)i;
      least = fmin (least, away);
    }
  return nearest;
}

gboolean
tl_centre_curve_locate (TlCentreCurve *self, const char *name, double *x,
                        double *y)
{
  Axes axes;

  if (!lay_out (self, &axes))
    return FALSE;
  for (guint i = 0; i < self->n_lines; i++)
    if (strcmp (self->lines[i].found.name, name) == 0)
      {
        *x = tl_plot_get_x (&axes.plot, self->lines[i].found.centre_col);
        *y = get_line_y (&axes, i);
        return TRUE;
      }
  return FALSE;
}

static void
point_at (TlCentreCurve *self, int line)
{
  if (self->pointed == line)
    return;
  self->pointed = line;
  update_tooltip (self);
  gtk_widget_set_cursor_from_name (GTK_WIDGET (self),
                                   line >= 0 ? "pointer" : NULL);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
on_motion (TlCentreCurve *self, double x, double y)
{
  point_at (self, find_line (self, x, y));
}

static void
on_leave (TlCentreCurve *self)
{
  point_at (self, -1);
}

static void
on_released (TlCentreCurve *self, int n_presses, double x, double y)
{
  int line = find_line (self, x, y);

  if (line >= 0)
    gtk_widget_activate_action (GTK_WIDGET (self), "app.centre", "d",
                                self->lines[line].found.centre_col);
}

/* --- the widget --- */

static void
tl_centre_curve_measure (GtkWidget *widget, GtkOrientation orientation,
                         int for_size, int *minimum, int *natural,
                         int *minimum_baseline, int *natural_baseline)
{
  const guint n_lines = TL_CENTRE_CURVE (widget)->n_lines + 1;
  double width, height;

  g_object_unref (tl_words_new (widget, "0", &width, &height));
  *minimum = *natural = orientation == GTK_ORIENTATION_HORIZONTAL
                            ? MIN_WIDTH
                            : (int)ceil (MARGIN + ARROW + CURVE_HEIGHT
                                         + n_lines * height + TL_PLOT_TICK + 1);
}

static void
tl_centre_curve_class_init (TlCentreCurveClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->measure = tl_centre_curve_measure;
  gtk_widget_class_set_css_name (widget_class, "centrecurve");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
tl_centre_curve_init (TlCentreCurve *self)
{
  GtkEventController *motion = gtk_event_controller_motion_new ();
  GtkGesture *click = gtk_gesture_click_new ();

  self->pointed = -1;
  g_signal_connect_swapped (motion, "enter", G_CALLBACK (on_motion), self);
  g_signal_connect_swapped (motion, "motion", G_CALLBACK (on_motion), self);
  g_signal_connect_swapped (motion, "leave", G_CALLBACK (on_leave), self);
  g_signal_connect_swapped (click, "released", G_CALLBACK (on_released), self);
  gtk_widget_add_controller (GTK_WIDGET (self), motion);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (click));
  gtk_drawing_area_set_draw_func (GTK_DRAWING_AREA (self), draw, NULL, NULL);
  tl_widget_name (self, _ ("Estimates of the axis"));
}

/* The combined estimate comes last. */
static void
update_lines (TlCentreCurve *self)
{
  TlCentreAgreement agreement;

  self->n_lines = 0;
  for (guint k = 0; k < tl_centre_search_count (self->search); k++)
    {
      TlCentreFound found;

      tl_centre_search_get (self->search, k, &found);
      if (found.is_found && self->n_lines + 1 < MAX_LINES)
        self->lines[self->n_lines++] =
            (Line){ .found = found, .title = found.label };
    }
  if (!tl_centre_search_get_agreement (self->search, &agreement)
      || !agreement.is_found)
    return;
  self->lines[self->n_lines++] = (Line){
    .found = { .name = "together",
               .what = _ ("all estimates"),
               .reason = agreement.sentence,
               .is_found = TRUE,
               .centre_col = agreement.centre_col,
               .uncertainty_col = agreement.uncertainty_col,
               .agrees = agreement.is_certain },
    .title = _ ("together"),
    .is_common = TRUE,
  };
}

static void
update (TlCentreCurve *self)
{
  update_lines (self);
  self->pointed = -1; /* until the pointer moves: the lines have changed */
  update_tooltip (self);
  update_description (self);
  gtk_widget_queue_resize (GTK_WIDGET (self));
}

void
tl_centre_curve_set_session (TlCentreCurve *self, TlSession *session)
{
  g_return_if_fail (self->session == NULL);

  self->session = tl_keep (self, session);
  self->search = tl_session_get_centre_search (session);
  g_signal_connect_object (self->search, "changed", G_CALLBACK (update), self,
                           G_CONNECT_SWAPPED);
  tl_follow (session->parameters, "centre", G_CALLBACK (gtk_widget_queue_draw),
             self);
  update (self);
}
