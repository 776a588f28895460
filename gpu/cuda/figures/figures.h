/* Measurements of frames and of the device: the functions of TlBackend in
 * gpu/backend/backend.h, which documents arguments and errors. Each waits for
 * its result. Owner thread. */
#pragma once

#include "gpu/cuda/state/state.h"

gboolean tl_cuda_frame_measure (gpointer impl, TlFrame *frame, size_t slice,
                                TlStats *stats, GError **error);
gboolean tl_cuda_frame_measure_sharpness (gpointer impl, TlFrame *frame,
                                          size_t slice,
                                          const TlSharpnessArgs *args,
                                          TlSharpnessSums *sums,
                                          GError **error);
TlFrame *tl_cuda_compare_frames (gpointer impl, TlFrame *frame,
                                 TlFrame *reference, TlDifferences *sums,
                                 GError **error);
TlFrame *tl_cuda_add_frames (gpointer impl, TlFrame *frame, float factor,
                             TlFrame *more, GError **error);
gboolean tl_cuda_measure_ceilings (gpointer impl, TlCeilings *ceilings,
                                   GError **error);
