/* Exports a range of slices in the background. */
#include "app/session/session.h"

#include "app/session/session-private.h"

#include "data/write/writer.h"

#include <glib/gi18n.h>

void
tl_session_export (TlSession *session, const char *folder, guint first,
                   guint last)
{
  g_return_if_fail (TL_IS_SESSION (session));
  g_return_if_fail (folder != NULL);
  if (!tl_scan_source_is_open (session->source) || session->export_serial != 0
      || first > last
      || last >= tl_scan_source_get_summary (session->source)->n_rows)
    {
      const char *why =
          !tl_scan_source_is_open (session->source) ? _ ("no scan is open")
          : session->export_serial != 0 ? _ ("an export is already running")
                                        : _ ("there are no such slices");
      tl_messages_warn (session->messages, FALSE,
                        _ ("The slices cannot be exported: %s"), why);
      return;
    }
  TlJob *job = tl_requests_make_job (
      session->requests, TL_JOB_EXPORT,
      tl_parameters_get_recipe (session->parameters), folder);
  job->first_row = first;
  job->n_rows = (size_t)last - first + 1;
  job->cancellable = g_cancellable_new ();
  session->export_serial = job->serial;
  session->export_cancellable = g_object_ref (job->cancellable);
  session->n_export_slices = last - first + 1;
  session->progress = 0;
  g_free (session->export_folder);
  session->export_folder = g_strdup (folder);
  tl_messages_dismiss (session->messages);
  tl_requests_push (session->requests, job);
  g_object_notify (G_OBJECT (session), "exporting");
  g_object_notify (G_OBJECT (session), "progress");
}

gboolean
tl_session_has_room (TlSession *session, const char *folder, guint first,
                     guint last)
{
  g_return_val_if_fail (TL_IS_SESSION (session) && folder != NULL, FALSE);
  g_return_val_if_fail (first <= last, FALSE);
  const size_t n_pixels =
      (size_t)(tl_session_get_slice_bytes (session) / sizeof (float));
  return n_pixels == 0
         || tl_writer_check_room (folder, first, (size_t)last - first + 1, 1,
                                  n_pixels, NULL, NULL);
}

char *
tl_session_dup_progress (TlSession *session)
{
  g_return_val_if_fail (TL_IS_SESSION (session), NULL);
  const guint n = session->n_export_slices;
  /* translators: so many are written, of so many */
  return g_strdup_printf (g_dngettext (NULL, "Exporting: %.0f of %u slice",
                                       "Exporting: %.0f of %u slices", n),
                          session->progress * n, n);
}

void
tl_session_cancel_export (TlSession *session)
{
  g_return_if_fail (TL_IS_SESSION (session));
  if (session->export_cancellable != NULL)
    g_cancellable_cancel (session->export_cancellable);
}

void
tl_session_take_export_reply (TlSession *session, TlReply *reply)
{
  if (reply->serial != session->export_serial)
    return;
  if (session->progress != reply->progress && reply->error == NULL)
    {
      session->progress = reply->progress;
      g_object_notify (G_OBJECT (session), "progress");
    }
  if (reply->progress < 1)
    return;
  session->export_serial = 0;
  g_clear_object (&session->export_cancellable);
  if (reply->error == NULL)
    {
      const size_t n = reply->export_report.n_slices;
      g_autofree char *limit =
          tl_pipeline_describe_limit (&reply->export_report.pipeline);
      tl_messages_clear_warning (session->messages, TRUE);
      tl_messages_tell (session->messages,
                        g_dngettext (NULL, "%zu slice written to %s, %s",
                                     "%zu slices written to %s, %s", n),
                        n, session->export_folder, limit);
    }
  else if (!g_error_matches (reply->error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    tl_messages_warn (session->messages, TRUE, "%s", reply->error->message);
  g_object_notify (G_OBJECT (session), "exporting");
}
