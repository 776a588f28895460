/* Files that are dropped on the window. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/** tl_file_drop_attach: Opens what is dropped on @window of an application, as
 * if it stood on the command line. */
void tl_file_drop_attach (GtkWindow *window);

G_END_DECLS
