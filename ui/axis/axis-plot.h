/* The axis over the height of the detector, drawn: how well each column is the
 * axis, row by row, what the rows say, and the lines. */
#pragma once

#include "app/axis/map.h"
#include "ui/view/view.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define TL_TYPE_AXIS_PLOT (tl_axis_plot_get_type ())
G_DECLARE_FINAL_TYPE (TlAxisPlot, tl_axis_plot, TL, AXIS_PLOT, GtkWidget)

/** tl_axis_plot_set_view: Once, before it is shown. The colour map is the
 * view's. */
void tl_axis_plot_set_view (TlAxisPlot *self, TlView *view);

/** tl_axis_plot_zoom: Across the columns, about the middle. */
void tl_axis_plot_zoom (TlAxisPlot *self, double factor);
/** tl_axis_plot_fit: To what the rows say, and so it follows them. */
void tl_axis_plot_fit (TlAxisPlot *self);

/** tl_axis_plot_get_place: Where @col of detector row @row is drawn, in its own
 * coordinates; FALSE before there is something to draw. */
gboolean tl_axis_plot_get_place (TlAxisPlot *self, double row, double col,
                                 double *x, double *y);

G_END_DECLS
