#include "gpu/cuda/memory/buffer.h"

#include "data/error.h"
#include "gpu/cuda/memory/pinned.h"
#include "gpu/cuda/memory/uploader.h"

#include <cuda_runtime_api.h>
#include <glib/gi18n.h>

/* An export uses so many slots at once: one is computed, one waits, one is
 * copied to the host, and one is written to a file. Keeping as many avoids that
 * slots are freed and allocated again. */
#define N_SLOTS_KEPT 4

/* Pinned memory for uploads of blocks: so large that starting a transfer (some
 * microseconds) costs little, and so many pieces that small tables do not wait
 * for each other. */
#define AHEAD_BYTES ((size_t)4 << 20)
#define N_AHEAD 4

/* For tables: a piece has room for the angular weights or the filter of all but
 * the largest scans, and there are so many that no table waits for the previous
 * reconstruction. */
#define TABLE_BYTES ((size_t)64 << 10)
#define N_TABLES 8

/* tl_cuda_pool_copy() copies so many bytes at a time, which takes a fraction of
 * a millisecond. The test engine/behind copies more than that each way. */
#define PIECE_BYTES ((size_t)8 << 20)

struct TlCudaPool
{
  gint ref_count; /* atomic */
  int device;
  gboolean gives_way;
  TlCudaStreams streams;
  cudaEvent_t empty;              /* of tl_cuda_pool_wait() */
  TlCudaUploader *uploader;       /* in the engine's stream */
  TlCudaUploader *ahead_uploader; /* in the upload stream */
  guint age; /* how often tl_cuda_pool_give_back() was called */

  GMutex mutex; /* for the members below */
  TlCudaSlot *free_slots;
  size_t bytes;
};

/* --- memory --- */

/* Returns: device memory, which tl_cuda_pool_get_bytes() counts. */
static void *
allocate (TlCudaPool *pool, size_t bytes, const char *what, GError **error)
{
  void *dev = NULL;

  if (!tl_cuda_check_device_memory (cudaMalloc (&dev, bytes), what, bytes,
                                    error))
    return NULL;
  tl_cuda_pool_add_bytes (pool, (gssize)bytes);
  return dev;
}

static void
release (TlCudaPool *pool, void *dev, size_t bytes)
{
  if (dev == NULL)
    return;
  cudaFree (dev);
  tl_cuda_pool_add_bytes (pool, -(gssize)bytes);
}

gboolean
tl_cuda_buffer_reserve (TlCudaPool *pool, TlCudaBuffer *buffer, size_t bytes,
                        const char *what, GError **error)
{
  const char *step = _ ("work on the block before");

  if (buffer->bytes >= bytes)
    return TRUE;

  if (buffer->dev != NULL
      && (!tl_cuda_check (cudaStreamSynchronize (pool->streams.upload), step,
                          error)
          || !tl_cuda_check (cudaStreamSynchronize (pool->streams.engine), step,
                             error)))
    return FALSE;
  tl_cuda_buffer_clear (pool, buffer);
  buffer->dev = allocate (pool, bytes, what, error);
  if (buffer->dev == NULL)
    return FALSE;
  buffer->bytes = bytes;
  return TRUE;
}

gboolean
tl_cuda_buffer_upload (TlCudaPool *pool, TlCudaBuffer *buffer, const void *from,
                       size_t bytes, const char *what, GError **error)
{
  return tl_cuda_buffer_reserve (pool, buffer, bytes, what, error)
         && tl_cuda_uploader_copy (pool->uploader, buffer->dev, from, bytes,
                                   error);
}

gboolean
tl_cuda_buffer_upload_ahead (TlCudaPool *pool, TlCudaBuffer *buffer,
                             const void *from, size_t bytes, const char *what,
                             GError **error)
{
  return tl_cuda_buffer_reserve (pool, buffer, bytes, what, error)
         && tl_cuda_uploader_copy (pool->ahead_uploader, buffer->dev, from,
                                   bytes, error);
}

gboolean
tl_cuda_buffer_upload_pinned (TlCudaPool *pool, TlCudaBuffer *buffer,
                              const void *from, size_t bytes, const char *what,
                              GError **error)
{
  return tl_cuda_buffer_reserve (pool, buffer, bytes, what, error)
         && tl_cuda_pool_copy (pool, buffer->dev, from, bytes,
                               pool->streams.upload,
                               _ ("transfer to the device"), error);
}

void
tl_cuda_buffer_clear (TlCudaPool *pool, TlCudaBuffer *buffer)
{
  release (pool, buffer->dev, buffer->bytes);
  *buffer = (TlCudaBuffer){ 0 };
}

void
tl_cuda_buffer_give_back (TlCudaPool *pool, TlCudaBuffer *buffer)
{
  if (buffer->dev == NULL)
    return;
  /* a lost device makes the next step fail, which says so */
  cudaStreamSynchronize (pool->streams.engine);
  tl_cuda_buffer_clear (pool, buffer);
}

/* --- slots --- */

/* Nothing on the device may use @slot any more. */
static void
free_slot (TlCudaPool *pool, TlCudaSlot *slot)
{
  release (pool, slot->pixels_dev, slot->dev_bytes);
  tl_cuda_pinned_free (slot->pixels);
  if (slot->ready != NULL)
    cudaEventDestroy (slot->ready);
  if (slot->shown != NULL)
    cudaEventDestroy (slot->shown);
  g_free (slot);
}

/* Waits until nothing on the device uses the slot. */
static gboolean
wait_for_slot (TlCudaSlot *slot, GError **error)
{
  const char *step = _ ("work on an earlier frame");

  return tl_cuda_check (cudaEventSynchronize (slot->ready), step, error)
         && tl_cuda_check (cudaEventSynchronize (slot->shown), step, error);
}

static TlCudaSlot *
new_slot (TlCudaPool *pool, GError **error)
{
  static const char step[] = "start";
  TlCudaSlot *slot = g_new0 (TlCudaSlot, 1);

  if (!tl_cuda_check (
          cudaEventCreateWithFlags (&slot->ready, cudaEventDisableTiming
                                                      | cudaEventBlockingSync),
          step, error)
      || !tl_cuda_check (
          cudaEventCreateWithFlags (&slot->shown, cudaEventDisableTiming
                                                      | cudaEventBlockingSync),
          step, error))
    {
      free_slot (pool, slot);
      return NULL;
    }
  return slot;
}

/* Takes a free slot out of the list: one that is large enough if there is one,
 * else any. */
static TlCudaSlot *
pop_free_slot (TlCudaPool *pool, size_t bytes)
{
  g_mutex_lock (&pool->mutex);
  TlCudaSlot **found = &pool->free_slots;
  while (*found != NULL && (*found)->dev_bytes < bytes)
    found = &(*found)->next;
  if (*found == NULL)
    found = &pool->free_slots;
  TlCudaSlot *slot = *found;
  if (slot != NULL)
    {
      *found = slot->next;
      slot->next = NULL;
    }
  g_mutex_unlock (&pool->mutex);
  return slot;
}

/* Frees the free slots after the first @n_kept, and those that were taken
 * before tl_cuda_pool_give_back(). */
static gboolean
trim_slots (TlCudaPool *pool, guint n_kept, GError **error)
{
  TlCudaSlot *slot = NULL;
  gboolean ok = TRUE;

  g_mutex_lock (&pool->mutex);
  for (TlCudaSlot **link = &pool->free_slots; *link != NULL;)
    {
      TlCudaSlot *free_one = *link;

      if (n_kept > 0 && free_one->age == pool->age)
        {
          n_kept--;
          link = &free_one->next;
          continue;
        }
      *link = free_one->next;
      free_one->next = slot;
      slot = free_one;
    }
  g_mutex_unlock (&pool->mutex);

  while (slot != NULL)
    {
      TlCudaSlot *next = slot->next;

      if (!wait_for_slot (slot, ok ? error : NULL))
        ok = FALSE;
      free_slot (pool, slot);
      slot = next;
    }
  return ok;
}

/* Allocates the device memory of @slot. If there is not enough, the memory of
 * free slots is freed first. */
static gboolean
reserve_slot (TlCudaPool *pool, TlCudaSlot *slot, size_t bytes, GError **error)
{
  g_autoptr (GError) first = NULL;

  if (slot->dev_bytes >= bytes)
    return TRUE;
  if (!wait_for_slot (slot, error))
    return FALSE;
  release (pool, slot->pixels_dev, slot->dev_bytes);
  slot->dev_bytes = 0;
  slot->pixels_dev = allocate (pool, bytes, _ ("the slices"), &first);
  if (slot->pixels_dev == NULL
      && g_error_matches (first, TL_ERROR, TL_ERROR_MEMORY))
    {
      g_clear_error (&first);
      if (!trim_slots (pool, 0, error))
        return FALSE;
      slot->pixels_dev = allocate (pool, bytes, _ ("the slices"), &first);
    }
  if (slot->pixels_dev == NULL)
    {
      g_propagate_error (error, g_steal_pointer (&first));
      return FALSE;
    }
  slot->dev_bytes = bytes;
  return TRUE;
}

TlCudaSlot *
tl_cuda_pool_take_slot (TlCudaPool *pool, size_t bytes, GError **error)
{
  if (!trim_slots (pool, N_SLOTS_KEPT, error))
    return NULL;
  TlCudaSlot *slot = pop_free_slot (pool, bytes);
  if (slot == NULL)
    slot = new_slot (pool, error);
  if (slot == NULL)
    return NULL;
  slot->age = pool->age;
  if (!reserve_slot (pool, slot, bytes, error)
      || !tl_cuda_check (
          cudaStreamWaitEvent (pool->streams.engine, slot->shown, 0),
          _ ("wait for the window"), error))
    {
      tl_cuda_pool_give_slot (pool, slot);
      return NULL;
    }
  return slot;
}

void
tl_cuda_pool_give_slot (TlCudaPool *pool, TlCudaSlot *slot)
{
  g_mutex_lock (&pool->mutex);
  slot->next = pool->free_slots;
  pool->free_slots = slot;
  g_mutex_unlock (&pool->mutex);
}

void
tl_cuda_pool_give_back (TlCudaPool *pool)
{
  pool->age++;
  trim_slots (pool, 0, NULL);
}

gboolean
tl_cuda_slot_reserve_host (TlCudaSlot *slot, size_t bytes, GError **error)
{
  if (slot->host_bytes >= bytes)
    return TRUE;
  tl_cuda_pinned_free (slot->pixels);
  slot->host_bytes = 0;
  slot->pixels =
      tl_cuda_pinned_alloc (bytes, _ ("a copy of the slices"), error);
  if (slot->pixels == NULL)
    return FALSE;
  slot->host_bytes = bytes;
  return TRUE;
}

/* --- the pool --- */

/* Blocks of waiting kernels with the higher priority start first. */
static int
choose_priority (const TlCudaPool *pool)
{
  int lowest = 0, highest = 0;

  cudaDeviceGetStreamPriorityRange (&lowest, &highest);
  return pool->gives_way ? lowest : highest;
}

static gboolean
init_pool (TlCudaPool *pool, GError **error)
{
  TlCudaStreams *streams = &pool->streams;
  cudaStream_t *const all[] = { &streams->engine, &streams->upload,
                                &streams->copy, &streams->show };

  if (!tl_cuda_pool_use (pool, error))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    if (!tl_cuda_check (cudaStreamCreateWithPriority (all[i],
                                                      cudaStreamNonBlocking,
                                                      choose_priority (pool)),
                        _ ("start"), error))
      return FALSE;
  if (!tl_cuda_check (
          cudaEventCreateWithFlags (&pool->empty, cudaEventDisableTiming
                                                      | cudaEventBlockingSync),
          _ ("start"), error))
    return FALSE;
  pool->uploader =
      tl_cuda_uploader_new (streams->engine, TABLE_BYTES, N_TABLES, error);
  if (pool->uploader == NULL)
    return FALSE;
  pool->ahead_uploader =
      tl_cuda_uploader_new (streams->upload, AHEAD_BYTES, N_AHEAD, error);
  return pool->ahead_uploader != NULL;
}

TlCudaPool *
tl_cuda_pool_new (int device, gboolean gives_way, GError **error)
{
  TlCudaPool *pool = g_new0 (TlCudaPool, 1);

  pool->ref_count = 1;
  pool->device = device;
  pool->gives_way = gives_way;
  g_mutex_init (&pool->mutex);
  if (!init_pool (pool, error))
    g_clear_pointer (&pool, tl_cuda_pool_unref);
  return pool;
}

TlCudaPool *
tl_cuda_pool_ref (TlCudaPool *pool)
{
  g_atomic_int_inc (&pool->ref_count);
  return pool;
}

void
tl_cuda_pool_unref (TlCudaPool *pool)
{
  const cudaStream_t streams[] = { pool->streams.engine, pool->streams.upload,
                                   pool->streams.copy, pool->streams.show };

  if (!g_atomic_int_dec_and_test (&pool->ref_count))
    return;

  /* a lost device makes all of this fail, and nothing can be done about it */
  tl_cuda_pool_use (pool, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (streams); i++)
    if (streams[i] != NULL)
      cudaStreamSynchronize (streams[i]);
  trim_slots (pool, 0, NULL);
  g_clear_pointer (&pool->uploader, tl_cuda_uploader_free);
  g_clear_pointer (&pool->ahead_uploader, tl_cuda_uploader_free);
  for (guint i = 0; i < G_N_ELEMENTS (streams); i++)
    if (streams[i] != NULL)
      cudaStreamDestroy (streams[i]);
  if (pool->empty != NULL)
    cudaEventDestroy (pool->empty);
  cudaGetLastError ();
  g_mutex_clear (&pool->mutex);
  g_free (pool);
}

gboolean
tl_cuda_pool_use (TlCudaPool *pool, GError **error)
{
  return tl_cuda_check (cudaSetDevice (pool->device),
                        _ ("choice of the device"), error);
}

int
tl_cuda_pool_get_device (TlCudaPool *pool)
{
  return pool->device;
}

gboolean
tl_cuda_pool_gives_way (TlCudaPool *pool)
{
  return pool->gives_way;
}

gboolean
tl_cuda_pool_wait (TlCudaPool *pool, const char *step, GError **error)
{
  return tl_cuda_check (cudaEventRecord (pool->empty, pool->streams.engine),
                        step, error)
         && tl_cuda_check (cudaEventSynchronize (pool->empty), step, error);
}

const TlCudaStreams *
tl_cuda_pool_get_streams (TlCudaPool *pool)
{
  return &pool->streams;
}

/* Waits for each piece without using a processor. */
static gboolean
copy_pieces (char *to, const char *from, size_t bytes, cudaStream_t stream,
             cudaEvent_t copied, const char *step, GError **error)
{
  for (size_t done = 0, n; done < bytes; done += n)
    {
      n = MIN (bytes - done, PIECE_BYTES);
      if (!tl_cuda_check (cudaMemcpyAsync (to + done, from + done, n,
                                           cudaMemcpyDefault, stream),
                          step, error)
          || !tl_cuda_check (cudaEventRecord (copied, stream), step, error)
          || !tl_cuda_check (cudaEventSynchronize (copied), step, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
tl_cuda_pool_copy (TlCudaPool *pool, void *to, const void *from, size_t bytes,
                   cudaStream_t stream, const char *step, GError **error)
{
  cudaEvent_t copied = NULL;

  if (!pool->gives_way)
    return tl_cuda_check (
        cudaMemcpyAsync (to, from, bytes, cudaMemcpyDefault, stream), step,
        error);
  const gboolean ok =
      tl_cuda_check (
          cudaEventCreateWithFlags (&copied, cudaEventDisableTiming
                                                 | cudaEventBlockingSync),
          step, error)
      && copy_pieces (to, from, bytes, stream, copied, step, error);
  if (copied != NULL)
    cudaEventDestroy (copied);
  return ok;
}

gboolean
tl_cuda_pool_download (TlCudaPool *pool, void *to, const void *from_dev,
                       size_t bytes, const char *step, GError **error)
{
  const cudaStream_t stream = pool->streams.engine;

  return tl_cuda_check (cudaMemcpyAsync (to, from_dev, bytes,
                                         cudaMemcpyDeviceToHost, stream),
                        step, error)
         && tl_cuda_check (cudaStreamSynchronize (stream), step, error);
}

size_t
tl_cuda_pool_get_bytes (TlCudaPool *pool)
{
  g_mutex_lock (&pool->mutex);
  const size_t bytes = pool->bytes;
  g_mutex_unlock (&pool->mutex);
  return bytes;
}

void
tl_cuda_pool_add_bytes (TlCudaPool *pool, gssize bytes)
{
  g_mutex_lock (&pool->mutex);
  pool->bytes += (size_t)bytes;
  g_mutex_unlock (&pool->mutex);
}
