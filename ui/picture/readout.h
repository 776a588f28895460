/* Text about the pixel under the pointer, and its label. Main thread. */
#pragma once

#include "app/session/session.h"
#include "render/camera.h"

#include <gtk/gtk.h>

/**
 * tl_readout_describe:
 * @camera: of the picture shown
 * @x: pointer, widget units, as @y
 *
 * Returns: (transfer full) (nullable): position and value, or the values of
 *   both slices while two are compared; %NULL outside the picture
 */
char *tl_readout_describe (TlSession *session, const TlCamera *camera, double x,
                           double y);

/** tl_readout_new_label: Returns: (transfer floating): a hidden label for a
 * corner of the picture. */
GtkWidget *tl_readout_new_label (void);

/** tl_readout_show: @words: (nullable): %NULL hides the label. Returns: whether
 * the label has changed */
gboolean tl_readout_show (GtkLabel *label, const char *words);
