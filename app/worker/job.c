#include "app/worker/job.h"

void
tl_job_free (TlJob *job)
{
  if (job == NULL)
    return;
  g_free (job->path);
  g_clear_pointer (&job->held, tl_held_unref);
  g_clear_pointer (&job->level, tl_held_copy_unref);
  g_clear_pointer (&job->recipe, tl_recipe_free);
  g_clear_pointer (&job->anew, tl_recipe_free);
  g_clear_pointer (&job->compared, tl_recipe_free);
  g_clear_object (&job->cancellable);
  g_clear_object (&job->reading);
  if (job->task.free_state != NULL)
    job->task.free_state (job->task.state);
  g_free (job);
}

void
tl_reply_clear_result (TlReply *reply)
{
  if (reply->result != NULL && reply->free_result != NULL)
    reply->free_result (reply->result);
  reply->result = NULL;
  g_clear_pointer (&reply->scan, tl_scan_summary_free);
  g_clear_pointer (&reply->recipe, tl_recipe_free);
  g_clear_pointer (&reply->frame, tl_frame_unref);
  g_clear_pointer (&reply->detail, tl_frame_unref);
  tl_pair_clear (&reply->pair);
  tl_plane_set_clear (&reply->planes);
  g_clear_pointer (&reply->compared_slice, tl_frame_unref);
  tl_compared_planes_clear (&reply->compared_planes);
  tl_precision_cost_clear (&reply->cost);
  g_clear_pointer (&reply->misfits, g_free);
}

void
tl_reply_free (TlReply *reply)
{
  if (reply == NULL)
    return;
  g_clear_error (&reply->error);
  g_clear_pointer (&reply->held, tl_held_unref);
  g_clear_pointer (&reply->groups, g_ptr_array_unref);
  g_clear_pointer (&reply->compared, tl_recipe_free);
  tl_reply_clear_result (reply);
  g_free (reply->lost_engine);
  g_free (reply->lost_reason);
  g_free (reply->engine);
  g_free (reply->device);
  g_free (reply);
}

const char *
tl_reply_find_slow_step (const TlReply *reply, double *ms)
{
  const char *slow = "read";
  double all_ms = 0;
  *ms = reply->times.read_ms;
  for (guint k = 0; k < TL_N_STAGES; k++)
    {
      const double step_ms = k == TL_STAGE_UPLOAD ? reply->times.load_ms
                                                  : reply->times.stage_ms[k];
      all_ms += reply->times.stage_ms[k];
      if (step_ms > *ms)
        {
          *ms = step_ms;
          slow = tl_stage_names[k];
        }
    }
  /* The engine of the scan does not time projections: another engine corrects
   * them. */
  if (all_ms == 0 && reply->times.compute_ms > *ms)
    {
      *ms = reply->times.compute_ms;
      slow = tl_stage_names[TL_STAGE_CORRECT];
    }
  return slow;
}
