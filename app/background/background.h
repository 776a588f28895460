/* Runs tasks in threads of low priority, so that pictures come first. */
#pragma once

#include <gio/gio.h>

/**
 * tl_background_run:
 * @task: (transfer full)
 * @name: of the thread, for debuggers
 * @is_awaited: whether somebody waits for the result: then the thread uses all
 *   processors, although pictures still come first
 * @func: ends @task with a function g_task_return_…()
 *
 * Calls @func in a thread of its own: the priority, which it shares with the
 * threads that it starts, must not leak into the pool of
 * g_task_run_in_thread().
 *
 * Returns: (transfer full): the thread, which drops its reference to @task at
 *   the end; join it first where the source object of @task may only be
 *   finalized by the main thread
 */
GThread *tl_background_run (GTask *task, const char *name, gboolean is_awaited,
                            GTaskThreadFunc func);
