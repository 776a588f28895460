/* How long the stages take on the device, from an event at both ends of each.
 * The times of a stage are read when its events are needed again, some runs
 * later, so that the host does not wait for them. */
#include "gpu/cuda/state/state.h"

#include <cuda_runtime_api.h>
#include <glib/gi18n.h>

#define STEP _ ("measurement of time")

gboolean
tl_cuda_times_init (TlCuda *cuda, GError **error)
{
  for (guint stage = 0; stage < TL_N_STAGES; stage++)
    for (guint i = 0; i < TL_CUDA_N_TIMERS; i++)
      {
        TlCudaTimer *timer = &cuda->times[stage].timers[i];

        if (!tl_cuda_check (cudaEventCreate (&timer->start), STEP, error)
            || !tl_cuda_check (cudaEventCreate (&timer->stop), STEP, error))
          return FALSE;
      }
  return TRUE;
}

void
tl_cuda_times_clear (TlCuda *cuda)
{
  for (guint stage = 0; stage < TL_N_STAGES; stage++)
    for (guint i = 0; i < TL_CUDA_N_TIMERS; i++)
      {
        TlCudaTimer *timer = &cuda->times[stage].timers[i];

        if (timer->start != NULL)
          cudaEventDestroy (timer->start);
        if (timer->stop != NULL)
          cudaEventDestroy (timer->stop);
      }
}

/* Adds what @timer has measured; waits until it has. */
static gboolean
collect (TlCudaTimes *times, TlCudaTimer *timer, GError **error)
{
  const char *before = _ ("work before the measurement of time");
  float elapsed_ms = 0.0f;

  if (!timer->is_running)
    return TRUE;
  timer->is_running = FALSE;
  if (!tl_cuda_check (cudaEventSynchronize (timer->stop), before, error)
      || !tl_cuda_check (
          cudaEventElapsedTime (&elapsed_ms, timer->start, timer->stop), before,
          error))
    return FALSE;
  times->last_ms = elapsed_ms;
  times->total_ms += elapsed_ms;
  return TRUE;
}

static cudaStream_t
get_stream (const TlCuda *cuda, TlStage stage)
{
  return stage == TL_STAGE_UPLOAD
             ? tl_cuda_pool_get_streams (cuda->pool)->upload
             : cuda->stream;
}

gboolean
tl_cuda_begin_stage (TlCuda *cuda, TlStage stage, GError **error)
{
  TlCudaTimes *times = &cuda->times[stage];
  TlCudaTimer *timer = &times->timers[times->next];

  return tl_cuda_pool_use (cuda->pool, error) && collect (times, timer, error)
         && tl_cuda_check (
             cudaEventRecord (timer->start, get_stream (cuda, stage)), STEP,
             error);
}

gboolean
tl_cuda_end_stage (TlCuda *cuda, TlStage stage, GError **error)
{
  TlCudaTimes *times = &cuda->times[stage];
  TlCudaTimer *timer = &times->timers[times->next];

  if (!tl_cuda_check (cudaEventRecord (timer->stop, get_stream (cuda, stage)),
                      STEP, error))
    return FALSE;
  timer->is_running = TRUE;
  times->next = (times->next + 1) % TL_CUDA_N_TIMERS;
  return TRUE;
}

gboolean
tl_cuda_get_times (gpointer impl, double last_ms[TL_N_STAGES],
                   double total_ms[TL_N_STAGES], GError **error)
{
  TlCuda *cuda = impl;

  for (guint stage = 0; stage < TL_N_STAGES; stage++)
    {
      TlCudaTimes *times = &cuda->times[stage];

      /* the oldest first, so that last_ms is the last run's */
      for (guint i = 0; i < TL_CUDA_N_TIMERS; i++)
        {
          const guint turn = (times->next + i) % TL_CUDA_N_TIMERS;

          if (!collect (times, &times->timers[turn], error))
            return FALSE;
        }
      last_ms[stage] = times->last_ms;
      total_ms[stage] = times->total_ms;
    }
  return TRUE;
}
