/* Options and reports of pipelines: the number of devices, and where the
 * time was spent. */
#include "app/cli/pipeline-private.h"

#include "app/cli/cli-private.h"
#include "app/cli/json-private.h"

#include <string.h>

gboolean
tl_cli_parse_devices (const char *text, guint *n, GError **error)
{
  guint64 number = 0;
  if (text != NULL && strcmp (text, "all") != 0
      && !g_ascii_string_to_unsigned (text, 10, 1, G_MAXUINT16, &number, NULL))
    return tl_cli_usage_error (
        error,
        "--devices takes a whole number of at least 1, or all, not \"%s\"",
        text);
  *n = (guint)number;
  return TRUE;
}

void
tl_cli_pipeline_add_json (const TlPipelineReport *report, size_t n_slices,
                          TlJson *json)
{
  static const char *const keys[TL_N_PIPELINE_STAGES] = {
    "read_s", "upload_s", "compute_s", "download_s", "write_s"
  };
  const TlPipelineStage limit = tl_pipeline_find_limit (report);
  tl_json_add (json, "devices: %u, slices_per_s: %f, wall_s: %f",
               report->n_engines, (double)n_slices / report->wall_s,
               report->wall_s);
  for (guint stage = 0; stage < TL_N_PIPELINE_STAGES; stage++)
    tl_json_add (json, "%s: %f", keys[stage], report->busy_s[stage]);
  tl_json_add (json, "limit: %s, limit_share: %f",
               tl_pipeline_stage_names[limit],
               report->busy_s[limit] / report->wall_s);
}

char *
tl_cli_pipeline_dup_text (const TlPipelineReport *report)
{
  g_autofree char *limit = tl_pipeline_describe_limit (report);
  GString *text = g_string_new (NULL);
  for (guint stage = 0; stage < TL_N_PIPELINE_STAGES; stage++)
    g_string_append_printf (text, "%s %.2f s, ", tl_pipeline_stage_names[stage],
                            report->busy_s[stage]);
  g_string_append (text, limit);
  return g_string_free (text, FALSE);
}
