/* What the parts of the TIFF readers share. */
#pragma once

#include "data/reader-private.h"

G_BEGIN_DECLS

/* One open TIFF file; libtiff's messages go into its errors. */
typedef struct TlTiff TlTiff;

/* One image of a file. */
typedef struct
{
  guint64 offset; /* of its directory */
  size_t n_rows, n_cols;
  TlSampleType type;
} TlTiffPage;

/**
 * tl_tiff_open:
 *
 * Returns: (transfer full): standing before the first page; %NULL with
 *   TL_ERROR_FILE (missing, truncated) or TL_ERROR_FORMAT (no TIFF)
 */
TlTiff *tl_tiff_open (const char *path, GError **error);
void tl_tiff_close (TlTiff *tiff);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlTiff, tl_tiff_close)

/**
 * tl_tiff_next_page:
 * @found: (out): whether there was another page
 *
 * Reduced copies of other pages are passed over.
 *
 * Returns: %FALSE with TL_ERROR_FILE (truncated) or TL_ERROR_UNSUPPORTED (more
 *   than one sample in a pixel, a type that no detector has)
 */
gboolean tl_tiff_next_page (TlTiff *tiff, TlTiffPage *page, gboolean *found,
                            GError **error);

/**
 * tl_tiff_read:
 * @page: one that tl_tiff_next_page() found in this file
 * @dest: (out caller-allocates): [@n_rows][n_cols], native byte order
 *
 * Reads uncompressed rows from their place and decodes no strip or tile
 * without a row that is wanted.
 *
 * Returns: %FALSE with TL_ERROR_FILE, TL_ERROR_MEMORY
 */
gboolean tl_tiff_read (TlTiff *tiff, const TlTiffPage *page, size_t first_row,
                       size_t n_rows, void *dest, GError **error);

/* The files of a scan in a folder. */
typedef struct
{
  GPtrArray *files[TL_N_FRAME_KINDS]; /* of char *, paths in natural order */
  size_t n_flats_before;              /* files, equal to all if unknown */
  char *angles_file;                  /* (nullable) */
} TlTiffLayout;

void tl_tiff_layout_clear (TlTiffLayout *layout);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TlTiffLayout, tl_tiff_layout_clear)

/**
 * tl_tiff_layout_find:
 * @layout: (out): zeroed before; no projections where there is no image
 *
 * Finds projections, flats and darks by the names of files and sub-folders, or
 * by the patterns in @options.
 *
 * Returns: %FALSE with TL_ERROR_FILE, or TL_ERROR_FORMAT (a pattern that
 *   matches nothing, several folders that could be the scan, flats and darks
 *   but no projections)
 */
gboolean tl_tiff_layout_find (const char *folder,
                              const TlReaderOptions *options,
                              TlTiffLayout *layout, TlScanDraft *draft,
                              GError **error);

/** tl_tiff_compare_names: as strcmp(), but numbers count as numbers. */
int tl_tiff_compare_names (const char *a, const char *b);

/** tl_name_split: Returns: its words of letters, lower case, no extension. */
char **tl_name_split (const char *path);

/** tl_name_get_kind: Returns: what the words in the name of @path say. */
TlFrameKind tl_name_get_kind (const char *path);

/** tl_name_is_after: Returns: whether file or folder are flats "after". */
gboolean tl_name_is_after (const char *path);

/** tl_name_is_reconstruction: Returns: whether it is of slices: "recon_". */
gboolean tl_name_is_reconstruction (const char *path);

/** tl_name_has_extension: @extensions: lower case, with the dot. */
gboolean tl_name_has_extension (const char *name,
                                const char *const *extensions);

/** tl_tiff_match: files in @folder that @pattern names, in natural order. */
GPtrArray *tl_tiff_match (const char *folder, const char *pattern,
                          GError **error);

G_END_DECLS
