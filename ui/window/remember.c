#include "ui/window/remember.h"

#include "ui/desktop/settings.h"

/* --- actions --- */

static const char *const keys[] = { "colormap", "sharp-zoom", "seek-centre" };

static void
on_state (GActionGroup *actions, const char *key, GVariant *state)
{
  g_autoptr (GVariant) old =
      tl_settings_get () != NULL
          ? g_settings_get_value (tl_settings_get (), key)
          : NULL;

  if (old != NULL && !g_variant_equal (old, state))
    g_settings_set_value (tl_settings_get (), key, state);
}

/* Another window, or the user's "forget", has changed the key. */
static void
on_key (GSettings *settings, const char *key, GActionGroup *actions)
{
  g_autoptr (GVariant) value = g_settings_get_value (settings, key);
  g_autoptr (GVariant) state = g_action_group_get_action_state (actions, key);

  if (!g_variant_equal (value, state))
    g_action_group_change_action_state (actions, key, value);
}

void
tl_remember_actions (GActionGroup *actions)
{
  if (tl_settings_get () == NULL)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    {
      g_autoptr (GVariant) value =
          g_settings_get_value (tl_settings_get (), keys[i]);
      g_autofree char *signal =
          g_strconcat ("action-state-changed::", keys[i], NULL);
      g_autofree char *changed = g_strconcat ("changed::", keys[i], NULL);

      g_action_group_change_action_state (actions, keys[i], value);
      g_signal_connect (actions, signal, G_CALLBACK (on_state), NULL);
      g_signal_connect_object (tl_settings_get (), changed, G_CALLBACK (on_key),
                               actions, 0);
    }
}

/* --- groups of the panel --- */

static const char *
get_id (gpointer expander)
{
  return gtk_buildable_get_buildable_id (GTK_BUILDABLE (expander));
}

static void
on_expanded (GtkExpander *expander)
{
  GSettings *settings = tl_settings_get ();
  const gboolean is_expanded = gtk_expander_get_expanded (expander);
  g_autoptr (GStrvBuilder) ids = g_strv_builder_new ();
  g_auto (GStrv) old = NULL;
  g_auto (GStrv) unfolded = NULL;

  if (settings == NULL)
    return;
  old = g_settings_get_strv (settings, "unfolded");
  if (g_strv_contains ((const char *const *)old, get_id (expander))
      == is_expanded)
    return; /* it follows the setting */
  for (char **id = old; *id != NULL; id++)
    if (strcmp (*id, get_id (expander)) != 0)
      g_strv_builder_add (ids, *id);
  if (is_expanded)
    g_strv_builder_add (ids, get_id (expander));
  unfolded = g_strv_builder_end (ids);
  g_settings_set_strv (settings, "unfolded", (const char *const *)unfolded);
}

/* The user's "forget" has changed the groups; here it has no other cause. */
static void
on_unfolded (GSettings *settings, const char *key, GtkExpander *expander)
{
  g_auto (GStrv) unfolded = g_settings_get_strv (settings, key);

  gtk_expander_set_expanded (
      expander,
      g_strv_contains ((const char *const *)unfolded, get_id (expander)));
}

/* Those of the class "details": others fold away what belongs to one scan. */
static void
remember_groups (GtkWidget *root, const char *const *unfolded)
{
  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (GTK_IS_EXPANDER (child) && gtk_widget_has_css_class (child, "details"))
      {
        gtk_expander_set_expanded (GTK_EXPANDER (child),
                                   g_strv_contains (unfolded, get_id (child)));
        g_signal_connect (child, "notify::expanded", G_CALLBACK (on_expanded),
                          NULL);
        g_signal_connect_object (tl_settings_get (), "changed::unfolded",
                                 G_CALLBACK (on_unfolded), child, 0);
      }
    else
      remember_groups (child, unfolded);
}

/* --- the window --- */

/* The screen may be a smaller one than last time. */
static void
set_size (GtkWindow *window, int width, int height)
{
  GListModel *monitors = gdk_display_get_monitors (gdk_display_get_default ());
  GdkRectangle most = { 0 };
  for (guint i = 0; i < g_list_model_get_n_items (monitors); i++)
    {
      g_autoptr (GdkMonitor) monitor = g_list_model_get_item (monitors, i);
      GdkRectangle area;
      gdk_monitor_get_geometry (monitor, &area);
      most.width = MAX (most.width, area.width);
      most.height = MAX (most.height, area.height);
    }
  if (most.width > 0)
    width = MIN (width, most.width);
  if (most.height > 0)
    height = MIN (height, most.height);
  gtk_window_set_default_size (window, width, height);
}

void
tl_remember_window (GtkWindow *window, GtkWidget *panel)
{
  GSettings *settings = tl_settings_get ();
  g_auto (GStrv) unfolded = NULL;
  int width, height;

  if (settings == NULL)
    return;
  g_settings_get (settings, "window-size", "(ii)", &width, &height);
  if (width > 0 && height > 0)
    set_size (window, width, height);
  if (g_settings_get_boolean (settings, "maximized"))
    gtk_window_maximize (window);
  unfolded = g_settings_get_strv (settings, "unfolded");
  remember_groups (panel, (const char *const *)unfolded);
}

void
tl_remember_size (GtkWindow *window)
{
  GSettings *settings = tl_settings_get ();
  int width, height;

  if (settings == NULL)
    return;
  gtk_window_get_default_size (window, &width, &height);
  g_settings_set (settings, "window-size", "(ii)", width, height);
  g_settings_set_boolean (settings, "maximized",
                          gtk_window_is_maximized (window));
}
