/* An HDF5 file whose datasets hold the frames of a scan. */
#pragma once

#include "data/read/format/format.h"
#include "data/read/hdf5/chunks-private.h"

/* The frames of one kind. */
typedef struct
{
  TlHdf5Id dataset; /* negative: the scan has none */
  TlFrameSet set;
  size_t *frames; /* (nullable): [n_listed], indices into the dataset,
                     ascending; %NULL: all */
  size_t n_listed;
  int axes[3]; /* dimensions of the frames, rows and columns; -1: the dataset
                  has none, but one frame or one row */
  gboolean is_turned;     /* the dataset is [row][frame][col] */
  int fd;                 /* for reading without HDF5; negative: not possible */
  gboolean is_contiguous; /* the samples are in one piece, from offset on */
  guint64 offset;
  TlHdf5Chunks *chunks; /* (nullable): if HDF5 need not read the chunks */
  TlHdf5Chunks *turned; /* (nullable): the same of a dataset that is turned; its
                           rows are the frames of the chunks */
} TlHdf5Frames;

/* The datasets of a scan: one of each kind, and where the flats taken after the
 * projections are in a dataset of their own, that one. */
enum
{
  TL_HDF5_LATER_FLATS = TL_N_FRAME_KINDS,
  TL_N_HDF5_DATASETS
};

/* The projections, flats and darks in one file. */
typedef struct
{
  char *path;
  char *name; /* for messages */
  TlHdf5Id file;
  TlHdf5Frames kinds[TL_N_HDF5_DATASETS];
} TlHdf5Scan;

/**
 * tl_hdf5_get_frames:
 * @object: any object
 * @set: (out): shape and type, where there are one to three dimensions; a
 *   missing one is 1
 *
 * After tl_hdf5_enter(). Of more than three dimensions those of length 1 do not
 * count, the slowest first.
 *
 * Returns: how many dimensions a dataset of integers or floats has; -1 for
 *   another object
 */
int tl_hdf5_get_frames (TlHdf5Id object, TlFrameSet *set);

/** tl_hdf5_dup_virtual_name: @plist: how a virtual dataset was created. After
 * tl_hdf5_enter(). Returns: (transfer full): the name of its @i-th source
 * file */
char *tl_hdf5_dup_virtual_name (TlHdf5Id plist, size_t i);

/** tl_hdf5_scan_open: After tl_hdf5_enter(). Returns: (transfer full): %NULL
 * with TL_ERROR_FILE */
TlHdf5Scan *tl_hdf5_scan_open (const char *path, GError **error);
/* @scan: a TlHdf5Scan; also the close function of #TlReaderFormat */
void tl_hdf5_scan_close (gpointer scan);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlHdf5Scan, tl_hdf5_scan_close)

/**
 * tl_hdf5_scan_add:
 * @dataset: [frame][row][col], or [row][col] for one frame; the scan keeps a
 *   reference
 *
 * After tl_hdf5_enter(). Sets shape and type of the frames in @draft, and the
 * size of a chunk of the projections if the dataset is chunked.
 *
 * Returns: %FALSE with TL_ERROR_SHAPE, TL_ERROR_UNSUPPORTED or TL_ERROR_FILE (a
 *   source of a virtual dataset is missing)
 */
gboolean tl_hdf5_scan_add (TlHdf5Scan *scan, TlFrameKind kind, TlHdf5Id dataset,
                           TlScanDraft *draft, GError **error);

/** tl_hdf5_scan_turn: Takes the dataset of @kind, which has been added, for
 * sinograms: [row][frame][col], or [frame][col] of one row. Sets the shape in
 * @draft anew. After tl_hdf5_enter(). */
void tl_hdf5_scan_turn (TlHdf5Scan *scan, TlFrameKind kind, TlScanDraft *draft);

/**
 * tl_hdf5_scan_add_later_flats:
 * @dataset: as the other flats, which have been added; the scan keeps a
 *   reference
 *
 * After tl_hdf5_enter(). Returns: %FALSE, adding nothing, if it is not like
 *   them or cannot be read
 */
gboolean tl_hdf5_scan_add_later_flats (TlHdf5Scan *scan, TlHdf5Id dataset,
                                       TlScanDraft *draft);

/** tl_hdf5_scan_drop: Undoes tl_hdf5_scan_add(), less what it says in the
 * draft. After tl_hdf5_enter(). */
void tl_hdf5_scan_drop (TlHdf5Scan *scan, TlFrameKind kind);

/** tl_hdf5_scan_is_parallel: the function of #TlReaderFormat. */
gboolean tl_hdf5_scan_is_parallel (gpointer source, TlFrameKind kind);

/** tl_hdf5_scan_can_ascend: the function of #TlReaderFormat. */
gboolean tl_hdf5_scan_can_ascend (gpointer source, guint64 *bytes);

/** tl_hdf5_scan_ascend: the function of #TlReaderFormat. */
void tl_hdf5_scan_ascend (gpointer source);

/** tl_hdf5_scan_use_inflater: the function of #TlReaderFormat. */
gboolean tl_hdf5_scan_use_inflater (gpointer source, TlInflater *inflater);

/** tl_hdf5_scan_skip_rest: the function of #TlReaderFormat. */
void tl_hdf5_scan_skip_rest (gpointer source);

/** tl_hdf5_scan_refresh: the function of #TlReaderFormat. */
gboolean tl_hdf5_scan_refresh (gpointer source);

/** tl_hdf5_scan_read: the read function of #TlReaderFormat. */
gboolean tl_hdf5_scan_read (gpointer source, TlFrameKind kind,
                            size_t first_frame, size_t n_frames,
                            const size_t *rows, size_t n_rows, void *dest,
                            GError **error);
