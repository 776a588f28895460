#include "ui/axis/axis-marks.h"

#include "app/measure/ruler.h"
#include "ui/view/drawn-text.h"

#include <glib/gi18n.h>
#include <math.h>

/* Widget units. */
#define TICK_DISTANCE_X 80.0
#define TICK_DISTANCE_Y 32.0
#define DOT 3.5
#define BORDER 1.0 /* dark rim, so that lines are seen on white */
#define LINE 2.0
#define SAMPLE 24.0 /* length of a line in the legend */

#define GAP TL_AXIS_AXES_GAP
#define TICK_LENGTH TL_AXIS_AXES_TICK

static const GdkRGBA border_colour = { 0, 0, 0, 0.65F };
static const GdkRGBA fitted_colour = { 1, 0.42F, 0.5F, 1 };
static const GdkRGBA present_colour = { 1, 0.8F, 0.25F,
                                        1 }; /* ui/picture/lines.c */
static const GdkRGBA slice_colour = { 0.35F, 0.85F, 1, 1 };

/* Arguments of the drawing functions. */
typedef struct
{
  GtkWidget *widget;
  TlAxisMap *map;
  double slice;
} Marks;

double
tl_axis_axes_get_x (const TlAxisAxes *axes, double col)
{
  return axes->left
         + (col - axes->first) / (axes->last - axes->first)
               * (axes->right - axes->left);
}

double
tl_axis_axes_get_y (const TlAxisAxes *axes, double row)
{
  return axes->top
         + (row + 0.5) / (double)axes->n_rows * (axes->bottom - axes->top);
}

static double
get_x (const TlAxisAxes *axes, double col)
{
  return tl_axis_axes_get_x (axes, col);
}

static double
get_y (const TlAxisAxes *axes, double row)
{
  return tl_axis_axes_get_y (axes, row);
}

/* -- drawing -------------------------------------------------------------- */

/* @align_x, @align_y: part of the text that is left of @x, above @y: 0, 0.5, 1
 */
static void
draw_words (const Marks *self, cairo_t *cr, const char *words, double x,
            double y, double align_x, double align_y)
{
  double width, height;
  g_autoptr (PangoLayout) text =
      tl_words_new (self->widget, words, &width, &height);

  cairo_move_to (cr, x - align_x * width, y - align_y * height);
  pango_cairo_show_layout (cr, text);
}

static void
draw_columns (const Marks *self, cairo_t *cr, const TlAxisAxes *axes)
{
  double height = gtk_widget_get_height (self->widget);
  TlTicks ticks;

  tl_ticks_init (&ticks, axes->first, axes->last,
                 (guint)fmax (2, (axes->right - axes->left) / TICK_DISTANCE_X));
  for (guint i = 0; i < ticks.n; i++)
    {
      g_autofree char *number = tl_ticks_format (&ticks, i);
      double x = get_x (axes, tl_ticks_get (&ticks, i));

      cairo_rectangle (cr, x - 0.5, axes->bottom, 1, TICK_LENGTH);
      cairo_fill (cr);
      draw_words (self, cr, number, x, axes->bottom + TICK_LENGTH, 0.5, 0);
    }
  draw_words (self, cr, _ ("column of the axis, pixels"),
              (axes->left + axes->right) / 2, height, 0.5, 1);
}

static void
draw_rows (const Marks *self, cairo_t *cr, const TlAxisAxes *axes)
{
  TlTicks ticks;

  if (axes->n_rows > 1)
    {
      tl_ticks_init (
          &ticks, 0, (double)axes->n_rows - 1,
          (guint)fmax (2, (axes->bottom - axes->top) / TICK_DISTANCE_Y));
      for (guint i = 0; i < ticks.n; i++)
        {
          double row = tl_ticks_get (&ticks, i);
          g_autofree char *number = g_strdup_printf ("%.0f", row);

          if (row != floor (row)) /* a low detector has ticks between rows */
            continue;
          cairo_rectangle (cr, axes->left - TICK_LENGTH,
                           get_y (axes, row) - 0.5, TICK_LENGTH, 1);
          cairo_fill (cr);
          draw_words (self, cr, number, axes->left - TICK_LENGTH - GAP,
                      get_y (axes, row), 1, 0.5);
        }
    }
  draw_words (self, cr, _ ("row"), axes->left - TICK_LENGTH - GAP,
              axes->top - GAP, 1, 1);
}

/* Strokes the path with a dark border. */
static void
stroke (cairo_t *cr, const GdkRGBA *colour, double width)
{
  gdk_cairo_set_source_rgba (cr, &border_colour);
  cairo_set_line_width (cr, width + 2 * BORDER);
  cairo_stroke_preserve (cr);
  gdk_cairo_set_source_rgba (cr, colour);
  cairo_set_line_width (cr, width);
  cairo_stroke (cr);
}

static void
stroke_dashed (cairo_t *cr, const GdkRGBA *colour, double width)
{
  static const double dashes[] = { 8, 5 };

  cairo_set_dash (cr, dashes, G_N_ELEMENTS (dashes), 0);
  stroke (cr, colour, width);
  cairo_set_dash (cr, NULL, 0, 0);
}

static void
trace_axis (const Marks *self, cairo_t *cr, const TlAxisAxes *axes,
            double (*get_col) (TlAxisMap *map, double row))
{
  double last = (double)axes->n_rows - 0.5;

  cairo_move_to (cr, get_x (axes, get_col (self->map, -0.5)),
                 get_y (axes, -0.5));
  cairo_line_to (cr, get_x (axes, get_col (self->map, last)),
                 get_y (axes, last));
}

static void
draw_point (cairo_t *cr, const TlAxisAxes *axes, const TlAxisPoint *point)
{
  double x = get_x (axes, point->centre_col);
  double y = get_y (axes, (double)point->row);

  cairo_move_to (cr, get_x (axes, point->centre_col - point->uncertainty_col),
                 y);
  cairo_line_to (cr, get_x (axes, point->centre_col + point->uncertainty_col),
                 y);
  stroke (cr, &fitted_colour, 1);
  cairo_arc (cr, x, y, DOT, 0, 2 * G_PI);
  if (point->is_used)
    {
      gdk_cairo_set_source_rgba (cr, &fitted_colour);
      cairo_fill_preserve (cr);
      gdk_cairo_set_source_rgba (cr, &border_colour);
      cairo_set_line_width (cr, 1);
      cairo_stroke (cr);
    }
  else
    stroke (cr, &fitted_colour, 1.2);
}

/* Marks the slice's row at both sides of the map. */
static void
draw_slice (const Marks *self, cairo_t *cr, const TlAxisAxes *axes)
{
  double y = get_y (axes, self->slice);

  cairo_move_to (cr, axes->left, y);
  cairo_line_to (cr, axes->left + SAMPLE, y);
  cairo_move_to (cr, axes->right - SAMPLE, y);
  cairo_line_to (cr, axes->right, y);
  stroke (cr, &slice_colour, LINE);
}

static void
draw_map (const Marks *self, cairo_t *cr, const TlAxisAxes *axes)
{
  cairo_save (cr);
  cairo_rectangle (cr, axes->left, axes->top, axes->right - axes->left,
                   axes->bottom - axes->top);
  cairo_clip (cr);
  draw_slice (self, cr, axes);
  trace_axis (self, cr, axes, tl_axis_map_get_present_col);
  stroke_dashed (cr, &present_colour, LINE);
  if (tl_axis_map_can_accept (self->map))
    {
      trace_axis (self, cr, axes, tl_axis_map_get_fitted_col);
      stroke (cr, &fitted_colour, LINE);
    }
  for (guint k = 0; k < axes->n; k++)
    {
      const TlAxisPoint *point = tl_axis_map_get_point (self->map, k);

      if (point != NULL && isfinite (point->centre_col))
        draw_point (cr, axes, point);
    }
  cairo_restore (cr);
}

/* Draws the legend above the map, from the right. */
static void
draw_names (const Marks *self, cairo_t *cr, const TlAxisAxes *axes,
            const GdkRGBA *colour)
{
  struct
  {
    const char *name;
    const GdkRGBA *colour;
  } lines[] = { { C_ ("axis", "present"), &present_colour },
                { C_ ("axis", "fitted"), &fitted_colour } };
  double x = axes->right;

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    {
      double width, height;
      g_autoptr (PangoLayout) text =
          tl_words_new (self->widget, lines[i].name, &width, &height);

      x -= width;
      gdk_cairo_set_source_rgba (cr, colour);
      cairo_move_to (cr, x, axes->top - GAP - height);
      pango_cairo_show_layout (cr, text);
      x -= SAMPLE + GAP;
      cairo_move_to (cr, x, axes->top - GAP - height / 2);
      cairo_rel_line_to (cr, SAMPLE, 0);
      if (i == 0)
        stroke_dashed (cr, lines[i].colour, LINE);
      else
        stroke (cr, lines[i].colour, LINE);
      x -= 4 * GAP;
    }
}

void
tl_axis_marks_draw (GtkWidget *widget, cairo_t *cr, const TlAxisAxes *axes,
                    TlAxisMap *map, double slice)
{
  const Marks marks = { widget, map, slice };
  GdkRGBA colour;

  gtk_style_context_get_color (gtk_widget_get_style_context (widget), &colour);
  draw_names (&marks, cr, axes, &colour);
  gdk_cairo_set_source_rgba (cr, &colour);
  draw_columns (&marks, cr, axes);
  draw_rows (&marks, cr, axes);
  draw_map (&marks, cr, axes);
}
