/* A Data Exchange file (https://dxfile.readthedocs.io) that grows frame by
 * frame while a scan is taken, and that others may read meanwhile. */
#pragma once

#include "data/samples.h"
#include "data/write/image-key.h"

typedef struct TlExchangeFile TlExchangeFile;

/* Plain value. */
typedef struct
{
  size_t n_rows, n_cols;
  TlSampleType type; /* of all frames */
  const char *title;
  const char *start; /* when the scan began, ISO 8601 */
} TlExchangeFileLayout;

/** tl_exchange_file_dup_unfinished: @path: ends with ".h5". Returns: (transfer
 * full): the name until the scan is complete, "NAME.unfinished.h5" */
char *tl_exchange_file_dup_unfinished (const char *path);

/**
 * tl_exchange_file_open:
 * @path: of the complete scan; ends with ".h5"
 *
 * What has one of the two names is never replaced. The file is used by one
 * thread; others may call HDF5, and so they must be able to.
 *
 * Returns: (transfer full): %NULL with TL_ERROR_FILE, or with
 *   TL_ERROR_UNSUPPORTED if the library is not made for threads
 */
TlExchangeFile *tl_exchange_file_open (const char *path,
                                       const TlExchangeFileLayout *layout,
                                       GError **error);

/**
 * tl_exchange_file_append:
 * @pixels: [n_rows][n_cols], native byte order
 * @angle_deg: of a projection; NaN: unknown
 *
 * Adds a frame behind those of its kind, and makes it visible to readers. Flats
 * are noted with the angle that the stage had, that of the last projection
 * before them; NaN: none has come.
 *
 * If the disk is full, nothing is written, and the file can still be closed.
 *
 * Returns: %FALSE with TL_ERROR_FILE
 */
gboolean tl_exchange_file_append (TlExchangeFile *file, TlImageKey key,
                                  const void *pixels, double angle_deg,
                                  GError **error);

/**
 * tl_exchange_file_close:
 * @n_missing: frames of the scan that were not appended, for the file to say so
 * @is_complete: whether the scan is; the file has its own name then. Does not
 *   wait for the disk
 *
 * Returns: (transfer full): the name that the file has now; %NULL with
 *   TL_ERROR_FILE
 */
char *tl_exchange_file_close (TlExchangeFile *file, size_t n_missing,
                              gboolean is_complete, GError **error);
