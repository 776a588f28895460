/* The dialog that lets the user choose a scan or a dataset of an HDF5 file, and
 * say where its flats, darks, angles and image keys are. It activates
 * "app.open-places". Main thread. */
#pragma once

#include "app/scan/scan-chooser.h"

#include <gtk/gtk.h>

#define TL_TYPE_CHOOSER_WINDOW (tl_chooser_window_get_type ())
G_DECLARE_FINAL_TYPE (TlChooserWindow, tl_chooser_window, TL, CHOOSER_WINDOW,
                      GtkWindow)

/** tl_chooser_window_new: Returns: (transfer none): owned by GTK until it is
 * closed, which Escape does, too; @chooser outlives it */
TlChooserWindow *tl_chooser_window_new (GtkWindow *parent,
                                        TlScanChooser *chooser);

/** tl_chooser_window_show: Shows what @chooser asks now. */
void tl_chooser_window_show (TlChooserWindow *self);
