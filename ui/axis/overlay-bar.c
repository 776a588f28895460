#include "ui/axis/overlay-bar.h"

#include "app/axis/overlay/overlay.h"
#include "ui/view/widget.h"

#include <glib/gi18n.h>

struct _TlOverlayBar
{
  GtkBox parent_instance;

  TlCompare *compare;
  GtkRevealer *revealer;
  GtkLabel *pair_label, *words_label, *move_label;
  GtkWidget *pace_box;
  GtkAdjustment *rows_adjustment, *pace_adjustment; /* rows; seconds */
};

G_DEFINE_FINAL_TYPE (TlOverlayBar, tl_overlay_bar, GTK_TYPE_BOX)

static TlSession *
get_session (TlOverlayBar *self)
{
  return tl_view_get_session (tl_compare_get_view (self->compare));
}

static void
update (TlOverlayBar *self)
{
  TlSession *session = get_session (self);
  TlOverlay *overlay = tl_session_get_overlay (session);
  gboolean is_seen =
      tl_display_get_picture (session->display) == TL_PICTURE_OVERLAY;
  g_autofree char *pair = NULL;
  g_autofree char *words = NULL;
  g_autofree char *move = NULL;

  gtk_revealer_set_reveal_child (self->revealer, is_seen);
  if (!is_seen) /* keep the text while the bar slides away */
    return;
  pair = tl_overlay_describe_pair (overlay);
  words = tl_overlay_describe_registration (overlay);
  move = tl_overlay_describe_found_move (overlay);
  tl_label_set_line (self->pair_label, pair);
  tl_label_set_line (self->words_label, words);
  gtk_label_set_text (self->move_label, move);
  gtk_widget_set_visible (self->pace_box,
                          tl_overlay_get_mode (overlay) == TL_OVERLAY_BLINK);
  gtk_adjustment_set_value (self->rows_adjustment,
                            tl_overlay_get_rows (overlay));
}

static void
update_pace (TlOverlayBar *self)
{
  guint blink_ms;

  g_object_get (self->compare, "blink-ms", &blink_ms, NULL);
  gtk_adjustment_set_value (self->pace_adjustment, blink_ms / 1000.0);
}

static void
on_pace_changed (TlOverlayBar *self)
{
  double seconds = gtk_adjustment_get_value (self->pace_adjustment);

  gtk_widget_activate_action (GTK_WIDGET (self), "app.blink-ms", "u",
                              (guint32)(1000 * seconds + 0.5));
}

static void
on_rows_changed (TlOverlayBar *self)
{
  double rows = gtk_adjustment_get_value (self->rows_adjustment);

  if (rows != tl_overlay_get_rows (tl_session_get_overlay (get_session (self))))
    gtk_widget_activate_action (GTK_WIDGET (self), "app.overlay-rows", "d",
                                rows);
}

/* --- the widget --- */

static void
tl_overlay_bar_dispose (GObject *object)
{
  g_clear_object (&TL_OVERLAY_BAR (object)->compare);
  G_OBJECT_CLASS (tl_overlay_bar_parent_class)->dispose (object);
}

static void
tl_overlay_bar_class_init (TlOverlayBarClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = tl_overlay_bar_dispose;
  gtk_widget_class_set_template_from_resource (
      widget_class, "/org/tomolens/Tomolens/overlay-bar.ui");
#define BIND(name)                                                             \
  gtk_widget_class_bind_template_child (widget_class, TlOverlayBar, name)
  BIND (revealer);
  BIND (pair_label);
  BIND (words_label);
  BIND (move_label);
  BIND (pace_box);
  BIND (rows_adjustment);
  BIND (pace_adjustment);
#undef BIND
  gtk_widget_class_set_accessible_role (widget_class,
                                        GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
tl_overlay_bar_init (TlOverlayBar *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  tl_widget_name (self, _ ("Overlay of opposite projections"));
}

void
tl_overlay_bar_bind (TlOverlayBar *self, TlCompare *compare)
{
  TlOverlay *overlay;

  g_return_if_fail (self->compare == NULL);

  self->compare = g_object_ref (compare);
  overlay = tl_session_get_overlay (get_session (self));
  g_signal_connect_object (overlay, "changed", G_CALLBACK (update), self,
                           G_CONNECT_SWAPPED);
  tl_follow (get_session (self)->display, "picture frame", G_CALLBACK (update),
             self);
  tl_follow (compare, "blink-ms", G_CALLBACK (update_pace), self);
  update_pace (self);
  update (self);
  tl_follow (self->pace_adjustment, "value", G_CALLBACK (on_pace_changed),
             self);
  tl_follow (self->rows_adjustment, "value", G_CALLBACK (on_rows_changed),
             self);
}
