#include "data/read/zarr/array-private.h"

#include "data/array.h"
#include "data/error.h"
#include "data/read/scan/draft.h"
#include "data/inflation.h"
#include "data/read/format/place.h"
#include "data/read/format/rows.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef TL_HAVE_BLOSC
#include <blosc.h>
#endif

enum
{
  FRAME,
  ROW,
  COL
};

/* Frames, rows and columns that are read from one chunk. */
typedef struct
{
  const TlZarrArray *array;
  size_t chunk[TL_ZARR_N_AXES]; /* its number along each axis */
  size_t first, n;              /* frames of the chunk */
  const size_t *rows;           /* [n_rows], ascending, in the chunk */
  size_t n_rows, n_cols;
  char *dest;                      /* of the first sample */
  size_t frame_stride, row_stride; /* of dest, in bytes */
} Piece;

TlZarrArray *
tl_zarr_array_open (const char *folder, const char *path, GError **error)
{
  g_autoptr (TlZarrArray) array = g_new0 (TlZarrArray, 1);
  g_autofree char *scan = tl_path_dup_name (folder);
  array->folder = g_build_filename (folder, path, NULL);
  array->name = g_build_filename (scan, path, NULL);
  return tl_zarr_metadata_load (array->folder, array->name, &array->metadata,
                                error)
             ? g_steal_pointer (&array)
             : NULL;
}

void
tl_zarr_array_free (TlZarrArray *array)
{
  if (array == NULL)
    return;
  g_free (array->folder);
  g_free (array->name);
  g_free (array);
}

/* --- samples --- */

/* @dest: (out): 8 bytes, which begin with the sample */
static void
set_sample (TlSampleType type, double value, void *dest)
{
  switch (type)
    {
    case TL_SAMPLE_F32:
      *(float *)dest = (float)value;
      break;
    case TL_SAMPLE_F64:
      *(double *)dest = value;
      break;
    default:
      *(gint64 *)dest = GINT64_TO_LE ((gint64)value);
    }
}

/* --- chunks --- */

static void
fill_piece (const Piece *piece)
{
  const TlZarrMetadata *metadata = &piece->array->metadata;
  const size_t bytes = tl_sample_size (tl_stored_get_type (metadata->stored));
  guint64 sample = 0;
  set_sample (tl_stored_get_type (metadata->stored), metadata->fill, &sample);
  for (size_t f = 0; f < piece->n; f++)
    for (size_t r = 0; r < piece->n_rows; r++)
      for (size_t k = 0; k < piece->n_cols; k++)
        memcpy (piece->dest + f * piece->frame_stride + r * piece->row_stride
                    + k * bytes,
                &sample, bytes);
}

/* Reads the rows of a chunk that is not compressed. */
static const char *
read_plain (const Piece *piece, int fd, char *stored)
{
  const TlZarrMetadata *metadata = &piece->array->metadata;
  const size_t row_bytes =
      metadata->chunk[COL] * tl_stored_get_size (metadata->stored);
  const char *reason = NULL;
  for (size_t f = 0; f < piece->n && reason == NULL; f++)
    {
      const size_t frame = piece->first + f;
      reason = tl_place_read_rows (fd, frame * metadata->chunk[ROW] * row_bytes,
                                   row_bytes, piece->rows, piece->n_rows,
                                   stored, _ ("is truncated"));
      for (size_t r = 0; r < piece->n_rows && reason == NULL; r++)
        tl_stored_convert (metadata->stored, metadata->is_swapped,
                           stored + r * row_bytes, piece->n_cols,
                           piece->dest + f * piece->frame_stride
                               + r * piece->row_stride);
    }
  return reason;
}

static gboolean
unpack_blosc (const char *packed, size_t n_packed, char *chunk, size_t bytes)
{
#ifdef TL_HAVE_BLOSC
  size_t n = 0;
  return blosc_cbuffer_validate (packed, n_packed, &n) == 0 && n == bytes
         && blosc_decompress_ctx (packed, chunk, bytes, 1) == (int)bytes;
#else
  return FALSE; /* refused when it was opened */
#endif
}

/* Reads a whole chunk, and copies the rows. */
static const char *
read_packed (const Piece *piece, int fd, size_t n_packed, char *packed,
             char *chunk)
{
  const TlZarrMetadata *metadata = &piece->array->metadata;
  const size_t row_bytes =
      metadata->chunk[COL] * tl_stored_get_size (metadata->stored);
  const char *reason =
      tl_place_read (fd, 0, n_packed, packed, _ ("is truncated"));
  if (reason != NULL)
    return reason;
  if (!(metadata->codec == TL_ZARR_BLOSC
            ? unpack_blosc (packed, n_packed, chunk, metadata->chunk_bytes)
            : tl_inflate (packed, n_packed, metadata->codec == TL_ZARR_GZIP,
                          chunk, metadata->chunk_bytes, metadata->chunk_bytes)))
    return _ ("is damaged, it cannot be decompressed");
  for (size_t f = 0; f < piece->n; f++)
    for (size_t r = 0; r < piece->n_rows; r++)
      tl_stored_convert (
          metadata->stored, metadata->is_swapped,
          chunk
              + ((piece->first + f) * metadata->chunk[ROW] + piece->rows[r])
                    * row_bytes,
          piece->n_cols,
          piece->dest + f * piece->frame_stride + r * piece->row_stride);
  return NULL;
}

/* Returns: (transfer full): as "3.0.0", after a 0 for each dimension before
 * the last three */
static char *
dup_chunk_name (const Piece *piece)
{
  const TlZarrMetadata *metadata = &piece->array->metadata;
  GString *name = g_string_new (NULL);
  for (guint i = 0; i < metadata->n_dims; i++)
    {
      const int axis = (int)i - (int)metadata->n_dims + TL_ZARR_N_AXES;
      if (i > 0)
        g_string_append_c (name, metadata->separator);
      g_string_append_printf (name, "%zu", axis < 0 ? 0 : piece->chunk[axis]);
    }
  return g_string_free (name, FALSE);
}

static gboolean
read_open_piece (const Piece *piece, int fd, const char *name, GError **error)
{
  const TlZarrMetadata *metadata = &piece->array->metadata;
  const gboolean is_plain = metadata->codec == TL_ZARR_PLAIN;
  const size_t row_bytes =
      metadata->chunk[COL] * tl_stored_get_size (metadata->stored);
  struct stat st;
  GError *failure = NULL;
  if (fstat (fd, &st) != 0 || (!is_plain && (guint64)st.st_size > G_MAXUINT32))
    st.st_size = 0; /* refused: a chunk has at least one byte */
  const gboolean is_short = (guint64)st.st_size < metadata->chunk_bytes;
  g_autofree char *packed =
      is_plain ? NULL
               : tl_try_alloc ((size_t)st.st_size + 1, 1, 1, 1,
                               _ ("a compressed chunk"), &failure);
  g_autofree char *chunk = tl_try_alloc (is_plain ? piece->n_rows * row_bytes
                                                  : metadata->chunk_bytes,
                                         1, 1, 1, _ ("a chunk"), &failure);
  if (failure != NULL)
    {
      g_propagate_error (error, failure);
      return FALSE;
    }
  const char *reason =
      !is_plain  ? read_packed (piece, fd, (size_t)st.st_size, packed, chunk)
      : is_short ? _ ("is truncated")
                 : read_plain (piece, fd, chunk);
  return reason == NULL
         || tl_fail (error, TL_ERROR_FILE, _ ("%s: the chunk %s %s"),
                     piece->array->name, name, reason);
}

static gboolean
read_piece (const Piece *piece, GError **error)
{
  g_autofree char *name = dup_chunk_name (piece);
  g_autofree char *path = g_build_filename (piece->array->folder, name, NULL);
  const int fd = g_open (path, O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0 && errno == ENOENT)
    {
      fill_piece (piece);
      return TRUE;
    }
  if (fd < 0)
    return tl_fail (error, TL_ERROR_FILE,
                    _ ("%s: the chunk %s cannot be opened: %s"),
                    piece->array->name, name, g_strerror (errno));
  const gboolean good = read_open_piece (piece, fd, name, error);
  close (fd);
  return good;
}

/* Reads the columns of @piece, chunk after chunk. */
static gboolean
read_across (const Piece *piece, GError **error)
{
  const TlZarrMetadata *metadata = &piece->array->metadata;
  const size_t n_cols = metadata->shape[COL], step = metadata->chunk[COL];
  const size_t bytes = tl_sample_size (tl_stored_get_type (metadata->stored));
  gboolean good = TRUE;
  for (size_t col = 0; col < n_cols && good; col += step)
    {
      Piece part = *piece;
      part.chunk[COL] = col / step;
      part.n_cols = MIN (step, n_cols - col);
      part.dest += col * bytes;
      good = read_piece (&part, error);
    }
  return good;
}

gboolean
tl_zarr_array_read (const TlZarrArray *array, size_t first, size_t n,
                    const size_t *rows, size_t n_rows, void *dest,
                    GError **error)
{
  const TlZarrMetadata *metadata = &array->metadata;
  const size_t *chunk = metadata->chunk;
  const size_t row_bytes =
      metadata->shape[COL]
      * tl_sample_size (tl_stored_get_type (metadata->stored));
  g_autofree size_t *within = tl_rows_list (0, n_rows, error);
  if (within == NULL)
    return FALSE;
  for (size_t k = 0; k < n_rows; k++)
    within[k] = rows[k] % chunk[ROW];
  for (size_t f = first, n_now; f < first + n; f += n_now)
    {
      n_now = MIN (first + n, (f / chunk[FRAME] + 1) * chunk[FRAME]) - f;
      for (size_t k = 0, n_run; k < n_rows; k += n_run)
        {
          n_run = tl_rows_count_within (rows, n_rows, k, chunk[ROW]);
          const Piece piece = {
            .array = array,
            .chunk = { f / chunk[FRAME], rows[k] / chunk[ROW] },
            .first = f % chunk[FRAME],
            .n = n_now,
            .rows = within + k,
            .n_rows = n_run,
            .dest = (char *)dest + ((f - first) * n_rows + k) * row_bytes,
            .frame_stride = n_rows * row_bytes,
            .row_stride = row_bytes,
          };
          if (!read_across (&piece, error))
            return FALSE;
        }
    }
  return TRUE;
}

double *
tl_zarr_array_read_numbers (const TlZarrArray *array, size_t *n, GError **error)
{
  const TlZarrMetadata *metadata = &array->metadata;
  const size_t *shape = metadata->shape;
  g_autofree size_t *rows = tl_rows_list (0, shape[ROW], error);
  if (rows == NULL)
    return NULL;
  g_autofree void *samples =
      tl_try_alloc (shape[FRAME], shape[ROW], shape[COL],
                    tl_sample_size (tl_stored_get_type (metadata->stored)),
                    array->name, error);
  g_autofree double *numbers =
      tl_try_alloc (shape[FRAME], shape[ROW], shape[COL], sizeof (double),
                    array->name, error);
  if (samples == NULL || numbers == NULL
      || !tl_zarr_array_read (array, 0, shape[FRAME], rows, shape[ROW], samples,
                              error))
    return NULL;
  *n = shape[FRAME] * shape[ROW] * shape[COL];
  tl_samples_to_double (tl_stored_get_type (metadata->stored), samples, *n,
                        numbers);
  return g_steal_pointer (&numbers);
}
