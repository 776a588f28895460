#include "ui/controls/control.h"

#include "app/recipe/number.h"
#include "ui/controls/refused.h"
#include "app/recipe/words.h"
#include "ui/view/widget.h"

#include <glib/gi18n.h>
#include <math.h>

/* Data of the control, freed with it. */
typedef struct
{
  GObject *control; /* not owned */
  GActionGroup *group;
  char *action;
  gboolean updating; /* the action sets the control, not the user */
  GVariant *choices; /* (nullable): of a drop-down: the hint that it shows */
} Binding;

static void
binding_free (gpointer data)
{
  Binding *binding = data;

  g_object_unref (binding->group);
  g_clear_pointer (&binding->choices, g_variant_unref);
  g_free (binding->action);
  g_free (binding);
}

static Binding *
binding_new (gpointer control, GActionGroup *group, const char *action,
             void (*update) (GObject *control))
{
  Binding *binding = g_new0 (Binding, 1);
  g_autofree char *signal =
      g_strconcat ("action-state-changed::", action, NULL);

  binding->control = control;
  binding->group = g_object_ref (group);
  binding->action = g_strdup (action);
  g_object_set_data_full (control, "tl-binding", binding, binding_free);
  g_signal_connect_object (group, signal, G_CALLBACK (update), control,
                           G_CONNECT_SWAPPED);
  return binding;
}

static Binding *
get_binding (gpointer control)
{
  return g_object_get_data (control, "tl-binding");
}

/* --- numbers --- */

static double
get_number (GVariant *variant)
{
  return g_variant_is_of_type (variant, G_VARIANT_TYPE_UINT32)
             ? g_variant_get_uint32 (variant)
             : g_variant_get_double (variant);
}

static void
update_number (GObject *control)
{
  GtkAdjustment *adjustment = GTK_ADJUSTMENT (control);
  Binding *binding = get_binding (control);
  g_autoptr (GVariant) state =
      g_action_group_get_action_state (binding->group, binding->action);
  g_autoptr (GVariant) hint =
      g_action_group_get_action_state_hint (binding->group, binding->action);
  double lower = gtk_adjustment_get_lower (adjustment);
  double upper = gtk_adjustment_get_upper (adjustment);

  if (hint != NULL)
    {
      g_autoptr (GVariant) first = g_variant_get_child_value (hint, 0);
      g_autoptr (GVariant) last = g_variant_get_child_value (hint, 1);

      lower = get_number (first);
      upper = get_number (last);
    }
  binding->updating = TRUE;
  gtk_adjustment_configure (adjustment, get_number (state), lower, upper,
                            gtk_adjustment_get_step_increment (adjustment),
                            gtk_adjustment_get_page_increment (adjustment), 0);
  binding->updating = FALSE;
}

static gboolean
is_whole (Binding *binding)
{
  return g_variant_type_equal (g_action_group_get_action_parameter_type (
                                   binding->group, binding->action),
                               G_VARIANT_TYPE_UINT32);
}

static GVariant *
new_number (Binding *binding, double value)
{
  return is_whole (binding) ? g_variant_new_uint32 ((guint32)(value + 0.5))
                            : g_variant_new_double (value);
}

/* The value is a sum of steps. An action that refuses it sets the old one, for
 * which the signal is emitted again. The comparison with the state ends that.
 */
static void
on_value_changed (GtkAdjustment *adjustment, Binding *binding)
{
  g_autoptr (GVariant) state =
      g_action_group_get_action_state (binding->group, binding->action);
  double value = gtk_adjustment_get_value (adjustment);

  if (!binding->updating && value != get_number (state))
    g_action_group_activate_action (
        binding->group, binding->action,
        new_number (binding, tl_number_round (value)));
}

void
tl_control_bind_number (GtkAdjustment *adjustment, GActionGroup *group,
                        const char *action)
{
  Binding *binding = binding_new (adjustment, group, action, update_number);

  g_signal_connect (adjustment, "value-changed", G_CALLBACK (on_value_changed),
                    binding);
  update_number (G_OBJECT (adjustment));
}

/* --- typing --- */

char *
tl_control_read_decimals (const char *text)
{
  return g_strdelimit (g_strstrip (g_strdup (text)), ",", '.');
}

static gboolean
parse_number (const char *typed, double *number)
{
  g_autofree char *text = tl_control_read_decimals (typed);
  char *end;

  *number = g_ascii_strtod (text, &end);
  if (end == text)
    return FALSE;
  return *end == '\0' && isfinite (*number);
}

/* Data of a spin button, a double; without it the factor is 1. */
#define FACTOR "tl-factor"

static double
get_factor (GtkSpinButton *spin)
{
  const double *factor = g_object_get_data (G_OBJECT (spin), FACTOR);

  return factor != NULL ? *factor : 1;
}

static char *
format_shown (GtkSpinButton *spin)
{
  return g_strdup_printf ("%.*f", (int)gtk_spin_button_get_digits (spin),
                          gtk_spin_button_get_value (spin) * get_factor (spin));
}

static void
show_value (GtkSpinButton *spin)
{
  g_autofree char *shown = format_shown (spin);

  if (strcmp (gtk_editable_get_text (GTK_EDITABLE (spin)), shown) != 0)
    gtk_editable_set_text (GTK_EDITABLE (spin), shown);
}

void
tl_control_set_factor (GtkSpinButton *spin, double factor)
{
  if (factor == get_factor (spin))
    return;
  g_object_set_data_full (G_OBJECT (spin), FACTOR,
                          g_memdup2 (&factor, sizeof factor), g_free);
  show_value (spin);
}

gboolean
tl_control_is_edited (GtkWidget *control)
{
  g_autofree char *shown = NULL;

  if (!GTK_IS_SPIN_BUTTON (control)
      || get_binding (
             gtk_spin_button_get_adjustment (GTK_SPIN_BUTTON (control)))
             == NULL)
    return FALSE;
  shown = format_shown (GTK_SPIN_BUTTON (control));
  return strcmp (gtk_editable_get_text (GTK_EDITABLE (control)), shown) != 0;
}

/* The keys that follow are for the picture, unless the number is refused.
 * Returns: %FALSE in a dialog, which handles the key itself */
static gboolean
accept_number (GtkSpinButton *spin)
{
  gtk_spin_button_update (spin);
  return !tl_refused_is_marked (GTK_WIDGET (spin))
         && gtk_widget_activate_action (GTK_WIDGET (spin), "win.leave-field",
                                        NULL);
}

/* Escape and Ctrl+Z put the value back while the user still edits the text. At
 * other times Ctrl+Z undoes a step of the history. */
static gboolean
on_spin_key (GtkEditable *spin, guint keyval, guint keycode,
             GdkModifierType state)
{
  const GdkModifierType held =
      state & (GDK_CONTROL_MASK | GDK_SHIFT_MASK | GDK_ALT_MASK);
  g_autofree char *shown = format_shown (GTK_SPIN_BUTTON (spin));

  if ((keyval == GDK_KEY_Return || keyval == GDK_KEY_KP_Enter) && held == 0)
    return accept_number (GTK_SPIN_BUTTON (spin));
  if (!(keyval == GDK_KEY_Escape && held == 0)
      && !(keyval == GDK_KEY_z && held == GDK_CONTROL_MASK))
    return GDK_EVENT_PROPAGATE;
  if (!tl_control_is_edited (GTK_WIDGET (spin)))
    return GDK_EVENT_PROPAGATE;
  if (tl_refused_is_marked (GTK_WIDGET (spin)))
    gtk_widget_activate_action (GTK_WIDGET (spin), "app.dismiss", NULL);
  gtk_editable_set_text (spin, shown);
  gtk_editable_set_position (spin, -1);
  if (keyval == GDK_KEY_Escape)
    gtk_widget_activate_action (GTK_WIDGET (spin), "win.leave-field", NULL);
  return GDK_EVENT_STOP;
}

static void
add_spin_keys (GtkWidget *spin)
{
  GtkEventController *keys = gtk_event_controller_key_new ();

  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  g_signal_connect_swapped (keys, "key-pressed", G_CALLBACK (on_spin_key),
                            spin);
  gtk_widget_add_controller (spin, keys);
}

/* A spin button reads its text whenever the focus leaves it. Text that was not
 * edited stands for the value itself, not for its rounding. Text that was
 * refused is not sent again. An action may refuse a number with a reason. */
static int
on_input (GtkSpinButton *spin, double *value, TlView *view)
{
  GtkAdjustment *adjustment = gtk_spin_button_get_adjustment (spin);
  Binding *binding = get_binding (adjustment);
  g_autofree char *text =
      g_strdup (gtk_editable_get_text (GTK_EDITABLE (spin)));
  g_autofree char *reason = NULL;
  double typed;

  if (tl_refused_is_marked (GTK_WIDGET (spin)))
    return GTK_INPUT_ERROR;
  if (tl_control_is_edited (GTK_WIDGET (spin)))
    {
      tl_view_set_problem (view, NULL);
      if (!parse_number (text, &typed))
        reason = g_strdup_printf (_ ("“%s” is not a number"), text);
      else
        {
          typed /= get_factor (spin);
          if (!is_whole (binding) || (typed >= 0 && typed <= G_MAXINT32))
            g_action_group_activate_action (binding->group, binding->action,
                                            new_number (binding, typed));
          reason = g_strdup (tl_view_get_problem (view));
          /* the limits of some are those of the value that was accepted */
          const double lower = gtk_adjustment_get_lower (adjustment);
          const double upper = gtk_adjustment_get_upper (adjustment);
          if (reason == NULL && (typed < lower || typed > upper))
            reason = g_strdup_printf (_ ("%s is not from %g to %g"), text,
                                      lower * get_factor (spin),
                                      upper * get_factor (spin));
        }
    }
  if (reason != NULL)
    {
      tl_view_set_problem (view, reason);
      tl_refused_mark (GTK_WIDGET (spin), reason);
      return GTK_INPUT_ERROR;
    }
  *value = gtk_adjustment_get_value (adjustment);
  return TRUE;
}

/* Leaves text that was refused as it is. Returns: %TRUE, because GTK would show
 * the value without its factor */
static gboolean
on_output (GtkSpinButton *spin)
{
  if (!tl_refused_is_marked (GTK_WIDGET (spin)))
    show_value (spin);
  return TRUE;
}

static void
on_typed (GtkWidget *spin)
{
  tl_refused_mark (spin, NULL);
}

/* A new value replaces the text that was refused. */
static void
on_moved (GtkSpinButton *spin)
{
  if (tl_refused_is_marked (GTK_WIDGET (spin)))
    show_value (spin);
}

/* The text that was refused would be taken for the value. */
static void
on_spin_left (GtkSpinButton *spin)
{
  gtk_spin_button_update (spin);
  on_moved (spin);
}

static void
adopt_spin (GtkSpinButton *spin, TlView *view)
{
  GtkEventController *focus = gtk_event_controller_focus_new ();

  gtk_spin_button_set_update_policy (spin, GTK_UPDATE_IF_VALID);
  /* the actions undo values; the entry would undo single characters */
  gtk_editable_set_enable_undo (GTK_EDITABLE (spin), FALSE);
  g_signal_connect_object (spin, "input", G_CALLBACK (on_input), view, 0);
  g_signal_connect (spin, "output", G_CALLBACK (on_output), NULL);
  g_signal_connect (spin, "changed", G_CALLBACK (on_typed), NULL);
  g_signal_connect_object (gtk_spin_button_get_adjustment (spin),
                           "value-changed", G_CALLBACK (on_moved), spin,
                           G_CONNECT_SWAPPED);
  g_signal_connect_swapped (focus, "leave", G_CALLBACK (on_spin_left), spin);
  gtk_widget_add_controller (GTK_WIDGET (spin), focus);
  add_spin_keys (GTK_WIDGET (spin));
}

/* Parts of a step that the wheel moves with Shift and with Ctrl. */
#define FINE_STEP 0.1
#define FINER_STEP 0.01

static gboolean
has_focus (GtkWidget *control)
{
  GtkWidget *focus = gtk_root_get_focus (gtk_widget_get_root (control));

  return focus != NULL
         && (focus == control || gtk_widget_is_ancestor (focus, control));
}

static gboolean
on_wheel (GtkEventController *wheel, double dx, double dy, gpointer data)
{
  GtkAdjustment *adjustment = data;
  GdkModifierType state = gtk_event_controller_get_current_event_state (wheel);
  double step = gtk_adjustment_get_step_increment (adjustment);

  if (!has_focus (gtk_event_controller_get_widget (wheel)))
    return GDK_EVENT_PROPAGATE;
  if (!is_whole (get_binding (adjustment)))
    {
      if ((state & GDK_CONTROL_MASK) != 0)
        step *= FINER_STEP;
      else if ((state & GDK_SHIFT_MASK) != 0)
        step *= FINE_STEP;
    }
  /* with Shift held, GTK may report a vertical wheel as a horizontal one */
  gtk_adjustment_set_value (adjustment, gtk_adjustment_get_value (adjustment)
                                            - (dx + dy) * step);
  return GDK_EVENT_STOP;
}

/* Replaces GTK's handler of the wheel on @control: while @control has the focus
 * the wheel moves @adjustment by a step, or by less with Shift and with Ctrl;
 * otherwise it scrolls the panel. @adjustment must be bound before the wheel
 * turns. */
static void
replace_wheel (GtkWidget *control, GtkAdjustment *adjustment)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (control);
  GtkEventController *wheel =
      gtk_event_controller_scroll_new (GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES
                                       | GTK_EVENT_CONTROLLER_SCROLL_DISCRETE);

  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GtkEventController) old =
          g_list_model_get_item (controllers, i);

      if (GTK_IS_EVENT_CONTROLLER_SCROLL (old))
        gtk_event_controller_set_propagation_phase (old, GTK_PHASE_NONE);
    }
  g_signal_connect (wheel, "scroll", G_CALLBACK (on_wheel), adjustment);
  gtk_widget_add_controller (control, wheel);
}

/* --- setting up --- */

void
tl_control_adopt (GtkWidget *root, TlView *view)
{
  if (GTK_IS_SPIN_BUTTON (root))
    {
      adopt_spin (GTK_SPIN_BUTTON (root), view);
      replace_wheel (root,
                     gtk_spin_button_get_adjustment (GTK_SPIN_BUTTON (root)));
    }
  else if (GTK_IS_SCALE (root))
    replace_wheel (root, gtk_range_get_adjustment (GTK_RANGE (root)));
  else if (GTK_IS_EXPANDER (root))
    {
      /* a folded expander does not list its child among its children */
      GtkWidget *inside = gtk_expander_get_child (GTK_EXPANDER (root));

      if (inside != NULL)
        tl_control_adopt (inside, view);
    }
  else
    for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL;
         child = gtk_widget_get_next_sibling (child))
      tl_control_adopt (child, view);
}

/* --- choices --- */

/* A row of the list: the word, why it cannot be chosen, and a tick. */
static void
set_up_row (GtkDropDown *drop_down, GtkListItem *item)
{
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  GtkWidget *word = gtk_label_new (NULL);
  GtkWidget *why = gtk_label_new (NULL);
  GtkWidget *tick = gtk_image_new_from_icon_name ("object-select-symbolic");

  gtk_widget_add_css_class (why, "why");
  gtk_widget_set_hexpand (why, TRUE);
  gtk_label_set_xalign (GTK_LABEL (why), 1);
  gtk_box_append (GTK_BOX (row), word);
  gtk_box_append (GTK_BOX (row), why);
  gtk_box_append (GTK_BOX (row), tick);
  gtk_list_item_set_child (item, row);
}

static gboolean
is_chosen (GtkListItem *item, GtkDropDown *drop_down)
{
  return gtk_list_item_get_position (item)
         == gtk_drop_down_get_selected (drop_down);
}

static void
update_tick (GtkListItem *item, GParamSpec *pspec, GtkDropDown *drop_down)
{
  GtkWidget *tick = gtk_widget_get_last_child (gtk_list_item_get_child (item));

  gtk_widget_set_opacity (tick, is_chosen (item, drop_down));
}

/* When the list opens, the arrow keys begin at the chosen row. The focus goes
 * to the widget that GTK puts around the row. */
static void
focus_chosen (GtkListItem *item, GtkWidget *row)
{
  GtkWidget *drop_down = gtk_widget_get_ancestor (row, GTK_TYPE_DROP_DOWN);

  if (is_chosen (item, GTK_DROP_DOWN (drop_down)))
    gtk_widget_grab_focus (gtk_widget_get_parent (row));
}

/* The focus goes to the widget that GTK puts around @row. */
static void
name_row (GtkWidget *row, const char *word, const char *reason)
{
  GtkWidget *focused = gtk_widget_get_parent (row);

  if (focused != NULL)
    gtk_accessible_update_property (
        GTK_ACCESSIBLE (focused), GTK_ACCESSIBLE_PROPERTY_LABEL, word,
        GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, reason, -1);
}

static void
bind_row (GtkDropDown *drop_down, GtkListItem *item)
{
  Binding *binding = get_binding (drop_down);
  GtkWidget *row = gtk_list_item_get_child (item);
  GtkWidget *word = gtk_widget_get_first_child (row);
  GtkWidget *why = gtk_widget_get_next_sibling (word);
  const char *text = gtk_string_object_get_string (
      GTK_STRING_OBJECT (gtk_list_item_get_item (item)));
  const char *reason = "";

  if (binding != NULL)
    g_variant_get_child (binding->choices, gtk_list_item_get_position (item),
                         "(&s&s)", NULL, &reason);
  gtk_label_set_text (GTK_LABEL (word), tl_value_get_words (text));
  gtk_label_set_text (GTK_LABEL (why), reason);
  name_row (row, tl_value_get_words (text), reason);
  gtk_widget_set_sensitive (row, *reason == '\0');
  gtk_list_item_set_activatable (item, *reason == '\0');
  update_tick (item, NULL, drop_down);
  tl_follow (drop_down, "selected", G_CALLBACK (update_tick), item);
  g_signal_connect_swapped (row, "map", G_CALLBACK (focus_chosen), item);
}

static void
unbind_row (GtkDropDown *drop_down, GtkListItem *item)
{
  g_signal_handlers_disconnect_by_func (drop_down, update_tick, item);
  g_signal_handlers_disconnect_by_func (gtk_list_item_get_child (item),
                                        focus_chosen, item);
}

void
tl_control_name_rows (GtkDropDown *drop_down)
{
  g_autoptr (GtkListItemFactory) rows = gtk_signal_list_item_factory_new ();

  g_signal_connect_object (rows, "setup", G_CALLBACK (set_up_row), drop_down,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (rows, "bind", G_CALLBACK (bind_row), drop_down,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (rows, "unbind", G_CALLBACK (unbind_row), drop_down,
                           G_CONNECT_SWAPPED);
  gtk_drop_down_set_list_factory (drop_down, rows);
}

/* --- the chosen word, in the button --- */

static void
set_up_button (GtkDropDown *drop_down, GtkListItem *item)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_list_item_set_child (item, label);
}

static void
bind_button (GtkDropDown *drop_down, GtkListItem *item)
{
  GtkStringObject *value = GTK_STRING_OBJECT (gtk_list_item_get_item (item));

  gtk_label_set_text (
      GTK_LABEL (gtk_list_item_get_child (item)),
      tl_value_get_words (gtk_string_object_get_string (value)));
}

void
tl_control_show_words (GtkDropDown *drop_down)
{
  g_autoptr (GtkListItemFactory) button = gtk_signal_list_item_factory_new ();

  g_signal_connect_object (button, "setup", G_CALLBACK (set_up_button),
                           drop_down, G_CONNECT_SWAPPED);
  g_signal_connect_object (button, "bind", G_CALLBACK (bind_button), drop_down,
                           G_CONNECT_SWAPPED);
  gtk_drop_down_set_factory (drop_down, button);
}

/* Builds another list only if words or reasons have changed. */
static void
update_list (GtkDropDown *drop_down, Binding *binding, GVariant *choices)
{
  g_autoptr (GtkStringList) list = NULL;
  const char *word;

  if (binding->choices != NULL && g_variant_equal (binding->choices, choices))
    return;
  g_clear_pointer (&binding->choices, g_variant_unref);
  binding->choices = g_variant_ref (choices);
  list = gtk_string_list_new (NULL);
  for (gsize i = 0; i < g_variant_n_children (choices); i++)
    {
      g_variant_get_child (choices, i, "(&s&s)", &word, NULL);
      gtk_string_list_append (list, word);
    }
  gtk_drop_down_set_model (drop_down, G_LIST_MODEL (list));
}

/* The focus goes to the button in @drop_down or to its list. Both need the name
 * of @drop_down and the chosen @word for a screen reader. */
static void
name_parts (GtkWidget *widget, GtkDropDown *drop_down, const char *word)
{
  if (GTK_IS_TOGGLE_BUTTON (widget) || GTK_IS_LIST_VIEW (widget))
    {
      gtk_accessible_update_relation (GTK_ACCESSIBLE (widget),
                                      GTK_ACCESSIBLE_RELATION_LABELLED_BY,
                                      drop_down, NULL, -1);
      gtk_accessible_update_property (GTK_ACCESSIBLE (widget),
                                      GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, word,
                                      -1);
      return;
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    name_parts (child, drop_down, word);
}

void
tl_control_name_choice (GtkDropDown *drop_down, const char *word)
{
  name_parts (GTK_WIDGET (drop_down), drop_down, tl_value_get_words (word));
}

static void
update_choice (GObject *control)
{
  GtkDropDown *drop_down = GTK_DROP_DOWN (control);
  Binding *binding = get_binding (control);
  g_autoptr (GVariant) state =
      g_action_group_get_action_state (binding->group, binding->action);
  g_autoptr (GVariant) hint =
      g_action_group_get_action_state_hint (binding->group, binding->action);
  const char *word;

  if (hint == NULL)
    return;
  binding->updating = TRUE;
  update_list (drop_down, binding, hint);
  for (gsize i = 0; i < g_variant_n_children (hint); i++)
    {
      g_variant_get_child (hint, i, "(&s&s)", &word, NULL);
      if (strcmp (word, g_variant_get_string (state, NULL)) == 0)
        gtk_drop_down_set_selected (drop_down, (guint)i);
    }
  binding->updating = FALSE;
  tl_control_name_choice (drop_down, g_variant_get_string (state, NULL));
}

static void
on_selected (GtkDropDown *drop_down, GParamSpec *pspec, Binding *binding)
{
  GtkStringObject *item = gtk_drop_down_get_selected_item (drop_down);

  if (!binding->updating && item != NULL)
    g_action_group_activate_action (
        binding->group, binding->action,
        g_variant_new_string (gtk_string_object_get_string (item)));
}

void
tl_control_bind_choice (GtkDropDown *drop_down, GActionGroup *group,
                        const char *action)
{
  Binding *binding = binding_new (drop_down, group, action, update_choice);

  tl_control_show_words (drop_down);
  tl_control_name_rows (drop_down);
  g_signal_connect (drop_down, "notify::selected", G_CALLBACK (on_selected),
                    binding);
  update_choice (G_OBJECT (drop_down));
}
