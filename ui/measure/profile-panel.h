/* Panel below the picture while measuring: the line's length, and its profile.
 * Main thread. */
#pragma once

#include "ui/measure/measure.h"

#include <gtk/gtk.h>

#define TL_TYPE_PROFILE_PANEL (tl_profile_panel_get_type ())
G_DECLARE_FINAL_TYPE (TlProfilePanel, tl_profile_panel, TL, PROFILE_PANEL,
                      GtkBox)

/**
 * tl_profile_panel_bind:
 * @actions: the application's
 *
 * Call once, before it is shown.
 */
void tl_profile_panel_bind (TlProfilePanel *panel, TlMeasure *measure,
                            GActionGroup *actions);
