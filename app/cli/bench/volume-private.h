/* The command "bench" for volumes. */
#pragma once

#include "app/cli/bench/cases-private.h"

/* The options of "bench" for volumes. */
typedef struct
{
  gboolean is_wanted;
  char *rows, *devices; /* (nullable): as typed */
} TlBenchVolume;

void tl_bench_volume_add_options (TlBenchVolume *options, TlCliLine *line);

/** tl_bench_volume: Measures one engine and, if there are more, all together.
 * @bench: without an engine */
gboolean tl_bench_volume (const TlBenchVolume *options, const TlBench *bench,
                          GError **error);
