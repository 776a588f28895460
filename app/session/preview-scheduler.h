/* How long pictures take, and by how much one has to be reduced to follow the
 * hand. Plain arithmetic. */
#pragma once

#include "app/recon/recon.h"

G_BEGIN_DECLS

/* Beyond it there is nothing to see any more. */
#define TL_PREVIEW_MAX_REDUCTION 8

/* Beyond it there are more rays than object. */
#define TL_PREVIEW_MAX_SUBSAMPLING 8

/* Milliseconds of the last pictures; a plain value, zeroed: none yet. Reduced
 * pictures count by themselves: a pixel of theirs takes longer. */
typedef struct
{
  double whole_ms;        /* all of the last whole picture */
  double whole_sums_ms;   /* back-projecting it */
  double reduced_sums_ms; /* back-projecting, if as many pixels were reduced */
  double rest_ms;         /* what the last picture took besides */
  double stage_ms[TL_N_STAGES]; /* of the last run of each */
} TlPreviewScheduler;

/**
 * tl_preview_scheduler_note:
 * @pitch: of a finished picture's grid; 1: a whole picture
 * @backproject_ms: of its compute_ms
 *
 * Subsampled pictures are not told of.
 */
void tl_preview_scheduler_note (TlPreviewScheduler *scheduler, double pitch,
                                const TlReconTimes *times,
                                double backproject_ms);

/**
 * tl_preview_scheduler_allows:
 * @part: pixels of it, of those of the whole picture
 *
 * Returns: a part of the picture can be made with each whole one, and they
 *   still follow the hand
 */
gboolean tl_preview_scheduler_allows (const TlPreviewScheduler *scheduler,
                                      double part);

/**
 * tl_preview_scheduler_choose:
 *
 * Returns: by what the next picture is to be reduced, for tl_grid_reduced(), as
 *   long as the hand moves; 0: not at all
 */
guint tl_preview_scheduler_choose (const TlPreviewScheduler *scheduler);

/**
 * tl_preview_scheduler_choose_subsampling:
 * @stage: the first that the next picture has to run again
 *
 * Returns: of how many projections one is enough, as long as the hand moves,
 *   for the corrections to follow it: they do not become less by pixels; 1: all
 */
guint
tl_preview_scheduler_choose_subsampling (const TlPreviewScheduler *scheduler,
                                         TlStage stage);

/** tl_preview_scheduler_choose_subsampled: As tl_preview_scheduler_choose(), of
 * one projection in @every; some reduction there always is. */
guint
tl_preview_scheduler_choose_subsampled (const TlPreviewScheduler *scheduler,
                                        guint every);

/**
 * tl_preview_scheduler_choose_part:
 * @part: as above
 *
 * Returns: by what a part is to be reduced, that comes with a picture which is
 *   reduced as far as it goes; 1: not at all
 */
guint tl_preview_scheduler_choose_part (const TlPreviewScheduler *scheduler,
                                        double part);

G_END_DECLS
