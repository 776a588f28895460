/* Creates a Data Exchange file that is complete except for the counts. */
#pragma once

#include "data/phantom/phantom.h"

/* Offsets of the counts from the start of the file, in bytes. The counts are
 * native 16-bit integers [frame][row][col] without gaps. 0: the file has no
 * such frames. */
typedef struct
{
  guint64 projections, flats, darks;
} TlExchangeOffsets;

/**
 * tl_exchange_create:
 * @file_name: overwritten
 * @path: the file's name in error messages
 *
 * Writes groups, angles and attributes, reserves contiguous room for the
 * counts and closes the file. The caller then writes the counts with plain
 * system calls, from any thread, and gets the system's own reason when a
 * write fails.
 *
 * Returns: %FALSE with TL_ERROR_FILE
 */
gboolean tl_exchange_create (const char *file_name, const char *path,
                             const TlPhantomScan *scan,
                             TlExchangeOffsets *offsets, GError **error);
