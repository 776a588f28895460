/* Plot of the values along the line, with axes and a read-out of position and
 * value under the pointer, which also sets the measure's "mark". Main thread.
 */
#pragma once

#include "ui/measure/measure.h"

#include <gtk/gtk.h>

#define TL_TYPE_PROFILE_PLOT (tl_profile_plot_get_type ())
G_DECLARE_FINAL_TYPE (TlProfilePlot, tl_profile_plot, TL, PROFILE_PLOT,
                      GtkDrawingArea)

/** tl_profile_plot_set_measure: Call once, before it is shown. */
void tl_profile_plot_set_measure (TlProfilePlot *plot, TlMeasure *measure);

/** tl_profile_plot_describe: Returns: (transfer full) (nullable): position and
 * value under the pointer; %NULL if it is elsewhere, or there is no profile */
char *tl_profile_plot_describe (TlProfilePlot *plot);
