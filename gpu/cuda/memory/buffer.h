/* Device memory and the few objects of the CUDA runtime that go with it.
 *
 * A pool belongs to one device. It is reference-counted, because frames keep
 * their pixels in it and may outlive the engine that made them. Call functions
 * on the owner thread, unless their documentation says otherwise.
 */
#pragma once

#include "gpu/cuda/device/check.h"

struct CUstream_st; /* what cudaStream_t points to */
struct CUevent_st;  /* cudaEvent_t */

typedef struct TlCudaPool TlCudaPool;

/* Device memory that grows on demand and is reused. A zeroed struct is empty.
 */
typedef struct
{
  void *dev;
  size_t bytes;
} TlCudaBuffer;

/* The memory of one frame; the pool owns it and lends it to the frame. */
typedef struct TlCudaSlot
{
  float *pixels_dev;
  float *pixels; /* pinned host memory, or NULL: tl_cuda_slot_reserve_host() */
  size_t dev_bytes, host_bytes;
  struct CUevent_st *ready; /* recorded when the pixels are written */
  struct CUevent_st *shown; /* recorded when the last reader on the device has
                               finished */
  guint age;                /* of the pool when the slot was taken */
  struct TlCudaSlot *next;  /* in the pool's list of free ones */
} TlCudaSlot;

/** tl_cuda_pool_new: Makes @device the current device of the calling thread and
 * creates the streams, with low priority if the pool @gives_way to others.
 * Returns: (transfer full): %NULL with TL_ERROR_DEVICE or TL_ERROR_MEMORY */
TlCudaPool *tl_cuda_pool_new (int device, gboolean gives_way, GError **error);

/* Any thread; the last unref waits for the device. */
TlCudaPool *tl_cuda_pool_ref (TlCudaPool *pool);
void tl_cuda_pool_unref (TlCudaPool *pool);

/** tl_cuda_pool_use: Makes the pool's device the current device of the calling
 * thread. Any thread. */
gboolean tl_cuda_pool_use (TlCudaPool *pool, GError **error);

/** tl_cuda_pool_get_device: Returns: the number of the pool's device. Any
 * thread. */
int tl_cuda_pool_get_device (TlCudaPool *pool);

/** tl_cuda_pool_gives_way: Any thread. */
gboolean tl_cuda_pool_gives_way (TlCudaPool *pool);

/** tl_cuda_pool_wait: Waits until the engine's stream is empty, without using a
 * processor meanwhile. @step: as of tl_cuda_check(). */
gboolean tl_cuda_pool_wait (TlCudaPool *pool, const char *step, GError **error);

/* None of the streams synchronises with the default stream. */
typedef struct
{
  struct CUstream_st *engine, *upload; /* owner thread */
  struct CUstream_st *copy;            /* to the host; any thread */
  struct CUstream_st *show;            /* GL interop; any thread */
} TlCudaStreams;

/** tl_cuda_pool_get_streams: Returns: (transfer none): constant. Any thread. */
const TlCudaStreams *tl_cuda_pool_get_streams (TlCudaPool *pool);

/**
 * tl_cuda_pool_copy:
 * @to: device memory, or host memory, [@bytes]
 * @from: host memory, or device memory, [@bytes]
 * @stream: one of tl_cuda_pool_get_streams()
 * @step: as of tl_cuda_check()
 *
 * A pool that gives way copies in pieces and waits for each without using a
 * processor, so that copies of other engines come between. Other pools only
 * queue the copy: wait for @stream before you read @to or change @from. Wait
 * after an error, too. The pool's device is current. Any thread.
 *
 * Returns: %FALSE with TL_ERROR_DEVICE
 */
gboolean tl_cuda_pool_copy (TlCudaPool *pool, void *to, const void *from,
                            size_t bytes, struct CUstream_st *stream,
                            const char *step, GError **error);

/** tl_cuda_pool_download: Copies @bytes from device memory to the host in the
 * engine's stream, and waits for them. @step: as of tl_cuda_check(). */
gboolean tl_cuda_pool_download (TlCudaPool *pool, void *to,
                                const void *from_dev, size_t bytes,
                                const char *step, GError **error);

/** tl_cuda_pool_get_bytes: Returns: the device memory held, bytes. Any thread.
 */
size_t tl_cuda_pool_get_bytes (TlCudaPool *pool);

/** tl_cuda_pool_add_bytes: Adds @bytes to the count of device memory: memory
 * that a library allocated on the device, or, if negative, freed. Any thread.
 */
void tl_cuda_pool_add_bytes (TlCudaPool *pool, gssize bytes);

/** tl_cuda_pool_take_slot: Takes a free slot or allocates one. Work queued
 * afterwards in the engine's stream may write to it. Returns: (transfer full):
 * @bytes or more of device memory, undefined; %NULL with TL_ERROR_MEMORY or
 * TL_ERROR_DEVICE */
TlCudaSlot *tl_cuda_pool_take_slot (TlCudaPool *pool, size_t bytes,
                                    GError **error);

/** tl_cuda_pool_give_slot: Returns @slot to the pool without waiting for the
 * device and without freeing memory. Any thread. */
void tl_cuda_pool_give_slot (TlCudaPool *pool, TlCudaSlot *slot);

/** tl_cuda_pool_give_back: Frees the slots that are free. Those that frames
 * still have are freed by the next tl_cuda_pool_take_slot() after they were
 * given. Waits for the device, whose errors the next step reports. */
void tl_cuda_pool_give_back (TlCudaPool *pool);

/** tl_cuda_slot_reserve_host: Makes slot->pixels at least @bytes of pinned host
 * memory. Any thread that owns the slot. */
gboolean tl_cuda_slot_reserve_host (TlCudaSlot *slot, size_t bytes,
                                    GError **error);

/**
 * tl_cuda_buffer_reserve:
 * @what: what the memory is for, for the error message: "the spectrum"
 *
 * Makes @buffer at least @bytes large. If it has to grow, its content is lost.
 *
 * Returns: %FALSE with TL_ERROR_MEMORY or TL_ERROR_DEVICE; @buffer is empty
 * after TL_ERROR_MEMORY
 */
gboolean tl_cuda_buffer_reserve (TlCudaPool *pool, TlCudaBuffer *buffer,
                                 size_t bytes, const char *what,
                                 GError **error);

/**
 * tl_cuda_buffer_upload:
 * @from: host memory, @bytes; may be changed as soon as the function returns
 *
 * Reserves @buffer and copies @from into it in the engine's stream. Meant for
 * small tables that change rarely.
 *
 * Returns: %FALSE with TL_ERROR_MEMORY or TL_ERROR_DEVICE
 */
gboolean tl_cuda_buffer_upload (TlCudaPool *pool, TlCudaBuffer *buffer,
                                const void *from, size_t bytes,
                                const char *what, GError **error);

/** tl_cuda_buffer_upload_ahead: As tl_cuda_buffer_upload(), but in the upload
 * stream, parallel to the work in the engine's stream. Before the engine's
 * stream reads @buffer, it must wait for an event of the upload stream. */
gboolean tl_cuda_buffer_upload_ahead (TlCudaPool *pool, TlCudaBuffer *buffer,
                                      const void *from, size_t bytes,
                                      const char *what, GError **error);

/** tl_cuda_buffer_upload_pinned: As tl_cuda_buffer_upload_ahead(), from memory
 * of tl_engine_pin(), which must be neither changed nor unpinned before the
 * copy has ended in the upload stream. Waits as tl_cuda_pool_copy() does. */
gboolean tl_cuda_buffer_upload_pinned (TlCudaPool *pool, TlCudaBuffer *buffer,
                                       const void *from, size_t bytes,
                                       const char *what, GError **error);
void tl_cuda_buffer_clear (TlCudaPool *pool, TlCudaBuffer *buffer);

/** tl_cuda_buffer_give_back: As tl_cuda_buffer_clear(), when the work in the
 * engine's stream, which may use @buffer, has ended. Nothing to do if it is
 * empty. */
void tl_cuda_buffer_give_back (TlCudaPool *pool, TlCudaBuffer *buffer);
