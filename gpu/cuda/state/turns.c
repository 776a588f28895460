#include "gpu/cuda/state/turns.h"

#include <cuda_runtime_api.h>
#include <glib/gi18n.h>

#define MAX_DEVICES 64 /* more than a machine has */

/* Engines give way for so long after the last picture. */
#define LATELY_US G_USEC_PER_SEC
/* The longest wait for others; a picture takes a few milliseconds. */
#define PATIENCE_US (20 * 1000)

typedef struct
{
  guint n_working; /* works begun and not ended */
  gint64 last_us;  /* when one began or ended last */
} Turn;

static GMutex mutex; /* guards turns */
static GCond ended;
static Turn turns[MAX_DEVICES];

static Turn *
find_turn (TlCudaPool *pool)
{
  return &turns[tl_cuda_pool_get_device (pool) % MAX_DEVICES];
}

static void
change (Turn *turn, int difference)
{
  g_mutex_lock (&mutex);
  turn->n_working += (guint)difference;
  turn->last_us = g_get_monotonic_time ();
  g_cond_broadcast (&ended);
  g_mutex_unlock (&mutex);
}

/* In a thread of the driver, which must not call it. */
static void
end (void *turn)
{
  change (turn, -1);
}

void
tl_cuda_turn_begin (TlCudaPool *pool)
{
  if (tl_cuda_pool_gives_way (pool))
    tl_cuda_turn_wait (pool, NULL); /* the first stage finds errors, too */
  else
    change (find_turn (pool), 1);
}

void
tl_cuda_turn_end (TlCudaPool *pool)
{
  if (!tl_cuda_pool_gives_way (pool)
      && cudaLaunchHostFunc (tl_cuda_pool_get_streams (pool)->engine, end,
                             find_turn (pool))
             != cudaSuccess)
    end (find_turn (pool));
}

gboolean
tl_cuda_turn_wait (TlCudaPool *pool, GError **error)
{
  Turn *turn = find_turn (pool);
  if (!tl_cuda_pool_gives_way (pool))
    return TRUE;
  g_mutex_lock (&mutex);
  const gboolean is_alone =
      turn->n_working == 0
      && (turn->last_us == 0
          || g_get_monotonic_time () > turn->last_us + LATELY_US);
  g_mutex_unlock (&mutex);
  if (is_alone)
    return TRUE;
  if (!tl_cuda_pool_wait (pool, _ ("back-projection"), error))
    return FALSE;
  const gint64 end_us = g_get_monotonic_time () + PATIENCE_US;
  g_mutex_lock (&mutex);
  while (turn->n_working > 0 && g_cond_wait_until (&ended, &mutex, end_us))
    ;
  g_mutex_unlock (&mutex);
  return TRUE;
}
