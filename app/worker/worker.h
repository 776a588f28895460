/* Owner of the engine: one thread that takes jobs and answers with replies. */
#pragma once

#include "app/worker/job.h"

G_BEGIN_DECLS

typedef struct TlWorker TlWorker;

/* Main thread, from a source as urgent as events; @reply is freed after the
 * call. */
typedef void (*TlReplyFunc) (TlReply *reply, gpointer user_data);

/** tl_worker_new: The thread starts; the engine is opened by the first job. */
TlWorker *tl_worker_new (TlReplyFunc func, gpointer user_data);

/** tl_worker_push: @job: (transfer full). Main thread; never blocks. */
void tl_worker_push (TlWorker *worker, TlJob *job);

/** tl_worker_drop_task: Nobody wants it any more: no step of it begins. */
void tl_worker_drop_task (TlWorker *worker, TlTaskKind kind);

/** tl_worker_free: Cancels, joins, then frees; no reply comes afterwards. */
void tl_worker_free (TlWorker *worker);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlWorker, tl_worker_free)

G_END_DECLS
