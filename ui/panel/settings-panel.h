/* The side panel: all controls, in the order of the work. Main thread. */
#pragma once

#include "ui/measure/measure.h"

#include <gtk/gtk.h>

#define TL_TYPE_SETTINGS_PANEL (tl_settings_panel_get_type ())
G_DECLARE_FINAL_TYPE (TlSettingsPanel, tl_settings_panel, TL, SETTINGS_PANEL,
                      GtkBox)

/**
 * tl_settings_panel_bind:
 * @actions: the application's; the controls show and change their states
 *
 * Once.
 */
void tl_settings_panel_bind (TlSettingsPanel *self, TlMeasure *measure,
                             GActionGroup *actions);
