/* Reconstructs one slice with several centres: prints a table of figures of
 * merit and writes pictures. */
#include "app/cli/centre/centre-private.h"
#include "app/cli/output-private.h"
#include "data/error.h"
#include "data/geometry.h"

#include <math.h>
#include <stdio.h>

#define DEFAULT_STEP 0.25
#define MAX_CANDIDATES 10000
#define SHEET_NAME "candidates.png"

/* Side of the small picture of each candidate, as in the window. */
#define TILE_PIXELS 200

/* The request and its results. */
typedef struct
{
  size_t n;
  double step_col, middle_col;
  gboolean has_middle;
  TlCandidateMetric metric;
  gboolean has_region;
  size_t region[4]; /* first and last column, first and last row */
  const char *folder;
  TlCliOutput files; /* in the folder */

  TlCliScan *scan;
  TlRecon *recon;
  GCancellable *cancellable;
  TlCandidateView view;
  TlGrid written;             /* grid of the pictures in the folder */
  TlCandidateResult *results; /* [n] */
  double *values, *scores;    /* [n] */
  int best;                   /* index of the best candidate; -1: none */
  double seconds;             /* time of all candidates, without writing */
} Candidates;

static void
candidates_clear (Candidates *c)
{
  for (size_t k = 0; c->results != NULL && k < c->n; k++)
    tl_candidate_result_clear (&c->results[k]);
  g_clear_pointer (&c->results, g_free);
  g_clear_pointer (&c->values, g_free);
  g_clear_pointer (&c->scores, g_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Candidates, candidates_clear)

/* --- the command line --- */

void
tl_cli_candidates_add_options (TlCliCandidates *options, TlCliLine *line)
{
  const GOptionEntry entries[] = {
    { "candidates", 0, 0, G_OPTION_ARG_STRING, &options->n,
      "reconstruct the slice with N centres and print how sharp each is; takes "
      "all parameters of a slice",
      "N" },
    { "step", 0, 0, G_OPTION_ARG_STRING, &options->step,
      "with --candidates: columns from one to the next (" G_STRINGIFY (
          DEFAULT_STEP) ")",
      "COLUMNS" },
    { "around", 0, 0, G_OPTION_ARG_STRING, &options->around,
      "with --candidates: centre of the one in the middle (the axis found)",
      "COLUMN" },
    { "region", 0, 0, G_OPTION_ARG_STRING, &options->region,
      "with --candidates: compare these columns and rows of the slice, both "
      "ends included (all that the projections see)",
      "X0:X1,Y0:Y1" },
    { "metric", 0, 0, G_OPTION_ARG_STRING, &options->metric,
      "with --candidates: figure that decides which is best: combined, "
      "entropy, negativity, gradient or deviation (combined)",
      "NAME" },
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &options->output,
      "with --candidates: write each as centre_COLUMN.tiff, and a picture of "
      "all, candidates.png",
      "FOLDER" },
    TL_CLI_OVERWRITE (&options->overwrite),
    { 0 },
  };
  tl_cli_line_add_own (line, entries);
}

static gboolean
parse_column (const char *option, const char *text, double min, double *value,
              GError **error)
{
  char *end;
  if (text == NULL)
    return TRUE;
  const double column = g_ascii_strtod (text, &end);
  if (end != text && *end == '\0' && isfinite (column) && column >= min)
    {
      *value = column;
      return TRUE;
    }
  tl_cli_usage_error (error, "%s takes a number of columns%s, not \"%s\"",
                      option, min > 0 ? " above 0" : "", text);
  return FALSE;
}

static gboolean
parse_region (const char *text, Candidates *c, GError **error)
{
  if (text == NULL)
    return TRUE;
  g_auto (GStrv) sides = g_strsplit (text, ",", -1);
  gboolean good = g_strv_length (sides) == 2;
  for (guint k = 0; good && k < 2; k++)
    {
      TlCliRange range;
      good = tl_cli_parse_range (sides[k], &range, NULL) && range.step == 1
             && range.first < range.last;
      c->region[2 * k] = good ? range.first : 0;
      c->region[2 * k + 1] = good ? range.last : 0;
    }
  c->has_region = TRUE;
  if (!good)
    tl_cli_usage_error (error,
                        "--region takes X0:X1,Y0:Y1, columns and rows of the "
                        "slice, the first before the last, not \"%s\"",
                        text);
  return good;
}

static gboolean
parse (const TlCliCandidates *options, Candidates *c, GError **error)
{
  int metric = TL_CANDIDATE_COMBINED;
  g_autoptr (GError) reason = NULL;
  c->step_col = DEFAULT_STEP;
  c->has_middle = options->around != NULL;
  c->folder = options->output;
  c->files.overwrite = options->overwrite;
  if (!tl_cli_parse_size ("--candidates", options->n, 1, &c->n, error)
      || !parse_column ("--step", options->step, 1e-6, &c->step_col, error)
      || !parse_column ("--around", options->around, -INFINITY, &c->middle_col,
                        error)
      || !parse_region (options->region, c, error))
    return FALSE;
  if (c->n > MAX_CANDIDATES)
    return tl_cli_usage_error (error, "--candidates: %d at most",
                               MAX_CANDIDATES);
  if (options->metric != NULL
      && !tl_name_find (tl_candidate_metric_names, "metric", options->metric,
                        &metric, &reason))
    return tl_cli_usage_error (error, "--metric: %s", reason->message);
  c->metric = metric;
  return TRUE;
}

gboolean
tl_cli_candidates_check (const TlCliCandidates *options, const TlCliLine *line,
                         gboolean (*is_of_data) (const TlParamSpec *),
                         GError **error)
{
  const struct
  {
    const char *name, *value;
  } own[] = { { "step", options->step },
              { "around", options->around },
              { "region", options->region },
              { "metric", options->metric },
              { "output", options->output } };
  const char *needless = NULL;
  Candidates c = { 0 };
  if (options->n != NULL)
    return parse (options, &c, error);
  for (size_t k = 0; k < G_N_ELEMENTS (own); k++)
    if (own[k].value != NULL)
      needless = own[k].name;
  for (guint k = 0; k < line->given->len; k += 2)
    if (!is_of_data (tl_recipe_find_key (line->given->pdata[k], NULL)))
      needless = line->given->pdata[k];
  if (needless != NULL)
    tl_cli_usage_error (error, "--%s is for --candidates", needless);
  return needless == NULL;
}

/* --- preparation --- */

static gboolean
find_middle (Candidates *c, const TlCentreQuestion *question, GError **error)
{
  g_auto (TlCentreAnswer) answer = { 0 };
  if (c->has_middle)
    return TRUE;
  if (!tl_find_centre (c->recon, c->scan->recipe, question, c->cancellable,
                       &answer, error))
    return FALSE;
  const TlCentreConsensus *consensus = &answer.consensus;
  if (consensus->verdict == TL_CENTRE_CANNOT_TELL)
    {
      g_autofree char *name = g_filename_display_basename (c->scan->path);
      return tl_fail (
          error, TL_ERROR_VALUE,
          "%s: the centre cannot be found in slice %zu: %s; --around "
          "says where to look",
          name, question->row, consensus->sentence);
    }
  c->middle_col = tl_round_to_parts (consensus->centre_col, 1000);
  tl_cli_scan_take_note (
      c->scan,
      g_strdup_printf ("candidates around %.3f from slice %zu: %s",
                       c->middle_col, question->row, consensus->sentence));
  return TRUE;
}

static double
get_centre (const Candidates *c, size_t index)
{
  return tl_candidate_centre (c->n, c->middle_col, c->step_col, index);
}

static gboolean
choose_region (Candidates *c, GError **error)
{
  const TlRecipe *recipe = c->scan->recipe;
  const TlGrid *whole = &recipe->params.grid;
  const TlScanInfo *info = tl_reader_get_info (tl_recon_get_reader (c->recon));
  TlCandidateView *view = &c->view;
  view->shown = tl_grid_reduced (
      whole->nx, (guint)((whole->nx + TILE_PIXELS - 1) / TILE_PIXELS));
  if (!c->has_region)
    {
      tl_candidate_view_judge_whole (view, recipe, info->n_cols, c->middle_col);
      c->written = *whole;
      return TRUE;
    }
  if (c->region[1] >= whole->nx || c->region[3] >= whole->ny)
    {
      g_autofree char *name = g_filename_display_basename (c->scan->path);
      return tl_fail (
          error, TL_ERROR_VALUE,
          "%s: --region is beyond the slice of %zu columns and rows", name,
          whole->nx);
    }
  view->radius = INFINITY;
  view->judged = (TlGrid){ .nx = c->region[1] - c->region[0] + 1,
                           .ny = c->region[3] - c->region[2] + 1,
                           .x0 = whole->x0 + (double)c->region[0],
                           .y0 = whole->y0 - (double)c->region[2],
                           .pitch = 1 };
  c->written = view->judged;
  const double pitch =
      MAX ((double)MAX (view->judged.nx, view->judged.ny) / TILE_PIXELS, 1);
  view->shown = (TlGrid){ .nx = (size_t)((double)view->judged.nx / pitch),
                          .ny = (size_t)((double)view->judged.ny / pitch),
                          .x0 = view->judged.x0 + (pitch - 1) / 2,
                          .y0 = view->judged.y0 - (pitch - 1) / 2,
                          .pitch = pitch };
  view->shown.nx = MAX (view->shown.nx, 1);
  view->shown.ny = MAX (view->shown.ny, 1);
  return TRUE;
}

/* Sets up the candidates. All have the slice, corrections and width of the
 * middle candidate. */
static gboolean
choose (Candidates *c, GError **error)
{
  TlRecipe *recipe = c->scan->recipe;
  const TlScanInfo *info = tl_reader_get_info (tl_recon_get_reader (c->recon));
  const double first = get_centre (c, 0), last = get_centre (c, c->n - 1);
  if (first < 0 || last > (double)info->n_cols - 1)
    {
      g_autofree char *name = g_filename_display_basename (c->scan->path);
      return tl_fail (
          error, TL_ERROR_VALUE,
          "%s: the candidates go from %g to %g, and the columns are 0 "
          "to %zu",
          name, first, last, info->n_cols - 1);
    }
  recipe->params.centre_col = c->middle_col;
  recipe->centre_known = TRUE;
  return tl_recipe_resolve (recipe, info, error) && choose_region (c, error);
}

/* --- pictures --- */

/* Returns: (transfer full): a file name with enough digits to tell the
 * candidates apart; alphabetical order is the order of the centres */
static char *
dup_name (const Candidates *c, double centre_col)
{
  const double last = get_centre (c, c->n - 1);
  const int n_whole = last >= 1 ? (int)floor (log10 (last)) + 1 : 1;
  int digits = 2;
  while (digits < 6 && fmod (c->step_col * pow (10, digits) + 1e-6, 1) > 2e-6)
    digits++;
  return g_strdup_printf ("centre_%0*.*f.tiff", n_whole + 1 + digits, digits,
                          centre_col);
}

/* Lists the files to be written: the pictures, then the sheet. */
static gboolean
check_files (Candidates *c, GError **error)
{
  for (size_t k = 0; k < c->n; k++)
    {
      g_autofree char *name = dup_name (c, get_centre (c, k));
      tl_cli_output_add (&c->files, g_build_filename (c->folder, name, NULL));
    }
  tl_cli_output_add (&c->files, g_build_filename (c->folder, SHEET_NAME, NULL));
  return tl_cli_output_check (&c->files, error);
}

/* Writes file @index of the list. */
static gboolean
write_one (Candidates *c, size_t index, GError **error)
{
  g_autofree char *path =
      tl_cli_output_hide (&c->files, c->files.paths->pdata[index], error);
  if (path == NULL)
    return FALSE;
  if (index == c->n)
    return tl_cli_candidates_write_sheet (c->results, c->n, path, error);
  return tl_cli_candidate_write (c->recon, c->scan->recipe,
                                 get_centre (c, index), &c->written, path,
                                 c->cancellable, error);
}

static gboolean
write_all (Candidates *c, GError **error)
{
  for (size_t k = 0; k <= c->n; k++)
    if (!write_one (c, k, error))
      return FALSE;
  return tl_cli_output_commit (&c->files, error);
}

/* --- the run --- */

/* Reconstructs the middle candidate once, so that reading the file and
 * computing what all candidates share do not delay the first picture. */
static gboolean
prepare (Candidates *c, GError **error)
{
  g_auto (TlCandidateResult) first = { 0 };
  return tl_candidate_run (c->recon, c->scan->recipe, c->middle_col, &c->view,
                           c->cancellable, &first, error);
}

/* Makes all pictures, or all figures of merit. */
static gboolean
run_round (Candidates *c, gboolean judges, TlCliProgress *progress,
           GError **error)
{
  g_autofree size_t *order = tl_candidate_order (c->n);
  for (size_t k = 0; k < c->n; k++)
    {
      TlCandidateResult *result = &c->results[order[k]];
      TlFrame *frame = g_steal_pointer (&result->frame);
      TlCandidateView view = c->view;
      if (judges)
        view.shown.nx = 0;
      else
        view.judged.nx = 0;
      const gboolean good =
          tl_candidate_run (c->recon, c->scan->recipe, get_centre (c, order[k]),
                            &view, c->cancellable, result, error);
      if (judges)
        result->frame = frame;
      if (!good)
        return FALSE;
      tl_cli_progress (
          (double)(k + 1 + (judges ? c->n : 0)) / (2 * (double)c->n), progress);
    }
  return TRUE;
}

/* As in the window, pictures come before figures of merit. Writing does not
 * count towards the time. */
static gboolean
run_all (Candidates *c, GError **error)
{
  TlCliProgress progress = { .word = "candidates" };
  if (!prepare (c, error))
    return FALSE;
  const gint64 start_us = g_get_monotonic_time ();
  gboolean good = run_round (c, FALSE, &progress, error)
                  && run_round (c, TRUE, &progress, error);
  c->seconds = (double)(g_get_monotonic_time () - start_us) / 1e6;
  tl_cli_progress_end (&progress);
  if (!good)
    return FALSE;
  c->best =
      tl_candidates_rate (c->results, c->n, c->metric, c->values, c->scores);
  return c->folder == NULL || write_all (c, error);
}

/* Returns: [n] for each metric, in the order of the enumeration */
static double *
rate_all (const Candidates *c)
{
  double *values = g_new (double, TL_N_CANDIDATE_METRICS * c->n);
  g_autofree double *scores = g_new (double, c->n);
  for (guint metric = 0; metric < TL_N_CANDIDATE_METRICS; metric++)
    tl_candidates_rate (c->results, c->n, metric, values + metric * c->n,
                        scores);
  return values;
}

static const char *
why_none (const Candidates *c)
{
  double most = 0;
  for (size_t k = 0; k < c->n; k++)
    most = MAX (most, c->scores[k]);
  if (most == 0)
    return c->n == 1 ? "it is the only one" : "they do not differ";
  if (!tl_candidate_metric_tells (c->metric, c->results[0].rays))
    return "this metric does not tell where the axis is, of such a scan";
  return "quarters of the slice do not agree: compare the pictures by eye, or "
         "use a larger --step";
}

static void
print_table (const Candidates *c)
{
  g_autofree double *values = rate_all (c);
  printf ("slice %zu, best by %s\n  %10s %10s", c->scan->recipe->slice,
          tl_candidate_metric_names[c->metric], "centre", "boundary");
  for (guint metric = 0; metric < TL_N_CANDIDATE_METRICS; metric++)
    printf (" %12s", tl_candidate_metric_names[metric]);
  printf ("\n");
  for (size_t k = 0; k < c->n; k++)
    {
      const double centre_col = c->results[k].centre_col;
      printf ("%c %10.3f %10.3f", (int)k == c->best ? '*' : ' ', centre_col,
              tl_centre_to_boundary (centre_col));
      for (guint metric = 0; metric < TL_N_CANDIDATE_METRICS; metric++)
        printf (" %12.6g", values[metric * c->n + k]);
      printf ("\n");
    }
  if (c->best >= 0)
    printf ("best: centre %.3f (boundary %.3f)%s\n",
            c->results[c->best].centre_col,
            tl_centre_to_boundary (c->results[c->best].centre_col),
            c->n > 2 && (c->best == 0 || c->best == (int)c->n - 1)
                ? ", at the end of the candidates; search further there"
                : "");
  else
    printf ("best: none, %s\n", why_none (c));
  g_autofree char *candidates = tl_cli_dup_count (c->n, "candidate");
  printf ("%s in %.3f s (%s)\n", candidates, c->seconds,
          tl_engine_get_name (tl_recon_get_last_engine (c->recon)));
  if (c->folder != NULL)
    printf ("%s: written\n", c->folder);
}

static void
print_json (const Candidates *c)
{
  const TlCliScan *scan = c->scan;
  g_autofree double *values = rate_all (c);
  tl_json_add (scan->json, "scan: %s, slice: %zu, metric: %s, candidates: [",
               scan->path, scan->recipe->slice,
               tl_candidate_metric_names[c->metric]);
  for (size_t k = 0; k < c->n; k++)
    {
      const double centre_col = c->results[k].centre_col;
      tl_json_add (scan->json, "{centre: %f, boundary: %f", centre_col,
                   tl_centre_to_boundary (centre_col));
      for (guint metric = 0; metric < TL_N_CANDIDATE_METRICS; metric++)
        tl_json_add (scan->json, "%s: %f", tl_candidate_metric_names[metric],
                     values[metric * c->n + k]);
      tl_json_add (scan->json, "score: %f}", c->scores[k]);
    }
  const double best_col = c->best >= 0 ? c->results[c->best].centre_col : NAN;
  tl_json_add (
      scan->json, "], best: %f, best_boundary: %f, engine: %s, seconds: %f",
      best_col, tl_centre_to_boundary (best_col),
      tl_engine_get_name (tl_recon_get_last_engine (c->recon)), c->seconds);
  tl_json_print (scan->json);
}

gboolean
tl_cli_candidates_run (const TlCliCandidates *options, TlCliScan *scan,
                       const TlCentreQuestion *question,
                       GCancellable *cancellable, GError **error)
{
  g_auto (Candidates) c = { .scan = scan, .cancellable = cancellable };
  if (!parse (options, &c, error))
    return FALSE;
  g_autoptr (TlEngine) engine = tl_engine_open (scan->recipe->engine, error);
  if (engine == NULL)
    return FALSE;
  g_autoptr (TlRecon) recon =
      tl_recon_new (g_steal_pointer (&scan->reader), engine);
  c.recon = recon;
  c.results = g_new0 (TlCandidateResult, c.n);
  c.values = g_new (double, c.n);
  c.scores = g_new (double, c.n);
  const gboolean good = find_middle (&c, question, error) && choose (&c, error)
                        && (c.folder == NULL
                            || (check_files (&c, error)
                                && tl_cli_candidates_make_folder (
                                    recon, c.folder, c.n, &c.written, error)))
                        && run_all (&c, error);
  tl_cli_output_clear (&c.files, error);
  if (!good)
    return FALSE;
  if (scan->json != NULL)
    print_json (&c);
  else
    print_table (&c);
  return TRUE;
}
