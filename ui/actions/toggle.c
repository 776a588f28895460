#include "ui/actions/toggle.h"

#include <string.h>

/* Lives as data of the action that it is. */
typedef struct
{
  GActionGroup *group; /* not owned: has the action */
  char *of, *off, *last;
} Toggle;

static void
toggle_free (gpointer data)
{
  Toggle *toggle = data;

  g_free (toggle->of);
  g_free (toggle->off);
  g_free (toggle->last);
  g_free (toggle);
}

static void
update (GSimpleAction *action)
{
  Toggle *toggle = g_object_get_data (G_OBJECT (action), "tl-toggle");
  g_autoptr (GVariant) state =
      g_action_group_get_action_state (toggle->group, toggle->of);
  const char *word = g_variant_get_string (state, NULL);
  const gboolean on = strcmp (word, toggle->off) != 0;

  if (on)
    {
      g_free (toggle->last);
      toggle->last = g_strdup (word);
    }
  g_simple_action_set_state (action, g_variant_new_boolean (on));
}

static void
change (GSimpleAction *action, GVariant *value, gpointer data)
{
  Toggle *toggle = data;

  g_action_group_activate_action (
      toggle->group, toggle->of,
      g_variant_new_string (g_variant_get_boolean (value) ? toggle->last
                                                          : toggle->off));
}

void
tl_toggle_add (GActionMap *map, const char *name, const char *of,
               const char *off, const char *first)
{
  g_autoptr (GSimpleAction) action =
      g_simple_action_new_stateful (name, NULL, g_variant_new_boolean (FALSE));
  g_autofree char *signal = g_strconcat ("action-state-changed::", of, NULL);
  Toggle *toggle = g_new (Toggle, 1);

  g_return_if_fail (G_IS_ACTION_GROUP (map));

  *toggle = (Toggle){ .group = G_ACTION_GROUP (map),
                      .of = g_strdup (of),
                      .off = g_strdup (off),
                      .last = g_strdup (first) };
  g_object_set_data_full (G_OBJECT (action), "tl-toggle", toggle, toggle_free);
  g_signal_connect (action, "change-state", G_CALLBACK (change), toggle);
  g_signal_connect_object (map, signal, G_CALLBACK (update), action,
                           G_CONNECT_SWAPPED);
  g_action_map_add_action (map, G_ACTION (action));
  update (action);
}
