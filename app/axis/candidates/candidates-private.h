/* What the files of the candidates share. */
#pragma once

#include "app/axis/candidates/candidate-slice.h"
#include "app/axis/candidates/candidates.h"

G_BEGIN_DECLS

/* One of them, and what came of it. */
typedef struct
{
  TlCandidate said;         /* its frame is that of the result */
  TlCandidateResult result; /* of the present view, or old */
} TlCandidateTile;

struct _TlCandidates
{
  GObject parent;
  TlSession *session; /* (nullable): a weak pointer: it owns this */

  guint n;
  double step_col, middle_col;
  TlCandidatesRegion region;
  TlCandidateMetric metric;
  TlVisible visible;
  int best, chosen;

  gboolean is_shown;   /* the page is */
  gboolean is_moved;   /* tiles have other places than the task knows */
  double followed_col; /* the session's centre, when it was looked at last */
  guint64 scan_serial; /* of the scan that the tiles are of */
  char *wanted;        /* (nullable): what they are made with, in words */
  size_t slice_size;
  TlCandidateView view;   /* what they are, or are to become */
  TlCandidateTile *tiles; /* [n] */

  guint n_steps, n_done; /* of the task; as many: there is none */
};

/* candidates-task.c */

/** tl_candidates_update: What is there of what is wanted stays, and the rest is
 * asked for, or nothing while another page is shown. */
void tl_candidates_update (TlCandidates *self);

/** tl_candidates_stop: Nothing is asked for any more. */
void tl_candidates_stop (TlCandidates *self);

/** tl_candidates_rate_tiles: After a change of "metric", or of the figures. */
void tl_candidates_rate_tiles (TlCandidates *self);

/* candidates-place.c */

/** tl_candidates_fit: "step" and "middle" leave all on the detector. */
void tl_candidates_fit (TlCandidates *self);

/* candidates.c */

/** tl_candidates_free_tiles: @tiles: (transfer full): [@n] */
void tl_candidates_free_tiles (TlCandidateTile *tiles, guint n);

/* These notify, and do nothing else. */
void tl_candidates_take_step (TlCandidates *self, double step_col);
void tl_candidates_take_middle (TlCandidates *self, double middle_col);

/** tl_candidates_emit: Signal "changed". */
void tl_candidates_emit (TlCandidates *self, guint index);

/** tl_candidates_find_chosen: After a change of any centre. */
void tl_candidates_find_chosen (TlCandidates *self);

/** tl_candidates_take_progress: @n_done of @n_steps are done. */
void tl_candidates_take_progress (TlCandidates *self, guint n_steps,
                                  guint n_done);

/** tl_candidates_take_best: @best: -1: none */
void tl_candidates_take_best (TlCandidates *self, int best);

G_END_DECLS
