/* The stage "upload", into the block that is not being computed. */
#include "data/array.h"
#include "gpu/cuda/stages/stages.h"

#include <cuda_runtime_api.h>
#include <glib/gi18n.h>
#include <math.h>

static size_t
count_sample_bytes (const TlBlock *block)
{
  return block->n_projections * block->n_rows * block->n_cols
         * tl_sample_size (block->type);
}

/* Returns: (transfer full): [n][2]: cosine, sine */
static double *
make_rays (const double *angles_rad, size_t n, GError **error)
{
  double *rays =
      tl_try_alloc (n, 2, 1, sizeof (double), _ ("the angles"), error);

  for (size_t i = 0; rays != NULL && i < n; i++)
    {
      rays[2 * i] = cos (angles_rad[i]);
      rays[2 * i + 1] = sin (angles_rad[i]);
    }
  return rays;
}

static gboolean
upload_rays (TlCuda *cuda, TlCudaBlock *block, const double *angles_rad,
             size_t n, GError **error)
{
  g_free (block->host_rays);
  block->host_rays = make_rays (angles_rad, n, error);
  return block->host_rays != NULL
         && tl_cuda_buffer_upload_ahead (
             cuda->pool, &block->rays, block->host_rays,
             2 * n * sizeof (double), _ ("the angles"), error);
}

gboolean
tl_cuda_upload_fold (TlCuda *cuda, const TlFold *fold, GError **error)
{
  if (cuda->fold_serial == fold->serial)
    return TRUE;

  cuda->fold_serial = 0;
  g_autofree double *rays = make_rays (fold->angles_rad, fold->n_rays, error);
  if (rays == NULL
      || !tl_cuda_buffer_upload (cuda->pool, &cuda->fold_rays, rays,
                                 2 * fold->n_rays * sizeof (double),
                                 _ ("the angles"), error)
      || !tl_cuda_buffer_upload (cuda->pool, &cuda->fold_sources, fold->sources,
                                 2 * fold->n_rays * sizeof (gint32),
                                 _ ("the order of the projections"), error))
    return FALSE;
  cuda->fold_serial = fold->serial;
  return TRUE;
}

/* @field: (nullable) */
static gboolean
upload_field (TlCuda *cuda, TlCudaBuffer *buffer, const double *field, size_t n,
              gboolean *is_there, GError **error)
{
  *is_there = field != NULL;
  return field == NULL
         || tl_cuda_buffer_upload_ahead (cuda->pool, buffer, field,
                                         n * sizeof (double),
                                         _ ("the dark and flat fields"), error);
}

static gboolean
upload_dead_pixels (TlCuda *cuda, TlCudaBlock *block, const TlDeadPixels *dead,
                    size_t n, GError **error)
{
  const char *what = _ ("the list of dead pixels");
  const struct
  {
    TlCudaBuffer *buffer;
    const void *from;
  } lists[] = { { &block->left_col, dead->left_col },
                { &block->right_col, dead->right_col },
                { &block->mix, dead->mix } };

  G_STATIC_ASSERT (sizeof *dead->left_col == sizeof *dead->mix);
  for (size_t i = 0; i < G_N_ELEMENTS (lists); i++)
    if (!tl_cuda_buffer_upload_ahead (cuda->pool, lists[i].buffer,
                                      lists[i].from, n * sizeof (float), what,
                                      error))
      return FALSE;
  return TRUE;
}

static gboolean
fill_block (TlCuda *cuda, TlCudaBlock *to, const TlBlock *from,
            const TlDeadPixels *dead, GError **error)
{
  const size_t n_pixels = from->n_rows * from->n_cols;

  return (from->is_pinned ? tl_cuda_buffer_upload_pinned
                          : tl_cuda_buffer_upload_ahead) (
             cuda->pool, &to->samples, from->samples, count_sample_bytes (from),
             _ ("the projections"), error)
         && upload_rays (cuda, to, from->angles_rad, from->n_projections, error)
         && upload_dead_pixels (cuda, to, dead, n_pixels, error)
         && upload_field (cuda, &to->dark, from->dark, n_pixels, &to->has_dark,
                          error)
         && upload_field (cuda, &to->flat_first, from->flat_first, n_pixels,
                          &to->has_flat_first, error)
         && upload_field (cuda, &to->flat_last, from->flat_last, n_pixels,
                          &to->has_flat_last, error);
}

/* Releases the block that was computed: all work that reads it is queued by
 * now. The other block is filled when the work that reads it has finished. */
static TlCudaBlock *
change_block (TlCuda *cuda, GError **error)
{
  const char *step = _ ("change of the block");
  TlCudaBlock *other = &cuda->blocks[cuda->block == &cuda->blocks[0] ? 1 : 0];

  if (!tl_cuda_pool_use (cuda->pool, error)
      || !tl_cuda_check (cudaEventRecord (cuda->block->released, cuda->stream),
                         step, error)
      || !tl_cuda_check (
          cudaStreamWaitEvent (tl_cuda_pool_get_streams (cuda->pool)->upload,
                               other->released, 0),
          step, error))
    return NULL;
  cuda->block = other;
  return other;
}

/* The stages that are queued from now on wait until the block is filled. The
 * caller waits, too, if the device copies from its memory. */
static gboolean
hand_over_block (TlCuda *cuda, TlCudaBlock *block, gboolean is_pinned,
                 GError **error)
{
  const char *step = _ ("transfer to the device");

  return tl_cuda_check (
             cudaEventRecord (block->uploaded,
                              tl_cuda_pool_get_streams (cuda->pool)->upload),
             step, error)
         && tl_cuda_check (
             cudaStreamWaitEvent (cuda->stream, block->uploaded, 0), step,
             error)
         && (!is_pinned
             || tl_cuda_check (cudaEventSynchronize (block->uploaded), step,
                               error));
}

gboolean
tl_cuda_upload (gpointer impl, const TlBlock *block, const TlDeadPixels *dead,
                GError **error)
{
  TlCuda *cuda = impl;
  TlCudaBlock *to = change_block (cuda, error);

  if (to == NULL)
    return FALSE;
  cuda->n_projections = block->n_projections;
  cuda->n_block_rows = block->n_rows;
  cuda->n_above = block->n_above;
  cuda->n_rows = block->n_rows - block->n_above - block->n_below;
  cuda->n_cols = block->n_cols;
  cuda->type = block->type;
  if (tl_cuda_begin_stage (cuda, TL_STAGE_UPLOAD, error)
      && fill_block (cuda, to, block, dead, error)
      && tl_cuda_end_stage (cuda, TL_STAGE_UPLOAD, error)
      && hand_over_block (cuda, to, block->is_pinned, error))
    return TRUE;
  /* the device may still copy from memory that the caller unpins next */
  if (block->is_pinned)
    cudaStreamSynchronize (tl_cuda_pool_get_streams (cuda->pool)->upload);
  return FALSE;
}

gboolean
tl_cuda_blocks_init (TlCuda *cuda, GError **error)
{
  static const char step[] = "start";

  for (guint i = 0; i < G_N_ELEMENTS (cuda->blocks); i++)
    {
      TlCudaBlock *block = &cuda->blocks[i];

      if (!tl_cuda_check (cudaEventCreateWithFlags (&block->released,
                                                    cudaEventDisableTiming),
                          step, error)
          || !tl_cuda_check (cudaEventCreateWithFlags (
                                 &block->uploaded, cudaEventDisableTiming
                                                       | cudaEventBlockingSync),
                             step, error))
        return FALSE;
    }
  cuda->block = &cuda->blocks[0];
  return TRUE;
}

void
tl_cuda_blocks_give_back (TlCuda *cuda)
{
  for (guint i = 0; i < G_N_ELEMENTS (cuda->blocks); i++)
    {
      TlCudaBlock *block = &cuda->blocks[i];
      TlCudaBuffer *const buffers[] = {
        &block->samples,   &block->dark,     &block->flat_first,
        &block->flat_last, &block->left_col, &block->right_col,
        &block->mix,       &block->rays,
      };

      for (size_t k = 0; k < G_N_ELEMENTS (buffers); k++)
        tl_cuda_buffer_clear (cuda->pool, buffers[k]);
      g_clear_pointer (&block->host_rays, g_free);
    }
}

void
tl_cuda_blocks_clear (TlCuda *cuda)
{
  tl_cuda_blocks_give_back (cuda);
  for (guint i = 0; i < G_N_ELEMENTS (cuda->blocks); i++)
    {
      TlCudaBlock *block = &cuda->blocks[i];

      if (block->released != NULL)
        cudaEventDestroy (block->released);
      if (block->uploaded != NULL)
        cudaEventDestroy (block->uploaded);
    }
}
