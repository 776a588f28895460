/* How sharp the slice became while projections came, as a small curve. Main
 * thread. */
#pragma once

#include "app/session/session.h"

#include <gtk/gtk.h>

#define TL_TYPE_SHARPNESS_PLOT (tl_sharpness_plot_get_type ())
G_DECLARE_FINAL_TYPE (TlSharpnessPlot, tl_sharpness_plot, TL, SHARPNESS_PLOT,
                      GtkWidget)

/** tl_sharpness_plot_set_points: @points: [@n], copied. @n_expected:
 * projections of the whole scan, at the right end; 0: unknown. The plot is
 * hidden with less than two points. */
void tl_sharpness_plot_set_points (TlSharpnessPlot *self,
                                   const TlGrowthSharpness *points, guint n,
                                   size_t n_expected);
