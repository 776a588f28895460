/* The estimates of the axis in the side panel: their curves and ticks, what
 * they say together, and which of them cannot tell. */
#pragma once

#include "app/session/session.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define TL_TYPE_CENTRE_ESTIMATES (tl_centre_estimates_get_type ())
G_DECLARE_FINAL_TYPE (TlCentreEstimates, tl_centre_estimates, TL,
                      CENTRE_ESTIMATES, GtkBox)

/** tl_centre_estimates_set_session: Once; follows its search for the axis. */
void tl_centre_estimates_set_session (TlCentreEstimates *self,
                                      TlSession *session);

G_END_DECLS
