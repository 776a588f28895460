/* Which OpenGL a picture is drawn with. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/**
 * tl_gl_context_new:
 *
 * Desktop OpenGL 3.3 where there is one, else OpenGL ES 3.0.
 *
 * Returns: (transfer full): realized; %NULL with GDK's error
 */
GdkGLContext *tl_gl_context_new (GtkNative *native, GError **error);

G_END_DECLS
