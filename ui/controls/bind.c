#include "ui/controls/bind.h"

#include "app/recipe/recipe.h"
#include "ui/controls/control.h"
#include "ui/controls/free-text.h"
#include "ui/view/widget.h"

#include <glib/gi18n.h>
#include <math.h>

/* A control needs a limit also if the parameter has none. */
#define NO_LIMIT 1e6

/* A widget of the template has an id; a widget of add_row() has a widget name.
 *
 * Returns: (transfer full) (nullable): "ring-size" of "ring_size_spin", which
 *   is of the @kind "spin" */
static char *
dup_name (GtkWidget *widget, const char **kind)
{
  const char *id = gtk_buildable_get_buildable_id (GTK_BUILDABLE (widget));
  const char *name = id != NULL ? id : gtk_widget_get_name (widget);
  const char *end = strrchr (name, '_');

  if (end == NULL)
    return NULL;
  *kind = end + 1;
  return g_strdelimit (g_strndup (name, (gsize)(end - name)), "_", '-');
}

/* --- limits and tooltip from the descriptor --- */

/* 0 stands for a quantity that is not given. */
static double
get_lower (const TlParamSpec *parameter)
{
  if (parameter->type == TL_PARAMETER_QUANTITY)
    return 0;
  return parameter->is_above
             ? parameter->min + pow (10, -(int)parameter->digits)
             : parameter->min;
}

static void
set_limits (GtkAdjustment *adjustment, const TlParamSpec *parameter)
{
  const double lower = get_lower (parameter);

  gtk_adjustment_configure (adjustment, lower, lower,
                            parameter->max != 0 ? parameter->max : NO_LIMIT,
                            parameter->step, parameter->page, 0);
}

static void
describe_control (GtkWidget *control, const TlParamSpec *parameter)
{
  gtk_widget_set_tooltip_text (control, parameter->explanation != NULL
                                            ? _ (parameter->explanation)
                                            : NULL);
  tl_widget_name (control, _ (parameter->title));
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
describe (GtkWidget *widget, const char *kind, const TlParamSpec *parameter)
{
  if (strcmp (kind, "label") == 0)
    gtk_label_set_label (GTK_LABEL (widget), _ (parameter->label));
  else if (strcmp (kind, "unit") == 0)
    {
      /* the unit of some depends on the scan, and is set elsewhere */
      if (parameter->unit != NULL)
        gtk_label_set_label (GTK_LABEL (widget), _ (parameter->unit));
    }
  else if (parameter->title != NULL)
    describe_control (widget, parameter);
}

/* --- rows of numbers --- */

static void
attach (GtkWidget *grid, GtkWidget *widget, int col, int row,
        const TlParamSpec *parameter, const char *kind)
{
  g_autofree char *name = g_strconcat (parameter->key, "_", kind, NULL);

  gtk_widget_set_name (widget, g_strdelimit (name, "-", '_'));
  gtk_grid_attach (GTK_GRID (grid), widget, col, row, 1, 1);
}

static void
add_row (GtkWidget *grid, int row, const TlParamSpec *parameter)
{
  GtkAdjustment *adjustment = gtk_adjustment_new (0, 0, 0, 0, 0, 0);
  GtkWidget *label = gtk_label_new (NULL);
  GtkWidget *spin = gtk_spin_button_new (adjustment, 1, 0);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  attach (grid, label, 0, row, parameter, "label");
  gtk_editable_set_width_chars (GTK_EDITABLE (spin), 7);
  gtk_widget_set_hexpand (spin, TRUE);
  attach (grid, spin, 1, row, parameter, "spin");
  if (parameter->unit != NULL)
    {
      GtkWidget *unit = gtk_label_new (NULL);

      gtk_label_set_xalign (GTK_LABEL (unit), 0);
      attach (grid, unit, 2, row, parameter, "unit");
    }
}

static gboolean
is_number (const TlParamSpec *parameter)
{
  return parameter->type == TL_PARAMETER_COUNT
         || parameter->type == TL_PARAMETER_NUMBER
         || parameter->type == TL_PARAMETER_QUANTITY;
}

/* A row is visible while the chosen value uses its parameter. */
static void
update_rows (GtkWidget *grid, GParamSpec *pspec, TlParameters *parameters)
{
  const TlRecipe *recipe = tl_parameters_get_recipe (parameters);
  gboolean is_any_visible = FALSE;

  for (GtkWidget *child = gtk_widget_get_first_child (grid); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      const char *kind;
      g_autofree char *key = dup_name (child, &kind);
      const TlParamSpec *parameter = tl_recipe_find_key (key, NULL);
      gboolean is_visible = parameter->of_name == NULL
                            || tl_recipe_is_relevant (recipe, parameter);

      gtk_widget_set_visible (child, is_visible);
      is_any_visible |= is_visible;
    }
  gtk_widget_set_visible (grid, is_any_visible);
}

/* Returns: whether the grid @name of @kind has a row for @parameter */
static gboolean
has_row (const char *name, const char *kind, const TlParamSpec *parameter)
{
  if (!is_number (parameter) || parameter->label == NULL)
    return FALSE;
  if (parameter->of != NULL)
    return strcmp (parameter->of, name) == 0;
  return strcmp (kind, "rows") == 0
         && strcmp (tl_stage_names[parameter->stage], name) == 0;
}

static void
fill_grid (GtkWidget *grid, const char *name, const char *kind,
           TlParameters *parameters)
{
  size_t n;
  const TlParamSpec *list = tl_recipe_list_keys (&n);
  int row = 0;

  for (size_t i = 0; i < n; i++)
    if (has_row (name, kind, &list[i]))
      add_row (grid, row++, &list[i]);
  tl_follow (parameters, "recipe", G_CALLBACK (update_rows), grid);
  update_rows (grid, NULL, parameters);
}

/* --- binding to the action --- */

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

  if (name == NULL)
    return;
  if (strcmp (kind, "details") == 0 || strcmp (kind, "rows") == 0)
    {
      fill_grid (widget, name, kind, tl_view_get_session (view)->parameters);
      return;
    }
  const TlParamSpec *parameter = tl_recipe_find_key (name, NULL);
  if (parameter != NULL)
    describe (widget, kind, parameter);
  if (g_action_group_has_action (actions, name))
    bind (widget, view, actions, name);
}

static void
bind_all (GtkWidget *widget, TlView *view, GActionGroup *actions)
{
  bind_widget (widget, view, actions);
  /* a folded expander does not list its child among its children */
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
  bind_all (root, view, actions);
  tl_control_adopt (root, view);
}
