#include "ui/actions/edit-actions.h"

#include <glib/gi18n.h>
#include <gtk/gtk.h>

static GVariant *
list_steps (TlSession *session)
{
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE_STRING_ARRAY);
  for (guint i = 0; i < tl_session_get_n_steps (session); i++)
    g_variant_builder_add (&builder, "s",
                           tl_session_get_step_words (session, i));
  return g_variant_builder_end (&builder);
}

static void
update (GActionMap *map, GParamSpec *pspec, TlSession *session)
{
  guint step = tl_session_get_step (session);
  guint n = tl_session_get_n_steps (session);
  GSimpleAction *go =
      G_SIMPLE_ACTION (g_action_map_lookup_action (map, "history-go"));

  g_simple_action_set_state_hint (go, list_steps (session));
  g_simple_action_set_state (go, g_variant_new_uint32 (step));
  /* of a hint alone nobody would be told */
  g_action_group_action_state_changed (G_ACTION_GROUP (map), "history-go",
                                       g_variant_new_uint32 (step));
#define ENABLE(name, value)                                                    \
  g_simple_action_set_enabled (                                                \
      G_SIMPLE_ACTION (g_action_map_lookup_action (map, name)), value)
  ENABLE ("undo", step > 0);
  ENABLE ("redo", step + 1 < n);
  ENABLE ("history-go", n > 0);
  ENABLE ("copy-command", n > 0);
#undef ENABLE
}

static void
undo (GSimpleAction *action, GVariant *value, gpointer session)
{
  tl_session_undo (session);
}

static void
redo (GSimpleAction *action, GVariant *value, gpointer session)
{
  tl_session_redo (session);
}

static void
go (GSimpleAction *action, GVariant *value, gpointer session)
{
  tl_session_go_to_step (session, g_variant_get_uint32 (value));
}

static void
copy_command (GSimpleAction *action, GVariant *value, gpointer session)
{
  g_autofree char *command = tl_session_dup_command (session);

  gdk_clipboard_set_text (
      gdk_display_get_clipboard (gdk_display_get_default ()), command);
  tl_session_tell (session, _ ("The command that makes this slice is copied; "
                               "paste it in a terminal"));
}

void
tl_edit_actions_add (GActionMap *map, TlSession *session)
{
  static const GActionEntry entries[] = {
    { "undo", undo, NULL, NULL, NULL, { 0 } },
    { "redo", redo, NULL, NULL, NULL, { 0 } },
    { "history-go", NULL, "u", "uint32 0", go, { 0 } },
    { "copy-command", copy_command, NULL, NULL, NULL, { 0 } },
  };

  g_action_map_add_action_entries (map, entries, G_N_ELEMENTS (entries),
                                   session);
  /* the order of the arguments: the map is told */
  g_signal_connect_object (session, "notify::parameters", G_CALLBACK (update),
                           map, G_CONNECT_SWAPPED);
  update (map, NULL, session);
}
