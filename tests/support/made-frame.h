/* Frames of known pixels, without an engine. */
#pragma once

#include "gpu/backend/frame.h"

G_BEGIN_DECLS

/**
 * made_frame_new:
 * @on_device: its pixels must be fetched first, and it refuses interop with
 *   the words "no such luck"
 *
 * Random pixels from -1 to 1.
 */
TlFrame *made_frame_new (gboolean on_device, size_t n_slices, size_t n_rows,
                         size_t n_cols);

/** made_frame_get_data: Returns: [n_slices][n_rows][n_cols], to change, also
 * where the frame is not fetched. */
float *made_frame_get_data (TlFrame *frame);

/** made_frame_lose: From now on fetching fails with TL_ERROR_DEVICE. */
void made_frame_lose (TlFrame *frame);

G_END_DECLS
