/* Finds the axis for the command "centre" and for "--centre auto". */
#include "app/cli/centre/centre-private.h"

#include "data/array.h"
#include "data/error.h"
#include "data/geometry.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The options and the state of the command. */
typedef struct
{
  char *slices, *range, **methods; /* as typed (nullable) */
  char *n_heights;                 /* as typed (nullable) */
  char *opposite;                  /* as typed (nullable) */
  gboolean timing, over_height, has_tilt;
  gint64 start_us;
  double open_s, engine_s;
  TlCliRange rows;
  TlCentreQuestion question;
  TlCliCandidates candidates;
} Options;

/* Sets an error that says why the centre cannot be determined from the row
 * of @answer. */
static void
refuse (const char *path, const TlCentreAnswer *answer, GError **error)
{
  g_autofree char *name = tl_cli_dup_scan_name (path);
  g_clear_error (error);
  g_set_error (error, TL_ERROR, TL_ERROR_VALUE,
               "%s: the centre cannot be found in slice %zu: %s", name,
               answer->row, answer->consensus.sentence);
}

/* Rounded as printed, so that the recipe holds the printed value. */
static double
round_col (double col)
{
  return tl_round_to_parts (col, 1000);
}

/* Returns: @found_col, rounded, in columns of @scan's bin. Three digits of bins
 * are three of pixels, too: see tl_bin_convert_col(). */
static double
round_to_given (const TlCliScan *scan, double found_col)
{
  return tl_bin_convert_col (round_col (found_col), scan->recipe->bin,
                             scan->bin);
}

gboolean
tl_cli_scan_find_centre (TlCliScan *scan, TlRecon *recon, size_t row,
                         GCancellable *cancellable, GError **error)
{
  g_auto (TlCentreAnswer) answer = { 0 };
  TlCentreQuestion question;
  if (!scan->wants_centre)
    return TRUE;
  tl_centre_question_init (
      &question, row, tl_reader_get_info (tl_recon_get_reader (recon))->n_cols);
  if (!tl_find_centre (recon, scan->recipe, &question, cancellable, &answer,
                       error))
    return FALSE;
  const TlCentreConsensus *c = &answer.consensus;
  g_autoptr (GStrvBuilder) notes = g_strv_builder_new ();
  g_autoptr (GString) text = g_string_new (NULL);
  if (c->verdict == TL_CENTRE_CANNOT_TELL)
    {
      if (answer.note != NULL)
        fprintf (stderr, "note: %s\n", answer.note);
      refuse (scan->path, &answer, error);
      return FALSE;
    }
  const guint bin = scan->recipe->bin, to = scan->bin;
  const double centre_col = round_to_given (scan, c->centre_col);
  g_autofree char *binned =
      bin != to ? g_strdup_printf (" (rows and columns of %u pixels)", bin)
                : g_strdup ("");
  g_string_printf (text,
                   "centre %.3f (boundary %.3f) +- %.3f from slice %zu%s: %s;",
                   centre_col, tl_centre_to_boundary (centre_col),
                   c->uncertainty_col * bin / to, row, binned, c->sentence);
  for (size_t k = 0; k < answer.n; k++)
    if (answer.estimates[k].is_found)
      g_string_append_printf (
          text, " %s %.3f%s",
          tl_centre_method_names[answer.estimates[k].method],
          round_to_given (scan, answer.estimates[k].centre_col),
          tl_cli_centre_mark_outlier (&answer.estimates[k], c));
  g_strv_builder_addv (notes, (const char **)scan->notes);
  g_strv_builder_add (notes, text->str);
  fprintf (stderr, "note: %s\n", text->str);
  if (answer.note != NULL)
    {
      g_strv_builder_add (notes, answer.note);
      fprintf (stderr, "note: %s\n", answer.note);
    }
  g_strfreev (scan->notes);
  scan->notes = g_strv_builder_end (notes);
  scan->recipe->params.centre_col = round_col (c->centre_col);
  scan->recipe->centre_known = TRUE;
  /* Whether the scan is a half acquisition, and the width of the slice,
   * depend on the centre. */
  return tl_recipe_resolve (
      scan->recipe, tl_reader_get_info (tl_recon_get_reader (recon)), error);
}

static gboolean
choose_methods (Options *o, GError **error)
{
  if (o->methods == NULL)
    return TRUE;
  for (guint method = 0; method < TL_N_CENTRE_METHODS; method++)
    o->question.methods[method] = FALSE;
  for (char **name = o->methods; *name != NULL; name++)
    {
      int method = TL_CENTRE_VO; /* "vo" is its older name */
      g_autoptr (GError) reason = NULL;
      if (strcmp (*name, "vo") != 0
          && !tl_name_find (tl_centre_method_names, "method", *name, &method,
                            &reason))
        return tl_cli_usage_error (error, "--by: %s", reason->message);
      o->question.methods[method] = TRUE;
    }
  return TRUE;
}

static gboolean
choose_range (Options *o, GError **error)
{
  if (o->range == NULL)
    return TRUE;
  g_auto (GStrv) words = g_strsplit (o->range, ":", -1);
  char *ends[2] = { NULL, NULL };
  double columns[2] = { NAN, NAN };
  for (guint k = 0; g_strv_length (words) == 2 && k < 2; k++)
    {
      columns[k] = g_ascii_strtod (words[k], &ends[k]);
      if (ends[k] == words[k] || *ends[k] != '\0')
        columns[k] = NAN;
    }
  if (!(columns[0] < columns[1]))
    return tl_cli_usage_error (
        error,
        "--range takes FIRST:LAST, two columns, the first "
        "before the last, not \"%s\"",
        o->range);
  o->question.first_col = columns[0];
  o->question.last_col = columns[1];
  return TRUE;
}

/* Result over several rows: the median of the rows that have the best
 * verdict. */
typedef struct
{
  GArray *centres; /* centres of the rows with the best verdict so far */
  TlCentreVerdict verdict;
  double uncertainty_col; /* largest of their uncertainties; NaN if there are
                             none */
  gboolean doubts_angles; /* the angles contradict the projections */
  GError *refusal;        /* (nullable): of the last row without an answer */
} Summary;

static void
add_answer (Summary *summary, const TlCentreConsensus *c)
{
  if (c->verdict > summary->verdict)
    return;
  if (c->verdict < summary->verdict)
    {
      g_array_set_size (summary->centres, 0);
      summary->uncertainty_col = NAN;
    }
  summary->verdict = c->verdict;
  summary->uncertainty_col =
      fmax (summary->uncertainty_col, c->uncertainty_col);
  if (c->verdict != TL_CENTRE_CANNOT_TELL)
    g_array_append_val (summary->centres, c->centre_col);
}

/* Returns: %FALSE if a row fails; a row without an answer does not fail */
static gboolean
run_rows (Options *o, TlCliScan *scan, TlRecon *recon, Summary *summary,
          GCancellable *cancellable, GError **error)
{
  for (size_t row = o->rows.first; row <= o->rows.last; row += o->rows.step)
    {
      g_auto (TlCentreAnswer) answer = { 0 };
      o->question.row = row;
      if (!tl_find_centre (recon, scan->recipe, &o->question, cancellable,
                           &answer, error))
        return FALSE;
      tl_cli_centre_report (&answer, scan->json);
      if (o->timing && scan->json == NULL)
        tl_cli_centre_print_timing (&answer, o->open_s, o->engine_s);
      add_answer (summary, &answer.consensus);
      summary->doubts_angles |= answer.note != NULL;
      if (answer.consensus.verdict == TL_CENTRE_CANNOT_TELL)
        refuse (scan->path, &answer, &summary->refusal);
    }
  return TRUE;
}

/* Reports the result over all rows, and how to move the stage. */
static void
report (const Options *o, const TlCliScan *scan, const TlScanInfo *info,
        const Summary *summary)
{
  TlJson *json = scan->json;
  GArray *centres = summary->centres;
  const double centre_col =
      centres->len > 0 ? tl_median ((double *)centres->data, centres->len)
                       : NAN;
  TlStagePlace place;
  tl_cli_stage_place_init (&place, scan, info,
                           summary->doubts_angles ? NAN : centre_col);
  place.centre_uncertainty_col = summary->uncertainty_col;
  if (o->has_tilt)
    place.tilt_deg = scan->recipe->params.tilt_deg;
  if (json != NULL)
    {
      tl_json_add (json, "], centre: %f, boundary: %f, verdict: %s", centre_col,
                   tl_centre_to_boundary (centre_col),
                   tl_cli_centre_verdict_names[summary->verdict]);
      tl_cli_stage_report (&place, json);
      tl_json_add (json, "open_seconds: %f, engine_seconds: %f", o->open_s,
                   o->engine_s);
      tl_json_print (json);
      return;
    }
  if (centres->len == 0)
    return;
  if (centres->len > 1)
    printf ("median of %u slices: centre %.3f, boundary %.3f\n", centres->len,
            centre_col, tl_centre_to_boundary (centre_col));
  tl_cli_centre_print_copies (centre_col, info->n_cols);
  if (!summary->doubts_angles)
    tl_cli_stage_report (&place, NULL);
}

static gboolean
run_heights (Options *o, TlCliScan *scan, TlRecon *recon,
             GCancellable *cancellable, GError **error)
{
  TlAxisQuestion question;
  size_t n = 0;
  if (o->n_heights != NULL
      && !tl_cli_parse_size ("--rows", o->n_heights, 3, &n, error))
    return FALSE;
  tl_axis_question_init (&question, scan->recipe,
                         tl_reader_get_info (tl_recon_get_reader (recon)), n);
  question.which = o->question;
  question.has_methods = o->methods != NULL;
  return tl_cli_centre_over_height (scan, recon, &question, cancellable, error);
}

/* The modes of the command. At most one of the last three can be requested. */
enum
{
  OF_ROWS = 1 << 0,
  OF_HEIGHT = 1 << 1,
  OF_CANDIDATES = 1 << 2,
  OF_OPPOSITE = 1 << 3
};

static const struct
{
  const char *option;
  guint mode;
} modes[] = {
  { "height", OF_HEIGHT },
  { "candidates", OF_CANDIDATES },
  { "opposite", OF_OPPOSITE },
};

/* Finds the requested mode. Returns: %FALSE with a usage error if there are
 * several */
static gboolean
find_mode (const Options *o, guint *mode, GError **error)
{
  const gboolean asked[] = { o->over_height, o->candidates.n != NULL,
                             o->opposite != NULL };
  const char *first = NULL;
  *mode = OF_ROWS;
  for (size_t k = 0; k < G_N_ELEMENTS (modes); k++)
    {
      if (!asked[k])
        continue;
      if (first != NULL)
        return tl_cli_usage_error (error,
                                   "--%s and --%s: one of them, not both",
                                   first, modes[k].option);
      first = modes[k].option;
      *mode = modes[k].mode;
    }
  return TRUE;
}

static const char *
name_mode (guint mode)
{
  for (size_t k = 0; k < G_N_ELEMENTS (modes); k++)
    if (modes[k].mode == mode)
      return modes[k].option;
  g_return_val_if_reached ("");
}

/* Refuses options that the requested mode would ignore. */
static gboolean
check_mode (const Options *o, const TlCliLine *line, GError **error)
{
  const struct
  {
    const char *option;
    gboolean is_given;
    guint takers;
  } own[] = {
    { "slice", tl_cli_line_has (line, "slice"), OF_ROWS | OF_CANDIDATES },
    { "slices", o->slices != NULL, OF_ROWS },
    { "by", o->methods != NULL, OF_ROWS | OF_HEIGHT | OF_CANDIDATES },
    { "range", o->range != NULL, OF_ROWS | OF_HEIGHT | OF_CANDIDATES },
    { "rows", o->n_heights != NULL, OF_HEIGHT },
    { "timing", o->timing, OF_ROWS },
  };
  guint mode;
  if (!find_mode (o, &mode, error))
    return FALSE;
  for (size_t k = 0; k < G_N_ELEMENTS (own); k++)
    {
      if (!own[k].is_given || (own[k].takers & mode) != 0)
        continue;
      if ((own[k].takers & OF_ROWS) == 0)
        tl_cli_usage_error (error, "--%s is for --%s", own[k].option,
                            name_mode (own[k].takers));
      else
        tl_cli_usage_error (error, "--%s does not take --%s", name_mode (mode),
                            own[k].option);
      return FALSE;
    }
  const char *contrary = NULL;
  if (o->slices != NULL && tl_cli_line_has (line, "slice"))
    contrary = "--slice is one row and --slices are several: one of them, not "
               "both";
  else if (o->candidates.around != NULL
           && (o->methods != NULL || o->range != NULL))
    contrary = "--around says where the middle is, --by and --range how to "
               "find it: one of them, not both";
  if (contrary != NULL)
    tl_cli_usage_error (error, "%s", contrary);
  return contrary == NULL;
}

static gboolean
run (Options *o, TlCliScan *scan, GCancellable *cancellable, GError **error)
{
  const TlScanInfo *info = tl_reader_get_info (scan->reader);
  if (o->slices == NULL)
    o->rows = (TlCliRange){ scan->recipe->slice, scan->recipe->slice, 1 };
  if (o->rows.last >= info->n_rows)
    {
      g_autofree char *name = g_filename_display_basename (scan->path);
      return tl_fail (error, TL_ERROR_VALUE,
                      "%s: there is no slice %zu; the rows are 0 to %zu", name,
                      o->rows.last, info->n_rows - 1);
    }
  if (o->range == NULL)
    o->question.last_col = (double)info->n_cols - 1;
  const gint64 opened_us = g_get_monotonic_time ();
  g_autoptr (TlEngine) engine = tl_engine_open (scan->recipe->engine, error);
  if (engine == NULL)
    return FALSE;
  o->open_s = (double)(opened_us - o->start_us) / G_USEC_PER_SEC;
  o->engine_s = (double)(g_get_monotonic_time () - opened_us) / G_USEC_PER_SEC;
  g_autoptr (TlRecon) recon =
      tl_recon_new (g_steal_pointer (&scan->reader), engine);
  if (o->over_height)
    return run_heights (o, scan, recon, cancellable, error);
  g_autoptr (GArray) centres = g_array_new (FALSE, FALSE, sizeof (double));
  Summary summary = { centres, TL_CENTRE_CANNOT_TELL, NAN, FALSE, NULL };
  tl_json_add (scan->json, "scan: %s, slices: [", scan->path);
  const gboolean good = run_rows (o, scan, recon, &summary, cancellable, error);
  if (good)
    report (o, scan, info, &summary);
  if (good && centres->len == 0)
    {
      g_propagate_error (error, summary.refusal);
      return FALSE;
    }
  g_clear_error (&summary.refusal);
  return good;
}

/* Returns: whether the key describes the data and their correction, not the
 * axis, the filter or the back-projection */
static gboolean
is_of_data (const TlParamSpec *key)
{
  static const char *const others[] = {
    "centre", "boundary",          "preset",  "filter",
    "cutoff", "butterworth-order", "method",  "interpolation",
    "kernel", "precision",         "padding", NULL
  };
  return !g_strv_contains (others, key->key);
}

/* Returns: whether the key is an option of this command; the centre is not,
 * because the command finds it */
static gboolean
is_offered (const TlParamSpec *key)
{
  return strcmp (key->key, "centre") != 0 && strcmp (key->key, "boundary") != 0;
}

/* Makes candidates of one row. Columns default to the whole detector. */
static gboolean
run_candidates (Options *o, TlCliScan *scan, GCancellable *cancellable,
                GError **error)
{
  o->question.row = scan->recipe->slice;
  if (o->range == NULL)
    o->question.last_col =
        (double)tl_reader_get_info (scan->reader)->n_cols - 1;
  return tl_cli_candidates_run (&o->candidates, scan, &o->question, cancellable,
                                error);
}

gboolean
tl_cli_centre (char **args, GCancellable *cancellable, GError **error)
{
  Options o = { .start_us = g_get_monotonic_time () };
  tl_centre_question_init (&o.question, 0, 1);
  const GOptionEntry own[] = {
    { "slices", 0, 0, G_OPTION_ARG_STRING, &o.slices,
      "several slices: rows FIRST to LAST, both included, every STEP",
      "FIRST:LAST[:STEP]" },
    { "by", 0, 0, G_OPTION_ARG_STRING_ARRAY, &o.methods,
      "find it by phase, sinogram, symmetry, moments, overlap or sharpness; "
      "may be given several times (all)",
      "NAME" },
    { "range", 0, 0, G_OPTION_ARG_STRING, &o.range,
      "search between these columns (the whole detector)", "FIRST:LAST" },
    { "height", 0, 0, G_OPTION_ARG_NONE, &o.over_height,
      "measure many rows from top to bottom, for the centre of the middle row "
      "and the tilt",
      NULL },
    { "rows", 0, 0, G_OPTION_ARG_STRING, &o.n_heights,
      "with --height: number of rows (32)", "N" },
    { "opposite", 0, 0, G_OPTION_ARG_STRING, &o.opposite,
      "instead register projection NUMBER, or the first possible, with its "
      "opposite: shift, vertical shift and roll",
      "NUMBER|first" },
    { "timing", 0, 0, G_OPTION_ARG_NONE, &o.timing,
      "print the time of each step", NULL },
    { 0 },
  };
  g_auto (TlCliLine) line = { 0 };
  g_auto (TlCliScan) scan = { 0 };
  g_auto (GStrv) rest = g_strdupv (args);
  tl_cli_line_init (
      &line, "FILE",
      "Finds the column onto which the rotation axis projects, by several "
      "methods, and prints how far they agree. If the data do not show the "
      "axis, it says so and exits with status 1. For a half acquisition, "
      "which is a full turn with the axis near an edge, try --by overlap.",
      NULL, own);
  line.seeks_centre = TRUE;
  tl_cli_candidates_add_options (&o.candidates, &line);
  tl_cli_line_add_keys (&line, is_offered);
  gboolean good =
      tl_cli_line_parse (&line, &rest, error)
      && tl_cli_line_check_scan (&line, rest, error)
      && choose_methods (&o, error) && choose_range (&o, error)
      && tl_cli_candidates_check (&o.candidates, &line, is_of_data, error)
      && check_mode (&o, &line, error);
  o.has_tilt = tl_cli_line_has (&line, "tilt");
  good = good
         && (o.slices == NULL || tl_cli_parse_range (o.slices, &o.rows, error))
         && tl_cli_scan_open (&scan, &line, rest[1], o.slices == NULL,
                              cancellable, error)
         && (o.candidates.n != NULL
                 ? run_candidates (&o, &scan, cancellable, error)
             : o.opposite != NULL
                 ? tl_cli_opposite_run (&scan, o.opposite, cancellable, error)
                 : run (&o, &scan, cancellable, error));
  tl_cli_explain_cancel (error, "%s: the search for the centre was interrupted",
                         scan.path);
  g_strfreev (o.methods);
  return good;
}
