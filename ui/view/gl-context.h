/* OpenGL for the widgets that draw by it. Main thread. */
#pragma once

#include <gtk/gtk.h>

/** tl_gl_context_new: For "create-context" of @area. Returns: (transfer full)
 * (nullable): realized, of desktop OpenGL 3.3, or of OpenGL ES 3.0 if that
 * fails; %NULL: @area has the error */
GdkGLContext *tl_gl_context_new (GtkGLArea *area);
