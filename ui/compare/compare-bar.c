#include "ui/compare/compare-bar.h"

#include "ui/view/folding-box.h"
#include "ui/view/widget.h"

#include <glib/gi18n.h>

struct _TlCompareBar
{
  GtkBox parent_instance;

  TlCompare *compare;
  GtkRevealer *revealer;
  GtkWidget *pace_box;
  GtkAdjustment *pace_adjustment; /* time for each picture, seconds */
  GtkLabel *words_label;
};

G_DEFINE_FINAL_TYPE (TlCompareBar, tl_compare_bar, GTK_TYPE_BOX)

static TlSession *
get_session (TlCompareBar *self)
{
  return tl_view_get_session (tl_compare_get_view (self->compare));
}

static gboolean
has_planes (TlCompareBar *self)
{
  return tl_display_get_picture (get_session (self)->display)
         == TL_PICTURE_PLANES;
}

/* Returns: (transfer full): a line on what differs */
static char *
describe (TlCompareBar *self)
{
  TlSession *session = get_session (self);
  TlSliceComparison *comparison = session->comparison;
  g_autofree char *words = tl_slice_comparison_describe (comparison);

  const gboolean is_missing =
      has_planes (self) || tl_slice_comparison_get_held (comparison) == NULL;

  if (tl_slice_comparison_get_recipe (comparison) != NULL && is_missing
      && !tl_display_can_make_held (session->display))
    return g_strdup (_ ("A was made of other data and cannot be shown here; "
                        "hold the present picture instead"));
  if (!has_planes (self) && is_missing)
    return g_strdup (
        _ ("A will be the full picture, which is still being computed"));
  if (*words == '\0')
    return g_strdup (
        _ ("A and B have the same parameters; change one to see its effect"));
  /* translators: the parameters that differ follow, as "Centre 30 → 31" */
  return g_strdup_printf (_ ("From A to B: %s"), words);
}

static void
update (TlCompareBar *self)
{
  TlSession *session = get_session (self);
  gboolean is_seen =
      tl_slice_comparison_is_held (session->comparison)
      && (tl_display_get_picture (session->display) == TL_PICTURE_SLICE
          || has_planes (self));
  g_autofree char *words = NULL;

  gtk_revealer_set_reveal_child (self->revealer, is_seen);
  if (!is_seen) /* keep the text while the bar slides away */
    return;
  words = describe (self);
  tl_label_set_line (self->words_label, words);
  gtk_widget_set_visible (self->pace_box,
                          tl_slice_comparison_get_mode (session->comparison)
                              == TL_COMPARE_BLINK);
}

static void
update_pace (TlCompareBar *self)
{
  guint blink_ms;

  g_object_get (self->compare, "blink-ms", &blink_ms, NULL);
  gtk_adjustment_set_value (self->pace_adjustment, blink_ms / 1000.0);
}

static void
on_pace_changed (TlCompareBar *self)
{
  double seconds = gtk_adjustment_get_value (self->pace_adjustment);

  gtk_widget_activate_action (GTK_WIDGET (self), "app.blink-ms", "u",
                              (guint32)(1000 * seconds + 0.5));
}

/* --- the widget --- */

static void
tl_compare_bar_class_init (TlCompareBarClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  g_type_ensure (TL_TYPE_FOLDING_BOX);
  gtk_widget_class_set_template_from_resource (
      widget_class, "/org/tomolens/Tomolens/compare-bar.ui");
#define BIND(name)                                                             \
  gtk_widget_class_bind_template_child (widget_class, TlCompareBar, name)
  BIND (revealer);
  BIND (pace_box);
  BIND (pace_adjustment);
  BIND (words_label);
#undef BIND
  gtk_widget_class_set_accessible_role (widget_class,
                                        GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
tl_compare_bar_init (TlCompareBar *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  tl_widget_name (self, _ ("Compare"));
}

void
tl_compare_bar_bind (TlCompareBar *self, TlCompare *compare)
{
  g_return_if_fail (self->compare == NULL);

  self->compare = tl_keep (self, compare);
  tl_follow (get_session (self)->display, "comparison frame picture",
             G_CALLBACK (update), self);
  tl_follow (compare, "blink-ms", G_CALLBACK (update_pace), self);
  update_pace (self);
  tl_follow (self->pace_adjustment, "value", G_CALLBACK (on_pace_changed),
             self);
  update (self);
}
