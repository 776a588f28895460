/* Whose turn it is on a device that several engines of the program use.
 *
 * A kernel that runs is not interrupted, and those that wait in the streams of
 * low priority begin wherever another kernel leaves room. So that a picture
 * need not wait for many slices of an export, an engine that gives way has one
 * group of slices on the device at a time while others make pictures, and
 * begins it only between them. Any thread. */
#pragma once

#include "gpu/cuda/memory/buffer.h"

/** tl_cuda_turn_begin: The engine of @pool begins work that is not to be
 * disturbed. One that gives way to others waits, see tl_cuda_turn_wait(). */
void tl_cuda_turn_begin (TlCudaPool *pool);

/** tl_cuda_turn_end: What began last ends with what is in the engine's stream
 * now. Call it after an error, too. */
void tl_cuda_turn_end (TlCudaPool *pool);

/**
 * tl_cuda_turn_wait:
 *
 * An engine that gives way calls it before it gives the device a group of
 * slices. Waits for the group before and for the work of others, but not long,
 * where these work all the time. Returns at once if no other has worked
 * lately.
 *
 * Returns: %FALSE with TL_ERROR_DEVICE
 */
gboolean tl_cuda_turn_wait (TlCudaPool *pool, GError **error);
