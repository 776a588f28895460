/* What the estimators of the axis say: their curves over the columns, and below
 * them a row for each, its name, a tick where it finds the axis and a bar for
 * how uncertain that is. A click on one takes its value. */
#pragma once

#include "app/axis/centre-search.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define TL_TYPE_CENTRE_CURVE (tl_centre_curve_get_type ())
G_DECLARE_FINAL_TYPE (TlCentreCurve, tl_centre_curve, TL, CENTRE_CURVE,
                      GtkWidget)

/* Properties:
 *   "readout"  string, read-only, nullable: of the estimate under the pointer:
 *              method, place in both conventions, uncertainty, reason
 */

/** tl_centre_curve_set_session: Once; follows its search for the axis, and its
 * centre. A click is the action "app.centre". */
void tl_centre_curve_set_session (TlCentreCurve *self, TlSession *session);

/**
 * tl_centre_curve_locate:
 * @name: of an estimator, or "together"
 * @x: (out): of its tick, as @y (out), in the widget
 *
 * Returns: %FALSE where there is none
 */
gboolean tl_centre_curve_locate (TlCentreCurve *self, const char *name,
                                 double *x, double *y);

G_END_DECLS
