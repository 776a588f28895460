/* The background tasks of a session: at most one of each kind, sent to the
 * worker with the number of the scan that it is of, and the receivers of their
 * replies. Main thread only. */
#pragma once

#include "app/worker/worker.h"

G_BEGIN_DECLS

/* Main thread. @reply has an error, after which no other one comes, or the
 * result of a step; its result may be taken. */
typedef void (*TlTaskFunc) (TlReply *reply, gpointer user_data);

typedef struct TlTasks TlTasks;

/** tl_tasks_new: @worker: (transfer none): outlives it */
TlTasks *tl_tasks_new (TlWorker *worker);
void tl_tasks_free (TlTasks *tasks);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlTasks, tl_tasks_free)

/** tl_tasks_send: @job: (transfer full): of kind TL_JOB_TASK, with its task.
 * Replaces the task of the same kind that there may be. */
void tl_tasks_send (TlTasks *tasks, TlJob *job, TlTaskFunc func,
                    gpointer user_data);

/** tl_tasks_drop: No step of the task of @kind begins, and no reply of it is
 * handed on. */
void tl_tasks_drop (TlTasks *tasks, TlTaskKind kind);
/** tl_tasks_drop_all: Another scan is open. */
void tl_tasks_drop_all (TlTasks *tasks);

/** tl_tasks_take_reply: Hands @reply, of a TL_JOB_TASK, to its receiver, if it
 * is still wanted. */
void tl_tasks_take_reply (TlTasks *tasks, TlReply *reply);

G_END_DECLS
