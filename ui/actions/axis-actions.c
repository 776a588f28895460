#include "ui/actions/actions-private.h"

#include "app/axis/map.h"
#include "ui/view/widget.h"

static void
update_rows (TlAxisMap *axis_map, GParamSpec *pspec, GActionMap *map)
{
  tl_actions_set_state (map, "axis-rows",
                        g_variant_new_uint32 (tl_axis_map_get_rows (axis_map)));
}

static void
update_enabled (TlAxisMap *axis_map, GActionMap *map)
{
  tl_actions_enable (map, "accept-axis",
                     tl_axis_map_is_shown (axis_map)
                         && tl_axis_map_can_accept (axis_map));
}

static void
on_session (GActionMap *map)
{
  TlSession *session = tl_actions_get_session (map);
  tl_actions_enable (map, "axis-rows",
                     tl_scan_source_is_open (session->source));
  update_enabled (tl_session_get_axis_map (session), map);
}

static void
change_rows (GSimpleAction *action, GVariant *value, gpointer session)
{
  tl_axis_map_set_rows (tl_session_get_axis_map (session),
                        g_variant_get_uint32 (value));
}

void
tl_axis_actions_add (GActionMap *map, TlSession *session)
{
  static const GActionEntry entries[] = {
    { "axis-rows", NULL, "u", "uint32 32", change_rows, { 0 } },
  };
  TlAxisMap *axis_map = tl_session_get_axis_map (session);

  g_action_map_add_action_entries (map, entries, G_N_ELEMENTS (entries),
                                   session);
  tl_add_call (map, "accept-axis", G_CALLBACK (tl_axis_map_accept), axis_map);
  g_simple_action_set_state_hint (
      tl_actions_find (map, "axis-rows"),
      g_variant_new ("(uu)", TL_AXIS_MAP_MIN_ROWS, TL_AXIS_MAP_MAX_ROWS));
  g_signal_connect_object (axis_map, "notify::rows", G_CALLBACK (update_rows),
                           map, 0);
  g_signal_connect_object (axis_map, "changed", G_CALLBACK (update_enabled),
                           map, 0);
  tl_follow (session->source, "summary", G_CALLBACK (on_session), map);
  tl_follow (session->display, "picture", G_CALLBACK (on_session), map);
  update_rows (axis_map, NULL, map);
  on_session (map);
}
