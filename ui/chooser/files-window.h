/* The dialog that shows the groups of images of a folder and lets the user say
 * what they are, and what the angles are. Main thread. */
#pragma once

#include "app/session/session.h"

#include <gtk/gtk.h>

#define TL_TYPE_FILES_WINDOW (tl_files_window_get_type ())
G_DECLARE_FINAL_TYPE (TlFilesWindow, tl_files_window, TL, FILES_WINDOW,
                      GtkWindow)

/** tl_files_window_new: Returns: (transfer none): owned by GTK until it is
 * closed, which Escape does, too; @session outlives it */
TlFilesWindow *tl_files_window_new (GtkWindow *parent, TlSession *session);

/** tl_files_window_show: Shows the groups of
 * tl_session_list_files(). */
void tl_files_window_show (TlFilesWindow *self);
