/* Plot of the estimators of the axis: their curves over the columns, and below
 * a line for each with its name, a tick at its estimate, and a bar for the
 * uncertainty. A click on a line takes its estimate. Main thread. */
#pragma once

#include "app/axis/centre-search.h"

#include <gtk/gtk.h>

#define TL_TYPE_CENTRE_CURVE (tl_centre_curve_get_type ())
G_DECLARE_FINAL_TYPE (TlCentreCurve, tl_centre_curve, TL, CENTRE_CURVE,
                      GtkDrawingArea)

/** tl_centre_curve_set_session: Call once. The plot follows the session's
 * search for the axis, and its centre. A click activates "app.centre"; the
 * tooltip describes the estimate under the pointer. */
void tl_centre_curve_set_session (TlCentreCurve *self, TlSession *session);

/**
 * tl_centre_curve_locate:
 * @name: of an estimator, or "together"
 * @x: (out): of its tick, widget units, as @y
 *
 * Returns: %FALSE if it has no line
 */
gboolean tl_centre_curve_locate (TlCentreCurve *self, const char *name,
                                 double *x, double *y);
