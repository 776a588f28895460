#include "data/write/writer.h"

#include "data/array.h"
#include "data/write/part-file.h"

#include <errno.h>
#include <glib/gi18n.h>
#include <png.h>
#include <stdio.h>

/* The message of libpng, which leaves with longjmp(). */
typedef struct
{
  int error_number;
  char message[256];
} Complaint;

static void
keep_error (png_structp png, png_const_charp message)
{
  Complaint *complaint = png_get_error_ptr (png);

  complaint->error_number = errno;
  g_strlcpy (complaint->message, message, sizeof complaint->message);
  png_longjmp (png, 1);
}

static void
drop_warning (png_structp png, png_const_charp message)
{
  g_debug ("libpng: %s", message);
}

/* NaN becomes black. */
static void
to_grey (const float *pixels, size_t n, float low, float high, png_byte *grey)
{
  const float scale = high > low ? 255.0f / (high - low) : 0.0f;

  for (size_t i = 0; i < n; i++)
    if (pixels[i] >= high && pixels[i] > low)
      grey[i] = 255;
    else if (pixels[i] > low)
      grey[i] = (png_byte)((pixels[i] - low) * scale + 0.5f);
    else
      grey[i] = 0;
}

/* No local variable changes between setjmp() and longjmp(), so that none
 * needs to be volatile. */
static gboolean
write_image (png_structp png, png_infop info, FILE *stream, const float *pixels,
             size_t n_rows, size_t n_cols, float low, float high,
             png_byte *grey)
{
  if (setjmp (png_jmpbuf (png)) != 0)
    return FALSE;
  png_init_io (png, stream);
  png_set_user_limits (png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  png_set_IHDR (png, info, (png_uint_32)n_cols, (png_uint_32)n_rows, 8,
                PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE,
                PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info (png, info);
  for (size_t row = 0; row < n_rows; row++)
    {
      to_grey (pixels + row * n_cols, n_cols, low, high, grey);
      png_write_row (png, grey);
    }
  png_write_end (png, info);
  return TRUE;
}

/* The stream gets a duplicate of the file descriptor, which fclose() closes;
 * the file keeps its own descriptor for the commit. */
static FILE *
open_stream (TlPartFile *file)
{
  const int fd = dup (file->fd);
  FILE *stream = fd >= 0 ? fdopen (fd, "wb") : NULL;

  if (fd >= 0 && stream == NULL)
    close (fd);
  return stream;
}

static gboolean
write_to_stream (TlPartFile *file, FILE *stream, const float *pixels,
                 size_t n_rows, size_t n_cols, float low, float high,
                 GError **error)
{
  g_autofree png_byte *grey = tl_try_alloc (1, 1, n_cols, sizeof *grey,
                                            _ ("a row of the picture"), error);
  Complaint complaint = { 0, "" };

  if (grey == NULL)
    return FALSE;
  png_structp png = png_create_write_struct (PNG_LIBPNG_VER_STRING, &complaint,
                                             keep_error, drop_warning);
  png_infop info = png != NULL ? png_create_info_struct (png) : NULL;
  gboolean ok = info != NULL
                && write_image (png, info, stream, pixels, n_rows, n_cols, low,
                                high, grey);
  png_destroy_write_struct (&png, &info);
  if (fflush (stream) != 0 && ok)
    {
      complaint.error_number = errno;
      ok = FALSE;
    }
  if (!ok)
    tl_set_write_error (error, file->path, complaint.error_number,
                        complaint.message);
  return ok;
}

gboolean
tl_write_png (const char *path, const float *pixels, size_t n_rows,
              size_t n_cols, float low, float high, GError **error)
{
  g_return_val_if_fail (path != NULL && pixels != NULL, FALSE);
  g_return_val_if_fail (n_rows > 0 && n_rows <= PNG_UINT_31_MAX, FALSE);
  g_return_val_if_fail (n_cols > 0 && n_cols <= PNG_UINT_31_MAX, FALSE);

  g_autoptr (TlPartFile) file = tl_part_file_open (path, error);
  if (file == NULL)
    return FALSE;
  errno = 0;
  FILE *stream = open_stream (file);
  if (stream == NULL)
    return tl_set_write_error (error, path, errno, NULL);
  gboolean ok =
      write_to_stream (file, stream, pixels, n_rows, n_cols, low, high, error);
  fclose (stream);
  return ok && tl_part_file_commit (file, TRUE, error);
}
