#include "ui/planes/planes-view.h"

#include "ui/view/widget.h"

#include <glib/gi18n.h>
#include <math.h>

/* All in widget units. */
#define GAP 4
#define MIN_SIZE 120 /* of a pane */

struct _TlPlanesView
{
  GtkWidget parent_instance;

  TlSession *session;
  TlPlanes *planes;
  TlCompare *compare;
  gboolean is_halved;
  GtkWidget *panes[TL_N_PANES], *label;
};

G_DEFINE_FINAL_TYPE (TlPlanesView, tl_planes_view, GTK_TYPE_WIDGET)

TlPlanePane *
tl_planes_view_get_pane (TlPlanesView *self, TlPane pane)
{
  return TL_PLANE_PANE (self->panes[pane]);
}

void
tl_planes_view_zoom (TlPlanesView *self, double factor)
{
  TlPane pointed = TL_PANE_XY;

  for (TlPane pane = 0; pane < TL_N_PANES; pane++)
    if (tl_plane_pane_has_pointer (tl_planes_view_get_pane (self, pane)))
      pointed = pane;
  tl_plane_pane_zoom (tl_planes_view_get_pane (self, pointed), factor);
}

void
tl_planes_view_fit (TlPlanesView *self)
{
  TlAim aim = *tl_planes_get_aim (self->planes);

  tl_aim_fit (&aim);
  tl_planes_set_aim (self->planes, &aim);
}

/* Returns: (transfer full) (nullable): how much of the projections is loaded,
 * while there is nothing to show */
static char *
describe_loading (TlPlanesView *self)
{
  double progress = tl_planes_get_progress (self->planes);

  if (progress >= 1 || tl_planes_view_is_drawn (self))
    return NULL;
  /* translators: before the first planes are shown */
  return g_strdup_printf (_ ("Loading the projections: %.0f %%"),
                          100 * progress);
}

static void
show_words (TlPlanesView *self, const char *words)
{
  g_autofree char *loading = describe_loading (self);

  tl_label_show (GTK_LABEL (self->label), loading != NULL ? loading : words);
}

/* The events of the pane that the pointer leaves and of the one that it enters
 * come in either order. So a pane without the pointer counts only if no other
 * pane has it. */
static void
on_pointed (TlPlanesView *self, const char *words, TlPlanePane *pane)
{
  if (!tl_plane_pane_has_pointer (pane))
    for (TlPane other = 0; other < TL_N_PANES; other++)
      if (tl_plane_pane_has_pointer (tl_planes_view_get_pane (self, other)))
        return;
  show_words (self, words);
}

static void
on_progress (TlPlanesView *self)
{
  g_autofree char *loading = describe_loading (self);

  if (loading != NULL)
    show_words (self, NULL);
}

/* Side by side, the planes are those of a half of each pane. */
static void
on_comparison (TlPlanesView *self)
{
  const gboolean is_halved =
      tl_compare_get_mode (self->compare) == TL_COMPARE_SIDE_BY_SIDE;

  if (is_halved == self->is_halved)
    return;
  self->is_halved = is_halved;
  gtk_widget_queue_allocate (GTK_WIDGET (self));
}

/* --- the widget --- */

/* Returns: the place of @pane in a view of this size */
static GtkAllocation
find_place (TlPane pane, int width, int height)
{
  static const struct
  {
    int col, row;
  } cells[TL_N_PANES] = { [TL_PANE_XY] = { 0, 0 },
                          [TL_PANE_XZ] = { 0, 1 },
                          [TL_PANE_YZ] = { 1, 1 },
                          [TL_PANE_OBLIQUE] = { 1, 0 } };
  const int w = MAX ((width - GAP) / 2, 1), h = MAX ((height - GAP) / 2, 1);

  return (GtkAllocation){ cells[pane].col * (w + GAP),
                          cells[pane].row * (h + GAP), w, h };
}

static void
tl_planes_view_size_allocate (GtkWidget *widget, int width, int height,
                              int baseline)
{
  TlPlanesView *self = TL_PLANES_VIEW (widget);
  TlAim aim = *tl_planes_get_aim (self->planes);
  GtkRequisition size;

  for (TlPane pane = 0; pane < TL_N_PANES; pane++)
    {
      const GtkAllocation place = find_place (pane, width, height);

      gtk_widget_size_allocate (self->panes[pane], &place, baseline);
      tl_aim_set_size (&aim, pane,
                       place.width
                           - tl_compare_get_left (self->compare, place.width),
                       place.height);
    }
  tl_planes_set_density (self->planes, gtk_widget_get_scale_factor (widget));
  tl_planes_set_aim (self->planes, &aim);
  gtk_widget_get_preferred_size (self->label, &size, NULL);
  gtk_widget_size_allocate (
      self->label,
      &(GtkAllocation){ 0, height - size.height, size.width, size.height },
      baseline);
}

static void
tl_planes_view_measure (GtkWidget *widget, GtkOrientation orientation,
                        int for_size, int *minimum, int *natural,
                        int *minimum_baseline, int *natural_baseline)
{
  TlPlanesView *self = TL_PLANES_VIEW (widget);
  int least = 0;

  /* GTK wants each child to be measured before it gets its size */
  for (TlPane pane = 0; pane < TL_N_PANES; pane++)
    gtk_widget_measure (self->panes[pane], orientation, -1, &least, NULL, NULL,
                        NULL);
  *minimum = *natural = 2 * MIN_SIZE + GAP;
}

gboolean
tl_planes_view_is_drawn (TlPlanesView *self)
{
  for (TlPane pane = 0; pane < TL_N_PANES; pane++)
    if (!tl_plane_pane_is_drawn (tl_planes_view_get_pane (self, pane)))
      return FALSE;
  return tl_display_get_frame (self->session->display) != NULL;
}

static gboolean
tl_planes_view_grab_focus (GtkWidget *widget)
{
  return gtk_widget_grab_focus (TL_PLANES_VIEW (widget)->panes[TL_PANE_XY]);
}

static void
tl_planes_view_dispose (GObject *object)
{
  TlPlanesView *self = TL_PLANES_VIEW (object);

  for (TlPane pane = 0; pane < TL_N_PANES; pane++)
    g_clear_pointer (&self->panes[pane], gtk_widget_unparent);
  g_clear_pointer (&self->label, gtk_widget_unparent);
  G_OBJECT_CLASS (tl_planes_view_parent_class)->dispose (object);
}

static void
tl_planes_view_class_init (TlPlanesViewClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = tl_planes_view_dispose;
  widget_class->grab_focus = tl_planes_view_grab_focus;
  widget_class->measure = tl_planes_view_measure;
  widget_class->size_allocate = tl_planes_view_size_allocate;
  gtk_widget_class_set_css_name (widget_class, "planesview");
  gtk_widget_class_set_accessible_role (widget_class,
                                        GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
tl_planes_view_init (TlPlanesView *self)
{
  GtkWidget *widget = GTK_WIDGET (self);

  gtk_widget_set_overflow (widget, GTK_OVERFLOW_HIDDEN);
  tl_widget_name (self, _ ("Planes"));
}

void
tl_planes_view_bind (TlPlanesView *self, TlMeasure *measure, TlCompare *compare)
{
  /* as they are read, and reached by Tab: the upper two, the lower two */
  static const TlPane order[] = { TL_PANE_XY, TL_PANE_OBLIQUE, TL_PANE_XZ,
                                  TL_PANE_YZ };

  TlView *view = tl_measure_get_view (measure);

  g_return_if_fail (self->session == NULL);

  self->session = tl_keep (self, tl_view_get_session (view));
  self->planes = tl_session_get_planes (self->session);
  self->compare = tl_keep (self, compare);
  for (guint k = 0; k < TL_N_PANES; k++)
    {
      GtkWidget *pane = tl_plane_pane_new ();

      self->panes[order[k]] = pane;
      gtk_widget_set_parent (pane, GTK_WIDGET (self));
      /* the bars are in the last corner, where they cover little */
      tl_plane_pane_bind (TL_PLANE_PANE (pane), measure, compare, order[k],
                          order[k] == TL_PANE_YZ);
      g_signal_connect_swapped (pane, "pointed", G_CALLBACK (on_pointed), self);
    }
  self->label = g_object_new (GTK_TYPE_LABEL, "can-target", FALSE, "visible",
                              FALSE, NULL);
  gtk_widget_add_css_class (self->label, "readout");
  gtk_widget_set_parent (self->label, GTK_WIDGET (self));
  tl_follow (self->planes, "progress", G_CALLBACK (on_progress), self);
  tl_follow (self->session->display, "comparison frame",
             G_CALLBACK (on_comparison), self);
  /* another scale factor needs other pixels */
  tl_follow (self, "scale-factor", G_CALLBACK (gtk_widget_queue_allocate),
             self);
}
