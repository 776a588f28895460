/* The command "thumbnail", which file managers call for each file of the types
 * in tomolens.thumbnailer, scan or not: it does not ask, and ends soon. */
#include "app/cli/cli-private.h"
#include "app/cli/output-private.h"
#include "app/recon/recon.h"
#include "data/array.h"
#include "data/error.h"
#include "data/read/reader.h"
#include "data/write/writer.h"

#include <math.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* Of the longer side, as file managers show it. */
#define SIZE 256
#define MAX_SIZE 1024

/* Larger projections are not read, and what takes longer is given up. */
#define MAX_PIXELS ((size_t)100 << 20)
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

/* Returns: (transfer full): [n_rows][n_cols], the middle projection */
static float *
read_middle (TlReader *reader, GError **error)
{
  const TlScanInfo *info = tl_reader_get_info (reader);
  const TlSampleType type = tl_reader_get_type (reader, TL_FRAMES_PROJECTIONS);
  if (info->n_rows > MAX_PIXELS / info->n_cols)
    return tl_fail_null (error, TL_ERROR_UNSUPPORTED,
                         "%s: %zu x %zu pixels are too many for a thumbnail",
                         info->path, info->n_rows, info->n_cols);
  g_autofree void *samples =
      tl_try_alloc (1, info->n_rows, info->n_cols, tl_sample_size (type),
                    "a projection", error);
  g_autofree float *pixels = tl_try_alloc (
      1, info->n_rows, info->n_cols, sizeof *pixels, "a projection", error);
  if (pixels == NULL || samples == NULL
      || !tl_reader_read_projection (reader, info->n_projections / 2, samples,
                                     error))
    return NULL;
  tl_samples_to_float (type, samples, info->n_rows * info->n_cols, pixels);
  return g_steal_pointer (&pixels);
}

/* The mean of the part of @large, [@n_rows][@n_cols], that the pixel (@row,
 * @col) of a picture of @small_rows times @small_cols covers. */
static float
mean_of (const float *large, size_t n_rows, size_t n_cols, size_t small_rows,
         size_t small_cols, size_t row, size_t col)
{
  const size_t first_row = row * n_rows / small_rows;
  const size_t end_row = (row + 1) * n_rows / small_rows;
  const size_t first_col = col * n_cols / small_cols;
  const size_t end_col = (col + 1) * n_cols / small_cols;
  double sum = 0;
  for (size_t r = first_row; r < end_row; r++)
    for (size_t c = first_col; c < end_col; c++)
      sum += (double)large[r * n_cols + c];
  return (float)(sum / (double)((end_row - first_row) * (end_col - first_col)));
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

/* Draws [@n_rows][@n_cols] pixels, the longer side reduced to @size. */
static gboolean
draw (const float *large, size_t n_rows, size_t n_cols, size_t size,
      const char *path, TlJson *json, GError **error)
{
  const double scale = fmin (1, (double)size / (double)MAX (n_rows, n_cols));
  const size_t small_rows = MAX (1, (size_t)(scale * (double)n_rows + 0.5));
  const size_t small_cols = MAX (1, (size_t)(scale * (double)n_cols + 0.5));
  g_autofree float *pixels = g_new (float, small_rows *small_cols);
  float low, high;
  for (size_t row = 0; row < small_rows; row++)
    for (size_t col = 0; col < small_cols; col++)
      pixels[row * small_cols + col] =
          mean_of (large, n_rows, n_cols, small_rows, small_cols, row, col);
  find_levels (pixels, small_rows * small_cols, &low, &high);
  tl_json_add (json, "path: %s, rows: %zu, columns: %zu", path, small_rows,
               small_cols);
  return tl_write_png (path, pixels, small_rows, small_cols, low, high, error);
}

static gboolean
make_thumbnail (const char *scan, const char *path, size_t size, TlJson *json,
                GError **error)
{
  const TlReaderOptions options = { .replace_nan = TRUE };
  g_autoptr (TlReader) reader = tl_reader_open (scan, &options, error);
  g_autofree float *pixels =
      reader != NULL ? read_middle (reader, error) : NULL;
  if (pixels == NULL)
    return FALSE;
  const TlScanInfo *info = tl_reader_get_info (reader);
  if (!draw (pixels, info->n_rows, info->n_cols, size, path, json, error))
    return FALSE;
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
         && make_thumbnail (rest[1], output, size, line.json, error);
}
