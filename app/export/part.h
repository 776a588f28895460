/* The parts of an export that several machines share: each makes one, which is
 * a volume of its own, so that nothing is written by two machines. */
#pragma once

#include "app/export/job.h"

/**
 * tl_export_take_part:
 * @job: with the settings of the whole volume, and a part
 * @settings: (out caller-allocates): those of the part
 *
 * Returns: %FALSE with TL_ERROR_VALUE if there are fewer slices than parts, or
 *   TL_ERROR_UNSUPPORTED if the format cannot be joined
 */
gboolean tl_export_take_part (const TlExportJob *job,
                              TlExportSettings *settings, GError **error);

/* What follows the name of a part in that of the file of its checksums. */
#define TL_PART_SUMS_SUFFIX ".crc32"

/** tl_export_dup_part_path: Returns: (transfer full): where the part of @job is
 * written: "volume.parts/2-of-8.h5" for "volume.h5" */
char *tl_export_dup_part_path (const TlExportJob *job);

/** tl_export_dup_part_sums: Returns: (transfer full): the path of the file with
 * the checksums of the part, beside it */
char *tl_export_dup_part_sums (const TlExportJob *job);

/** tl_export_check_part_sums: @path: of a part. Returns: %FALSE with
 * TL_ERROR_FILE if its files are not as they were when it was made, or
 * %G_IO_ERROR_CANCELLED */
gboolean tl_export_check_part_sums (const char *path, GCancellable *cancellable,
                                    GError **error);

/** tl_export_dup_parts_folder: Returns: (transfer full): "/a/volume.parts" for
 * "/a/volume.h5" */
char *tl_export_dup_parts_folder (const TlExportJob *job);

/** tl_export_dup_part_name: Returns: (transfer full):
 * tl_export_dup_part_path(), relative to the folder of the volume */
char *tl_export_dup_part_name (const TlExportJob *job);

/** tl_export_dup_joined: Returns: (transfer full) (nullable): the path of the
 * joined volume that shows the slices of the part of @job */
char *tl_export_dup_joined (const TlExportJob *job);

/** tl_export_check_joined: Returns: %FALSE with TL_ERROR_FILE if there is such
 * a volume, which would change without its recipe, unless @job overwrites and
 * does not resume. The jobs of Slurm do both, so that no job that is run again
 * removes the volume */
gboolean tl_export_check_joined (const TlExportJob *job, GError **error);

/** tl_export_remove_joined: Removes this volume, which does not fit the part
 * that takes its place next. Returns: %FALSE as tl_export_check_joined(),
 * or if it cannot be removed */
gboolean tl_export_remove_joined (const TlExportJob *job, GError **error);
