/* Device memory and the few objects of the CUDA runtime that go with it.
 *
 * A pool belongs to one device. It is counted, because frames keep their pixels
 * in it and may live longer than the engine that made them. Functions that say
 * nothing else are the owner thread's.
 */
#pragma once

#include "gpu/cuda/device/check.h"

G_BEGIN_DECLS

struct CUstream_st; /* what cudaStream_t points to */
struct CUevent_st;  /* cudaEvent_t */

typedef struct TlCudaPool TlCudaPool;

/* Device memory that grows and is kept. Zeroed: none. */
typedef struct
{
  void *dev;
  size_t bytes;
} TlCudaBuffer;

/* The memory of one frame; lent by the pool while the frame lives. */
typedef struct TlCudaSlot
{
  float *pixels_dev;
  float *pixels; /* pinned host memory, or NULL: tl_cuda_slot_reserve_host() */
  size_t dev_bytes, host_bytes;
  struct CUevent_st *ready; /* recorded when the pixels are written */
  struct CUevent_st *shown; /* recorded when the last reader on the device has
                               finished */
  struct TlCudaSlot *next;  /* in the pool's list of free ones */
} TlCudaSlot;

/**
 * tl_cuda_pool_new:
 *
 * Makes @device the calling thread's current one, with its streams.
 *
 * Returns: (transfer full): %NULL with TL_ERROR_DEVICE or TL_ERROR_MEMORY
 */
TlCudaPool *tl_cuda_pool_new (int device, GError **error);

/* Any thread; the last unref waits for the device. */
TlCudaPool *tl_cuda_pool_ref (TlCudaPool *pool);
void tl_cuda_pool_unref (TlCudaPool *pool);

/**
 * tl_cuda_pool_use:
 *
 * Makes the pool's device the calling thread's current one. Any thread.
 */
gboolean tl_cuda_pool_use (TlCudaPool *pool, GError **error);

/** tl_cuda_pool_get_device: Returns: its number. Any thread. */
int tl_cuda_pool_get_device (TlCudaPool *pool);

/* Streams, all without ties to the default one: the engine's; that of uploads
 * beside it; that of copies to the host; that of GL interop. Any thread may use
 * the last two. */
struct CUstream_st *tl_cuda_pool_get_stream (TlCudaPool *pool);
struct CUstream_st *tl_cuda_pool_get_upload_stream (TlCudaPool *pool);
struct CUstream_st *tl_cuda_pool_get_copy_stream (TlCudaPool *pool);
struct CUstream_st *tl_cuda_pool_get_show_stream (TlCudaPool *pool);

/** tl_cuda_pool_get_bytes: Returns: device memory held. Any thread. */
size_t tl_cuda_pool_get_bytes (TlCudaPool *pool);

/**
 * tl_cuda_pool_add_bytes:
 *
 * Counts memory that something else than the pool took (or gave back: negative)
 * on the device. Any thread.
 */
void tl_cuda_pool_add_bytes (TlCudaPool *pool, gssize bytes);

/**
 * tl_cuda_pool_take_slot:
 *
 * Work queued afterwards in the engine's stream may write to the slot.
 *
 * Returns: (transfer full): @bytes or more of device memory, undefined; %NULL
 *   with TL_ERROR_MEMORY or TL_ERROR_DEVICE
 */
TlCudaSlot *tl_cuda_pool_take_slot (TlCudaPool *pool, size_t bytes,
                                    GError **error);

/** tl_cuda_pool_give_slot: Any thread. Waits for nothing, frees nothing. */
void tl_cuda_pool_give_slot (TlCudaPool *pool, TlCudaSlot *slot);

/** tl_cuda_slot_reserve_host: Any thread that owns the slot. */
gboolean tl_cuda_slot_reserve_host (TlCudaSlot *slot, size_t bytes,
                                    GError **error);

/**
 * tl_cuda_buffer_reserve:
 * @what: for the message: "the spectrum"
 *
 * Makes @buffer at least @bytes large; what was in it is lost where it grows.
 * After TL_ERROR_MEMORY it is empty.
 */
gboolean tl_cuda_buffer_reserve (TlCudaPool *pool, TlCudaBuffer *buffer,
                                 size_t bytes, const char *what,
                                 GError **error);

/**
 * tl_cuda_buffer_upload:
 * @from: host memory, @bytes, free for any use when the function returns
 *
 * Reserves @buffer and copies into it, in the engine's stream: for small tables
 * that change now and then.
 */
gboolean tl_cuda_buffer_upload (TlCudaPool *pool, TlCudaBuffer *buffer,
                                const void *from, size_t bytes,
                                const char *what, GError **error);

/**
 * tl_cuda_buffer_upload_ahead:
 *
 * As tl_cuda_buffer_upload(), in the upload stream: beside the work that is
 * queued in the engine's. Who reads @buffer there waits for an event.
 */
gboolean tl_cuda_buffer_upload_ahead (TlCudaPool *pool, TlCudaBuffer *buffer,
                                      const void *from, size_t bytes,
                                      const char *what, GError **error);
void tl_cuda_buffer_clear (TlCudaPool *pool, TlCudaBuffer *buffer);

G_END_DECLS
