/* What the user is told about a scan. A copy: it outlives the reader, and may
 * be passed to another thread. */
#pragma once

#include "data/read/scan/scan-info.h"
#include "data/read/survey/survey.h"

/* Memory and disk space, bytes. */
typedef struct
{
  double raw;     /* projections, flats and darks as stored samples */
  double slice;   /* memory needed to make one slice, about */
  double volume;  /* all slices as an export writes them, 32-bit float */
  double machine; /* physical memory */
} TlScanSizes;

/* The angles of a scan in ascending order, degrees. */
typedef struct
{
  gboolean in_order; /* so were they taken, or in descending order */
  double lowest, highest;
  /* Between neighbours; 0 for one projection. */
  double narrowest, mean, widest;
} TlAngleSteps;

/* Owns its strings. */
typedef struct
{
  char *path;
  char *format;
  char *sample_type;
  TlSampleType type; /* of the projections */
  char *angles_source;
  size_t n_projections, n_rows, n_cols;
  size_t *frames;     /* [n_projections], as of TlScanInfo */
  double *angles_deg; /* [n_projections] */
  size_t n_flats, n_flats_before, n_darks;
  size_t n_scans; /* in the file, as of TlScanInfo */
  double first_angle_deg, last_angle_deg;
  /* As the parameter "angles" means them: as of TlScanInfo, if the angles
   * between them are in order; otherwise those of the projections used. */
  double ends_deg[2];
  gboolean has_ends;          /* they are as of TlScanInfo */
  gboolean angles_are_spread; /* as of TlScanInfo */
  TlAngleSteps steps;
  double pixel_size_um; /* 0 where unknown */
  gboolean covers_turn, is_attenuation, are_counts;
  gboolean are_like_counts; /* floats without flats, too large for attenuation;
                               known after the survey */
  gboolean is_of_series;    /* as of TlScanInfo */
  gboolean is_growing;      /* it is still being taken */
  gboolean has_writer; /* it is a file that was still written when opened */
  gint64 changed_us;   /* when it was written last, as of change.h */
  TlScanSizes sizes;
  TlDecoding decoding;
  GPtrArray *notes;  /* of TlNote */
  GPtrArray *groups; /* (nullable): as of TlScanInfo */
  gboolean has_paths;
  /* Survey of a part of the scan; what it points to is not copied */
  gboolean is_surveyed;
  TlSurveyReport survey;
  char *odd[TL_N_ODD_KINDS];           /* nullable; as of TlOddFrames */
  char *odd_frames;                    /* all of them; "": none */
  char *odd_fields[TL_N_FIELD_STATES]; /* nullable; as of TlOddFrames */
} TlScanSummary;

/** tl_scan_summary_new: Returns: (transfer full) */
TlScanSummary *tl_scan_summary_new (const TlScanInfo *info);

/** tl_scan_summary_dup_range: Returns: (transfer full): the range of the angles
 * in words */
char *tl_scan_summary_dup_range (const TlScanSummary *summary);
/** tl_scan_summary_dup_angles: Returns: (transfer full): the range and the
 * steps of the angles in words */
char *tl_scan_summary_dup_angles (const TlScanSummary *summary);
/** tl_scan_summary_dup_example: Returns: (transfer full): the angles as the
 * parameter "angles" takes them, for all projections, also those left out; in
 * no order, or if the first or the last one is unknown: their range in words */
char *tl_scan_summary_dup_example (const TlScanSummary *summary);
void tl_scan_summary_free (TlScanSummary *summary);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlScanSummary, tl_scan_summary_free)

/**
 * tl_scan_summary_take_survey:
 * @report: (nullable): %NULL if the scan could not be read
 * @reason: (nullable): why it could not be read
 *
 * Adds the survey, and a note for each peculiarity in it.
 */
void tl_scan_summary_take_survey (TlScanSummary *summary,
                                  const TlSurveyReport *report,
                                  const GError *reason);

/**
 * tl_scan_check_frames:
 * @bytes: as of tl_frame_check_new()
 *
 * Looks for projections that were not written, or have less beam than others,
 * before they are used. Those that cannot be read are reported when they are
 * used.
 *
 * Returns: (transfer full) (element-type TlNote): the notes of a survey; none
 *   if it was cancelled
 */
GPtrArray *tl_scan_check_frames (TlReader *reader, guint64 bytes,
                                 GCancellable *cancellable);

/** tl_scan_summary_is_fine: Returns: whether the scan was surveyed, no pixel is
 * saturated or dead, and no projection, flat or dark is odd. */
gboolean tl_scan_summary_is_fine (const TlScanSummary *summary);
