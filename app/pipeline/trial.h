/* How long slices take to compute, found before anything is read. */
#pragma once

#include "app/pipeline/pipeline.h"

/**
 * tl_pipeline_try:
 * @params: of the slices
 * @shape: of a block, as an engine loads it; without samples and fields
 *
 * Makes n_engines + 1 blocks of constant samples, because the first one of each
 * engine also makes tables. Call it between two runs.
 *
 * Returns: seconds for each slice with all engines; 0: that could not be found
 *   out
 */
double tl_pipeline_try (TlPipeline *pipeline, const TlParams *params,
                        const TlBlock *shape, GCancellable *cancellable);
