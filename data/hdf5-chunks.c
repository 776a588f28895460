/* Chunks that have fewer bytes than HDF5 assumes. */
#include "data/hdf5-guard.h"

#include <isa-l/igzip_lib.h>
#include <string.h>

enum
{
  MAX_FILTERS = 32, /* that HDF5 has */
  CHECKSUM_BYTES = 4,
  INFLATED_BYTES = 32 << 10 /* at a time */
};

/* Of a dataset that is read whole: no list of numbers or texts needs more. */
#define MAX_SMALL_BYTES ((guint64)256 << 20)

/* How the chunks of a dataset are stored. */
typedef struct
{
  hid_t data;
  int n_dims, n_filters;
  hsize_t dims[H5S_MAX_RANK], chunk[H5S_MAX_RANK];
  gboolean leaves_edges; /* chunks that reach beyond the dataset have no filter
                          */
  H5Z_filter_t filters[MAX_FILTERS];
  unsigned shuffled_bytes[MAX_FILTERS]; /* of a sample, where that is shuffle */
  guint64 bytes;                        /* of a chunk without filters */
  hsize_t file_bytes;
} Chunks;

/* Returns: whether all filters are such whose sizes are known */
static gboolean
find_filters (Chunks *chunks, hid_t made)
{
  chunks->n_filters = H5Pget_nfilters (made);
  if (chunks->n_filters > MAX_FILTERS)
    return FALSE;
  for (int i = 0; i < chunks->n_filters; i++)
    {
      unsigned flags;
      size_t n_values = 1;
      const H5Z_filter_t filter =
          H5Pget_filter2 (made, (unsigned)i, &flags, &n_values,
                          &chunks->shuffled_bytes[i], 0, NULL, NULL);
      chunks->filters[i] = filter;
      if (filter != H5Z_FILTER_DEFLATE && filter != H5Z_FILTER_SHUFFLE
          && filter != H5Z_FILTER_FLETCHER32)
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
  const gboolean is_known = chunks->n_dims > 0 && find_filters (chunks, made);
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

/* Returns: whether a stream of zlib has @want bytes */
static gboolean
inflates_to (const guint8 *stored, guint64 n, guint64 want)
{
  struct inflate_state state;
  guint8 bytes[INFLATED_BYTES];
  guint64 n_inflated = 0;
  isal_inflate_init (&state);
  state.crc_flag = ISAL_ZLIB;
  state.next_in = (guint8 *)stored;
  state.avail_in = (guint32)n;
  do
    {
      state.next_out = bytes;
      state.avail_out = sizeof bytes;
      if (isal_inflate (&state) != ISAL_DECOMP_OK)
        return FALSE;
      n_inflated += sizeof bytes - state.avail_out;
    }
  while (state.block_state != ISAL_BLOCK_FINISH && state.avail_out == 0
         && n_inflated <= want);
  return state.block_state == ISAL_BLOCK_FINISH && n_inflated == want;
}

/* Brings the @size bytes of each sample together again. */
static gboolean
unshuffle (guint8 *stored, guint64 n, guint64 size)
{
  const guint64 n_samples = size > 1 ? n / size : 0;
  g_autofree guint8 *shuffled = g_try_malloc (n);
  if (shuffled == NULL)
    return FALSE;
  memcpy (shuffled, stored, n);
  for (guint64 byte = 0; byte < size && n_samples > 0; byte++)
    for (guint64 i = 0; i < n_samples; i++)
      stored[i * size + byte] = shuffled[byte * n_samples + i];
  return TRUE;
}

/* Returns: whether @stored, [@n], is what deflate, filter @i, has made of the
 * chunk and the checksums that were added before. Two of deflate are refused.
 */
static gboolean
is_deflated_whole (const Chunks *chunks, int i, const guint8 *stored, guint64 n,
                   unsigned skipped)
{
  guint64 want = chunks->bytes;
  while (i-- > 0)
    if ((skipped >> i & 1) == 0)
      {
        if (chunks->filters[i] == H5Z_FILTER_DEFLATE)
          return FALSE;
        if (chunks->filters[i] == H5Z_FILTER_FLETCHER32)
          want += CHECKSUM_BYTES;
      }
  return inflates_to (stored, n, want);
}

/* Undoes the filters from the last one to deflate, and counts what that gives.
 * @stored: [@n], changed; @skipped: bit k: filter k was not applied
 *
 * Returns: whether the chunk has as many bytes as its dataset says */
static gboolean
is_whole (const Chunks *chunks, guint8 *stored, guint64 n, unsigned skipped)
{
  for (int i = chunks->n_filters; i-- > 0;)
    {
      if ((skipped >> i & 1) != 0)
        continue;
      if (chunks->filters[i] == H5Z_FILTER_DEFLATE)
        return is_deflated_whole (chunks, i, stored, n, skipped);
      if (chunks->filters[i] == H5Z_FILTER_FLETCHER32)
        {
          if (n < CHECKSUM_BYTES)
            return FALSE;
          n -= CHECKSUM_BYTES;
        }
      else if (!unshuffle (stored, n, chunks->shuffled_bytes[i]))
        return FALSE;
    }
  return n == chunks->bytes;
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

static gboolean
is_chunk_sound (const Chunks *chunks, const hsize_t *at)
{
  const gboolean is_plain =
      chunks->n_filters == 0
      || (chunks->leaves_edges && reaches_beyond (chunks, at));
  hsize_t n = 0;
  unsigned skipped;
  if (H5Dget_chunk_storage_size (chunks->data, at, &n) < 0 || n == 0)
    return TRUE; /* it is not there: HDF5 gives the fill value, or an error */
  if (is_plain || n > chunks->file_bytes || n > G_MAXUINT32)
    return is_plain && n == chunks->bytes;
  g_autofree guint8 *stored = g_try_malloc (n);
  return stored != NULL
         && H5Dread_chunk (chunks->data, H5P_DEFAULT, at, &skipped, stored) >= 0
         && is_whole (chunks, stored, n, skipped);
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
 * @before: (nullable): a block whose chunks have been looked at */
static gboolean
is_block_sound (const Chunks *chunks, const hsize_t *block,
                const hsize_t *before)
{
  hsize_t first[H5S_MAX_RANK], at[H5S_MAX_RANK];
  for (int i = 0; i < chunks->n_dims; i++)
    at[i] = first[i] = block[i] - block[i] % chunks->chunk[i];
  do
    if ((before == NULL || !has_some (chunks, at, before))
        && !is_chunk_sound (chunks, at))
      return FALSE;
  while (go_on (chunks, first, block + chunks->n_dims, at));
  return TRUE;
}

/* The blocks of a selection are in order: what two of them share of a chunk is
 * in two that follow each other. */
static gboolean
is_selection_sound (const Chunks *chunks, hid_t selected)
{
  const size_t n_ends = 2 * (size_t)chunks->n_dims;
  const hssize_t n = H5Sget_select_hyper_nblocks (selected);
  g_autofree hsize_t *blocks =
      n > 0 ? g_try_malloc_n ((size_t)n, n_ends * sizeof *blocks) : NULL;
  if (blocks == NULL
      || H5Sget_select_hyper_blocklist (selected, 0, (hsize_t)n, blocks) < 0)
    return FALSE;
  for (size_t k = 0; k < (size_t)n; k++)
    {
      const hsize_t *block = blocks + k * n_ends;
      if (!is_block_sound (chunks, block, k > 0 ? block - n_ends : NULL))
        return FALSE;
    }
  return TRUE;
}

static gboolean
is_all_sound (const Chunks *chunks)
{
  hsize_t block[2 * H5S_MAX_RANK] = { 0 };
  for (int i = 0; i < chunks->n_dims; i++)
    {
      if (chunks->dims[i] == 0)
        return TRUE;
      block[chunks->n_dims + i] = chunks->dims[i] - 1;
    }
  return (chunks->n_filters == 0 || chunks->bytes <= MAX_SMALL_BYTES)
         && is_block_sound (chunks, block, NULL);
}

gboolean
tl_hdf5_has_sound_chunks (hid_t data, hid_t selected)
{
  Chunks chunks;
  if (!begin (&chunks, data))
    return TRUE;
  const gboolean is_sound = selected == H5S_ALL
                                ? is_all_sound (&chunks)
                                : is_selection_sound (&chunks, selected);
  H5Eclear2 (H5E_DEFAULT);
  if (!is_sound)
    H5Epush2 (H5E_DEFAULT, __FILE__, __func__, __LINE__, H5E_ERR_CLS,
              H5E_DATASET, H5E_BADVALUE,
              "a chunk has another size than the dataset says");
  return is_sound;
}
