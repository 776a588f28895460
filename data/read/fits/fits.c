/* The images of one FITS file. The first row of the file is row 0, although
 * programs for astronomy show it at the bottom.
 *
 * Only the primary header unit is read. Tiled compression lies in extensions,
 * and cfitsio 4.2 divides by zero there, which ends the program, if a size in
 * the header is damaged. */
#include "data/error.h"
#include "data/read/format/change.h"
#include "data/read/format/image-format.h"
#include "data/read/format/rows.h"

#include <fcntl.h>
#include <fitsio.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

typedef struct
{
  fitsfile *fits;
  char *path, *name;
  TlImage image; /* the next one; its place counts from 0 */
  int type;      /* of the samples in memory, as cfitsio names them */
  guint64 n_images;
} Fits;

static void
close_file (gpointer file)
{
  Fits *self = file;
  int status = 0;
  if (self->fits != NULL)
    fits_close_file (self->fits, &status);
  g_free (self->name);
  g_free (self->path);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Fits, close_file)

static gboolean
fail (Fits *self, int status, GError **error)
{
  char reason[FLEN_STATUS];
  fits_get_errstatus (status, reason);
  fits_clear_errmsg ();
  return tl_fail (error, TL_ERROR_FILE,
                  _ ("%s: is a truncated or damaged FITS file: %s"), self->name,
                  reason);
}

/* Sets the type of the samples, after BSCALE and BZERO. cfitsio converts those
 * of 64 bits. */
static gboolean
get_type (Fits *self, int *status)
{
  static const struct
  {
    int image, memory;
    TlStoredType stored;
  } types[] = {
    { BYTE_IMG, TBYTE, TL_SAMPLE_U8 },
    { SBYTE_IMG, TSBYTE, TL_SAMPLE_I8 },
    { USHORT_IMG, TUSHORT, TL_SAMPLE_U16 },
    { SHORT_IMG, TSHORT, TL_SAMPLE_I16 },
    { ULONG_IMG, TUINT, TL_SAMPLE_U32 },
    { LONG_IMG, TINT, TL_SAMPLE_I32 },
    { LONGLONG_IMG, TDOUBLE, TL_STORED_I64 },
    { ULONGLONG_IMG, TDOUBLE, TL_STORED_U64 },
    { FLOAT_IMG, TFLOAT, TL_SAMPLE_F32 },
  };
  int image = 0;
  fits_get_img_equivtype (self->fits, &image, status);
  self->type = TDOUBLE;
  self->image.stored = TL_SAMPLE_F64;
  for (size_t i = 0; i < G_N_ELEMENTS (types); i++)
    if (types[i].image == image)
      {
        self->type = types[i].memory;
        self->image.stored = types[i].stored;
      }
  self->image.type = tl_stored_get_type (self->image.stored);
  return *status == 0;
}

/* Whether the file is long enough for its pixels. */
static gboolean
is_whole (Fits *self, guint64 file_bytes)
{
  int status = 0, bits = 0;
  LONGLONG start = 0;
  guint64 bytes = self->n_images;
  fits_get_img_type (self->fits, &bits, &status);
  fits_get_hduaddrll (self->fits, NULL, &start, NULL, &status);
  return status == 0 && g_uint64_checked_mul (&bytes, bytes, self->image.n_rows)
         && g_uint64_checked_mul (&bytes, bytes, self->image.n_cols)
         && g_uint64_checked_mul (&bytes, bytes, (guint64)ABS (bits) / 8)
         && bytes <= file_bytes && (guint64)start <= file_bytes - bytes;
}

/* Returns: whether an image follows the primary header unit. Looks at the bytes
 * itself: cfitsio may end the program if the extension is damaged. */
static gboolean
has_more (Fits *self)
{
  static const char start[] = "XTENSION= 'IMAGE ";
  char bytes[sizeof start - 1];
  int status = 0;
  LONGLONG end = 0;
  const int fd = g_open (self->path, O_RDONLY | O_CLOEXEC, 0);
  fits_get_hduaddrll (self->fits, NULL, NULL, &end, &status);
  const gboolean found =
      fd >= 0 && status == 0
      && pread (fd, bytes, sizeof bytes, (off_t)end) == sizeof bytes
      && memcmp (bytes, start, sizeof bytes) == 0;
  if (fd >= 0)
    close (fd);
  return found;
}

static gpointer
open_file (const char *path, GError **error)
{
  g_autoptr (Fits) self = g_new0 (Fits, 1);
  int status = 0, n_axes = 0;
  LONGLONG size[3] = { 0, 0, 1 };
  GStatBuf st;
  self->path = g_strdup (path);
  self->name = tl_path_dup_name (path);
  if (g_stat (path, &st) != 0
      || fits_open_diskfile (&self->fits, path, READONLY, &status) != 0
      || fits_get_img_dim (self->fits, &n_axes, &status) != 0
      || fits_get_img_sizell (self->fits, 3, size, &status) != 0
      || !get_type (self, &status))
    {
      fail (self, status != 0 ? status : FILE_NOT_OPENED, error);
      return NULL;
    }
  if (n_axes == 0 && has_more (self))
    return tl_fail_null (error, TL_ERROR_UNSUPPORTED,
                         _ ("%s: its first header unit has no image, and the "
                            "images in its extensions are not read: write them "
                            "as one cube there, or as a file each"),
                         self->name);
  if (n_axes == 0)
    return tl_fail_null (error, TL_ERROR_UNSUPPORTED,
                         _ ("%s: its first header unit has no image; images "
                            "in extensions, such as compressed ones, are not "
                            "read: unpack them with funpack"),
                         self->name);
  if (n_axes < 2 || n_axes > 3)
    return tl_fail_null (error, TL_ERROR_UNSUPPORTED,
                         _ ("%s: its image has %d axes; projections have two, "
                            "or three in a cube"),
                         self->name, n_axes);
  if (size[0] <= 0 || size[1] <= 0 || size[2] <= 0)
    return tl_fail_null (error, TL_ERROR_FORMAT,
                         _ ("%s: has an image without pixels"), self->name);
  self->image.n_cols = (size_t)size[0];
  self->image.n_rows = (size_t)size[1];
  self->n_images = (guint64)size[2];
  self->image.changed_us = tl_change_get_us (&st);
  if (!is_whole (self, (guint64)st.st_size))
    return tl_fail_null (
        error, TL_ERROR_FILE,
        _ ("%s: is truncated, the image is longer than the file"), self->name);
  return g_steal_pointer (&self);
}

static gboolean
next_image (gpointer file, TlImage *image, gboolean *found, GError **error)
{
  Fits *self = file;
  *image = self->image;
  *found = self->image.place < self->n_images;
  self->image.place++;
  return TRUE;
}

static gboolean
describe (gpointer file, TlScanDraft *draft, GError **error)
{
  Fits *self = file;
  if (has_more (self))
    tl_scan_draft_ask (draft, NULL, NULL,
                       _ ("%s: only its first image or cube is used; the "
                          "images in its extensions are not read"),
                       self->name);
  return TRUE;
}

static gboolean
read_image (gpointer file, const TlImage *image, const size_t *rows,
            size_t n_rows, void *dest, GError **error)
{
  Fits *self = file;
  if (image->n_cols != self->image.n_cols || image->n_rows != self->image.n_rows
      || image->stored != self->image.stored || image->place >= self->n_images)
    return tl_fail (error, TL_ERROR_FILE,
                    _ ("%s: has changed since it was opened"), self->name);
  const size_t row_bytes = image->n_cols * tl_sample_size (image->type);
  for (size_t k = 0, n; k < n_rows; k += n)
    {
      LONGLONG first[3] = { 1, (LONGLONG)rows[k] + 1,
                            (LONGLONG)image->place + 1 };
      int status = 0;
      n = tl_rows_count_run (rows, n_rows, k);
      if (fits_read_pixll (self->fits, self->type, first,
                           (LONGLONG)n * (LONGLONG)image->n_cols, NULL,
                           (char *)dest + k * row_bytes, NULL, &status)
          != 0)
        return fail (self, status, error);
    }
  return TRUE;
}

const TlImageReader tl_fits_reader = {
  .open = open_file,
  .next = next_image,
  .read = read_image,
  .describe = describe,
  .close = close_file,
};
