/* tomolens-cli centre --height: the axis over the height of the detector. */
#include "app/cli/centre/centre-private.h"
#include "app/recon/recon.h"
#include "data/error.h"

#include <math.h>
#include <stdio.h>

static void
report_row (const TlAxisPoint *p, const TlCentreEstimate *e, TlJson *json)
{
  const char *name = tl_centre_method_names[e->method];
  const double boundary_col = tl_centre_to_boundary (p->centre_col);
  tl_json_add (json,
               "{row: %zu, centre: %f, boundary: %f, uncertainty: %f, used: "
               "%d, method: %s, reason: %s}",
               p->row, p->centre_col, boundary_col, p->uncertainty_col,
               p->is_used, name, e->reason);
  if (json == NULL && isfinite (p->centre_col))
    printf ("%6zu %10.3f %10.3f %8.3f  %-4s  %s\n", p->row, p->centre_col,
            boundary_col, p->uncertainty_col, p->is_used ? "yes" : "no", name);
  else if (json == NULL)
    printf ("%6zu %10s %10s %8s  %-4s  no result: %s\n", p->row, "-", "-", "-",
            "no", e->reason);
}

static void
print_line (const TlAxisLine *line, const TlScanInfo *info)
{
  static const char *const verdicts[] = { "certain", "uncertain",
                                          "cannot tell" };
  const double mrad = 1000 * G_PI / 180;
  const double tilt_deg = tl_axis_line_get_proposal (line, 0);
  printf ("%s: %s\n", verdicts[line->verdict], line->sentence);
  if (line->verdict == TL_AXIS_CANNOT_TELL)
    return;
  printf ("centre of the middle row %.3f (boundary %.3f) +- %.3f\n"
          "tilt %.4f +- %.4f degrees (%.3f +- %.3f mrad), %s\n"
          "copy as\n  this       --centre %.3f",
          line->centre_col, tl_centre_to_boundary (line->centre_col),
          line->centre_uncertainty_col, line->tilt_deg,
          line->tilt_uncertainty_deg, line->tilt_deg * mrad,
          line->tilt_uncertainty_deg * mrad,
          tilt_deg == 0 ? "not different from zero"
          : tl_tilt_resamples (line->tilt_deg, line->centre_col, info->n_cols)
              ? "so large that projections are turned back"
              : "small enough for a centre of each row",
          tl_axis_line_get_centre (line, tilt_deg));
  if (tilt_deg != 0)
    printf (" --tilt %.4f", tilt_deg);
  printf ("\n");
}

static void
add_line (const TlAxisLine *line, const TlScanInfo *info, TlJson *json)
{
  const double mrad = 1000 * G_PI / 180;
  tl_json_add (
      json,
      "verdict: %s, sentence: %s, centre: %f, boundary: %f, "
      "centre_uncertainty: %f, tilt_deg: %f, tilt_uncertainty_deg: "
      "%f, tilt_mrad: %f, tilt_uncertainty_mrad: %f, scatter: %f, "
      "rows: %u, found: %u, used: %u, turns_back: %d, is_tilted: %d",
      tl_axis_verdict_names[line->verdict], line->sentence, line->centre_col,
      tl_centre_to_boundary (line->centre_col), line->centre_uncertainty_col,
      line->tilt_deg, line->tilt_uncertainty_deg, line->tilt_deg * mrad,
      line->tilt_uncertainty_deg * mrad, line->scatter_col, line->n_rows,
      line->n_found, line->n_used,
      line->verdict != TL_AXIS_CANNOT_TELL
          && tl_tilt_resamples (line->tilt_deg, line->centre_col, info->n_cols),
      tl_axis_line_get_proposal (line, 0) != 0);
}

/* The estimates of all rows. */
typedef struct
{
  size_t n;
  TlAxisPoint *points;      /* [n] */
  TlCentreEstimate *curves; /* [n] */
  TlAxisLine line;
} Measured;

static void
measured_clear (Measured *measured)
{
  for (size_t k = 0; k < measured->n; k++)
    tl_centre_clear (&measured->curves[k]);
  g_clear_pointer (&measured->points, g_free);
  g_clear_pointer (&measured->curves, g_free);
  tl_axis_line_clear (&measured->line);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Measured, measured_clear)

static void
report (const Measured *measured, const TlRecipe *recipe, const TlCliScan *scan,
        const TlScanInfo *info)
{
  const TlAxisLine *line = &measured->line;
  const double turned_deg = tl_axis_get_turned_back (recipe, info->n_cols);
  TlJson *json = scan->json;
  TlStagePlace place;
  if (json == NULL && turned_deg != 0)
    printf ("in projections turned back by %.4f degrees\n", turned_deg);
  if (json == NULL)
    printf ("%6s %10s %10s %8s  %-4s  %s\n", "row", "centre", "boundary", "+-",
            "used", "method");
  tl_json_add (json, "scan: %s, turned_back_deg: %f, heights: [", scan->path,
               turned_deg);
  for (size_t k = 0; k < measured->n; k++)
    report_row (&measured->points[k], &measured->curves[k], json);
  tl_json_add (json, "]");
  if (json != NULL)
    add_line (line, info, json);
  else
    print_line (line, info);
  tl_cli_stage_place_init (&place, scan, info, line->centre_col);
  place.centre_uncertainty_col = line->centre_uncertainty_col;
  place.tilt_deg = line->tilt_deg;
  place.tilt_uncertainty_deg = line->tilt_uncertainty_deg;
  if (line->doubts_angles)
    place.centre_col = place.tilt_deg = NAN;
  if (json != NULL
      || (line->verdict != TL_AXIS_CANNOT_TELL && !line->doubts_angles))
    tl_cli_stage_report (&place, json);
  tl_json_print (json);
}

static gboolean
measure_rows (TlRecon *recon, const TlRecipe *recipe,
              const TlAxisQuestion *question, Measured *measured,
              GCancellable *cancellable, GError **error)
{
  TlEngine *engine = tl_recon_get_engine (recon);
  TlCliProgress progress = { .word = "looking" };
  gboolean good = TRUE;
  measured_clear (measured);
  measured->n = question->n;
  measured->points = g_new0 (TlAxisPoint, measured->n);
  measured->curves = g_new0 (TlCentreEstimate, measured->n);
  for (size_t nth = 0; good && nth < measured->n; nth++)
    {
      const size_t k = tl_axis_line_get_order (measured->n, nth);
      g_autoptr (TlCentreRow) row =
          tl_axis_read_row (recon, recipe, question, nth, cancellable, error);
      good = row != NULL
             && tl_axis_measure_row (engine, row, question, cancellable,
                                     &measured->points[k], &measured->curves[k],
                                     error);
      tl_recon_set_engine (recon, engine);
      tl_cli_progress ((double)(nth + 1) / (double)measured->n, &progress);
    }
  tl_cli_progress_end (&progress);
  if (good)
    tl_axis_fit (measured->points, measured->n, recipe,
                 tl_reader_get_info (tl_recon_get_reader (recon)),
                 &measured->line);
  return good;
}

gboolean
tl_cli_centre_over_height (const TlCliScan *scan, TlRecon *recon,
                           const TlAxisQuestion *question,
                           GCancellable *cancellable, GError **error)
{
  const TlScanInfo *info = tl_reader_get_info (tl_recon_get_reader (recon));
  g_autoptr (TlRecipe) recipe = tl_recipe_dup (scan->recipe);
  TlAxisQuestion again = *question;
  g_auto (Measured) measured = { 0 };
  if (!measure_rows (recon, recipe, question, &measured, cancellable, error))
    return FALSE;
  if (tl_axis_is_worth_again (&measured.line, recipe, info))
    {
      recipe->params.tilt_deg = measured.line.tilt_deg;
      recipe->params.centre_col = measured.line.centre_col;
      tl_axis_question_init (&again, recipe, info, question->n);
      again.which = question->which;
      again.has_methods = question->has_methods;
      if (!measure_rows (recon, recipe, &again, &measured, cancellable, error))
        return FALSE;
    }
  report (&measured, recipe, scan, info);
  if (measured.line.verdict != TL_AXIS_CANNOT_TELL)
    return TRUE;
  g_autofree char *name = g_filename_display_basename (scan->path);
  return tl_fail (error, TL_ERROR_VALUE, "%s: the tilt cannot be measured: %s",
                  name, measured.line.sentence);
}
