/* Frames with known pixels, made without an engine. */
#pragma once

#include "gpu/backend/frame.h"

/**
 * made_frame_new:
 * @on_device: the frame behaves like a device frame: its pixels must be fetched
 *   first, and interop fails with the message "no such luck"
 *
 * Makes a frame with random pixels from -1 to 1.
 */
TlFrame *made_frame_new (gboolean on_device, size_t n_slices, size_t n_rows,
                         size_t n_cols);

/** made_frame_get_data: Returns: (transfer none): the pixels,
 * [n_slices][n_rows][n_cols], which may be changed even if the frame is not
 * fetched. */
float *made_frame_get_data (TlFrame *frame);

/** made_frame_lose: Makes all later fetches of @frame fail with
 * TL_ERROR_DEVICE. */
void made_frame_lose (TlFrame *frame);
