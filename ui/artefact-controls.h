/* Zingers and rings, in the panel. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define TL_TYPE_ARTEFACT_CONTROLS (tl_artefact_controls_get_type ())
G_DECLARE_FINAL_TYPE (TlArtefactControls, tl_artefact_controls, TL,
                      ARTEFACT_CONTROLS, GtkBox)

/** tl_artefact_controls_bind: @actions: the application's. Once. */
void tl_artefact_controls_bind (TlArtefactControls *self,
                                GActionGroup *actions);

G_END_DECLS
