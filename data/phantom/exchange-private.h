/* The empty frame of a Data Exchange file: everything but the counts. */
#pragma once

#include "data/phantom/phantom.h"

G_BEGIN_DECLS

/* Where in the file the counts go, native 16-bit integers
 * [frame][row][col] without gaps; bytes from the start. 0: no such frames. */
typedef struct
{
  guint64 projections, flats, darks;
} TlExchangeOffsets;

/**
 * tl_exchange_create:
 * @file_name: overwritten
 * @path: what the messages call it
 *
 * Writes groups, angles and attributes, reserves contiguous room for the counts
 * and closes the file. The counts are then written by plain calls, from any
 * thread, and a failure there has the system's own reason.
 *
 * Returns: %FALSE with TL_ERROR_FILE
 */
gboolean tl_exchange_create (const char *file_name, const char *path,
                             const TlPhantomScan *scan,
                             TlExchangeOffsets *offsets, GError **error);

G_END_DECLS
