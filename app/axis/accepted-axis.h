/* The line over the height of the detector that was accepted last in a session,
 * with its uncertainties. Main thread only. */
#pragma once

#include "app/axis/line.h"
#include "app/session/session.h"

/* A plain value. */
typedef struct
{
  guint64
      scan_serial; /* tl_scan_source_get_serial(); 0: no line was accepted */
  double centre_col, tilt_deg;
  double centre_uncertainty_col, tilt_uncertainty_deg;
} TlAcceptedAxis;

/** tl_accepted_axis_set: Sets centre and tilt of @session to those of @line,
 * in one step of the history, and keeps the uncertainties. */
void tl_accepted_axis_set (TlSession *session, const TlAxisLine *line);

/** tl_accepted_axis_get: Returns: (transfer none) (nullable): the line
 * accepted last for the open scan */
const TlAcceptedAxis *tl_accepted_axis_get (TlSession *session);

/** tl_accepted_axis_is_present: Returns: whether the session's centre and tilt
 * are still those of the accepted line */
gboolean tl_accepted_axis_is_present (TlSession *session);
