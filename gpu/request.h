/* A request: parameters in the terms of the stages, and which stages have to
 * run again when the request changes. */
#pragma once

#include "gpu/backend/backend.h"

/* What the parameters are checked against: facts about the block that is
 * loaded. Plain value. */
typedef struct
{
  size_t n_cols;
  gboolean has_flat;
  gboolean covers_turn; /* the projections go around by 360 degrees */
} TlRequestLimits;

/* Plain value. A quantity that belongs to a switched-off correction is 0, so
 * that changing it runs no stage again. */
typedef struct
{
  TlParams params;      /* interpolation: that of the variant */
  gboolean resamples;   /* projections are turned back: gpu/stages/tilt.h */
  gboolean all_rows;    /* a slice needs more rows than its own */
  double zinger_excess; /* 1 + the threshold */
  double phase_scale;   /* gpu/stages/phase.h */
  TlHalfSpan span;
  double tilt_deg, tilt_centre_col;          /* for turning projections back */
  double shear_deg;                          /* the tilt if they are not */
  double half_centre_col, half_feather_cols; /* for half acquisition */
  double half_tilt_deg, half_shear_deg;      /* likewise */
  double axis_col, shift_cols; /* see TlFilterArgs in gpu/backend/backend.h */

  TlPlane plane; /* of tl_engine_reconstruct_plane(); nx 0: slices of
                    params.grid are made */

  /* tl_request_init() leaves these empty: the engine chooses them. */
  const TlVariant *variant;
  TlTransform transform;
  gboolean in_halves;   /* TlTransformArgs */
  const TlFold *fold;   /* (nullable) */
  guint fold_serial;    /* 0 without a fold */
  double fold_axis_col; /* 0 without a fold */
} TlRequest;

/**
 * tl_request_init:
 * @request: (out caller-allocates)
 * @params: copied
 *
 * Any thread.
 *
 * Returns: %FALSE with TL_ERROR_VALUE if @params are out of range, or ask for
 *   something that the block does not have
 */
gboolean tl_request_init (TlRequest *request, const TlParams *params,
                          const TlRequestLimits *limits, GError **error);

/** tl_request_check_plane: Any thread. Returns: %FALSE with TL_ERROR_VALUE if
 * @plane has no pixel, or reaches out of the numbers that kernels count with
 */
gboolean tl_request_check_plane (const TlPlane *plane, GError **error);

/**
 * tl_request_set_choice:
 * @fold: (nullable): lent
 *
 * Completes @request. The interpolation becomes that of @variant, because a
 * forced variant need not be what the parameters name.
 */
void tl_request_set_choice (TlRequest *request, const TlVariant *variant,
                            const TlFold *fold, TlTransform transform);

/** tl_request_compare: Returns: the first stage that has to run for @wanted
 * after @done; TL_STAGE_BACKPROJECT if nothing changed, because a frame has to
 * be made */
TlStage tl_request_compare (const TlRequest *done, const TlRequest *wanted);
