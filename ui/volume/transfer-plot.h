/* The histogram of a volume, with the points of its transfer function to drag.
 * Main thread. */
#pragma once

#include "app/volume/scene.h"

#include <gtk/gtk.h>

#define TL_TYPE_TRANSFER_PLOT (tl_transfer_plot_get_type ())
G_DECLARE_FINAL_TYPE (TlTransferPlot, tl_transfer_plot, TL, TRANSFER_PLOT,
                      GtkWidget)

/* A drag moves a point, or makes one where there is none; a double click, or
 * Delete, removes it. The arrows move the point that was moved last, with Ctrl
 * they choose another one. Activates "app.volume-transfer". */

/** tl_transfer_plot_bind: Call once, before it is shown. */
void tl_transfer_plot_bind (TlTransferPlot *self, TlScene *scene);
