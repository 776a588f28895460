#include "app/cli/scan-private.h"

#include "app/cli/cli-private.h"
#include "app/cli/json-private.h"
#include "app/recon/summary.h"
#include "app/resident/resident.h"
#include "data/array.h"
#include "data/error.h"
#include "data/stream/stream.h"
#include "gpu/stages/tilt.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#define PROGRESS_STEP_US (100 * 1000)

/* Columns of a command that chooses the bin, at most, without --size. A recipe
 * of such a volume keeps its bin up to more of them; recipes for slices may
 * have far too many. */
#define USUAL_COLS 256
#define KEPT_COLS 512

char *
tl_cli_dup_scan_name (const char *path)
{
  return tl_stream_is_address (path) ? g_strdup (path)
                                     : g_filename_display_basename (path);
}

/* Checks that the recipe's slice exists, if the command works on it. A
 * recipe may come from a larger scan. */
static gboolean
check_slice (TlCliScan *scan, const TlCliLine *line, gboolean takes_slice,
             GError **error)
{
  const size_t n_rows = tl_reader_get_info (scan->reader)->n_rows;
  TlRecipe *recipe = scan->recipe;
  if (!recipe->slice_known || recipe->slice < n_rows)
    return TRUE;
  if (!takes_slice)
    recipe->slice_known = FALSE;
  if (!takes_slice || tl_cli_line_has (line, "slice"))
    return TRUE; /* tl_recipe_resolve() refuses a slice given as an option */
  g_autofree char *name = tl_cli_dup_scan_name (scan->path);
  return tl_fail (
      error, TL_ERROR_VALUE,
      "%s: there is no slice %zu, which the recipe asks for; the rows "
      "are 0 to %zu, and --slice chooses another",
      name, recipe->slice, n_rows - 1);
}

/* Returns: the centre in columns of @scan's bin, in which the user gives it */
static double
get_given_col (const TlCliScan *scan)
{
  return tl_bin_convert_col (scan->recipe->params.centre_col, scan->recipe->bin,
                             scan->bin);
}

/* Returns: notes of the reader, and assumptions about what was not given */
static GStrv
collect_notes (const TlCliScan *scan, const TlCliLine *line,
               gboolean centre_known)
{
  const TlRecipe *recipe = scan->recipe;
  g_autoptr (GStrvBuilder) notes = g_strv_builder_new ();
  g_auto (GStrv) known =
      tl_notes_list (tl_reader_get_info (scan->reader)->notes);
  g_strv_builder_addv (notes, (const char **)known);
  if (!recipe->params.phase.on
      && (tl_cli_line_has (line, "energy") || tl_cli_line_has (line, "distance")
          || tl_cli_line_has (line, "delta-beta")))
    g_strv_builder_add (notes, "--energy, --distance and --delta-beta are for "
                               "phase retrieval, which is off: --phase on");
  if (recipe->params.method == TL_METHOD_FOURIER
      && (tl_cli_line_has (line, "kernel")
          || tl_cli_line_has (line, "interpolation")))
    g_strv_builder_add (notes, "--kernel and --interpolation are for "
                               "back-projection; the Fourier method has one "
                               "kernel and an interpolation of its own");
  if (!centre_known)
    {
      const double centre_col = get_given_col (scan);
      g_autofree char *note =
          g_strdup_printf ("centre not given: middle of the detector, %.1f "
                           "(boundary %.1f); --centre auto looks for the axis",
                           centre_col, tl_centre_to_boundary (centre_col));
      g_strv_builder_add (notes, note);
    }
  return g_strv_builder_end (notes);
}

gboolean
tl_cli_scan_settle (TlCliScan *scan, const TlCliLine *line,
                    gboolean takes_slice, GError **error)
{
  const gboolean centre_known = scan->recipe->centre_known;
  if (!check_slice (scan, line, takes_slice, error))
    return FALSE;
  const TlScanInfo *info = tl_reader_get_info (scan->reader);
  if (!tl_recipe_resolve (scan->recipe, info, error))
    return FALSE;
  if (!centre_known) /* the middle of all columns */
    scan->recipe->params.centre_col +=
        (double)scan->n_left_out[1] / (2.0 * scan->recipe->bin);
  g_strfreev (scan->notes);
  scan->notes = collect_notes (
      scan, line, centre_known || line->wants_auto || line->seeks_centre);
  scan->wants_centre = line->wants_auto;
  return TRUE;
}

void
tl_cli_scan_print_notes (const TlCliScan *scan)
{
  for (char **note = scan->notes; *note != NULL; note++)
    fprintf (stderr, "note: %s\n", *note);
}

TlReader *
tl_cli_open_reader (const char *path, const TlRecipe *recipe,
                    GCancellable *cancellable, GError **error)
{
  TlReaderOptions options;
  tl_recipe_reader_options (recipe, &options);
  options.cancellable = cancellable;
  TlReader *reader = tl_reader_open (path, &options, error);
  if (reader == NULL)
    tl_cli_explain_cancel (error, "%s: interrupted while it was opened", path);
  return reader;
}

static gboolean
open_reader (TlCliScan *scan, const TlRecipe *recipe, GCancellable *cancellable,
             GError **error)
{
  g_clear_pointer (&scan->reader, tl_reader_close);
  scan->reader = tl_cli_open_reader (scan->path, recipe, cancellable, error);
  return scan->reader != NULL;
}

/* @pixels: as the recipe, for single pixels
 * @info: of these */
static gboolean
choose_bin (const TlCliLine *line, const TlRecipe *recipe,
            const TlRecipe *pixels, const TlScanInfo *info, guint *bin,
            GError **error)
{
  const size_t n_cols = info->n_cols;
  const size_t max_cols = line->max_cols > 0 ? line->max_cols : USUAL_COLS;
  *bin = recipe->bin;
  if (line->max_cols == 0 && recipe->bin > 1
      && n_cols <= (size_t)recipe->bin * KEPT_COLS)
    return TRUE;
  *bin = tl_resident_choose_bin (pixels, info->n_rows, n_cols, max_cols);
  return n_cols <= *bin * max_cols
         || tl_cli_usage_error (
             error,
             "%s%zu columns at most: %zu columns need bins of more than %u "
             "pixels, the largest possible for this scan; give --size %zu or "
             "more",
             line->max_cols > 0 ? "--size: " : "without --size ", max_cols,
             n_cols, *bin, (n_cols + *bin - 1) / *bin);
}

/* Refuses a centre with the number that was given. tl_recipe_resolve() would
 * name the one in bins. */
static gboolean
check_centre (const TlCliScan *scan, GError **error)
{
  const TlRecipe *recipe = scan->recipe;
  const double col = get_given_col (scan);
  const size_t n_cols =
      tl_reader_get_info (scan->reader)->n_cols * recipe->bin / scan->bin;
  if (!recipe->centre_known || (col >= -0.5 && col <= (double)n_cols - 0.5))
    return TRUE;
  g_autofree char *name = tl_cli_dup_scan_name (scan->path);
  return tl_fail (error, TL_ERROR_VALUE,
                  "%s: centre %.10g is outside the columns that are read in "
                  "bins of %u pixels, which reach from -0.5 to %g",
                  name, col, recipe->bin, (double)n_cols - 0.5);
}

/* Opens the scan in bins as large as @line or the recipe says. */
static gboolean
open_in_bins (TlCliScan *scan, const TlCliLine *line, GCancellable *cancellable,
              GError **error)
{
  g_autoptr (TlRecipe) pixels = tl_recipe_dup (scan->recipe);
  guint bin;
  if (!tl_recipe_set_bin (pixels, 1, error)
      || !open_reader (scan, pixels, cancellable, error))
    return FALSE;
  const TlScanInfo *info = tl_reader_get_info (scan->reader);
  if (!choose_bin (line, scan->recipe, pixels, info, &bin, error)
      || !tl_recipe_set_bin (scan->recipe, bin, error))
    return FALSE;
  scan->n_left_out[0] = info->n_rows % bin;
  scan->n_left_out[1] = info->n_cols % bin;
  return bin == 1
         || (open_reader (scan, scan->recipe, cancellable, error)
             && check_centre (scan, error));
}

static void
note_left_out (TlCliScan *scan)
{
  const size_t n_rows = scan->n_left_out[0], n_cols = scan->n_left_out[1];
  g_autofree char *rows = tl_cli_dup_count (n_rows, "detector row");
  g_autofree char *cols = tl_cli_dup_count (n_cols, "detector column");
  if (n_rows > 0 || n_cols > 0)
    tl_cli_scan_add_note (
        scan, g_strdup_printf ("left out, because they fill no bin: %s%s%s",
                               n_rows > 0 ? rows : "",
                               n_rows > 0 && n_cols > 0 ? ", " : "",
                               n_cols > 0 ? cols : ""));
}

gboolean
tl_cli_scan_open (TlCliScan *scan, const TlCliLine *line, const char *file,
                  gboolean takes_slice, GCancellable *cancellable,
                  GError **error)
{
  *scan = (TlCliScan){ .json = line->json };
  scan->recipe = tl_cli_line_make_recipe (line, file, &scan->path, error);
  if (scan->recipe == NULL)
    return FALSE;
  scan->bin = line->chooses_bin ? 1 : scan->recipe->bin;
  if (!(line->chooses_bin
            ? open_in_bins (scan, line, cancellable, error)
            : open_reader (scan, scan->recipe, cancellable, error))
      || !tl_cli_scan_settle (scan, line, takes_slice, error))
    return FALSE;
  note_left_out (scan);
  tl_cli_scan_print_notes (scan);
  return TRUE;
}

void
tl_cli_scan_add_note (TlCliScan *scan, char *note)
{
  const guint n = g_strv_length (scan->notes);
  scan->notes = g_renew (char *, scan->notes, n + 2);
  scan->notes[n] = note;
  scan->notes[n + 1] = NULL;
}

void
tl_cli_scan_take_note (TlCliScan *scan, char *note)
{
  fprintf (stderr, "note: %s\n", note);
  tl_cli_scan_add_note (scan, note);
}

void
tl_cli_scan_note_odd (TlCliScan *scan, guint64 bytes, GCancellable *cancellable)
{
  g_autoptr (GPtrArray) found =
      tl_scan_check_frames (scan->reader, bytes, cancellable);
  g_autofree char **notes = tl_notes_list (found);
  for (char **note = notes; *note != NULL; note++)
    tl_cli_scan_take_note (scan, *note);
}

void
tl_cli_scan_note_tilt (TlCliScan *scan, const TlScanInfo *info,
                       size_t first_row, size_t last_row)
{
  const TlParams *params = &scan->recipe->params;
  size_t first, last;
  if (last_row >= info->n_rows)
    return; /* tl_recipe_resolve() refuses it */
  const gboolean is_some =
      tl_tilt_find_inner (params->tilt_deg, params->centre_col, info->n_rows,
                          info->n_cols, &first, &last);
  if (is_some && first_row >= first && last_row <= last)
    return;
  g_autofree char *which =
      is_some ? g_strdup_printf ("only slices %zu to %zu lie", first, last)
              : g_strdup ("no slice lies");
  tl_cli_scan_take_note (
      scan, g_strdup_printf ("with a tilt of %g degrees %s on the detector "
                             "from edge to edge; elsewhere its outermost row "
                             "goes on",
                             params->tilt_deg, which));
}

void
tl_cli_scan_clear (TlCliScan *scan)
{
  g_clear_pointer (&scan->path, g_free);
  g_clear_pointer (&scan->reader, tl_reader_close);
  g_clear_pointer (&scan->recipe, tl_recipe_free);
  g_clear_pointer (&scan->notes, g_strfreev);
}

void
tl_cli_scan_add_json (const TlCliScan *scan, TlJson *json)
{
  const double centre_col = get_given_col (scan);
  tl_json_add (json,
               "scan: %s, centre: %f, boundary: %f, tilt_deg: %f, half: %d",
               scan->path, centre_col, tl_centre_to_boundary (centre_col),
               scan->recipe->params.tilt_deg, scan->recipe->params.half);
}

void
tl_cli_scan_add_notes (const TlCliScan *scan, TlJson *json)
{
  tl_json_add_strings (json, "notes", (const char *const *)scan->notes);
}

char *
tl_cli_scan_dup_axis (const TlCliScan *scan)
{
  const TlParams *params = &scan->recipe->params;
  GString *text = g_string_new (NULL);
  const double centre_col = get_given_col (scan);
  g_string_printf (text, "centre %.10g (boundary %.10g)", centre_col,
                   tl_centre_to_boundary (centre_col));
  if (params->tilt_deg != 0)
    g_string_append_printf (text, ", tilt %.10g degrees", params->tilt_deg);
  if (params->half)
    g_string_append (text, ", half acquisition");
  return g_string_free (text, FALSE);
}

char *
tl_cli_dup_mended (size_t n_dead, size_t n_mended)
{
  GString *text = g_string_new (NULL);
  if (n_dead > 0)
    g_string_append_printf (text, ", %zu dead pixel%s mended", n_dead,
                            n_dead == 1 ? "" : "s");
  if (n_mended > 0)
    g_string_append_printf (text, ", %zu NaN or infinite sample%s replaced",
                            n_mended, n_mended == 1 ? "" : "s");
  return g_string_free (text, FALSE);
}

void
tl_cli_progress (double fraction, gpointer data)
{
  TlCliProgress *progress = data;
  const gint64 now_us = g_get_monotonic_time ();
  if (!isatty (STDERR_FILENO)
      || (fraction < 1 && now_us - progress->last_us < PROGRESS_STEP_US))
    return;
  progress->last_us = now_us;
  progress->is_shown = TRUE;
  if (progress->n_slices == 0)
    fprintf (stderr, "\r%s %3.0f %%", progress->word, 100 * fraction);
  else
    fprintf (stderr, "\r%s: %.0f of %zu slice%s", progress->word,
             fraction * (double)progress->n_slices, progress->n_slices,
             progress->n_slices == 1 ? "" : "s");
}

void
tl_cli_progress_end (TlCliProgress *progress)
{
  if (progress->is_shown)
    fputc ('\n', stderr);
  progress->is_shown = FALSE;
}

void
tl_cli_explain_cancel (GError **error, const char *format, ...)
{
  va_list args;
  if (error == NULL
      || !g_error_matches (*error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  va_start (args, format);
  g_autofree char *message = g_strdup_vprintf (format, args);
  va_end (args);
  g_clear_error (error);
  g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_CANCELLED, message);
}

/* getrusage() may tell the size of the program that started this one. */
size_t
tl_cli_peak_bytes (void)
{
  return tl_read_proc_bytes ("/proc/self/status", "VmHWM:");
}
