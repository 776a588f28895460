/* What a volume is written from, besides its pixels. */
#pragma once

#include "data/write/volume/sample.h"

typedef enum
{
  TL_VOLUME_TIFF,    /* folder: a file a slice, recon_00000.tiff */
  TL_VOLUME_BIGTIFF, /* one file: a page a slice; BigTIFF from 4 GB on */
  TL_VOLUME_HDF5,    /* Data Exchange: /exchange/data */
  TL_VOLUME_NEXUS,   /* NXtomoproc: /entry/data/data */
  TL_VOLUME_ZARR,    /* folder: OME-Zarr 0.4, with coarser levels */
  TL_VOLUME_RAW,     /* samples alone, with an NRRD header beside them */
  TL_N_VOLUME_FORMATS
} TlVolumeFormat;

/* The plane of the sample that a slice shows: its rows and columns run along
 * the second and the first axis of the name, and slices follow each other
 * along the third one. z counts detector rows; y, downwards, and x are rows and
 * columns of the reconstructed slice. */
typedef enum
{
  TL_PLANE_XY,
  TL_PLANE_XZ,
  TL_PLANE_YZ,
  TL_N_PLANES
} TlVolumePlane;

typedef struct
{
  TlVolumeFormat format;
  TlVolumePlane plane;
  size_t n_slices, n_rows, n_cols; /* at most 2^30 each */
  /* Slice i is number first_number + i * number_step along the axis across the
   * plane. The files of a TIFF stack bear these numbers. */
  size_t first_number, number_step;
  /* Row and column 0 begin at these numbers along their axes; a pixel is so
   * wide as @binning of those that were read, 0 and 1: as one. */
  size_t first_row, first_col;
  guint binning;
  guint bin; /* pixels of the detector that were read as one; 0 and 1: one */
  TlVolumeSample sample;
  double low, high; /* of integer samples: high must be above low */
  /* 0: none; 1 (fast) … 9 (small). HDF5: shuffle and deflate. Zarr: Blosc,
   * up to 5 with LZ4, from 6 on with Zstandard. Others ignore it. */
  int compression;
  double pixel_um;     /* in the slice; 0: unknown */
  double pitch_um;     /* from slice to slice; 0: unknown */
  const char *scan;    /* (nullable): its name */
  const char *recipe;  /* (nullable): the text of recipe.ini */
  const char *command; /* (nullable): repeats the export */
  /* Of a finished volume, (nullable): the checksum of each slice, and a line
   * for each row of the scan that could not be made. */
  const char *slice_crc32, *failures;
} TlVolumeInfo;

/** tl_volume_plane_name: Returns: (transfer none): "xy", "xz" or "yz" */
const char *tl_volume_plane_name (TlVolumePlane plane);

/** tl_volume_plane_from_name: Returns: %FALSE if no plane has this name */
gboolean tl_volume_plane_from_name (const char *name, TlVolumePlane *plane);

/** tl_volume_plane_axes: Returns: (transfer none): the names of slices, rows
 * and columns of a volume in this order, %NULL-terminated: "z", "y", "x" */
const char *const *tl_volume_plane_axes (TlVolumePlane plane);

/** tl_dup_number: Returns: (transfer full): the shortest digits that are read
 * as @number again; no exponent in whole numbers below 1e15 */
char *tl_dup_number (double number);
