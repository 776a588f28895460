/* Runs the axis estimators for TlCentreSearch in a thread with its own engine,
 * so that pictures can be made meanwhile. */
#pragma once

#include "app/axis/centre-row.h"
#include "app/axis/find-centre.h"

/**
 * TlCentrePartFunc:
 * @source: of the task
 * @answer: the estimates so far, without a consensus. Its contents may be
 *   stolen
 *
 * Called in the main thread after each estimate, unless the task was cancelled.
 */
typedef void (*TlCentrePartFunc) (GObject *source, TlCentreAnswer *answer);

/**
 * tl_centre_thread_start:
 * @source: (nullable) (type GObject): of the task
 * @row: (transfer full)
 * @engine: a name as in a recipe; host replaces it if it cannot be opened, is
 *   lost or has too little memory
 * @cancellable: a running estimator still finishes
 *
 * Returns: (transfer full): the thread, see tl_background_run()
 */
GThread *tl_centre_thread_start (gpointer source, TlCentreRow *row,
                                 const char *engine, GCancellable *cancellable,
                                 TlCentrePartFunc func,
                                 GAsyncReadyCallback callback,
                                 gpointer user_data);

/** tl_centre_thread_finish: @answer: (out caller-allocates): complete, to be
 * cleared even after an error; columns are those of the middle row */
gboolean tl_centre_thread_finish (GAsyncResult *result, TlCentreAnswer *answer,
                                  GError **error);
