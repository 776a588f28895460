/* The worker owns the engine. Its single thread takes jobs and answers with
 * replies. */
#pragma once

#include "app/worker/job.h"

typedef struct TlWorker TlWorker;

/* Called in the main thread, from a source with the priority of events; @reply
 * is freed after the call. */
typedef void (*TlReplyFunc) (TlReply *reply, gpointer user_data);

/** tl_worker_new: Starts the thread; the first job opens the engine. */
TlWorker *tl_worker_new (TlReplyFunc func, gpointer user_data);

/** tl_worker_push: @job: (transfer full). Main thread; never blocks. */
void tl_worker_push (TlWorker *worker, TlJob *job);

/** tl_worker_drop_task: Drops the task of @kind and cancels its running step.
 * Main thread. */
void tl_worker_drop_task (TlWorker *worker, TlTaskKind kind);

/** tl_worker_free: Cancels the running job, joins the thread and frees; no
 * reply comes afterwards. Main thread. */
void tl_worker_free (TlWorker *worker);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlWorker, tl_worker_free)
