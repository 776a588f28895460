/* Chunks that have fewer bytes than HDF5 assumes. */
#include "data/hdf5-guard.h"

#include "data/inflation.h"

#include <string.h>

enum
{
  CHECKSUM_BYTES = 4
};

/* Of a dataset that is read whole: no list of numbers or texts needs more. */
#define MAX_SMALL_BYTES ((guint64)256 << 20)
/* HDF5 demands that a chunk has less, and inflates all that is stored. */
#define MAX_CHUNK_BYTES ((guint64)G_MAXUINT32)

/* HDF5 begins its own reasons for this with the same words. */
static const char *const no_memory = "memory allocation failed for a chunk";

/* How the chunks of a dataset are stored. */
typedef struct
{
  hid_t data;
  int n_dims;
  hsize_t dims[H5S_MAX_RANK], chunk[H5S_MAX_RANK];
  gboolean leaves_edges; /* chunks that reach beyond the dataset have no filter
                          */
  TlHdf5Filters filters;
  guint64 bytes, max_bytes; /* of a chunk without filters */
  hsize_t file_bytes;
} Chunks;

gboolean
tl_hdf5_get_filters (hid_t made, TlHdf5Filters *filters)
{
  *filters = (TlHdf5Filters){ .n = H5Pget_nfilters (made) };
  if (filters->n < 0 || filters->n > TL_HDF5_MAX_FILTERS)
    return FALSE;
  for (int i = 0; i < filters->n; i++)
    {
      unsigned flags;
      size_t n_values = 1;
      const H5Z_filter_t id =
          H5Pget_filter2 (made, (unsigned)i, &flags, &n_values,
                          &filters->shuffled_bytes[i], 0, NULL, NULL);
      filters->ids[i] = id;
      if (id != H5Z_FILTER_DEFLATE && id != H5Z_FILTER_SHUFFLE
          && id != H5Z_FILTER_FLETCHER32)
        return FALSE;
    }
  return TRUE;
}

/* Returns: bytes of a sample in the file. A text of variable length is there as
 * its length, the address of a heap and a number. */
static size_t
get_stored_size (hid_t type, hid_t file)
{
  size_t address_bytes = 0, size_bytes = 0;
  if (H5Tis_variable_str (type) <= 0)
    return H5Tget_size (type);
  hid_t made = H5Fget_create_plist (file);
  H5Pget_sizes (made, &address_bytes, &size_bytes);
  H5Pclose (made);
  return 4 + address_bytes + 4;
}

static void
find_sizes (Chunks *chunks)
{
  hid_t type = H5Dget_type (chunks->data), space = H5Dget_space (chunks->data),
        file = H5Iget_file_id (chunks->data);
  chunks->bytes = get_stored_size (type, file); /* HDF5 demands: below 4 GB */
  for (int i = 0; i < chunks->n_dims; i++)
    chunks->bytes *= chunks->chunk[i];
  H5Sget_simple_extent_dims (space, chunks->dims, NULL);
  H5Fget_filesize (file, &chunks->file_bytes);
  H5Fclose (file);
  H5Sclose (space);
  H5Tclose (type);
}

/* Returns: whether @data has chunks whose sizes can be known */
static gboolean
begin (Chunks *chunks, hid_t data)
{
  hid_t made = H5Dget_create_plist (data);
  unsigned options = 0;
  *chunks = (Chunks){ .data = data };
  chunks->n_dims = H5Pget_layout (made) == H5D_CHUNKED
                       ? H5Pget_chunk (made, H5S_MAX_RANK, chunks->chunk)
                       : 0;
  const gboolean is_known =
      chunks->n_dims > 0 && tl_hdf5_get_filters (made, &chunks->filters);
  if (is_known)
    {
      H5Pget_chunk_opts (made, &options);
      chunks->leaves_edges =
          (options & H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS) != 0;
      find_sizes (chunks);
    }
  H5Pclose (made);
  return is_known;
}

/* A chunk in memory, as it is stored. */
typedef struct
{
  guint8 *bytes;
  guint64 n;
  unsigned skipped; /* bit k: filter k was not applied */
} Stored;

/* A #TlReadStored. */
static gboolean
read_stored (gpointer data, size_t stream, guint64 offset, size_t n, void *dest)
{
  const Stored *stored = data;
  memcpy (dest, stored->bytes + offset, n);
  return TRUE;
}

/* Returns: what is wrong, if a stream of zlib has fewer than @want bytes or
 * more than @most */
static const char *
check_stream (Stored *stored, guint64 want, guint64 most)
{
  guint64 n;
  g_autoptr (TlInflation) inflation =
      tl_inflation_new (read_stored, stored, 0, stored->n, most);
  const TlInflationResult result = tl_inflation_count (inflation, &n);
  if (result == TL_INFLATION_NO_MEMORY)
    return no_memory;
  if (result != TL_INFLATION_GOOD || n < want)
    return TL_HDF5_TOO_SHORT;
  return n > most ? TL_HDF5_TOO_LARGE : NULL;
}

/* Brings the @size bytes of each sample together again. Returns: what is wrong
 */
static const char *
unshuffle (Stored *stored, guint64 size)
{
  const guint64 n_samples = size > 1 ? stored->n / size : 0;
  g_autofree guint8 *shuffled = g_try_malloc (stored->n);
  if (shuffled == NULL)
    return no_memory;
  memcpy (shuffled, stored->bytes, stored->n);
  for (guint64 byte = 0; byte < size && n_samples > 0; byte++)
    for (guint64 i = 0; i < n_samples; i++)
      stored->bytes[i * size + byte] = shuffled[byte * n_samples + i];
  return NULL;
}

/* Returns: what is wrong with @stored, which deflate, filter @i, has made of
 * the chunk and the checksums that were added before. Two of deflate are
 * refused. */
static const char *
check_deflated (const Chunks *chunks, int i, Stored *stored)
{
  guint64 added = 0;
  while (i-- > 0)
    if ((stored->skipped >> i & 1) == 0)
      {
        if (chunks->filters.ids[i] == H5Z_FILTER_DEFLATE)
          return TL_HDF5_DEFLATED_TWICE;
        if (chunks->filters.ids[i] == H5Z_FILTER_FLETCHER32)
          added += CHECKSUM_BYTES;
      }
  return check_stream (stored, chunks->bytes + added,
                       chunks->max_bytes + added);
}

/* Undoes the filters from the last one to deflate, and counts what that gives.
 * HDF5 drops what is more than the dataset says.
 *
 * Returns: what is wrong with @stored, which is changed */
static const char *
check_stored (const Chunks *chunks, Stored *stored)
{
  for (int i = chunks->filters.n; i-- > 0;)
    {
      const char *problem = NULL;
      if ((stored->skipped >> i & 1) != 0)
        continue;
      if (chunks->filters.ids[i] == H5Z_FILTER_DEFLATE)
        return check_deflated (chunks, i, stored);
      if (chunks->filters.ids[i] == H5Z_FILTER_SHUFFLE)
        problem = unshuffle (stored, chunks->filters.shuffled_bytes[i]);
      else if (stored->n < CHECKSUM_BYTES)
        problem = TL_HDF5_TOO_SHORT;
      else
        stored->n -= CHECKSUM_BYTES;
      if (problem != NULL)
        return problem;
    }
  return stored->n < chunks->bytes ? TL_HDF5_TOO_SHORT : NULL;
}

/* @at: [n_dims], the first sample of the chunk */
static gboolean
reaches_beyond (const Chunks *chunks, const hsize_t *at)
{
  for (int i = 0; i < chunks->n_dims; i++)
    if (chunks->dims[i] - at[i] < chunks->chunk[i])
      return TRUE;
  return FALSE;
}

/* Returns: what is wrong */
static const char *
check_chunk (const Chunks *chunks, const hsize_t *at)
{
  const gboolean is_plain =
      chunks->filters.n == 0
      || (chunks->leaves_edges && reaches_beyond (chunks, at));
  Stored stored = { 0 };
  hsize_t n = 0;
  if (H5Dget_chunk_storage_size (chunks->data, at, &n) < 0 || n == 0)
    return NULL; /* it is not there: HDF5 gives the fill value, or an error */
  if (is_plain || n > chunks->file_bytes)
    return is_plain && n >= chunks->bytes ? NULL : TL_HDF5_TOO_SHORT;
  if (n > MAX_CHUNK_BYTES)
    return TL_HDF5_TOO_LARGE;
  g_autofree guint8 *bytes = g_try_malloc (n);
  if (bytes == NULL)
    return no_memory;
  stored.bytes = bytes;
  stored.n = n;
  return H5Dread_chunk (chunks->data, H5P_DEFAULT, at, &stored.skipped, bytes)
                 < 0
             ? TL_HDF5_TOO_SHORT
             : check_stored (chunks, &stored);
}

/* Moves @at to the next chunk between @first and @last, the last axis first.
 * Returns: %FALSE: there is none */
static gboolean
go_on (const Chunks *chunks, const hsize_t *first, const hsize_t *last,
       hsize_t *at)
{
  for (int i = chunks->n_dims; i-- > 0;)
    {
      if (last[i] - at[i] >= chunks->chunk[i])
        {
          at[i] += chunks->chunk[i];
          return TRUE;
        }
      at[i] = first[i];
    }
  return FALSE;
}

static gboolean
has_some (const Chunks *chunks, const hsize_t *at, const hsize_t *block)
{
  for (int i = 0; i < chunks->n_dims; i++)
    if (block[i] >= at[i] + chunks->chunk[i]
        || block[chunks->n_dims + i] < at[i])
      return FALSE;
  return TRUE;
}

/* @block: the first sample along each axis, then the last one
 * @before: (nullable): a block whose chunks have been looked at
 *
 * Returns: what is wrong */
static const char *
check_block (const Chunks *chunks, const hsize_t *block, const hsize_t *before)
{
  hsize_t first[H5S_MAX_RANK], at[H5S_MAX_RANK];
  for (int i = 0; i < chunks->n_dims; i++)
    at[i] = first[i] = block[i] - block[i] % chunks->chunk[i];
  do
    {
      const char *problem = before == NULL || !has_some (chunks, at, before)
                                ? check_chunk (chunks, at)
                                : NULL;
      if (problem != NULL)
        return problem;
    }
  while (go_on (chunks, first, block + chunks->n_dims, at));
  return NULL;
}

/* The blocks of a selection are in order: what two of them share of a chunk is
 * in two that follow each other. Returns: what is wrong */
static const char *
check_selected (const Chunks *chunks, hid_t selected)
{
  const size_t n_ends = 2 * (size_t)chunks->n_dims;
  const hssize_t n = H5Sget_select_hyper_nblocks (selected);
  g_autofree hsize_t *blocks =
      n > 0 ? g_try_malloc_n ((size_t)n, n_ends * sizeof *blocks) : NULL;
  if (blocks == NULL
      || H5Sget_select_hyper_blocklist (selected, 0, (hsize_t)n, blocks) < 0)
    return no_memory;
  for (size_t k = 0; k < (size_t)n; k++)
    {
      const hsize_t *block = blocks + k * n_ends;
      const char *problem =
          check_block (chunks, block, k > 0 ? block - n_ends : NULL);
      if (problem != NULL)
        return problem;
    }
  return NULL;
}

/* Returns: what is wrong */
static const char *
check_all (const Chunks *chunks)
{
  hsize_t block[2 * H5S_MAX_RANK] = { 0 };
  for (int i = 0; i < chunks->n_dims; i++)
    {
      if (chunks->dims[i] == 0)
        return NULL;
      block[chunks->n_dims + i] = chunks->dims[i] - 1;
    }
  return chunks->filters.n > 0 && chunks->bytes > chunks->max_bytes
             ? TL_HDF5_TOO_LARGE
             : check_block (chunks, block, NULL);
}

gboolean
tl_hdf5_has_sound_chunks (hid_t data, hid_t selected)
{
  Chunks chunks;
  if (!begin (&chunks, data))
    return TRUE;
  chunks.max_bytes = selected == H5S_ALL ? MAX_SMALL_BYTES : MAX_CHUNK_BYTES;
  const char *problem = selected == H5S_ALL
                            ? check_all (&chunks)
                            : check_selected (&chunks, selected);
  H5Eclear2 (H5E_DEFAULT);
  if (problem != NULL)
    H5Epush2 (H5E_DEFAULT, __FILE__, __func__, __LINE__, H5E_ERR_CLS,
              H5E_DATASET, H5E_BADVALUE, "%s", problem);
  return problem == NULL;
}
