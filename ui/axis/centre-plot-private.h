/* Layout and drawing of TlCentreCurve. Main thread. */
#pragma once

#include "app/axis/centre-search.h"
#include "app/measure/ruler.h"

#include <gtk/gtk.h>

/* A line of the plot: an estimator's estimate, or the combined one. */
typedef struct
{
  TlCentreFound found; /* lent by the search */
  const char *title;   /* translated name; lent */
  gboolean is_common;
} TlCentreLine;

/* Contents of the plot; plain value. */
typedef struct
{
  GtkWidget *widget; /* gives size, font and colours */
  const TlCentreLine *lines;
  guint n_lines;
  int pointed;       /* line under the pointer; -1: none */
  double centre_col; /* present axis */
} TlCentrePlot;

/* Layout of the plot, widget units. */
typedef struct
{
  double left, right;       /* edges of the columns shown */
  double low_col, high_col; /* columns at these edges */
  double line_height;
  double curve_bottom; /* below it are the lines */
  double bottom;       /* of the last line; below it is the axis of columns */
  TlTicks ticks;
} TlCentreAxes;

/** tl_centre_axes_init: Returns: %FALSE if there is nothing to draw, or no
 * room. */
gboolean tl_centre_axes_init (TlCentreAxes *axes, const TlCentrePlot *plot);
double tl_centre_axes_get_x (const TlCentreAxes *axes, double col);
/** tl_centre_axes_get_y: Returns: y of the middle of a line. */
double tl_centre_axes_get_y (const TlCentreAxes *axes, guint line);
/** tl_centre_axes_get_height: Returns: the height for @n_lines. */
int tl_centre_axes_get_height (GtkWidget *widget, guint n_lines);

void tl_centre_plot_draw (const TlCentrePlot *plot, const TlCentreAxes *axes,
                          cairo_t *cr);
