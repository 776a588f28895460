/* A scan in words, for those who show it: outlives the reader. */
#pragma once

#include "data/reader.h"

G_BEGIN_DECLS

/* All strings belong to it. */
typedef struct
{
  char *path;
  char *format;
  char *sample_type;
  char *angles_source;
  size_t n_projections, n_rows, n_cols;
  size_t n_flats, n_flats_before, n_darks;
  double first_angle_deg, last_angle_deg;
  double step_deg;      /* mean; 0 for one projection */
  double pixel_size_um; /* 0 where unknown */
  gboolean covers_turn, is_attenuation;
  char **notes; /* %NULL-terminated */
} TlScanSummary;

/** tl_scan_summary_new: Returns: (transfer full): a copy of what matters. */
TlScanSummary *tl_scan_summary_new (const TlScanInfo *info);
void tl_scan_summary_free (TlScanSummary *summary);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlScanSummary, tl_scan_summary_free)

G_END_DECLS
