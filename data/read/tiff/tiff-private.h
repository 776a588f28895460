/* What the parts of the TIFF readers share. */
#pragma once

#include "data/read/reader-private.h"

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
 * @rows: [@n_rows], ascending
 * @dest: (out caller-allocates): [@n_rows][n_cols], native byte order
 *
 * Reads uncompressed rows from their place and decodes no strip or tile
 * without a row that is wanted.
 *
 * Returns: %FALSE with TL_ERROR_FILE, TL_ERROR_MEMORY
 */
gboolean tl_tiff_read (TlTiff *tiff, const TlTiffPage *page, const size_t *rows,
                       size_t n_rows, void *dest, GError **error);

/* The files of a scan in a folder. */
typedef struct
{
  GPtrArray *files[TL_N_FRAME_KINDS]; /* of char *, paths in natural order */
  size_t n_flats_before;              /* files, equal to all if unknown */
  char *angles_file;                  /* (nullable) */
  char *within; /* (nullable): the scan, a folder or a file of its own */
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

/* What is in one folder, without its sub-folders, and without slices where
 * there is an HDF5 file that they may be of; natural order. */
typedef struct
{
  char *path;
  GPtrArray *files[TL_N_FRAME_KINDS]; /* images, by the words in their names */
  GPtrArray *folders, *texts, *hdf5;  /* of char *, paths */
} TlListing;

/** tl_listing_new: Returns: (transfer full): %NULL with TL_ERROR_FILE. */
TlListing *tl_listing_new (const char *path, GError **error);
void tl_listing_free (TlListing *listing);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlListing, tl_listing_free)

/** tl_listing_find_angles: Returns: (transfer full) (nullable): the text named
 * for angles, the plainest name first. */
char *tl_listing_find_angles (const TlListing *listing);

/** tl_listing_is_reconstruction: Returns: its images are slices; those that
 * someone put beside the projections are often more than these. */
gboolean tl_listing_is_reconstruction (const TlListing *listing);

gboolean tl_listing_has_images (const TlListing *listing);

/** tl_paths_append: copies. */
void tl_paths_append (GPtrArray *to, GPtrArray *from);

/**
 * tl_tiff_find_scan_within:
 * @top: has no images itself
 * @children: of TlListing: its sub-folders that may have projections
 * @within: (out) (nullable): set where the only scan is an HDF5 file, or lies
 *   deeper than in a sub-folder
 *
 * Returns: %FALSE with TL_ERROR_FORMAT where there are several, naming them:
 *   which of them is meant is not to be guessed
 */
gboolean tl_tiff_find_scan_within (const TlListing *top, GPtrArray *children,
                                   char **within, GError **error);

/**
 * tl_tiff_match:
 * @pattern: of names; may have a sub-folder before them
 *
 * Returns: (transfer full): files in @folder that it names, or in the one
 *   sub-folder that has such files, in natural order; %NULL with
 *   TL_ERROR_FORMAT
 */
GPtrArray *tl_tiff_match (const char *folder, const char *pattern,
                          GError **error);

G_END_DECLS
