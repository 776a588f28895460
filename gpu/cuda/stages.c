/* The stages "upload", "correct" and "back-project". */
#include "data/array.h"
#include "gpu/cuda/cuda-private.h"
#include "gpu/cuda/flatfield.h"
#include "gpu/cuda/frame.h"
#include "gpu/cuda/variants.h"

#include <cuda_runtime_api.h>
#include <math.h>

/* flatfield.cu has the sample types in this order */
G_STATIC_ASSERT (TL_SAMPLE_U8 == 0 && TL_SAMPLE_I8 == 1 && TL_SAMPLE_U16 == 2
                 && TL_SAMPLE_I16 == 3 && TL_SAMPLE_U32 == 4
                 && TL_SAMPLE_I32 == 5 && TL_SAMPLE_F32 == 6
                 && TL_SAMPLE_F64 == 7 && TL_N_SAMPLE_TYPES == 8);

/* --- upload --- */

static gboolean
upload_rays (TlCuda *cuda, const double *angles_rad, size_t n, GError **error)
{
  static const char what[] = "the angles";
  g_autofree double *rays =
      tl_try_alloc (n, 2, 1, sizeof (double), what, error);

  if (rays == NULL)
    return FALSE;
  for (size_t i = 0; i < n; i++)
    {
      rays[2 * i] = cos (angles_rad[i]);
      rays[2 * i + 1] = sin (angles_rad[i]);
    }
  return tl_cuda_buffer_upload (cuda->pool, &cuda->rays, rays,
                                2 * n * sizeof (double), what, error);
}

/* @field: (nullable) */
static gboolean
upload_field (TlCuda *cuda, TlCudaBuffer *buffer, const float *field, size_t n,
              gboolean *is_there, GError **error)
{
  *is_there = field != NULL;
  return field == NULL
         || tl_cuda_buffer_upload (cuda->pool, buffer, field,
                                   n * sizeof (float),
                                   "the dark and flat fields", error);
}

gboolean
tl_cuda_upload (gpointer impl, const TlBlock *block, GError **error)
{
  TlCuda *cuda = impl;
  const size_t n_pixels = block->n_rows * block->n_cols;

  if (!tl_cuda_begin_stage (cuda, TL_STAGE_UPLOAD, error))
    return FALSE;
  cuda->n_projections = block->n_projections;
  cuda->n_rows = block->n_rows;
  cuda->n_cols = block->n_cols;
  cuda->type = block->type;
  return tl_cuda_buffer_upload (cuda->pool, &cuda->samples, block->samples,
                                block->n_projections * n_pixels
                                    * tl_sample_size (block->type),
                                "the projections", error)
         && upload_rays (cuda, block->angles_rad, block->n_projections, error)
         && upload_field (cuda, &cuda->dark, block->dark, n_pixels,
                          &cuda->has_dark, error)
         && upload_field (cuda, &cuda->flat_first, block->flat_first, n_pixels,
                          &cuda->has_flat_first, error)
         && upload_field (cuda, &cuda->flat_last, block->flat_last, n_pixels,
                          &cuda->has_flat_last, error)
         && tl_cuda_end_stage (cuda, TL_STAGE_UPLOAD, error);
}

/* --- correct --- */

static gboolean
upload_dead_pixels (TlCuda *cuda, const TlCorrectArgs *args, GError **error)
{
  static const char what[] = "the list of dead pixels";
  const size_t n = cuda->n_rows * cuda->n_cols;

  return tl_cuda_buffer_upload (cuda->pool, &cuda->left_col, args->left_col,
                                n * sizeof (guint32), what, error)
         && tl_cuda_buffer_upload (cuda->pool, &cuda->right_col,
                                   args->right_col, n * sizeof (guint32), what,
                                   error)
         && tl_cuda_buffer_upload (cuda->pool, &cuda->mix, args->mix,
                                   n * sizeof (float), what, error);
}

gboolean
tl_cuda_correct (gpointer impl, const TlCorrectArgs *args, GError **error)
{
  TlCuda *cuda = impl;
  const size_t n = cuda->n_projections * cuda->n_rows * cuda->n_cols;
  TlCudaFlatfieldArgs flatfield;

  g_return_val_if_fail (cuda->has_flat_first || !args->flat_field, FALSE);

  if (!tl_cuda_begin_stage (cuda, TL_STAGE_CORRECT, error)
      || !upload_dead_pixels (cuda, args, error)
      || !tl_cuda_buffer_reserve (cuda->pool, &cuda->corrected,
                                  n * sizeof (float),
                                  "the corrected projections", error))
    return FALSE;
  flatfield = (TlCudaFlatfieldArgs){
    .n_projections = cuda->n_projections,
    .n_rows = cuda->n_rows,
    .n_cols = cuda->n_cols,
    .type = cuda->type,
    .samples = cuda->samples.dev,
    .flat_field = args->flat_field,
    .minus_log = args->minus_log,
    .min_transmission = TL_MIN_TRANSMISSION,
    .dark = cuda->has_dark ? cuda->dark.dev : NULL,
    .flat_first = cuda->has_flat_first ? cuda->flat_first.dev : NULL,
    .flat_last = cuda->has_flat_last ? cuda->flat_last.dev : NULL,
    .left_col = cuda->left_col.dev,
    .right_col = cuda->right_col.dev,
    .mix = cuda->mix.dev,
    .corrected = cuda->corrected.dev,
  };
  return tl_cuda_check (tl_cuda_flatfield (&flatfield, cuda->stream),
                        "flat-field correction", error)
         && tl_cuda_end_stage (cuda, TL_STAGE_CORRECT, error);
}

/* --- back-project --- */

static gboolean
backproject_group (TlCuda *cuda, const TlBackprojectArgs *args, size_t group,
                   TlCudaFrame *frame, GError **error)
{
  const TlCudaKernel *kernel = tl_cuda_find_kernel (args->variant);
  const size_t n_slices = args->variant->n_slices;
  const size_t first = group * n_slices;
  const TlCudaBackprojectArgs group_args = {
    .texture = cuda->sinogram.groups[group].texture,
    .cells = cuda->sinogram.groups[group].cells.dev,
    .n_busy = cuda->n_busy.dev,
    .n_counters = cuda->n_counters,
    .peak = cuda->peak.dev,
    .n_projections = cuda->n_projections,
    .n_cols = cuda->n_cols,
    .rays = cuda->rays.dev,
    .axis_col = args->axis_col,
    .x0 = args->grid.x0,
    .y0 = args->grid.y0,
    .pitch = args->grid.pitch,
    .nx = args->grid.nx,
    .ny = args->grid.ny,
    .n_slices = (int)MIN (n_slices, cuda->n_rows - first),
    .pixels = tl_cuda_frame_get_slice (frame, first),
  };

  return tl_cuda_check (kernel->launch (&group_args, cuda->stream),
                        "back-projection", error);
}

TlFrame *
tl_cuda_backproject (gpointer impl, const TlBackprojectArgs *args,
                     GCancellable *cancellable, GError **error)
{
  TlCuda *cuda = impl;
  TlCudaFrame *frame;
  gboolean ok;

  if (!tl_cuda_begin_stage (cuda, TL_STAGE_BACKPROJECT, error))
    return NULL;
  frame = tl_cuda_frame_new (cuda->pool, cuda->n_rows, args->grid.ny,
                             args->grid.nx, error);
  if (frame == NULL)
    return NULL;

  ok = TRUE;
  for (size_t i = 0; ok && i < cuda->sinogram.n_groups; i++)
    ok = !g_cancellable_set_error_if_cancelled (cancellable, error)
         && backproject_group (cuda, args, i, frame, error);
  /* also after an error, for the slot goes back with work on its way */
  if (!tl_cuda_frame_finish (frame, ok ? error : NULL))
    ok = FALSE;
  if (!ok || !tl_cuda_end_stage (cuda, TL_STAGE_BACKPROJECT, error))
    {
      tl_frame_unref (&frame->frame);
      return NULL;
    }
  return &frame->frame;
}
