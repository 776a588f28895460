/* Checksums of whole files, to find out whether a finished volume changed. */
#pragma once

#include <gio/gio.h>

/**
 * tl_checksums_make:
 * @path: of a volume: a file, or a folder of files
 *
 * Reads all of it, in several threads. Any thread.
 *
 * Returns: (transfer full): a line for each file, in the order of their names;
 *   %NULL with TL_ERROR_FILE that names the file, or %G_IO_ERROR_CANCELLED
 */
char *tl_checksums_make (const char *path, GCancellable *cancellable,
                         GError **error);

/** tl_checksums_find_difference: Returns: (transfer full) (nullable): the name
 * of the first file whose line differs; %NULL if none does */
char *tl_checksums_find_difference (const char *want, const char *got);
