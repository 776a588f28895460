#include "ui/picture/picture-marks.h"

#include "ui/plot/plot.h"

#include <math.h>

/* All in widget units. */
#define MARGIN 12.0 /* from the edge of the widget */
#define PADDING 7.0 /* between a plate's edge and its content */
#define RADIUS 5.0  /* of a plate's corners, and of the line's ends */
#define REACH 8.0   /* of the line's ends, with their border */
#define GAP 5.0     /* between the scale bar and its length */

#define SCALE_BAR_PART 0.22 /* of the widget, at most */
#define SCALE_BAR_HEIGHT 4.0

#define SWATCH_WIDTH 14.0
#define SWATCH_MAX_HEIGHT 256.0
#define SWATCH_MIN_HEIGHT                                                      \
  80.0 /* the colour bar is left out if it would be lower */
#define TICK_DISTANCE 36.0

/* A narrower band of averaged pixels is not drawn: it looks like the line. */
#define BAND_MIN 6.0

typedef struct
{
  GtkSnapshot *snapshot;
  GtkWidget *widget;
  const TlCamera *camera;
  TlMeasure *measure;
  TlUnits units;
} Marks;

/* --- plates and words --- */

/* Darkens the picture, so that white text on it is readable. Returns:
 * (transfer full): with white as its source */
static cairo_t *
begin_plate (const Marks *marks, double x, double y, double width,
             double height)
{
  const graphene_rect_t area =
      GRAPHENE_RECT_INIT ((float)x, (float)y, (float)width, (float)height);
  cairo_t *cr = gtk_snapshot_append_cairo (marks->snapshot, &area);

  cairo_new_sub_path (cr);
  cairo_arc (cr, x + width - RADIUS, y + RADIUS, RADIUS, -G_PI_2, 0);
  cairo_arc (cr, x + width - RADIUS, y + height - RADIUS, RADIUS, 0, G_PI_2);
  cairo_arc (cr, x + RADIUS, y + height - RADIUS, RADIUS, G_PI_2, G_PI);
  cairo_arc (cr, x + RADIUS, y + RADIUS, RADIUS, G_PI, 1.5 * G_PI);
  cairo_close_path (cr);
  cairo_set_source_rgba (cr, 0, 0, 0, 0.6);
  cairo_fill (cr);
  cairo_set_source_rgb (cr, 1, 1, 1);
  return cr;
}

/* --- the scale bar --- */

/* Returns: the height of its plate, and of what is below it; 0 without it */
static double
get_scale_bar_height (const Marks *marks)
{
  double width, height;

  if (!tl_measure_has_scale_bar (marks->measure))
    return 0;
  g_object_unref (tl_words_new (marks->widget, "1", &width, &height));
  return height + GAP + SCALE_BAR_HEIGHT + 2 * PADDING + MARGIN;
}

static void
draw_scale_bar (const Marks *marks)
{
  const TlCamera *camera = marks->camera;
  double most = SCALE_BAR_PART * camera->width / camera->scale; /* pixels */
  const char *unit;
  double per_pixel =
      tl_ruler_get_length_unit (most, marks->units.pixel_size_um, &unit);
  double length = tl_ruler_floor (most * per_pixel); /* of the unit */
  double bar = length / per_pixel * camera->scale;
  g_autofree char *words = g_strdup_printf ("%g %s", length, unit);
  double text_width, text_height, width, height, x, y;
  g_autoptr (PangoLayout) text =
      tl_words_new (marks->widget, words, &text_width, &text_height);
  cairo_t *cr;

  width = fmax (bar, text_width) + 2 * PADDING;
  height = get_scale_bar_height (marks) - MARGIN;
  x = camera->width - MARGIN - width;
  y = camera->height - MARGIN - height;
  cr = begin_plate (marks, x, y, width, height);
  cairo_move_to (cr, x + (width - text_width) / 2, y + PADDING);
  pango_cairo_show_layout (cr, text);
  cairo_rectangle (cr, x + (width - bar) / 2,
                   y + height - PADDING - SCALE_BAR_HEIGHT, bar,
                   SCALE_BAR_HEIGHT);
  cairo_fill (cr);
  cairo_destroy (cr);
}

/* --- the colour bar --- */

/* Leaves white as the source of @cr. */
static void
draw_swatch (cairo_t *cr, TlColormap colormap, const TlPlot *plot)
{
  const double height = plot->bottom - plot->top;
  guint8 rgba[4 * TL_COLORMAP_SIZE];

  tl_colormap_fill (colormap, rgba);
  for (guint i = 0; i < TL_COLORMAP_SIZE; i++)
    {
      /* the brightest on top; they overlap a little, to hide the seams */
      double top =
          plot->top + height * (TL_COLORMAP_SIZE - 1 - i) / TL_COLORMAP_SIZE;

      cairo_set_source_rgb (cr, rgba[4 * i] / 255.0, rgba[4 * i + 1] / 255.0,
                            rgba[4 * i + 2] / 255.0);
      cairo_rectangle (
          cr, plot->left, top, SWATCH_WIDTH,
          fmin (height / TL_COLORMAP_SIZE + 1, plot->bottom - top));
      cairo_fill (cr);
    }
  cairo_set_source_rgb (cr, 1, 1, 1);
  cairo_set_line_width (cr, 1);
  cairo_rectangle (cr, plot->left - 0.5, plot->top - 0.5, SWATCH_WIDTH + 1,
                   height + 1);
  cairo_stroke (cr);
}

/* Where the parts of the colour bar are. */
typedef struct
{
  graphene_rect_t plate;
  TlPlot plot;
  TlTicks ticks;
  double unit_width, unit_height;
} Bar;

/* Returns: %FALSE if there is none, or no room for it */
static gboolean
lay_out_colour_bar (const Marks *marks, Bar *bar)
{
  TlView *view = tl_measure_get_view (marks->measure);
  TlPlot *plot = &bar->plot;
  double number_height, swatch, width;

  *bar = (Bar){ .plot = { .widget = marks->widget } };
  g_object_unref (tl_words_new (marks->widget, marks->units.unit,
                                &bar->unit_width, &bar->unit_height));
  /* the numbers at the ends reach half their height beyond the swatch */
  swatch = fmin (SWATCH_MAX_HEIGHT,
                 marks->camera->height - get_scale_bar_height (marks)
                     - 2 * MARGIN - 2 * PADDING - 2 * bar->unit_height);
  if (!tl_measure_has_colour_bar (marks->measure) || swatch < SWATCH_MIN_HEIGHT)
    return FALSE;
  plot->low = tl_view_get_low (view) * marks->units.per_value;
  plot->high = tl_view_get_high (view) * marks->units.per_value;
  tl_ticks_init (&bar->ticks, plot->low, plot->high,
                 (guint)fmax (2, swatch / TICK_DISTANCE));
  width =
      fmax (tl_words_measure_ticks (marks->widget, &bar->ticks, &number_height)
                + TL_PLOT_GAP + TL_PLOT_TICK + SWATCH_WIDTH,
            bar->unit_width)
      + 2 * PADDING;
  plot->right = marks->camera->width - MARGIN - PADDING;
  plot->left = plot->right - SWATCH_WIDTH;
  plot->top = MARGIN + PADDING + 1.5 * bar->unit_height;
  plot->bottom = plot->top + swatch;
  bar->plate = GRAPHENE_RECT_INIT (
      (float)(plot->right + PADDING - width), (float)MARGIN, (float)width,
      (float)(swatch + 2 * bar->unit_height + 2 * PADDING));
  return TRUE;
}

static void
draw_colour_bar (const Marks *marks, const Bar *bar)
{
  TlView *view = tl_measure_get_view (marks->measure);
  const graphene_rect_t *plate = &bar->plate;
  cairo_t *cr = begin_plate (marks, plate->origin.x, plate->origin.y,
                             plate->size.width, plate->size.height);

  tl_words_draw (marks->widget, cr, marks->units.unit, bar->plot.right,
                 MARGIN + PADDING, 1, 0);
  draw_swatch (cr, tl_view_get_colormap (view), &bar->plot);
  tl_plot_draw_y_ticks (&bar->plot, cr, &bar->ticks);
  cairo_destroy (cr);
}

/* --- the line --- */

/* Strokes the path broad and dark, then narrow and bright. */
static void
stroke_twice (cairo_t *cr, double width)
{
  cairo_set_source_rgba (cr, 0, 0, 0, 0.6);
  cairo_set_line_width (cr, width + 2);
  cairo_stroke_preserve (cr);
  cairo_set_source_rgb (cr, 1, 0.85, 0.25);
  cairo_set_line_width (cr, width);
  cairo_stroke (cr);
}

/* Draws the edges of the band of averaged pixels, if it is wide enough. */
static void
draw_band (cairo_t *cr, const double *x, const double *y, double breadth)
{
  double length = hypot (x[1] - x[0], y[1] - y[0]);

  if (breadth < BAND_MIN || length == 0)
    return;
  for (int side = -1; side <= 1; side += 2)
    {
      double across = side * breadth / 2 / length;
      double dx = -(y[1] - y[0]) * across, dy = (x[1] - x[0]) * across;

      cairo_move_to (cr, x[0] + dx, y[0] + dy);
      cairo_line_to (cr, x[1] + dx, y[1] + dy);
    }
  stroke_twice (cr, 0.75);
}

static gboolean
covers (const graphene_rect_t *plate, double x, double y)
{
  graphene_rect_t area;

  graphene_rect_inset_r (plate, -REACH, -REACH, &area);
  return graphene_rect_contains_point (
      &area, &GRAPHENE_POINT_INIT ((float)x, (float)y));
}

/* Places the label diagonally beside an end of the line: first away from the
 * line at end 1, then any place within @room that covers no end. If no place
 * fits, the first one is taken. */
static void
place_length (const double *x, const double *y, const graphene_size_t *room,
              const graphene_size_t *size, graphene_rect_t *plate)
{
  const gboolean to_right = x[1] >= x[0], to_bottom = y[1] > y[0];
  graphene_point_t first;

  for (guint i = 0; i < 8; i++)
    {
      const guint end = i < 4 ? 1 : 0;
      const gboolean right = to_right == (end == 1) ? (i & 2) == 0 : (i & 2);
      const gboolean bottom = to_bottom == (end == 1) ? (i & 1) == 0 : (i & 1);
      double left = right ? x[end] + MARGIN : x[end] - MARGIN - size->width;
      double top = bottom ? y[end] + MARGIN : y[end] - MARGIN - size->height;

      left = CLAMP (left, 0, fmax (room->width - size->width, 0));
      top = CLAMP (top, 0, fmax (room->height - size->height, 0));
      *plate = GRAPHENE_RECT_INIT ((float)left, (float)top, size->width,
                                   size->height);
      if (i == 0)
        first = plate->origin;
      if (!covers (plate, x[0], y[0]) && !covers (plate, x[1], y[1]))
        return;
    }
  plate->origin = first;
}

static void
draw_length (const Marks *marks, const double *x, const double *y,
             const graphene_size_t *room)
{
  g_autofree char *words = tl_measure_describe_line (marks->measure);
  double width, height;
  g_autoptr (PangoLayout) text =
      tl_words_new (marks->widget, words, &width, &height);
  const graphene_size_t size = { (float)(width + 2 * PADDING),
                                 (float)(height + 2 * PADDING) };
  graphene_rect_t plate;
  cairo_t *cr;

  place_length (x, y, room, &size, &plate);
  cr = begin_plate (marks, plate.origin.x, plate.origin.y, size.width,
                    size.height);
  cairo_move_to (cr, plate.origin.x + PADDING, plate.origin.y + PADDING);
  pango_cairo_show_layout (cr, text);
  cairo_destroy (cr);
}

static void
draw_line (const Marks *marks, const TlSegment *line,
           const graphene_size_t *room)
{
  double breadth = tl_measure_get_width (marks->measure) * marks->camera->scale;
  double mark = tl_measure_get_mark (marks->measure);
  const graphene_rect_t all = GRAPHENE_RECT_INIT (
      0, 0, (float)marks->camera->width, (float)marks->camera->height);
  graphene_rect_t area;
  double x[2], y[2];
  float beyond = (float)(breadth / 2 + 2 * RADIUS);
  cairo_t *cr;

  for (guint end = 0; end < 2; end++)
    tl_camera_to_widget (marks->camera, line->col[end], line->row[end], &x[end],
                         &y[end]);
  graphene_rect_init (&area, (float)fmin (x[0], x[1]), (float)fmin (y[0], y[1]),
                      (float)fabs (x[1] - x[0]), (float)fabs (y[1] - y[0]));
  graphene_rect_inset (&area, -beyond, -beyond);
  if (!graphene_rect_intersection (&area, &all, &area))
    return;
  cr = gtk_snapshot_append_cairo (marks->snapshot, &area);
  draw_band (cr, x, y, breadth);
  cairo_move_to (cr, x[0], y[0]);
  cairo_line_to (cr, x[1], y[1]);
  stroke_twice (cr, 1.5);
  for (guint end = 0; end < 2; end++)
    {
      cairo_arc (cr, x[end], y[end], RADIUS, 0, 2 * G_PI);
      stroke_twice (cr, 1.5);
    }
  if (mark >= 0)
    {
      cairo_arc (cr, x[0] + mark * (x[1] - x[0]), y[0] + mark * (y[1] - y[0]),
                 RADIUS / 2, 0, 2 * G_PI);
      stroke_twice (cr, RADIUS / 2);
    }
  cairo_destroy (cr);
  draw_length (marks, x, y, room);
}

/* --- all marks --- */

void
tl_picture_marks_draw (GtkSnapshot *snapshot, GtkWidget *widget,
                       const TlCamera *camera, TlMeasure *measure,
                       const TlSegment *line, gboolean has_bars)
{
  Marks marks = { snapshot, widget, camera, measure, { 0 } };
  graphene_size_t room; /* without colour bar and scale bar */
  Bar bar;

  if (camera->n_cols == 0 || camera->width <= 0)
    return;
  tl_measure_get_units (measure, &marks.units);
  graphene_size_init (&room, (float)camera->width, (float)camera->height);
  if (has_bars && tl_measure_has_scale_bar (measure))
    {
      draw_scale_bar (&marks);
      room.height -= (float)(get_scale_bar_height (&marks) + GAP);
    }
  if (has_bars && lay_out_colour_bar (&marks, &bar))
    {
      draw_colour_bar (&marks, &bar);
      room.width = bar.plate.origin.x - (float)GAP;
    }
  if (line != NULL)
    draw_line (&marks, line, &room);
}

double
tl_picture_marks_get_room (GtkWidget *widget, const TlCamera *camera,
                           TlMeasure *measure)
{
  Marks marks = { NULL, widget, camera, measure, { 0 } };
  Bar bar;

  tl_measure_get_units (measure, &marks.units);
  return lay_out_colour_bar (&marks, &bar) ? bar.plate.origin.x : camera->width;
}
