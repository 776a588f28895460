/* Drop target for files. Main thread. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/** tl_file_drop_attach: Opens files dropped on @window, which must belong to an
 * application, as the command line does. */
void tl_file_drop_attach (GtkWindow *window);

G_END_DECLS
