/* One export of the queue, with its progress and buttons. Main thread. */
#pragma once

#include "app/session/exporter.h"

#include <gtk/gtk.h>

#define TL_TYPE_EXPORT_ROW (tl_export_row_get_type ())
G_DECLARE_FINAL_TYPE (TlExportRow, tl_export_row, TL, EXPORT_ROW, GtkBox)

/** tl_export_row_new: @exporter: has @run in its list; outlives the row */
GtkWidget *tl_export_row_new (TlExporter *exporter, TlExportRun *run);
