/* What is drawn over and around the heat map of the axis over the height. */
#pragma once

#include "app/axis/map.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Widget units, at the left and below: between a number and its tick, and of a
 * tick. */
#define TL_AXIS_AXES_GAP 5.0
#define TL_AXIS_AXES_TICK 4.0

/* Where the map is; a plain value. */
typedef struct
{
  double left, right, top, bottom; /* widget units */
  size_t n_rows, n_cols;           /* of the detector */
  guint n;                         /* rows that are looked at */
  double first, last;              /* columns at the left and at the right */
} TlAxisAxes;

double tl_axis_axes_get_x (const TlAxisAxes *axes, double col);
/** tl_axis_axes_get_y: Returns: where the middle of @row is. */
double tl_axis_axes_get_y (const TlAxisAxes *axes, double row);

/** tl_axis_marks_draw: Numbers and names in the colour of @widget; what the
 * rows say, the fitted line, the present axis, and the row of the slice. */
void tl_axis_marks_draw (GtkWidget *widget, cairo_t *cr, const TlAxisAxes *axes,
                         TlAxisMap *map, double slice);

G_END_DECLS
