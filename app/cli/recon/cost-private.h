/* Writes the map of the error of fast precision next to a slice at @path, as
 * "a.error.tiff". */
#pragma once

#include "app/cli/json-private.h"
#include "app/recon/precision-cost.h"

/* Of the map and of its picture, in place of the suffix of the slice. */
#define TL_CLI_COST_MAP_SUFFIX ".error.tiff"
#define TL_CLI_COST_PNG_SUFFIX ".error.png"

/** tl_cli_cost_write: @png: also write a picture, grey where nothing differs */
gboolean tl_cli_cost_write (const TlPrecisionCost *cost, const char *path,
                            gboolean png, GError **error);

/** tl_cli_cost_report: Adds "precision_cost" to @json, or prints a line if it
 * is %NULL. */
void tl_cli_cost_report (const TlPrecisionCost *cost, const char *path,
                         TlJson *json);
