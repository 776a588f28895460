/* Does jobs: what the worker's thread runs, without the thread. */
#pragma once

#include "app/worker/job.h"

G_BEGIN_DECLS

typedef struct TlJobRunner TlJobRunner;

/** tl_job_runner_new: Owns the engine, the scan and its reader; one thread. */
TlJobRunner *tl_job_runner_new (void);
void tl_job_runner_free (TlJobRunner *runner);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlJobRunner, tl_job_runner_free)

/**
 * tl_job_runner_do:
 * @job: its recipe may be unresolved; it stays the caller's
 * @progress: (scope call): of an export
 *
 * A job that fails changes nothing: the scan and the engine that served before
 * serve on. Where the engine is lost, or has not the memory, host takes over
 * and the job is done again.
 *
 * Returns: (transfer full): the reply, with an error or the result
 */
TlReply *tl_job_runner_do (TlJobRunner *runner, const TlJob *job,
                           TlProgress progress, gpointer user_data);

/** tl_job_runner_has_more: Returns: there is something to do between jobs. */
gboolean tl_job_runner_has_more (const TlJobRunner *runner);

/**
 * tl_job_runner_do_more:
 *
 * A short step of it.
 *
 * Returns: (transfer full) (nullable): TL_JOB_SURVEY with the last one
 */
TlReply *tl_job_runner_do_more (TlJobRunner *runner);

G_END_DECLS
