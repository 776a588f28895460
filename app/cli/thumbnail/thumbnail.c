/* The command "thumbnail", which file managers call for each file of the types
 * in tomolens.thumbnailer, scan or not: it does not ask, and ends soon. */
#include "app/cli/cli-private.h"
#include "app/cli/output-private.h"
#include "app/recon/recon.h"
#include "app/recon/small-projection.h"
#include "data/array.h"
#include "data/read/reader.h"
#include "data/write/writer.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

/* Of the longer side, as file managers show it. */
#define SIZE 256
#define MAX_SIZE 1024

/* What takes longer is given up. */
#define MAX_SECONDS 10
#define MAX_SECONDS_TEXT G_STRINGIFY (MAX_SECONDS)

/* In C's own words, as a handler of a signal may do no more. */
static void
give_up (int number)
{
  static const char why[] =
      "tomolens-cli: no thumbnail in " MAX_SECONDS_TEXT " seconds\n";
  const ssize_t n_written = write (STDERR_FILENO, why, sizeof why - 1);
  (void)n_written; /* there is nobody to tell */
  _exit (1);
}

/* Finds the grey levels of [@n] pixels. */
static void
find_levels (const float *pixels, size_t n, float *low, float *high)
{
  g_autofree float *sorted = g_memdup2 (pixels, n * sizeof *pixels);
  tl_sort_floats (sorted, n);
  *low = sorted[(size_t)(TL_CLI_PNG_LOW * (double)(n - 1))];
  *high = sorted[(size_t)(TL_CLI_PNG_HIGH * (double)(n - 1))];
}

static gboolean
make_thumbnail (const char *scan, const char *path, size_t size, TlJson *json,
                GCancellable *cancellable, GError **error)
{
  const TlReaderOptions options = { .replace_nan = TRUE,
                                    .cancellable = cancellable };
  g_autoptr (TlReader) reader = tl_reader_open (scan, &options, error);
  size_t n_rows, n_cols;
  g_autofree float *pixels =
      reader != NULL
          ? tl_small_projection_read (reader, size, &n_rows, &n_cols, error)
          : NULL;
  float low, high;
  if (pixels == NULL)
    return FALSE;
  find_levels (pixels, n_rows * n_cols, &low, &high);
  if (!tl_write_png (path, pixels, n_rows, n_cols, low, high, error))
    return FALSE;
  tl_json_add (json, "path: %s, rows: %zu, columns: %zu", path, n_rows, n_cols);
  tl_json_print (json);
  return TRUE;
}

gboolean
tl_cli_thumbnail (char **args, GCancellable *cancellable, GError **error)
{
  g_autofree char *output = NULL;
  gboolean overwrite = FALSE;
  size_t size = SIZE;
  const TlCliSize sizes[] = {
    { "size", &size, "pixels of its longer side, up to 1024 (256)" },
    { 0 },
  };
  const GOptionEntry own[] = {
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &output, "the picture, a PNG",
      "OUT.png" },
    TL_CLI_OVERWRITE (&overwrite),
    { 0 },
  };
  g_auto (TlCliLine) line = { 0 };
  g_auto (GStrv) rest = g_strdupv (args);
  tl_cli_line_init (&line, "FILE",
                    "Draws the middle projection of a scan, for file managers. "
                    "It gives up after " MAX_SECONDS_TEXT
                    " seconds, and on projections of more "
                    "than 100 million pixels.",
                    sizes, own);
  if (!tl_cli_line_parse (&line, &rest, error)
      || !tl_cli_check_files (rest, 1, 1, error))
    return FALSE;
  if (output == NULL)
    return tl_cli_usage_error (error, "thumbnail needs -o OUT.png");
  if (size > MAX_SIZE)
    return tl_cli_usage_error (error, "--size takes 1 to %d, not %zu", MAX_SIZE,
                               size);
  signal (SIGALRM, give_up);
  alarm (MAX_SECONDS);
  return tl_cli_check_folder (output, error)
         && tl_check_output (rest[1], output, error)
         && tl_cli_check_new (output, overwrite, error)
         && make_thumbnail (rest[1], output, size, line.json, cancellable,
                            error);
}
