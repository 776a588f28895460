/* A file of HDF5 that grows image by image and can be read meanwhile. */
#pragma once

#include "data/samples.h"

#include <hdf5.h>

typedef struct TlHdf5Growing TlHdf5Growing;

/* A dataset that grows: images, or numbers. Plain value. */
typedef struct
{
  const char *path;
  hid_t type;            /* of its values, in memory as in the file */
  size_t n_rows, n_cols; /* of each image; 0: numbers */
} TlHdf5Series;

/* Plain value. */
typedef struct
{
  const TlHdf5Series *series; /* [n_series] */
  size_t n_series;
  /* Writes what does not grow; the series are there. Returns: whether that
   * succeeded. */
  gboolean (*describe) (hid_t file, gconstpointer data);
  gconstpointer data;
  gboolean has_swmr; /* others may read it while it grows; without it they must
                        not ask for a lock, and read what they find */
  gboolean replaces; /* whether what has its name may be replaced */
} TlHdf5GrowingLayout;

/* An image or a number to be appended. Plain value. */
typedef struct
{
  size_t series;
  const void *values;
} TlHdf5Sample;

/** tl_hdf5_get_type: Returns: the type of samples in memory */
hid_t tl_hdf5_get_type (TlSampleType type);

/**
 * tl_hdf5_growing_open:
 *
 * The file appears under its name when it may be read. It is used by one
 * thread; others may call HDF5 only if the library is made for that.
 *
 * Returns: (transfer full): %NULL with TL_ERROR_FILE
 */
TlHdf5Growing *tl_hdf5_growing_open (const char *path,
                                     const TlHdf5GrowingLayout *layout,
                                     GError **error);

/**
 * tl_hdf5_growing_append:
 * @samples: [@n], each of another series; readers go by the last of them
 *
 * Adds samples that belong together, and makes them visible to readers. If the
 * disk is full, nothing is written, and the file can still be closed.
 *
 * Returns: %FALSE with TL_ERROR_FILE
 */
gboolean tl_hdf5_growing_append (TlHdf5Growing *growing,
                                 const TlHdf5Sample *samples, size_t n,
                                 GError **error);

/** tl_hdf5_growing_close: @growing: (nullable). Returns: %FALSE with
 * TL_ERROR_FILE */
gboolean tl_hdf5_growing_close (TlHdf5Growing *growing, GError **error);
