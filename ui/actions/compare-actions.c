#include "ui/actions/actions-private.h"

#include "data/array.h"
#include "ui/view/widget.h"

static TlSession *
get_session (gpointer compare)
{
  return tl_view_get_session (tl_compare_get_view (compare));
}

/* --- states, from the session --- */

static void
update_states (GActionMap *map)
{
  TlSliceComparison *comparison = tl_actions_get_session (map)->comparison;
  TlCompareMode mode = tl_slice_comparison_get_mode (comparison);

  tl_actions_set_state (
      map, "hold",
      g_variant_new_boolean (tl_slice_comparison_is_held (comparison)));
  tl_actions_set_state (map, "compare",
                        g_variant_new_string (tl_compare_mode_names[mode]));
  tl_actions_enable (map, "take-a",
                     tl_slice_comparison_get_recipe (comparison) != NULL);
}

static void
update_enabled (GActionMap *map)
{
  TlSession *session = tl_actions_get_session (map);

  tl_actions_enable (map, "hold compare next-compare",
                     tl_scan_source_is_open (session->source));
}

/* --- handlers of the actions --- */

/* The state changes when the object says so. */
static void
change_hold (GSimpleAction *action, GVariant *value, gpointer compare)
{
  if (g_variant_get_boolean (value))
    tl_display_hold_slice (get_session (compare)->display);
  else
    tl_slice_comparison_release (get_session (compare)->comparison);
}

static void
change_compare (GSimpleAction *action, GVariant *value, gpointer compare)
{
  const int mode = tl_names_index (tl_compare_mode_names,
                                   g_variant_get_string (value, NULL));

  if (mode >= 0)
    tl_slice_comparison_set_mode (get_session (compare)->comparison, mode);
}

static void
next_compare (GSimpleAction *action, GVariant *value, gpointer compare)
{
  TlSliceComparison *comparison = get_session (compare)->comparison;
  guint mode = (guint)tl_slice_comparison_get_mode (comparison) + 1;

  tl_slice_comparison_set_mode (comparison, mode % TL_N_COMPARE_MODES);
}

/* Planes of A are where the panes look, so that the cross stays there. */
static void
take_a (GSimpleAction *action, GVariant *value, gpointer compare)
{
  TlSession *session = get_session (compare);
  g_autoptr (TlRecipe) recipe =
      tl_recipe_dup (tl_slice_comparison_get_recipe (session->comparison));

  if (tl_display_get_picture (session->display) == TL_PICTURE_PLANES)
    recipe->slice = tl_parameters_get_slice (session->parameters);
  tl_parameters_set_recipe_as_step (session->parameters, recipe);
}

void
tl_compare_actions_add (GActionMap *map, TlCompare *compare)
{
  static const GActionEntry entries[] = {
    { "hold", NULL, NULL, "false", change_hold, { 0 } },
    { "compare", NULL, "s", "'off'", change_compare, { 0 } },
    { "next-compare", next_compare, NULL, NULL, NULL, { 0 } },
    { "take-a", take_a, NULL, NULL, NULL, { 0 } },
  };
  TlSession *session = get_session (compare);

  /* the entries' data: alive as long as the map */
  g_object_set_data_full (G_OBJECT (map), "tl-compare", g_object_ref (compare),
                          g_object_unref);
  g_action_map_add_action_entries (map, entries, G_N_ELEMENTS (entries),
                                   compare);
  tl_actions_add_property (map, "swipe", compare, "swipe");
  tl_actions_add_property (map, "blink-ms", compare, "blink-ms");
  tl_actions_add_property (map, "blink-a", compare, "blink-a");
  tl_follow (session->display, "comparison", G_CALLBACK (update_states), map);
  tl_follow (session->source, "summary", G_CALLBACK (update_enabled), map);
  update_states (map);
  update_enabled (map);
}
