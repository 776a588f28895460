/* Options and reports of a pipeline. */
#pragma once

#include "app/cli/json-private.h"
#include "app/pipeline/pipeline.h"

/** tl_cli_parse_devices: @text: (nullable): a number, or "all", which gives
 * @n 0 */
gboolean tl_cli_parse_devices (const char *text, guint *n, GError **error);

/** tl_cli_pipeline_add_json: @n_slices: that were made, in all passes. Adds
 * devices, slices_per_s, wall_s, the busy
 * seconds of each stage, limit and limit_share. */
void tl_cli_pipeline_add_json (const TlPipelineReport *report, size_t n_slices,
                               TlJson *json);

/** tl_cli_pipeline_dup_text: Returns: (transfer full): the report in words */
char *tl_cli_pipeline_dup_text (const TlPipelineReport *report);
