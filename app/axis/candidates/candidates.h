/* Candidates for the axis: the slice reconstructed about several centres side
 * by side, to choose from by eye and by figures of merit.
 *
 * Main thread only. While the page of the candidates is shown
 * (tl_display_set_page()), each candidate gets a small picture of the visible
 * part, from the middle outwards. When all have one, the figures of its region
 * are computed at full resolution. A change of a parameter, the slice or the
 * visible part repeats what depends on it; the old pictures stay until then.
 * Results for an unchanged centre are kept. Nothing is made while another page
 * is shown. */
#pragma once

#include "app/axis/candidates/candidate-metric.h"
#include "app/session/session.h"

#define TL_CANDIDATES_MAX 121
#define TL_CANDIDATES_MIN_STEP 0.001
#define TL_CANDIDATES_MAX_STEP 1000.0

/* The region that is rated. */
typedef enum
{
  TL_CANDIDATES_WHOLE,   /* the disc seen by all projections, less a rim */
  TL_CANDIDATES_VISIBLE, /* the visible part of each */
  TL_N_CANDIDATES_REGIONS
} TlCandidatesRegion;

/* "whole", "visible"; %NULL-terminated. */
extern const char
    *const tl_candidates_region_names[TL_N_CANDIDATES_REGIONS + 1];

/* One candidate; a plain value, valid until the next change. */
typedef struct
{
  double centre_col;
  TlFrame *frame; /* (nullable): [row][col], attenuation per pixel length, host
                     memory; %NULL before the first */
  double row, col, pitch; /* centre of the frame's first pixel and distance
                             between its pixels, in pixels of the slice */
  gboolean is_old; /* the frame is of earlier parameters or of a nearby centre;
                      the right one is being made */
  gboolean has_value; /* the figures are computed */
  double value; /* of "metric", see TlCandidateMetric; NaN without figures */
  double score; /* from 0 for the worst to 1 for the best; 0 without figures */
} TlCandidate;

#define TL_TYPE_CANDIDATES (tl_candidates_get_type ())
G_DECLARE_FINAL_TYPE (TlCandidates, tl_candidates, TL, CANDIDATES, GObject)

/* Properties, read-only:
 *   "n"        uint: number of candidates, 1 … TL_CANDIDATES_MAX; 9 at first
 *   "step"     double: columns between neighbours, limited so that all centres
 *              are on the detector
 *   "middle"   double: centre of candidate n / 2, limited so that all centres
 *              are on the detector. It becomes the session's centre when that
 *              moves beyond the first or the last candidate, and when the page
 *              is entered while no candidate has it
 *   "region"   uint: TlCandidatesRegion
 *   "metric"   uint: TlCandidateMetric of value and score
 *   "best"     int: the candidate with score 1; -1 if fewer than two
 *              have a value, if all values are equal, or if the quarters of the
 *              slice disagree, tl_candidates_rate()
 *   "chosen"   int: the candidate with the session's centre; -1:
 *              none
 *   "progress" double: of the present work, 0 … 1
 *   "time-left" string: "about 20 s left"; "" while it is not known, so while
 *              pictures are made before figures
 *   "busy"     boolean: candidates are being made
 *
 * Signal "changed" (guint index): the candidate has a new centre, picture,
 * value or score. A change of "n" changes all and emits no signal.
 */

/** tl_session_get_candidates: Returns: (transfer none): the candidates of the
 * session, made on first use */
TlCandidates *tl_session_get_candidates (TlSession *session);

guint tl_candidates_get_n (TlCandidates *self);
void tl_candidates_set_n (TlCandidates *self, guint n);
double tl_candidates_get_step (TlCandidates *self);
void tl_candidates_set_step (TlCandidates *self, double step_col);
TlCandidatesRegion tl_candidates_get_region (TlCandidates *self);
void tl_candidates_set_region (TlCandidates *self, TlCandidatesRegion region);
TlCandidateMetric tl_candidates_get_metric (TlCandidates *self);
void tl_candidates_set_metric (TlCandidates *self, TlCandidateMetric metric);
int tl_candidates_get_best (TlCandidates *self);
int tl_candidates_get_chosen (TlCandidates *self);

/** tl_candidates_metric_tells: Returns: %FALSE if "metric" does not depend on
 * the axis for such a scan; "best" is -1 then */
gboolean tl_candidates_metric_tells (TlCandidates *self);

/** tl_candidates_get: Returns: (transfer none): the candidate @index, below
 * "n" */
const TlCandidate *tl_candidates_get (TlCandidates *self, guint index);

/** tl_candidates_get_slice_size: Returns: rows (and columns) of the slice in
 * whose pixels positions are given, the same for all; 0 without a scan */
size_t tl_candidates_get_slice_size (TlCandidates *self);

/**
 * tl_candidates_set_visible:
 * @visible: the visible part of the slice in each tile, in pixels of the slice;
 *   zeroed: all of it, in about 200 pixels per side
 *
 * Call it whenever the visible part changes. Parts outside the slice are not
 * made.
 */
void tl_candidates_set_visible (TlCandidates *self, const TlVisible *visible);

/**
 * tl_candidates_finer:
 * @index: becomes the middle; -1: the best, or else the chosen one, or else
 *   keep the middle
 *
 * Sets "step" to the next smaller value of the series 1, 2, 5, 10.
 */
void tl_candidates_finer (TlCandidates *self, int index);
/** tl_candidates_coarser: Sets "step" to the next larger value. @index: becomes
 * the middle; -1: the chosen one, or else the best, or else keep the middle */
void tl_candidates_coarser (TlCandidates *self, int index);

/** tl_candidates_adopt: Sets the session's centre to that of candidate @index,
 * in one step of the history. The candidates do not move, so that the clicked
 * one stays under the pointer. */
void tl_candidates_adopt (TlCandidates *self, guint index);
