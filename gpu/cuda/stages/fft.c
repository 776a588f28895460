#include "gpu/cuda/stages/fft.h"

#include "data/error.h"

#include <cuda_runtime_api.h>
#include <cufft.h>
#include <glib/gi18n.h>

/* How many plans are kept. A block needs four: forward and inverse, for whole
 * batches and for the last one. Phase retrieval needs four more, the Fourier
 * method two for each size of its grid and of its passes. Twice as many as four
 * and four are kept, so that alternating between two block shapes makes no new
 * plans. */
#define N_PLANS 16

typedef struct
{
  cufftHandle handle;
  cufftType type;
  size_t length, n_rows; /* 0: none */
} Plan;

struct TlCudaFft
{
  TlCudaPool *pool;
  Plan plans[N_PLANS];
  guint next;        /* the plan to be replaced next */
  TlCudaBuffer work; /* shared by all plans, which run in one stream */
};

static gboolean
check_fft (cufftResult status, const char *step, GError **error)
{
  if (status == CUFFT_SUCCESS)
    return TRUE;

  cudaGetLastError ();
  if (status == CUFFT_ALLOC_FAILED)
    return tl_fail (error, TL_ERROR_MEMORY,
                    _ ("the GPU does not have enough memory for the %s"), step);
  return tl_fail (error, TL_ERROR_DEVICE,
                  _ ("the GPU failed at the %s: cuFFT says %d"), step,
                  (int)status);
}

static void
clear_plan (Plan *plan)
{
  if (plan->length == 0)
    return;
  cufftDestroy (plan->handle);
  *plan = (Plan){ 0 };
}

/* Makes the work area large enough, for all plans. */
static gboolean
share_work (TlCudaFft *fft, size_t bytes, const char *step, GError **error)
{
  if (!tl_cuda_buffer_reserve (fft->pool, &fft->work, bytes, step, error))
    return FALSE;
  for (guint i = 0; i < N_PLANS; i++)
    if (fft->plans[i].length != 0
        && !check_fft (cufftSetWorkArea (fft->plans[i].handle, fft->work.dev),
                       step, error))
      return FALSE;
  return TRUE;
}

/* The advanced layout is given where the distance of rows differs from cuFFT's
 * own. */
static cufftResult
make_cufft_plan (const Plan *plan, size_t *work_bytes)
{
  int n = (int)plan->length;
  int n_floats = (int)tl_cuda_fft_row_floats (TL_TRANSFORM_REAL, plan->length);
  int n_complex = n_floats / 2;

  switch (plan->type)
    {
    case CUFFT_R2C:
      return cufftMakePlanMany (plan->handle, 1, &n, &n_floats, 1, n_floats,
                                &n_complex, 1, n_complex, plan->type,
                                (int)plan->n_rows, work_bytes);
    case CUFFT_C2R:
      return cufftMakePlanMany (plan->handle, 1, &n, &n_complex, 1, n_complex,
                                &n_floats, 1, n_floats, plan->type,
                                (int)plan->n_rows, work_bytes);
    default:
      return cufftMakePlanMany (plan->handle, 1, &n, NULL, 1, n, NULL, 1, n,
                                plan->type, (int)plan->n_rows, work_bytes);
    }
}

static gboolean
make_plan (TlCudaFft *fft, Plan *plan, cufftType type, size_t length,
           size_t n_rows, GError **error)
{
  const char *step = _ ("preparation of Fourier transforms");
  cudaStream_t stream = tl_cuda_pool_get_streams (fft->pool)->engine;
  size_t work_bytes = 0;

  g_return_val_if_fail (length <= G_MAXINT / 2 && n_rows <= G_MAXINT, FALSE);

  /* the old plan may still be running */
  if (plan->length != 0
      && !tl_cuda_check (cudaStreamSynchronize (stream), step, error))
    return FALSE;
  clear_plan (plan);
  if (!check_fft (cufftCreate (&plan->handle), step, error))
    return FALSE;
  plan->type = type;
  plan->length = length;
  plan->n_rows = n_rows;
  if (check_fft (cufftSetStream (plan->handle, stream), step, error)
      && check_fft (cufftSetAutoAllocation (plan->handle, 0), step, error)
      && check_fft (make_cufft_plan (plan, &work_bytes), step, error)
      /* its tables are sent in the default stream, which ours do not wait for
       */
      && tl_cuda_check (cudaStreamSynchronize (cudaStreamLegacy), step, error)
      && share_work (fft, work_bytes, step, error))
    return TRUE;

  /* no plan may keep the old work area */
  cudaStreamSynchronize (stream);
  for (guint i = 0; i < N_PLANS; i++)
    clear_plan (&fft->plans[i]);
  return FALSE;
}

static Plan *
find_plan (TlCudaFft *fft, cufftType type, size_t length, size_t n_rows,
           GError **error)
{
  Plan *plan;

  for (guint i = 0; i < N_PLANS; i++)
    {
      plan = &fft->plans[i];
      if (plan->type == type && plan->length == length
          && plan->n_rows == n_rows)
        return plan;
    }
  plan = &fft->plans[fft->next];
  fft->next = (fft->next + 1) % N_PLANS;
  return make_plan (fft, plan, type, length, n_rows, error) ? plan : NULL;
}

TlCudaFft *
tl_cuda_fft_new (TlCudaPool *pool)
{
  TlCudaFft *fft = g_new0 (TlCudaFft, 1);

  fft->pool = tl_cuda_pool_ref (pool);
  return fft;
}

void
tl_cuda_fft_free (TlCudaFft *fft)
{
  for (guint i = 0; i < N_PLANS; i++)
    clear_plan (&fft->plans[i]);
  tl_cuda_buffer_clear (fft->pool, &fft->work);
  tl_cuda_pool_unref (fft->pool);
  g_free (fft);
}

size_t
tl_cuda_fft_row_lines (TlTransform transform)
{
  return transform == TL_TRANSFORM_PAIRS ? 2 : 1;
}

size_t
tl_cuda_fft_row_floats (TlTransform transform, size_t length)
{
  const size_t n_floats =
      transform == TL_TRANSFORM_PAIRS ? 2 * length : length + 2;

  return (n_floats + 3) / 4 * 4;
}

gboolean
tl_cuda_fft_run (TlCudaFft *fft, TlTransform transform, void *rows_dev,
                 size_t length, size_t n_rows, gboolean forward, GError **error)
{
  const char *step = _ ("Fourier transforms");
  const cufftType type = transform == TL_TRANSFORM_PAIRS ? CUFFT_C2C
                         : forward                       ? CUFFT_R2C
                                                         : CUFFT_C2R;
  const Plan *plan = find_plan (fft, type, length, n_rows, error);

  if (plan == NULL)
    return FALSE;
  switch (type)
    {
    case CUFFT_R2C:
      return check_fft (cufftExecR2C (plan->handle, rows_dev, rows_dev), step,
                        error);
    case CUFFT_C2R:
      return check_fft (cufftExecC2R (plan->handle, rows_dev, rows_dev), step,
                        error);
    default:
      return check_fft (cufftExecC2C (plan->handle, rows_dev, rows_dev,
                                      forward ? CUFFT_FORWARD : CUFFT_INVERSE),
                        step, error);
    }
}
