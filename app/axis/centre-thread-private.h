/* The estimators of the axis in a thread of their own, with an engine of their
 * own, so that pictures go on: what TlCentreSearch runs. */
#pragma once

#include "app/axis/centre-row.h"
#include "app/worker/task.h"
#include "app/axis/find-centre.h"

G_BEGIN_DECLS

/** tl_centre_row_task: Returns: a task of one step, whose result is the
 * #TlCentreRow of the recipe's slice. */
TlTask tl_centre_row_task (void);

typedef struct TlCentreThread TlCentreThread;

/**
 * TlCentreThreadFunc:
 * @answer: with one more estimate, or whole; the consensus has no sentence
 *   until it is. Columns are those of the middle row. May be taken
 * @error: (nullable): then there is no more to come
 * @is_over: no other call follows
 *
 * Main thread.
 */
typedef void (*TlCentreThreadFunc) (TlCentreAnswer *answer, const GError *error,
                                    gboolean is_over, gpointer user_data);

/**
 * tl_centre_thread_new:
 * @row: (transfer full)
 * @engine: a name as in a recipe; host serves where it cannot be opened, is
 *   lost or has too little memory
 *
 * Begins.
 */
TlCentreThread *tl_centre_thread_new (TlCentreRow *row, const char *engine,
                                      TlCentreThreadFunc func,
                                      gpointer user_data);

/** tl_centre_thread_cancel: Its last call comes soon: when the estimator at
 * work is done. */
void tl_centre_thread_cancel (TlCentreThread *thread);

/** tl_centre_thread_free: Cancels, joins; no call comes afterwards. */
void tl_centre_thread_free (TlCentreThread *thread);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlCentreThread, tl_centre_thread_free)

G_END_DECLS
