/* What an HDF5 file contains: the functions of contents.h. */
#pragma once

#include "data/read/format/contents.h"
#include "data/read/hdf5/hdf5-private.h"

/** tl_hdf5_list_datasets: tl_contents_list_datasets() of an open file, after
 * tl_hdf5_enter(). */
GPtrArray *tl_hdf5_list_datasets (TlHdf5Id file);

/** tl_hdf5_contents_list_datasets: the function of #TlReaderFormat. */
GPtrArray *tl_hdf5_contents_list_datasets (const char *file, GError **error);

/** tl_hdf5_contents_list_sources: the function of #TlReaderFormat. */
GStrv tl_hdf5_contents_list_sources (const char *file);

/** tl_hdf5_contents_list_scans: the function of #TlReaderFormat. */
GStrv tl_hdf5_contents_list_scans (const char *file, GError **error);
