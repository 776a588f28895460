/* Renders the heat map of the axis over the height. Main thread. */
#pragma once

#include "app/axis/map.h"
#include "render/look/colormap.h"

#include <gdk/gdk.h>

/* Plain value. */
typedef struct
{
  double first_col, last_col; /* columns at the left and the right edge */
  TlColormap colormap;
} TlAxisMapRange;

/**
 * tl_axis_map_image_new:
 * @map: must have been started
 *
 * Draws every row of the detector with the values of the nearest row that is
 * known. Columns outside the detector are transparent, and so is everything
 * while no row is known.
 *
 * Returns: (transfer full): @width x @height pixels
 */
GdkTexture *tl_axis_map_image_new (TlAxisMap *map, const TlAxisMapRange *range,
                                   int width, int height);
