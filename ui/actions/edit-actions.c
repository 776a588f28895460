#include "ui/actions/actions-private.h"

#include "ui/view/widget.h"

#include <glib/gi18n.h>
#include <gtk/gtk.h>

static GVariant *
list_steps (TlHistory *history)
{
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE_STRING_ARRAY);
  for (guint i = 0; i < tl_history_get_length (history); i++)
    g_variant_builder_add (&builder, "s", tl_history_get_words (history, i));
  return g_variant_builder_end (&builder);
}

static void
update (GActionMap *map)
{
  TlHistory *history =
      tl_parameters_get_history (tl_actions_get_session (map)->parameters);
  guint step = tl_history_get_present (history);
  guint n = tl_history_get_length (history);
  GSimpleAction *go = tl_actions_find (map, "history-go");

  g_simple_action_set_state_hint (go, list_steps (history));
  g_simple_action_set_state (go, g_variant_new_uint32 (step));
  /* a hint alone notifies nobody */
  g_action_group_action_state_changed (G_ACTION_GROUP (map), "history-go",
                                       g_variant_new_uint32 (step));
  tl_actions_enable (map, "undo", step > 0);
  tl_actions_enable (map, "redo", step + 1 < n);
  tl_actions_enable (map, "history-go copy-command", n > 0);
}

static void
go (GSimpleAction *action, GVariant *value, gpointer data)
{
  TlSession *session = data;

  tl_parameters_go_to_step (session->parameters, g_variant_get_uint32 (value));
}

static void
copy_command (GSimpleAction *action, GVariant *value, gpointer data)
{
  TlSession *session = data;
  g_autofree char *command = tl_parameters_dup_command (session->parameters);

  gdk_clipboard_set_text (
      gdk_display_get_clipboard (gdk_display_get_default ()), command);
  tl_messages_tell (session->messages,
                    _ ("The command that makes this slice is copied; "
                       "paste it in a terminal"));
}

void
tl_edit_actions_add (GActionMap *map, TlSession *session)
{
  static const GActionEntry entries[] = {
    { "history-go", NULL, "u", "uint32 0", go, { 0 } },
    { "copy-command", copy_command, NULL, NULL, NULL, { 0 } },
  };

  tl_add_call (map, "undo", G_CALLBACK (tl_parameters_undo),
               session->parameters);
  tl_add_call (map, "redo", G_CALLBACK (tl_parameters_redo),
               session->parameters);
  g_action_map_add_action_entries (map, entries, G_N_ELEMENTS (entries),
                                   session);
  tl_follow (session->parameters, "recipe", G_CALLBACK (update), map);
  update (map);
}
