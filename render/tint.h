/* A picture in colours, without OpenGL. */
#pragma once

#include "render/look/colormap.h"

typedef struct TlFrame TlFrame; /* gpu/backend/frame.h */

/**
 * tl_tint_frame:
 * @frame: one picture, in host memory
 * @low: this value and below get the first colour
 * @high: this value and above get the last colour; above @low
 * @n_rows: (out)
 * @n_cols: (out)
 *
 * The same colours as on the screen (render/shaders/slice.frag), except that
 * the nearest entry of the map is used instead of interpolating. Any thread.
 *
 * Returns: (transfer full) (nullable): [@n_rows][@n_cols][4], red, green,
 *   blue and alpha, premultiplied; transparent where the value is not finite;
 *   %NULL if memory is short or @frame is only on a device
 */
guint8 *tl_tint_frame (TlFrame *frame, TlColormap colormap, double low,
                       double high, size_t *n_rows, size_t *n_cols);
