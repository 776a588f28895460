/* Where the axis is, in words, and for "--centre auto". */
#include "app/cli-private.h"

#include "data/error.h"

#include <math.h>
#include <stdio.h>

static const char *const verdict_names[] = { "certain", "look", "cannot-tell" };

/* The command line. */
typedef struct
{
  char *slices, *range, **methods; /* as typed (nullable) */
  gboolean json;
  TlCliRange rows;
  TlCentreQuestion question;
} Options;

static void
print_estimate (const TlCentreEstimate *e)
{
  const char *name = tl_centre_method_names[e->method];
  if (e->is_found)
    printf ("  %-10s %10.3f %10.3f %8.3f   %s\n", name, e->centre_col,
            tl_centre_to_boundary (e->centre_col), e->uncertainty_col,
            e->reason);
  else
    printf ("  %-10s %10s %10s %8s   cannot tell: %s\n", name, "-", "-", "-",
            e->reason);
}

static void
print_answer (const TlCentreAnswer *answer)
{
  const TlCentreConsensus *c = &answer->consensus;
  printf ("slice %zu\n  %-10s %10s %10s %8s\n", answer->row, "method", "centre",
          "boundary", "+-");
  for (size_t k = 0; k < answer->n; k++)
    print_estimate (&answer->estimates[k]);
  if (c->verdict == TL_CENTRE_CANNOT_TELL)
    printf ("  %-10s %10s %10s %8s   %s\n", "consensus", "-", "-", "-",
            c->sentence);
  else
    printf ("  %-10s %10.3f %10.3f %8.3f   %s\n", "consensus", c->centre_col,
            tl_centre_to_boundary (c->centre_col), c->uncertainty_col,
            c->sentence);
  if (answer->note != NULL)
    printf ("  note: %s\n", answer->note);
}

/* Each in the program's own numbers. tomopy and nabu have the middle of a
 * column at whole numbers, tofu its edge; ASTRA moves the detector, whose
 * middle is opposite the axis without. */
static void
print_copies (double centre_col, size_t n_cols)
{
  const double middle_col = ((double)n_cols - 1) / 2;
  printf ("copy as\n"
          "  tomopy     tomopy.recon (…, center=%.3f)\n"
          "  tofu       tofu reco --center-position-x %.3f\n"
          "  nabu       rotation_axis_position = %.3f\n"
          "  ASTRA      astra.geom_postalignment (proj_geom, %.3f)\n"
          "  this       --centre %.3f\n",
          centre_col, tl_centre_to_boundary (centre_col), centre_col,
          middle_col - centre_col, centre_col);
}

static void
add_place (TlJson *json, double centre_col, double uncertainty_col)
{
  tl_json_add_number (json, "centre", centre_col);
  tl_json_add_number (json, "boundary", tl_centre_to_boundary (centre_col));
  tl_json_add_number (json, "uncertainty", uncertainty_col);
}

static void
add_json (const TlCentreAnswer *answer, TlJson *json)
{
  const TlCentreConsensus *c = &answer->consensus;
  tl_json_begin_object (json, NULL);
  tl_json_add_size (json, "slice", answer->row);
  tl_json_add_string (json, "verdict", verdict_names[c->verdict]);
  add_place (json, c->centre_col, c->uncertainty_col);
  tl_json_add_number (json, "spread", c->n_found > 0 ? c->spread_col : NAN);
  tl_json_add_string (json, "sentence", c->sentence);
  tl_json_add_string (json, "note", answer->note);
  tl_json_begin_array (json, "estimates");
  for (size_t k = 0; k < answer->n; k++)
    {
      const TlCentreEstimate *e = &answer->estimates[k];
      tl_json_begin_object (json, NULL);
      tl_json_add_string (json, "method", tl_centre_method_names[e->method]);
      tl_json_add_boolean (json, "found", e->is_found);
      add_place (json, e->centre_col, e->uncertainty_col);
      tl_json_add_boolean (json, "agrees", c->agrees[e->method]);
      tl_json_add_string (json, "reason", e->reason);
      tl_json_end (json);
    }
  tl_json_end (json);
  tl_json_end (json);
}

/* The sentence of the last row that has no answer, as an error. */
static void
refuse (const char *path, const TlCentreAnswer *answer, GError **error)
{
  g_autofree char *name = g_filename_display_basename (path);
  g_clear_error (error);
  g_set_error (error, TL_ERROR, TL_ERROR_VALUE,
               "%s: the centre cannot be told from slice %zu: %s", name,
               answer->row, answer->consensus.sentence);
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
  g_autoptr (GString) said = g_string_new (NULL);
  if (c->verdict == TL_CENTRE_CANNOT_TELL)
    {
      refuse (scan->path, &answer, error);
      return FALSE;
    }
  g_string_printf (said,
                   "centre %.3f (boundary %.3f) +- %.3f from slice %zu: %s;",
                   c->centre_col, tl_centre_to_boundary (c->centre_col),
                   c->uncertainty_col, row, c->sentence);
  for (size_t k = 0; k < answer.n; k++)
    if (answer.estimates[k].is_found)
      g_string_append_printf (
          said, " %s %.3f", tl_centre_method_names[answer.estimates[k].method],
          answer.estimates[k].centre_col);
  g_strv_builder_addv (notes, (const char **)scan->notes);
  g_strv_builder_add (notes, said->str);
  fprintf (stderr, "note: %s\n", said->str);
  if (answer.note != NULL)
    {
      g_strv_builder_add (notes, answer.note);
      fprintf (stderr, "note: %s\n", answer.note);
    }
  g_strfreev (scan->notes);
  scan->notes = g_strv_builder_end (notes);
  /* as many digits as are known, so that the recipe is what was said */
  scan->recipe->params.centre_col = round (c->centre_col * 1000) / 1000;
  scan->recipe->centre_known = TRUE;
  /* whether it is a half acquisition, and how wide, depends on the centre */
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
      int method;
      g_autoptr (GError) reason = NULL;
      if (!tl_name_find (tl_centre_method_names, "method", *name, &method,
                         &reason))
        {
          tl_cli_usage_error (error, "--method: %s", reason->message);
          return FALSE;
        }
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
    {
      tl_cli_usage_error (error,
                          "--range takes FIRST:LAST, two columns, the first "
                          "before the last, not \"%s\"",
                          o->range);
      return FALSE;
    }
  o->question.first_col = columns[0];
  o->question.last_col = columns[1];
  return TRUE;
}

/* Of several rows: the middle one of those that have the best verdict. */
typedef struct
{
  GArray *centres; /* of the best verdict so far */
  TlCentreVerdict verdict;
} Summary;

static void
add_answer (Summary *summary, const TlCentreConsensus *c)
{
  if (c->verdict > summary->verdict)
    return;
  if (c->verdict < summary->verdict)
    g_array_set_size (summary->centres, 0);
  summary->verdict = c->verdict;
  if (c->verdict != TL_CENTRE_CANNOT_TELL)
    g_array_append_val (summary->centres, c->centre_col);
}

static int
compare_doubles (gconstpointer a, gconstpointer b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double
get_median (Summary *summary)
{
  const guint n = summary->centres->len;
  const double *c = (const double *)summary->centres->data;
  g_array_sort (summary->centres, compare_doubles);
  return (c[(n - 1) / 2] + c[n / 2]) / 2;
}

static gboolean
run_rows (Options *o, TlCliScan *scan, TlRecon *recon, TlJson *json,
          Summary *summary, GCancellable *cancellable, GError **error)
{
  g_autoptr (GError) refusal = NULL;
  for (size_t row = o->rows.first; row <= o->rows.last; row += o->rows.step)
    {
      g_auto (TlCentreAnswer) answer = { 0 };
      o->question.row = row;
      if (!tl_find_centre (recon, scan->recipe, &o->question, cancellable,
                           &answer, error))
        return FALSE;
      if (json != NULL)
        add_json (&answer, json);
      else
        print_answer (&answer);
      add_answer (summary, &answer.consensus);
      if (answer.consensus.verdict == TL_CENTRE_CANNOT_TELL)
        refuse (scan->path, &answer, &refusal);
    }
  if (summary->centres->len > 0)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&refusal));
  return FALSE;
}

static gboolean
run (Options *o, TlCliScan *scan, GCancellable *cancellable, GError **error)
{
  const TlScanInfo *info = tl_reader_get_info (scan->reader);
  const size_t n_cols = info->n_cols;
  if (o->slices == NULL)
    o->rows = (TlCliRange){ scan->recipe->slice, scan->recipe->slice, 1 };
  if (o->rows.last >= info->n_rows)
    {
      g_autofree char *name = g_filename_display_basename (scan->path);
      g_set_error (error, TL_ERROR, TL_ERROR_VALUE,
                   "%s: there is no slice %zu; the rows are 0 to %zu", name,
                   o->rows.last, info->n_rows - 1);
      return FALSE;
    }
  if (o->range == NULL)
    o->question.last_col = (double)n_cols - 1;
  g_autoptr (TlEngine) engine = tl_engine_open (scan->recipe->engine, error);
  if (engine == NULL)
    return FALSE;
  g_autoptr (TlRecon) recon =
      tl_recon_new (g_steal_pointer (&scan->reader), engine);
  g_autoptr (TlJson) json = o->json ? tl_json_new () : NULL;
  g_autoptr (GArray) centres = g_array_new (FALSE, FALSE, sizeof (double));
  Summary summary = { centres, TL_CENTRE_CANNOT_TELL };
  if (json != NULL)
    {
      tl_json_add_string (json, "scan", scan->path);
      tl_json_begin_array (json, "slices");
    }
  const gboolean good =
      run_rows (o, scan, recon, json, &summary, cancellable, error);
  const double centre_col = centres->len > 0 ? get_median (&summary) : NAN;
  if (json != NULL && (good || centres->len == 0))
    {
      tl_json_end (json);
      tl_json_add_number (json, "centre", centre_col);
      tl_json_add_number (json, "boundary", tl_centre_to_boundary (centre_col));
      tl_json_add_string (json, "verdict", verdict_names[summary.verdict]);
      tl_json_print (json);
    }
  if (json == NULL && good && centres->len > 1)
    printf ("median of %u slices: centre %.3f, boundary %.3f\n", centres->len,
            centre_col, tl_centre_to_boundary (centre_col));
  if (json == NULL && good)
    print_copies (centre_col, n_cols);
  return good;
}

/* What the slice is made from, but not how. */
static gboolean
is_of_data (const TlRecipeKey *key)
{
  static const char *const others[] = {
    "centre",        "boundary", "preset",
    "filter",        "cutoff",   "butterworth-order",
    "interpolation", "kernel",   "precision",
    "padding",       NULL
  };
  return !g_strv_contains (others, key->key);
}

gboolean
tl_cli_centre (char **args, GCancellable *cancellable, GError **error)
{
  Options o = { 0 };
  tl_centre_question_init (&o.question, 0, 1);
  const GOptionEntry own[] = {
    { "slices", 0, 0, G_OPTION_ARG_STRING, &o.slices,
      "several slices: rows FIRST to LAST, both included, every STEP",
      "FIRST:LAST[:STEP]" },
    { "method", 0, 0, G_OPTION_ARG_STRING_ARRAY, &o.methods,
      "one of phase, vo, symmetry, overlap and sharpness; may be given several "
      "times (all)",
      "NAME" },
    { "range", 0, 0, G_OPTION_ARG_STRING, &o.range,
      "look between these columns (the whole detector)", "FIRST:LAST" },
    { "json", 0, 0, G_OPTION_ARG_NONE, &o.json, "print JSON", NULL },
    { 0 },
  };
  g_auto (TlCliLine) line = { 0 };
  g_auto (TlCliScan) scan = { 0 };
  g_auto (GStrv) rest = g_strdupv (args);
  tl_cli_line_init (&line, "FILE",
                    "Finds the column that the rotation axis projects onto, by "
                    "several methods, and says how far they agree. Where the "
                    "data do not tell, it says so, and the exit status is 1.",
                    own);
  line.seeks_centre = TRUE;
  tl_cli_line_add_keys (&line, is_of_data);
  gboolean good = tl_cli_line_parse (&line, &rest, error)
                  && tl_cli_line_check_scan (&line, rest, error)
                  && choose_methods (&o, error) && choose_range (&o, error);
  if (good && o.slices != NULL && tl_cli_line_has (&line, "slice"))
    {
      tl_cli_usage_error (error, "--slice is one row and --slices are several: "
                                 "one of them, not both");
      good = FALSE;
    }
  good = good
         && (o.slices == NULL || tl_cli_parse_range (o.slices, &o.rows, error))
         && tl_cli_scan_open (&scan, &line, rest[1], o.slices == NULL, error)
         && run (&o, &scan, cancellable, error);
  tl_cli_explain_cancel (error, "%s: the search for the centre was interrupted",
                         scan.path);
  g_free (o.slices);
  g_free (o.range);
  g_strfreev (o.methods);
  return good;
}
