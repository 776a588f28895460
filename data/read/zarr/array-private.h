/* Reading the chunks of a Zarr array. */
#pragma once

#include "data/read/zarr/metadata-private.h"

typedef struct
{
  char *folder;
  char *name; /* for messages */
  TlZarrMetadata metadata;
} TlZarrArray;

/**
 * tl_zarr_array_open:
 * @folder: of the scan
 * @path: of the array in it; "" for @folder itself
 *
 * Returns: (transfer full): %NULL with an error of tl_zarr_metadata_load()
 */
TlZarrArray *tl_zarr_array_open (const char *folder, const char *path,
                                 GError **error);
void tl_zarr_array_free (TlZarrArray *array);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlZarrArray, tl_zarr_array_free)

/**
 * tl_zarr_array_read:
 * @first: the first of @n frames
 * @rows: [@n_rows], ascending
 * @dest: (out caller-allocates): [@n][@n_rows][n_cols]
 *
 * Any thread. Each chunk is decoded once; of chunks that are not compressed
 * only the rows are read. A chunk that is not there has the fill value.
 *
 * Returns: %FALSE with TL_ERROR_FILE, TL_ERROR_FORMAT or TL_ERROR_MEMORY
 */
gboolean tl_zarr_array_read (const TlZarrArray *array, size_t first, size_t n,
                             const size_t *rows, size_t n_rows, void *dest,
                             GError **error);

/** tl_zarr_array_read_numbers: @n: (out). Returns: (transfer full): all samples
 * of a small array; %NULL with an error of tl_zarr_array_read() */
double *tl_zarr_array_read_numbers (const TlZarrArray *array, size_t *n,
                                    GError **error);
