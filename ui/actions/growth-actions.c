#include "ui/actions/actions-private.h"

#include "ui/view/widget.h"

static void
update_enabled (GActionMap *map)
{
  TlSession *session = tl_actions_get_session (map);
  TlGrowthState state = tl_growth_get_state (session->growth);

  tl_actions_enable (map, "follow-scan", tl_session_can_follow_scan (session));
  tl_actions_enable (map, "stop-following", state != TL_GROWTH_NONE);
  tl_actions_enable (
      map, "skip-flats",
      state == TL_GROWTH_WAITING
          || tl_growth_get_news (session->growth)->waits_for_flats);
}

/* "": nothing more is recorded. */
static void
record_to (GSimpleAction *action, GVariant *value, gpointer data)
{
  TlSession *session = data;
  const char *folder = g_variant_get_string (value, NULL);
  g_autoptr (GError) error = NULL;

  if (!tl_growth_set_record_folder (session->growth,
                                    *folder != '\0' ? folder : NULL, &error))
    tl_messages_warn (session->messages, FALSE, "%s", error->message);
}

void
tl_growth_actions_add (GActionMap *map, TlSession *session)
{
  static const GActionEntry entries[] = {
    { "record-to", record_to, "s", NULL, NULL, { 0 } },
  };

  g_action_map_add_action_entries (map, entries, G_N_ELEMENTS (entries),
                                   session);
  tl_add_call (map, "follow-scan", G_CALLBACK (tl_session_follow_scan),
               session);
  tl_add_call (map, "stop-following", G_CALLBACK (tl_growth_stop),
               session->growth);
  tl_add_call (map, "skip-flats", G_CALLBACK (tl_session_skip_flats), session);
  tl_actions_add_property (map, "follow-next", session->growth, "follows");
  tl_actions_add_property (map, "hint-dose", session->growth, "hints");
  tl_follow (session->parameters, "recipe", G_CALLBACK (update_enabled), map);
  tl_follow (session->source, "summary", G_CALLBACK (update_enabled), map);
  tl_follow (session->growth, "state news", G_CALLBACK (update_enabled), map);
  update_enabled (map);
}
