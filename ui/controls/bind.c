#include "ui/controls/bind.h"

#include "app/recipe/recipe.h"
#include "ui/controls/control.h"
#include "ui/controls/free-text.h"

#include <glib/gi18n.h>
#include <math.h>

/* A control needs an end where the parameter has none. */
#define NO_LIMIT 1e6

/* Returns: (transfer full) (nullable): "ring-size" of "ring_size_spin", which
 * is of the @kind "spin" */
static char *
dup_name (GtkWidget *widget, const char **kind)
{
  const char *id = gtk_buildable_get_buildable_id (GTK_BUILDABLE (widget));
  const char *end = id != NULL ? strrchr (id, '_') : NULL;

  if (end == NULL)
    return NULL;
  *kind = end + 1;
  return g_strdelimit (g_strndup (id, (gsize)(end - id)), "_", '-');
}

/* -- from the descriptor -------------------------------------------------- */

/* 0 stands for a quantity that is not given. */
static double
get_lower (const TlParameter *parameter)
{
  if (parameter->type == TL_PARAMETER_QUANTITY)
    return 0;
  return parameter->is_above
             ? parameter->min + pow (10, -(int)parameter->digits)
             : parameter->min;
}

static void
set_limits (GtkAdjustment *adjustment, const TlParameter *parameter)
{
  const double lower = get_lower (parameter);

  gtk_adjustment_configure (adjustment, lower, lower,
                            parameter->max != 0 ? parameter->max : NO_LIMIT,
                            parameter->step, parameter->page, 0);
}

static void
describe_control (GtkWidget *control, const TlParameter *parameter)
{
  gtk_widget_set_tooltip_text (control, parameter->explanation != NULL
                                            ? _ (parameter->explanation)
                                            : NULL);
  gtk_accessible_update_property (GTK_ACCESSIBLE (control),
                                  GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ (parameter->title), -1);
  if (GTK_IS_SPIN_BUTTON (control))
    {
      GtkSpinButton *spin = GTK_SPIN_BUTTON (control);

      gtk_spin_button_set_digits (spin, parameter->digits);
      set_limits (gtk_spin_button_get_adjustment (spin), parameter);
    }
  else if (GTK_IS_RANGE (control))
    {
      gtk_range_set_round_digits (GTK_RANGE (control), (int)parameter->digits);
      set_limits (gtk_range_get_adjustment (GTK_RANGE (control)), parameter);
    }
  else if (GTK_IS_CHECK_BUTTON (control))
    {
      g_autofree char *action = g_strconcat ("app.", parameter->key, NULL);

      gtk_check_button_set_label (GTK_CHECK_BUTTON (control),
                                  _ (parameter->label));
      gtk_actionable_set_action_name (GTK_ACTIONABLE (control), action);
    }
}

static void
update_row (GtkWidget *row, GParamSpec *pspec, TlParameters *parameters)
{
  const char *kind;
  g_autofree char *key = dup_name (row, &kind);

  gtk_widget_set_visible (
      row, tl_recipe_is_relevant (tl_parameters_get_recipe (parameters),
                                  tl_recipe_find_key (key, NULL)));
}

static void
describe (GtkWidget *widget, const char *kind, const TlParameter *parameter,
          TlParameters *parameters)
{
  if (strcmp (kind, "row") == 0)
    {
      g_signal_connect_object (parameters, "notify::recipe",
                               G_CALLBACK (update_row), widget,
                               G_CONNECT_SWAPPED);
      update_row (widget, NULL, parameters);
    }
  else if (strcmp (kind, "label") == 0)
    gtk_label_set_label (GTK_LABEL (widget), _ (parameter->label));
  else if (strcmp (kind, "unit") == 0)
    gtk_label_set_label (GTK_LABEL (widget), _ (parameter->unit));
  else if (parameter->title != NULL)
    describe_control (widget, parameter);
}

/* -- to the action -------------------------------------------------------- */

static void
bind (GtkWidget *control, TlView *view, GActionGroup *actions, const char *name)
{
  if (GTK_IS_SPIN_BUTTON (control))
    tl_control_bind_number (
        gtk_spin_button_get_adjustment (GTK_SPIN_BUTTON (control)), actions,
        name);
  else if (GTK_IS_RANGE (control))
    tl_control_bind_number (gtk_range_get_adjustment (GTK_RANGE (control)),
                            actions, name);
  else if (GTK_IS_DROP_DOWN (control))
    tl_control_bind_choice (GTK_DROP_DOWN (control), actions, name);
  else if (GTK_IS_ENTRY (control))
    tl_free_text_bind (GTK_ENTRY (control), view, actions, name);
}

static void
bind_widget (GtkWidget *widget, TlView *view, GActionGroup *actions)
{
  const char *kind;
  g_autofree char *name = dup_name (widget, &kind);
  const TlParameter *parameter =
      name != NULL ? tl_recipe_find_key (name, NULL) : NULL;

  if (parameter != NULL)
    describe (widget, kind, parameter,
              tl_session_get_parameters (tl_view_get_session (view)));
  if (name != NULL && g_action_group_has_action (actions, name))
    bind (widget, view, actions, name);
}

static void
bind_all (GtkWidget *widget, TlView *view, GActionGroup *actions)
{
  bind_widget (widget, view, actions);
  /* what is folded away is no child of any child */
  if (GTK_IS_EXPANDER (widget))
    bind_all (gtk_expander_get_child (GTK_EXPANDER (widget)), view, actions);
  else if (!GTK_IS_DROP_DOWN (widget))
    for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
         child = gtk_widget_get_next_sibling (child))
      bind_all (child, view, actions);
}

void
tl_controls_bind (GtkWidget *root, TlView *view, GActionGroup *actions)
{
  tl_control_adopt (root, view);
  bind_all (root, view, actions);
}
