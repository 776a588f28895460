/* Line below the picture: how the picture was made, and how it came to the
 * screen. Main thread. */
#pragma once

#include "ui/view/view.h"

#include <gtk/gtk.h>

#define TL_TYPE_STATUS_LINE (tl_status_line_get_type ())
G_DECLARE_FINAL_TYPE (TlStatusLine, tl_status_line, TL, STATUS_LINE, GtkBox)

/** tl_status_line_bind: Call once, before it is shown. */
void tl_status_line_bind (TlStatusLine *self, TlView *view);
