#include "data/image.h"

#include "data/error.h"

#include <string.h>

void *
tl_try_alloc (size_t n0, size_t n1, size_t n2, size_t size, const char *what,
              GError **error)
{
  gsize bytes = 0;
  void *memory = NULL;

  g_return_val_if_fail (what != NULL, NULL);

  if (g_size_checked_mul (&bytes, n0, n1)
      && g_size_checked_mul (&bytes, bytes, n2)
      && g_size_checked_mul (&bytes, bytes, size))
    memory = g_try_malloc (MAX (bytes, 1));
  if (memory == NULL)
    g_set_error (error, TL_ERROR, TL_ERROR_MEMORY,
                 "not enough memory for %s: %" G_GSIZE_FORMAT
                 " x %" G_GSIZE_FORMAT " x %" G_GSIZE_FORMAT
                 " of %" G_GSIZE_FORMAT " bytes",
                 what, n0, n1, n2, size);
  return memory;
}

TlImage *
tl_image_new (size_t n_rows, size_t n_cols, GError **error)
{
  float *pixels =
      tl_try_alloc (1, n_rows, n_cols, sizeof *pixels, "an image", error);
  TlImage *image;

  if (pixels == NULL)
    return NULL;
  memset (pixels, 0, n_rows * n_cols * sizeof *pixels);
  image = g_new (TlImage, 1);
  *image = (TlImage){ n_rows, n_cols, pixels };
  return image;
}

void
tl_image_free (TlImage *image)
{
  if (image == NULL)
    return;
  g_free (image->pixels);
  g_free (image);
}
