/* Shows what fast precision costs in place of the slice, until the user ends
 * it, changes a parameter or opens another scan. The slice is kept, so that it
 * can be shown again without a new reconstruction. */
#include "app/session/display-private.h"

#include <glib/gi18n.h>

void
tl_display_update_paused (TlDisplay *display)
{
  tl_slice_comparison_set_paused (display->comparison,
                                  display->choice.picture != TL_PICTURE_SLICE
                                      || display->cost.map != NULL);
}

gboolean
tl_display_is_cost (TlDisplay *display, const TlReply *reply)
{
  return reply->serial == display->cost_serial;
}

void
tl_display_request_cost (TlDisplay *display)
{
  TlJob *job = tl_requests_make_job (
      display->requests, TL_JOB_COST,
      tl_parameters_get_recipe (display->parameters), NULL);
  job->cancellable = g_cancellable_new ();
  display->cost_serial = job->serial;
  g_set_object (&display->cost_cancellable, job->cancellable);
  tl_requests_push (display->requests, job);
}

void
tl_display_take_cost (TlDisplay *display, TlReply *reply)
{
  if (reply->cost.map == NULL || reply->serial != display->cost_serial)
    return;
  tl_precision_cost_clear (&display->cost);
  display->cost = reply->cost;
  reply->cost.map = NULL;
  g_free (display->caption);
  display->caption = tl_precision_cost_describe (&display->cost);
  tl_display_update_paused (display);
  g_object_notify (G_OBJECT (display), "caption");
}

void
tl_display_leave_cost (TlDisplay *display)
{
  const gboolean was_shown = display->cost.map != NULL;
  if (display->cost_serial == 0)
    return;
  g_cancellable_cancel (display->cost_cancellable);
  g_clear_object (&display->cost_cancellable);
  display->cost_serial = 0;
  tl_precision_cost_clear (&display->cost);
  g_clear_pointer (&display->caption, g_free);
  tl_display_update_paused (display);
  g_object_freeze_notify (G_OBJECT (display));
  g_object_notify (G_OBJECT (display), "precision-cost");
  if (was_shown)
    {
      g_object_notify (G_OBJECT (display), "caption");
      g_object_notify (G_OBJECT (display), "frame");
      tl_display_update_detail (display);
    }
  g_object_thaw_notify (G_OBJECT (display));
}

void
tl_display_set_precision_cost (TlDisplay *display, gboolean wanted)
{
  g_return_if_fail (TL_IS_DISPLAY (display));
  if (!wanted || display->cost_serial != 0)
    {
      if (!wanted)
        tl_display_leave_cost (display);
      return;
    }
  if (!tl_scan_source_is_open (display->source)
      || tl_scan_source_is_opening (display->source))
    {
      tl_messages_warn (display->messages, FALSE,
                        _ ("The error of fast precision cannot be shown: %s"),
                        tl_scan_source_is_opening (display->source)
                            ? _ ("a scan is being opened")
                            : _ ("no scan is open"));
      return;
    }
  tl_display_set_picture (display, TL_PICTURE_SLICE);
  tl_display_request_cost (display);
  g_object_notify (G_OBJECT (display), "precision-cost");
}

gboolean
tl_display_get_precision_cost (TlDisplay *display)
{
  g_return_val_if_fail (TL_IS_DISPLAY (display), FALSE);
  return display->cost_serial != 0;
}

gboolean
tl_display_shows_differences (TlDisplay *display)
{
  g_return_val_if_fail (TL_IS_DISPLAY (display), FALSE);
  return display->cost.map != NULL;
}
