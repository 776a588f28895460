/* The stages: the functions of TlBackend in gpu/backend/backend.h, which
 * documents what each computes, its arguments and its errors. Each queues its
 * work and returns; the engine's stream keeps the order. Owner thread. */
#pragma once

#include "gpu/cuda/memory/frame.h"
#include "gpu/cuda/state/state.h"

/* Call tl_cuda_blocks_clear() also after a failed init. */
gboolean tl_cuda_blocks_init (TlCuda *cuda, GError **error);
void tl_cuda_blocks_clear (TlCuda *cuda);
/** tl_cuda_blocks_give_back: Frees the memory of the blocks, which nothing on
 * the device uses any more. */
void tl_cuda_blocks_give_back (TlCuda *cuda);

/** tl_cuda_upload_fold: Uploads the rays and sources of @fold, unless they are
 * on the device already. */
gboolean tl_cuda_upload_fold (TlCuda *cuda, const TlFold *fold, GError **error);

gboolean tl_cuda_upload (gpointer impl, const TlBlock *block,
                         const TlDeadPixels *dead, GError **error);
gboolean tl_cuda_correct (gpointer impl, const TlCorrectArgs *args,
                          GError **error);
gboolean tl_cuda_zingers (gpointer impl, const TlZingersArgs *args,
                          GError **error);
gboolean tl_cuda_tilt (gpointer impl, const TlTiltArgs *args,
                       GCancellable *cancellable, GError **error);
gboolean tl_cuda_phase (gpointer impl, const TlPhaseArgs *args,
                        GCancellable *cancellable, GError **error);
gboolean tl_cuda_rings (gpointer impl, const TlParams *params,
                        GCancellable *cancellable, GError **error);
gboolean tl_cuda_transform (gpointer impl, const TlTransformArgs *args,
                            GCancellable *cancellable, GError **error);
gboolean tl_cuda_filter (gpointer impl, const TlFilterArgs *args,
                         GCancellable *cancellable, GError **error);
TlFrame *tl_cuda_backproject (gpointer impl, const TlBackprojectArgs *args,
                              GCancellable *cancellable, GError **error);
TlFrame *tl_cuda_backproject_plane (gpointer impl, const TlPlaneArgs *args,
                                    GCancellable *cancellable, GError **error);

/**
 * tl_cuda_invert:
 * @frame: (out): gets the pixels
 *
 * The part of "back-project" that differs for the Fourier method. Returns:
 * %FALSE with any error of the stage
 */
gboolean tl_cuda_invert (TlCuda *cuda, const TlBackprojectArgs *args,
                         TlCudaFrame *frame, GCancellable *cancellable,
                         GError **error);

/** tl_cuda_fourier_clear: Gives the memory of the Fourier method back. */
void tl_cuda_fourier_clear (TlCuda *cuda);
