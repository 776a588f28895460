/* Plain arrays in host memory. */
#pragma once

#include <glib.h>

/**
 * tl_try_alloc:
 * @what: what the memory is for, such as "the projections of 4 rows"; appears
 *   in the error message
 *
 * Allocates @n0 * @n1 * @n2 elements of @size bytes, not cleared. The product
 * is checked for overflow. Does nothing if @error is set already, so that
 * several allocations need one check. Free with g_free(). Any thread.
 *
 * Returns: (transfer full): %NULL with TL_ERROR_MEMORY; the message names
 *   @what and the number of bytes
 */
void *tl_try_alloc (size_t n0, size_t n1, size_t n2, size_t size,
                    const char *what, GError **error);

/** tl_try_alloc_pages: Allocates whole pages, which no other memory shares;
 * huge ones for a large array, which the system gives much faster. Not cleared;
 * free with g_free(). Any thread. Returns: (transfer full) (nullable): [@bytes]
 */
void *tl_try_alloc_pages (size_t bytes);

/** tl_get_machine_bytes: Returns: all memory of this machine, in bytes. Any
 * thread. */
guint64 tl_get_machine_bytes (void);

/** tl_read_proc_bytes: @path: a file of /proc with lines such as
 * "MemAvailable: 123 kB". @key: "MemAvailable:". Any thread. Returns: 0 if it
 * is not there */
guint64 tl_read_proc_bytes (const char *path, const char *key);

/** tl_names_index: @names: %NULL-terminated. Any thread. Returns: the
 * index of @name in @names; -1 if it is not there */
int tl_names_index (const char *const *names, const char *name);

/** tl_sort_doubles: Sorts @n values in place, in ascending order. */
void tl_sort_doubles (double *values, size_t n);
/** tl_sort_floats: The same; no value is NaN. */
void tl_sort_floats (float *values, size_t n);

/** tl_median: Sorts @n values (at least one) in place. Returns: the middle
 * value, or the mean of the two middle values */
double tl_median (double *values, size_t n);
