#include "ui/actions/actions-private.h"

#include "data/array.h"
#include "ui/view/widget.h"

/* --- states, from the session --- */

static void
update_states (GActionMap *map)
{
  TlSession *session = tl_actions_get_session (map);
  TlDisplay *display = session->display;
  const TlScanSummary *scan = tl_scan_source_get_summary (session->source);
  TlPage page = tl_display_get_page (display);
  const char *view = page != TL_PAGE_PICTURE
                         ? tl_page_names[page]
                         : tl_picture_names[tl_display_get_picture (display)];
  guint first = scan != NULL ? (guint)scan->frames[0] : 0;
  guint last = scan != NULL ? (guint)scan->frames[scan->n_projections - 1] : 0;
  GSimpleAction *projection = tl_actions_find (map, "projection");

  tl_actions_set_state (map, "view", g_variant_new_string (view));
  g_simple_action_set_state_hint (projection,
                                  g_variant_new ("(uu)", first, last));
  g_simple_action_set_state (
      projection, g_variant_new_uint32 (tl_display_get_projection (display)));
}

static void
on_scan (GActionMap *map)
{
  TlSession *session = tl_actions_get_session (map);
  g_autoptr (GVariant) state = NULL;

  tl_actions_enable (map, "view projection step-projection",
                     tl_scan_source_is_open (session->source));
  update_states (map);
  /* a change of the hint emits no signal, but controls need its range */
  state = g_action_group_get_action_state (G_ACTION_GROUP (map), "projection");
  g_action_group_action_state_changed (G_ACTION_GROUP (map), "projection",
                                       state);
}

/* --- handlers of the actions --- */

static void
change_view (GSimpleAction *action, GVariant *value, gpointer data)
{
  TlSession *session = data;
  const char *name = g_variant_get_string (value, NULL);
  const int page = tl_names_index (tl_page_names, name);
  const int picture = tl_names_index (tl_picture_names, name);

  if (page > TL_PAGE_PICTURE)
    tl_display_set_page (session->display, page);
  if (picture >= 0)
    tl_display_set_picture (session->display, picture);
}

static void
change_projection (GSimpleAction *action, GVariant *value, gpointer data)
{
  TlSession *session = data;

  tl_display_set_projection (session->display, g_variant_get_uint32 (value));
}

static void
step_projection (GSimpleAction *action, GVariant *value, gpointer data)
{
  TlSession *session = data;
  gint64 projection = (gint64)tl_display_get_projection (session->display)
                      + g_variant_get_int32 (value);

  tl_display_set_projection (session->display,
                             (guint)CLAMP (projection, 0, G_MAXUINT32));
}

void
tl_picture_actions_add (GActionMap *map, TlSession *session)
{
  static const GActionEntry entries[] = {
    { "view", NULL, "s", "'slice'", change_view, { 0 } },
    { "projection", NULL, "u", "uint32 0", change_projection, { 0 } },
    { "step-projection", step_projection, "i", NULL, NULL, { 0 } },
  };

  g_action_map_add_action_entries (map, entries, G_N_ELEMENTS (entries),
                                   session);
  tl_follow (session->display, "picture", G_CALLBACK (update_states), map);
  tl_follow (session->source, "path", G_CALLBACK (on_scan), map);
  on_scan (map);
}
