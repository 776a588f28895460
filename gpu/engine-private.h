/* What the two halves of an engine share: engine.c, which runs the stages, and
 * engine-ask.c, which tells and is told. */
#pragma once

#include "gpu/backends-private.h"
#include "gpu/fallback-private.h"
#include "gpu/filter.h"
#include "gpu/phase-private.h"

G_BEGIN_DECLS

/* What a reconstruction is asked to be, in the terms of the stages. */
typedef struct
{
  TlParams params;
  double zinger_excess; /* as what follows, 0 where it is off: changing what is
                           switched off runs nothing again */
  double phase_scale;   /* gpu/phase.h */
  TlRingsArgs rings;
  TlHalfSpan span;
  double half_centre_col, half_feather_cols; /* 0 where it is off */
  double axis_col, shift_cols; /* from the centre; backends-private.h */
  const TlVariant *variant;
  TlTransform transform;
  const TlFold *fold; /* (nullable) */
  guint fold_serial;
  double fold_axis_col; /* 0 without a fold */
} TlWish;

struct TlEngine
{
  GThread *owner;
  const TlBackend *backend;
  gpointer impl;
  char *device, *machine; /* machine: of TlTuning */

  /* the block; samples and fields are the backend's */
  size_t n_projections, n_cols; /* 0: nothing loaded */
  size_t n_rows;                /* the slices' own */
  gboolean has_flat;
  float *weights;      /* [n_projections], radians */
  float *turn_weights; /* likewise, of a full turn; %NULL: they are of none */
  double *col_weights; /* (nullable) [n_rows][n_cols], of a half acquisition */
  TlDeadPixels *dead;
  size_t total_dead; /* of all blocks */
  TlFolds *folds;

  const TlVariant *forced; /* (nullable): tl_engine_use_variant() */
  TlTuning *tuning;        /* (nullable) */
  /* kernels may not fit a grid coarser than columns, and all others well */
  TlFallback fallback, coarse_fallback;
  const char *fallback_text; /* (nullable), interned: of the last choice */
  TlTransform transform;     /* tl_engine_use_transform() */
  TlKeptResponse response;
  TlPhaseFilter phase;

  /* results of the stages before this one are valid, for the wish in done */
  TlStage next;
  TlWish done;
  gboolean corrected; /* all stages before the transform have run */

  guint n_runs[TL_N_STAGES];
};

G_END_DECLS
