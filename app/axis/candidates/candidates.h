/* Candidates for the axis: the slice that is wanted, about centres beside each
 * other, to choose from by eye and by figures.
 *
 * Main thread only. While the page of the candidates is shown
 * (tl_session_set_page()), each gets a small picture of what is visible, from
 * the middle outwards, and when all have one, the figures of its region at full
 * resolution. A change of a parameter, of the slice or of what is visible makes
 * anew what depends on it; until then the old pictures stay. What is there
 * already of the same centre is kept. While another page is shown nothing is
 * made.
 */
#pragma once

#include "app/axis/candidates/candidate-metric.h"
#include "app/session/session.h"

G_BEGIN_DECLS

#define TL_CANDIDATES_MAX 121
#define TL_CANDIDATES_MIN_STEP 0.001
#define TL_CANDIDATES_MAX_STEP 1000.0

/* What the figures are of. */
typedef enum
{
  TL_CANDIDATES_WHOLE,   /* the disc that projections see, less a rim */
  TL_CANDIDATES_VISIBLE, /* what is visible of each */
  TL_N_CANDIDATES_REGIONS
} TlCandidatesRegion;

/* "whole", "visible"; %NULL-terminated. */
extern const char
    *const tl_candidates_region_names[TL_N_CANDIDATES_REGIONS + 1];

/* One of them; a plain value, lent until the next change. */
typedef struct
{
  double centre_col;
  TlFrame *frame; /* (nullable): [row][col], attenuation per pixel length, host
                     memory; %NULL: none yet */
  double row, col, pitch; /* where the frame's first pixel has its centre, and
                             from one to the next: in pixels of the slice */
  gboolean is_old;        /* the frame is of what was wanted before, or of a
                             centre nearby: its own is on its way */
  gboolean has_value;     /* the figures are there */
  double value;           /* of "metric", as TlCandidateMetric says; NaN without
                           */
  double score;           /* 0, the worst of all that have a value, to 1, the
                             best; 0 without */
} TlCandidate;

#define TL_TYPE_CANDIDATES (tl_candidates_get_type ())
G_DECLARE_FINAL_TYPE (TlCandidates, tl_candidates, TL, CANDIDATES, GObject)

/* Properties, all with explicit notify:
 *   "n"        uint: how many, 1 … TL_CANDIDATES_MAX; 9 at first
 *   "step"     double: columns from one to the next; as it is set, but no more
 *              than leaves all on the detector
 *   "middle"   double: centre of candidate n / 2; kept where all are on the
 *              detector. It is the session's when the page is entered and when
 *              that leaves what is covered
 *   "region"   uint: TlCandidatesRegion
 *   "metric"   uint: TlCandidateMetric, what value and score are of
 *   "best"     int, read-only: that of score 1; -1 as long as fewer than two
 *              have a value, or all the same, and where quarters of the slice
 *              do not agree on it, tl_candidates_rate()
 *   "chosen"   int, read-only: whose centre is the session's; -1: none
 *   "progress" double, read-only: of what is to be made, 0 … 1
 *   "busy"     boolean, read-only: something of it is on its way
 *
 * Signal "changed" (guint index): the candidate has another centre, picture,
 * value or score. With another "n" all have, and only that is notified.
 */

/** tl_session_get_candidates: Returns: (transfer none): the session's own. */
TlCandidates *tl_session_get_candidates (TlSession *session);

guint tl_candidates_get_n (TlCandidates *self);
void tl_candidates_set_n (TlCandidates *self, guint n);
double tl_candidates_get_step (TlCandidates *self);
void tl_candidates_set_step (TlCandidates *self, double step_col);
double tl_candidates_get_middle (TlCandidates *self);
void tl_candidates_set_middle (TlCandidates *self, double middle_col);
TlCandidatesRegion tl_candidates_get_region (TlCandidates *self);
void tl_candidates_set_region (TlCandidates *self, TlCandidatesRegion region);
TlCandidateMetric tl_candidates_get_metric (TlCandidates *self);
void tl_candidates_set_metric (TlCandidates *self, TlCandidateMetric metric);
int tl_candidates_get_best (TlCandidates *self);
int tl_candidates_get_chosen (TlCandidates *self);

/** tl_candidates_metric_tells: Returns: %FALSE if "metric" says nothing of the
 * axis, of such a scan: then none is the best. */
gboolean tl_candidates_metric_tells (TlCandidates *self);

/** tl_candidates_get: Returns: (transfer none): of @index below "n". */
const TlCandidate *tl_candidates_get (TlCandidates *self, guint index);

/** tl_candidates_get_slice_size: Returns: rows, and columns, of the slice that
 * places are counted in; the same for all; 0 without a scan. */
size_t tl_candidates_get_slice_size (TlCandidates *self);

/**
 * tl_candidates_set_visible:
 * @visible: of the slice in each tile, in pixels of the slice; zeroed: all of
 *   it, in some 200 pixels a side
 *
 * As often as it changes. What is not of the slice is not made.
 */
void tl_candidates_set_visible (TlCandidates *self, const TlVisible *visible);

/**
 * tl_candidates_finer:
 * @index: the middle from now on; -1: the best, or else the chosen one, or else
 *   the middle as it is
 *
 * The next smaller step of 1, 2, 5, 10 and so on.
 */
void tl_candidates_finer (TlCandidates *self, int index);
/** tl_candidates_coarser: As tl_candidates_finer(), the next larger one. */
void tl_candidates_coarser (TlCandidates *self, int index);

/**
 * tl_candidates_adopt:
 *
 * Its centre becomes the session's, in one step of the history. The candidates
 * stay: what was clicked on is not moved from under the pointer.
 */
void tl_candidates_adopt (TlCandidates *self, guint index);

G_END_DECLS
