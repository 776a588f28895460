/* The heat map of the axis over the height, as pixels. */
#pragma once

#include "app/axis/map.h"
#include "render/colormap.h"

#include <gdk/gdk.h>

G_BEGIN_DECLS

/* Plain value. */
typedef struct
{
  double first_col, last_col; /* at the left and the right edge */
  TlColormap colormap;
} TlAxisMapRange;

/**
 * tl_axis_map_image_new:
 * @map: that has been begun
 *
 * All rows of the detector, each as the known one that is the nearest; columns
 * that the detector has not, and rows while none is known, stay clear.
 *
 * Returns: (transfer full): @width x @height pixels
 */
GdkTexture *tl_axis_map_image_new (TlAxisMap *map, const TlAxisMapRange *range,
                                   int width, int height);

G_END_DECLS
