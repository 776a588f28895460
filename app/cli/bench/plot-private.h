/* The picture of a sweep. */
#pragma once

#include "app/cli/bench/cases-private.h"

G_BEGIN_DECLS

/* One line of a picture. */
typedef struct
{
  char *label;
  TlKernel kernel; /* its colour */
  gboolean is_dashed, is_hollow;
  double *values; /* [n_sizes]; not a number: none */
} TlBenchSeries;

/** tl_bench_check_plot: A usage error unless @path ends in ".svg",
 * TL_ERROR_FILE if there can be no such file. */
gboolean tl_bench_check_plot (const char *path, GError **error);

/**
 * tl_bench_plot:
 * @title: plain text, as the labels
 * @sizes: [@n_sizes], ascending
 * @series: [@n_series]
 *
 * Writes an SVG picture: GU/s over the size, on a logarithmic scale.
 */
gboolean tl_bench_plot (const char *path, const char *title,
                        const size_t *sizes, size_t n_sizes,
                        const TlBenchSeries *series, size_t n_series,
                        GError **error);

G_END_DECLS
