/* Reports how a centre corrects the rotation stage, and the registration of
 * a pair of opposite projections. */
#include "app/axis/overlay/registration.h"
#include "app/cli/centre/centre-private.h"
#include "app/recon/measured-view.h"
#include "data/error.h"

#include <math.h>
#include <stdio.h>

void
tl_cli_stage_place_init (TlStagePlace *place, const TlCliScan *scan,
                         const TlScanInfo *info, double centre_col)
{
  *place = (TlStagePlace){
    .centre_col = centre_col,
    .centre_uncertainty_col = NAN,
    .tilt_deg = NAN,
    .tilt_uncertainty_deg = NAN,
    .wanted_col = tl_stage_middle (info->n_cols),
    .pixel_size_um = scan->recipe->params.phase.pixel_um,
    .is_half = tl_recipe_takes_half (scan->recipe, info, centre_col),
  };
}

void
tl_cli_stage_report (const TlStagePlace *place, TlJson *json)
{
  TlStageMove move;
  tl_stage_move (place, &move);
  g_autofree char *words = tl_stage_move_describe (&move);
  if (json == NULL)
    printf ("stage: %s\n", words);
  tl_json_add (json,
               "stage: {move_columns: %f, move_columns_uncertainty: %f, "
               "move_um: %f, move_um_uncertainty: %f, roll_mrad: %f, "
               "roll_mrad_uncertainty: %f}",
               move.move_cols, move.move_uncertainty_cols, move.move_um,
               move.move_uncertainty_um, move.roll_mrad,
               move.roll_uncertainty_mrad);
}

/* --- one pair --- */

static void
print_line (const char *name, double value, double uncertainty,
            const char *words)
{
  if (isfinite (value))
    printf ("  %-10s %10.3f %8.3f   %s\n", name, value, uncertainty, words);
  else
    printf ("  %-10s %10s %8s   %s\n", name, "-", "-", words);
}

static void
print_pair (const TlOpposite *o, const TlRegistration *r,
            const TlStagePlace *place)
{
  const double middle_col = place->wanted_col;
  printf ("projection %zu at %.4g degrees, and %zu", o->projection,
          o->angle_deg, o->before);
  if (o->after != o->before)
    printf (" and %zu", o->after);
  printf (" at %.4g degrees", o->opposite_deg);
  if (o->missing_deg > 0)
    printf (", %.4g degrees from half a turn", o->missing_deg);
  printf ("\n  %-10s %10s %8s\n", "", "value", "+-");
  print_line ("centre", r->mirror.centre_col, r->uncertainty.centre_col,
              "columns");
  print_line ("boundary", tl_centre_to_boundary (r->mirror.centre_col),
              r->uncertainty.centre_col, "columns");
  print_line ("shift", 2 * (r->mirror.centre_col - middle_col),
              2 * r->uncertainty.centre_col,
              "columns, of the mirror image about the middle");
  print_line ("vertical", r->mirror.rows, r->uncertainty.rows,
              "rows that the opposite one stands lower");
  print_line ("roll", r->mirror.tilt_deg, r->uncertainty.tilt_deg,
              "degrees, counter-clockwise: as --tilt");
  printf ("  %-10s %10.3f %8s   correlation, 1 at most\n", "likeness",
          r->likeness, "");
  tl_cli_stage_report (place, NULL);
}

static void
print_json (const TlCliScan *scan, const TlOpposite *o, const TlRegistration *r,
            const TlStagePlace *place)
{
  const TlMirror *mirror = &r->mirror, *uncertainty = &r->uncertainty;
  tl_json_add (
      scan->json,
      "scan: %s, projection: %zu, angle: %f, opposite: %zu, "
      "next_opposite: %zu, part_of_next: %f, opposite_angle: %f, "
      "missing: %f, centre: %f, tilt: %f, rows: %f, boundary: %f, "
      "shift: %f, uncertainty: {centre: %f, tilt: %f, rows: %f}, "
      "likeness: %f",
      scan->path, o->projection, o->angle_deg, o->before, o->after, o->part,
      o->opposite_deg, o->missing_deg, mirror->centre_col, mirror->tilt_deg,
      mirror->rows, tl_centre_to_boundary (mirror->centre_col),
      2 * (mirror->centre_col - place->wanted_col), uncertainty->centre_col,
      uncertainty->tilt_deg, uncertainty->rows, r->likeness);
  tl_cli_stage_report (place, scan->json);
  tl_json_print (scan->json);
}

/* Finds which of the used projections has @number in the file. */
static gboolean
find_projection (const TlScanInfo *info, size_t number, size_t *projection,
                 GError **error)
{
  const size_t n = info->n_projections;
  for (*projection = 0; *projection < n; (*projection)++)
    if (info->frames[*projection] == number)
      return TRUE;
  if (number < info->frames[n - 1])
    return tl_fail (error, TL_ERROR_VALUE, "projection %zu is left out",
                    number);
  return tl_fail (error, TL_ERROR_VALUE,
                  "there is no projection %zu; the last one is %zu", number,
                  info->frames[n - 1]);
}

/* Finds the pair of @which: "first", or a number. */
static gboolean
find_pair (const TlScanInfo *info, const char *which, TlOpposite *opposite,
           GError **error)
{
  size_t number, projection;
  if (strcmp (which, "first") == 0)
    return tl_opposite_find_first (info->angles_deg, info->n_projections,
                                   opposite, error);
  return tl_cli_parse_size ("--opposite", which, 0, &number, error)
         && find_projection (info, number, &projection, error)
         && tl_opposite_find (info->angles_deg, info->n_projections, projection,
                              opposite, error);
}

gboolean
tl_cli_opposite_run (TlCliScan *scan, const char *which,
                     GCancellable *cancellable, GError **error)
{
  const TlScanInfo *info = tl_reader_get_info (scan->reader);
  g_autofree char *name = g_filename_display_basename (scan->path);
  g_auto (TlRegistration) r = { 0 };
  TlStagePlace place;
  TlOpposite opposite;
  if (!find_pair (info, which, &opposite, error))
    {
      if (error != NULL && g_error_matches (*error, TL_ERROR, TL_ERROR_VALUE))
        g_prefix_error (error, "%s: ", name);
      return FALSE;
    }
  g_autoptr (TlEngine) engine = tl_engine_open ("host", error);
  if (engine == NULL)
    return FALSE;
  g_autoptr (TlRecon) recon =
      tl_recon_new (g_steal_pointer (&scan->reader), engine);
  g_autoptr (TlMeasuredView) view = tl_measured_view_new (recon);
  g_auto (TlPair) pair = { 0 };
  TlReconTimes times;
  if (!tl_measured_view_run_pair (view, scan->recipe, opposite.projection,
                                  cancellable, &pair, NULL, &times, error)
      || !tl_register (tl_frame_get_pixels (pair.frame),
                       tl_frame_get_pixels (pair.mirrorable), info->n_rows,
                       info->n_cols, cancellable, &r, error))
    return FALSE;
  tl_cli_stage_place_init (&place, scan, info, r.mirror.centre_col);
  place.centre_uncertainty_col = r.uncertainty.centre_col;
  place.tilt_deg = r.mirror.tilt_deg;
  place.tilt_uncertainty_deg = r.uncertainty.tilt_deg;
  if (!r.is_found)
    return tl_fail (
        error, TL_ERROR_VALUE,
        "%s: the centre cannot be measured from projections %zu and "
        "%zu: %s",
        name, pair.opposite.projection, pair.opposite.before, r.sentence);
  if (scan->json != NULL)
    print_json (scan, &pair.opposite, &r, &place);
  else
    print_pair (&pair.opposite, &r, &place);
  return TRUE;
}
