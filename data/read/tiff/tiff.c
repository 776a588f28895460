/* The images of one TIFF file. Messages of libtiff become part of the errors.
 */
#include "data/array.h"
#include "data/error.h"
#include "data/read/format/change.h"
#include "data/read/format/image-format.h"
#include "data/read/format/place.h"
#include "data/read/format/rows.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <tiffio.h>
#include <unistd.h>

typedef struct
{
  TIFF *tiff;
  int fd; /* owned by tiff */
  guint64 size;
  gint64 changed_us;
  char *name;
  char *message; /* (nullable): the first error message of libtiff */
  gboolean has_started;
  guint packed_bits; /* of a sample, if samples share bytes or have three; else
                        0 */
  TlImage following; /* the next image without a directory of its own */
  guint64 n_following;
  gboolean is_cut; /* the file ends before the last of them */
} Tiff;

/* In the place of an image without a directory of its own; the rest of the
 * place is the offset of its samples, else that of the directory. */
static const guint64 WITHOUT_DIRECTORY = G_GUINT64_CONSTANT (1) << 63;

static int
keep_message (TIFF *tiff, void *data, const char *module, const char *format,
              va_list args)
{
  Tiff *self = data;
  if (self->message == NULL)
    self->message = g_strdup_vprintf (format, args);
  return 1; /* handled: libtiff does not call its global handler */
}

static int
drop_warning (TIFF *tiff, void *data, const char *module, const char *format,
              va_list args)
{
  return 1;
}

static gboolean
fail (Tiff *self, const char *what, GError **error)
{
  const char *reason = self->message;
  size_t n = strlen (self->name);
  /* Some messages of libtiff begin with the file name, and so does the error.
   */
  if (reason != NULL && strncmp (reason, self->name, n) == 0
      && strncmp (reason + n, ": ", 2) == 0)
    reason += n + 2;
  tl_fail (error, TL_ERROR_FILE, "%s: %s%s%s", self->name, what,
           reason != NULL ? ": " : "", reason != NULL ? reason : "");
  g_clear_pointer (&self->message, g_free);
  return FALSE;
}

static void
close_file (gpointer file)
{
  Tiff *self = file;
  if (self->tiff != NULL)
    TIFFClose (self->tiff);
  g_free (self->message);
  g_free (self->name);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Tiff, close_file)

static gpointer
open_file (const char *path, GError **error)
{
  g_autoptr (Tiff) self = g_new0 (Tiff, 1);
  struct stat st;
  self->name = tl_path_dup_name (path);
  self->fd = g_open (path, O_RDONLY | O_CLOEXEC, 0);
  if (self->fd < 0 || fstat (self->fd, &st) != 0 || st.st_size == 0)
    {
      tl_fail (error, TL_ERROR_FILE, _ ("%s: cannot be opened: %s"), self->name,
               self->fd >= 0 && st.st_size == 0 ? _ ("the file is empty")
                                                : g_strerror (errno));
      if (self->fd >= 0)
        close (self->fd);
      return NULL;
    }
  self->size = (guint64)st.st_size;
  self->changed_us = tl_change_get_us (&st);
  /* "m": do not map the file into memory. If it were truncated meanwhile, an
   * access would end the program. */
  TIFFOpenOptions *options = TIFFOpenOptionsAlloc ();
  TIFFOpenOptionsSetErrorHandlerExtR (options, keep_message, self);
  TIFFOpenOptionsSetWarningHandlerExtR (options, drop_warning, self);
  self->tiff = TIFFFdOpenExt (self->fd, self->name, "rm", options);
  TIFFOpenOptionsFree (options);
  if (self->tiff != NULL)
    return g_steal_pointer (&self);
  close (self->fd);
  fail (self, _ ("is not a whole TIFF file"), error);
  return NULL;
}

/* The type of the samples of the current page. */
static gboolean
get_type (Tiff *self, TlStoredType *stored, GError **error)
{
  static const struct
  {
    guint16 format, bits;
    TlStoredType type;
  } types[] = {
    { SAMPLEFORMAT_UINT, 8, TL_SAMPLE_U8 },
    { SAMPLEFORMAT_UINT, 16, TL_SAMPLE_U16 },
    { SAMPLEFORMAT_UINT, 32, TL_SAMPLE_U32 },
    { SAMPLEFORMAT_UINT, 64, TL_STORED_U64 },
    { SAMPLEFORMAT_INT, 8, TL_SAMPLE_I8 },
    { SAMPLEFORMAT_INT, 16, TL_SAMPLE_I16 },
    { SAMPLEFORMAT_INT, 32, TL_SAMPLE_I32 },
    { SAMPLEFORMAT_INT, 64, TL_STORED_I64 },
    { SAMPLEFORMAT_IEEEFP, 16, TL_STORED_F16 },
    { SAMPLEFORMAT_IEEEFP, 32, TL_SAMPLE_F32 },
    { SAMPLEFORMAT_IEEEFP, 64, TL_SAMPLE_F64 },
  };
  guint16 n_samples = 1, bits = 1, format = SAMPLEFORMAT_UINT;
  TIFFGetFieldDefaulted (self->tiff, TIFFTAG_SAMPLESPERPIXEL, &n_samples);
  TIFFGetFieldDefaulted (self->tiff, TIFFTAG_BITSPERSAMPLE, &bits);
  TIFFGetFieldDefaulted (self->tiff, TIFFTAG_SAMPLEFORMAT, &format);
  if (format == SAMPLEFORMAT_VOID)
    format = SAMPLEFORMAT_UINT;
  const gboolean is_packed =
      format == SAMPLEFORMAT_UINT && bits > 8 && bits < 32 && bits != 16;
  const guint16 read_bits = is_packed ? bits < 16 ? 16 : 32 : bits;
  self->packed_bits = is_packed ? bits : 0;
  for (size_t i = 0; i < G_N_ELEMENTS (types) && n_samples == 1; i++)
    if (types[i].format == format && types[i].bits == read_bits)
      {
        *stored = types[i].type;
        return TRUE;
      }
  if (n_samples != 1)
    return tl_fail (
        error, TL_ERROR_UNSUPPORTED,
        _ ("%s: %u samples in each pixel, as in a colour picture; a "
           "projection has one"),
        self->name, n_samples);
  return tl_fail (
      error, TL_ERROR_UNSUPPORTED,
      format == SAMPLEFORMAT_IEEEFP
          ? _ ("%s: floating-point samples of %u bits cannot be read")
          : _ ("%s: samples of %u bits cannot be read"),
      self->name, bits);
}

/* Refuses what changes the samples, and what this libtiff cannot decode. */
static gboolean
check_compression (Tiff *self, GError **error)
{
  guint16 compression = COMPRESSION_NONE;
  TIFFGetFieldDefaulted (self->tiff, TIFFTAG_COMPRESSION, &compression);
  if (compression == COMPRESSION_JPEG || compression == COMPRESSION_OJPEG
      || compression == COMPRESSION_WEBP)
    return tl_fail (
        error, TL_ERROR_UNSUPPORTED,
        _ ("%s: is compressed with loss (JPEG or WebP), which "
           "spoils a reconstruction; use LZW, Deflate or Zstandard"),
        self->name);
  if (!TIFFIsCODECConfigured (compression))
    return tl_fail (error, TL_ERROR_UNSUPPORTED,
                    _ ("%s: its compression, number %u, is unknown to libtiff "
                       "here; use LZW or Deflate"),
                    self->name, compression);
  return TRUE;
}

/* Whether the last strip or tile ends within the file. */
static gboolean
is_whole (Tiff *self)
{
  guint32 n = TIFFIsTiled (self->tiff) ? TIFFNumberOfTiles (self->tiff)
                                       : TIFFNumberOfStrips (self->tiff);
  if (n == 0)
    return FALSE;
  int failed = 0, failed_too = 0;
  guint64 offset = TIFFGetStrileOffsetWithErr (self->tiff, n - 1, &failed);
  guint64 bytes =
      TIFFGetStrileByteCountWithErr (self->tiff, n - 1, &failed_too);
  return !failed && !failed_too && bytes <= self->size
         && offset <= self->size - bytes;
}

/* Whether the rows are in the file as they are in memory. */
static gboolean
has_rows (Tiff *self)
{
  guint16 compression = COMPRESSION_NONE, order = FILLORDER_MSB2LSB;
  TIFFGetFieldDefaulted (self->tiff, TIFFTAG_COMPRESSION, &compression);
  TIFFGetFieldDefaulted (self->tiff, TIFFTAG_FILLORDER, &order);
  return compression == COMPRESSION_NONE && order == FILLORDER_MSB2LSB
         && self->packed_bits == 0 && !TIFFIsTiled (self->tiff);
}

/* A tile is decoded as a whole, by each thread. */
static gboolean
check_tile (Tiff *self, GError **error)
{
  static const guint64 max_bytes = (guint64)256 << 20;
  guint32 n_rows = 0, n_cols = 0;
  if (!TIFFIsTiled (self->tiff) || TIFFTileSize64 (self->tiff) <= max_bytes)
    return TRUE;
  TIFFGetField (self->tiff, TIFFTAG_TILELENGTH, &n_rows);
  TIFFGetField (self->tiff, TIFFTAG_TILEWIDTH, &n_cols);
  return tl_fail (error, TL_ERROR_UNSUPPORTED,
                  _ ("%s: a tile of %u x %u pixels takes too much memory; the "
                     "file may be damaged, or write it with tiles of 256 x 256 "
                     "pixels"),
                  self->name, n_rows, n_cols);
}

static gboolean
describe (Tiff *self, TlImage *page, GError **error)
{
  guint32 n_rows = 0, n_cols = 0, depth = 1;
  TIFFGetField (self->tiff, TIFFTAG_IMAGELENGTH, &n_rows);
  TIFFGetField (self->tiff, TIFFTAG_IMAGEWIDTH, &n_cols);
  *page = (TlImage){ .place = TIFFCurrentDirOffset (self->tiff),
                     .n_rows = n_rows,
                     .n_cols = n_cols,
                     .changed_us = self->changed_us };
  if (n_rows == 0 || n_cols == 0)
    return fail (self, _ ("has an image without pixels"), error);
  TIFFGetField (self->tiff, TIFFTAG_IMAGEDEPTH, &depth);
  if (depth > 1)
    return tl_fail (error, TL_ERROR_UNSUPPORTED,
                    _ ("%s: an image of three dimensions cannot be read; write "
                       "each projection as an image of its own"),
                    self->name);
  if (!get_type (self, &page->stored, error) || !check_compression (self, error)
      || !check_tile (self, error))
    return FALSE;
  if (!is_whole (self))
    return fail (self, _ ("is truncated, the image is longer than the file"),
                 error);
  page->type = tl_stored_get_type (page->stored);
  page->has_rows = has_rows (self);
  g_clear_pointer (&self->message, g_free);
  return TRUE;
}

/* Returns: how many images the description in the only directory of the file
 * counts, as ImageJ writes it in files of more than 4 GB, and tifffile where it
 * is asked to; 0 if it does not say it */
static guint64
count_described (Tiff *self, const TlImage *page)
{
  static const char imagej[] = "\nimages=", shape[] = "\"shape\": [";
  const char *text = NULL;
  if (!TIFFGetField (self->tiff, TIFFTAG_IMAGEDESCRIPTION, &text))
    return 0;
  const char *images = strstr (text, imagej);
  if (g_str_has_prefix (text, "ImageJ=") && images != NULL)
    return g_ascii_strtoull (images + strlen (imagej), NULL, 10);
  guint64 n = 1;
  char *list = *text == '{' ? strstr (text, shape) : NULL;
  if (list == NULL)
    return 0;
  for (char *at = list + strlen (shape); g_ascii_isdigit (*at);
       at += strspn (at, ", "))
    if (!g_uint64_checked_mul (&n, n, g_ascii_strtoull (at, &at, 10)))
      return 0;
  return n / (page->n_rows * page->n_cols);
}

/* Finds the images without directories of their own, whose samples follow those
 * of @page. A description without any further samples is a copy of that of a
 * larger file. Samples begin at even places, so that one byte may follow. */
static void
find_following (Tiff *self, const TlImage *page)
{
  const guint64 n = count_described (self, page);
  const guint32 n_strips = TIFFNumberOfStrips (self->tiff);
  guint64 bytes = 0;
  if (n < 2 || !page->has_rows
      || !g_uint64_checked_mul (&bytes, page->n_rows * page->n_cols,
                                tl_stored_get_size (page->stored)))
    return;
  const guint64 first = TIFFGetStrileOffset (self->tiff, 0);
  const guint64 end = TIFFGetStrileOffset (self->tiff, n_strips - 1)
                      + TIFFGetStrileByteCount (self->tiff, n_strips - 1);
  if (end != first + bytes || end + 1 >= self->size || page->place > first)
    return;
  self->n_following = MIN (n - 1, (self->size - end) / bytes);
  self->is_cut = self->n_following < n - 1;
  self->following = *page;
  self->following.place = end | WITHOUT_DIRECTORY;
}

/* Takes the next image without a directory of its own. */
static void
take_following (Tiff *self, TlImage *image)
{
  *image = self->following;
  self->following.place +=
      image->n_rows * image->n_cols * tl_stored_get_size (image->stored);
  self->n_following--;
}

/* Skips reduced-resolution copies of other pages. */
static gboolean
next_page (gpointer file, TlImage *page, gboolean *found, GError **error)
{
  Tiff *self = file;
  for (;;)
    {
      guint32 kind = 0;
      const gboolean is_first = !self->has_started;
      if (self->n_following > 0)
        {
          take_following (self, page);
          *found = TRUE;
          return TRUE;
        }
      if (self->is_cut)
        return fail (
            self, _ ("is truncated, the image is longer than the file"), error);
      if (self->has_started && TIFFLastDirectory (self->tiff))
        {
          *found = FALSE;
          return TRUE;
        }
      if (self->has_started && !TIFFReadDirectory (self->tiff))
        return fail (self, _ ("is truncated or damaged"), error);
      self->has_started = TRUE;
      *found = TRUE;
      TIFFGetField (self->tiff, TIFFTAG_SUBFILETYPE, &kind);
      if ((kind & FILETYPE_REDUCEDIMAGE) != 0)
        continue;
      if (!describe (self, page, error))
        return FALSE;
      if (is_first && TIFFLastDirectory (self->tiff))
        find_following (self, page);
      return TRUE;
    }
}

static gboolean
read_place (Tiff *self, guint64 offset, size_t bytes, char *dest,
            GError **error)
{
  const char *reason =
      tl_place_read (self->fd, offset, bytes, dest,
                     _ ("is truncated, the image is longer than the file"));
  return reason == NULL || fail (self, reason, error);
}

/* Reads rows of strips that has_rows() is true for. */
static gboolean
read_plain (Tiff *self, const TlImage *page, size_t strip_rows,
            const size_t *rows, size_t n_rows, char *dest, GError **error)
{
  const size_t row_bytes = page->n_cols * tl_stored_get_size (page->stored);
  for (size_t k = 0; k < n_rows;)
    {
      size_t in_strip = rows[k] % strip_rows;
      size_t n =
          MIN (strip_rows - in_strip, tl_rows_count_run (rows, n_rows, k));
      int failed = 0;
      guint64 offset = TIFFGetStrileOffsetWithErr (
          self->tiff, (guint32)(rows[k] / strip_rows), &failed);
      if (failed || offset == 0)
        return fail (self, _ ("is truncated or damaged"), error);
      if (!read_place (self, offset + in_strip * row_bytes, n * row_bytes,
                       dest + k * row_bytes, error))
        return FALSE;
      k += n;
    }
  return TRUE;
}

/* Returns: bytes of a row of @n samples of @size bytes, as libtiff decodes it
 */
static size_t
count_row_bytes (const Tiff *self, size_t n, size_t size)
{
  return self->packed_bits > 0 ? (n * self->packed_bits + 7) / 8 : n * size;
}

static void
store_sample (char *dest, size_t size, guint32 sample)
{
  const guint16 narrow = (guint16)sample;
  if (size == sizeof narrow)
    memcpy (dest, &narrow, sizeof narrow);
  else
    memcpy (dest, &sample, sizeof sample);
}

/* Samples of three bytes: libtiff brings them into native order. */
static void
unpack_triples (const guint8 *row, size_t n, size_t size, char *dest)
{
  const int low = G_BYTE_ORDER == G_LITTLE_ENDIAN ? 0 : 2;
  for (size_t i = 0; i < n; i++, row += 3)
    store_sample (dest + i * size, size,
                  row[low] | (guint32)row[1] << 8
                      | (guint32)row[2 - low] << 16);
}

/* Copies @n samples of @size bytes from the start of a decoded row. */
static void
copy_samples (const Tiff *self, const char *row, size_t n, size_t size,
              char *dest)
{
  const guint bits = self->packed_bits;
  const guint8 *byte = (const guint8 *)row;
  guint64 window = 0; /* its last n_bits have not been stored yet */
  guint n_bits = 0;
  if (bits == 0)
    memcpy (dest, row, n * size);
  else if (bits == 24)
    unpack_triples (byte, n, size, dest);
  else
    for (size_t i = 0; i < n; i++)
      {
        for (; n_bits < bits; n_bits += 8)
          window = window << 8 | *byte++;
        n_bits -= bits;
        store_sample (dest + i * size, size,
                      (guint32)(window >> n_bits & ((1u << bits) - 1)));
      }
}

static gboolean
read_strips (Tiff *self, const TlImage *page, size_t strip_rows,
             const size_t *rows, size_t n_rows, char *dest, GError **error)
{
  const size_t size = tl_stored_get_size (page->stored);
  const size_t row_bytes = count_row_bytes (self, page->n_cols, size);
  size_t n_most = MIN (strip_rows, page->n_rows);
  g_autofree char *strip =
      tl_try_alloc (n_most, row_bytes, 1, 1, _ ("a strip of a TIFF"), error);
  if (strip == NULL)
    return FALSE;
  for (size_t k = 0; k < n_rows;)
    {
      size_t n = tl_rows_count_within (rows, n_rows, k, strip_rows);
      size_t index = rows[k] / strip_rows;
      /* A strip is decoded from its top; stop after the last row needed. */
      tmsize_t bytes =
          (tmsize_t)((rows[k + n - 1] % strip_rows + 1) * row_bytes);
      if (TIFFReadEncodedStrip (self->tiff, (guint32)index, strip, bytes)
          != bytes)
        return fail (self, _ ("is truncated or damaged"), error);
      for (size_t i = k; i < k + n; i++)
        copy_samples (self, strip + rows[i] % strip_rows * row_bytes,
                      page->n_cols, size, dest + i * page->n_cols * size);
      k += n;
    }
  return TRUE;
}

static gboolean
read_tiles (Tiff *self, const TlImage *page, const size_t *rows, size_t n_rows,
            char *dest, GError **error)
{
  guint32 tile_rows = 0, tile_cols = 0;
  const size_t size = tl_stored_get_size (page->stored);
  TIFFGetField (self->tiff, TIFFTAG_TILELENGTH, &tile_rows);
  TIFFGetField (self->tiff, TIFFTAG_TILEWIDTH, &tile_cols);
  const size_t row_bytes = count_row_bytes (self, tile_cols, size);
  tmsize_t bytes = TIFFTileSize (self->tiff);
  if (tile_rows == 0 || tile_cols == 0
      || (guint64)bytes < (guint64)tile_rows * row_bytes)
    return fail (self, _ ("has tiles without a size"), error);
  g_autofree char *tile =
      tl_try_alloc ((size_t)bytes, 1, 1, 1, _ ("a tile of a TIFF"), error);
  if (tile == NULL)
    return FALSE;
  for (size_t k = 0, n; k < n_rows; k += n)
    {
      n = tl_rows_count_within (rows, n_rows, k, tile_rows);
      for (size_t x = 0; x < page->n_cols; x += tile_cols)
        {
          guint32 index =
              TIFFComputeTile (self->tiff, (guint32)x, (guint32)rows[k], 0, 0);
          if (TIFFReadEncodedTile (self->tiff, index, tile, bytes) != bytes)
            return fail (self, _ ("is truncated or damaged"), error);
          size_t n_here = MIN (tile_cols, page->n_cols - x);
          for (size_t i = k; i < k + n; i++)
            copy_samples (self, tile + rows[i] % tile_rows * row_bytes, n_here,
                          size, dest + (i * page->n_cols + x) * size);
        }
    }
  return TRUE;
}

/* Reads uncompressed rows directly, and decodes only strips and tiles that
 * contain one of @rows. @dest: receives the samples as they are stored, but
 * those that libtiff decodes in native byte order */
static gboolean
read_stored (Tiff *self, const TlImage *page, const size_t *rows, size_t n_rows,
             void *dest, GError **error)
{
  if (TIFFIsTiled (self->tiff))
    return read_tiles (self, page, rows, n_rows, dest, error);
  guint32 strip_rows = 0;
  TIFFGetFieldDefaulted (self->tiff, TIFFTAG_ROWSPERSTRIP, &strip_rows);
  if (strip_rows == 0 || strip_rows > page->n_rows)
    strip_rows = (guint32)page->n_rows;
  return page->has_rows
             ? read_plain (self, page, strip_rows, rows, n_rows, dest, error)
             : read_strips (self, page, strip_rows, rows, n_rows, dest, error);
}

static gboolean
read_following (Tiff *self, const TlImage *image, const size_t *rows,
                size_t n_rows, void *place, GError **error)
{
  const char *reason = tl_place_read_rows (
      self->fd, image->place & ~WITHOUT_DIRECTORY,
      image->n_cols * tl_stored_get_size (image->stored), rows, n_rows, place,
      _ ("is truncated, the image is longer than the file"));
  return reason == NULL || fail (self, reason, error);
}

static gboolean
read_page (gpointer file, const TlImage *page, const size_t *rows,
           size_t n_rows, void *dest, GError **error)
{
  Tiff *self = file;
  const size_t n = n_rows * page->n_cols;
  void *place = tl_stored_get_place (page->stored, n, dest);
  if ((page->place & WITHOUT_DIRECTORY) != 0)
    {
      if (!read_following (self, page, rows, n_rows, place, error))
        return FALSE;
      tl_stored_convert (page->stored, TIFFIsByteSwapped (self->tiff), place, n,
                         dest);
      return TRUE;
    }
  if (TIFFCurrentDirOffset (self->tiff) != page->place
      && !TIFFSetSubDirectory (self->tiff, page->place))
    return fail (self, _ ("is truncated or damaged"), error);
  TlImage now;
  if (!describe (self, &now, error))
    return FALSE;
  if (now.n_rows != page->n_rows || now.n_cols != page->n_cols
      || now.stored != page->stored)
    return fail (self, _ ("has changed since it was opened"), error);
  if (!read_stored (self, &now, rows, n_rows, place, error))
    return FALSE;
  tl_stored_convert (page->stored,
                     now.has_rows && TIFFIsByteSwapped (self->tiff), place, n,
                     dest);
  return TRUE;
}

const TlImageReader tl_tiff_reader = {
  .open = open_file,
  .next = next_page,
  .read = read_page,
  .close = close_file,
};
