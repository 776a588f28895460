/* Describes the axis map in words. */
#include "app/axis/map.h"

#include "app/session/session.h"
#include "data/geometry.h"
#include "gpu/stages/tilt.h"

#include <glib/gi18n.h>

#define MRAD_PER_DEG (1000 * G_PI / 180)

static char *
describe_line (const TlAxisLine *line)
{
  /* translators: the tilt in degrees and mrad, a column in both conventions,
   * numbers of rows */
  return g_strdup_printf (
      _ ("Tilt %.3f° ± %.3f° (%.2f mrad), centre of the middle row %.2f "
         "(boundary %.2f) ± %.2f, from %u of %u rows"),
      line->tilt_deg, line->tilt_uncertainty_deg, line->tilt_deg * MRAD_PER_DEG,
      line->centre_col, tl_centre_to_boundary (line->centre_col),
      line->centre_uncertainty_col, line->n_used, line->n_rows);
}

char *
tl_axis_map_dup_text (TlAxisMap *map)
{
  g_return_val_if_fail (TL_IS_AXIS_MAP (map), NULL);
  const TlAxisLine *line = tl_axis_map_get_line (map);
  const char *problem = tl_axis_map_get_problem (map);
  if (problem != NULL)
    return g_strdup (problem);
  if (tl_axis_map_can_accept (map))
    return describe_line (line);
  return g_strdup (_ ("No tilt yet"));
}

char *
tl_session_describe_stage_move (TlSession *session, const TlStagePlace *axis)
{
  const TlParams *params =
      &tl_parameters_get_recipe (session->parameters)->params;
  TlStagePlace place = *axis;
  TlStageMove move;
  place.wanted_col =
      tl_stage_middle (tl_scan_source_get_summary (session->source)->n_cols);
  place.pixel_size_um = params->phase.pixel_um;
  place.is_half = params->half;
  tl_stage_move (&place, &move);
  g_autofree char *words = tl_stage_move_describe (&move);
  GString *sentence = g_string_new (NULL);
  g_string_append_unichar (sentence,
                           g_unichar_toupper (g_utf8_get_char (words)));
  g_string_append (sentence, g_utf8_next_char (words));
  return g_string_free (sentence, FALSE);
}

char *
tl_session_dup_axis_move (TlSession *session)
{
  g_return_val_if_fail (TL_IS_SESSION (session), NULL);
  TlAxisMap *map = tl_session_get_axis_map (session);
  TlAcceptedAxis axis;
  if (!tl_axis_map_can_accept (map) || tl_axis_map_get_problem (map) != NULL
      || tl_axis_map_get_line (map)->doubts_angles)
    return g_strdup ("");
  tl_axis_map_propose (map, &axis);
  const TlStagePlace place = {
    .centre_col = axis.centre_col,
    .centre_uncertainty_col = axis.centre_uncertainty_col,
    .tilt_deg = axis.tilt_deg,
    .tilt_uncertainty_deg = axis.tilt_uncertainty_deg,
  };
  return tl_session_describe_stage_move (session, &place);
}

/* Returns: (transfer full): "Measuring rows, 12 of 32, about 20 s left" */
static char *
describe_progress (TlAxisMap *map, guint n_known, guint n)
{
  g_autofree char *done =
      g_strdup_printf (_ ("Measuring rows, %u of %u"), n_known, n);
  g_autofree char *left = tl_axis_map_dup_time_left (map);
  return left != NULL ? g_strconcat (done, ", ", left, NULL)
                      : g_steal_pointer (&done);
}

/* Returns: (transfer full): what accepting the line will change */
static char *
foretell (TlAxisMap *map, size_t n_cols)
{
  const double present_deg = tl_axis_map_get_present_tilt (map);
  TlAcceptedAxis axis;
  tl_axis_map_propose (map, &axis);
  if (tl_axis_map_agrees (map))
    return g_strdup (_ ("The present axis agrees with this line"));
  if (axis.tilt_deg == present_deg && present_deg != 0)
    /* translators: degrees */
    return g_strdup_printf (
        _ ("The tilt does not differ from the present one of %.3f°: if you "
           "accept this line, only its centre is taken"),
        present_deg);
  if (axis.tilt_deg == present_deg)
    return g_strdup (_ ("The tilt does not differ from zero: if you accept "
                        "this line, only its centre is taken"));
  if (axis.tilt_deg == 0)
    /* translators: degrees */
    return g_strdup_printf (
        _ ("The tilt differs from the present one of %.3f°, but not from zero: "
           "if you accept this line, the tilt becomes zero"),
        present_deg);
  if (tl_tilt_resamples (axis.tilt_deg, axis.centre_col, n_cols))
    return g_strdup (
        _ ("If you accept this line, the projections are turned back by "
           "its tilt, and the rows are measured again"));
  return g_strdup (_ ("If you accept this line, each row gets its own centre"));
}

char *
tl_axis_map_dup_consequence (TlAxisMap *map)
{
  g_return_val_if_fail (TL_IS_AXIS_MAP (map), NULL);
  const TlAxisLine *line = tl_axis_map_get_line (map);
  g_autoptr (GPtrArray) words = g_ptr_array_new_with_free_func (g_free);
  size_t n_rows, n_cols;
  guint n, n_known;
  if (!tl_axis_map_get_size (map, &n_rows, &n_cols, &n, &n_known))
    return g_strdup ("");
  if (n_known < n && tl_axis_map_get_problem (map) == NULL)
    g_ptr_array_add (words, describe_progress (map, n_known, n));
  if (tl_axis_map_get_turned_back (map) != 0)
    g_ptr_array_add (
        words,
        g_strdup_printf (_ ("Measured in projections turned back by %.3f°"),
                         tl_axis_map_get_turned_back (map)));
  if (line != NULL)
    g_ptr_array_add (words, g_strdup (line->sentence));
  if (tl_axis_map_can_accept (map))
    g_ptr_array_add (words, foretell (map, n_cols));
  g_ptr_array_add (words, NULL);
  return g_strjoinv (". ", (char **)words->pdata);
}
