/* The command "bench" for volumes. */
#pragma once

#include "app/cli/cli-private.h"

/* The options of "bench" for volumes. */
typedef struct
{
  gboolean is_wanted;
  char *rows, *devices; /* (nullable): as typed */
} TlCliVolume;

void tl_cli_volume_add_options (TlCliVolume *options, TlCliLine *line);

/**
 * tl_cli_volume_run:
 * @size: (nullable): as typed
 * @projections: (nullable): as typed
 *
 * Measures one engine and, if there are more, all together. Prints the
 * results.
 */
gboolean tl_cli_volume_run (const TlCliVolume *options, const TlRecipe *recipe,
                            const char *size, const char *projections,
                            gboolean as_json, GCancellable *cancellable,
                            GError **error);
