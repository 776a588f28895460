/* Slices to disk, whole files only: each is written beside its place under a
 * temporary name and renamed when complete. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * tl_write_tiff:
 * @path: replaced if there
 * @pixels: [@n_rows][@n_cols]
 * @description: (nullable): goes into the ImageDescription tag
 *
 * One 32-bit float image; BigTIFF where it must be. Any thread.
 *
 * Returns: %FALSE with TL_ERROR_FILE (no permission, disk full, …); then @path
 *   is as it was before and no other file is left
 */
gboolean tl_write_tiff (const char *path, const float *pixels, size_t n_rows,
                        size_t n_cols, const char *description, GError **error);

/**
 * tl_write_png:
 * @low: this value and below become black
 * @high: this value and above become white
 *
 * An 8-bit grey picture to look at. Otherwise as tl_write_tiff().
 */
gboolean tl_write_png (const char *path, const float *pixels, size_t n_rows,
                       size_t n_cols, float low, float high, GError **error);

/* Names of the files of a stack; the number between has five digits or more. */
#define TL_SLICE_PREFIX "recon_"
#define TL_SLICE_SUFFIX ".tiff"

typedef struct TlWriter TlWriter;

/**
 * tl_writer_check_room:
 *
 * What tl_writer_open() asks first, for those who want to know before the
 * pixels are there. Makes nothing.
 *
 * Returns: %FALSE with TL_ERROR_FILE where the file system of @folder, there
 *   or not yet, has less free than the slices take beyond those they replace
 */
gboolean tl_writer_check_room (const char *folder, size_t first_slice,
                               size_t n_slices, size_t n_rows, size_t n_cols,
                               const char *description, GError **error);

/**
 * tl_writer_open:
 * @folder: made if it is not there
 * @first_slice: number of the first file, recon_00000.tiff and so on
 *
 * A TIFF stack of @n_slices slices, one file each. Checks that the file system
 * has room for all of it. One thread at a time.
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
 * Returns: %FALSE with TL_ERROR_FILE; files written before stay, whole
 */
gboolean tl_writer_write (TlWriter *writer, size_t slice, const float *pixels,
                          GError **error);
void tl_writer_close (TlWriter *writer);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlWriter, tl_writer_close)

G_END_DECLS
