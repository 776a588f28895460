/* Dialogs of the main window. Each function shows a dialog and returns at once;
 * the user's choice activates an action. Main thread. */
#pragma once

#include "ui/view/view.h"

#include <gtk/gtk.h>

/** tl_dialog_open: Chooses a scan or a recipe, or a folder, and activates
 * "app.open". */
void tl_dialog_open (GtkWindow *parent, gboolean folder);

/** tl_dialog_save_recipe: Activates "app.save-recipe-as". */
void tl_dialog_save_recipe (GtkWindow *parent);

/** tl_dialog_record: Chooses the folder for scans that are recorded, and
 * activates "app.record-to". */
void tl_dialog_record (GtkWindow *parent);

/** tl_dialog_save_view: Activates "win.save-view-as". */
void tl_dialog_save_view (GtkWindow *parent, TlSession *session);

/** tl_dialog_save_slice: Activates "app.save-slice-as". */
void tl_dialog_save_slice (GtkWindow *parent, TlSession *session);

/** tl_dialog_close: Returns: (transfer none): asks whether to stop the export,
 * and destroys @parent if so. */
GtkWindow *tl_dialog_close (GtkWindow *parent);

void tl_dialog_about (GtkWindow *parent);

/** tl_dialog_machine: Shows the devices found, and why the engine was chosen.
 */
void tl_dialog_machine (GtkWindow *parent, TlView *view);
