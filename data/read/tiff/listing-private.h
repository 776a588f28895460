/* What is in a folder, by the names. */
#pragma once

#include "data/read/draft-private.h"

G_BEGIN_DECLS

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
