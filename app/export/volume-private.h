/* What the files of app/export share about a volume. */
#pragma once

#include "app/export/job.h"

#include "data/write/staging.h"

/** tl_volume_describe: @settings: of the volume, or of a part of it. @whole:
 * the grid of the whole slice. As tl_export_settings_describe(), with the size
 * of the pixels that @job reads */
void tl_volume_describe (const TlExportJob *job,
                         const TlExportSettings *settings, const TlGrid *whole,
                         TlVolumeInfo *info);

/** tl_volume_dup_recipe: @job: with the settings of the whole volume. Returns:
 * (transfer full): the text of recipe.ini, with all that determines the slices
 * and the numbers in them: other options of the export, or a scan that was
 * replaced, give another text */
char *tl_volume_dup_recipe (const TlExportJob *job);

/** tl_volume_dup_kept_recipe: Returns: (transfer full) (nullable): the
 * tl_volume_dup_recipe() that the finished volume at @path, of the format of
 * @job, has */
char *tl_volume_dup_kept_recipe (const TlExportJob *job, const char *path);

/** tl_volume_dup_begun: Returns: (transfer full) (nullable): the
 * tl_volume_dup_recipe() of the unfinished volume in the hidden folder */
char *tl_volume_dup_begun (const char *hidden);

/** tl_volume_dup_hidden: Returns: (transfer full): the path of the volume of
 * @job in the hidden folder */
char *tl_volume_dup_hidden (const TlExportJob *job, const char *hidden);

/** tl_volume_dup_names: Returns: (transfer full): the files and folders of a
 * volume; if @job has parts, its path is that of one, and its checksums belong
 * to it. The volume itself comes last: as long as it is hidden, it can be
 * resumed */
char **tl_volume_dup_names (const TlExportJob *job);

/** tl_volume_dup_changes: @recipe: (nullable): tl_volume_dup_recipe() of
 * another volume. Returns: (transfer full): "; what differs: " and how @job, of
 * the whole volume, differs from it, if that can be told; "" if it does not */
char *tl_volume_dup_changes (const TlExportJob *job, const char *recipe);

/** tl_volume_dup_begun_changes: Returns: (transfer full): "; what differs: "
 * and how parameters and options of @job, of the whole volume, differ from
 * those of the unfinished one in the hidden folder, then which slices wait in
 * it; "" if nothing differs or waits */
char *tl_volume_dup_begun_changes (const TlExportJob *job, const char *hidden);

/** tl_volume_is_scan_rewritten: @hidden: of the unfinished volume of @job.
 * Returns: whether the scan was changed since it was begun, and has not only
 * grown */
gboolean tl_volume_is_scan_rewritten (const TlExportJob *job,
                                      const char *hidden);

/** tl_volume_can_resume: Returns: whether the hidden folder has an unfinished
 * volume. One without it, or without its records, was left by a join, or by an
 * export that was killed when its volume had already taken its place */
gboolean tl_volume_can_resume (const TlExportJob *job, const char *hidden);

/** tl_volume_is_whole: Returns: whether the volume of @job, or its part if the
 * path is that of one, is there with all its files, was made as @job would make
 * it, and has no unfinished export beside it. The slices are not read:
 * tl_volume_check_sums() does that
 *
 * @missing: (out) (nullable) (transfer full): the path of a file that is
 *   missing, if nothing else is wrong */
gboolean tl_volume_is_whole (const TlExportJob *job, char **missing);

/* In the hidden folder: tl_volume_dup_recipe() of the unfinished volume. */
#define TL_VOLUME_BEGUN "begun"

/** tl_volume_find_left: Removes the hidden folders that @job does not resume:
 * those that nobody can, and the unfinished export of @state, a
 * tl_export_dup_state() with the consent of the user. Returns: (transfer full)
 * (nullable): the hidden folder that it resumes */
TlStaging *tl_volume_find_left (const TlExportJob *job, const char *state);

/** tl_volume_get_place: @state: a tl_export_dup_state(). Returns: (transfer
 * none): without the unfinished export, for tl_staging_commit() */
const char *tl_volume_get_place (const char *state);
