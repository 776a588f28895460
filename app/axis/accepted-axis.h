/* The measured axis that was accepted last in a session, with its
 * uncertainties: a line over the height of the detector, or the registration of
 * opposite projections. Main thread only. */
#pragma once

#include "app/session/session.h"

/* A plain value. */
typedef struct
{
  guint64
      scan_serial; /* tl_scan_source_get_serial(); 0: no axis was accepted */
  double centre_col, tilt_deg;
  double centre_uncertainty_col, tilt_uncertainty_deg;
} TlAcceptedAxis;

/** tl_accepted_axis_set: Sets centre and tilt of @session to those of @axis,
 * rounded, in one step of the history, and keeps the uncertainties. A tilt that
 * equals the present one stays as it is; the scan's serial number is ignored.
 */
void tl_accepted_axis_set (TlSession *session, const TlAcceptedAxis *axis);

/** tl_accepted_axis_get: Returns: (transfer none) (nullable): the axis
 * accepted last for the open scan */
const TlAcceptedAxis *tl_accepted_axis_get (TlSession *session);

/** tl_accepted_axis_has_tilt: Returns: whether the session's tilt is still that
 * of the accepted axis */
gboolean tl_accepted_axis_has_tilt (TlSession *session);
