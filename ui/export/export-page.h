/* Page of the export: a form that says what is exported, as what and where,
 * what comes of it, and the exports that were started. What is typed counts at
 * once. Main thread. */
#pragma once

#include "ui/measure/measure.h"

#include <gtk/gtk.h>

#define TL_TYPE_EXPORT_PAGE (tl_export_page_get_type ())
G_DECLARE_FINAL_TYPE (TlExportPage, tl_export_page, TL, EXPORT_PAGE, GtkBox)

/** tl_export_page_bind: Call once, before it is shown. */
void tl_export_page_bind (TlExportPage *self, TlMeasure *measure);

/** tl_export_page_show_notice: @text: (nullable): shown above the buttons */
void tl_export_page_show_notice (TlExportPage *self, const char *text);
