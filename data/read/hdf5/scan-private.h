/* An HDF5 file whose datasets hold the frames of a scan. */
#pragma once

#include "data/read/format-private.h"
#include "data/read/hdf5/hdf5-private.h"

/* The datasets of the projections, flats and darks in one file. */
typedef struct TlHdf5Scan TlHdf5Scan;

/** tl_hdf5_scan_open: Returns: (transfer full): %NULL with TL_ERROR_FILE */
TlHdf5Scan *tl_hdf5_scan_open (const char *path, GError **error);
/* @scan: a TlHdf5Scan; also the close function of #TlReaderFormat */
void tl_hdf5_scan_close (gpointer scan);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlHdf5Scan, tl_hdf5_scan_close)

/** tl_hdf5_scan_get_file: Returns: (transfer none): the open file */
TlHdf5Id tl_hdf5_scan_get_file (TlHdf5Scan *scan);

/** tl_hdf5_scan_get_name: Returns: (transfer none): for messages. */
const char *tl_hdf5_scan_get_name (TlHdf5Scan *scan);

/**
 * tl_hdf5_scan_add:
 * @dataset: [frame][row][col], or [row][col] for one frame; the scan keeps a
 *   reference
 * @what: the frames of @kind in words, for messages
 * @set: (out): its shape and type
 *
 * Returns: %FALSE with TL_ERROR_SHAPE, TL_ERROR_UNSUPPORTED or TL_ERROR_FILE (a
 *   source of a virtual dataset is missing)
 */
gboolean tl_hdf5_scan_add (TlHdf5Scan *scan, TlFrameKind kind, TlHdf5Id dataset,
                           const char *what, TlFrameSet *set, GError **error);

/**
 * tl_hdf5_scan_choose:
 * @frames: (transfer full): indices into the dataset, ascending
 *
 * From now on, frame k of @kind is frame @frames[k] of the dataset.
 */
void tl_hdf5_scan_choose (TlHdf5Scan *scan, TlFrameKind kind, size_t *frames);

/** tl_hdf5_scan_describe_blocks: Sets block_frames and block_rows in @draft to
 * the size of a chunk of the projections; 0 if the dataset is not chunked. */
void tl_hdf5_scan_describe_blocks (TlHdf5Scan *scan, TlScanDraft *draft);

/** tl_hdf5_scan_read: the read function of #TlReaderFormat. */
gboolean tl_hdf5_scan_read (gpointer source, TlFrameKind kind,
                            size_t first_frame, size_t n_frames,
                            const size_t *rows, size_t n_rows, void *dest,
                            GError **error);
