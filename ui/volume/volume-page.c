#include "ui/volume/volume-page.h"

#include "ui/controls/control.h"
#include "ui/view/folding-box.h"
#include "ui/view/widget.h"
#include "ui/volume/transfer-plot.h"

#include <glib/gi18n.h>

/* First and last column, row and slice of what is shown. */
#define N_ENDS 6

struct _TlVolumePage
{
  GtkBox parent_instance;

  TlScene *scene;
  GtkDropDown *way_drop;
  GtkWidget *threshold_box, *transfer_button;
  TlTransferPlot *transfer_plot;
  GtkAdjustment *threshold_adjustment;
  GtkAdjustment *first_col, *last_col, *first_row, *last_row, *first_slice,
      *last_slice;
  GtkCheckButton *plane_check;
  GtkLabel *words_label;
  GtkProgressBar *progress_bar;
  TlVolumeArea *area;
  gboolean is_updating; /* controls change by code, not by the user */
};

G_DEFINE_FINAL_TYPE (TlVolumePage, tl_volume_page, GTK_TYPE_BOX)

/* --- state of the controls --- */

/* @ends: (out): [N_ENDS] */
static void
list_ends (TlVolumePage *self, GtkAdjustment **ends)
{
  GtkAdjustment *const all[N_ENDS] = { self->first_col,   self->last_col,
                                       self->first_row,   self->last_row,
                                       self->first_slice, self->last_slice };

  for (guint k = 0; k < N_ENDS; k++)
    ends[k] = all[k];
}

static void
update_look (TlVolumePage *self)
{
  const TlVolumeLook *look = tl_scene_get_look (self->scene);
  GListModel *rows = gtk_drop_down_get_model (self->way_drop);
  g_autoptr (GtkStringObject) item = g_list_model_get_item (rows, look->way);
  GtkAdjustment *ends[N_ENDS];

  self->is_updating = TRUE;
  gtk_drop_down_set_selected (self->way_drop, look->way);
  list_ends (self, ends);
  for (guint k = 0; k < N_ENDS; k++)
    gtk_adjustment_set_value (ends[k], 100 * look->box[k / 2][k % 2]);
  self->is_updating = FALSE;
  tl_control_name_choice (self->way_drop, gtk_string_object_get_string (item));
  gtk_widget_set_visible (self->threshold_box, look->way == TL_VOLUME_SURFACE);
  gtk_widget_set_visible (self->transfer_button,
                          look->way == TL_VOLUME_EMISSION);
}

/* Returns: (transfer full): where the box is in the slices of the file, and why
 * it has no finer voxels; "" outside of it */
static char *
describe_box (TlVolumePage *self)
{
  const TlBox *box = tl_scene_get_box (self->scene);
  const size_t *first = box->first, *n = box->n;
  const guint bin = box->bin;
  const char *why =
      !tl_scene_is_in_box (self->scene) || tl_scene_is_busy (self->scene) ? ""
      : box->is_limited ? _ ("; not enough memory for finer voxels")
      : n[0] == 0       ? _ ("; make the box smaller for finer voxels")
                        : "";

  if (n[0] == 0)
    return g_strdup (why);
  return g_strdup_printf (
      _ ("; columns %zu to %zu, rows %zu to %zu, slices %zu to %zu%s"),
      first[0] * bin, (first[0] + n[0]) * bin - 1, first[1] * bin,
      (first[1] + n[1]) * bin - 1, first[2] * bin, (first[2] + n[2]) * bin - 1,
      why);
}

/* Returns: (transfer full): one line */
static char *
describe (TlVolumePage *self)
{
  g_autofree char *place = describe_box (self);
  const TlVoxels *voxels = tl_scene_get_voxels (self->scene);
  const char *problem = tl_scene_get_problem (self->scene);

  if (problem != NULL)
    return g_strdup (problem);
  if (voxels == NULL)
    return g_strdup (
        tl_scene_is_busy (self->scene) ? _ ("Loading the projections…") : "");
  return g_strdup_printf (
      g_dngettext (
          NULL, "%zu × %zu × %zu voxels, each %u pixel wide, made in %.2f s%s",
          "%zu × %zu × %zu voxels, each %u pixels wide, made in "
          "%.2f s%s",
          tl_scene_get_bin (self->scene)),
      voxels->n[0], voxels->n[1], voxels->n[2], tl_scene_get_bin (self->scene),
      tl_scene_get_ms (self->scene) / 1e3, place);
}

static void
update_words (TlVolumePage *self)
{
  g_autofree char *words = describe (self);
  double progress;

  g_object_get (self->scene, "progress", &progress, NULL);
  tl_label_set_line (self->words_label, words);
  gtk_progress_bar_set_fraction (self->progress_bar, progress);
  gtk_widget_set_visible (GTK_WIDGET (self->progress_bar),
                          tl_scene_is_busy (self->scene) && progress < 1);
}

/* --- handlers of the controls --- */

/* The volume has keys of its own, which are named in these menus. */
static void
give_keys_back (TlVolumePage *self)
{
  gtk_widget_grab_focus (GTK_WIDGET (self->area));
}

static void
on_way_selected (TlVolumePage *self)
{
  const guint row = gtk_drop_down_get_selected (self->way_drop);

  if (self->is_updating || row >= TL_N_VOLUME_WAYS)
    return;
  gtk_widget_activate_action (GTK_WIDGET (self), "app.volume-way", "s",
                              tl_volume_way_names[row]);
  give_keys_back (self);
}

static void
on_show_all (TlVolumePage *self)
{
  gtk_widget_activate_action (GTK_WIDGET (self), "app.volume-box", "(dddddd)",
                              0.0, 1.0, 0.0, 1.0, 0.0, 1.0);
  if (gtk_check_button_get_active (self->plane_check))
    gtk_widget_activate_action (GTK_WIDGET (self), "app.cut-plane", NULL);
}

static void
on_end_changed (TlVolumePage *self)
{
  GtkAdjustment *ends[N_ENDS];
  double parts[N_ENDS];

  if (self->is_updating)
    return;
  list_ends (self, ends);
  for (guint k = 0; k < N_ENDS; k++)
    parts[k] = gtk_adjustment_get_value (ends[k]) / 100;
  gtk_widget_activate_action (GTK_WIDGET (self), "app.volume-box", "(dddddd)",
                              parts[0], parts[1], parts[2], parts[3], parts[4],
                              parts[5]);
  update_look (self); /* in case it was refused */
}

static void
multiply_opacity (TlVolumePage *self, double factor)
{
  TlVolumeLook look = *tl_scene_get_look (self->scene);

  for (guint k = 0; k < look.n_points; k++)
    look.points[k].opacity = MIN (factor * look.points[k].opacity, 1);
  gtk_widget_activate_action_variant (GTK_WIDGET (self), "app.volume-transfer",
                                      tl_volume_look_list_points (&look));
}

static void
on_denser (TlVolumePage *self)
{
  multiply_opacity (self, 2);
}

static void
on_thinner (TlVolumePage *self)
{
  multiply_opacity (self, 0.5);
}

/* --- the widget --- */

static void
tl_volume_page_class_init (TlVolumePageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  g_type_ensure (TL_TYPE_FOLDING_BOX);
  g_type_ensure (TL_TYPE_VOLUME_AREA);
  g_type_ensure (TL_TYPE_TRANSFER_PLOT);
  gtk_widget_class_set_template_from_resource (
      widget_class, "/org/tomolens/Tomolens/volume-page.ui");
#define BIND(name)                                                             \
  gtk_widget_class_bind_template_child (widget_class, TlVolumePage, name)
  BIND (way_drop);
  BIND (threshold_box);
  BIND (transfer_button);
  BIND (transfer_plot);
  BIND (threshold_adjustment);
  BIND (first_col);
  BIND (last_col);
  BIND (first_row);
  BIND (last_row);
  BIND (first_slice);
  BIND (last_slice);
  BIND (plane_check);
  BIND (words_label);
  BIND (progress_bar);
  BIND (area);
#undef BIND
  gtk_widget_class_bind_template_callback (widget_class, on_denser);
  gtk_widget_class_bind_template_callback (widget_class, on_thinner);
  gtk_widget_class_bind_template_callback (widget_class, on_show_all);
  gtk_widget_class_bind_template_callback (widget_class, give_keys_back);
  gtk_widget_class_set_accessible_role (widget_class,
                                        GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
tl_volume_page_init (TlVolumePage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  tl_widget_name (self, _ ("Volume"));
}

void
tl_volume_page_bind (TlVolumePage *self, TlView *view, GActionGroup *actions)
{
  GtkAdjustment *ends[N_ENDS];

  g_return_if_fail (self->scene == NULL);

  self->scene =
      tl_keep (self, tl_session_get_scene (tl_view_get_session (view)));
  tl_volume_area_bind (self->area, view);
  tl_transfer_plot_bind (self->transfer_plot, self->scene);
  tl_control_adopt (GTK_WIDGET (self), view);
  tl_control_bind_number (self->threshold_adjustment, actions,
                          "volume-threshold");
  tl_control_name_rows (self->way_drop);
  tl_follow (self->scene, "look", G_CALLBACK (update_look), self);
  tl_follow (self->scene, "in-box busy progress problem",
             G_CALLBACK (update_words), self);
  update_look (self);
  update_words (self);
  tl_follow (self->way_drop, "selected", G_CALLBACK (on_way_selected), self);
  list_ends (self, ends);
  for (guint k = 0; k < N_ENDS; k++)
    tl_follow (ends[k], "value", G_CALLBACK (on_end_changed), self);
}

TlVolumeArea *
tl_volume_page_get_area (TlVolumePage *self)
{
  return self->area;
}
