#include "ui/window/pages.h"

#include "ui/compare/compare-bar.h"
#include "ui/axis/overlay-bar.h"
#include "ui/measure/profile-panel.h"
#include "ui/view/widget.h"
#include "ui/welcome/welcome.h"
#include "ui/window/shortcuts.h"

#include <string.h>

struct _TlPages
{
  GtkBox parent_instance;

  TlView *view;
  TlMeasure *measure; /* of the view */
  TlCompare *compare;
  TlSession *session;    /* the view's */
  GActionGroup *actions; /* the application's, which outlives it */
  GtkStack *stack, *picture_stack;
  TlWelcome *welcome;
  TlCompareBar *compare_bar;
  TlOverlayBar *overlay_bar;
  TlSliceView *slice_view;
  TlPlanesView *planes_view; /* (nullable): until it is needed */
  TlProfilePanel *profile_panel;
  TlCandidatesPage *candidates_page; /* (nullable): until it is needed */
  TlAxisPage *axis_page;             /* (nullable): until it is needed */
  TlVolumePage *volume_page;         /* (nullable): until it is needed */
  TlExportPage *export_page;         /* (nullable): until it is needed */
  TlPage page;                       /* shown now */
  TlCamera turned_at; /* camera of the grid when its page was shown */
};

G_DEFINE_FINAL_TYPE (TlPages, tl_pages, GTK_TYPE_BOX)

/* --- pages made when they are needed --- */

TlCandidatesPage *
tl_pages_get_candidates_page (TlPages *self)
{
  if (self->candidates_page != NULL)
    return self->candidates_page;
  self->candidates_page = g_object_new (TL_TYPE_CANDIDATES_PAGE, NULL);
  gtk_stack_add_named (self->stack, GTK_WIDGET (self->candidates_page),
                       "candidates");
  tl_shortcuts_add_to_tooltips (GTK_WIDGET (self->candidates_page));
  tl_candidates_page_bind (self->candidates_page, self->view, self->actions);
  return self->candidates_page;
}

TlAxisPage *
tl_pages_get_axis_page (TlPages *self)
{
  if (self->axis_page != NULL)
    return self->axis_page;
  self->axis_page = g_object_new (TL_TYPE_AXIS_PAGE, NULL);
  gtk_stack_add_named (self->stack, GTK_WIDGET (self->axis_page), "axis");
  tl_shortcuts_add_to_tooltips (GTK_WIDGET (self->axis_page));
  tl_axis_page_bind (self->axis_page, self->view, self->actions);
  return self->axis_page;
}

TlVolumePage *
tl_pages_get_volume_page (TlPages *self)
{
  if (self->volume_page != NULL)
    return self->volume_page;
  self->volume_page = g_object_new (TL_TYPE_VOLUME_PAGE, NULL);
  gtk_stack_add_named (self->stack, GTK_WIDGET (self->volume_page), "volume");
  tl_shortcuts_add_to_tooltips (GTK_WIDGET (self->volume_page));
  tl_volume_page_bind (self->volume_page, self->view, self->actions);
  return self->volume_page;
}

TlExportPage *
tl_pages_get_export_page (TlPages *self)
{
  if (self->export_page != NULL)
    return self->export_page;
  self->export_page = g_object_new (TL_TYPE_EXPORT_PAGE, NULL);
  gtk_stack_add_named (self->stack, GTK_WIDGET (self->export_page), "export");
  tl_shortcuts_add_to_tooltips (GTK_WIDGET (self->export_page));
  tl_export_page_bind (self->export_page, self->measure);
  return self->export_page;
}

TlPlanesView *
tl_pages_get_planes_view (TlPages *self)
{
  if (self->planes_view != NULL)
    return self->planes_view;
  self->planes_view = g_object_new (TL_TYPE_PLANES_VIEW, NULL);
  gtk_stack_add_named (self->picture_stack, GTK_WIDGET (self->planes_view),
                       "planes");
  tl_planes_view_bind (self->planes_view, self->measure, self->compare);
  return self->planes_view;
}

/* Returns: whether the page of the picture shows the planes */
static gboolean
has_planes (TlPages *self)
{
  TlDisplay *display = self->session->display;

  return tl_display_get_page (display) == TL_PAGE_PICTURE
         && tl_display_get_picture (display) == TL_PICTURE_PLANES;
}

static TlCandidatesGrid *
get_grid (TlPages *self)
{
  return tl_candidates_page_get_grid (tl_pages_get_candidates_page (self));
}

static TlAxisPlot *
get_plot (TlPages *self)
{
  return tl_axis_page_get_plot (tl_pages_get_axis_page (self));
}

static TlVolumeArea *
get_area (TlPages *self)
{
  return tl_volume_page_get_area (tl_pages_get_volume_page (self));
}

/* --- changing the page --- */

GtkWidget *
tl_pages_get_shown (TlPages *self)
{
  switch (self->page)
    {
    case TL_PAGE_CANDIDATES:
      return GTK_WIDGET (get_grid (self));
    case TL_PAGE_AXIS:
      return GTK_WIDGET (get_plot (self));
    case TL_PAGE_VOLUME:
      return GTK_WIDGET (get_area (self));
    case TL_PAGE_EXPORT:
      return GTK_WIDGET (self->export_page);
    default:
      return has_planes (self) ? GTK_WIDGET (tl_pages_get_planes_view (self))
                               : GTK_WIDGET (self->slice_view);
    }
}

void
tl_pages_take_focus (TlPages *self)
{
  GtkWidget *widget = tl_pages_get_shown (self);

  if (gtk_widget_get_mapped (widget))
    gtk_widget_grab_focus (widget);
  else /* of the welcome page: no picture */
    gtk_window_set_focus (GTK_WINDOW (gtk_widget_get_root (widget)), NULL);
}

/* The grid begins with the visible part of the slice; the slice view continues
 * with the visible part of the grid. */
static void
hand_over_place (TlPages *self, TlPage page)
{
  const TlCamera *camera;

  if (page != TL_PAGE_CANDIDATES && self->page != TL_PAGE_CANDIDATES)
    return;
  camera = tl_candidates_grid_get_camera (get_grid (self));
  if (page == TL_PAGE_CANDIDATES)
    {
      tl_candidates_grid_look_at (get_grid (self),
                                  tl_slice_view_get_camera (self->slice_view));
      self->turned_at = *camera;
    }
  else if (camera->scale != self->turned_at.scale
           || camera->col != self->turned_at.col
           || camera->row != self->turned_at.row)
    tl_slice_view_look_at (self->slice_view, camera);
}

/* The welcome page stays until there is a picture, or an export is wanted. The
 * planes say themselves what they wait for. */
static void
update (TlPages *self)
{
  static const char *const names[] = {
    [TL_PAGE_PICTURE] = "picture", [TL_PAGE_CANDIDATES] = "candidates",
    [TL_PAGE_AXIS] = "axis",       [TL_PAGE_VOLUME] = "volume",
    [TL_PAGE_EXPORT] = "export",
  };
  TlPage page = tl_display_get_page (self->session->display);
  const char *name = page < G_N_ELEMENTS (names) ? names[page] : "picture";
  const char *picture = has_planes (self) ? "planes" : "slice";
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));

  if ((tl_display_get_frame (self->session->display) == NULL
       && page != TL_PAGE_EXPORT && !has_planes (self))
      || (strcmp (gtk_stack_get_visible_child_name (self->stack), name) == 0
          && strcmp (gtk_stack_get_visible_child_name (self->picture_stack),
                     picture)
                 == 0))
    return;
  /* otherwise GTK moves the focus to the first text field when the buttons that
   * had it are hidden */
  gtk_window_set_focus (GTK_WINDOW (root), NULL);
  hand_over_place (self, page);
  if (page == TL_PAGE_AXIS)
    tl_pages_get_axis_page (self);
  else if (page == TL_PAGE_VOLUME)
    tl_pages_get_volume_page (self);
  else if (page == TL_PAGE_EXPORT)
    tl_pages_get_export_page (self);
  else if (has_planes (self))
    tl_pages_get_planes_view (self);
  self->page = page;
  gtk_stack_set_visible_child_name (self->picture_stack, picture);
  gtk_stack_set_visible_child_name (self->stack, name);
  tl_pages_take_focus (self);
}

/* --- zooming the page shown --- */

void
tl_pages_zoom (TlPages *self, double factor)
{
  if (self->page == TL_PAGE_CANDIDATES)
    tl_candidates_grid_zoom (get_grid (self), factor);
  else if (self->page == TL_PAGE_AXIS)
    tl_axis_plot_zoom (get_plot (self), factor);
  else if (self->page == TL_PAGE_VOLUME)
    tl_volume_area_zoom (get_area (self), factor);
  else if (has_planes (self))
    tl_planes_view_zoom (tl_pages_get_planes_view (self), factor);
  else
    tl_slice_view_zoom (self->slice_view, factor);
}

void
tl_pages_fit (TlPages *self)
{
  if (self->page == TL_PAGE_CANDIDATES)
    tl_candidates_grid_fit (get_grid (self));
  else if (self->page == TL_PAGE_AXIS)
    tl_axis_plot_fit (get_plot (self));
  else if (self->page == TL_PAGE_VOLUME)
    g_action_group_activate_action (self->actions, "reset-volume", NULL);
  else if (has_planes (self))
    tl_planes_view_fit (tl_pages_get_planes_view (self));
  else
    tl_slice_view_fit (self->slice_view);
}

TlSliceView *
tl_pages_get_slice_view (TlPages *self)
{
  return self->slice_view;
}

/* --- the widget --- */

static void
tl_pages_class_init (TlPagesClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  g_type_ensure (TL_TYPE_WELCOME);
  g_type_ensure (TL_TYPE_COMPARE_BAR);
  g_type_ensure (TL_TYPE_OVERLAY_BAR);
  g_type_ensure (TL_TYPE_SLICE_VIEW);
  g_type_ensure (TL_TYPE_PROFILE_PANEL);
  gtk_widget_class_set_template_from_resource (
      widget_class, "/org/tomolens/Tomolens/pages.ui");
#define BIND(name)                                                             \
  gtk_widget_class_bind_template_child (widget_class, TlPages, name)
  BIND (stack);
  BIND (picture_stack);
  BIND (welcome);
  BIND (compare_bar);
  BIND (overlay_bar);
  BIND (slice_view);
  BIND (profile_panel);
#undef BIND
}

static void
tl_pages_init (TlPages *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

void
tl_pages_bind (TlPages *self, TlMeasure *measure, TlCompare *compare,
               GActionGroup *actions)
{
  TlView *view = tl_measure_get_view (measure);

  g_return_if_fail (self->session == NULL);

  self->view = tl_keep (self, view);
  self->measure = tl_keep (self, measure);
  self->compare = tl_keep (self, compare);
  self->session = tl_view_get_session (view);
  self->actions = actions;
  tl_slice_view_bind (self->slice_view, measure, compare);
  tl_compare_bar_bind (self->compare_bar, compare);
  tl_overlay_bar_bind (self->overlay_bar, compare);
  tl_profile_panel_bind (self->profile_panel, measure, actions);
  tl_follow (self->session->display, "picture frame", G_CALLBACK (update),
             self);
  tl_welcome_bind (self->welcome, self->session);
  tl_session_get_planes (self->session); /* which say what is to be shown */
  update (self);
}
