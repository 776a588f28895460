/* Drop target for files. Main thread. */
#pragma once

#include <gtk/gtk.h>

/** tl_file_drop_attach: Opens files dropped on @window, which must belong to an
 * application, as the command line does. */
void tl_file_drop_attach (GtkWindow *window);
