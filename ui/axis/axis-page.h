/* Page of the axis over the height: the result, buttons that use it, and the
 * plot. Main thread. */
#pragma once

#include "ui/axis/axis-plot.h"

#define TL_TYPE_AXIS_PAGE (tl_axis_page_get_type ())
G_DECLARE_FINAL_TYPE (TlAxisPage, tl_axis_page, TL, AXIS_PAGE, GtkBox)

/** tl_axis_page_bind: Call once, before it is shown. @actions: the
 * application's */
void tl_axis_page_bind (TlAxisPage *self, TlView *view, GActionGroup *actions);

/** tl_axis_page_get_plot: Returns: (transfer none) */
TlAxisPlot *tl_axis_page_get_plot (TlAxisPage *self);
