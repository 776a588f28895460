/* Draws axes, estimates and lines around and over the heat map of the axis over
 * the height. Main thread. */
#pragma once

#include "app/axis/map.h"

#include <gtk/gtk.h>

/* Distance between a number and its tick, and length of a tick; widget units.
 */
#define TL_AXIS_AXES_GAP 5.0
#define TL_AXIS_AXES_TICK 4.0

/* Layout of the plot; a plain value. */
typedef struct
{
  double left, right, top, bottom; /* widget units */
  size_t n_rows, n_cols;           /* of the detector */
  guint n;                         /* rows with an estimate of the axis */
  double first, last;              /* columns at the left and at the right */
} TlAxisAxes;

double tl_axis_axes_get_x (const TlAxisAxes *axes, double col);
/** tl_axis_axes_get_y: Returns: y of the middle of @row. */
double tl_axis_axes_get_y (const TlAxisAxes *axes, double row);

/** tl_axis_marks_draw: Draws numbers and names in the colour of @widget, the
 * rows' estimates, the fitted line, the present axis, and the slice's row.
 * @slice: detector row */
void tl_axis_marks_draw (GtkWidget *widget, cairo_t *cr, const TlAxisAxes *axes,
                         TlAxisMap *map, double slice);
