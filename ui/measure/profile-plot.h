/* Plot of the values along the line, with axes and a read-out. Main thread. */
#pragma once

#include "ui/measure/measure.h"

#include <gtk/gtk.h>

#define TL_TYPE_PROFILE_PLOT (tl_profile_plot_get_type ())
G_DECLARE_FINAL_TYPE (TlProfilePlot, tl_profile_plot, TL, PROFILE_PLOT,
                      GtkWidget)

/* Property "readout", string, nullable: position and value under the pointer.
 * The pointer also sets the measure's "mark". */

/** tl_profile_plot_set_measure: Call once, before it is shown. */
void tl_profile_plot_set_measure (TlProfilePlot *plot, TlMeasure *measure);
