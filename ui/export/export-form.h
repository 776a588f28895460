/* Form of the export: what is exported, as what and where. What is typed counts
 * at once. Main thread. */
#pragma once

#include "ui/measure/measure.h"

#include <gtk/gtk.h>

#define TL_TYPE_EXPORT_FORM (tl_export_form_get_type ())
G_DECLARE_FINAL_TYPE (TlExportForm, tl_export_form, TL, EXPORT_FORM, GtkBox)

/* Signals:
 *   "changed"   a field, the scan or a parameter has changed
 *   "activated" Enter was pressed in the name
 */

/** tl_export_form_bind: Call once, before it is shown. */
void tl_export_form_bind (TlExportForm *form, TlMeasure *measure);

/** tl_export_form_is_ready: Returns: whether it was shown with a scan */
gboolean tl_export_form_is_ready (TlExportForm *form);

/** tl_export_form_dup_path: Returns: (transfer full): of the volume: what is
 * typed, without “/” at its end, “.” and “..” */
char *tl_export_form_dup_path (TlExportForm *form);

/**
 * tl_export_form_read:
 * @settings: (out caller-allocates)
 *
 * The form must be ready.
 *
 * Returns: (transfer full) (nullable): why they cannot be used; %NULL if they
 *   can
 */
char *tl_export_form_read (TlExportForm *form, TlExportSettings *settings);

/**
 * tl_export_form_note_export:
 * @settings: of tl_export_form_read()
 *
 * Keeps them for the next start, and proposes the volume of the next scan
 * beside the present one.
 */
void tl_export_form_note_export (TlExportForm *form,
                                 const TlExportSettings *settings);
