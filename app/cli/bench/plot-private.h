/* The plot of a sweep. */
#pragma once

#include "app/cli/bench/cases-private.h"

/* One curve of a plot. */
typedef struct
{
  char *label;
  TlKernel kernel; /* selects the colour */
  gboolean is_dashed, is_hollow;
  double *values; /* [n_sizes]; NaN: missing */
} TlBenchSeries;

/** tl_bench_check_plot: Returns: %FALSE with a usage error unless @path ends
 * in ".svg", and with TL_ERROR_FILE if the file cannot be created */
gboolean tl_bench_check_plot (const char *path, GError **error);

/**
 * tl_bench_plot:
 * @overwrites: whether @path may be replaced
 * @title: plain text, as are the labels
 * @sizes: [@n_sizes], ascending
 * @series: [@n_series]
 *
 * Writes an SVG plot: GU/s over the size, on a logarithmic scale.
 */
gboolean tl_bench_plot (const char *path, gboolean overwrites,
                        const char *title, const size_t *sizes, size_t n_sizes,
                        const TlBenchSeries *series, size_t n_series,
                        GError **error);
