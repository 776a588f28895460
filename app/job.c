#include "app/job.h"

void
tl_job_free (TlJob *job)
{
  if (job == NULL)
    return;
  g_free (job->path);
  g_clear_pointer (&job->recipe, tl_recipe_free);
  g_clear_object (&job->cancellable);
  g_free (job);
}

void
tl_reply_free (TlReply *reply)
{
  if (reply == NULL)
    return;
  g_clear_error (&reply->error);
  g_clear_pointer (&reply->scan, tl_scan_summary_free);
  g_clear_pointer (&reply->recipe, tl_recipe_free);
  g_clear_pointer (&reply->frame, tl_frame_unref);
  g_clear_pointer (&reply->detail, tl_frame_unref);
  tl_precision_cost_clear (&reply->cost);
  g_free (reply->lost_engine);
  g_free (reply->lost_reason);
  g_free (reply->misfits);
  g_free (reply->engine);
  g_free (reply->device);
  g_free (reply);
}
