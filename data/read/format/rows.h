/* Lists of detector rows in ascending order. */
#pragma once

#include <glib.h>

/** tl_rows_list: Returns: (transfer full): @first_row and the @n_rows - 1 rows
 * that follow it; %NULL with TL_ERROR_MEMORY */
size_t *tl_rows_list (size_t first_row, size_t n_rows, GError **error);

/** tl_rows_count_run: Returns: the number of consecutive rows in @rows, from
 * the @k-th on. */
size_t tl_rows_count_run (const size_t *rows, size_t n_rows, size_t k);

/** tl_rows_count_within: Returns: how many of @rows, from the @k-th on, are in
 * the same block of @block_rows rows. */
size_t tl_rows_count_within (const size_t *rows, size_t n_rows, size_t k,
                             size_t block_rows);

/** tl_rows_are_list: Returns: whether there is at least one row, and all ascend
 * and are below @end */
gboolean tl_rows_are_list (const size_t *rows, size_t n_rows, size_t end);
