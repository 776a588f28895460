/* Plain arrays in host memory. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * tl_try_alloc:
 * @what: for the message, such as "the projections of 4 rows"
 *
 * Memory for @n0 * @n1 * @n2 elements of @size bytes, not cleared; the product
 * is checked. Freed with g_free(). Any thread.
 *
 * Returns: (transfer full): %NULL with TL_ERROR_MEMORY that says @what and how
 *   many bytes
 */
void *tl_try_alloc (size_t n0, size_t n1, size_t n2, size_t size,
                    const char *what, GError **error);

/** tl_sort_doubles: Sorts @n values in place, the smallest first. */
void tl_sort_doubles (double *values, size_t n);

/** tl_median: Sorts @n values, one at least, in place. Returns: the middle one,
 * or the mean of the two in the middle */
double tl_median (double *values, size_t n);

G_END_DECLS
