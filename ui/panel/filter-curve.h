/* The filter's curve, from frequency 0 to the detector's limit. */
#pragma once

#include "app/session/session.h"

#include <gtk/gtk.h>

#define TL_TYPE_FILTER_CURVE (tl_filter_curve_get_type ())
G_DECLARE_FINAL_TYPE (TlFilterCurve, tl_filter_curve, TL, FILTER_CURVE,
                      GtkWidget)

/** tl_filter_curve_set_session: Once; follows its parameters. */
void tl_filter_curve_set_session (TlFilterCurve *self, TlSession *session);
