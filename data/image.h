/* Sized arrays of floats in host memory. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* One picture [n_rows][n_cols], without gaps. */
typedef struct
{
  size_t n_rows, n_cols;
  float *pixels;
} TlImage;

/**
 * tl_image_new:
 *
 * Pixels are zero. Any thread.
 *
 * Returns: (transfer full): %NULL with TL_ERROR_MEMORY
 */
TlImage *tl_image_new (size_t n_rows, size_t n_cols, GError **error);
void tl_image_free (TlImage *image);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlImage, tl_image_free)

/**
 * tl_try_alloc:
 * @what: for the message, such as "the projections of 4 rows"
 *
 * Memory for @n0 * @n1 * @n2 elements of @size bytes, not cleared; the product
 * is checked. Freed with g_free().
 *
 * Returns: (transfer full): %NULL with TL_ERROR_MEMORY that says @what and how
 *   many bytes
 */
void *tl_try_alloc (size_t n0, size_t n1, size_t n2, size_t size,
                    const char *what, GError **error);

G_END_DECLS
