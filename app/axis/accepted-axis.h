/* The line over the height that was accepted last in a session, and how well it
 * is known. Main thread. */
#pragma once

#include "app/axis/line.h"
#include "app/session/session.h"

G_BEGIN_DECLS

/* A plain value. */
typedef struct
{
  guint64 scan_serial; /* tl_session_get_scan_serial(); 0: none was accepted */
  double centre_col, tilt_deg;
  double centre_uncertainty_col, tilt_uncertainty_deg;
} TlAcceptedAxis;

/** tl_accepted_axis_set: Makes centre and tilt of @session those of @line, in
 * one step that can be undone, and keeps its uncertainties. */
void tl_accepted_axis_set (TlSession *session, const TlAxisLine *line);

/** tl_accepted_axis_get: Returns: (transfer none) (nullable): the line that was
 * accepted last for the scan that is open */
const TlAcceptedAxis *tl_accepted_axis_get (TlSession *session);

/** tl_accepted_axis_is_present: Returns: the session's centre and tilt are
 * still those of the line that was accepted last. */
gboolean tl_accepted_axis_is_present (TlSession *session);

G_END_DECLS
