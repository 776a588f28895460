#include "app/session/preview-scheduler.h"

/* A whole picture that takes no longer than this follows the hand: 20 a
 * second. */
#define MAX_WHOLE_MS 50.0

/* What a reduced one is to take: 10 a second have to come also where others use
 * the machine. */
#define REDUCED_MS 60.0

/* From the first one that ran, those that did not are not wanted any more. */
static void
note_stages (TlPace *pace, const TlReconTimes *times)
{
  guint k = 0;
  while (k < TL_N_STAGES && times->stage_ms[k] <= 0)
    k++;
  for (; k < TL_N_STAGES; k++)
    pace->stage_ms[k] =
        k == TL_STAGE_UPLOAD ? times->load_ms : times->stage_ms[k];
}

void
tl_pace_note (TlPace *pace, double pitch, const TlReconTimes *times,
              double backproject_ms)
{
  const double total_ms = times->read_ms + times->load_ms + times->compute_ms;
  pace->rest_ms = MAX (total_ms - backproject_ms, 0);
  note_stages (pace, times);
  if (pitch > 1)
    {
      pace->reduced_sums_ms = backproject_ms * pitch * pitch;
      return;
    }
  pace->whole_ms = total_ms;
  pace->whole_sums_ms = backproject_ms;
}

gboolean
tl_pace_allows (const TlPace *pace, double part)
{
  return pace->whole_ms + part * pace->whole_sums_ms <= MAX_WHOLE_MS;
}

/* Only the sums become less. Where the rest alone takes too long, they are not
 * to be a large part of it. */
static double
find_wanted_ms (const TlPace *pace)
{
  return MAX (REDUCED_MS - pace->rest_ms, REDUCED_MS / 4);
}

static double
find_sums_ms (const TlPace *pace)
{
  return pace->reduced_sums_ms > 0 ? pace->reduced_sums_ms
                                   : pace->whole_sums_ms;
}

/* Returns: by what @sums_ms are to be reduced. */
static guint
choose_reduction (double sums_ms, double wanted_ms, guint min)
{
  guint reduction = min;
  while (reduction < TL_PACE_MAX_REDUCTION
         && sums_ms / (reduction * reduction) > wanted_ms)
    reduction++;
  return reduction;
}

guint
tl_pace_choose (const TlPace *pace)
{
  const double wanted_ms = find_wanted_ms (pace);
  if (pace->whole_ms <= MAX_WHOLE_MS || pace->whole_sums_ms <= wanted_ms)
    return 0;
  return choose_reduction (find_sums_ms (pace), wanted_ms, 2);
}

guint
tl_pace_choose_thinning (const TlPace *pace, TlStage stage)
{
  double correct_ms = 0;
  guint every = 1;
  for (guint k = stage; k < TL_STAGE_TRANSFORM; k++)
    correct_ms += pace->stage_ms[k];
  while (every < TL_PACE_MAX_THINNING
         && correct_ms / every > (every == 1 ? REDUCED_MS : REDUCED_MS / 2))
    every *= 2;
  return every;
}

guint
tl_pace_choose_thinned (const TlPace *pace, guint every)
{
  return choose_reduction (find_sums_ms (pace) / every, REDUCED_MS / 2, 2);
}

guint
tl_pace_choose_part (const TlPace *pace, double part)
{
  const double sums_ms = find_sums_ms (pace);
  const double background_ms =
      sums_ms / (TL_PACE_MAX_REDUCTION * TL_PACE_MAX_REDUCTION);
  return choose_reduction (part * sums_ms,
                           find_wanted_ms (pace) - background_ms, 1);
}
