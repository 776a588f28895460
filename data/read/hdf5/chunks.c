/* HDF5 reads one chunk after the other and inflates it meanwhile. Here HDF5
 * only says where a chunk is; the calling thread reads and inflates it. */
#include "data/read/hdf5/chunks-private.h"

#include "data/error.h"
#include "data/hdf5-guard.h"
#include "data/inflation.h"
#include "data/read/format/place.h"
#include "data/read/format/rows.h"

#include <glib/gi18n.h>
#include <string.h>

enum
{
  N_DIMS = 3,
  /* HDF5 1.10 finds a place by passing all chunks before it, 13 ns for each:
   * with more chunks it reads the stored bytes itself, which takes 2 us. */
  MAX_PLACES = 8192,
  /* The processor inflates fewer chunks sooner than a device. */
  LEAST_FOR_DEVICE = 16
};

/* A chunk in the file; 0 bytes, which are set last: not asked for yet. */
typedef struct
{
  guint64 offset;
  size_t bytes;
  guint32 skipped; /* bit k: filter k was not applied */
} Place;

struct TlHdf5Chunks
{
  TlHdf5Id dataset;
  int fd;
  size_t sample_bytes;
  size_t dims[N_DIMS], chunk[N_DIMS];
  size_t grid[N_DIMS];      /* how many chunks lie along each axis */
  size_t bytes;             /* of an inflated chunk */
  guint32 shuffle, deflate; /* the bit of the filter; 0: not used */
  Place *places;            /* (nullable): [grid]; after tl_hdf5_enter() only */
  TlInflation **inflations; /* (nullable): [grid]; of the chunks that are
                               inflated by and by */
  TlInflater *inflater;     /* (nullable) */
  gboolean skips_rest;      /* inflates chunks only as far as they are wanted */
};

/* The memory of one tl_hdf5_chunks_read(). */
typedef struct
{
  void *stored;
  size_t stored_bytes;
  void *inflated; /* [chunks->bytes] */
} Scratch;

static void
scratch_clear (Scratch *scratch)
{
  g_free (scratch->stored);
  g_free (scratch->inflated);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Scratch, scratch_clear)

/* Returns: %FALSE if there are filters other than shuffle, then deflate */
static gboolean
find_filters (TlHdf5Chunks *chunks, TlHdf5Id plist)
{
  TlHdf5Filters filters;
  if (!tl_hdf5_get_filters (plist, &filters))
    return FALSE;
  for (int i = 0; i < filters.n; i++)
    if (filters.ids[i] == H5Z_FILTER_SHUFFLE && i == 0
        && filters.shuffled_bytes[i] == chunks->sample_bytes)
      chunks->shuffle = 1u << i;
    else if (filters.ids[i] == H5Z_FILTER_DEFLATE && i == filters.n - 1)
      chunks->deflate = 1u << i;
    else
      return FALSE;
  return TRUE;
}

/* In a file that does not begin with HDF5's own bytes, the places that HDF5
 * 1.10 returns do not count from the beginning of the file. */
static gboolean
has_user_block (TlHdf5Id dataset)
{
  hsize_t bytes = 0;
  g_auto (TlHdf5Id) file = H5Iget_file_id (dataset);
  g_auto (TlHdf5Id) plist = file < 0 ? -1 : H5Fget_create_plist (file);
  return plist < 0 || H5Pget_userblock (plist, &bytes) < 0 || bytes > 0;
}

TlHdf5Chunks *
tl_hdf5_chunks_new (TlHdf5Id dataset, const TlFrameSet *set, int fd)
{
  const size_t dims[N_DIMS] = { set->n_frames, set->n_rows, set->n_cols };
  hsize_t chunk[N_DIMS];
  unsigned options = 0;
  g_autoptr (TlHdf5Chunks) chunks = g_new0 (TlHdf5Chunks, 1);
  g_auto (TlHdf5Id) plist = H5Dget_create_plist (dataset);
  chunks->dataset = dataset;
  chunks->fd = fd;
  chunks->sample_bytes = tl_sample_size (set->type);
  if (plist < 0 || H5Pget_chunk (plist, N_DIMS, chunk) != N_DIMS
      || H5Pget_chunk_opts (plist, &options) < 0 || options != 0
      || !find_filters (chunks, plist))
    return NULL;
  size_t n_places = 1;
  chunks->bytes = chunks->sample_bytes; /* less than 4 GB, as HDF5 demands */
  for (int i = 0; i < N_DIMS; i++)
    {
      chunks->dims[i] = dims[i];
      chunks->chunk[i] = chunk[i];
      chunks->grid[i] = dims[i] / chunk[i] + (dims[i] % chunk[i] > 0);
      chunks->bytes *= chunk[i];
      n_places = chunks->grid[i] <= MAX_PLACES ? n_places * chunks->grid[i]
                                               : MAX_PLACES + 1;
      n_places = MIN (n_places, MAX_PLACES + 1);
    }
  if (n_places <= MAX_PLACES && !has_user_block (dataset))
    chunks->places = g_new0 (Place, n_places);
  return g_steal_pointer (&chunks);
}

/* Returns: chunks in the list of places */
static size_t
count_places (const TlHdf5Chunks *chunks)
{
  return chunks->places != NULL
             ? chunks->grid[0] * chunks->grid[1] * chunks->grid[2]
             : 0;
}

/* Returns: whether a compressed chunk has its rows one after the other.
 * Shuffling spreads a row over all of a chunk, and so does a second frame. */
static gboolean
has_rows_in_order (const TlHdf5Chunks *chunks)
{
  return chunks->deflate != 0 && chunks->shuffle == 0 && chunks->chunk[0] == 1
         && chunks->chunk[2] == chunks->dims[2];
}

guint64
tl_hdf5_chunks_count_ascending (const TlHdf5Chunks *chunks)
{
  return has_rows_in_order (chunks)
             ? count_places (chunks) / chunks->grid[1] * TL_INFLATION_BYTES
             : 0;
}

gboolean
tl_hdf5_chunks_use_inflater (TlHdf5Chunks *chunks, TlInflater *inflater)
{
  const gboolean can = chunks->inflations != NULL
                       || (chunks->skips_rest && has_rows_in_order (chunks)
                           && chunks->places != NULL);
  chunks->inflater = can ? inflater : NULL;
  return chunks->inflater != NULL;
}

void
tl_hdf5_chunks_skip_rest (TlHdf5Chunks *chunks)
{
  chunks->skips_rest = TRUE;
}

gboolean
tl_hdf5_chunks_have_rows (const TlHdf5Chunks *chunks)
{
  return chunks->places != NULL && chunks->shuffle == 0 && chunks->deflate == 0;
}

size_t
tl_hdf5_chunks_count_together (const TlHdf5Chunks *chunks)
{
  return tl_hdf5_chunks_have_rows (chunks) ? 1 : chunks->chunk[0];
}

void
tl_hdf5_chunks_free (TlHdf5Chunks *chunks)
{
  if (chunks == NULL)
    return;
  for (size_t k = 0; chunks->inflations != NULL && k < count_places (chunks);
       k++)
    tl_inflation_free (chunks->inflations[k]);
  g_free (chunks->inflations);
  g_free (chunks->places);
  g_free (chunks);
}

/* Makes room for @bytes as they are stored. */
static gboolean
reserve (Scratch *scratch, size_t bytes)
{
  if (bytes <= scratch->stored_bytes)
    return TRUE;
  g_free (scratch->stored);
  scratch->stored = g_try_malloc (bytes);
  scratch->stored_bytes = scratch->stored != NULL ? bytes : 0;
  return scratch->stored != NULL;
}

static size_t
find_index (const TlHdf5Chunks *chunks, const size_t *at)
{
  return (at[0] * chunks->grid[1] + at[1]) * chunks->grid[2] + at[2];
}

/* Asks HDF5 for the place of a chunk, or for its bytes where the chunks are too
 * many for a list. @at: position in the grid */
static gboolean
ask (TlHdf5Chunks *chunks, const size_t *at, Place *place, Scratch *scratch)
{
  const size_t index = find_index (chunks, at);
  const hsize_t offset[N_DIMS] = { at[0] * chunks->chunk[0],
                                   at[1] * chunks->chunk[1],
                                   at[2] * chunks->chunk[2] };
  Place *known = chunks->places != NULL ? &chunks->places[index] : NULL;
  if (known != NULL && g_atomic_pointer_get (&known->bytes) > 0)
    {
      *place = *known;
      return TRUE;
    }
  g_auto (TlHdf5Turn) turn G_GNUC_UNUSED = tl_hdf5_enter ();
  hsize_t bytes = 0;
  gboolean found;
  if (known != NULL && known->bytes > 0)
    {
      *place = *known;
      return TRUE;
    }
  if (chunks->places == NULL)
    found = H5Dget_chunk_storage_size (chunks->dataset, offset, &bytes) >= 0
            && bytes > 0 && reserve (scratch, bytes)
            && H5Dread_chunk (chunks->dataset, H5P_DEFAULT, offset,
                              &place->skipped, scratch->stored)
                   >= 0;
  else
    {
      haddr_t address = HADDR_UNDEF;
      found = H5Dget_chunk_info_by_coord (chunks->dataset, offset,
                                          &place->skipped, &address, &bytes)
                  >= 0
              && bytes > 0 && address != HADDR_UNDEF;
      place->offset = address;
    }
  H5Eclear2 (H5E_DEFAULT);
  place->bytes = bytes;
  if (found && known != NULL)
    {
      known->offset = place->offset;
      known->skipped = place->skipped;
      g_atomic_pointer_set (&known->bytes, place->bytes);
    }
  return found;
}

/* What is not found is asked for again when it is read. */
static void
find_places (TlHdf5Chunks *chunks)
{
  const size_t *grid = chunks->grid;
  Place place = { 0 };
  for (size_t f = 0; f < grid[0]; f++)
    for (size_t y = 0; y < grid[1]; y++)
      for (size_t x = 0; x < grid[2]; x++)
        ask (chunks, (size_t[]){ f, y, x }, &place, NULL);
}

void
tl_hdf5_chunks_ascend (TlHdf5Chunks *chunks)
{
  if (tl_hdf5_chunks_count_ascending (chunks) == 0
      || chunks->inflations != NULL)
    return;
  chunks->inflations = g_new0 (TlInflation *, count_places (chunks));
  find_places (chunks);
}

/* The samples of one chunk. */
typedef struct
{
  const char *samples; /* (nullable): %NULL: not read, in the file at offset */
  guint64 offset;
  gboolean is_shuffled;
  TlInflation *inflation; /* (nullable): inflates the samples by and by */
} Content;

/* A #TlReadStored. @index: of a chunk whose place is known */
static gboolean
read_place (gpointer data, size_t index, guint64 offset, size_t n, void *dest)
{
  const TlHdf5Chunks *chunks = data;
  return tl_place_read (chunks->fd, chunks->places[index].offset + offset, n,
                        dest, "")
         == NULL;
}

/* @dest: (nullable): room for the chunk, taken if inflating is all that it
 * needs
 * @n_wanted: bytes of the inflated chunk that are used, from the first on
 */
static gboolean
load (TlHdf5Chunks *chunks, const size_t *at, Scratch *scratch, char *dest,
      size_t n_wanted, Content *content)
{
  Place place = { 0 };
  if (!ask (chunks, at, &place, scratch))
    return FALSE;
  const gboolean is_deflated = (chunks->deflate & ~place.skipped) != 0;
  *content = (Content){ .samples = scratch->stored, .offset = place.offset };
  content->is_shuffled =
      (chunks->shuffle & ~place.skipped) != 0 && chunks->sample_bytes > 1;
  if (!is_deflated && place.bytes != chunks->bytes)
    return FALSE;
  if (is_deflated && chunks->inflations != NULL)
    {
      const size_t index = find_index (chunks, at);
      TlInflation **inflation = &chunks->inflations[index];
      if (*inflation == NULL)
        *inflation = tl_inflation_new (read_place, chunks, index, place.bytes,
                                       chunks->bytes);
      content->inflation = *inflation;
      return TRUE;
    }
  if (chunks->places != NULL)
    {
      if (!is_deflated && !content->is_shuffled)
        {
          content->samples = NULL;
          return TRUE;
        }
      if (!reserve (scratch, place.bytes)
          || tl_place_read (chunks->fd, place.offset, place.bytes,
                            scratch->stored, "")
                 != NULL)
        return FALSE;
      content->samples = scratch->stored;
    }
  if (!is_deflated)
    return TRUE;
  if (content->is_shuffled || !chunks->skips_rest)
    n_wanted = chunks->bytes;
  if (dest == NULL || content->is_shuffled)
    {
      if (scratch->inflated == NULL)
        scratch->inflated = g_try_malloc (chunks->bytes);
      dest = scratch->inflated;
    }
  content->samples = dest;
  return dest != NULL
         && tl_inflate (scratch->stored, place.bytes, FALSE, dest, n_wanted,
                        chunks->bytes);
}

/* Copies @n samples from the @first of a chunk on. The bytes of shuffled
 * samples are in planes: all first bytes, then all second bytes, and so on. */
static gboolean
copy (const TlHdf5Chunks *chunks, const Content *content, size_t first,
      size_t n, char *dest, GError **error)
{
  const size_t size = chunks->sample_bytes;
  if (content->inflation != NULL)
    {
      const TlInflationResult result =
          tl_inflation_read (content->inflation, first * size, n * size, dest);
      return result == TL_INFLATION_GOOD
             || (result == TL_INFLATION_DAMAGED
                 && tl_fail (error, TL_ERROR_DAMAGE,
                             _ ("a compressed image is damaged, which shows "
                                "only at its end: what was read of it before "
                                "may be wrong")));
    }
  if (content->samples == NULL)
    return tl_place_read (chunks->fd, content->offset + first * size, n * size,
                          dest, "")
           == NULL;
  if (!content->is_shuffled)
    {
      memcpy (dest, content->samples + first * size, n * size);
      return TRUE;
    }
  for (size_t b = 0; b < size; b++)
    {
      const char *plane = content->samples + b * (chunks->bytes / size) + first;
      for (size_t i = 0; i < n; i++)
        dest[i * size + b] = plane[i];
    }
  return TRUE;
}

/* What tl_hdf5_chunks_read() was asked for. */
typedef struct
{
  size_t first, n;
  const size_t *rows;
  size_t n_rows;
  char *dest;
} Request;

/* Copies the @n_rows wanted rows, from the @k-th on, that lie in the chunk. */
static gboolean
read_chunk (TlHdf5Chunks *chunks, const size_t *at, const Request *request,
            size_t k, size_t n_rows, Scratch *scratch, GError **error)
{
  const size_t *chunk = chunks->chunk;
  const size_t n_all_cols = chunks->dims[2], first_col = at[2] * chunk[2];
  const size_t n_cols = MIN (chunk[2], n_all_cols - first_col);
  const size_t begin = MAX (at[0] * chunk[0], request->first);
  const size_t end = MIN ((at[0] + 1) * chunk[0], request->first + request->n);
  char *dest = request->dest
               + (((begin - request->first) * request->n_rows + k) * n_all_cols
                  + first_col)
                     * chunks->sample_bytes;
  const gboolean is_whole = end - begin == chunk[0] && n_rows == chunk[1]
                            && chunk[2] == n_all_cols
                            && (chunk[0] == 1 || n_rows == request->n_rows);
  /* up to the end of the last row of the last frame */
  const size_t n_wanted = ((end - 1) % chunk[0] * chunk[1]
                           + request->rows[k + n_rows - 1] % chunk[1] + 1)
                          * chunk[2] * chunks->sample_bytes;
  Content content;
  if (!load (chunks, at, scratch, is_whole ? dest : NULL, n_wanted, &content))
    return FALSE;
  if (content.samples == dest)
    return TRUE;
  for (size_t f = begin; f < end; f++)
    for (size_t j = k, n_run; j < k + n_rows; j += n_run)
      {
        /* Rows as wide as the chunk follow each other in both places. */
        n_run = chunk[2] == n_all_cols
                    ? tl_rows_count_run (request->rows, k + n_rows, j)
                    : 1;
        const size_t sample =
            (f % chunk[0] * chunk[1] + request->rows[j] % chunk[1]) * chunk[2];
        const size_t place =
            ((f - begin) * request->n_rows + j - k) * n_all_cols;
        if (!copy (chunks, &content, sample, n_run * n_cols,
                   dest + place * chunks->sample_bytes, error))
          return FALSE;
      }
  return TRUE;
}

/* The chunks of some frames in one row of the grid, for a device. */
typedef struct
{
  TlHdf5Chunks *chunks;
  size_t grid_row;
} FrameRun;

/* A #TlReadStored. Each row of the grid numbers its chunks from a multiple of
 * the frames on. */
static gboolean
read_stored (gpointer data, size_t stream, guint64 offset, size_t n, void *dest)
{
  const FrameRun *run = data;
  const TlHdf5Chunks *chunks = run->chunks;
  const size_t frame = stream - run->grid_row * chunks->grid[0];
  const size_t at[N_DIMS] = { frame, run->grid_row, 0 };
  return read_place (run->chunks, find_index (chunks, at), offset, n, dest);
}

/* Returns: (transfer full) (nullable): [@n], how many bytes the chunks of the
 * frames have as they are stored; %NULL: one is missing or not compressed */
static guint64 *
list_stored_bytes (const FrameRun *run, size_t first, size_t n)
{
  g_autofree guint64 *stored_bytes = g_new (guint64, n);
  /* Holds the lock for all of them: if threads took turns for each chunk, every
   * group would begin late. */
  g_auto (TlHdf5Turn) turn G_GNUC_UNUSED = tl_hdf5_enter ();
  for (size_t k = 0; k < n; k++)
    {
      Place place = { 0 };
      if (!ask (run->chunks, (size_t[]){ first + k, run->grid_row, 0 }, &place,
                NULL)
          || (run->chunks->deflate & ~place.skipped) == 0)
        return NULL;
      stored_bytes[k] = place.bytes;
    }
  return g_steal_pointer (&stored_bytes);
}

/* Reads the @n_rows wanted rows from the @k-th on, which follow each other in
 * one row of the grid. */
static gboolean
read_rows_on_device (TlHdf5Chunks *chunks, const Request *request, size_t k,
                     size_t n_rows)
{
  const size_t row = request->rows[k],
               row_bytes = chunks->dims[2] * chunks->sample_bytes;
  FrameRun run = { chunks, row / chunks->chunk[1] };
  g_autofree guint64 *stored_bytes =
      list_stored_bytes (&run, request->first, request->n);
  return stored_bytes != NULL
         && chunks->inflater->inflate (
             chunks->inflater,
             &(TlInflaterRequest){
                 .first = run.grid_row * chunks->grid[0] + request->first,
                 .n = request->n,
                 .bytes = chunks->bytes,
                 .stored_bytes = stored_bytes,
                 .first_byte = row % chunks->chunk[1] * row_bytes,
                 .n_bytes = n_rows * row_bytes,
                 .dest = request->dest + k * row_bytes,
                 .stride = request->n_rows * row_bytes,
                 .read = read_stored,
                 .data = &run,
             });
}

/* Returns: %FALSE if the device cannot read all of them */
static gboolean
read_on_device (TlHdf5Chunks *chunks, const Request *request)
{
  const size_t *rows = request->rows;
  for (size_t k = 0, n_here; k < request->n_rows; k += n_here)
    {
      n_here = MIN (
          tl_rows_count_run (rows, request->n_rows, k),
          tl_rows_count_within (rows, request->n_rows, k, chunks->chunk[1]));
      if (!read_rows_on_device (chunks, request, k, n_here))
        return FALSE;
    }
  return TRUE;
}

static gboolean
read_halves (TlHdf5Chunks *chunks, const Request *request, GError **error)
{
  const size_t n = request->n / 2;
  char *second = request->dest
                 + n * request->n_rows * chunks->dims[2] * chunks->sample_bytes;
  return tl_hdf5_chunks_read (chunks, request->first, n, request->rows,
                              request->n_rows, request->dest, error)
         && tl_hdf5_chunks_read (chunks, request->first + n, request->n - n,
                                 request->rows, request->n_rows, second, error);
}

gboolean
tl_hdf5_chunks_read (TlHdf5Chunks *chunks, size_t first, size_t n,
                     const size_t *rows, size_t n_rows, void *dest,
                     GError **error)
{
  const Request request = { first, n, rows, n_rows, dest };
  const size_t *chunk = chunks->chunk;
  if (chunks->inflater != NULL && n >= LEAST_FOR_DEVICE)
    {
      if (read_on_device (chunks, &request))
        return TRUE;
      if (g_cancellable_set_error_if_cancelled (chunks->inflater->cancellable,
                                                error))
        return FALSE;
      /* What the device cannot read is looked for, so that the processor need
       * not read the others. */
      if (n >= 2 * LEAST_FOR_DEVICE)
        return read_halves (chunks, &request, error);
      g_atomic_int_set (&chunks->inflater->has_failed, TRUE);
    }
  g_auto (Scratch) scratch = { 0 };
  for (size_t f = first / chunk[0]; f <= (first + n - 1) / chunk[0]; f++)
    for (size_t k = 0, n_here; k < n_rows; k += n_here)
      {
        n_here = tl_rows_count_within (rows, n_rows, k, chunk[1]);
        for (size_t x = 0; x < chunks->grid[2]; x++)
          if (!read_chunk (chunks, (size_t[]){ f, rows[k] / chunk[1], x },
                           &request, k, n_here, &scratch, error))
            return FALSE;
      }
  return TRUE;
}
