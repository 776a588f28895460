/* A picture in colours, without OpenGL. */
#pragma once

#include "render/colormap.h"

G_BEGIN_DECLS

typedef struct TlFrame TlFrame; /* gpu/backend/frame.h */

/**
 * tl_tint_frame:
 * @frame: one picture, in host memory
 * @low: the value that has the first colour; those below have it too
 * @high: likewise the last; above @low
 * @n_rows: (out)
 * @n_cols: (out)
 *
 * The same colours as on the screen otherwise (render/shaders/slice.frag), but
 * of the nearest entry of the map. Any thread.
 *
 * Returns: (transfer full) (nullable): [@n_rows][@n_cols][4], red, green, blue
 *   and alpha, premultiplied; transparent where the value is not finite; %NULL
 *   where the memory is short, or @frame is on a device only
 */
guint8 *tl_tint_frame (TlFrame *frame, TlColormap colormap, double low,
                       double high, size_t *n_rows, size_t *n_cols);

G_END_DECLS
