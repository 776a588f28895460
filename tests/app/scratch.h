/* Folders and scans to test with. */
#pragma once

#include "data/phantom/phantom.h"

G_BEGIN_DECLS

/** tl_scratch_new: Returns: (transfer full): path of a new, empty folder. */
char *tl_scratch_new (void);

/** tl_scratch_free: Removes the folder and all in it. */
void tl_scratch_free (char *folder);

/** tl_scratch_path: Returns: (transfer full): of a file in it. */
char *tl_scratch_path (const char *folder, const char *name);

/** tl_scratch_list: Returns: (transfer full): names in it, sorted, one a line;
 * "" for a folder that is not there. */
char *tl_scratch_list (const char *folder);

/** tl_scratch_phantom: Returns: (transfer full): path of a noisy scan in it. */
char *tl_scratch_phantom (const char *folder, const char *name,
                          size_t n_projections, size_t n_rows, size_t n_cols);

/**
 * tl_scratch_images:
 * @n: how many; numbered from 0
 *
 * Writes TIFF images of floats that all have @value.
 */
void tl_scratch_images (const char *folder, const char *prefix, size_t n,
                        size_t n_rows, size_t n_cols, float value);

/** tl_scratch_shared: Returns: (transfer full) (nullable): path of a real scan;
 * %NULL, and the test is skipped, where those are not there. */
char *tl_scratch_shared (const char *name);

/** tl_scratch_read_tiff: Returns: (transfer full): its @n_pixels floats. */
float *tl_scratch_read_tiff (const char *path, size_t n_pixels);

G_END_DECLS
