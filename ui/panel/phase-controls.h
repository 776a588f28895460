/* Phase retrieval in the side panel: a switch for before and after, and what it
 * is made of. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define TL_TYPE_PHASE_CONTROLS (tl_phase_controls_get_type ())
G_DECLARE_FINAL_TYPE (TlPhaseControls, tl_phase_controls, TL, PHASE_CONTROLS,
                      GtkBox)

/**
 * tl_phase_controls_bind:
 * @actions: must have the actions "phase", "energy", "distance", "pixel-size"
 *   and "delta-beta"
 *
 * Once.
 */
void tl_phase_controls_bind (TlPhaseControls *self, GActionGroup *actions);

G_END_DECLS
