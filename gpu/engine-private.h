/* What the two halves of an engine share: engine.c, which runs the stages, and
 * engine-ask.c, which tells and is told. */
#pragma once

#include "gpu/backend/backend.h"
#include "gpu/choice/fallback.h"
#include "gpu/stages/filter.h"
#include "gpu/stages/phase-private.h"

G_BEGIN_DECLS

/* What a reconstruction is asked to be, in the terms of the stages. */
typedef struct
{
  TlParams params;
  gboolean resamples;   /* projections are turned back: gpu/stages/tilt.h */
  gboolean all_rows;    /* a slice needs more than its own */
  double zinger_excess; /* as what follows, 0 where it is off: changing what is
                           switched off runs nothing again */
  double phase_scale;   /* gpu/stages/phase.h */
  TlRingsArgs rings;
  TlHalfSpan span;
  double tilt_deg, tilt_centre_col;          /* for turning back */
  double shear_deg;                          /* the tilt otherwise */
  double half_centre_col, half_feather_cols; /* 0 where it is off */
  double half_tilt_deg, half_shear_deg;      /* likewise */
  double axis_col, shift_cols; /* from the centre; backends-private.h */
  const TlVariant *variant;
  TlTransform transform;
  const TlFold *fold; /* (nullable) */
  guint fold_serial;
  double fold_axis_col; /* 0 without a fold */
} TlRequest;

struct TlEngine
{
  GThread *owner;
  const TlBackend *backend;
  gpointer impl;
  char *device, *machine; /* machine: of TlTuning */

  /* the block; samples and fields are the backend's */
  size_t n_projections, n_cols; /* 0: nothing loaded */
  size_t n_rows;                /* the slices' own */
  double middle_row;            /* of the detector, from the first of them */
  size_t n_above;               /* rows of the block before that */
  gboolean has_flat;
  float *weights;      /* [n_projections], radians */
  float *turn_weights; /* likewise, of a full turn; %NULL: they are of none */
  double *col_weights; /* (nullable) [n_rows][n_cols], of a half acquisition */
  double *shift_cols;  /* [n_rows] */
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

  /* results of the stages before this one are valid, for the request in done */
  TlStage next;
  TlRequest done;
  gboolean corrected; /* all stages before the transform have run */

  guint n_runs[TL_N_STAGES];
};

/* engine-request.c */

/**
 * tl_engine_make_request:
 *
 * Returns: %FALSE with an error of tl_engine_reconstruct(): what @params ask
 *   for cannot be, or not of this block or engine
 */
gboolean tl_engine_make_request (TlEngine *engine, const TlParams *params,
                                 TlRequest *request, GError **error);

/** tl_engine_find_fallback: Returns: (transfer none): for that grid. */
TlFallback *tl_engine_find_fallback (TlEngine *engine, const TlParams *params);

/** tl_engine_compare_requests: Returns: the first stage to run for @wanted
 * after
 * @done; the last one where nothing changed, for a frame has to be made. */
TlStage tl_engine_compare_requests (const TlRequest *done,
                                    const TlRequest *wanted);

G_END_DECLS
