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

typedef struct
{
  TlVolumeFormat format;
  size_t n_slices, n_rows, n_cols; /* at most 2^30 each */
  /* The detector rows of the slices: slice i is row first_number + i *
   * number_step. The files of a TIFF stack bear these numbers. */
  size_t first_number, number_step;
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
} TlVolumeInfo;
