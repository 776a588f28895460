#include "ui/volume/transfer-plot.h"

#include "ui/plot/plot.h"
#include "ui/view/widget.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

/* Widget units. */
#define MARGIN 10.0
#define RADIUS 4.5
#define REACH 10.0 /* of a point, for the pointer */

/* Of the range of the values, and of the opacity, by one press of a key. */
#define KEY_PART 0.01

/* Points stay so far apart, as a part of the range. */
#define LEAST_PART 1e-4

struct _TlTransferPlot
{
  GtkWidget parent_instance;

  TlScene *scene;
  guint chosen;            /* the point that keys move */
  double begun_x, begun_y; /* of the drag */
};

G_DEFINE_FINAL_TYPE (TlTransferPlot, tl_transfer_plot, GTK_TYPE_WIDGET)

/* --- values and places --- */

/* The range covers the values of the volume and the points. */
static TlPlot
get_plot (TlTransferPlot *self)
{
  const TlVolumeLook *look = tl_scene_get_look (self->scene);
  const TlVoxelCounts *counts = tl_scene_get_counts (self->scene);
  GtkWidget *widget = GTK_WIDGET (self);
  TlPlot plot = {
    .widget = widget,
    .left = MARGIN,
    .right = gtk_widget_get_width (widget) - MARGIN,
    .top = MARGIN,
    .bottom = gtk_widget_get_height (widget) - MARGIN,
    .first = counts->low,
    .last = counts->high,
    .low = 0,
    .high = 1,
  };

  if (look->n_points > 0)
    {
      plot.first = fmin (plot.first, look->points[0].value);
      plot.last = fmax (plot.last, look->points[look->n_points - 1].value);
    }
  if (!(plot.last > plot.first))
    plot.last = plot.first + 1;
  return plot;
}

static double
get_value (const TlPlot *plot, double x)
{
  return plot->first
         + (x - plot->left) / fmax (plot->right - plot->left, 1)
               * (plot->last - plot->first);
}

static double
get_opacity (const TlPlot *plot, double y)
{
  return CLAMP ((plot->bottom - y) / fmax (plot->bottom - plot->top, 1), 0, 1);
}

/* --- changes --- */

static void
send (TlTransferPlot *self, const TlVolumeLook *look)
{
  gtk_widget_activate_action_variant (GTK_WIDGET (self), "app.volume-transfer",
                                      tl_volume_look_list_points (look));
}

/* A point stays between its neighbours. */
static void
place (TlTransferPlot *self, double value, double opacity)
{
  const TlPlot plot = get_plot (self);
  const double least = LEAST_PART * (plot.last - plot.first);
  TlVolumeLook look = *tl_scene_get_look (self->scene);
  const guint k = self->chosen;

  if (k >= look.n_points)
    return;
  look.points[k].value = CLAMP (
      value, k > 0 ? look.points[k - 1].value + least : plot.first,
      k + 1 < look.n_points ? look.points[k + 1].value - least : plot.last);
  look.points[k].opacity = CLAMP (opacity, 0, 1);
  send (self, &look);
}

static void
add (TlTransferPlot *self, double value, double opacity)
{
  TlVolumeLook look = *tl_scene_get_look (self->scene);
  guint k = 0;

  if (look.n_points == TL_MAX_VOLUME_POINTS)
    return;
  while (k < look.n_points && look.points[k].value < value)
    k++;
  if (k < look.n_points && look.points[k].value == value)
    return;
  memmove (look.points + k + 1, look.points + k,
           (look.n_points - k) * sizeof *look.points);
  look.points[k] = (TlVolumePoint){ value, opacity };
  look.n_points++;
  self->chosen = k;
  send (self, &look);
}

static void
remove_chosen (TlTransferPlot *self)
{
  TlVolumeLook look = *tl_scene_get_look (self->scene);
  const guint k = self->chosen;

  if (look.n_points < 2 || k >= look.n_points)
    return;
  look.n_points--;
  memmove (look.points + k, look.points + k + 1,
           (look.n_points - k) * sizeof *look.points);
  self->chosen = MIN (k, look.n_points - 1);
  send (self, &look);
}

/* --- the pointer --- */

/* Returns: whether a point is in reach; it is chosen then */
static gboolean
choose (TlTransferPlot *self, double x, double y)
{
  const TlVolumeLook *look = tl_scene_get_look (self->scene);
  const TlPlot plot = get_plot (self);
  double nearest = REACH;
  gboolean is_there = FALSE;

  for (guint k = 0; k < look->n_points; k++)
    {
      const double away =
          hypot (tl_plot_get_x (&plot, look->points[k].value) - x,
                 tl_plot_get_y (&plot, look->points[k].opacity) - y);

      if (away > nearest)
        continue;
      nearest = away;
      self->chosen = k;
      is_there = TRUE;
    }
  return is_there;
}

static void
on_drag_begin (TlTransferPlot *self, double x, double y)
{
  const TlPlot plot = get_plot (self);

  gtk_widget_grab_focus (GTK_WIDGET (self));
  self->begun_x = x;
  self->begun_y = y;
  if (!choose (self, x, y))
    add (self, get_value (&plot, x), get_opacity (&plot, y));
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
on_drag_update (TlTransferPlot *self, double dx, double dy)
{
  const TlPlot plot = get_plot (self);

  place (self, get_value (&plot, self->begun_x + dx),
         get_opacity (&plot, self->begun_y + dy));
}

/* The first click of two has made a point, or chosen one; the second removes
 * it. This must wait until the button is released: at the second press a drag
 * begins, which would make the point again or move it. */
static void
on_released (TlTransferPlot *self, int n_press, double x, double y)
{
  if (n_press == 2 && hypot (x - self->begun_x, y - self->begun_y) < RADIUS
      && choose (self, x, y))
    remove_chosen (self);
}

/* --- keys --- */

static gboolean
on_arrow (TlTransferPlot *self, int right, int up, GdkModifierType state)
{
  const TlVolumeLook *look = tl_scene_get_look (self->scene);
  const TlPlot plot = get_plot (self);
  const int chosen = (int)self->chosen + right;

  if ((state & GDK_ALT_MASK) != 0 || self->chosen >= look->n_points)
    return GDK_EVENT_PROPAGATE;
  if ((state & GDK_CONTROL_MASK) == 0)
    place (self,
           look->points[self->chosen].value
               + right * KEY_PART * (plot.last - plot.first),
           look->points[self->chosen].opacity + up * KEY_PART);
  else if (chosen >= 0 && chosen < (int)look->n_points)
    self->chosen = (guint)chosen;
  gtk_widget_queue_draw (GTK_WIDGET (self));
  return GDK_EVENT_STOP;
}

static gboolean
on_key (TlTransferPlot *self, guint keyval, guint keycode,
        GdkModifierType state)
{
  switch (keyval)
    {
    case GDK_KEY_Left:
      return on_arrow (self, -1, 0, state);
    case GDK_KEY_Right:
      return on_arrow (self, 1, 0, state);
    case GDK_KEY_Up:
      return on_arrow (self, 0, 1, state);
    case GDK_KEY_Down:
      return on_arrow (self, 0, -1, state);
    case GDK_KEY_Delete:
    case GDK_KEY_KP_Delete:
    case GDK_KEY_BackSpace:
      remove_chosen (self);
      return GDK_EVENT_STOP;
    default:
      return GDK_EVENT_PROPAGATE;
    }
}

/* --- drawing --- */

/* The scale of the counts is logarithmic. */
static void
draw_counts (const TlPlot *plot, const TlVoxelCounts *counts, cairo_t *cr)
{
  const double step = (counts->high - counts->low) / TL_N_VOXEL_BINS;
  guint32 most = 1;

  for (guint k = 0; k < TL_N_VOXEL_BINS; k++)
    most = MAX (most, counts->bins[k]);
  cairo_move_to (cr, tl_plot_get_x (plot, counts->low), plot->bottom);
  for (guint k = 0; k < TL_N_VOXEL_BINS; k++)
    {
      const double y =
          tl_plot_get_y (plot, log1p (counts->bins[k]) / log1p (most));

      cairo_line_to (cr, tl_plot_get_x (plot, counts->low + k * step), y);
      cairo_line_to (cr, tl_plot_get_x (plot, counts->low + (k + 1) * step), y);
    }
  cairo_line_to (cr, tl_plot_get_x (plot, counts->high), plot->bottom);
  cairo_close_path (cr);
  cairo_fill (cr);
}

/* Beyond the points the opacity is constant. */
static void
draw_line (const TlPlot *plot, const TlVolumeLook *look, cairo_t *cr)
{
  const TlVolumePoint *points = look->points;
  const guint n = look->n_points;

  if (n == 0)
    return;
  cairo_move_to (cr, plot->left, tl_plot_get_y (plot, points[0].opacity));
  for (guint k = 0; k < n; k++)
    cairo_line_to (cr, tl_plot_get_x (plot, points[k].value),
                   tl_plot_get_y (plot, points[k].opacity));
  cairo_line_to (cr, plot->right, tl_plot_get_y (plot, points[n - 1].opacity));
  cairo_set_line_width (cr, 2);
  cairo_stroke (cr);
}

static void
draw_points (TlTransferPlot *self, const TlPlot *plot, cairo_t *cr)
{
  const TlVolumeLook *look = tl_scene_get_look (self->scene);
  const gboolean has_focus = gtk_widget_has_focus (GTK_WIDGET (self));

  for (guint k = 0; k < look->n_points; k++)
    {
      const gboolean is_chosen = has_focus && k == self->chosen;

      cairo_arc (cr, tl_plot_get_x (plot, look->points[k].value),
                 tl_plot_get_y (plot, look->points[k].opacity),
                 is_chosen ? 1.5 * RADIUS : RADIUS, 0, 2 * G_PI);
      cairo_fill (cr);
    }
}

static void
tl_transfer_plot_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  TlTransferPlot *self = TL_TRANSFER_PLOT (widget);
  const TlPlot plot = get_plot (self);
  const graphene_rect_t all =
      GRAPHENE_RECT_INIT (0, 0, (float)gtk_widget_get_width (widget),
                          (float)gtk_widget_get_height (widget));
  GtkStyleContext *style = gtk_widget_get_style_context (widget);
  cairo_t *cr = gtk_snapshot_append_cairo (snapshot, &all);
  GdkRGBA colour;

  gtk_style_context_get_color (style, &colour);
  colour.alpha *= 0.4F;
  gdk_cairo_set_source_rgba (cr, &colour);
  draw_counts (&plot, tl_scene_get_counts (self->scene), cr);
  tl_widget_find_accent (widget, &colour);
  gdk_cairo_set_source_rgba (cr, &colour);
  draw_line (&plot, tl_scene_get_look (self->scene), cr);
  draw_points (self, &plot, cr);
  cairo_destroy (cr);
}

/* --- the widget --- */

static void
update (TlTransferPlot *self)
{
  const TlVolumeLook *look = tl_scene_get_look (self->scene);

  if (self->chosen >= look->n_points)
    self->chosen = look->n_points > 0 ? look->n_points - 1 : 0;
  if (look->n_points > 0)
    {
      const TlVolumePoint *point = &look->points[self->chosen];
      /* translators: a point of the transfer function of a volume */
      g_autofree char *words = g_strdup_printf (
          _ ("point %u of %u: opacity %.2f at %.4g"), self->chosen + 1,
          look->n_points, point->opacity, point->value);

      tl_widget_describe (self, words);
    }
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
tl_transfer_plot_class_init (TlTransferPlotClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->snapshot = tl_transfer_plot_snapshot;
  gtk_widget_class_set_css_name (widget_class, "histogram");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
tl_transfer_plot_init (TlTransferPlot *self)
{
  GtkGesture *drag = gtk_gesture_drag_new ();
  GtkGesture *click = gtk_gesture_click_new ();
  GtkEventController *keys = gtk_event_controller_key_new ();

  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  tl_widget_name (self, _ ("Histogram of the volume with its opacity"));
  g_signal_connect_swapped (drag, "drag-begin", G_CALLBACK (on_drag_begin),
                            self);
  g_signal_connect_swapped (drag, "drag-update", G_CALLBACK (on_drag_update),
                            self);
  g_signal_connect_swapped (click, "released", G_CALLBACK (on_released), self);
  g_signal_connect_swapped (keys, "key-pressed", G_CALLBACK (on_key), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (drag));
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (click));
  gtk_widget_add_controller (GTK_WIDGET (self), keys);
}

void
tl_transfer_plot_bind (TlTransferPlot *self, TlScene *scene)
{
  g_return_if_fail (self->scene == NULL);

  self->scene = tl_keep (self, scene);
  tl_follow (scene, "look voxels", G_CALLBACK (update), self);
  tl_follow (self, "has-focus", G_CALLBACK (gtk_widget_queue_draw), self);
  update (self);
}
