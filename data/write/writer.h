/* Writes slices to files. Each file is written under a temporary name in the
 * same folder and renamed when it is complete. */
#pragma once

#include <glib.h>

/**
 * tl_write_tiff:
 * @path: replaced if it exists
 * @pixels: [@n_rows][@n_cols]
 * @description: (nullable): text of the ImageDescription tag
 *
 * Writes one 32-bit float image, as BigTIFF if the size demands it. Any
 * thread.
 *
 * Returns: %FALSE with TL_ERROR_FILE (no permission, disk full, …); then
 *   @path is unchanged and no temporary file is left
 */
gboolean tl_write_tiff (const char *path, const float *pixels, size_t n_rows,
                        size_t n_cols, const char *description, GError **error);

/**
 * tl_write_png:
 * @low: this value and below become black
 * @high: this value and above become white
 *
 * Writes an 8-bit grey picture to look at. Otherwise as tl_write_tiff().
 */
gboolean tl_write_png (const char *path, const float *pixels, size_t n_rows,
                       size_t n_cols, float low, float high, GError **error);

/* A file of a stack is named prefix, number with at least five digits,
 * suffix. */
#define TL_SLICE_PREFIX "recon_"
#define TL_SLICE_SUFFIX ".tiff"

typedef struct TlWriter TlWriter;

/** tl_writer_check_room: The check that tl_writer_open() starts with, for
 * callers that want to know before the pixels are computed. Creates nothing.
 * Returns: %FALSE with TL_ERROR_FILE if the file system of @folder, which need
 * not exist, has too little free space for the slices less those that they
 * replace */
gboolean tl_writer_check_room (const char *folder, size_t first_slice,
                               size_t n_slices, size_t n_rows, size_t n_cols,
                               const char *description, GError **error);

/**
 * tl_writer_open:
 * @folder: created if it does not exist
 * @first_slice: number of the first file, recon_00000.tiff and so on
 *
 * Opens a TIFF stack of @n_slices slices, one file each. Checks that the file
 * system has room for all of them. One thread at a time.
 *
 * Returns: (transfer full): %NULL with TL_ERROR_FILE
 */
TlWriter *tl_writer_open (const char *folder, size_t first_slice,
                          size_t n_slices, size_t n_rows, size_t n_cols,
                          const char *description, GError **error);

/**
 * tl_writer_write:
 * @slice: @first_slice … @first_slice + n_slices - 1, in any order
 *
 * Returns: %FALSE with TL_ERROR_FILE; files written before stay complete
 */
gboolean tl_writer_write (TlWriter *writer, size_t slice, const float *pixels,
                          GError **error);
void tl_writer_close (TlWriter *writer);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlWriter, tl_writer_close)
