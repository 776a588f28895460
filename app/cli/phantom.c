#include "app/cli/cli-private.h"
#include "app/cli/output-private.h"
#include "data/error.h"
#include "data/phantom/phantom.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The options as typed; the default if not given. */
typedef struct
{
  size_t n_cols, n_rows, n_projections; /* 0: not given */
  char *angles, *centre, *half;         /* (nullable) */
  gboolean end_point;
  double noise_counts, pixel_size_um, tilt_deg;
  int seed;
} Requests;

static gboolean
parse_number (const char *option, const char *text, double *number,
              GError **error)
{
  char *end;
  *number = g_ascii_strtod (text, &end);
  if (end != text && *end == '\0')
    return TRUE;
  tl_cli_usage_error (error, "%s takes a number, not \"%s\"", option, text);
  return FALSE;
}

/* Angles and centre have the same syntax as in the recipe. */
static gboolean
take_angles (const char *text, TlPhantomScan *scan, GError **error)
{
  g_autoptr (TlRecipe) recipe = tl_recipe_new ();
  g_autoptr (GError) reason = NULL;
  if (!tl_recipe_set (recipe, "angles", text, &reason) || !recipe->has_angles)
    return tl_cli_usage_error (error, "--angles: %s",
                               reason != NULL ? reason->message
                                              : "two angles are needed");
  scan->angles_deg[0] = recipe->angles_deg[0];
  scan->angles_deg[1] = recipe->angles_deg[1];
  return TRUE;
}

/* Sets up a half acquisition: a full turn, and the axis at an eighth of the
 * detector from @side. */
static gboolean
take_half (const char *side, TlPhantomScan *scan, GError **error)
{
  const double last_col = (double)scan->n_cols - 1;
  const gboolean is_left = strcmp (side, "left") == 0;
  if (!is_left && strcmp (side, "right") != 0)
    return tl_cli_usage_error (error, "--half takes left or right, not \"%s\"",
                               side);
  scan->half = TRUE;
  scan->centre_col = is_left ? last_col / 8 : last_col - last_col / 8;
  scan->angles_deg[1] = 360;
  return TRUE;
}

static gboolean
check_turn (const TlPhantomScan *scan, GError **error)
{
  const double turn_deg = fabs (scan->angles_deg[1] - scan->angles_deg[0]);
  return !scan->half || turn_deg >= 360
         || tl_cli_usage_error (error,
                                "--half makes a full turn, and --angles cover "
                                "%g degrees; leave one of them out",
                                turn_deg);
}

static gboolean
make_scan (const Requests *requests, TlPhantomScan *scan, GError **error)
{
  const size_t n_cols = requests->n_cols > 0 ? requests->n_cols : 256;
  tl_phantom_scan_init (
      scan, requests->n_projections > 0 ? requests->n_projections : n_cols,
      requests->n_rows > 0 ? requests->n_rows : n_cols, n_cols);
  scan->end_point = requests->end_point;
  scan->tilt_deg = requests->tilt_deg;
  scan->noise_counts = requests->noise_counts;
  scan->pixel_size_um = requests->pixel_size_um;
  scan->seed = (guint32)requests->seed;
  if (requests->seed < 0)
    return tl_cli_usage_error (
        error, "--seed takes a whole number of at least 0, not %d",
        requests->seed);
  return (requests->half == NULL || take_half (requests->half, scan, error))
         && (requests->angles == NULL
             || take_angles (requests->angles, scan, error))
         && (requests->centre == NULL
             || parse_number ("--centre", requests->centre, &scan->centre_col,
                              error))
         && check_turn (scan, error);
}

static gboolean
write_scan (TlCliOutput *output, const TlPhantomScan *scan,
            GCancellable *cancellable, GError **error)
{
  TlCliProgress progress = { .word = "writing" };
  const char *path = output->paths->pdata[0];
  g_autofree char *hidden = tl_cli_output_hide (output, path, error);
  const gboolean good = hidden != NULL
                        && tl_phantom_write_scan (hidden, scan, tl_cli_progress,
                                                  &progress, cancellable, error)
                        && tl_cli_output_commit (output, error);
  tl_cli_progress_end (&progress);
  tl_cli_explain_cancel (error, "%s: interrupted; no file was left behind",
                         path);
  return good;
}

static gboolean
check_output (TlCliOutput *output, const char *path, GError **error)
{
  tl_cli_output_add (output, g_strdup (path));
  return tl_cli_check_folder (path, error)
         && tl_cli_output_check (output, error)
         && (!g_file_test (path, G_FILE_TEST_EXISTS)
             || tl_phantom_is_scan (path)
             || tl_fail (error, TL_ERROR_FILE,
                         "%s: this is no phantom that this program has made, "
                         "and a phantom replaces nothing else; choose another "
                         "name",
                         path));
}

static void
print_scan (const TlPhantomScan *scan, const char *path, TlJson *json)
{
  if (json == NULL)
    {
      g_autofree char *tilt =
          scan->tilt_deg != 0
              ? g_strdup_printf (", tilt %.10g degrees", scan->tilt_deg)
              : g_strdup ("");
      g_autofree char *projections =
          tl_cli_dup_count (scan->n_projections, "projection");
      g_autofree char *rows = tl_cli_dup_count (scan->n_rows, "row");
      g_autofree char *cols = tl_cli_dup_count (scan->n_cols, "column");
      printf ("%s: %s of %s x %s, %g … %g degrees%s, centre %.10g "
              "(boundary %.10g)%s%s\n",
              path, projections, rows, cols, scan->angles_deg[0],
              scan->angles_deg[1],
              scan->end_point ? ", end point included" : "", scan->centre_col,
              tl_centre_to_boundary (scan->centre_col),
              scan->half ? ", half acquisition" : "", tilt);
    }
  tl_json_add (
      json,
      "path: %s, projections: %zu, rows: %zu, columns: %zu, first_deg: %f, "
      "end_deg: %f, end_point: %d, centre: %f, tilt_deg: %f, half: %d, "
      "noise_counts: %f, pixel_size_um: %f, seed: %u",
      path, scan->n_projections, scan->n_rows, scan->n_cols,
      scan->angles_deg[0], scan->angles_deg[1], scan->end_point,
      scan->centre_col, scan->tilt_deg, scan->half, scan->noise_counts,
      scan->pixel_size_um, scan->seed);
  tl_json_print (json);
}

gboolean
tl_cli_phantom (char **args, GCancellable *cancellable, GError **error)
{
  TlPhantomScan scan;
  TlCliOutput output = { 0 };
  tl_phantom_scan_init (&scan, 1, 1, 1);
  Requests requests = { .noise_counts = scan.noise_counts,
                        .pixel_size_um = scan.pixel_size_um,
                        .seed = (int)scan.seed };
  const TlCliSize sizes[] = {
    { "size", &requests.n_cols, "columns of the detector (256)" },
    { "rows", &requests.n_rows, "rows of the detector (as many)" },
    { "projections", &requests.n_projections, "projections (as many)" },
    { 0 },
  };
  const GOptionEntry own[] = {
    { "angles", 0, 0, G_OPTION_ARG_STRING, &requests.angles,
      "degrees of the first projection and of the end (0:180); the last "
      "projection is one step before the end",
      "FIRST:END" },
    { "end-point", 0, 0, G_OPTION_ARG_NONE, &requests.end_point,
      "the last projection is at the end", NULL },
    { "noise", 0, 0, G_OPTION_ARG_DOUBLE, &requests.noise_counts,
      "photons per pixel in the open beam, for Poisson noise; 0: no noise",
      "COUNTS" },
    { "centre", 0, 0, G_OPTION_ARG_STRING, &requests.centre,
      "rotation centre; the first column's centre is 0", "COLUMN" },
    { "tilt", 0, 0, G_OPTION_ARG_DOUBLE, &requests.tilt_deg,
      "tilt of the axis, counter-clockwise about the middle row", "DEGREES" },
    { "half", 0, 0, G_OPTION_ARG_STRING, &requests.half,
      "half acquisition: a full turn, the axis near that edge, and a phantom "
      "as large as the far side",
      "left|right" },
    { "pixel-size", 0, 0, G_OPTION_ARG_DOUBLE, &requests.pixel_size_um,
      "pixel size in micrometres, stored in the file", "UM" },
    { "seed", 0, 0, G_OPTION_ARG_INT, &requests.seed, "seed of the noise",
      "N" },
    TL_CLI_OVERWRITE (&output.overwrite),
    { 0 },
  };
  g_auto (TlCliLine) line = { 0 };
  g_auto (GStrv) rest = g_strdupv (args);
  tl_cli_line_init (&line, "OUT.h5",
                    "Makes a scan of a phantom: Data Exchange HDF5, 16-bit "
                    "counts with flat and dark fields.",
                    sizes, own);
  const gboolean good = tl_cli_line_parse (&line, &rest, error)
                        && tl_cli_check_files (rest, 1, 1, error)
                        && make_scan (&requests, &scan, error)
                        && check_output (&output, rest[1], error)
                        && write_scan (&output, &scan, cancellable, error);
  tl_cli_output_clear (&output, error);
  if (good)
    print_scan (&scan, rest[1], line.json);
  return good;
}
