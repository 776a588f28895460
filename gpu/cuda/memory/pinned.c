#include "gpu/cuda/memory/pinned.h"

#include "data/array.h"
#include "data/error.h"
#include "data/parallel.h"
#include "gpu/cuda/device/check.h"

#include <cuda_runtime_api.h>
#include <glib/gi18n.h>

#define PAGE_BYTES 4096 /* or a fraction of one */
#define PART_BYTES ((size_t)8 << 20)

typedef struct
{
  volatile char *memory;
  size_t bytes;
} Block;

static gboolean
touch (gpointer data, size_t index, GError **error)
{
  const Block *all = data;
  const size_t first = index * PART_BYTES;
  const size_t end = MIN (first + PART_BYTES, all->bytes);
  for (size_t i = first; i < end; i += PAGE_BYTES)
    all->memory[i] = 0;
  return TRUE;
}

static void
touch_all (Block *all)
{
  size_t n_done;

  tl_parallel_run ((all->bytes + PART_BYTES - 1) / PART_BYTES,
                   g_get_num_processors (), touch, all, NULL, &n_done, NULL);
}

/* In a thread of its own, because a priority cannot be raised again. */
static gpointer
touch_later (gpointer all)
{
  tl_thread_give_way (TL_WAY_LATER);
  touch_all (all);
  return NULL;
}

/* CUDA would find the pages itself, but on one processor, and no other thread
 * of the program could use the device meanwhile. All processors do it, which
 * the window needs, too. */
static cudaError_t
touch_and_pin (void *memory, size_t bytes)
{
  Block all = { memory, bytes };
  GThread *thread = bytes > PART_BYTES
                        ? g_thread_try_new ("touch", touch_later, &all, NULL)
                        : NULL;

  if (thread != NULL)
    g_thread_join (thread);
  else
    touch_all (&all);
  return cudaHostRegister (memory, bytes, cudaHostRegisterPortable);
}

void *
tl_cuda_pinned_alloc (size_t bytes, const char *what, GError **error)
{
  void *memory = tl_try_alloc_pages (bytes);
  const cudaError_t status = memory != NULL ? touch_and_pin (memory, bytes)
                                            : cudaErrorMemoryAllocation;

  if (status == cudaSuccess)
    return memory;
  g_free (memory);
  if (status != cudaErrorMemoryAllocation)
    tl_cuda_check (status, _ ("allocation of pinned memory"), error);
  else
    tl_fail (error, TL_ERROR_MEMORY,
             _ ("not enough memory for %s: %.1f MB of pinned memory needed"),
             what, (double)bytes / 1e6);
  cudaGetLastError ();
  return NULL;
}

void
tl_cuda_pinned_free (void *memory)
{
  if (memory != NULL)
    cudaHostUnregister (memory);
  g_free (memory);
}

gboolean
tl_cuda_pin (guint device, void *memory, size_t bytes)
{
  const gboolean is_pinned = cudaSetDevice ((int)device) == cudaSuccess
                             && touch_and_pin (memory, bytes) == cudaSuccess;
  cudaGetLastError (); /* no error: copies can take another way */
  return is_pinned;
}

void
tl_cuda_unpin (guint device, void *memory)
{
  if (cudaSetDevice ((int)device) == cudaSuccess)
    cudaHostUnregister (memory);
  cudaGetLastError ();
}
