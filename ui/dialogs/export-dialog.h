/* Dialog that asks for a folder and a range of slices, and activates
 * "app.export". Closing hides it, so that it keeps the choices. Main thread. */
#pragma once

#include "app/session/session.h"

#include <gtk/gtk.h>

#define TL_TYPE_EXPORT_DIALOG (tl_export_dialog_get_type ())
G_DECLARE_FINAL_TYPE (TlExportDialog, tl_export_dialog, TL, EXPORT_DIALOG,
                      GtkWindow)

/** tl_export_dialog_new: @session must have a scan; the dialog proposes all its
 * slices. */
TlExportDialog *tl_export_dialog_new (GtkWindow *parent, TlSession *session);

/** tl_export_dialog_is_for: Returns: whether @dialog was made for the open
 * scan. */
gboolean tl_export_dialog_is_for (TlExportDialog *dialog, TlSession *session);

/** tl_export_dialog_open: Shows it; "this slice" means the slice shown now. */
void tl_export_dialog_open (TlExportDialog *dialog);
