/* What the ESRF writes beside the images of a scan. */
#pragma once

#include "data/read/scan/draft.h"

/**
 * tl_acquisition_describe:
 * @path: of an image
 *
 * Looks for NAME.info or NAME.xml in the folder of @path, where NAME is that of
 * the folder, or of the image without its number; or the only .info file. Adds
 * angles and pixel size to @draft if there is one that can be read.
 */
void tl_acquisition_describe (const char *path, TlScanDraft *draft);

/** tl_acquisition_count_darks: @path: of an image. Returns: how many exposures
 * of dark fields are added, according to such a file; 0: unknown */
guint tl_acquisition_count_darks (const char *path);
