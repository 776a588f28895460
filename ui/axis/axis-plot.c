#include "ui/axis/axis-plot.h"

#include "ui/axis/axis-map-image.h"
#include "ui/axis/axis-marks.h"

#include "data/geometry.h"
#include "ui/view/widget.h"

#include <glib/gi18n.h>
#include <math.h>

#define MIN_WIDTH 240
#define MIN_HEIGHT 160

#define RIGHT 14.0 /* widget units right of the map */

/* Columns shown: at least so many, and so many times the range of the
 * estimates. */
#define MIN_RANGE 0.2
#define LEAST_FIT 2.0
#define ROOM 1.5
#define WHEEL_STEP 1.25

struct _TlAxisPlot
{
  GtkWidget parent_instance;

  TlView *view;
  TlAxisMap *map;
  gboolean is_set;      /* the user has zoomed or panned */
  double middle, range; /* columns */
  GdkTexture *image;    /* (nullable): heat map, until something changes */
  gboolean is_panning;  /* the drag has left the threshold of a click */
  double pointer_x, drag_middle;
};

G_DEFINE_FINAL_TYPE (TlAxisPlot, tl_axis_plot, GTK_TYPE_WIDGET)

/* -- layout --------------------------------------------------------------- */

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

/* Measures the widest row number or the axis' name, and the height of a text.
 */
static double
measure_rows (TlAxisPlot *self, size_t n_rows, double *height)
{
  g_autofree char *number = g_strdup_printf ("%zu", n_rows);
  const char *words[] = { number, _ ("row") };
  int widest = 0, width, pixel_height;

  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    {
      g_autoptr (PangoLayout) layout =
          gtk_widget_create_pango_layout (GTK_WIDGET (self), words[i]);

      pango_layout_get_pixel_size (layout, &width, &pixel_height);
      widest = MAX (widest, width);
    }
  *height = pixel_height;
  return widest;
}

/* Returns: %FALSE if there is nothing to draw */
static gboolean
lay_out (TlAxisPlot *self, TlAxisAxes *axes)
{
  double width = gtk_widget_get_width (GTK_WIDGET (self));
  double height = gtk_widget_get_height (GTK_WIDGET (self));
  double text_height;
  guint n_known;

  if (self->map == NULL
      || !tl_axis_map_get_size (self->map, &axes->n_rows, &axes->n_cols,
                                &axes->n, &n_known))
    return FALSE;
  axes->left = measure_rows (self, axes->n_rows, &text_height)
               + 2 * TL_AXIS_AXES_GAP + TL_AXIS_AXES_TICK;
  axes->right = width - RIGHT;
  axes->top = text_height + 2 * TL_AXIS_AXES_GAP;
  axes->bottom =
      height - 2 * text_height - TL_AXIS_AXES_TICK - 2 * TL_AXIS_AXES_GAP;
  if (axes->right <= axes->left || axes->bottom <= axes->top)
    return FALSE;
  if (!self->is_set)
    fit_range (self, axes->n_rows, axes->n);
  self->range = CLAMP (self->range, MIN_RANGE, (double)axes->n_cols);
  self->middle = CLAMP (self->middle, 0, (double)axes->n_cols - 1);
  axes->first = self->middle - self->range / 2;
  axes->last = self->middle + self->range / 2;
  return TRUE;
}

static double
find_row (const TlAxisAxes *axes, double y)
{
  double part = (y - axes->top) / (axes->bottom - axes->top);

  return CLAMP (floor (part * (double)axes->n_rows), 0,
                (double)axes->n_rows - 1);
}

gboolean
tl_axis_plot_get_place (TlAxisPlot *self, double row, double col, double *x,
                        double *y)
{
  TlAxisAxes axes;

  if (!lay_out (self, &axes))
    return FALSE;
  *x = tl_axis_axes_get_x (&axes, col);
  *y = tl_axis_axes_get_y (&axes, row);
  return TRUE;
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
  TlAxisAxes axes;

  if (!lay_out (self, &axes))
    return;
  if (self->image == NULL)
    {
      TlAxisMapRange range = { axes.first, axes.last,
                               tl_view_get_colormap (self->view) };

      self->image = tl_axis_map_image_new (
          self->map, &range, (int)ceil ((axes.right - axes.left) * scale),
          (int)ceil ((axes.bottom - axes.top) * scale));
    }
  place = GRAPHENE_RECT_INIT ((float)axes.left, (float)axes.top,
                              (float)(axes.right - axes.left),
                              (float)(axes.bottom - axes.top));
  gtk_snapshot_append_texture (snapshot, self->image, &place);
  cr = gtk_snapshot_append_cairo (snapshot, &all);
  tl_axis_marks_draw (
      widget, cr, &axes, self->map,
      tl_parameters_get_slice (tl_view_get_session (self->view)->parameters));
  cairo_destroy (cr);
}

/* -- zoom, pan and click -------------------------------------------------- */

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
  TlAxisAxes axes;

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
  TlAxisAxes axes;

  if (!lay_out (self, &axes))
    return GDK_EVENT_PROPAGATE;
  part = (self->pointer_x - axes.left) / (axes.right - axes.left);
  col = axes.first + part * self->range;
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
  TlAxisAxes axes;

  if (!lay_out (self, &axes)
      || (!self->is_panning
          && !gtk_drag_check_threshold (GTK_WIDGET (self), 0, 0, (int)dx, 0)))
    return;
  if (!self->is_panning)
    self->drag_middle = self->middle;
  self->is_panning = self->is_set = TRUE;
  self->middle =
      self->drag_middle - dx / (axes.right - axes.left) * self->range;
  update (self);
}

/* A drag below the threshold is a click, which shows the slice of that row. */
static void
on_drag_end (GtkGestureDrag *drag, double dx, double dy, TlAxisPlot *self)
{
  double x, y;
  TlAxisAxes axes;

  if (!lay_out (self, &axes) || self->is_panning
      || gtk_drag_check_threshold (GTK_WIDGET (self), 0, 0, (int)dx, (int)dy)
      || !gtk_gesture_drag_get_start_point (drag, &x, &y) || y < axes.top
      || y > axes.bottom)
    return;
  gtk_widget_activate_action (GTK_WIDGET (self), "app.slice", "u",
                              (guint32)find_row (&axes, y));
}

/* Returns: the known row nearest to @y */
static const TlAxisPoint *
find_point (TlAxisPlot *self, const TlAxisAxes *axes, double y)
{
  const TlAxisPoint *found = NULL;
  double nearest = INFINITY;

  for (guint k = 0; k < axes->n; k++)
    {
      const TlAxisPoint *point = tl_axis_map_get_point (self->map, k);
      double away =
          point != NULL
              ? fabs (tl_axis_axes_get_y (axes, (double)point->row) - y)
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
  TlAxisAxes axes;

  if (by_keyboard || !lay_out (self, &axes) || y < axes.top || y > axes.bottom)
    return FALSE;
  point = find_point (self, &axes, y);
  if (point == NULL)
    return FALSE;
  words = describe (point);
  gtk_tooltip_set_text (tooltip, words);
  return TRUE;
}

/* -- the widget ----------------------------------------------------------- */

static void
tl_axis_plot_measure (GtkWidget *widget, GtkOrientation orientation,
                      int for_size, int *minimum, int *natural,
                      int *minimum_baseline, int *natural_baseline)
{
  *minimum = *natural =
      orientation == GTK_ORIENTATION_HORIZONTAL ? MIN_WIDTH : MIN_HEIGHT;
}

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
  g_clear_object (&self->map);
  g_clear_object (&self->view);
  G_OBJECT_CLASS (tl_axis_plot_parent_class)->dispose (object);
}

static void
tl_axis_plot_class_init (TlAxisPlotClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = tl_axis_plot_dispose;
  widget_class->measure = tl_axis_plot_measure;
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
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  gtk_widget_set_has_tooltip (GTK_WIDGET (self), TRUE);
  tl_widget_name (self, _ ("Axis over the height of the detector"));
}

void
tl_axis_plot_set_view (TlAxisPlot *self, TlView *view)
{
  TlSession *session = tl_view_get_session (view);

  g_return_if_fail (self->view == NULL);
  self->view = g_object_ref (view);
  self->map = g_object_ref (tl_session_get_axis_map (session));
  g_signal_connect_object (self->map, "changed", G_CALLBACK (update_words),
                           self, G_CONNECT_SWAPPED);
  tl_follow (view, "colormap", G_CALLBACK (update), self);
  tl_follow (session->parameters, "slice", G_CALLBACK (update), self);
  update_words (self);
}
