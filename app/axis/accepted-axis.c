#include "app/axis/accepted-axis.h"

#include "app/session/session.h"
#include "data/geometry.h"

#define KEY "tl-accepted-axis"

/* As many digits as the command line prints. */
#define CENTRE_PARTS 1000
#define TILT_PARTS 10000

/* Returns: (transfer none): kept by the session, zeroed at first */
static TlAcceptedAxis *
get_kept (TlSession *session)
{
  TlAcceptedAxis *kept = g_object_get_data (G_OBJECT (session), KEY);
  if (kept == NULL)
    {
      kept = g_new0 (TlAcceptedAxis, 1);
      g_object_set_data_full (G_OBJECT (session), KEY, kept, g_free);
    }
  return kept;
}

void
tl_accepted_axis_set (TlSession *session, const TlAxisLine *line)
{
  g_return_if_fail (TL_IS_SESSION (session) && line != NULL);
  TlAcceptedAxis *kept = get_kept (session);
  const TlAcceptedAxis before = *kept;
  /* Store the line before the session notifies: handlers ask whether it was
   * accepted, and one of them may free @line. */
  *kept = (TlAcceptedAxis){
    .scan_serial = tl_scan_source_get_serial (session->source),
    .centre_col = tl_round_to_parts (line->centre_col, CENTRE_PARTS),
    .tilt_deg =
        tl_round_to_parts (tl_axis_line_get_proposal (line), TILT_PARTS),
    .centre_uncertainty_col = line->centre_uncertainty_col,
    .tilt_uncertainty_deg = line->tilt_uncertainty_deg,
  };
  if (!tl_parameters_set_axis (session->parameters, kept->centre_col,
                               kept->tilt_deg))
    *kept = before;
}

const TlAcceptedAxis *
tl_accepted_axis_get (TlSession *session)
{
  g_return_val_if_fail (TL_IS_SESSION (session), NULL);
  const TlAcceptedAxis *kept = get_kept (session);
  const guint64 serial = tl_scan_source_get_serial (session->source);
  return serial != 0 && kept->scan_serial == serial ? kept : NULL;
}

gboolean
tl_accepted_axis_is_present (TlSession *session)
{
  const TlAcceptedAxis *accepted = tl_accepted_axis_get (session);
  const TlParams *params =
      &tl_parameters_get_recipe (session->parameters)->params;
  return accepted != NULL && accepted->centre_col == params->centre_col
         && accepted->tilt_deg == params->tilt_deg;
}
