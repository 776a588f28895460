/* What is under the pointer, in words, and the label that says so. */
#pragma once

#include "app/session/session.h"
#include "render/camera.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

/**
 * tl_readout_describe:
 * @camera: of the picture that is shown; @x, @y are in its widget
 *
 * Returns: (transfer full) (nullable): position and value, of either while two
 *   slices are compared; %NULL beside the picture
 */
char *tl_readout_describe (TlSession *session, const TlCamera *camera, double x,
                           double y);

/** tl_readout_new_label: Returns: (transfer floating): for a corner of the
 * picture; not seen yet. */
GtkWidget *tl_readout_new_label (void);

/** tl_readout_show: @words: (nullable): without any it is not seen. */
void tl_readout_show (GtkLabel *label, const char *words);

G_END_DECLS
