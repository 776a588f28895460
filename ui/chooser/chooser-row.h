/* One scan or dataset in the list of the chooser: a small picture, where it is,
 * and what it is. Main thread. */
#pragma once

#include "app/scan/scan-chooser.h"

#include <gtk/gtk.h>

#define TL_TYPE_CHOOSER_ROW (tl_chooser_row_get_type ())
G_DECLARE_FINAL_TYPE (TlChooserRow, tl_chooser_row, TL, CHOOSER_ROW, GtkBox)

/** tl_chooser_row_new: Returns: (transfer floating): follows @offer */
GtkWidget *tl_chooser_row_new (TlScanOffer *offer);
