/* An HDF5 file that grows frame by frame while a scan is taken, in the layout
 * of the HDF5 plugin of areaDetector
 * (https://areadetector.github.io/areaDetector/ADCore/NDFileHDF5.html). */
#pragma once

#include "data/samples.h"
#include "data/write/image-key.h"

typedef struct TlHdf5Growing TlGrowingFile;

/* Plain value. */
typedef struct
{
  size_t n_rows, n_cols;
  TlSampleType type;
  double pixel_size_um;   /* 0 where unknown */
  const char *angle_name; /* of the attribute with the rotation angle */
  gboolean has_swmr; /* others may read it while it grows; without it they must
                        not ask for a lock, and read what they find */
  gboolean replaces; /* whether what has its name may be replaced */
} TlGrowingLayout;

/**
 * tl_growing_file_open:
 *
 * As tl_hdf5_growing_open().
 *
 * Returns: (transfer full): %NULL with TL_ERROR_FILE
 */
TlGrowingFile *tl_growing_file_open (const char *path,
                                     const TlGrowingLayout *layout,
                                     GError **error);

/** tl_growing_file_is_one: Returns: whether tl_growing_file_open() has made the
 * file @path, also if its writer was killed */
gboolean tl_growing_file_is_one (const char *path);

/**
 * tl_growing_file_append:
 * @pixels: [n_rows][n_cols], native byte order
 * @unique_id: number of the frame, as the detector counts
 *
 * Adds a frame, and makes it visible to readers. If the disk is full, nothing
 * is written, and the file can still be closed.
 *
 * Returns: %FALSE with TL_ERROR_FILE
 */
gboolean tl_growing_file_append (TlGrowingFile *file, const void *pixels,
                                 gint32 unique_id, TlImageKey key,
                                 double angle_deg, GError **error);

/** tl_growing_file_close: @file: (nullable). Returns: %FALSE with TL_ERROR_FILE
 */
gboolean tl_growing_file_close (TlGrowingFile *file, GError **error);
