/* Describes the result of the search for the axis in one line. */
#include "app/axis/overlay/overlay.h"

#include "app/axis/centre-search.h"
#include "app/axis/stage-move.h"

#include <glib/gi18n.h>
#include <math.h>

char *
tl_session_dup_centre_line (TlSession *session)
{
  g_return_val_if_fail (TL_IS_SESSION (session), NULL);
  TlCentreAgreement agreement;
  if (!tl_centre_search_get_agreement (tl_session_get_centre_search (session),
                                       &agreement)
      || !agreement.is_found || !tl_scan_source_is_open (session->source))
    return NULL;
  const int digits = tl_stage_count_digits (agreement.uncertainty_col);
  TlParameters *parameters = session->parameters;
  g_autofree char *given =
      tl_parameters_is_centre_given (parameters)
          /* translators: follows what the data say about the axis */
          ? g_strdup_printf (_ ("; the centre is set to %.10g"),
                             tl_parameters_get_centre (parameters))
          : g_strdup ("");
  g_autofree char *move =
      tl_overlay_describe_move (tl_session_get_overlay (session));
  /* translators: a column and its uncertainty; perhaps the centre that the user
   * has set; a sentence about the stage */
  return g_strchomp (g_strdup_printf (
      agreement.is_certain ? _ ("Axis %.*f ± %.*f columns%s. %s")
                           : _ ("Axis %.*f ± %.*f columns, uncertain%s. %s"),
      digits, agreement.centre_col, digits, agreement.uncertainty_col, given,
      move));
}
