/* Measures the errors of the variants on known data. */
#pragma once

#include "app/cli/bench/cases-private.h"

/* Reference values of some pixels of slices of known data. */
typedef struct TlBenchTruth TlBenchTruth;

/* Relative L2 errors; NaN if unknown. */
typedef struct
{
  double noise, phantom;
} TlBenchErrors;

/**
 * tl_bench_truth_new:
 *
 * Computes the reference for the recipe's filter, with bench->error_size
 * columns and projections. Uses all cores; takes some seconds for a size of
 * 512.
 */
TlBenchTruth *tl_bench_truth_new (TlBench *bench, GError **error);
void tl_bench_truth_free (TlBenchTruth *truth);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlBenchTruth, tl_bench_truth_free)

/**
 * tl_bench_truth_compare:
 * @truth: (nullable): %NULL: all errors are unknown
 * @c: its size is ignored
 *
 * Reconstructs @truth's data, which stay loaded in the engine, and compares.
 */
gboolean tl_bench_truth_compare (TlBenchTruth *truth, TlBench *bench,
                                 const TlBenchCase *c, TlBenchErrors *errors,
                                 GError **error);

/** tl_bench_find_limit: Returns: the limit below which the errors should be */
double tl_bench_find_limit (TlPrecision precision);
