/* The state of the CUDA backend: what is on the device between one stage and
 * the next, and how long the stages took. Owner thread only. */
#pragma once

#include "gpu/backend/backend.h"
#include "gpu/cuda/memory/buffer.h"
#include "gpu/cuda/memory/upload-cache.h"
#include "gpu/cuda/backproject/sinogram.h"

G_BEGIN_DECLS

/* A block of projections on the device. There are two, so that one is filled
 * while the other one is computed. */
typedef struct
{
  gboolean has_dark, has_flat_first, has_flat_last;
  TlCudaBuffer samples; /* [n_projections][n_block_rows][n_cols] */
  TlCudaBuffer dark;    /* [n_block_rows][n_cols], as all fields */
  TlCudaBuffer flat_first, flat_last; /* if has_flat_first, has_flat_last */
  TlCudaBuffer left_col, right_col, mix;
  TlCudaBuffer rays;           /* [n_projections][2]: cosine, sine */
  struct CUevent_st *uploaded; /* in the upload stream */
  struct CUevent_st *released; /* in the engine's stream, behind all work that
                                  reads the block */
} TlCudaBlock;

/* More than the runs of a stage that are queued at once in a volume, so that
 * the oldest has ended when its timer is used again. */
#define TL_CUDA_N_TIMERS 4

typedef struct
{
  struct CUevent_st *start, *stop;
  gboolean is_running; /* both are queued, and not read yet */
} TlCudaTimer;

typedef struct
{
  TlCudaTimer timers[TL_CUDA_N_TIMERS];
  guint next;
  double last_ms, total_ms; /* of the runs that were read */
} TlCudaTimes;

typedef struct
{
  TlCudaPool *pool;
  struct CUstream_st *stream; /* the pool's */
  struct TlCudaFft *fft;      /* stages/fft.h */

  /* the block that was loaded last */
  size_t n_projections, n_cols;
  size_t n_block_rows;    /* of what was uploaded */
  size_t n_above, n_rows; /* n_rows of them are the slices' own, behind n_above
                             rows */
  TlSampleType type;
  TlCudaBlock blocks[2];
  TlCudaBlock *block;        /* one of them */
  TlCudaBuffer fold_rays;    /* [n_rays][2]: cosine, sine, of a fold's rays */
  TlCudaBuffer fold_sources; /* [n_rays][2]: gpu/stages/fold.h */
  guint fold_serial;         /* of the fold that both belong to; 0: none */

  /* results of the stages */
  TlCudaBuffer corrected;    /* [n_projections][rows][n_cols], of the slices'
                                own rows or all of the block */
  TlCudaBuffer zingerless;   /* likewise, if zingers are removed */
  const float *for_tilt;     /* zingerless or corrected */
  TlCudaBuffer tilted;       /* likewise, if projections are turned back */
  const float *for_phase;    /* tilted, or for_tilt */
  TlCudaBuffer retrieved;    /* [n_projections][n_rows][n_cols] */
  const float *for_rings;    /* retrieved, or for_phase */
  TlCudaBuffer ringless;     /* likewise, if rings are removed */
  const float *attenuation;  /* ringless, or for_rings */
  TlCudaUploadCache weights; /* [n_projections] */
  size_t row_cols;           /* of a row from "transform" on */
  TlCudaUploadCache col_weights; /* [n_rows][n_cols] where there are any */
  TlCudaBuffer spectrum;         /* rows of fft.h */
  TlTransform transform;         /* of the spectrum */
  TlCudaBuffer peak;             /* 1: TlCudaPadArgs; "rings" sets it to 0 */
  TlCudaSinogram sinogram;

  /* between two steps of one stage */
  TlCudaBuffer phase_lines, phase_sums; /* TlCudaPhaseArgs */
  TlCudaUploadCache phase_weights;      /* [n_taps][length / 2 + 1] */
  TlCudaBuffer scratch, wavelet_tables; /* of "rings" */
  TlCudaUploadCache response;           /* [length / 2 + 1] */
  TlCudaUploadCache shifts;             /* [n_rows] where they differ */
  TlCudaBuffer batch;                   /* rows of fft.h */
  TlCudaBuffer figures;
  struct TlCudaFigures *figures_pinned; /* 1, pinned host memory */

  TlCudaBuffer queues; /* of the hybrid kernel: backproject.h */
  unsigned n_counters; /* one for each multiprocessor */

  TlCudaTimes times[TL_N_STAGES];
} TlCuda;

/* Clear also after a failed init. */
gboolean tl_cuda_times_init (TlCuda *cuda, GError **error);
void tl_cuda_times_clear (TlCuda *cuda);

/* As in TlBackend. */
gboolean tl_cuda_get_times (gpointer impl, double last_ms[TL_N_STAGES],
                            double total_ms[TL_N_STAGES], GError **error);

/* Every stage begins and ends with these. They make the engine's device the
 * current one, and note the times. */
gboolean tl_cuda_begin_stage (TlCuda *cuda, TlStage stage, GError **error);
gboolean tl_cuda_end_stage (TlCuda *cuda, TlStage stage, GError **error);

G_END_DECLS
