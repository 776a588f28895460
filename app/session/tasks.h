/* The background tasks of a session, at most one of each kind: sends them to
 * the worker and passes their replies to the callbacks. Main thread only. */
#pragma once

#include "app/scan/scan-source.h"

/* Main thread. @reply has either the result of a step, which may be stolen, or
 * an error, which is the last reply of the task. */
typedef void (*TlTaskFunc) (TlReply *reply, gpointer user_data);

typedef struct TlTasks TlTasks;

TlTasks *tl_tasks_new (TlRequests *requests, TlScanSource *source);
void tl_tasks_free (TlTasks *tasks);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlTasks, tl_tasks_free)

/**
 * tl_tasks_send:
 * @recipe: copied
 * @task: a plain value; its state is (transfer full)
 * @func: called with the replies until the task is dropped or replaced, or
 *   another scan is opened
 *
 * Runs @task step by step while no picture is requested, and replaces a task of
 * the same kind. A scan must be open.
 */
void tl_tasks_send (TlTasks *tasks, const TlRecipe *recipe, const TlTask *task,
                    TlTaskFunc func, gpointer user_data);

/** tl_tasks_drop: Starts no further step of the task of @kind and delivers no
 * further reply of it. */
void tl_tasks_drop (TlTasks *tasks, TlTaskKind kind);
/** tl_tasks_drop_all: As tl_tasks_drop(), for all kinds; for use when another
 * scan has opened. */
void tl_tasks_drop_all (TlTasks *tasks);

/** tl_tasks_take_reply: Passes @reply, of a TL_JOB_TASK, to its callback
 * unless the task was dropped or replaced. */
void tl_tasks_take_reply (TlTasks *tasks, TlReply *reply);
