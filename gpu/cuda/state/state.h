/* The state of the CUDA backend: the results of the stages in device memory,
 * and the times of the stages. Owner thread only. */
#pragma once

#include "gpu/backend/backend.h"
#include "gpu/cuda/fourier/fourier.h"
#include "gpu/cuda/memory/buffer.h"
#include "gpu/cuda/memory/upload-cache.h"
#include "gpu/cuda/backproject/sinogram.h"

/* A block of projections on the device. There are two, so that the next block
 * is uploaded while the current one is reconstructed. */
typedef struct
{
  gboolean has_dark, has_flat_first, has_flat_last;
  TlCudaBuffer samples; /* [n_projections][n_block_rows][n_cols] */
  TlCudaBuffer dark;    /* [n_block_rows][n_cols], as all fields */
  TlCudaBuffer flat_first, flat_last; /* if has_flat_first, has_flat_last */
  TlCudaBuffer left_col, right_col, mix;
  TlCudaBuffer rays;           /* [n_projections][2]: cosine, sine */
  double *host_rays;           /* (nullable): the same in host memory, owned */
  struct CUevent_st *uploaded; /* in the upload stream */
  struct CUevent_st *released; /* in the engine's stream, after all work that
                                  reads the block */
} TlCudaBlock;

/* The timers of each stage. There are more than a volume queues runs of a stage
 * at once, so that a run has ended before its timer is used again. */
#define TL_CUDA_N_TIMERS 4

typedef struct
{
  struct CUevent_st *start, *stop;
  gboolean is_running; /* both events are queued and not read yet */
} TlCudaTimer;

typedef struct
{
  TlCudaTimer timers[TL_CUDA_N_TIMERS];
  guint next;
  double last_ms, total_ms; /* of the runs whose events were read */
} TlCudaTimes;

/* The tables and the memory of the Fourier method. Zeroed, it is empty. */
typedef struct
{
  /* What the tables are made for. */
  size_t n_rays, nu, nv;
  double cells;      /* of a grid of one cell, between two frequencies */
  double *host_rays; /* [n_rays][2], owned */

  size_t n_sectors;
  double longest_step;        /* from one frequency to the next, cells */
  TlCudaBuffer order;         /* [n_rays] */
  TlCudaBuffer rays, sectors; /* TlCudaFourierGatherArgs */
  TlCudaBuffer points;        /* of a group of slices */
  TlCudaBuffer grid;          /* likewise */
  TlCudaBuffer rows;          /* likewise */
} TlCudaFourier;

typedef struct
{
  TlCudaPool *pool;
  struct CUstream_st *stream; /* the pool's */
  guint max_slices;           /* as of TlBackend */
  struct TlCudaFft *fft;      /* gpu/cuda/stages/fft.h */

  /* The block that was loaded last. */
  size_t n_projections, n_cols;
  size_t n_block_rows; /* rows that were uploaded */
  /* The rows above the rows of the slices, and the rows of the slices. */
  size_t n_above, n_rows;
  TlSampleType type;
  TlCudaBlock blocks[2];
  TlCudaBlock *block;        /* one of them */
  TlCudaBuffer fold_rays;    /* [n_rays][2]: cosine, sine, of a fold's rays */
  TlCudaBuffer fold_sources; /* [n_rays][2]: gpu/stages/fold.h */
  guint fold_serial; /* of the fold in fold_rays and fold_sources; 0: none */

  /* The results of the stages. */
  TlCudaBuffer corrected;    /* [n_projections][rows][n_cols], of the slices'
                                own rows or all of the block */
  TlCudaBuffer zingerless;   /* likewise, if zingers are removed */
  const float *for_tilt;     /* zingerless or corrected */
  TlCudaBuffer tilted;       /* likewise, if projections are turned back */
  const float *for_phase;    /* tilted, or for_tilt */
  TlCudaBuffer retrieved;    /* [n_projections][n_rows][n_cols] */
  const float *for_rings;    /* retrieved, or for_phase */
  TlCudaBuffer ringless;     /* likewise, after beam hardening and rings */
  const float *attenuation;  /* ringless, or for_rings */
  TlCudaUploadCache weights; /* [n_projections] */
  size_t row_cols;           /* of a row from "transform" on */
  /* [n_rows][n_cols]; for a half acquisition only. */
  TlCudaUploadCache col_weights;
  TlCudaBuffer spectrum;   /* rows of fft.h, of halves if in_halves */
  gboolean in_halves;      /* of the spectrum */
  TlCudaBuffer units;      /* if in_halves: a float for each row */
  TlTransform transform;   /* of the spectrum */
  TlCudaBuffer peak;       /* 1: TlCudaPadArgs; "transform" sets it to 0 */
  TlCudaSinogram sinogram; /* of the Fourier method: none */
  size_t length;           /* of a line of the spectrum */
  size_t last_frequency;   /* that the filter lets through */
  size_t n_shifts;         /* of shifts */
  TlCudaFourier fourier;

  /* Working memory within one stage, and its tables. */
  TlCudaBuffer phase_lines, phase_sums; /* TlCudaPhaseArgs */
  TlCudaUploadCache phase_weights;      /* [n_taps][length / 2 + 1] */
  TlCudaBuffer scratch, wavelet_tables; /* of "rings" */
  TlCudaUploadCache response;           /* [length / 2 + 1] */
  /* [n_shifts]; used if the rows have different shifts, and by the Fourier
   * method. */
  TlCudaUploadCache shifts;
  TlCudaBuffer batch; /* rows of fft.h */
  TlCudaBuffer figures;
  struct TlCudaFigures *figures_pinned; /* 1, pinned host memory */

  TlCudaBuffer queues; /* used by the hybrid kernel: backproject.h */
  unsigned n_counters; /* one for each multiprocessor */
  TlCudaBuffer tables; /* TlCudaTables */

  TlCudaTimes times[TL_N_STAGES];
} TlCuda;

/* Call tl_cuda_times_clear() also after a failed init. */
gboolean tl_cuda_times_init (TlCuda *cuda, GError **error);
void tl_cuda_times_clear (TlCuda *cuda);

/* As in TlBackend. */
gboolean tl_cuda_get_times (gpointer impl, double last_ms[TL_N_STAGES],
                            double total_ms[TL_N_STAGES], GError **error);

/* Every stage calls these at its beginning and its end. They make the engine's
 * device the current device and record the time. */
gboolean tl_cuda_begin_stage (TlCuda *cuda, TlStage stage, GError **error);
gboolean tl_cuda_end_stage (TlCuda *cuda, TlStage stage, GError **error);
