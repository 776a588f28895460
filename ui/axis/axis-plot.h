/* Plot of the axis over the height of the detector: a heat map of how well each
 * column serves as the axis in each row, the rows' estimates, and the lines.
 * Main thread. */
#pragma once

#include "app/axis/map.h"
#include "ui/view/view.h"

#include <gtk/gtk.h>

#define TL_TYPE_AXIS_PLOT (tl_axis_plot_get_type ())
G_DECLARE_FINAL_TYPE (TlAxisPlot, tl_axis_plot, TL, AXIS_PLOT, GtkWidget)

/** tl_axis_plot_set_view: Call once, before it is shown. The plot uses the
 * view's colour map. */
void tl_axis_plot_set_view (TlAxisPlot *self, TlView *view);

/** tl_axis_plot_zoom: Zooms the columns about the middle. */
void tl_axis_plot_zoom (TlAxisPlot *self, double factor);
/** tl_axis_plot_fit: Shows all estimates, and follows them from now on. */
void tl_axis_plot_fit (TlAxisPlot *self);

/** tl_axis_plot_get_place: @x, @y: (out): where @col of detector row @row is
 * drawn, widget units. Returns: %FALSE while there is nothing to draw */
gboolean tl_axis_plot_get_place (TlAxisPlot *self, double row, double col,
                                 double *x, double *y);
