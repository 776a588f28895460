#include "gpu/cuda/figures/launchers.h"

#include "gpu/cuda/figures/figures.h"

#include <cuda_runtime_api.h>

/* The number of launches that are timed together, after one that warms up. */
#define N_LAUNCHES 3

static const char step[] = "measurement of the device's limits";

/* What the benchmarks need besides the engine's own memory. */
typedef struct
{
  TlCudaSinogram texels;
  TlCudaBuffer results; /* cycles, nanoseconds, sink: 8 bytes each */
  struct CUevent_st *start, *stop;
} Tools;

static gboolean
tools_init (Tools *tools, TlCuda *cuda, GError **error)
{
  static const TlCudaKernel reader = { .layout = TL_CUDA_LAYOUT_HALF4,
                                       .interpolates = TRUE };
  static const guint16 zeros[TL_CUDA_CEILING_ROWS][TL_CUDA_CEILING_COLS][4];

  *tools = (Tools){ 0 };
  return tl_cuda_sinogram_reserve (cuda->pool, &tools->texels, &reader,
                                   TL_CUDA_CEILING_ROWS, TL_CUDA_CEILING_COLS,
                                   1, error)
         && tl_cuda_check (
             cudaMemcpy2DToArrayAsync (tools->texels.groups[0].array, 0, 0,
                                       zeros, sizeof zeros[0], sizeof zeros[0],
                                       TL_CUDA_CEILING_ROWS,
                                       cudaMemcpyHostToDevice, cuda->stream),
             step, error)
         && tl_cuda_buffer_reserve (cuda->pool, &tools->results,
                                    3 * sizeof (unsigned long long), step,
                                    error)
         && tl_cuda_check (cudaEventCreate (&tools->start), step, error)
         && tl_cuda_check (cudaEventCreate (&tools->stop), step, error);
}

static void
tools_clear (Tools *tools, TlCuda *cuda)
{
  /* a lost device makes all of this fail */
  cudaStreamSynchronize (cuda->stream);
  tl_cuda_sinogram_clear (cuda->pool, &tools->texels);
  tl_cuda_buffer_clear (cuda->pool, &tools->results);
  if (tools->start != NULL)
    cudaEventDestroy (tools->start);
  if (tools->stop != NULL)
    cudaEventDestroy (tools->stop);
  cudaGetLastError ();
}

/* @rate: (out): a second
 * @spent: (out): [2]: TlCudaCeilingArgs */
static gboolean
measure_rate (TlCuda *cuda, const Tools *tools, TlCudaCeiling ceiling,
              double *rate, unsigned long long *spent, GError **error)
{
  unsigned long long *results = tools->results.dev;
  const TlCudaCeilingArgs args = {
    .texture = tools->texels.groups[0].texture,
    .spent = results,
    .sink = (float *)&results[2],
  };
  double amount = 0.0;
  float ms = 0.0f;

  for (int i = 0; i <= N_LAUNCHES; i++)
    if (!tl_cuda_check (
            tl_cuda_run_ceiling (ceiling, &args, &amount, cuda->stream), step,
            error)
        || (i == 0
            && !tl_cuda_check (cudaEventRecord (tools->start, cuda->stream),
                               step, error)))
      return FALSE;
  if (!tl_cuda_check (cudaEventRecord (tools->stop, cuda->stream), step, error)
      || !tl_cuda_pool_download (cuda->pool, spent, results, 2 * sizeof *spent,
                                 step, error)
      || !tl_cuda_check (cudaEventElapsedTime (&ms, tools->start, tools->stop),
                         step, error))
    return FALSE;
  *rate = N_LAUNCHES * amount / (double)ms * 1e3;
  return TRUE;
}

gboolean
tl_cuda_measure_ceilings (gpointer impl, TlCeilings *ceilings, GError **error)
{
  TlCuda *cuda = impl;
  double *const rates[TL_CUDA_N_CEILINGS] = {
    [TL_CUDA_CEILING_FETCHES] = &ceilings->fetches,
    [TL_CUDA_CEILING_SHARED_BYTES] = &ceilings->shared_bytes,
    [TL_CUDA_CEILING_PRODUCTS] = &ceilings->products,
    [TL_CUDA_CEILING_INSTRUCTIONS] = &ceilings->lane_instructions,
  };
  unsigned long long spent[2] = { 0, 1 };
  Tools tools;

  if (!tl_cuda_pool_use (cuda->pool, error))
    return FALSE;
  gboolean ok = tools_init (&tools, cuda, error);
  for (guint i = 0; ok && i < TL_CUDA_N_CEILINGS; i++)
    ok = measure_rate (cuda, &tools, i, rates[i], spent, error);
  /* The clock is that of the last benchmark, the multiply-adds, which load the
   * device most. */
  ceilings->clock_mhz = 1e3 * (double)spent[0] / (double)spent[1];
  tools_clear (&tools, cuda);
  return ok;
}
