#include "app/export/output.h"

#include "data/array.h"
#include "data/parallel.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

/* Columns of the widest tile of an engine. */
#define TILE_COLS 128

/* Slices that become one slice of bins. */
typedef struct
{
  float *parts; /* [binning][rows][cols], binned within the slice */
  guint n;      /* parts that have come */
} Bin;

struct TlOutput
{
  const TlExportSettings *settings;
  TlVolume *volume;
  TlVolumeInfo shape;
  TlGrid whole, region;
  size_t n_bins;
  guint8 *is_whole; /* [shape.n_slices], written by several threads */
  gint n_whole;     /* atomic: how many of them */
  size_t n_damaged, first_damaged; /* of those that the volume had */

  /* The pass. */
  size_t slices_per_pass;
  size_t first_slice, n_slices; /* of the volume */
  TlGrid grid;
  size_t n_lead; /* columns of the grid before those of the slices */
  float *stack;  /* [n_slices][n_rows][n_cols] of the shape; NULL: x-y */

  GMutex lock; /* guards the bins */
  Bin *bins;   /* [n_bins] */
};

/* --- passes --- */

static gboolean
is_turned (const TlExportSettings *settings)
{
  return settings->plane != TL_PLANE_XY;
}

static size_t
count_slices_per_pass (const TlExportSettings *settings,
                       const TlVolumeInfo *shape, guint64 bytes)
{
  const guint64 slice_bytes =
      (guint64)shape->n_rows * shape->n_cols * sizeof (float);
  return is_turned (settings) ? MIN (bytes / slice_bytes, shape->n_slices)
                              : shape->n_slices;
}

size_t
tl_output_count_passes (const TlExportSettings *settings, const TlGrid *whole,
                        guint64 bytes)
{
  TlVolumeInfo shape;
  tl_export_settings_describe (settings, whole, 0, &shape);
  const size_t n = count_slices_per_pass (settings, &shape, bytes);
  return n > 0 ? (shape.n_slices + n - 1) / n : 0;
}

TlOutput *
tl_output_new (const TlExportSettings *settings, const TlGrid *whole,
               TlVolume *volume, guint64 bytes)
{
  TlOutput *output = g_new0 (TlOutput, 1);
  output->settings = settings;
  output->volume = volume;
  output->whole = *whole;
  output->region = tl_export_settings_get_grid (settings, whole);
  tl_export_settings_describe (settings, whole, 0, &output->shape);
  output->slices_per_pass =
      count_slices_per_pass (settings, &output->shape, bytes);
  output->n_bins = settings->n_rows / settings->binning;
  output->bins = g_new0 (Bin, output->n_bins);
  output->is_whole = g_new (guint8, output->shape.n_slices);
  for (size_t k = 0; k < output->shape.n_slices; k++)
    {
      output->is_whole[k] = tl_volume_check_slice (volume, k, NULL);
      output->n_whole += output->is_whole[k];
      if (!output->is_whole[k] && tl_volume_is_damaged (volume, k)
          && output->n_damaged++ == 0)
        output->first_damaged = k;
    }
  g_mutex_init (&output->lock);
  return output;
}

void
tl_output_free (TlOutput *output)
{
  if (output == NULL)
    return;
  for (size_t k = 0; k < output->n_bins; k++)
    g_free (output->bins[k].parts);
  g_free (output->bins);
  g_free (output->is_whole);
  g_free (output->stack);
  g_mutex_clear (&output->lock);
  g_free (output);
}

char *
tl_output_dup_damaged (const TlOutput *output)
{
  const TlVolumeInfo *shape = &output->shape;

  return output->n_damaged == 0
             ? NULL
             : g_strdup_printf (
                 g_dngettext (NULL,
                              "%zu kept slice was damaged and is made again: "
                              "slice %zu",
                              "%zu kept slices were damaged and are made "
                              "again, the first of them slice %zu",
                              output->n_damaged),
                 output->n_damaged,
                 shape->first_number
                     + output->first_damaged * shape->number_step);
}

static gboolean
lacks_slice (const TlOutput *output, size_t first, size_t n)
{
  for (size_t k = first; k < first + n; k++)
    if (!output->is_whole[k])
      return TRUE;
  return FALSE;
}

size_t
tl_output_count_whole (TlOutput *output)
{
  return (size_t)g_atomic_int_get (&output->n_whole);
}

/* The pixels that the slices of the pass are made of. How a pixel is rounded
 * depends on its column in a tile of the engine, so the columns begin where a
 * tile of the whole slice does: the slices are the same in any pass and part.
 */
static TlGrid
find_grid (TlOutput *output)
{
  const guint binning = output->settings->binning;
  const size_t first = output->first_slice * binning;
  const size_t n = output->n_slices * binning;
  TlGrid grid = output->region;
  grid.nx -= grid.nx % binning;
  grid.ny -= grid.ny % binning;
  if (output->settings->plane == TL_PLANE_XZ)
    {
      grid.y0 -= (double)first * grid.pitch;
      grid.ny = n;
    }
  else if (output->settings->plane == TL_PLANE_YZ)
    {
      output->n_lead = (output->settings->region_col + first) % TILE_COLS;
      grid.x0 += ((double)first - (double)output->n_lead) * grid.pitch;
      grid.nx = output->n_lead + n;
    }
  return grid;
}

gboolean
tl_output_next_pass (TlOutput *output, TlGrid *grid, GError **error)
{
  const TlVolumeInfo *shape = &output->shape;
  do
    {
      output->first_slice += output->n_slices;
      output->n_slices =
          MIN (output->slices_per_pass, shape->n_slices - output->first_slice);
      if (output->n_slices == 0)
        return FALSE;
    }
  while (!lacks_slice (output, output->first_slice, output->n_slices));
  *grid = output->grid = find_grid (output);
  if (is_turned (output->settings) && output->stack == NULL)
    output->stack =
        tl_try_alloc (output->slices_per_pass, shape->n_rows, shape->n_cols,
                      sizeof (float), _ ("the slices of a pass"), error);
  return !is_turned (output->settings) || output->stack != NULL;
}

gboolean
tl_output_needs (TlOutput *output, size_t first_row, size_t n_rows)
{
  const guint binning = output->settings->binning;
  const size_t end =
      MIN ((first_row + n_rows - 1) / binning + 1, output->n_bins);
  const size_t first = first_row / binning;
  if (first >= end)
    return FALSE; /* rows that do not fill a bin */
  return is_turned (output->settings)
         || lacks_slice (output, first, end - first);
}

/* --- slices --- */

/* Returns: the columns of what the slices of the pass are made of */
static size_t
count_cols (const TlOutput *output)
{
  return (output->grid.nx - output->n_lead) / output->settings->binning;
}

/* Returns: (transfer full): the mean of each square of pixels; pixels that the
 * settings mask count as 0 */
static float *
reduce (const TlOutput *output, const float *pixels, GError **error)
{
  const TlGrid *grid = &output->grid;
  const guint binning = output->settings->binning;
  const size_t lead = output->n_lead;
  const size_t ny = grid->ny / binning, nx = count_cols (output);
  const float part = 1.0f / (float)(binning * binning);
  float *means = tl_try_alloc (ny, nx, 1, sizeof (float), _ ("a slice"), error);
  if (means == NULL)
    return NULL;
  memset (means, 0, ny * nx * sizeof (float));
  for (size_t i = 0; i < ny * binning; i++)
    {
      float *row = means + i / binning * nx;
      size_t first = 0, end = grid->nx;
      if (output->settings->masks)
        tl_grid_find_seen (grid, &output->whole, i, &first, &end);
      for (size_t col = MAX (first, lead); col < MIN (end, lead + nx * binning);
           col++)
        row[(col - lead) / binning] +=
            pixels != NULL ? pixels[i * grid->nx + col] * part : NAN;
    }
  return means;
}

/* Stores row @z of every slice of the pass. @stride: of the rows of pixels */
static void
turn_over (TlOutput *output, size_t z, const float *pixels, size_t stride)
{
  const size_t nz = output->shape.n_rows, n_cols = output->shape.n_cols;
  const size_t n = output->n_slices;
  float *row = output->stack + z * n_cols;
  if (output->settings->plane == TL_PLANE_XZ)
    for (size_t k = 0; k < n; k++)
      memcpy (row + k * nz * n_cols, pixels + k * stride,
              n_cols * sizeof (float));
  else
    for (size_t k = 0; k < n; k++)
      for (size_t j = 0; j < n_cols; j++)
        row[k * nz * n_cols + j] = pixels[j * stride + k];
}

static gboolean
write_slice (TlOutput *output, size_t slice, const float *pixels,
             GError **error)
{
  if (!tl_volume_write (output->volume, slice, pixels, NULL, error))
    return FALSE;
  if (!output->is_whole[slice])
    g_atomic_int_inc (&output->n_whole);
  output->is_whole[slice] = TRUE;
  return TRUE;
}

/* @stride: of the rows of pixels */
static gboolean
put (TlOutput *output, size_t z, const float *pixels, size_t stride,
     GError **error)
{
  if (!is_turned (output->settings))
    return write_slice (output, z, pixels, error);
  turn_over (output, z, pixels, stride);
  return TRUE;
}

/* Takes @means as one part of its bin. Returns: (transfer full) (nullable): all
 * parts, if this was the last one */
static float *
add_to_bin (TlOutput *output, size_t index, const float *means, size_t n_pixels,
            GError **error)
{
  const guint binning = output->settings->binning;
  Bin *bin = &output->bins[index / binning];
  float *parts = NULL;
  g_mutex_lock (&output->lock);
  if (bin->parts == NULL)
    bin->parts = tl_try_alloc (binning, n_pixels, 1, sizeof (float),
                               _ ("the slices of a bin"), error);
  if (bin->parts != NULL)
    {
      memcpy (bin->parts + index % binning * n_pixels, means,
              n_pixels * sizeof (float));
      if (++bin->n == binning)
        {
          parts = g_steal_pointer (&bin->parts);
          bin->n = 0;
        }
    }
  g_mutex_unlock (&output->lock);
  return parts;
}

/* The parts are added in the order of the rows, whichever came last, so that
 * the sum is always the same. */
static gboolean
take_part (TlOutput *output, size_t index, const float *means, GError **error)
{
  const guint binning = output->settings->binning;
  const size_t n_cols = count_cols (output);
  const size_t n_pixels = output->grid.ny / binning * n_cols;
  GError *failed = NULL;
  g_autofree float *parts =
      add_to_bin (output, index, means, n_pixels, &failed);
  if (failed != NULL)
    {
      g_propagate_error (error, failed);
      return FALSE;
    }
  if (parts == NULL)
    return TRUE;
  for (guint k = 1; k < binning; k++)
    for (size_t i = 0; i < n_pixels; i++)
      parts[i] += parts[k * n_pixels + i];
  for (size_t i = 0; i < n_pixels; i++)
    parts[i] /= (float)binning;
  return put (output, index / binning, parts, n_cols, error);
}

gboolean
tl_output_take (TlOutput *output, size_t index, const float *pixels,
                GError **error)
{
  const TlExportSettings *settings = output->settings;
  if (index / settings->binning >= output->n_bins)
    return TRUE;
  if (pixels != NULL && settings->binning == 1 && !settings->masks)
    return put (output, index, pixels + output->n_lead, output->grid.nx, error);
  g_autofree float *means = reduce (output, pixels, error);
  if (means == NULL)
    return FALSE;
  return settings->binning == 1
             ? put (output, index, means, count_cols (output), error)
             : take_part (output, index, means, error);
}

/* --- the end of a pass --- */

static gboolean
write_from_stack (gpointer data, size_t index, GError **error)
{
  TlOutput *output = data;
  const TlVolumeInfo *shape = &output->shape;
  return write_slice (output, output->first_slice + index,
                      output->stack + index * shape->n_rows * shape->n_cols,
                      error);
}

gboolean
tl_output_end_pass (TlOutput *output, guint n_threads,
                    GCancellable *cancellable, GError **error)
{
  size_t n_done;
  return !is_turned (output->settings)
         || tl_parallel_run (
             output->n_slices, MIN (n_threads, g_get_num_processors ()),
             write_from_stack, output, cancellable, &n_done, error);
}
