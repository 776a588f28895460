/* Writes pictures to files. Each file is written under a temporary name in the
 * same folder and renamed when it is complete. Where there is no file, as for a
 * pipe, its bytes are made in memory. */
#pragma once

#include "data/samples.h"

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
 * tl_make_tiff:
 * @name: of what they are for, for the message
 *
 * Makes the bytes of the file that tl_write_tiff() would write, because a TIFF
 * file cannot be written from its first byte to its last. Any thread.
 *
 * Returns: (transfer full): %NULL with TL_ERROR_FILE (no memory)
 */
GBytes *tl_make_tiff (const char *name, const float *pixels, size_t n_rows,
                      size_t n_cols, const char *description, GError **error);

/**
 * tl_make_npy_head:
 *
 * Makes what a file of NumPy has before its @n_rows times @n_cols floats, whose
 * byte order is that of the machine (NPY format, version 1.0, of NumPy's
 * numpy.lib.format). Any thread.
 *
 * Returns: (transfer full)
 */
GBytes *tl_make_npy_head (size_t n_rows, size_t n_cols);

/**
 * tl_write_tiff_frame:
 * @pixels: [@n_rows][@n_cols] of @type, native byte order
 *
 * Writes one image of a detector, which appears whole, without waiting for the
 * disk. Any thread.
 *
 * Returns: %FALSE with TL_ERROR_FILE, also if @path exists
 */
gboolean tl_write_tiff_frame (const char *path, TlSampleType type,
                              const void *pixels, size_t n_rows, size_t n_cols,
                              GError **error);

/**
 * tl_write_png:
 * @low: this value and below become black
 * @high: this value and above become white
 *
 * Writes an 8-bit grey picture to look at. Otherwise as tl_write_tiff().
 */
gboolean tl_write_png (const char *path, const float *pixels, size_t n_rows,
                       size_t n_cols, float low, float high, GError **error);

/**
 * tl_write_png_colours:
 * @rgba: [@n_rows][@n_cols][4], sRGB, the top row first
 *
 * Writes a picture of 8 bits a colour; alpha is left out. Otherwise as
 * tl_write_tiff().
 */
gboolean tl_write_png_colours (const char *path, const guint8 *rgba,
                               size_t n_rows, size_t n_cols, GError **error);

/* A slice of a volume is a file: prefix, number with at least five digits,
 * suffix. */
#define TL_SLICE_PREFIX "recon_"
#define TL_SLICE_SUFFIX ".tiff"
