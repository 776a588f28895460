/* Errors of the variants on known data. */
#pragma once

#include "app/cli/bench/cases-private.h"

G_BEGIN_DECLS

/* What some pixels of slices of known data must be. */
typedef struct TlBenchTruth TlBenchTruth;

/* Relative L2; not a number where it is not known. */
typedef struct
{
  double noise, phantom;
} TlBenchErrors;

/**
 * tl_bench_truth_new:
 *
 * For the recipe's filter and slices of bench->error_size columns and
 * projections; all cores, some seconds for 512.
 */
TlBenchTruth *tl_bench_truth_new (TlBench *bench, GError **error);
void tl_bench_truth_free (TlBenchTruth *truth);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlBenchTruth, tl_bench_truth_free)

/**
 * tl_bench_truth_judge:
 * @truth: (nullable): all errors unknown
 * @c: its size does not matter
 *
 * Reconstructs, and leaves @truth's data in the engine.
 */
gboolean tl_bench_truth_judge (TlBenchTruth *truth, TlBench *bench,
                               const TlBenchCase *c, TlBenchErrors *errors,
                               GError **error);

/** tl_bench_find_limit: Returns: what errors ought to be below. */
double tl_bench_find_limit (TlPrecision precision);

G_END_DECLS
