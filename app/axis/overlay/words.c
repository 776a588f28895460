/* Describes an overlay in sentences. */
#include "app/axis/overlay/overlay.h"

#include "app/axis/accepted-axis.h"
#include "app/axis/centre-search.h"
#include "app/axis/overlay/overlay-private.h"
#include "app/axis/stage-move.h"
#include "app/session/session.h"

#include "data/geometry.h"

#include <glib/gi18n.h>
#include <math.h>

/* Columns and degrees: values this close to accepted ones count as accepted. */
#define SAME_COL 1e-3
#define SAME_DEG 1e-4

char *
tl_overlay_describe_pair (TlOverlay *overlay)
{
  g_return_val_if_fail (TL_IS_OVERLAY (overlay), NULL);
  TlSession *session = tl_overlay_get_session (overlay);
  if (session == NULL)
    return g_strdup ("");
  const TlPair *pair =
      &tl_display_get_shown_view (session->display, TL_PICTURE_OVERLAY)->pair;
  const TlOpposite *o = &pair->opposite;
  if (pair->problem != NULL)
    return g_strdup (pair->problem);
  if (pair->mirrorable == NULL)
    return g_strdup ("");
  if (o->missing_deg > 0)
    return g_strdup_printf (
        _ ("A: %zu at %.4g° · B: %zu at %.4g°, %.3g° from half a turn"),
        o->projection, o->angle_deg, o->before, o->opposite_deg,
        o->missing_deg);
  if (o->before != o->after)
    return g_strdup_printf (
        _ ("A: %zu at %.4g° · B: between %zu and %zu, at %.4g°"), o->projection,
        o->angle_deg, MIN (o->before, o->after), MAX (o->before, o->after),
        o->opposite_deg);
  return g_strdup_printf (_ ("A: %zu at %.4g° · B: %zu at %.4g°"),
                          o->projection, o->angle_deg, o->before,
                          o->opposite_deg);
}

char *
tl_overlay_describe_registration (TlOverlay *overlay)
{
  g_return_val_if_fail (TL_IS_OVERLAY (overlay), NULL);
  const TlRegistration *r = tl_overlay_get_registration (overlay);
  if (r == NULL)
    return g_strdup (tl_overlay_get_opposite (overlay) != NULL
                         ? _ ("Measuring where the axis is…")
                         : "");
  if (!r->is_found)
    return g_strdup_printf (_ ("The axis cannot be measured: %s"), r->sentence);
  const double boundary = tl_centre_to_boundary (r->mirror.centre_col);
  if (!r->has_roll)
    return g_strdup_printf (_ ("Centre %.3f ± %.3f (boundary %.3f)"),
                            r->mirror.centre_col, r->uncertainty.centre_col,
                            boundary);
  return g_strdup_printf (
      _ ("Centre %.3f ± %.3f (boundary %.3f) · tilt %.3f° ± %.3f · B lower by "
         "%.2f ± %.2f rows"),
      r->mirror.centre_col, r->uncertainty.centre_col, boundary,
      r->mirror.tilt_deg, r->uncertainty.tilt_deg, r->mirror.rows,
      r->uncertainty.rows);
}

static char *
describe_move (TlOverlay *overlay, const TlMirror *mirror,
               const TlMirror *uncertainty)
{
  TlSession *session = tl_overlay_get_session (overlay);
  const TlStagePlace place = {
    .centre_col = mirror->centre_col,
    .centre_uncertainty_col = uncertainty->centre_col,
    .tilt_deg = mirror->tilt_deg,
    .tilt_uncertainty_deg = uncertainty->tilt_deg,
    .wanted_col =
        tl_stage_middle (tl_scan_source_get_summary (session->source)->n_cols),
    .pixel_size_um =
        tl_parameters_get_recipe (session->parameters)->params.phase.pixel_um,
    .is_half = tl_parameters_get_recipe (session->parameters)->params.half,
  };
  return tl_stage_move_dup_sentence (&place);
}

char *
tl_overlay_describe_found_move (TlOverlay *overlay)
{
  g_return_val_if_fail (TL_IS_OVERLAY (overlay), NULL);
  const TlRegistration *r = tl_overlay_get_registration (overlay);
  if (r == NULL || !r->is_found || tl_overlay_get_session (overlay) == NULL)
    return g_strdup ("");
  return describe_move (overlay, &r->mirror, &r->uncertainty);
}

static gboolean
is_same (const TlMirror *mirror, double centre_col, double tilt_deg)
{
  return fabs (mirror->centre_col - centre_col) < SAME_COL
         && fabs (mirror->tilt_deg - tilt_deg) < SAME_DEG;
}

/* Finds the uncertainties of centre and tilt. Each is known only if the present
 * value is the one that was found, with the present axis; otherwise NaN. */
static void
find_uncertainty (TlOverlay *overlay, const TlMirror *mirror,
                  TlMirror *uncertainty)
{
  TlSession *session = tl_overlay_get_session (overlay);
  const TlAcceptedAxis *accepted = tl_accepted_axis_get (session);
  const TlRegistration *r = tl_overlay_get_registration (overlay);
  TlCentreAgreement agreement;
  *uncertainty = (TlMirror){ NAN, NAN, NAN };
  if (accepted != NULL
      && is_same (mirror, accepted->centre_col, accepted->tilt_deg))
    {
      uncertainty->centre_col = accepted->centre_uncertainty_col;
      uncertainty->tilt_deg = accepted->tilt_uncertainty_deg;
    }
  else if (r != NULL && r->is_found
           && fabs (mirror->centre_col - r->mirror.centre_col) < SAME_COL)
    {
      uncertainty->centre_col = r->uncertainty.centre_col;
      if (is_same (mirror, r->mirror.centre_col, r->mirror.tilt_deg))
        uncertainty->tilt_deg = r->uncertainty.tilt_deg;
    }
  else if (tl_centre_search_get_agreement (
               tl_session_get_centre_search (session), &agreement)
           && agreement.is_found
           && fabs (mirror->centre_col - agreement.centre_col) < SAME_COL)
    uncertainty->centre_col = agreement.uncertainty_col;
}

char *
tl_overlay_describe_move (TlOverlay *overlay)
{
  g_return_val_if_fail (TL_IS_OVERLAY (overlay), NULL);
  TlSession *session = tl_overlay_get_session (overlay);
  TlMirror mirror, uncertainty;
  if (session == NULL)
    return g_strdup ("");
  TlScanSource *source = session->source;
  if (!tl_scan_source_is_open (source))
    return g_strdup ("");
  tl_overlay_get_mirror (overlay, &mirror);
  find_uncertainty (overlay, &mirror, &uncertainty);
  if (isnan (uncertainty.centre_col)
      && mirror.centre_col
             == tl_stage_middle (tl_scan_source_get_summary (source)->n_cols))
    return g_strdup (""); /* the default while no centre is known */
  if (mirror.tilt_deg == 0 && isnan (uncertainty.tilt_deg))
    mirror.tilt_deg = NAN; /* the tilt was not measured */
  return describe_move (overlay, &mirror, &uncertainty);
}

char *
tl_overlay_describe_values (TlOverlay *overlay)
{
  g_return_val_if_fail (TL_IS_OVERLAY (overlay), NULL);
  const TlOverlayMode mode = tl_overlay_get_mode (overlay);
  const double rows = tl_overlay_get_rows (overlay);
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  if (tl_overlay_get_opposite (overlay) == NULL
      || (mode != TL_OVERLAY_DIFFERENCE && mode != TL_OVERLAY_SUM))
    return g_strdup ("corrected projection: [row][column]");
  g_autoptr (GString) text = g_string_new (
      mode == TL_OVERLAY_SUM ? "mean of the projection and " : "");
  g_string_append (text, "the opposite one, mirrored about the axis");
  if (rows != 0) /* recipes have no key for it */
    g_string_append_printf (
        text, " and moved up by %s rows",
        g_ascii_formatd (number, sizeof number, "%.10g", rows));
  g_string_append (text, mode == TL_OVERLAY_SUM
                             ? ": [row][column]"
                             : ", less the projection: [row][column]");
  return g_string_free (g_steal_pointer (&text), FALSE);
}
