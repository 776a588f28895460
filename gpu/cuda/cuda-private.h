/* The state of the CUDA backend, and its stages; gpu/backends-private.h has
 * what each does. Owner thread only. */
#pragma once

#include "gpu/backends-private.h"
#include "gpu/cuda/buffer.h"
#include "gpu/cuda/fft.h"
#include "gpu/cuda/measure.h"
#include "gpu/cuda/sinogram.h"

G_BEGIN_DECLS

typedef struct
{
  TlCudaPool *pool;
  struct CUstream_st *stream; /* the pool's */
  TlCudaFft *fft;

  /* the block */
  size_t n_projections, n_rows, n_cols;
  TlSampleType type;
  gboolean has_dark, has_flat_first, has_flat_last;
  TlCudaBuffer samples;               /* [n_projections][n_rows][n_cols] */
  TlCudaBuffer dark;                  /* [n_rows][n_cols], as what follows */
  TlCudaBuffer flat_first, flat_last; /* where there are */
  TlCudaBuffer left_col, right_col, mix;
  TlCudaBuffer rays; /* [n_projections][2]: cosine, sine */

  /* results of the stages */
  TlCudaBuffer corrected; /* [n_projections][n_rows][n_cols] */
  TlCudaBuffer weights;   /* [n_projections] */
  TlCudaBuffer spectrum;  /* [n_lines / 2, rounded up][length] complex */
  TlCudaBuffer peak;      /* 1: filter.h */
  TlCudaSinogram sinogram;

  /* between two steps of one */
  TlCudaBuffer response; /* [length / 2 + 1] */
  TlCudaBuffer factors;  /* [length / 2 + 1] complex */
  TlCudaBuffer batch;    /* some complex rows */
  TlCudaBuffer figures;
  TlCudaFigures *figures_pinned; /* 1, host memory */

  TlCudaBuffer n_busy; /* [n_counters], 0 between launches */
  unsigned n_counters; /* one for each multiprocessor */

  struct CUevent_st *start[TL_N_STAGES], *stop[TL_N_STAGES];
  gboolean is_timed[TL_N_STAGES];
} TlCuda;

/* Every stage begins and ends with these: the times, and the current device. */
gboolean tl_cuda_begin_stage (TlCuda *cuda, TlStage stage, GError **error);
gboolean tl_cuda_end_stage (TlCuda *cuda, TlStage stage, GError **error);

gboolean tl_cuda_upload (gpointer impl, const TlBlock *block, GError **error);
gboolean tl_cuda_correct (gpointer impl, const TlCorrectArgs *args,
                          GError **error);
gboolean tl_cuda_transform (gpointer impl, const TlTransformArgs *args,
                            GCancellable *cancellable, GError **error);
gboolean tl_cuda_filter (gpointer impl, const TlFilterArgs *args,
                         GCancellable *cancellable, GError **error);
TlFrame *tl_cuda_backproject (gpointer impl, const TlBackprojectArgs *args,
                              GCancellable *cancellable, GError **error);

G_END_DECLS
