/* What the files of app/export share about a volume. */
#pragma once

#include "app/export/job.h"

/** tl_volume_dup_recipe: @job: with the settings of the whole volume. Returns:
 * (transfer full): the text of recipe.ini, with all that determines the slices
 * and the numbers in them: other options of the export, or a scan that was
 * replaced, give another text */
char *tl_volume_dup_recipe (const TlExportJob *job);

/** tl_volume_dup_names: Returns: (transfer full): the files and folders of a
 * volume. The volume itself comes last: as long as it is hidden, it can be
 * resumed */
char **tl_volume_dup_names (const TlExportJob *job);
