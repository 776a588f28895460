/* One TIFF file: its pages, and rows of a page. */
#pragma once

#include "data/samples.h"

/* One open TIFF file. Messages of libtiff become part of the errors. */
typedef struct TlTiff TlTiff;

/* One image of a file. */
typedef struct
{
  guint64 offset; /* of its directory */
  size_t n_rows, n_cols;
  TlSampleType type;
} TlTiffPage;

/** tl_tiff_open: Returns: (transfer full): tl_tiff_next_page() finds the first
 * page; %NULL with TL_ERROR_FILE (missing, truncated) or TL_ERROR_FORMAT (no
 * TIFF) */
TlTiff *tl_tiff_open (const char *path, GError **error);
void tl_tiff_close (TlTiff *tiff);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlTiff, tl_tiff_close)

/**
 * tl_tiff_next_page:
 * @found: (out): whether there was another page
 *
 * Skips reduced-resolution copies of other pages.
 *
 * Returns: %FALSE with TL_ERROR_FILE (truncated) or TL_ERROR_UNSUPPORTED (more
 *   than one sample in a pixel, or a sample type that cannot be read)
 */
gboolean tl_tiff_next_page (TlTiff *tiff, TlTiffPage *page, gboolean *found,
                            GError **error);

/**
 * tl_tiff_read:
 * @page: from tl_tiff_next_page(), of this file
 * @rows: [@n_rows], ascending
 * @dest: (out caller-allocates): [@n_rows][n_cols], native byte order
 *
 * Reads uncompressed rows directly, and decodes only strips and tiles that
 * contain one of @rows.
 *
 * Returns: %FALSE with TL_ERROR_FILE, TL_ERROR_MEMORY
 */
gboolean tl_tiff_read (TlTiff *tiff, const TlTiffPage *page, const size_t *rows,
                       size_t n_rows, void *dest, GError **error);
