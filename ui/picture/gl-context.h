/* Chooses the version of OpenGL for the picture. Main thread. */
#pragma once

#include <gtk/gtk.h>

/**
 * tl_gl_context_new:
 *
 * Creates a context of desktop OpenGL 3.3, or of OpenGL ES 3.0 if that fails.
 *
 * Returns: (transfer full): realized; %NULL with GDK's error
 */
GdkGLContext *tl_gl_context_new (GtkNative *native, GError **error);
