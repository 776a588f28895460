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

/* What is written: grey levels of values, or colours. */
typedef struct
{
  size_t n_rows, n_cols;
  const float *pixels; /* (nullable): [n_rows][n_cols] */
  float low, high;
  const guint8 *rgba; /* without pixels: [n_rows][n_cols][4] */
} Picture;

/* No local variable changes between setjmp() and longjmp(), so that none
 * needs to be volatile. @grey: [n_cols] */
static gboolean
write_image (png_structp png, png_infop info, FILE *stream,
             const Picture *picture, png_byte *grey)
{
  const gboolean is_grey = picture->pixels != NULL;

  if (setjmp (png_jmpbuf (png)) != 0)
    return FALSE;
  png_init_io (png, stream);
  png_set_user_limits (png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  png_set_IHDR (
      png, info, (png_uint_32)picture->n_cols, (png_uint_32)picture->n_rows, 8,
      is_grey ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
      PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info (png, info);
  if (!is_grey)
    png_set_filler (png, 0, PNG_FILLER_AFTER); /* alpha is left out */
  for (size_t row = 0; row < picture->n_rows; row++)
    {
      const size_t first = row * picture->n_cols;

      if (is_grey)
        to_grey (picture->pixels + first, picture->n_cols, picture->low,
                 picture->high, grey);
      png_write_row (png, is_grey ? grey : picture->rgba + 4 * first);
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
write_to_stream (TlPartFile *file, FILE *stream, const Picture *picture,
                 GError **error)
{
  g_autofree png_byte *grey = tl_try_alloc (1, 1, picture->n_cols, sizeof *grey,
                                            _ ("a row of the picture"), error);
  Complaint complaint = { 0, "" };

  if (grey == NULL)
    return FALSE;
  png_structp png = png_create_write_struct (PNG_LIBPNG_VER_STRING, &complaint,
                                             keep_error, drop_warning);
  png_infop info = png != NULL ? png_create_info_struct (png) : NULL;
  gboolean ok = info != NULL && write_image (png, info, stream, picture, grey);
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

static gboolean
write_picture (const char *path, const Picture *picture, GError **error)
{
  g_return_val_if_fail (path != NULL, FALSE);
  g_return_val_if_fail (picture->pixels != NULL || picture->rgba != NULL,
                        FALSE);
  g_return_val_if_fail (
      picture->n_rows > 0 && picture->n_rows <= PNG_UINT_31_MAX, FALSE);
  g_return_val_if_fail (
      picture->n_cols > 0 && picture->n_cols <= PNG_UINT_31_MAX, FALSE);

  g_autoptr (TlPartFile) file = tl_part_file_open (path, error);
  if (file == NULL)
    return FALSE;
  errno = 0;
  FILE *stream = open_stream (file);
  if (stream == NULL)
    return tl_set_write_error (error, path, errno, NULL);
  gboolean ok = write_to_stream (file, stream, picture, error);
  fclose (stream);
  return ok && tl_part_file_commit (file, TRUE, error);
}

gboolean
tl_write_png (const char *path, const float *pixels, size_t n_rows,
              size_t n_cols, float low, float high, GError **error)
{
  const Picture picture = { n_rows, n_cols, pixels, low, high, NULL };

  return write_picture (path, &picture, error);
}

gboolean
tl_write_png_colours (const char *path, const guint8 *rgba, size_t n_rows,
                      size_t n_cols, GError **error)
{
  const Picture picture = { .n_rows = n_rows, .n_cols = n_cols, .rgba = rgba };

  return write_picture (path, &picture, error);
}
