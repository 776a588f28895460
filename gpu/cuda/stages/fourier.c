/* The stage "back-project" of the Fourier method: gpu/cuda/fourier/fourier.h
 * has its steps. */
#include "data/array.h"
#include "data/error.h"
#include "gpu/cuda/stages/fft.h"
#include "gpu/cuda/stages/stages.h"
#include "gpu/cuda/state/turns.h"
#include "gpu/stages/fourier.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

/* Sectors for each ray: with more of them, fewer rays are looked at in vain. */
#define SECTORS_PER_RAY 2

/* The most values that cuFFT counts in one batch, and the longest side of the
 * grid, whose squares are counted as integers. */
#define MAX_BATCH_VALUES ((size_t)G_MAXINT)
#define MAX_SIDE 65534

void
tl_cuda_fourier_clear (TlCuda *cuda)
{
  TlCudaFourier *fourier = &cuda->fourier;
  TlCudaBuffer *const buffers[] = { &fourier->order,   &fourier->rays,
                                    &fourier->sectors, &fourier->points,
                                    &fourier->grid,    &fourier->rows };

  for (size_t i = 0; i < G_N_ELEMENTS (buffers); i++)
    tl_cuda_buffer_give_back (cuda->pool, buffers[i]);
  g_free (fourier->host_rays);
  memset (fourier, 0, sizeof *fourier);
}

/* --- tables --- */

/* The turn is in half turns from -90 degrees, 0 … 1. */
static TlFourierRay
make_ray (const TlCudaFourier *fourier, const double *ray, size_t projection)
{
  const double u = ray[0] * fourier->cells * (double)fourier->nu;
  const double v = ray[1] * fourier->cells * (double)fourier->nv;
  const double turn = atan2 (v, u) / G_PI + 0.5;

  return (TlFourierRay){
    .turn = turn - floor (turn), .u = u, .v = v, .projection = projection
  };
}

/* Uploads the rays in their order and where sectors begin. @sorted: [n_rays] */
static gboolean
upload_tables (TlCuda *cuda, const TlFourierRay *sorted, GError **error)
{
  TlCudaFourier *fourier = &cuda->fourier;
  const size_t n = fourier->n_rays, n_sectors = fourier->n_sectors;
  g_autofree TlCudaFourierRay *rays =
      tl_try_alloc (n, 1, 1, sizeof *rays, _ ("the angles"), error);
  g_autofree int *order =
      tl_try_alloc (n, 1, 1, sizeof *order, _ ("the angles"), error);
  g_autofree int *sectors = tl_try_alloc (
      2 * n_sectors + 1, 1, 1, sizeof *sectors, _ ("the angles"), error);
  size_t next = 0;

  if (rays == NULL || order == NULL || sectors == NULL)
    return FALSE;

  fourier->longest_step = 0.0;
  for (size_t i = 0; i < n; i++)
    {
      const double step = hypot (sorted[i].u, sorted[i].v);

      rays[i] = (TlCudaFourierRay){ .cosine = sorted[i].u / step,
                                    .sine = sorted[i].v / step,
                                    .step = (float)step,
                                    .inverse_step = (float)(1.0 / step) };
      order[i] = (int)sorted[i].projection;
      fourier->longest_step = fmax (fourier->longest_step, step);
    }
  for (size_t i = 0; i <= n_sectors; i++)
    {
      while (next < n && sorted[next].turn * (double)n_sectors < (double)i)
        next++;
      sectors[i] = (int)next;
      sectors[n_sectors + i] = (int)(n + next);
    }
  sectors[n_sectors] = (int)n;
  return tl_cuda_buffer_upload (cuda->pool, &fourier->rays, rays,
                                n * sizeof *rays, _ ("the angles"), error)
         && tl_cuda_buffer_upload (cuda->pool, &fourier->order, order,
                                   n * sizeof *order, _ ("the angles"), error)
         && tl_cuda_buffer_upload (cuda->pool, &fourier->sectors, sectors,
                                   (2 * n_sectors + 1) * sizeof *sectors,
                                   _ ("the angles"), error);
}

/* Makes the tables for a grid of @nu x @nv cells, unless they are there. */
static gboolean
make_tables (TlCuda *cuda, size_t nu, size_t nv, double cells, GError **error)
{
  TlCudaFourier *fourier = &cuda->fourier;
  const double *host_rays = cuda->block->host_rays;
  const size_t n = cuda->n_projections, bytes = 2 * n * sizeof (double);

  if (fourier->n_rays == n && fourier->nu == nu && fourier->nv == nv
      && fourier->cells == cells
      && memcmp (fourier->host_rays, host_rays, bytes) == 0)
    return TRUE;
  fourier->n_rays = 0;
  g_autofree TlFourierRay *rays =
      tl_try_alloc (n, 1, 1, sizeof (TlFourierRay), _ ("the angles"), error);
  double *copy = rays != NULL ? tl_try_alloc (n, 2, 1, sizeof (double),
                                              _ ("the angles"), error)
                              : NULL;
  if (copy == NULL)
    return FALSE;
  fourier->nu = nu;
  fourier->nv = nv;
  fourier->cells = cells;
  g_free (fourier->host_rays);
  fourier->host_rays = memcpy (copy, host_rays, bytes);
  for (size_t i = 0; i < n; i++)
    rays[i] = make_ray (fourier, host_rays + 2 * i, i);
  tl_fourier_sort_rays (rays, n);
  fourier->n_rays = n;
  fourier->n_sectors = SECTORS_PER_RAY * n;
  if (upload_tables (cuda, rays, error))
    return TRUE;
  fourier->n_rays = 0;
  return FALSE;
}

/* --- a group of slices --- */

typedef struct
{
  TlCudaFourierPointsArgs points;
  TlCudaFourierGatherArgs gather;
  TlCudaFourierPictureArgs picture;
} Steps;

/* What is the same for all groups. */
static Steps
make_steps (TlCuda *cuda, const TlBackprojectArgs *args, size_t finer)
{
  const TlCudaFourier *fourier = &cuda->fourier;
  const TlGrid *grid = &args->grid;
  const size_t n_slices = args->variant->n_slices;
  Steps steps = {
    .points = {
      .n_projections = cuda->n_projections,
      .n_rows = cuda->n_rows,
      .n_slices = n_slices,
      .length = cuda->length,
      .last = cuda->last_frequency,
      .spectrum = cuda->spectrum.dev,
      .pairs = cuda->transform == TL_TRANSFORM_PAIRS,
      .row_floats = tl_cuda_fft_row_floats (cuda->transform, cuda->length),
      .response = cuda->response.buffer.dev,
      .shifts = cuda->shifts.buffer.dev,
      .n_shifts = cuda->n_shifts,
      .rays = cuda->block->rays.dev,
      .order = fourier->order.dev,
      .axis_col = args->axis_col,
      .points = fourier->points.dev,
    },
    .gather = {
      .n_rays = fourier->n_rays,
      .n_slices = n_slices,
      .last = cuda->last_frequency,
      .rays = fourier->rays.dev,
      .sectors = fourier->sectors.dev,
      .n_sectors = fourier->n_sectors,
      .reach = (float)(fourier->longest_step * (double)cuda->last_frequency),
      .nu = fourier->nu,
      .nv = fourier->nv,
      .points = fourier->points.dev,
      .grid = fourier->grid.dev,
    },
    .picture = {
      .nu = fourier->nu,
      .nv = fourier->nv,
      .nx = grid->nx,
      .ny = grid->ny,
      .finer = finer,
      .grid = fourier->grid.dev,
      .rows = fourier->rows.dev,
      .row_floats = tl_cuda_fft_row_floats (TL_TRANSFORM_REAL, fourier->nu),
    },
  };

  tl_cuda_fourier_kernel_init (&steps.gather.kernel,
                               args->variant->precision == TL_PRECISION_FULL
                                   ? TL_CUDA_FOURIER_WIDE
                                   : TL_CUDA_FOURIER_NARROW);
  steps.picture.kernel = steps.gather.kernel;
  tl_fourier_find_middle (grid, &steps.points.x, &steps.points.y);
  return steps;
}

/* Reserves the memory of a group. */
static gboolean
reserve (TlCuda *cuda, const TlBackprojectArgs *args, GError **error)
{
  TlCudaFourier *fourier = &cuda->fourier;
  const size_t n = args->variant->n_slices;
  const size_t n_cells = (fourier->nu / 2 + 1) * fourier->nv;

  if (MAX (fourier->nu, fourier->nv) > MAX_SIDE
      || n * n_cells > MAX_BATCH_VALUES)
    return tl_fail (error, TL_ERROR_UNSUPPORTED,
                    _ ("the Fourier method on the GPU cannot make %zu slices "
                       "of %zu x %zu pixels at once; back-projection can"),
                    n, args->grid.nx, args->grid.ny);
  return tl_cuda_buffer_reserve (cuda->pool, &fourier->points,
                                 n * cuda->n_projections
                                     * (cuda->last_frequency + 1) * 2
                                     * sizeof (float),
                                 _ ("the points in Fourier space"), error)
         && tl_cuda_buffer_reserve (
             cuda->pool, &fourier->grid, n * n_cells * 2 * sizeof (float),
             _ ("the Fourier transform of the slice"), error)
         && tl_cuda_buffer_reserve (
             cuda->pool, &fourier->rows,
             n * args->grid.ny
                 * tl_cuda_fft_row_floats (TL_TRANSFORM_REAL, fourier->nu)
                 * sizeof (float),
             _ ("the Fourier transform of the slice"), error);
}

static gboolean
make_group (TlCuda *cuda, const Steps *steps, size_t first, size_t n_written,
            TlCudaFrame *frame, GError **error)
{
  const char *step = _ ("Fourier method");
  const TlCudaFourier *fourier = &cuda->fourier;
  const size_t n = steps->points.n_slices;
  TlCudaFourierPointsArgs points = steps->points;
  TlCudaFourierPictureArgs picture = steps->picture;

  points.first_row = first;
  picture.n_slices = n_written;
  picture.pixels = tl_cuda_frame_get_slice (frame, first);
  return tl_cuda_check (tl_cuda_fourier_points (&points, cuda->stream), step,
                        error)
         && tl_cuda_check (
             tl_cuda_fourier_gather (&steps->gather, cuda->stream), step, error)
         && tl_cuda_fft_run (cuda->fft, TL_TRANSFORM_PAIRS, fourier->grid.dev,
                             fourier->nv, n * (fourier->nu / 2 + 1), TRUE,
                             error)
         && tl_cuda_check (tl_cuda_fourier_transpose (&picture, cuda->stream),
                           step, error)
         && tl_cuda_fft_run (cuda->fft, TL_TRANSFORM_REAL, fourier->rows.dev,
                             fourier->nu, n * picture.ny, FALSE, error)
         && tl_cuda_check (tl_cuda_fourier_crop (&picture, cuda->stream), step,
                           error);
}

/* --- the stage --- */

static gboolean
prepare (TlCuda *cuda, const TlBackprojectArgs *args, size_t finer,
         GError **error)
{
  const TlGrid *grid = &args->grid;

  return tl_fourier_check_reach (grid, cuda->row_cols, args->axis_col, error)
         && make_tables (cuda, tl_fourier_grid_length (finer * grid->nx),
                         tl_fourier_grid_length (finer * grid->ny),
                         grid->pitch / (double)finer / (double)cuda->length,
                         error)
         && reserve (cuda, args, error);
}

gboolean
tl_cuda_invert (TlCuda *cuda, const TlBackprojectArgs *args, TlCudaFrame *frame,
                GCancellable *cancellable, GError **error)
{
  const size_t n_slices = args->variant->n_slices;
  const size_t finer = tl_fourier_count_finer (
      args->grid.pitch, cuda->last_frequency, cuda->length);

  if (!prepare (cuda, args, finer, error))
    return FALSE;

  const Steps steps = make_steps (cuda, args, finer);

  for (size_t first = 0; first < cuda->n_rows; first += n_slices)
    if (g_cancellable_set_error_if_cancelled (cancellable, error)
        || !tl_cuda_turn_wait (cuda->pool, error)
        || !make_group (cuda, &steps, first,
                        MIN (n_slices, cuda->n_rows - first), frame, error))
      return FALSE;
  return TRUE;
}
