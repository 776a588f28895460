/* Reading the chunks of a dataset without HDF5, in any number of threads. */
#pragma once

#include "data/inflater.h"
#include "data/read/hdf5/hdf5-private.h"

typedef struct TlHdf5Chunks TlHdf5Chunks;

/**
 * tl_hdf5_chunks_new:
 * @dataset: [frame][row][col], chunked, samples in native byte order; must
 *   outlive the result
 * @set: its shape and type
 * @fd: its file; must outlive the result
 *
 * After tl_hdf5_enter(). Reads no chunk.
 *
 * Returns: (transfer full) (nullable): %NULL if the chunks have filters other
 *   than deflate and shuffle
 */
TlHdf5Chunks *tl_hdf5_chunks_new (TlHdf5Id dataset, const TlFrameSet *set,
                                  int fd);
void tl_hdf5_chunks_free (TlHdf5Chunks *chunks);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlHdf5Chunks, tl_hdf5_chunks_free)

/** tl_hdf5_chunks_have_rows: Returns: whether each row can be read alone,
 * because the chunks have no filters */
gboolean tl_hdf5_chunks_have_rows (const TlHdf5Chunks *chunks);

/** tl_hdf5_chunks_count_together: Returns: how many frames a chunk has, unless
 * they can be read alone, because the chunks have no filters; then 1 */
size_t tl_hdf5_chunks_count_together (const TlHdf5Chunks *chunks);

/** tl_hdf5_chunks_count_ascending: Returns: bytes of memory that inflating the
 * chunks by and by takes; 0: they cannot be inflated so */
guint64 tl_hdf5_chunks_count_ascending (const TlHdf5Chunks *chunks);
/** tl_hdf5_chunks_ascend: From now on the chunks are inflated by and by, where
 * they can, for reads of ascending rows. Finds their places, which takes 27 ms
 * for 2048 of them. */
void tl_hdf5_chunks_ascend (TlHdf5Chunks *chunks);
/** tl_hdf5_chunks_skip_rest: From now on a chunk is inflated up to the last row
 * that is wanted, where it can. The checksum behind it is not compared then. */
void tl_hdf5_chunks_skip_rest (TlHdf5Chunks *chunks);
/** tl_hdf5_chunks_use_inflater: From now on chunks are inflated on a device, if
 * they can be inflated in part and one of the two functions above has been
 * called. @inflater: (nullable): outlives the chunks. Returns: whether they are
 */
gboolean tl_hdf5_chunks_use_inflater (TlHdf5Chunks *chunks,
                                      TlInflater *inflater);

/**
 * tl_hdf5_chunks_read:
 * @first: the first of @n frames of the dataset
 * @rows: [@n_rows], ascending
 * @dest: (out caller-allocates): [@n][@n_rows][n_cols]
 *
 * Several threads may call it at once, each for other frames. Each chunk is
 * inflated once.
 *
 * Returns: %FALSE without an error if a chunk is missing, damaged or stored in
 *   another way, so that HDF5 has to read the frames or to say what is wrong
 *   with them; with TL_ERROR_DAMAGE if rows of it may have been read before
 */
gboolean tl_hdf5_chunks_read (TlHdf5Chunks *chunks, size_t first, size_t n,
                              const size_t *rows, size_t n_rows, void *dest,
                              GError **error);
