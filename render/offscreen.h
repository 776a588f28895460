/* OpenGL without a window or a display: a context of EGL, and a picture to draw
 * into. */
#pragma once

#include <glib.h>

typedef struct TlOffscreen TlOffscreen;

/**
 * tl_offscreen_new:
 * @es: OpenGL ES 3.0 in place of desktop OpenGL 3.3
 *
 * Makes a context current in this thread, with a framebuffer of @width x
 * @height pixels whose viewport is all of it. All other functions must be
 * called in this thread while it is current.
 *
 * Returns: (transfer full): %NULL with TL_ERROR_UNSUPPORTED if the libraries or
 *   the driver are missing, or do not make so large a picture
 */
TlOffscreen *tl_offscreen_new (gboolean es, int width, int height,
                               GError **error);

/** tl_offscreen_free: What was made in the context must be freed before. */
void tl_offscreen_free (TlOffscreen *offscreen);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlOffscreen, tl_offscreen_free)

/** tl_offscreen_read: Waits until all is drawn. @rgba: (out caller-allocates):
 * [height][width][4], the top row first */
void tl_offscreen_read (TlOffscreen *offscreen, guint8 *rgba);
