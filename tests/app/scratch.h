/* Folders and scans for tests. */
#pragma once

#include "data/phantom/phantom.h"

/** tl_scratch_new: Returns: (transfer full): the path of a new, empty folder */
char *tl_scratch_new (void);

/** tl_scratch_free: Removes the folder with its contents. */
void tl_scratch_free (char *folder);

/** tl_scratch_path: Returns: (transfer full): the path of file @name in
 * @folder */
char *tl_scratch_path (const char *folder, const char *name);

/** tl_scratch_list: Returns: (transfer full): the names in @folder, sorted,
 * one per line; "" if there is no such folder */
char *tl_scratch_list (const char *folder);

/** tl_scratch_phantom: Returns: (transfer full): the path of a new noisy scan
 * in @folder */
char *tl_scratch_phantom (const char *folder, const char *name,
                          size_t n_projections, size_t n_rows, size_t n_cols);

/**
 * tl_scratch_images:
 * @n: number of images, numbered from 0
 *
 * Writes TIFF images of floats that are all @value.
 */
void tl_scratch_images (const char *folder, const char *prefix, size_t n,
                        size_t n_rows, size_t n_cols, float value);

/** tl_scratch_stack: Writes @scan again as a file of images, which are read one
 * by one as compressed images are, and its flats and darks beside it. Returns:
 * (transfer full): its path */
char *tl_scratch_stack (const char *folder, const char *scan);

/** tl_scratch_decoys: Writes @scan again as a folder of TIFF files among images
 * of other kinds, as tests/support/decoys.py does. Returns: (transfer full)
 * (nullable): its path; %NULL, and the test is skipped, without h5py */
char *tl_scratch_decoys (const char *folder, const char *scan);

/* Damaged HDF5 files. */
enum
{
  TL_N_DAMAGED = 2
};

/** tl_scratch_damaged: Writes file @k, which HDF5 1.10 cannot survive; a later
 * one may. Returns: (transfer full): its path */
char *tl_scratch_damaged (const char *folder, size_t k);

/** tl_scratch_shared: Returns: (transfer full) (nullable): the path of a real
 * scan; %NULL, and the test is skipped, if the scans are not installed */
char *tl_scratch_shared (const char *name);

/** tl_scratch_load_tiff: Returns: (transfer full): the floats of a TIFF file */
float *tl_scratch_load_tiff (const char *path, size_t *n_pixels);

/** tl_scratch_read_tiff: Returns: (transfer full): the @n_pixels floats of a
 * TIFF file */
float *tl_scratch_read_tiff (const char *path, size_t n_pixels);
