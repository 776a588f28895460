#include "app/display/preview-scheduler.h"

/* Milliseconds: whole pictures this fast are made during a drag, 20 per second.
 */
#define MAX_WHOLE_MS 50.0

/* The first picture also makes plans and tables, so that a second one is made
 * whole if the first took up to so many milliseconds. */
#define MAX_FIRST_MS 150.0

/* Milliseconds that a reduced picture may take, so that 10 per second are shown
 * even if other programs use the machine. */
#define REDUCED_MS 60.0

/* The stages before the first one that ran keep their old times: their results
 * were reused. */
static void
note_stages (TlPreviewScheduler *scheduler, const TlReconTimes *times)
{
  guint k = 0;
  while (k < TL_N_STAGES && times->stage_ms[k] <= 0)
    k++;
  for (; k < TL_N_STAGES; k++)
    scheduler->stage_ms[k] =
        k == TL_STAGE_UPLOAD ? times->load_ms : times->stage_ms[k];
}

void
tl_preview_scheduler_note (TlPreviewScheduler *scheduler, double pitch,
                           const TlReconTimes *times, double backproject_ms)
{
  const double total_ms = times->read_ms + times->load_ms + times->compute_ms;
  scheduler->rest_ms = MAX (total_ms - backproject_ms, 0);
  note_stages (scheduler, times);
  if (pitch > 1)
    {
      scheduler->reduced_sums_ms = backproject_ms * pitch * pitch;
      return;
    }
  scheduler->n_whole++;
  scheduler->whole_ms = total_ms;
  scheduler->whole_sums_ms = backproject_ms;
}

gboolean
tl_preview_scheduler_allows (const TlPreviewScheduler *scheduler, double part)
{
  return scheduler->whole_ms + part * scheduler->whole_sums_ms <= MAX_WHOLE_MS;
}

/* Reduction shortens only the back-projection. If the other stages alone exceed
 * the limit, the back-projection gets a quarter of it. */
static double
find_wanted_ms (const TlPreviewScheduler *scheduler)
{
  return MAX (REDUCED_MS - scheduler->rest_ms, REDUCED_MS / 4);
}

static double
find_sums_ms (const TlPreviewScheduler *scheduler)
{
  return scheduler->reduced_sums_ms > 0 ? scheduler->reduced_sums_ms
                                        : scheduler->whole_sums_ms;
}

/* Returns: the least reduction factor, at least @min, that brings a
 * back-projection of @sums_ms down to @wanted_ms */
static guint
choose_reduction (double sums_ms, double wanted_ms, guint min)
{
  guint reduction = min;
  while (reduction < TL_PREVIEW_MAX_REDUCTION
         && sums_ms / (reduction * reduction) > wanted_ms)
    reduction++;
  return reduction;
}

double
tl_preview_scheduler_estimate_s (const TlPreviewScheduler *scheduler,
                                 double part)
{
  double ms = part
              * (scheduler->whole_sums_ms > 0 ? scheduler->whole_sums_ms
                                              : scheduler->reduced_sums_ms);
  for (guint k = 0; k < TL_N_STAGES; k++)
    ms += k == TL_STAGE_BACKPROJECT ? 0 : scheduler->stage_ms[k];
  return ms / 1e3;
}

guint
tl_preview_scheduler_choose (const TlPreviewScheduler *scheduler)
{
  const double wanted_ms = find_wanted_ms (scheduler);
  if (scheduler->whole_ms
          <= (scheduler->n_whole > 1 ? MAX_WHOLE_MS : MAX_FIRST_MS)
      || scheduler->whole_sums_ms <= wanted_ms)
    return 0;
  return choose_reduction (find_sums_ms (scheduler), wanted_ms, 2);
}

guint
tl_preview_scheduler_choose_subsampling (const TlPreviewScheduler *scheduler,
                                         TlStage stage)
{
  double correct_ms = 0;
  guint every = 1;
  for (guint k = stage; k < TL_STAGE_TRANSFORM; k++)
    correct_ms += scheduler->stage_ms[k];
  while (every < TL_PREVIEW_MAX_SUBSAMPLING
         && correct_ms / every > (every == 1 ? REDUCED_MS : REDUCED_MS / 2))
    every *= 2;
  return every;
}

guint
tl_preview_scheduler_choose_subsampled (const TlPreviewScheduler *scheduler,
                                        guint every)
{
  return choose_reduction (find_sums_ms (scheduler) / every, REDUCED_MS / 2, 2);
}

guint
tl_preview_scheduler_choose_part (const TlPreviewScheduler *scheduler,
                                  double part)
{
  const double sums_ms = find_sums_ms (scheduler);
  const double background_ms =
      sums_ms / (TL_PREVIEW_MAX_REDUCTION * TL_PREVIEW_MAX_REDUCTION);
  return choose_reduction (part * sums_ms,
                           find_wanted_ms (scheduler) - background_ms, 1);
}
