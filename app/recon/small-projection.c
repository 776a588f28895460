#include "app/recon/small-projection.h"

#include "data/array.h"
#include "data/error.h"

#include <glib/gi18n.h>
#include <math.h>

#define MAX_SAMPLES ((size_t)100 << 20)

/* Returns: (transfer full): [@n_rows][n_cols]. A single image is read as a
 * sinogram, whose rows are projections. */
static float *
read_large (TlReader *reader, size_t n_rows, GError **error)
{
  const TlScanInfo *info = tl_reader_get_info (reader);
  const TlSampleType type = tl_reader_get_type (reader, TL_FRAMES_PROJECTIONS);
  const size_t n_cols = info->n_cols;
  if (n_rows > MAX_SAMPLES / n_cols)
    return tl_fail_null (error, TL_ERROR_UNSUPPORTED,
                         _ ("%s: %zu x %zu pixels are too many for a small "
                            "picture"),
                         info->path, n_rows, n_cols);
  g_autofree void *samples = tl_try_alloc (
      1, n_rows, n_cols, tl_sample_size (type), _ ("a projection"), error);
  g_autofree float *pixels = tl_try_alloc (1, n_rows, n_cols, sizeof *pixels,
                                           _ ("a projection"), error);
  if (pixels == NULL || samples == NULL)
    return NULL;
  if (!(info->n_rows == 1 ? tl_reader_read (reader, 0, 1, samples, NULL, error)
                          : tl_reader_read_projection (
                              reader, info->n_projections / 2, samples, error)))
    return NULL;
  tl_samples_to_float (type, samples, n_rows * n_cols, pixels);
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

float *
tl_small_projection_read (TlReader *reader, size_t size, size_t *n_rows,
                          size_t *n_cols, GError **error)
{
  const TlScanInfo *info = tl_reader_get_info (reader);
  const size_t n_all = info->n_rows == 1 ? info->n_projections : info->n_rows;
  const double longer = (double)MAX (n_all, info->n_cols);
  const double scale = fmin (1, (double)size / longer);
  g_autofree float *large = read_large (reader, n_all, error);
  if (large == NULL)
    return NULL;
  *n_rows = MAX (1, (size_t)(scale * (double)n_all + 0.5));
  *n_cols = MAX (1, (size_t)(scale * (double)info->n_cols + 0.5));
  float *pixels = g_new (float, *n_rows **n_cols);
  for (size_t row = 0; row < *n_rows; row++)
    for (size_t col = 0; col < *n_cols; col++)
      pixels[row * *n_cols + col] =
          mean_of (large, n_all, info->n_cols, *n_rows, *n_cols, row, col);
  return pixels;
}
