/* Reading bytes at a place in a file. */
#pragma once

#include <glib.h>

/**
 * tl_place_read:
 * @dest: (out caller-allocates): [@bytes]
 *
 * Several threads may read from one @fd, because its position does not move.
 *
 * Returns: %NULL if all bytes were read, else (transfer none) the reason in
 *   words: @at_end if the file ends before
 */
const char *tl_place_read (int fd, guint64 offset, size_t bytes, void *dest,
                           const char *at_end);

/**
 * tl_place_read_rows:
 * @offset: of row 0; the others follow it
 * @rows: [@n_rows], ascending
 * @dest: (out caller-allocates): [@n_rows][@row_bytes]
 *
 * As tl_place_read(); rows that follow each other are read together.
 */
const char *tl_place_read_rows (int fd, guint64 offset, size_t row_bytes,
                                const size_t *rows, size_t n_rows, void *dest,
                                const char *at_end);
