/* Curve of the filter, from frequency 0 to the limit of the detector. Main
 * thread. */
#pragma once

#include "app/session/session.h"

#include <gtk/gtk.h>

/** tl_filter_curve_bind: Once: makes @area draw and describe the filter that
 * the parameters choose. */
void tl_filter_curve_bind (GtkDrawingArea *area, TlSession *session);
