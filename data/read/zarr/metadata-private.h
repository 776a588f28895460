/* What the JSON files of a Zarr folder say.
 * Zarr 2: https://zarr-specs.readthedocs.io/en/latest/v2/v2.0.html */
#pragma once

#include "data/json.h"
#include "data/read/format/stored.h"

enum
{
  TL_ZARR_MAX_DIMS = 8,
  TL_ZARR_N_AXES = 3 /* frames, rows, columns */
};

typedef enum
{
  TL_ZARR_PLAIN,
  TL_ZARR_ZLIB,
  TL_ZARR_GZIP,
  TL_ZARR_BLOSC
} TlZarrCodec;

/* The description of an array. Plain value. */
typedef struct
{
  guint n_dims; /* as stored */
  /* Frames, rows, columns; 1 where there are fewer dimensions. The dimensions
   * before them are 1. */
  size_t shape[TL_ZARR_N_AXES];
  size_t chunk[TL_ZARR_N_AXES];
  size_t chunk_bytes; /* decoded; its first frame is at the beginning */
  TlStoredType stored;
  gboolean is_swapped;
  TlZarrCodec codec;
  char separator; /* between the numbers in a chunk's name */
  double fill;    /* what a missing chunk holds */
} TlZarrMetadata;

/** tl_zarr_is_array: Returns: whether @folder is an array */
gboolean tl_zarr_is_array (const char *folder);

/**
 * tl_zarr_metadata_load:
 * @folder: of the array
 * @name: of the array, for messages
 *
 * Returns: %FALSE with TL_ERROR_FILE, TL_ERROR_FORMAT, TL_ERROR_SHAPE or
 *   TL_ERROR_UNSUPPORTED
 */
gboolean tl_zarr_metadata_load (const char *folder, const char *name,
                                TlZarrMetadata *metadata, GError **error);

/** tl_zarr_load_attributes: Returns: (transfer full) (nullable): .zattrs of
 * @folder; %NULL without an error if it has none, or with one that says why it
 * cannot be read */
JsonNode *tl_zarr_load_attributes (const char *folder, GError **error);
