/* Decides, from measured times, by how much pictures are reduced during a drag
 * so that they keep up with it. Plain arithmetic. */
#pragma once

#include "app/recon/recon.h"

/* A picture reduced further shows too little. */
#define TL_PREVIEW_MAX_REDUCTION 8

/* With fewer projections, streaks hide the object. */
#define TL_PREVIEW_MAX_SUBSAMPLING 8

/* Milliseconds of recent pictures; a plain value, zeroed before the first.
 * Reduced pictures are timed separately, because each of their pixels takes
 * longer. */
typedef struct
{
  guint n_whole;          /* whole pictures */
  double whole_ms;        /* total of the last whole picture */
  double whole_sums_ms;   /* its back-projection */
  double reduced_sums_ms; /* back-projection of the last reduced picture, scaled
                             to all pixels */
  double rest_ms;         /* last picture without back-projection */
  double stage_ms[TL_N_STAGES]; /* last run of each stage */
} TlPreviewScheduler;

/**
 * tl_preview_scheduler_note:
 * @pitch: grid pitch of a finished picture; 1: a whole picture
 * @backproject_ms: the back-projection's part of @times' compute_ms
 *
 * Records the times of a finished picture. Do not call it for subsampled
 * pictures.
 */
void tl_preview_scheduler_note (TlPreviewScheduler *scheduler, double pitch,
                                const TlReconTimes *times,
                                double backproject_ms);

/**
 * tl_preview_scheduler_allows:
 * @part: pixels of the part, relative to those of the whole picture
 *
 * Returns: whether a part for sharp zoom can be made with each whole picture
 *   and still keep up with a drag
 */
gboolean tl_preview_scheduler_allows (const TlPreviewScheduler *scheduler,
                                      double part);

/**
 * tl_preview_scheduler_estimate_s:
 * @part: pixels of a slice, relative to those of the whole picture
 *
 * Returns: seconds that a slice takes with all stages, without reading; 0
 *   before the first picture
 */
double tl_preview_scheduler_estimate_s (const TlPreviewScheduler *scheduler,
                                        double part);

/** tl_preview_scheduler_choose: Returns: the reduction for tl_grid_reduced()
 * of the next picture during a drag; 0: none */
guint tl_preview_scheduler_choose (const TlPreviewScheduler *scheduler);

/**
 * tl_preview_scheduler_choose_subsampling:
 * @stage: the first stage that the next picture has to run again
 *
 * Subsampling shortens the corrections, which a coarser grid does not.
 *
 * Returns: n if every n-th projection suffices during a drag; 1: all are used
 */
guint
tl_preview_scheduler_choose_subsampling (const TlPreviewScheduler *scheduler,
                                         TlStage stage);

/** tl_preview_scheduler_choose_subsampled: As tl_preview_scheduler_choose(),
 * for a picture of every @every-th projection; at least 2. */
guint
tl_preview_scheduler_choose_subsampled (const TlPreviewScheduler *scheduler,
                                        guint every);

/**
 * tl_preview_scheduler_choose_part:
 * @part: pixels of the part, relative to those of the whole picture
 *
 * Returns: the reduction of a part for sharp zoom that is made with a picture
 *   reduced by TL_PREVIEW_MAX_REDUCTION; 1: none
 */
guint tl_preview_scheduler_choose_part (const TlPreviewScheduler *scheduler,
                                        double part);
