#include "app/summary.h"

TlScanSummary *
tl_scan_summary_new (const TlScanInfo *info)
{
  TlScanSummary *summary = g_new (TlScanSummary, 1);
  const double first = info->angles_deg[0];
  const double last = info->angles_deg[info->n_projections - 1];
  *summary = (TlScanSummary){
    .path = g_strdup (info->path),
    .format = g_strdup (info->format),
    .sample_type = g_strdup (tl_sample_name (info->type)),
    .angles_source = g_strdup (info->angles_source),
    .n_projections = info->n_projections,
    .n_rows = info->n_rows,
    .n_cols = info->n_cols,
    .n_flats = info->n_flats,
    .n_flats_before = info->n_flats_before,
    .n_darks = info->n_darks,
    .first_angle_deg = first,
    .last_angle_deg = last,
    .step_deg = info->n_projections > 1
                    ? (last - first) / (double)(info->n_projections - 1)
                    : 0,
    .pixel_size_um = info->pixel_size_um,
    .covers_turn = info->covers_turn,
    .is_attenuation = info->is_attenuation,
    .notes = g_strdupv ((char **)info->notes),
  };
  return summary;
}

void
tl_scan_summary_free (TlScanSummary *summary)
{
  if (summary == NULL)
    return;
  g_free (summary->path);
  g_free (summary->format);
  g_free (summary->sample_type);
  g_free (summary->angles_source);
  g_strfreev (summary->notes);
  g_free (summary);
}
