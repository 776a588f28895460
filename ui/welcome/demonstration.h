/* The demonstration: a scan whose axis is known, made on first use in the
 * user's cache. Main thread. */
#pragma once

#include "app/session/session.h"

#include <gtk/gtk.h>

/** tl_demonstration_open: Opens the scan in @window. If it is not there, makes
 * it in the background, by tomolens-cli, and opens it then unless another scan
 * is open. Does nothing while it is being made. */
void tl_demonstration_open (GtkWindow *window, TlSession *session);
/** tl_demonstration_dup_path: Returns: (transfer full): the scan's file */
char *tl_demonstration_dup_path (void);
