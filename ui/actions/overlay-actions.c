#include "ui/actions/actions-private.h"

#include "app/axis/overlay/overlay.h"
#include "data/array.h"
#include "data/geometry.h"
#include "ui/view/widget.h"

#include <math.h>

/* Rows and degrees are rounded to this part, so that sums of hundredths stay
 * hundredths. */
#define STEP_PARTS 1000000

/* --- states, from the session --- */

static void
update_states (TlOverlay *overlay, GActionMap *map)
{
  const TlRegistration *found = tl_overlay_get_registration (overlay);

  tl_actions_set_state (
      map, "overlay",
      g_variant_new_string (
          tl_overlay_mode_names[tl_overlay_get_mode (overlay)]));
  tl_actions_set_state (map, "overlay-rows",
                        g_variant_new_double (tl_overlay_get_rows (overlay)));
  tl_actions_enable (map, "take-overlay",
                     tl_overlay_is_shown (overlay) && found != NULL
                         && found->is_found);
}

static void
update_enabled (GActionMap *map)
{
  TlSession *session = tl_actions_get_session (map);
  gboolean is_seen =
      tl_display_get_picture (session->display) == TL_PICTURE_OVERLAY;

  tl_actions_enable (map, "overlay overlay-rows step-overlay-rows", is_seen);
  tl_actions_enable (map, "step-tilt",
                     tl_scan_source_is_open (session->source));
  update_states (tl_session_get_overlay (session), map);
}

/* --- handlers of the actions --- */

static void
change_mode (GSimpleAction *action, GVariant *value, gpointer session)
{
  const int mode = tl_names_index (tl_overlay_mode_names,
                                   g_variant_get_string (value, NULL));

  if (mode >= 0)
    tl_overlay_set_mode (tl_session_get_overlay (session), mode);
}

static void
set_rows (TlSession *session, double rows)
{
  rows = tl_round_to_parts (rows, STEP_PARTS); /* not finite for 1e308 */
  if (isfinite (rows))
    tl_overlay_set_rows (tl_session_get_overlay (session), rows);
}

static void
change_rows (GSimpleAction *action, GVariant *value, gpointer session)
{
  set_rows (session, g_variant_get_double (value));
}

static void
step_rows (GSimpleAction *action, GVariant *value, gpointer session)
{
  set_rows (session, tl_overlay_get_rows (tl_session_get_overlay (session))
                         + g_variant_get_double (value));
}

static void
step_tilt (GSimpleAction *action, GVariant *value, gpointer data)
{
  TlSession *session = data;
  double tilt = tl_parameters_get_recipe (session->parameters)->params.tilt_deg
                + g_variant_get_double (value);

  if (!isfinite (tilt))
    return;
  tilt = CLAMP (tl_round_to_parts (tilt, STEP_PARTS), -TL_TILT_MAX_DEG,
                TL_TILT_MAX_DEG);
  tl_parameters_set_value (session->parameters, "tilt",
                           g_variant_new_double (tilt), NULL);
}

void
tl_overlay_actions_add (GActionMap *map, TlSession *session)
{
  static const GActionEntry entries[] = {
    { "overlay", NULL, "s", "'difference'", change_mode, { 0 } },
    { "overlay-rows", NULL, "d", "0.0", change_rows, { 0 } },
    { "step-overlay-rows", step_rows, "d", NULL, NULL, { 0 } },
    { "step-tilt", step_tilt, "d", NULL, NULL, { 0 } },
  };
  TlOverlay *overlay = tl_session_get_overlay (session);

  g_action_map_add_action_entries (map, entries, G_N_ELEMENTS (entries),
                                   session);
  tl_add_call (map, "take-overlay", G_CALLBACK (tl_overlay_take), overlay);
  g_signal_connect_object (overlay, "changed", G_CALLBACK (update_states), map,
                           0);
  tl_follow (session->display, "picture", G_CALLBACK (update_enabled), map);
  tl_follow (session->source, "summary", G_CALLBACK (update_enabled), map);
  update_enabled (map);
}
