/* What is expected of each scan of a stream. */
#pragma once

#include "data/stream/options.h"

/* Zero before use. */
typedef struct
{
  size_t n[TL_N_FRAME_KINDS]; /* 0: unknown */
  gboolean has_ends;
  double ends_deg[2];  /* angles of the first and last projection */
  double *angles_deg;  /* (nullable): [n[TL_FRAMES_PROJECTIONS]] */
  TlFrameKind *series; /* [n_series], at least one */
  size_t n_series;
} TlExpected;

/**
 * tl_expected_init:
 * @options: (nullable)
 *
 * Returns: %FALSE with an error of tl_angles_load(); TL_ERROR_VALUE if angles
 *   are not numbers, or TL_ERROR_SHAPE if the file has another number of them
 *   than of projections is expected
 */
gboolean tl_expected_init (TlExpected *expected, const TlStreamOptions *options,
                           GError **error);
void tl_expected_clear (TlExpected *expected);

/** tl_expected_dup_angles: Returns: (transfer full) (nullable): the angles of
 * @n projections; %NULL: nothing is said, or of another number of them */
double *tl_expected_dup_angles (const TlExpected *expected, size_t n);
