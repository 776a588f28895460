/* Another process opens an HDF5 file first, because a damaged file can crash
 * HDF5, and the program with it: HDF5 1.10 trusts many lengths in a file.
 * hdf5-guard.h mends some of that. */
#pragma once

#include "data/read/scan/scan-info.h"

#include <gio/gio.h>

/** tl_trial_begin: From now on files are tried, by "@program_path try".
 * @program_path: (nullable): copied; %NULL: tomolens-cli of this installation.
 * Call it at most once, before other threads are started. */
void tl_trial_begin (const char *program_path);

/**
 * tl_trial_pass:
 * @path: an HDF5 file
 * @options: (nullable): with what it will be opened; %NULL: what is in it will
 *   be listed
 * @error: TL_ERROR_FILE or G_IO_ERROR_CANCELLED
 *
 * Waits until the other process has opened the file, unless this file is
 * one of the last 64 that passed and has not changed. Any thread; not after
 * tl_hdf5_enter(), so that no other thread waits for it.
 *
 * Returns: whether that process came to its end, with a scan or without; also
 *   if it could not be started, or tl_trial_begin() was not called
 */
gboolean tl_trial_pass (const char *path, const TlReaderOptions *options,
                        GError **error);
