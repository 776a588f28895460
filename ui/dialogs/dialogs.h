/* The windows beside the main one. Each is shown and returns at once; what is
 * chosen comes back as an action of the application. */
#pragma once

#include "ui/view/view.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

/** tl_dialog_open: A scan or a recipe, or a folder: activates "app.open". */
void tl_dialog_open (GtkWindow *parent, gboolean folder);

/** tl_dialog_save_recipe: Activates "app.save-recipe-as". */
void tl_dialog_save_recipe (GtkWindow *parent);

/** tl_dialog_save_view: Activates "win.save-view-as". */
void tl_dialog_save_view (GtkWindow *parent, TlSession *session);

/** tl_dialog_save_slice: Activates "app.save-slice-as". */
void tl_dialog_save_slice (GtkWindow *parent, TlSession *session);

/** tl_dialog_close: Returns: (transfer none): asks whether to stop the export,
 * and destroys @parent then. */
GtkWindow *tl_dialog_close (GtkWindow *parent);

void tl_dialog_about (GtkWindow *parent);

/** tl_dialog_machine: What was found here, and why what was chosen. */
void tl_dialog_machine (GtkWindow *parent, TlView *view);

G_END_DECLS
