/* The structure of the candidates, and the functions shared by their files. */
#pragma once

#include "app/axis/candidates/candidate-slice.h"
#include "app/axis/candidates/candidates.h"

/* One candidate and its result. */
typedef struct
{
  TlCandidate shown;        /* its frame is lent by the result */
  TlCandidateResult result; /* of the present view, or outdated */
} TlCandidateTile;

struct _TlCandidates
{
  GObject parent;
  TlSession *
      session; /* (nullable): a weak pointer: the session owns the candidates */

  guint n;
  double step_col, middle_col;
  TlCandidatesRegion region;
  TlCandidateMetric metric;
  TlVisible visible;
  int best, chosen;

  gboolean is_shown;   /* their page is shown */
  gboolean is_moved;   /* tiles changed centres after the task was sent */
  double followed_col; /* the session's centre when it was last checked */
  guint64 scan_serial; /* of the tiles' scan */
  char *wanted;        /* (nullable): the parameters of the tiles, as text */
  size_t slice_size;
  TlCandidateView view;   /* of the tiles that are made now */
  TlCandidateTile *tiles; /* [n] */

  guint n_steps, n_done; /* of the task; equal: no task */
};

/* task.c */

/** tl_candidates_update: Keeps tiles that are up to date and requests the
 * others; requests none while another page is shown. */
void tl_candidates_update (TlCandidates *self);

/** tl_candidates_stop: Drops the task. */
void tl_candidates_stop (TlCandidates *self);

/** tl_candidates_rate_tiles: Updates values and scores after a change of
 * "metric" or of the figures. */
void tl_candidates_rate_tiles (TlCandidates *self);

/* place.c */

/** tl_candidates_fit: Limits "step" and "middle" so that all centres are on
 * the detector. */
void tl_candidates_fit (TlCandidates *self);

/* candidates.c */

/** tl_candidates_free_tiles: @tiles: (transfer full): [@n] */
void tl_candidates_free_tiles (TlCandidateTile *tiles, guint n);

/* These setters notify and do nothing else. */
void tl_candidates_take_step (TlCandidates *self, double step_col);
void tl_candidates_take_middle (TlCandidates *self, double middle_col);

/** tl_candidates_emit: Emits "changed". */
void tl_candidates_emit (TlCandidates *self, guint index);

/** tl_candidates_find_chosen: Updates "chosen" after a change of any centre. */
void tl_candidates_find_chosen (TlCandidates *self);

/** tl_candidates_take_progress: Updates "progress" and "busy": @n_done of
 * @n_steps are done. */
void tl_candidates_take_progress (TlCandidates *self, guint n_steps,
                                  guint n_done);

/** tl_candidates_take_best: Sets "best"; -1: none. */
void tl_candidates_take_best (TlCandidates *self, int best);
