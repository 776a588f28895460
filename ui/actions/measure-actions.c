#include "ui/actions/actions-private.h"

#include "ui/view/widget.h"

/* --- the line --- */

static GVariant *
line_to_variant (const TlSegment *line)
{
  return g_variant_new ("(dddd)", line->col[0], line->row[0], line->col[1],
                        line->row[1]);
}

static void
update_line (TlMeasure *measure, GParamSpec *pspec, GSimpleAction *action)
{
  const TlSegment *line = tl_measure_get_line (measure);

  if (line != NULL)
    g_simple_action_set_state (action, line_to_variant (line));
}

/* The state changes when the object says so. While planes are shown, the line
 * is in the pane of the slice. */
static void
change_line (GSimpleAction *action, GVariant *value, gpointer measure)
{
  TlSegment line;

  g_variant_get (value, "(dddd)", &line.col[0], &line.row[0], &line.col[1],
                 &line.row[1]);
  tl_measure_set_line (measure, TL_PANE_XY, &line);
}

static void
add_line (GActionMap *map, TlMeasure *measure)
{
  g_autoptr (GSimpleAction) action =
      g_simple_action_new_stateful ("profile-line", G_VARIANT_TYPE ("(dddd)"),
                                    line_to_variant (&(TlSegment){ 0 }));

  g_signal_connect_object (action, "change-state", G_CALLBACK (change_line),
                           measure, 0);
  g_signal_connect_object (measure, "notify::line", G_CALLBACK (update_line),
                           action, 0);
  g_action_map_add_action (map, G_ACTION (action));
}

/* --- saving, and all actions --- */

static void
save_slice (GSimpleAction *action, GVariant *value, gpointer measure)
{
  TlView *view = tl_measure_get_view (measure);

  tl_display_save (tl_view_get_session (view)->display,
                   g_variant_get_string (value, NULL));
}

void
tl_measure_actions_add (GActionMap *map, TlMeasure *measure)
{
  static const GActionEntry entries[] = {
    { "save-slice-as", save_slice, "s", NULL, NULL, { 0 } },
  };
  TlView *view = tl_measure_get_view (measure);

  /* the entries' data: alive as long as the map */
  g_object_set_data_full (G_OBJECT (map), "tl-measure", g_object_ref (measure),
                          g_object_unref);
  g_action_map_add_action_entries (map, entries, G_N_ELEMENTS (entries),
                                   measure);
  tl_add_call (map, "window-reset", G_CALLBACK (tl_view_reset_window), view);
  add_line (map, measure);
  tl_actions_add_property (map, "profile", measure, "active");
  tl_actions_add_property (map, "profile-width", measure, "width");
  tl_actions_add_property (map, "scale-bar", measure, "scale-bar");
  tl_actions_add_property (map, "colour-bar", measure, "colour-bar");
  tl_actions_add_property (map, "log-counts", view, "log-counts");
  tl_actions_add_property (map, "dark-percent", view, "dark-percent");
  tl_actions_add_property (map, "bright-percent", view, "bright-percent");
}
