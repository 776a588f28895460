/* The stage "back-project": one launch for each group of slices, or for a
 * plane. gpu/cuda/stages/fourier.c has the Fourier method. */
#include "data/error.h"
#include "gpu/cuda/backproject/variants.h"
#include "gpu/cuda/stages/stages.h"
#include "gpu/cuda/state/turns.h"

#include <cuda_runtime_api.h>
#include <glib/gi18n.h>
#include <string.h>

/* As tl_cuda_check(), for a launch. If the kernel cannot start on this device
 * or for this grid, the device is not damaged, and another kernel may work. */
static gboolean
check_launch (int status, const TlVariant *variant, GError **error)
{
  switch ((cudaError_t)status)
    {
    case cudaErrorInvalidConfiguration:
    case cudaErrorInvalidDeviceFunction:
    case cudaErrorInvalidValue:
    case cudaErrorLaunchOutOfResources:
    case cudaErrorMemoryAllocation: /* memory for spilled registers */
    case cudaErrorNoKernelImageForDevice:
      /* clear the error, or the next launch in this thread would report it */
      cudaGetLastError ();
      return tl_fail (error, TL_ERROR_UNSUPPORTED,
                      _ ("the GPU cannot start the kernel %s: %s"),
                      variant->name, cudaGetErrorString ((cudaError_t)status));
    default:
      return tl_cuda_check (status, _ ("back-projection"), error);
    }
}

static TlCudaBackprojectArgs
make_backproject_args (const TlCuda *cuda, const TlBackprojectArgs *args)
{
  TlCudaBackprojectArgs made = {
    .queues = cuda->queues.dev,
    .n_counters = cuda->n_counters,
    .tables = cuda->tables.dev,
    .peak = cuda->peak.dev,
    .n_parts = 1,
    .n_rays = cuda->n_projections,
    .n_cols = cuda->row_cols,
    .rays = cuda->block->rays.dev,
    .axis_col = args->axis_col,
    .x0 = args->grid.x0,
    .y0 = args->grid.y0,
    .pitch = args->grid.pitch,
    .nx = args->grid.nx,
    .ny = args->grid.ny,
  };

  if (args->fold != NULL)
    {
      const guint n_folded = args->fold->n_pixels;
      const TlGrid part = tl_fold_grid (n_folded, &args->grid);
      const TlFoldSpan span = tl_fold_span (args->axis_col, cuda->row_cols);

      made.n_rays = args->fold->n_rays;
      made.rays = cuda->fold_rays.dev;
      made.n_cols = span.n_cols;
      made.axis_col -= (double)span.first_col;
      made.nx = part.nx;
      made.ny = part.ny;
      made.n_folded = (int)n_folded;
      made.whole_nx = args->grid.nx;
      made.whole_ny = args->grid.ny;
    }
  return made;
}

static gboolean
backproject_group (TlCuda *cuda, const TlBackprojectArgs *args, size_t group,
                   TlCudaFrame *frame, GError **error)
{
  const TlCudaKernel *kernel = tl_cuda_find_kernel (args->variant);
  const size_t n_slices = args->variant->n_slices;
  const size_t first = args->fold != NULL ? group : group * n_slices;
  TlCudaBackprojectArgs group_args = make_backproject_args (cuda, args);

  group_args.texture = cuda->sinogram.groups[group].texture;
  if (kernel->cells != TL_CUDA_LAYOUT_NONE)
    {
      group_args.cells = tl_cuda_find_cells (&cuda->sinogram, group);
      group_args.cell_stride =
          tl_cuda_cell_stride (kernel->cells, group_args.n_cols);
    }
  group_args.n_slices = (int)MIN (n_slices, cuda->n_rows - first);
  group_args.pixels = tl_cuda_frame_get_slice (frame, first);
  return check_launch (kernel->launch (&group_args, cuda->stream),
                       args->variant, error);
}

/* Fills the tables of the variant's kernel, if it has any. */
static gboolean
fill_tables (TlCuda *cuda, const TlBackprojectArgs *args, GError **error)
{
  const TlCudaTables *tables = tl_cuda_find_kernel (args->variant)->tables;

  if (tables == NULL)
    return TRUE;
  const TlCudaBackprojectArgs made = make_backproject_args (cuda, args);
  return check_launch (tables->fill (&made, cuda->stream), args->variant,
                       error);
}

static gboolean
backproject_groups (TlCuda *cuda, const TlBackprojectArgs *args,
                    TlCudaFrame *frame, GCancellable *cancellable,
                    GError **error)
{
  gboolean ok = fill_tables (cuda, args, error);

  for (size_t i = 0; ok && i < cuda->sinogram.n_groups; i++)
    ok = !g_cancellable_set_error_if_cancelled (cancellable, error)
         && tl_cuda_turn_wait (cuda->pool, error)
         && backproject_group (cuda, args, i, frame, error);
  return ok;
}

/* Ends the stage. @frame: taken; @good: whether all of it was queued, otherwise
 * @error is set */
static TlFrame *
end_frame (TlCuda *cuda, TlCudaFrame *frame, gboolean good, GError **error)
{
  /* Do it after an error too: the slot goes back to the pool while work that
   * was queued for it may still run. */
  if (!tl_cuda_frame_finish (frame, good ? error : NULL))
    good = FALSE;
  if (good && tl_cuda_end_stage (cuda, TL_STAGE_BACKPROJECT, error))
    return &frame->frame;
  tl_frame_unref (&frame->frame);
  return NULL;
}

TlFrame *
tl_cuda_backproject (gpointer impl, const TlBackprojectArgs *args,
                     GCancellable *cancellable, GError **error)
{
  TlCuda *cuda = impl;

  if (!tl_cuda_begin_stage (cuda, TL_STAGE_BACKPROJECT, error))
    return NULL;
  TlCudaFrame *frame = tl_cuda_frame_new (cuda->pool, cuda->n_rows,
                                          args->grid.ny, args->grid.nx, error);
  if (frame == NULL)
    return NULL;

  const gboolean ok =
      (args->variant->is_fourier ? tl_cuda_invert : backproject_groups) (
          cuda, args, frame, cancellable, error);
  return end_frame (cuda, frame, ok, error);
}

/* --- planes --- */

static gboolean
launch_plane (TlCuda *cuda, const TlPlaneArgs *args, TlCudaFrame *frame,
              GError **error)
{
  const TlPlane *plane = &args->plane;
  const TlCudaLayout layout = cuda->sinogram.cells;
  TlCudaPlaneArgs made = {
    .layout = layout,
    .rows = tl_cuda_find_cells (&cuda->sinogram, 0),
    .row_bytes = cuda->sinogram.group_bytes,
    .n_rows = cuda->n_rows,
    .cell_stride = tl_cuda_cell_stride (layout, cuda->row_cols),
    .n_rays = cuda->n_projections,
    .n_cols = cuda->row_cols,
    .rays = cuda->block->rays.dev,
    .axis_col = args->axis_col,
    .nx = plane->nx,
    .ny = plane->ny,
    .pixels = tl_cuda_frame_get_slice (frame, 0),
  };

  memcpy (made.origin, plane->origin, sizeof made.origin);
  memcpy (made.u, plane->u, sizeof made.u);
  memcpy (made.v, plane->v, sizeof made.v);
  return check_launch (tl_cuda_launch_plane (&made, cuda->stream),
                       args->variant, error);
}

TlFrame *
tl_cuda_backproject_plane (gpointer impl, const TlPlaneArgs *args,
                           GCancellable *cancellable, GError **error)
{
  TlCuda *cuda = impl;

  if (!tl_cuda_begin_stage (cuda, TL_STAGE_BACKPROJECT, error))
    return NULL;
  TlCudaFrame *frame =
      tl_cuda_frame_new (cuda->pool, 1, args->plane.ny, args->plane.nx, error);
  if (frame == NULL)
    return NULL;

  const gboolean ok = !g_cancellable_set_error_if_cancelled (cancellable, error)
                      && tl_cuda_turn_wait (cuda->pool, error)
                      && launch_plane (cuda, args, frame, error);
  return end_frame (cuda, frame, ok, error);
}
