/* What has been requested from the worker and what has been answered: numbers
 * the jobs and knows whether a picture is awaited. Main thread only. */
#pragma once

#include "app/worker/worker.h"

#include <glib-object.h>

#define TL_TYPE_REQUESTS (tl_requests_get_type ())
G_DECLARE_FINAL_TYPE (TlRequests, tl_requests, TL, REQUESTS, GObject)

/* Properties, with explicit notify:
 *   "busy"   boolean, read-only: a scan or a picture is requested and not yet
 *            answered, or follows by tl_requests_push_later()
 *   "awaited"  boolean, read-only: the same, but for a picture that grows by
 *            itself
 *   "fetch"  boolean: the worker copies the pixels to host memory, because the
 *            screen cannot use the device's memory or a view reads pixel values
 *   "measures"  boolean: the worker measures how much a slice that grows has
 *            changed
 */
TlRequests *tl_requests_new (TlReplyFunc func, gpointer user_data);

/** tl_requests_stop: Ends the worker's thread; no reply comes afterwards, and
 * jobs that are pushed while the session ends are dropped. */
void tl_requests_stop (TlRequests *requests);

/** tl_requests_make_job: Returns: (transfer full): a job with the next serial,
 * for the scan that is open; @recipe, which is resolved for it, and @path are
 * copied */
TlJob *tl_requests_make_job (TlRequests *requests, TlJobKind kind,
                             const TlRecipe *recipe, const char *path);

/** tl_requests_push: Sends @job (transfer full). A scan or a picture becomes
 * the newest request. */
void tl_requests_push (TlRequests *requests, TlJob *job);

/** tl_requests_push_later: Calls @func, which may push a request, once no
 * request has been pushed for @ms milliseconds. */
void tl_requests_push_later (TlRequests *requests, guint ms, GSourceFunc func,
                             gpointer user_data);
/** tl_requests_is_delayed: Returns: whether tl_requests_push_later() still has
 * a function to call */
gboolean tl_requests_is_delayed (TlRequests *requests);

/** tl_requests_note_answer: The request @serial, or a newer one, is answered.
 */
void tl_requests_note_answer (TlRequests *requests, guint64 serial);

/** tl_requests_note_failure: The newest request is answered by an error; @why:
 * its message */
void tl_requests_note_failure (TlRequests *requests, const char *why);
/** tl_requests_count_failures: Returns: how many newest requests have failed */
guint tl_requests_count_failures (TlRequests *requests);
/** tl_requests_get_failure: Returns: (transfer none) (nullable): why the last
 * of them did */
const char *tl_requests_get_failure (TlRequests *requests);

/** tl_requests_get_newest: Returns: the serial of the newest request for a scan
 * or a picture */
guint64 tl_requests_get_newest (TlRequests *requests);
gboolean tl_requests_is_busy (TlRequests *requests);
/** tl_requests_is_awaited: Returns: property "awaited" */
gboolean tl_requests_is_awaited (TlRequests *requests);

/** tl_requests_get_scan: Returns: the serial of the job that opened the scan
 * which is open: a number unique to each opening; 0 before the first */
guint64 tl_requests_get_scan (TlRequests *requests);
void tl_requests_set_scan (TlRequests *requests, guint64 serial);

/** tl_requests_get_worker: Returns: (transfer none): for its background tasks
 */
TlWorker *tl_requests_get_worker (TlRequests *requests);
