/* The table of HDF5 layouts, and the scans of a file that it describes. */
#pragma once

#include "data/read/hdf5/hdf5-private.h"

/* What a layout says the place of. */
typedef enum
{
  TL_HDF5_ENTRY,
  TL_HDF5_DATA,
  TL_HDF5_KEYS,
  TL_HDF5_ANGLES,
  TL_HDF5_FLATS,
  TL_HDF5_DARKS,
  TL_HDF5_FLAT_ANGLES,
  TL_HDF5_PIXEL_SIZE,
  TL_HDF5_IDS,
  TL_N_HDF5_PLACES
} TlHdf5Place;

typedef struct
{
  char *name;
  char **places[TL_N_HDF5_PLACES]; /* patterns of tl_hdf5_match(), alternatives;
                                      each (nullable) */
  char *angle_unit;                /* (nullable) */
} TlHdf5Layout;

/**
 * tl_hdf5_layouts_load:
 * @problem: (out) (transfer full) (nullable): a sentence that says why the
 *   user's layouts are not among them
 *
 * Returns: (transfer full) (element-type TlHdf5Layout): the user's layouts,
 *   then those of the program
 */
GPtrArray *tl_hdf5_layouts_load (char **problem);

/* One scan of a file. */
typedef struct
{
  const TlHdf5Layout *layout; /* (nullable): %NULL: no layout has its data */
  char *entry;                /* the group that its paths begin at */
  char *data;                 /* the path of its projections */
} TlHdf5Found;

/**
 * tl_hdf5_layouts_find:
 * @inside: (nullable): a group or dataset: only scans in it
 * @cancellable: (nullable): ends the search with those found so far
 *
 * After tl_hdf5_enter(). A dataset that is in two entries is one scan.
 *
 * Returns: (transfer full) (element-type TlHdf5Found): all scans of the first
 *   layout that fits. The layout must outlive them. The data of a scan may be a
 *   link that leads nowhere, but only if no layout fits without such links.
 */
GPtrArray *tl_hdf5_layouts_find (GPtrArray *layouts, TlHdf5Id file,
                                 const char *inside, GCancellable *cancellable);
