/* An export as jobs of Slurm, which schedules them: an array that makes the
 * parts, and a job that joins them (https://slurm.schedmd.com/job_array.html).
 */
#pragma once

#include "app/export/export.h"

/**
 * tl_cli_slurm_check:
 * @job: with n_parts
 * @info: of the scan; only sizes, type and decoding are used
 * @engines: names of the engines
 *
 * Checks before anything is written what each part would find when it begins,
 * except what another machine may have more of: the memory, unless @job has a
 * budget, the GPU memory and the disk.
 *
 * Returns: %FALSE with any error of tl_export_check_target(),
 *   tl_export_take_part(), tl_export_settings_check() or
 *   tl_export_plan_make()
 */
gboolean tl_cli_slurm_check (const TlExportJob *job, const TlScanInfo *info,
                             const char *const *engines, GError **error);

/**
 * tl_cli_slurm_write:
 * @job: with n_parts
 * @log: (nullable): a text to which all jobs append what they do
 * @options: (nullable): more options of sbatch, as a shell takes them
 * @submits: whether sbatch takes the jobs; otherwise the commands to hand them
 *   in are printed
 *
 * Writes both scripts and their recipe, whose name has its checksum, to the
 * folder "volume.h5.slurm" beside the volume. A file that is there stays,
 * unless
 * @job overwrites and it is a script as this function has written it.
 *
 * Returns: %FALSE with TL_ERROR_FILE, also for such a file of other contents,
 *   TL_ERROR_VALUE for options that no shell
 *   takes, or TL_ERROR_UNSUPPORTED if sbatch is missing or refuses the jobs
 */
gboolean tl_cli_slurm_write (const TlExportJob *job, const char *log,
                             const char *options, gboolean submits,
                             GError **error);
