#include "ui/axis/axis-page.h"

#include "ui/controls/control.h"
#include "ui/view/widget.h"

#include <glib/gi18n.h>

struct _TlAxisPage
{
  GtkBox parent_instance;

  TlSession *session;
  TlAxisMap *map;
  GtkLabel *words_label, *stage_label, *rest_label;
  GtkAdjustment *rows_adjustment;
  GtkWidget *accept_button;
  TlAxisPlot *plot;
};

G_DEFINE_FINAL_TYPE (TlAxisPage, tl_axis_page, GTK_TYPE_BOX)

/* A reliable result is proposed; a doubtful one asks the user to check it. */
static void
update (TlAxisPage *self)
{
  g_autofree char *words = tl_axis_map_dup_text (self->map);
  g_autofree char *stage = tl_session_dup_axis_move (self->session);
  g_autofree char *rest = tl_axis_map_dup_consequence (self->map);
  const TlAxisLine *line = tl_axis_map_get_line (self->map);
  gboolean is_certain, busy;

  g_object_get (self->map, "busy", &busy, NULL);
  tl_label_set_line (self->words_label, words);
  tl_label_set_line (self->stage_label, stage);
  tl_label_set_line (self->rest_label, rest);
  is_certain = line != NULL && line->verdict == TL_AXIS_CERTAIN;
  tl_widget_set_class (self->rest_label, "asks",
                       line != NULL && !is_certain && !busy);
  tl_widget_set_class (self->accept_button, "suggested-action",
                       is_certain && !busy && !tl_axis_map_agrees (self->map));
}

static void
tl_axis_page_dispose (GObject *object)
{
  TlAxisPage *self = TL_AXIS_PAGE (object);

  g_clear_object (&self->map);
  g_clear_object (&self->session);
  G_OBJECT_CLASS (tl_axis_page_parent_class)->dispose (object);
}

static void
tl_axis_page_class_init (TlAxisPageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = tl_axis_page_dispose;
  g_type_ensure (TL_TYPE_AXIS_PLOT);
  gtk_widget_class_set_template_from_resource (
      widget_class, "/org/tomolens/Tomolens/axis-page.ui");
#define BIND(name)                                                             \
  gtk_widget_class_bind_template_child (widget_class, TlAxisPage, name)
  BIND (words_label);
  BIND (stage_label);
  BIND (rest_label);
  BIND (rows_adjustment);
  BIND (accept_button);
  BIND (plot);
#undef BIND
}

static void
tl_axis_page_init (TlAxisPage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_adjustment_set_lower (self->rows_adjustment, TL_AXIS_MAP_MIN_ROWS);
  gtk_adjustment_set_upper (self->rows_adjustment, TL_AXIS_MAP_MAX_ROWS);
}

void
tl_axis_page_bind (TlAxisPage *self, TlView *view, GActionGroup *actions)
{
  TlSession *session = tl_view_get_session (view);

  self->session = g_object_ref (session);
  self->map = g_object_ref (tl_session_get_axis_map (session));
  tl_axis_plot_set_view (self->plot, view);
  tl_control_bind_number (self->rows_adjustment, actions, "axis-rows");
  tl_follow (self->map, "busy", G_CALLBACK (update), self);
  g_signal_connect_object (self->map, "changed", G_CALLBACK (update), self,
                           G_CONNECT_SWAPPED);
  update (self);
}

TlAxisPlot *
tl_axis_page_get_plot (TlAxisPage *self)
{
  return self->plot;
}
