/* Runs the axis estimators for TlCentreSearch in a thread with its own engine,
 * so that pictures can be made meanwhile. */
#pragma once

#include "app/axis/centre-row.h"
#include "app/worker/task.h"
#include "app/axis/find-centre.h"

/** tl_centre_row_task: Returns: a task of one step whose result is the
 * #TlCentreRow of the recipe's slice */
TlTask tl_centre_row_task (void);

typedef struct TlCentreThread TlCentreThread;

/**
 * TlCentreThreadFunc:
 * @answer: with one more estimate, or complete; the consensus has a sentence
 *   only if it is complete. Columns are those of the middle row. Its contents
 *   may be stolen
 * @error: (nullable): ends the search
 * @is_over: this is the last call
 *
 * Main thread.
 */
typedef void (*TlCentreThreadFunc) (TlCentreAnswer *answer, const GError *error,
                                    gboolean is_over, gpointer user_data);

/**
 * tl_centre_thread_new:
 * @row: (transfer full)
 * @engine: a name as in a recipe; host replaces it if it cannot be opened, is
 *   lost or has too little memory
 *
 * Starts the thread.
 */
TlCentreThread *tl_centre_thread_new (TlCentreRow *row, const char *engine,
                                      TlCentreThreadFunc func,
                                      gpointer user_data);

/** tl_centre_thread_cancel: Asks the thread to end. The last call of the
 * callback comes when the running estimator has finished. */
void tl_centre_thread_cancel (TlCentreThread *thread);

/** tl_centre_thread_free: Cancels and joins the thread; the callback is not
 * called afterwards. */
void tl_centre_thread_free (TlCentreThread *thread);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlCentreThread, tl_centre_thread_free)
