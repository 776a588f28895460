/* Runs the jobs of the worker's thread. Owns no thread itself. */
#pragma once

#include "app/worker/job.h"

typedef struct TlJobRunner TlJobRunner;

/** tl_job_runner_new: Returns: (transfer full): it owns the engine, the scan
 * and its reader. All functions must be called from one thread. */
TlJobRunner *tl_job_runner_new (void);
void tl_job_runner_free (TlJobRunner *runner);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlJobRunner, tl_job_runner_free)

/**
 * tl_job_runner_do:
 * @job: (transfer none): its recipe may be unresolved
 *
 * After an error, the previous scan and engine remain in use. If the engine is
 * lost or out of memory, host takes over and the job is repeated.
 *
 * Returns: (transfer full): the reply, with an error or the result
 */
TlReply *tl_job_runner_do (TlJobRunner *runner, const TlJob *job);

/** tl_job_runner_has_more: Returns: whether there is work left for the time
 * between jobs, the survey of the scan */
gboolean tl_job_runner_has_more (const TlJobRunner *runner);

/**
 * tl_job_runner_do_more:
 * Does a short step of that work.
 *
 * Returns: (transfer full) (nullable): after the last step, a TL_JOB_SURVEY
 *   reply
 */
TlReply *tl_job_runner_do_more (TlJobRunner *runner);
