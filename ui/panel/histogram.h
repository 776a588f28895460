/* The histogram of the picture, with a handle for each end of the window of
 * grey values. Main thread. */
#pragma once

#include "ui/measure/measure.h"

#include <gtk/gtk.h>

#define TL_TYPE_HISTOGRAM (tl_histogram_get_type ())
G_DECLARE_FINAL_TYPE (TlHistogram, tl_histogram, TL, HISTOGRAM, GtkDrawingArea)

/* Dragging the nearer end activates "app.window-low" or "app.window-high";
 * between the two, or with Shift, both. Double click: "app.window-auto". */

/** tl_histogram_bind: Once. */
void tl_histogram_bind (TlHistogram *self, TlMeasure *measure);
