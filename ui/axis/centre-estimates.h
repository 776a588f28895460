/* The estimates of the axis in the side panel: plot, combined estimate, and the
 * estimators that have failed. Main thread. */
#pragma once

#include "app/session/session.h"

#include <gtk/gtk.h>

#define TL_TYPE_CENTRE_ESTIMATES (tl_centre_estimates_get_type ())
G_DECLARE_FINAL_TYPE (TlCentreEstimates, tl_centre_estimates, TL,
                      CENTRE_ESTIMATES, GtkBox)

/** tl_centre_estimates_set_session: Call once. Follows the session's search for
 * the axis. */
void tl_centre_estimates_set_session (TlCentreEstimates *self,
                                      TlSession *session);
