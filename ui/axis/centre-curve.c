#include "ui/axis/centre-curve.h"

#include "data/geometry.h"
#include "ui/axis/centre-plot-private.h"
#include "ui/view/widget.h"

#include <glib/gi18n.h>
#include <math.h>

#define MIN_WIDTH 200

/* A click beside the curves takes a tick within this distance, widget units. */
#define REACH 10.0

/* More than the number of estimators. */
#define MAX_LINES 12

struct _TlCentreCurve
{
  GtkWidget parent_instance;

  TlSession *session;
  TlCentreSearch *search;        /* not owned: the session's */
  TlCentreLine lines[MAX_LINES]; /* lent by the search */
  guint n_lines;
  int pointed; /* the line under the pointer; -1: none */
};

G_DEFINE_FINAL_TYPE (TlCentreCurve, tl_centre_curve, GTK_TYPE_WIDGET)

static TlCentrePlot
get_plot (TlCentreCurve *self)
{
  return (TlCentrePlot){ .widget = GTK_WIDGET (self),
                         .lines = self->lines,
                         .n_lines = self->n_lines,
                         .pointed = self->pointed,
                         .centre_col = tl_parameters_get_centre (
                             self->session->parameters) };
}

static gboolean
lay_out (TlCentreCurve *self, TlCentreAxes *axes)
{
  TlCentrePlot plot = get_plot (self);

  return tl_centre_axes_init (axes, &plot);
}

static void
tl_centre_curve_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  TlCentreCurve *self = TL_CENTRE_CURVE (widget);
  graphene_rect_t area = GRAPHENE_RECT_INIT (
      0, 0, gtk_widget_get_width (widget), gtk_widget_get_height (widget));
  TlCentrePlot plot = get_plot (self);
  TlCentreAxes axes;
  cairo_t *cr;

  if (!tl_centre_axes_init (&axes, &plot))
    return;
  cr = gtk_snapshot_append_cairo (snapshot, &area);
  tl_centre_plot_draw (&plot, &axes, cr);
  cairo_destroy (cr);
}

/* -- in words ------------------------------------------------------------- */

static char *
describe_line (const TlCentreLine *line)
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

/* -- under the pointer ---------------------------------------------------- */

/* Returns: the line at a place; among the curves the line with the nearest
 * tick; -1: none */
static int
find_line (TlCentreCurve *self, double x, double y)
{
  double least = REACH;
  int nearest = -1;
  TlCentreAxes axes;

  if (!lay_out (self, &axes) || y >= axes.bottom)
    return -1;
  if (y >= axes.curve_bottom)
    return CLAMP ((int)((y - axes.curve_bottom) / axes.line_height), 0,
                  (int)self->n_lines - 1);
  for (guint i = 0; i < self->n_lines; i++)
    {
      double col = self->lines[i].found.centre_col;
      double away = fabs (tl_centre_axes_get_x (&axes, col) - x);

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
  TlCentreAxes axes;

  if (!lay_out (self, &axes))
    return FALSE;
  for (guint i = 0; i < self->n_lines; i++)
    if (strcmp (self->lines[i].found.name, name) == 0)
      {
        *x = tl_centre_axes_get_x (&axes, self->lines[i].found.centre_col);
        *y = tl_centre_axes_get_y (&axes, i);
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

/* -- the widget ----------------------------------------------------------- */

static void
tl_centre_curve_measure (GtkWidget *widget, GtkOrientation orientation,
                         int for_size, int *minimum, int *natural,
                         int *minimum_baseline, int *natural_baseline)
{
  *minimum = *natural = orientation == GTK_ORIENTATION_HORIZONTAL
                            ? MIN_WIDTH
                            : tl_centre_axes_get_height (
                                widget, TL_CENTRE_CURVE (widget)->n_lines);
}

static void
tl_centre_curve_dispose (GObject *object)
{
  g_clear_object (&TL_CENTRE_CURVE (object)->session);
  G_OBJECT_CLASS (tl_centre_curve_parent_class)->dispose (object);
}

static void
tl_centre_curve_class_init (TlCentreCurveClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = tl_centre_curve_dispose;
  widget_class->measure = tl_centre_curve_measure;
  widget_class->snapshot = tl_centre_curve_snapshot;
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
            (TlCentreLine){ .found = found, .title = found.name };
    }
  if (!tl_centre_search_get_agreement (self->search, &agreement)
      || !agreement.is_found)
    return;
  self->lines[self->n_lines++] = (TlCentreLine){
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

  self->session = g_object_ref (session);
  self->search = tl_session_get_centre_search (session);
  g_signal_connect_object (self->search, "changed", G_CALLBACK (update), self,
                           G_CONNECT_SWAPPED);
  tl_follow (session->parameters, "centre", G_CALLBACK (gtk_widget_queue_draw),
             self);
  update (self);
}
