/* A frame: the slices of one reconstruction, in the memory of the engine that
 * made them. Reference-counted. */
#pragma once

#include <glib.h>

typedef struct TlFrame TlFrame;

/**
 * tl_frame_new:
 * @pixels: (out) (transfer none): [@n_rows][@n_cols], undefined; fill them
 * before you pass the frame on
 *
 * Makes a frame of one slice in host memory, without an engine. Any thread.
 *
 * Returns: (transfer full): %NULL with TL_ERROR_MEMORY
 */
TlFrame *tl_frame_new (size_t n_rows, size_t n_cols, float **pixels,
                       GError **error);

/* Any thread. The last unref may come after the engine was closed. Of pixels in
 * host memory it gives back the memory at once, except in the main loop. */
TlFrame *tl_frame_ref (TlFrame *frame);
void tl_frame_unref (TlFrame *frame);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlFrame, tl_frame_unref)

size_t tl_frame_get_n_slices (const TlFrame *frame);
size_t tl_frame_get_n_rows (const TlFrame *frame);
size_t tl_frame_get_n_cols (const TlFrame *frame);

/** tl_frame_is_on_device: Returns: whether the pixels are in device
 * memory, so that they are shown without a copy only through interop. */
gboolean tl_frame_is_on_device (const TlFrame *frame);

/** tl_frame_wait: Waits until the device has finished the frame. Any thread.
 * Returns: %FALSE with TL_ERROR_DEVICE */
gboolean tl_frame_wait (TlFrame *frame, GError **error);

/** tl_frame_fetch: Copies the picture to host memory, unless that was done
 * before. Any thread. Waits for the device, and for a frame of any engine that
 * is being fetched: transfers go one at a time. Returns: %FALSE with
 * TL_ERROR_DEVICE or TL_ERROR_MEMORY */
gboolean tl_frame_fetch (TlFrame *frame, GError **error);

/** tl_frame_copy: Copies the first slice. The copy does not occupy a frame slot
 * of the engine and may outlive it. Any thread; waits as tl_frame_fetch() does.
 * Returns: (transfer full): one slice in host memory; %NULL with an error of
 * tl_frame_fetch() */
TlFrame *tl_frame_copy (TlFrame *frame, GError **error);

/** tl_frame_get_pixels: Returns: (transfer none) (nullable):
 * [n_slices][n_rows][n_cols], attenuation per pixel length, host memory; %NULL
 * on a device frame not yet fetched */
const float *tl_frame_get_pixels (TlFrame *frame);

/**
 * tl_frame_read_pixel:
 * @value: (out)
 *
 * Reads one pixel, for the read-out under the pointer. Any thread; waits for
 * the device.
 *
 * Returns: %FALSE with TL_ERROR_DEVICE
 */
gboolean tl_frame_read_pixel (TlFrame *frame, size_t slice, size_t row,
                              size_t col, float *value, GError **error);

/** tl_frame_read_rows: As tl_frame_read_pixel(), for every @every-th row from
 * @first_row on, where rows are counted through all slices.
 * @values: (out caller-allocates): [rows][n_cols] */
gboolean tl_frame_read_rows (TlFrame *frame, size_t first_row, size_t every,
                             float *values, GError **error);
