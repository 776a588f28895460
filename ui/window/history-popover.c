#include "ui/window/history-popover.h"

#include "ui/view/widget.h"

#define ACTION "history-go"

struct _TlHistoryPopover
{
  GtkPopover parent_instance;

  GActionGroup *actions;
  GtkListBox *list;
};

G_DEFINE_FINAL_TYPE (TlHistoryPopover, tl_history_popover, GTK_TYPE_POPOVER)

/* --- the rows --- */

static void
add_row (TlHistoryPopover *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  GtkWidget *words = gtk_label_new (NULL);
  GtkWidget *tick = gtk_image_new_from_icon_name ("object-select-symbolic");

  gtk_label_set_xalign (GTK_LABEL (words), 0);
  gtk_label_set_ellipsize (GTK_LABEL (words), PANGO_ELLIPSIZE_END);
  gtk_widget_set_hexpand (words, TRUE);
  gtk_box_append (GTK_BOX (box), words);
  gtk_box_append (GTK_BOX (box), tick);
  gtk_list_box_append (self->list, box);
}

static void
update_row (GtkListBoxRow *row, const char *text, int place)
{
  GtkWidget *words =
      gtk_widget_get_first_child (gtk_list_box_row_get_child (row));
  GtkWidget *tick = gtk_widget_get_next_sibling (words);

  gtk_label_set_text (GTK_LABEL (words), text);
  gtk_widget_set_tooltip_text (GTK_WIDGET (row), text);
  tl_widget_name (row, text);
  gtk_widget_set_opacity (tick, place == 0);
  if (place > 0) /* undone */
    gtk_widget_add_css_class (words, "dim-label");
  else
    gtk_widget_remove_css_class (words, "dim-label");
  gtk_accessible_update_state (GTK_ACCESSIBLE (row),
                               GTK_ACCESSIBLE_STATE_SELECTED, place == 0, -1);
}

static guint
get_present (TlHistoryPopover *self)
{
  g_autoptr (GVariant) state =
      g_action_group_get_action_state (self->actions, ACTION);

  return g_variant_get_uint32 (state);
}

/* Updates row by row, so that the row with the focus keeps it. */
static void
update (TlHistoryPopover *self)
{
  g_autoptr (GVariant) hint =
      g_action_group_get_action_state_hint (self->actions, ACTION);
  g_autofree const char **steps = g_variant_get_strv (hint, NULL);
  guint present = get_present (self);
  guint n = g_strv_length ((char **)steps);
  GtkListBoxRow *row;

  for (guint i = 0; i < n; i++)
    {
      if (gtk_list_box_get_row_at_index (self->list, (int)i) == NULL)
        add_row (self);
      row = gtk_list_box_get_row_at_index (self->list, (int)i);
      update_row (row, steps[i], (int)i - (int)present);
    }
  while ((row = gtk_list_box_get_row_at_index (self->list, (int)n)) != NULL)
    gtk_list_box_remove (self->list, GTK_WIDGET (row));
}

/* Moves the focus to the present step, which also scrolls to it. */
static void
focus_present (TlHistoryPopover *self)
{
  GtkListBoxRow *row =
      gtk_list_box_get_row_at_index (self->list, (int)get_present (self));

  if (row != NULL)
    gtk_widget_grab_focus (GTK_WIDGET (row));
}

/* The list is updated only while the popover is visible. */
static void
on_state (TlHistoryPopover *self)
{
  if (!gtk_widget_get_mapped (GTK_WIDGET (self)))
    return;
  update (self);
  focus_present (self);
}

static void
on_activated (TlHistoryPopover *self, GtkListBoxRow *row)
{
  g_action_group_activate_action (
      self->actions, ACTION,
      g_variant_new_uint32 ((guint32)gtk_list_box_row_get_index (row)));
}

/* --- the widget --- */

static void
tl_history_popover_show (GtkWidget *widget)
{
  TlHistoryPopover *self = TL_HISTORY_POPOVER (widget);

  update (self);
  GTK_WIDGET_CLASS (tl_history_popover_parent_class)->show (widget);
  focus_present (self);
}

static void
tl_history_popover_class_init (TlHistoryPopoverClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->show = tl_history_popover_show;
  gtk_widget_class_set_template_from_resource (
      widget_class, "/org/tomolens/Tomolens/history-popover.ui");
  gtk_widget_class_bind_template_child (widget_class, TlHistoryPopover, list);
  gtk_widget_class_bind_template_callback (widget_class, on_activated);
}

static void
tl_history_popover_init (TlHistoryPopover *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

void
tl_history_popover_bind (TlHistoryPopover *self, GActionGroup *actions)
{
  g_return_if_fail (self->actions == NULL);

  self->actions = tl_keep (self, actions);
  g_signal_connect_object (actions, "action-state-changed::" ACTION,
                           G_CALLBACK (on_state), self, G_CONNECT_SWAPPED);
}
