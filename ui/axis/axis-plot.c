#include "ui/axis/axis-plot.h"

#include "data/geometry.h"
#include "ui/axis/axis-map-image.h"
#include "ui/plot/plot.h"
#include "ui/view/widget.h"

#include <glib/gi18n.h>
#include <math.h>

#define MIN_WIDTH 240
#define MIN_HEIGHT 160

/* Widget units. */
#define RIGHT 14.0 /* of the map */
#define TICK_DISTANCE_X 80.0
#define TICK_DISTANCE_Y 32.0
#define DOT 3.5
#define BORDER 1.0 /* dark rim, so that lines are seen on white */
#define LINE 2.0
#define SAMPLE 24.0 /* length of a line in the legend */

/* Columns shown: at least so many, and so many times the range of the
 * estimates. */
#define MIN_RANGE 0.2
#define LEAST_FIT 2.0
#define ROOM 1.5
#define WHEEL_STEP 1.25

static const GdkRGBA border_colour = { 0, 0, 0, 0.65F };
static const GdkRGBA fitted_colour = { 1, 0.42F, 0.5F, 1 };
static const GdkRGBA present_colour = { 1, 0.8F, 0.25F,
                                        1 }; /* ui/picture/lines.c */
static const GdkRGBA slice_colour = { 0.35F, 0.85F, 1, 1 };

struct _TlAxisPlot
{
  GtkWidget parent_instance;

  TlView *view;
  TlAxisMap *map;       /* not owned: the session's */
  gboolean is_set;      /* the user has zoomed or panned */
  double middle, range; /* columns */
  GdkTexture *image;    /* (nullable): heat map, until something changes */
  gboolean is_panning;  /* the drag has left the threshold of a click */
  double pointer_x, drag_middle;
};

G_DEFINE_FINAL_TYPE (TlAxisPlot, tl_axis_plot, GTK_TYPE_WIDGET)

/* Layout of the plot: columns of the axis over rows of the detector. */
typedef struct
{
  TlPlot plot;
  size_t n_rows, n_cols; /* of the detector */
  guint n;               /* rows with an estimate of the axis */
} Axes;

/* --- layout --- */

static void
include (double col, double *low, double *high)
{
  if (!isfinite (col))
    return;
  *low = fmin (*low, col);
  *high = fmax (*high, col);
}

/* Finds the range of the estimates used, the line, and the present axis if it
 * is not far from them. */
static void
fit_range (TlAxisPlot *self, size_t n_rows, guint n)
{
  double low = INFINITY, high = -INFINITY, spread;
  double ends[2] = { 0, (double)n_rows - 1 };

  for (guint k = 0; k < n; k++)
    {
      const TlAxisPoint *point = tl_axis_map_get_point (self->map, k);

      if (point != NULL && point->is_used)
        include (point->centre_col, &low, &high);
    }
  for (guint k = 0; k < 2; k++)
    include (tl_axis_map_get_fitted_col (self->map, ends[k]), &low, &high);
  spread = fmax (high - low, LEAST_FIT);
  for (guint k = 0; k < 2; k++)
    {
      double col = tl_axis_map_get_present_col (self->map, ends[k]);

      if (!isfinite (low) || fabs (col - (low + high) / 2) < 4 * spread)
        include (col, &low, &high);
    }
  if (!isfinite (low))
    return;
  self->middle = (low + high) / 2;
  self->range = fmax (high - low, LEAST_FIT) * ROOM;
}

/* Returns: %FALSE if there is nothing to draw */
static gboolean
lay_out (TlAxisPlot *self, Axes *axes)
{
  GtkWidget *widget = GTK_WIDGET (self);
  TlPlot *plot = &axes->plot;
  double number_width, name_width, text_height;
  g_autofree char *number = NULL;
  guint n_known;

  if (self->map == NULL
      || !tl_axis_map_get_size (self->map, &axes->n_rows, &axes->n_cols,
                                &axes->n, &n_known))
    return FALSE;
  number = g_strdup_printf ("%zu", axes->n_rows);
  g_object_unref (tl_words_new (widget, number, &number_width, &text_height));
  g_object_unref (tl_words_new (widget, _ ("row"), &name_width, &text_height));
  *plot = (TlPlot){
    .widget = widget,
    .left = fmax (number_width, name_width) + 2 * TL_PLOT_GAP + TL_PLOT_TICK,
    .right = gtk_widget_get_width (widget) - RIGHT,
    .top = text_height + 2 * TL_PLOT_GAP,
    .bottom = gtk_widget_get_height (widget) - 2 * text_height - TL_PLOT_TICK
              - 2 * TL_PLOT_GAP,
    .low = (double)axes->n_rows - 0.5,
    .high = -0.5,
  };
  if (plot->right <= plot->left || plot->bottom <= plot->top)
    return FALSE;
  if (!self->is_set)
    fit_range (self, axes->n_rows, axes->n);
  self->range = CLAMP (self->range, MIN_RANGE, (double)axes->n_cols);
  self->middle = CLAMP (self->middle, 0, (double)axes->n_cols - 1);
  plot->first = self->middle - self->range / 2;
  plot->last = self->middle + self->range / 2;
  return TRUE;
}

static double
find_row (const Axes *axes, double y)
{
  const TlPlot *plot = &axes->plot;
  double part = (y - plot->top) / (plot->bottom - plot->top);

  return CLAMP (floor (part * (double)axes->n_rows), 0,
                (double)axes->n_rows - 1);
}

gboolean
tl_axis_plot_get_place (TlAxisPlot *self, double row, double col, double *x,
                        double *y)
{
  Axes axes;

  if (!lay_out (self, &axes))
    return FALSE;
  *x = tl_plot_get_x (&axes.plot, col);
  *y = tl_plot_get_y (&axes.plot, row);
  return TRUE;
}

/* --- drawing --- */

static void
draw_columns (const TlPlot *plot, cairo_t *cr)
{
  TlTicks ticks;

  tl_ticks_init (&ticks, plot->first, plot->last,
                 (guint)fmax (2, (plot->right - plot->left) / TICK_DISTANCE_X));
  tl_plot_draw_x_ticks (plot, cr, &ticks, NULL);
  tl_words_draw (plot->widget, cr, _ ("column of the axis, pixels"),
                 (plot->left + plot->right) / 2,
                 gtk_widget_get_height (plot->widget), 0.5, 1);
}

static void
draw_rows (const Axes *axes, cairo_t *cr)
{
  const TlPlot *plot = &axes->plot;
  TlTicks ticks;

  tl_words_draw (plot->widget, cr, _ ("row"),
                 plot->left - TL_PLOT_TICK - TL_PLOT_GAP,
                 plot->top - TL_PLOT_GAP, 1, 1);
  if (axes->n_rows == 1)
    return;
  tl_ticks_init (&ticks, 0, (double)axes->n_rows - 1,
                 (guint)fmax (2, (plot->bottom - plot->top) / TICK_DISTANCE_Y));
  if (ticks.step < 1) /* no ticks between the rows of a low detector */
    ticks = (TlTicks){ .step = 1, .n = (guint)axes->n_rows };
  tl_plot_draw_y_ticks (plot, cr, &ticks);
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
trace_axis (TlAxisPlot *self, cairo_t *cr, const TlPlot *plot,
            double (*get_col) (TlAxisMap *map, double row))
{
  cairo_move_to (cr, tl_plot_get_x (plot, get_col (self->map, plot->high)),
                 plot->top);
  cairo_line_to (cr, tl_plot_get_x (plot, get_col (self->map, plot->low)),
                 plot->bottom);
}

static void
draw_point (cairo_t *cr, const TlPlot *plot, const TlAxisPoint *point)
{
  double x = tl_plot_get_x (plot, point->centre_col);
  double y = tl_plot_get_y (plot, (double)point->row);

  cairo_move_to (
      cr, tl_plot_get_x (plot, point->centre_col - point->uncertainty_col), y);
  cairo_line_to (
      cr, tl_plot_get_x (plot, point->centre_col + point->uncertainty_col), y);
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
draw_slice (TlAxisPlot *self, cairo_t *cr, const TlPlot *plot)
{
  double y = tl_plot_get_y (
      plot,
      tl_parameters_get_slice (tl_view_get_session (self->view)->parameters));

  cairo_move_to (cr, plot->left, y);
  cairo_line_to (cr, plot->left + SAMPLE, y);
  cairo_move_to (cr, plot->right - SAMPLE, y);
  cairo_line_to (cr, plot->right, y);
  stroke (cr, &slice_colour, LINE);
}

static void
draw_map (TlAxisPlot *self, cairo_t *cr, const Axes *axes)
{
  const TlPlot *plot = &axes->plot;

  cairo_save (cr);
  cairo_rectangle (cr, plot->left, plot->top, plot->right - plot->left,
                   plot->bottom - plot->top);
  cairo_clip (cr);
  draw_slice (self, cr, plot);
  trace_axis (self, cr, plot, tl_axis_map_get_present_col);
  stroke_dashed (cr, &present_colour, LINE);
  if (tl_axis_map_can_accept (self->map))
    {
      trace_axis (self, cr, plot, tl_axis_map_get_fitted_col);
      stroke (cr, &fitted_colour, LINE);
    }
  for (guint k = 0; k < axes->n; k++)
    {
      const TlAxisPoint *point = tl_axis_map_get_point (self->map, k);

      if (point != NULL && isfinite (point->centre_col))
        draw_point (cr, plot, point);
    }
  cairo_restore (cr);
}

/* Draws the legend above the map, from the right. */
static void
draw_names (cairo_t *cr, const TlPlot *plot, const GdkRGBA *colour)
{
  struct
  {
    const char *name;
    const GdkRGBA *colour;
  } lines[] = { { C_ ("axis", "present"), &present_colour },
                { C_ ("axis", "fitted"), &fitted_colour } };
  double x = plot->right;

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    {
      double width, height;
      g_autoptr (PangoLayout) text =
          tl_words_new (plot->widget, lines[i].name, &width, &height);

      x -= width;
      gdk_cairo_set_source_rgba (cr, colour);
      cairo_move_to (cr, x, plot->top - TL_PLOT_GAP - height);
      pango_cairo_show_layout (cr, text);
      x -= SAMPLE + TL_PLOT_GAP;
      cairo_move_to (cr, x, plot->top - TL_PLOT_GAP - height / 2);
      cairo_rel_line_to (cr, SAMPLE, 0);
      if (i == 0)
        stroke_dashed (cr, lines[i].colour, LINE);
      else
        stroke (cr, lines[i].colour, LINE);
      x -= 4 * TL_PLOT_GAP;
    }
}

static void
tl_axis_plot_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  TlAxisPlot *self = TL_AXIS_PLOT (widget);
  int scale = gtk_widget_get_scale_factor (widget);
  graphene_rect_t all = GRAPHENE_RECT_INIT (0, 0, gtk_widget_get_width (widget),
                                            gtk_widget_get_height (widget));
  graphene_rect_t place;
  cairo_t *cr;
  GdkRGBA colour;
  Axes axes;
  const TlPlot *plot = &axes.plot;

  if (!lay_out (self, &axes))
    return;
  if (self->image == NULL)
    {
      TlAxisMapRange range = { plot->first, plot->last,
                               tl_view_get_colormap (self->view) };

      self->image = tl_axis_map_image_new (
          self->map, &range, (int)ceil ((plot->right - plot->left) * scale),
          (int)ceil ((plot->bottom - plot->top) * scale));
    }
  place = GRAPHENE_RECT_INIT ((float)plot->left, (float)plot->top,
                              (float)(plot->right - plot->left),
                              (float)(plot->bottom - plot->top));
  gtk_snapshot_append_texture (snapshot, self->image, &place);
  cr = gtk_snapshot_append_cairo (snapshot, &all);
  gtk_style_context_get_color (gtk_widget_get_style_context (widget), &colour);
  draw_names (cr, plot, &colour);
  gdk_cairo_set_source_rgba (cr, &colour);
  draw_columns (plot, cr);
  draw_rows (&axes, cr);
  draw_map (self, cr, &axes);
  cairo_destroy (cr);
}

/* --- zoom, pan and click --- */

static void
update (TlAxisPlot *self)
{
  g_clear_object (&self->image);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
update_words (TlAxisPlot *self)
{
  g_autofree char *text = tl_axis_map_dup_text (self->map);

  tl_widget_describe (self, text);
  gtk_widget_trigger_tooltip_query (GTK_WIDGET (self));
  update (self);
}

void
tl_axis_plot_zoom (TlAxisPlot *self, double factor)
{
  Axes axes;

  if (!lay_out (self, &axes))
    return;
  self->is_set = TRUE;
  self->range /= factor;
  update (self);
}

void
tl_axis_plot_fit (TlAxisPlot *self)
{
  self->is_set = FALSE;
  update (self);
}

static void
on_motion (TlAxisPlot *self, double x)
{
  self->pointer_x = x;
}

static gboolean
on_scroll (TlAxisPlot *self, double dx, double dy)
{
  double part, col;
  Axes axes;

  if (!lay_out (self, &axes))
    return GDK_EVENT_PROPAGATE;
  part =
      (self->pointer_x - axes.plot.left) / (axes.plot.right - axes.plot.left);
  col = axes.plot.first + part * self->range;
  self->is_set = TRUE;
  self->range = CLAMP (self->range * pow (WHEEL_STEP, dy), MIN_RANGE,
                       (double)axes.n_cols);
  self->middle = col - (part - 0.5) * self->range;
  update (self);
  return GDK_EVENT_STOP;
}

static void
on_drag_begin (TlAxisPlot *self)
{
  gtk_widget_grab_focus (GTK_WIDGET (self));
  self->is_panning = FALSE;
}

static void
on_drag_update (TlAxisPlot *self, double dx)
{
  Axes axes;

  if (!lay_out (self, &axes)
      || (!self->is_panning
          && !gtk_drag_check_threshold (GTK_WIDGET (self), 0, 0, (int)dx, 0)))
    return;
  if (!self->is_panning)
    self->drag_middle = self->middle;
  self->is_panning = self->is_set = TRUE;
  self->middle =
      self->drag_middle - dx / (axes.plot.right - axes.plot.left) * self->range;
  update (self);
}

/* A drag below the threshold is a click, which shows the slice of that row. */
static void
on_drag_end (GtkGestureDrag *drag, double dx, double dy, TlAxisPlot *self)
{
  double x, y;
  Axes axes;

  if (!lay_out (self, &axes) || self->is_panning
      || gtk_drag_check_threshold (GTK_WIDGET (self), 0, 0, (int)dx, (int)dy)
      || !gtk_gesture_drag_get_start_point (drag, &x, &y) || y < axes.plot.top
      || y > axes.plot.bottom)
    return;
  gtk_widget_activate_action (GTK_WIDGET (self), "app.slice", "u",
                              (guint32)find_row (&axes, y));
}

/* Returns: the known row nearest to @y */
static const TlAxisPoint *
find_point (TlAxisPlot *self, const Axes *axes, double y)
{
  const TlAxisPoint *found = NULL;
  double nearest = INFINITY;

  for (guint k = 0; k < axes->n; k++)
    {
      const TlAxisPoint *point = tl_axis_map_get_point (self->map, k);
      double away =
          point != NULL
              ? fabs (tl_plot_get_y (&axes->plot, (double)point->row) - y)
              : INFINITY;

      if (away >= nearest)
        continue;
      nearest = away;
      found = point;
    }
  return found;
}

static char *
describe (const TlAxisPoint *point)
{
  if (!isfinite (point->centre_col))
    return g_strdup_printf (_ ("Row %zu does not show where the axis is"),
                            point->row);
  return g_strdup_printf (
      point->is_used
          ? _ ("Row %zu: axis at %.3f (boundary %.3f) ± %.3f")
          : _ ("Row %zu: axis at %.3f (boundary %.3f) ± %.3f, left out"),
      point->row, point->centre_col, tl_centre_to_boundary (point->centre_col),
      point->uncertainty_col);
}

static gboolean
tl_axis_plot_query_tooltip (GtkWidget *widget, int x, int y,
                            gboolean by_keyboard, GtkTooltip *tooltip)
{
  TlAxisPlot *self = TL_AXIS_PLOT (widget);
  const TlAxisPoint *point;
  g_autofree char *words = NULL;
  Axes axes;

  if (by_keyboard || !lay_out (self, &axes) || y < axes.plot.top
      || y > axes.plot.bottom)
    return FALSE;
  point = find_point (self, &axes, y);
  if (point == NULL)
    return FALSE;
  words = describe (point);
  gtk_tooltip_set_text (tooltip, words);
  return TRUE;
}

/* --- the widget --- */

static void
tl_axis_plot_size_allocate (GtkWidget *widget, int width, int height,
                            int baseline)
{
  g_clear_object (&TL_AXIS_PLOT (widget)->image);
}

static void
tl_axis_plot_dispose (GObject *object)
{
  TlAxisPlot *self = TL_AXIS_PLOT (object);

  g_clear_object (&self->image);
  G_OBJECT_CLASS (tl_axis_plot_parent_class)->dispose (object);
}

static void
tl_axis_plot_class_init (TlAxisPlotClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = tl_axis_plot_dispose;
  widget_class->size_allocate = tl_axis_plot_size_allocate;
  widget_class->snapshot = tl_axis_plot_snapshot;
  widget_class->query_tooltip = tl_axis_plot_query_tooltip;
  gtk_widget_class_set_css_name (widget_class, "axisplot");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
tl_axis_plot_init (TlAxisPlot *self)
{
  GtkEventController *scroll =
      gtk_event_controller_scroll_new (GTK_EVENT_CONTROLLER_SCROLL_VERTICAL);
  GtkEventController *motion = gtk_event_controller_motion_new ();
  GtkGesture *drag = gtk_gesture_drag_new ();

  self->range = 1;
  g_signal_connect_swapped (motion, "enter", G_CALLBACK (on_motion), self);
  g_signal_connect_swapped (motion, "motion", G_CALLBACK (on_motion), self);
  gtk_widget_add_controller (GTK_WIDGET (self), motion);
  g_signal_connect_swapped (scroll, "scroll", G_CALLBACK (on_scroll), self);
  gtk_widget_add_controller (GTK_WIDGET (self), scroll);
  g_signal_connect_swapped (drag, "drag-begin", G_CALLBACK (on_drag_begin),
                            self);
  g_signal_connect_swapped (drag, "drag-update", G_CALLBACK (on_drag_update),
                            self);
  g_signal_connect (drag, "drag-end", G_CALLBACK (on_drag_end), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (drag));
  gtk_widget_set_size_request (GTK_WIDGET (self), MIN_WIDTH, MIN_HEIGHT);
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  gtk_widget_set_has_tooltip (GTK_WIDGET (self), TRUE);
  tl_widget_name (self, _ ("Axis over the height of the detector"));
}

void
tl_axis_plot_set_view (TlAxisPlot *self, TlView *view)
{
  TlSession *session = tl_view_get_session (view);

  g_return_if_fail (self->view == NULL);
  self->view = tl_keep (self, view);
  self->map = tl_session_get_axis_map (session);
  g_signal_connect_object (self->map, "changed", G_CALLBACK (update_words),
                           self, G_CONNECT_SWAPPED);
  tl_follow (view, "colormap", G_CALLBACK (update), self);
  tl_follow (session->parameters, "slice", G_CALLBACK (update), self);
  update_words (self);
}
