/* What has to be asked before an HDF5 file can be read. All after
 * tl_hdf5_enter(). */
#pragma once

#include "data/read/hdf5/hdf5-private.h"

/**
 * tl_hdf5_open_file:
 * @name: of the file, for the message
 *
 * Opens a file for reading, also while another program writes it, and keeps
 * that program from nothing.
 *
 * Returns: (transfer full): negative with TL_ERROR_FILE
 */
TlHdf5Id tl_hdf5_open_file (const char *path, const char *name, GError **error);

/** tl_hdf5_find_writer: Returns: what @file, of tl_hdf5_open_file(), says of
 * its writer */
TlWriter tl_hdf5_find_writer (TlHdf5Id file);

/**
 * tl_hdf5_check_filters:
 * @plist: how a dataset was created
 * @what: its contents in words
 *
 * Returns: %FALSE with TL_ERROR_UNSUPPORTED, which says what to install, if a
 *   plug-in for a filter of the dataset is missing
 */
gboolean tl_hdf5_check_filters (TlHdf5Id plist, const char *name,
                                const char *what, GError **error);
