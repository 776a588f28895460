/* The line below the picture: how it was made, and how it came to the screen.
 */
#pragma once

#include "ui/view/view.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define TL_TYPE_STATUS_LINE (tl_status_line_get_type ())
G_DECLARE_FINAL_TYPE (TlStatusLine, tl_status_line, TL, STATUS_LINE, GtkBox)

/** tl_status_line_bind: Once, before it is shown. */
void tl_status_line_bind (TlStatusLine *self, TlView *view);

G_END_DECLS
