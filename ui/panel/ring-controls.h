/* Rings, in the panel. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define TL_TYPE_RING_CONTROLS (tl_ring_controls_get_type ())
G_DECLARE_FINAL_TYPE (TlRingControls, tl_ring_controls, TL, RING_CONTROLS,
                      GtkBox)

/** tl_ring_controls_bind: @actions: the application's. Once. */
void tl_ring_controls_bind (TlRingControls *self, GActionGroup *actions);

G_END_DECLS
