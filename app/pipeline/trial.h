/* How long slices take to compute, found before anything is read. */
#pragma once

#include "app/pipeline/pipeline.h"

/**
 * tl_pipeline_try:
 * @params: of the slices
 * @shape: of the rows of one slice; without samples and fields
 *
 * Makes a slice of constant samples once more often than there are engines: the
 * first slice of each also makes tables and plans. Between runs.
 *
 * Returns: seconds that each of many slices takes, when all engines share them;
 *   0: that could not be found out
 */
double tl_pipeline_try (TlPipeline *pipeline, const TlParams *params,
                        const TlBlock *shape, GCancellable *cancellable);
