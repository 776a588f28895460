#include "data/write/writer.h"

#include "data/write/part-file.h"

#include <errno.h>
#include <sys/mman.h>
#include <tiffio.h>
#include <unistd.h>

/* Largest size of a classic TIFF: its offsets have 32 bits, and a megabyte
 * is left for the tags. */
#define CLASSIC_BYTES ((guint64)G_MAXUINT32 - (1 << 20))

/* With strips of this size, readers that take a strip at a time stay in the
 * cache, and the table of strips stays short. */
#define STRIP_BYTES ((size_t)1 << 20)

/* The first message of libtiff; the messages after it are consequences. */
typedef struct
{
  int error_number;
  char *message;
} Complaint;

static int
keep_first_error (TIFF *tiff, void *user_data, const char *module,
                  const char *format, va_list arguments)
{
  Complaint *complaint = user_data;

  if (complaint->message == NULL)
    {
      complaint->error_number = errno;
      complaint->message = g_strdup_vprintf (format, arguments);
    }
  return 1; /* handled: libtiff does not call its global handlers */
}

static int
drop_warning (TIFF *tiff, void *user_data, const char *module,
              const char *format, va_list arguments)
{
  g_autofree char *message = g_strdup_vprintf (format, arguments);

  g_debug ("libtiff: %s", message);
  return 1;
}

static TIFF *
open_tiff (int fd, const char *name, gboolean is_big, Complaint *complaint)
{
  TIFFOpenOptions *options = TIFFOpenOptionsAlloc ();

  TIFFOpenOptionsSetErrorHandlerExtR (options, keep_first_error, complaint);
  TIFFOpenOptionsSetWarningHandlerExtR (options, drop_warning, NULL);
  TIFF *tiff = TIFFFdOpenExt (fd, name, is_big ? "w8" : "w", options);
  TIFFOpenOptionsFree (options);
  return tiff;
}

/* Returns: how TIFF calls the samples of @type */
static guint16
choose_format (TlSampleType type)
{
  switch (type)
    {
    case TL_SAMPLE_F32:
    case TL_SAMPLE_F64:
      return SAMPLEFORMAT_IEEEFP;
    case TL_SAMPLE_I8:
    case TL_SAMPLE_I16:
    case TL_SAMPLE_I32:
      return SAMPLEFORMAT_INT;
    default:
      return SAMPLEFORMAT_UINT;
    }
}

static gboolean
set_tags (TIFF *tiff, TlSampleType type, size_t n_rows, size_t n_cols,
          size_t strip_rows, const char *description)
{
  return TIFFSetField (tiff, TIFFTAG_IMAGEWIDTH, (guint32)n_cols)
         && TIFFSetField (tiff, TIFFTAG_IMAGELENGTH, (guint32)n_rows)
         && TIFFSetField (tiff, TIFFTAG_BITSPERSAMPLE,
                          (guint)(8 * tl_sample_size (type)))
         && TIFFSetField (tiff, TIFFTAG_SAMPLESPERPIXEL, 1)
         && TIFFSetField (tiff, TIFFTAG_SAMPLEFORMAT,
                          (guint)choose_format (type))
         && TIFFSetField (tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK)
         && TIFFSetField (tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG)
         && TIFFSetField (tiff, TIFFTAG_COMPRESSION, COMPRESSION_NONE)
         && TIFFSetField (tiff, TIFFTAG_ROWSPERSTRIP, (guint32)strip_rows)
         && TIFFSetField (tiff, TIFFTAG_SOFTWARE, "Tomolens")
         && (description == NULL
             || TIFFSetField (tiff, TIFFTAG_IMAGEDESCRIPTION, description));
}

static gboolean
write_strips (TIFF *tiff, const char *pixels, size_t n_rows, size_t row_bytes,
              size_t strip_rows)
{
  for (size_t row = 0, strip = 0; row < n_rows; row += strip_rows, strip++)
    {
      const size_t n = MIN (strip_rows, n_rows - row) * row_bytes;
      /* libtiff asks for a writable buffer but does not write to it as long
       * as the byte order is that of the machine. */
      void *strip_pixels = (void *)(pixels + row * row_bytes);

      if (TIFFWriteEncodedStrip (tiff, (guint32)strip, strip_pixels,
                                 (tmsize_t)n)
          < 0)
        return FALSE;
    }
  return TRUE;
}

/* Writes the image to @fd, which stays open. @path: its name, for the message
 */
static gboolean
write_image (int fd, const char *path, TlSampleType type, const void *pixels,
             size_t n_rows, size_t n_cols, const char *description,
             GError **error)
{
  const size_t row_bytes = n_cols * tl_sample_size (type);
  const size_t strip_rows = CLAMP (STRIP_BYTES / MAX (row_bytes, 1), 1, n_rows);
  const gboolean is_big = (guint64)n_rows * row_bytes > CLASSIC_BYTES;
  Complaint complaint = { 0, NULL };

  errno = 0;
  TIFF *tiff = open_tiff (fd, path, is_big, &complaint);
  gboolean ok =
      tiff != NULL
      && set_tags (tiff, type, n_rows, n_cols, strip_rows, description)
      && write_strips (tiff, pixels, n_rows, row_bytes, strip_rows)
      && TIFFWriteDirectory (tiff);
  /* TIFFCleanup() frees without closing the descriptor: the owner of the
   * file closes it and checks the result. A failure to write here is
   * reported in the complaint. */
  if (tiff != NULL)
    TIFFCleanup (tiff);
  ok = ok && complaint.message == NULL;
  if (!ok)
    tl_set_write_error (error, path, complaint.error_number, complaint.message);
  g_free (complaint.message);
  return ok;
}

gboolean
tl_write_tiff (const char *path, const float *pixels, size_t n_rows,
               size_t n_cols, const char *description, GError **error)
{
  g_return_val_if_fail (path != NULL && pixels != NULL, FALSE);
  g_return_val_if_fail (n_rows > 0 && n_rows <= G_MAXINT32, FALSE);
  g_return_val_if_fail (n_cols > 0 && n_cols <= G_MAXINT32, FALSE);

  g_autoptr (TlPartFile) file = tl_part_file_open (path, error);
  return file != NULL
         && write_image (file->fd, path, TL_SAMPLE_F32, pixels, n_rows, n_cols,
                         description, error)
         && tl_part_file_commit (file, TRUE, error);
}

GBytes *
tl_make_tiff (const char *name, const float *pixels, size_t n_rows,
              size_t n_cols, const char *description, GError **error)
{
  g_return_val_if_fail (name != NULL && pixels != NULL, NULL);
  g_return_val_if_fail (n_rows > 0 && n_rows <= G_MAXINT32, NULL);
  g_return_val_if_fail (n_cols > 0 && n_cols <= G_MAXINT32, NULL);

  g_autoptr (GMappedFile) file = NULL;
  g_autoptr (GError) reason = NULL;
  const int fd = memfd_create ("tomolens-tiff", MFD_CLOEXEC);
  const gboolean good = fd >= 0
                        && write_image (fd, name, TL_SAMPLE_F32, pixels, n_rows,
                                        n_cols, description, error);
  if (good)
    file = g_mapped_file_new_from_fd (fd, FALSE, &reason);
  if (fd < 0)
    tl_set_write_error (error, name, errno, NULL);
  else if (reason != NULL)
    tl_set_write_error (error, name, 0, reason->message);
  if (fd >= 0)
    close (fd);
  return file != NULL ? g_mapped_file_get_bytes (file) : NULL;
}

gboolean
tl_write_tiff_frame (const char *path, TlSampleType type, const void *pixels,
                     size_t n_rows, size_t n_cols, GError **error)
{
  g_return_val_if_fail (path != NULL && pixels != NULL, FALSE);
  g_return_val_if_fail (n_rows > 0 && n_rows <= G_MAXINT32, FALSE);
  g_return_val_if_fail (n_cols > 0 && n_cols <= G_MAXINT32, FALSE);

  g_autoptr (TlPartFile) file = tl_part_file_open (path, error);
  return file != NULL
         && write_image (file->fd, path, type, pixels, n_rows, n_cols, NULL,
                         error)
         && tl_part_file_rename (file, FALSE, error);
}
