/* A scan in words, for those who show it: outlives the reader. */
#pragma once

#include "data/read/survey.h"

G_BEGIN_DECLS

/* What the scan takes, in bytes. */
typedef struct
{
  double raw;     /* the scan with its fields, as samples */
  double slice;   /* what is in memory to make one slice, about */
  double volume;  /* all slices as an export writes them, 32-bit float */
  double machine; /* the memory there is */
} TlScanSizes;

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
  TlScanSizes sizes;
  char **notes; /* %NULL-terminated */

  /* of a look at a part of it, where there was one; without the columns */
  gboolean is_surveyed;
  TlSurveyReport survey;
} TlScanSummary;

/** tl_scan_summary_new: Returns: (transfer full): a copy of what matters. */
TlScanSummary *tl_scan_summary_new (const TlScanInfo *info);
void tl_scan_summary_free (TlScanSummary *summary);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlScanSummary, tl_scan_summary_free)

/**
 * tl_scan_summary_take_survey:
 * @report: (nullable): %NULL where the scan could not be read
 * @reason: (nullable): then, why
 *
 * What is odd goes to the notes.
 */
void tl_scan_summary_take_survey (TlScanSummary *summary,
                                  const TlSurveyReport *report,
                                  const GError *reason);

/** tl_scan_summary_is_fine: Returns: it was looked at and nothing is saturated
 * or dead. */
gboolean tl_scan_summary_is_fine (const TlScanSummary *summary);

G_END_DECLS
