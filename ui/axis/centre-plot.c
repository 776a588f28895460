#include "ui/axis/centre-plot-private.h"

#include "ui/view/drawn-text.h"

#include <math.h>

/* Widget units. */
#define CURVE_HEIGHT 40.0
#define MARGIN 4.0
#define GAP 6.0
#define TICK_LENGTH 3.0
#define TICK_DISTANCE 56.0
#define DOT 3.5
#define CAP 3.0 /* half the length of the cap at a bar's end */
#define ARROW 4.0

/* Part of the text's colour in the colour of the present axis. */
#define TEXT_PART 0.35

/* Columns shown: at least LEAST_RANGE. Each estimate gets a margin of some of
 * its standard deviations, MAX_ROOM columns at most; all of them one of ROOM
 * times their range. */
#define LEAST_RANGE 0.4
#define ROOM_DEVIATIONS 2.0
#define MAX_ROOM 0.5
#define ROOM 0.12

/* -- layout --------------------------------------------------------------- */

/* Measures the widest name, and the height of a line of text. */
static double
measure_names (const TlCentrePlot *plot, double *height)
{
  double widest = 0;

  for (guint i = 0; i < plot->n_lines; i++)
    {
      double width;

      g_object_unref (
          tl_words_new (plot->widget, plot->lines[i].title, &width, height));
      widest = fmax (widest, width);
    }
  return widest;
}

/* Shows all estimates with a margin, and the present axis if it is not far. */
static void
choose_columns (const TlCentrePlot *plot, TlCentreAxes *axes)
{
  double low = INFINITY, high = -INFINITY, spare;

  for (guint i = 0; i < plot->n_lines; i++)
    {
      const TlCentreFound *found = &plot->lines[i].found;
      double room = fmin (ROOM_DEVIATIONS * found->uncertainty_col, MAX_ROOM);

      low = fmin (low, found->centre_col - room);
      high = fmax (high, found->centre_col + room);
    }
  spare = fmax (LEAST_RANGE, high - low);
  if (plot->centre_col > low - spare && plot->centre_col < high + spare)
    {
      low = fmin (low, plot->centre_col);
      high = fmax (high, plot->centre_col);
    }
  spare = fmax (LEAST_RANGE - (high - low), 0) / 2 + ROOM * (high - low);
  axes->low_col = low - spare;
  axes->high_col = high + spare;
}

gboolean
tl_centre_axes_init (TlCentreAxes *axes, const TlCentrePlot *plot)
{
  if (plot->n_lines == 0)
    return FALSE;
  axes->left = MARGIN + measure_names (plot, &axes->line_height) + GAP;
  axes->right = gtk_widget_get_width (plot->widget) - MARGIN;
  axes->curve_bottom = MARGIN + ARROW + CURVE_HEIGHT;
  axes->bottom = axes->curve_bottom + plot->n_lines * axes->line_height;
  if (axes->right <= axes->left)
    return FALSE;
  choose_columns (plot, axes);
  tl_ticks_init (&axes->ticks, axes->low_col, axes->high_col,
                 (guint)fmax (2, (axes->right - axes->left) / TICK_DISTANCE));
  return TRUE;
}

int
tl_centre_axes_get_height (GtkWidget *widget, guint n_lines)
{
  double width, height;

  g_object_unref (tl_words_new (widget, "0", &width, &height));
  return (int)ceil (MARGIN + ARROW + CURVE_HEIGHT + (n_lines + 1) * height
                    + TICK_LENGTH + 1);
}

double
tl_centre_axes_get_x (const TlCentreAxes *axes, double col)
{
  double part = (col - axes->low_col) / (axes->high_col - axes->low_col);

  return axes->left + part * (axes->right - axes->left);
}

double
tl_centre_axes_get_y (const TlCentreAxes *axes, guint line)
{
  return axes->curve_bottom + (line + 0.5) * axes->line_height;
}

/* -- drawing -------------------------------------------------------------- */

static void
set_colour (cairo_t *cr, const GdkRGBA *colour, double alpha)
{
  cairo_set_source_rgba (cr, colour->red, colour->green, colour->blue,
                         colour->alpha * alpha);
}

static void
draw_axis (const TlCentrePlot *plot, const TlCentreAxes *axes, cairo_t *cr,
           const GdkRGBA *colour)
{
  set_colour (cr, colour, 0.4);
  cairo_rectangle (cr, axes->left, axes->bottom, axes->right - axes->left, 1);
  cairo_fill (cr);
  set_colour (cr, colour, 0.75);
  for (guint i = 0; i < axes->ticks.n; i++)
    {
      g_autofree char *number = tl_ticks_format (&axes->ticks, i);
      double x = tl_centre_axes_get_x (axes, tl_ticks_get (&axes->ticks, i));
      double width, height;
      g_autoptr (PangoLayout) text =
          tl_words_new (plot->widget, number, &width, &height);

      cairo_rectangle (cr, x - 0.5, axes->bottom, 1, TICK_LENGTH);
      cairo_fill (cr);
      cairo_move_to (cr, CLAMP (x - width / 2, MARGIN, axes->right - width),
                     axes->bottom + TICK_LENGTH);
      pango_cairo_show_layout (cr, text);
    }
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
draw_curve (cairo_t *cr, const TlCentreAxes *axes, const TlCentreFound *found)
{
  guint n = (guint)(axes->right - axes->left) + 1;
  g_autofree double *values = g_new (double, n);
  double low = INFINITY, high = -INFINITY;

  for (guint i = 0; i < n; i++)
    {
      double part = n > 1 ? (double)i / (n - 1) : 0;

      values[i] = interpolate (
          found, axes->low_col + part * (axes->high_col - axes->low_col));
      low = fmin (low, values[i]);
      high = fmax (high, values[i]);
    }
  cairo_new_path (cr);
  for (guint i = 0; i < n; i++)
    if (!isnan (values[i]))
      {
        double part = high > low ? (values[i] - low) / (high - low) : 0.5;

        cairo_line_to (cr, axes->left + i,
                       axes->curve_bottom - 3 - part * (CURVE_HEIGHT - 6));
      }
  cairo_stroke (cr);
}

/* Draws a bar with a cap at each end, or an arrow if it continues outside. */
static void
draw_bar (cairo_t *cr, const TlCentreAxes *axes, const TlCentreFound *found,
          double y)
{
  const double ends[] = { found->centre_col - found->uncertainty_col,
                          found->centre_col + found->uncertainty_col };

  cairo_move_to (cr, fmax (tl_centre_axes_get_x (axes, ends[0]), axes->left),
                 y);
  cairo_line_to (cr, fmin (tl_centre_axes_get_x (axes, ends[1]), axes->right),
                 y);
  for (guint i = 0; i < 2; i++)
    if (ends[i] > axes->low_col && ends[i] < axes->high_col)
      {
        cairo_move_to (cr, tl_centre_axes_get_x (axes, ends[i]), y - CAP);
        cairo_line_to (cr, tl_centre_axes_get_x (axes, ends[i]), y + CAP);
      }
    else
      {
        double x = i == 0 ? axes->left : axes->right;
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
draw_tick (cairo_t *cr, const TlCentreAxes *axes, const TlCentreLine *line,
           double y)
{
  double x = tl_centre_axes_get_x (axes, line->found.centre_col);

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
draw_common (cairo_t *cr, const TlCentreAxes *axes, const TlCentreLine *line,
             double y)
{
  static const double dashes[] = { 3, 3 };
  double x = tl_centre_axes_get_x (axes, line->found.centre_col);

  cairo_set_line_width (cr, 1);
  cairo_set_dash (cr, dashes, G_N_ELEMENTS (dashes), 0);
  cairo_move_to (cr, x, MARGIN + ARROW);
  cairo_line_to (cr, x, y);
  cairo_stroke (cr);
  cairo_set_dash (cr, NULL, 0, 0);
}

static void
draw_line (const TlCentrePlot *plot, const TlCentreAxes *axes, guint i,
           cairo_t *cr, const GdkRGBA *colour)
{
  const TlCentreLine *line = &plot->lines[i];
  gboolean is_pointed = plot->pointed == (int)i;
  double y = tl_centre_axes_get_y (axes, i);
  double width, height;
  g_autoptr (PangoLayout) title =
      tl_words_new (plot->widget, line->title, &width, &height);

  if (is_pointed)
    {
      set_colour (cr, colour, 0.1);
      cairo_rectangle (cr, 0, y - axes->line_height / 2,
                       gtk_widget_get_width (plot->widget), axes->line_height);
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
  cairo_move_to (cr, axes->left - GAP - width, y - height / 2);
  pango_cairo_show_layout (cr, title);
  draw_bar (cr, axes, &line->found, y);
  draw_tick (cr, axes, line, y);
  if (line->is_common)
    draw_common (cr, axes, line, y);
}

/* Lightens the accent of the dark theme, which is too dark for a line. */
static double
mix (double accent, double text)
{
  return (1 - TEXT_PART) * accent + TEXT_PART * text;
}

/* Draws the present axis: a line with an arrow above it, or an arrow alone that
 * points to an axis outside the columns shown. */
static void
draw_centre (const TlCentrePlot *plot, const TlCentreAxes *axes, cairo_t *cr,
             const GdkRGBA *text_colour)
{
  double col = plot->centre_col;
  double x = CLAMP (tl_centre_axes_get_x (axes, col), axes->left, axes->right);
  GdkRGBA colour = *text_colour;

  gtk_style_context_lookup_color (gtk_widget_get_style_context (plot->widget),
                                  "theme_selected_bg_color", &colour);
  cairo_set_source_rgb (cr, mix (colour.red, text_colour->red),
                        mix (colour.green, text_colour->green),
                        mix (colour.blue, text_colour->blue));
  cairo_new_path (cr);
  if (col < axes->low_col || col > axes->high_col)
    {
      double side = col < axes->low_col ? 1 : -1;

      cairo_move_to (cr, x, MARGIN + ARROW);
      cairo_line_to (cr, x + side * 2 * ARROW, MARGIN);
      cairo_line_to (cr, x + side * 2 * ARROW, MARGIN + 2 * ARROW);
    }
  else
    {
      cairo_rectangle (cr, x - 1, MARGIN, 2, axes->bottom - MARGIN);
      cairo_move_to (cr, x - ARROW - 1, MARGIN);
      cairo_line_to (cr, x + ARROW + 1, MARGIN);
      cairo_line_to (cr, x, MARGIN + ARROW + 2);
    }
  cairo_fill (cr);
}

void
tl_centre_plot_draw (const TlCentrePlot *plot, const TlCentreAxes *axes,
                     cairo_t *cr)
{
  GdkRGBA colour;

  gtk_style_context_get_color (gtk_widget_get_style_context (plot->widget),
                               &colour);
  draw_centre (plot, axes, cr, &colour);
  draw_axis (plot, axes, cr, &colour);
  for (guint i = 0; i < plot->n_lines; i++)
    draw_line (plot, axes, i, cr, &colour);
}
