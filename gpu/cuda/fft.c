#include "gpu/cuda/fft.h"

#include "data/error.h"

#include <cuda_runtime_api.h>
#include <cufft.h>

/* A block needs two, for whole batches and for the last one; two more keep
 * those of the block before, for going to and fro. */
#define N_PLANS 4

typedef struct
{
  cufftHandle handle;
  size_t length, n_rows; /* 0: none */
  size_t work_bytes;
} Plan;

struct TlCudaFft
{
  TlCudaPool *pool;
  Plan plans[N_PLANS];
  guint next;        /* to be replaced */
  TlCudaBuffer work; /* of all plans: they run in one stream */
};

static gboolean
check_fft (cufftResult status, const char *step, GError **error)
{
  if (status == CUFFT_SUCCESS)
    return TRUE;

  cudaGetLastError ();
  if (status == CUFFT_ALLOC_FAILED)
    g_set_error (error, TL_ERROR, TL_ERROR_MEMORY,
                 "the GPU has not enough memory for the %s", step);
  else
    g_set_error (error, TL_ERROR, TL_ERROR_DEVICE,
                 "the GPU failed at the %s: cuFFT says %d", step, (int)status);
  return FALSE;
}

static void
clear_plan (Plan *plan)
{
  if (plan->length == 0)
    return;
  cufftDestroy (plan->handle);
  *plan = (Plan){ 0 };
}

static gboolean
make_plan (TlCudaFft *fft, Plan *plan, size_t length, size_t n_rows,
           GError **error)
{
  static const char step[] = "preparation of Fourier transforms";
  cudaStream_t stream = tl_cuda_pool_get_stream (fft->pool);
  int n = (int)length;

  g_return_val_if_fail (length <= G_MAXINT && n_rows <= G_MAXINT, FALSE);

  /* the old plan may be at work */
  if (plan->length != 0
      && !tl_cuda_check (cudaStreamSynchronize (stream), step, error))
    return FALSE;
  clear_plan (plan);
  if (!check_fft (cufftCreate (&plan->handle), step, error))
    return FALSE;
  plan->length = length;
  plan->n_rows = n_rows;
  if (!check_fft (cufftSetStream (plan->handle, stream), step, error)
      || !check_fft (cufftSetAutoAllocation (plan->handle, 0), step, error)
      || !check_fft (cufftMakePlanMany (plan->handle, 1, &n, NULL, 1, n, NULL,
                                        1, n, CUFFT_C2C, (int)n_rows,
                                        &plan->work_bytes),
                     step, error))
    {
      clear_plan (plan);
      return FALSE;
    }
  return TRUE;
}

static Plan *
find_plan (TlCudaFft *fft, size_t length, size_t n_rows, GError **error)
{
  Plan *plan;

  for (guint i = 0; i < N_PLANS; i++)
    {
      plan = &fft->plans[i];
      if (plan->length == length && plan->n_rows == n_rows)
        return plan;
    }
  plan = &fft->plans[fft->next];
  fft->next = (fft->next + 1) % N_PLANS;
  return make_plan (fft, plan, length, n_rows, error) ? plan : NULL;
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

gboolean
tl_cuda_fft_run (TlCudaFft *fft, void *rows_dev, size_t length, size_t n_rows,
                 gboolean forward, GError **error)
{
  static const char step[] = "Fourier transforms";
  Plan *plan = find_plan (fft, length, n_rows, error);

  return plan != NULL
         && tl_cuda_buffer_reserve (fft->pool, &fft->work, plan->work_bytes,
                                    step, error)
         && check_fft (cufftSetWorkArea (plan->handle, fft->work.dev), step,
                       error)
         && check_fft (cufftExecC2C (plan->handle, rows_dev, rows_dev,
                                     forward ? CUFFT_FORWARD : CUFFT_INVERSE),
                       step, error);
}
