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
tl_accepted_axis_set (TlSession *session, const TlAcceptedAxis *axis)
{
  g_return_if_fail (TL_IS_SESSION (session) && axis != NULL);
  TlAcceptedAxis *kept = get_kept (session);
  const TlAcceptedAxis before = *kept;
  const double present_deg =
      tl_parameters_get_recipe (session->parameters)->params.tilt_deg;
  /* Store the axis before the session notifies: handlers ask whether it was
   * accepted. */
  *kept = (TlAcceptedAxis){
    .scan_serial = tl_scan_source_get_serial (session->source),
    .centre_col = tl_round_to_parts (axis->centre_col, CENTRE_PARTS),
    .tilt_deg = axis->tilt_deg == present_deg
                    ? present_deg
                    : tl_round_to_parts (axis->tilt_deg, TILT_PARTS),
    .centre_uncertainty_col = axis->centre_uncertainty_col,
    .tilt_uncertainty_deg = axis->tilt_uncertainty_deg,
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
tl_accepted_axis_has_tilt (TlSession *session)
{
  const TlAcceptedAxis *accepted = tl_accepted_axis_get (session);
  return accepted != NULL
         && accepted->tilt_deg
                == tl_parameters_get_recipe (session->parameters)
                       ->params.tilt_deg;
}
