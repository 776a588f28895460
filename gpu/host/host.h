/* The host backend: it keeps data in host memory and computes on all cores. */
#pragma once

#include "gpu/backend/backend.h"

extern const TlBackend tl_host_backend;

/**
 * tl_host_fourier_count_bytes:
 * @grid: of a slice
 * @n_cols: of the rows of the stage "transform"
 * @n_workers: threads
 *
 * Any thread. Returns: the memory that the Fourier method takes, whatever the
 *   filter lets through
 */
guint64 tl_host_fourier_count_bytes (const TlGrid *grid, size_t n_cols,
                                     size_t n_projections, guint n_workers);
