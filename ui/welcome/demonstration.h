/* The demonstration: a scan whose axis is known, made on first use in the
 * user's cache. Main thread. */
#pragma once

#include "app/session/session.h"

#include <gtk/gtk.h>

/** tl_demonstration_open: Makes the scan in the background, by tomolens-cli, if
 * it is not there, and opens it in @window. */
void tl_demonstration_open (GtkWindow *window, TlMessages *messages);
