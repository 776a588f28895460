/* What an HDF5 file or a Zarr folder contains: for choosing the projections
 * where the program does not know the layout, and one of several scans. */
#pragma once

#include "data/read/scan/scan-info.h"

/* A dataset of numbers. */
typedef struct
{
  char *path;
  guint n_dims; /* at least 1; projections have 3 */
  size_t
      dims[3]; /* frames, rows, columns; 1 if missing, and of more than three */
  TlSampleType type;
} TlDataset;

void tl_dataset_free (TlDataset *dataset);

/** tl_datasets_sort: The largest first. */
void tl_datasets_sort (GPtrArray *datasets);

/** tl_datasets_describe: Returns: (transfer full): those of three dimensions in
 * words, for a message */
char *tl_datasets_describe (const GPtrArray *datasets);

/** tl_contents_can_list: Returns: whether @file is an HDF5 file or a Zarr
 * folder */
gboolean tl_contents_can_list (const char *file);

/**
 * tl_contents_list_datasets:
 * @file: an HDF5 file or a Zarr folder
 *
 * Looks at all groups of HDF5, and follows links to files of the folder of
 * @file and below it, but no others. Any thread.
 *
 * Returns: (transfer full) (element-type TlDataset): the datasets of
 *   numbers, each once, the largest first; %NULL with TL_ERROR_FILE or
 *   TL_ERROR_FORMAT
 */
GPtrArray *tl_contents_list_datasets (const char *file, GError **error);

/**
 * tl_contents_list_scans:
 * @file: an HDF5 file or a Zarr folder
 *
 * Any thread. Returns: (transfer full): the groups that
 * #TlReaderOptions.data_path takes to choose one of the scans of @file; empty
 * if no known layout fits; %NULL with TL_ERROR_FILE or TL_ERROR_FORMAT
 */
GStrv tl_contents_list_scans (const char *file, GError **error);

/** tl_contents_list_sources: @file: any. Returns: (transfer full): the other
 * files with samples of an HDF5 file: those that its virtual datasets show, the
 * external ones, and, below its folder, those that its links lead to. Any
 * thread; looks at all groups */
GStrv tl_contents_list_sources (const char *file);

/**
 * tl_contents_list_groups:
 * @path: any
 *
 * For a folder of images that tl_reader_open() refuses with @options: any
 * thread.
 *
 * Returns: (transfer full) (nullable) (element-type TlImageGroup): its groups
 *   of images, as far as it is known what they are; %NULL: it has none
 */
GPtrArray *tl_contents_list_groups (const char *path,
                                    const TlReaderOptions *options);

/**
 * tl_contents_split:
 * @name: a file or folder, or "FILE:/path"
 * @inside: (out) (nullable) (transfer full): "/path"
 *
 * If there is a file of the whole @name, that file is meant.
 *
 * Returns: (transfer full): the file; @name if there is no such file
 */
char *tl_contents_split (const char *name, char **inside);

/** tl_contents_split_in: As tl_contents_split(), for @name in @folder unless it
 * is absolute. */
char *tl_contents_split_in (const char *folder, const char *name,
                            char **inside);
