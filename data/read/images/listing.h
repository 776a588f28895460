/* The files in a folder, sorted by what their names say. */
#pragma once

#include "data/read/scan/draft.h"

/* The contents of one folder, in natural order, without those of its
 * sub-folders. If the folder has an HDF5 file, images named as slices are left
 * out: they were reconstructed from it. */
typedef struct
{
  char *path;
  GCancellable *cancellable; /* (nullable): lent: also ends the listing of its
                                sub-folders */
  GPtrArray *files[TL_N_FRAME_KINDS]; /* images, by the words in their names */
  GPtrArray *folders, *texts, *hdf5;  /* of char *, paths */
  GPtrArray *others; /* of char *, paths: images of other formats than the most
                        frequent one */
} TlListing;

/** tl_listing_new: @cancellable: (nullable): outlives the listing. Returns:
 * (transfer full): %NULL with TL_ERROR_FILE or G_IO_ERROR_CANCELLED */
TlListing *tl_listing_new (const char *path, GCancellable *cancellable,
                           GError **error);
void tl_listing_free (TlListing *listing);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlListing, tl_listing_free)

/** tl_listing_find_angles: Returns: (transfer full) (nullable): the text file
 * that is named for angles, preferably "angles.txt" or similar without further
 * words */
char *tl_listing_find_angles (const TlListing *listing);

/** tl_listing_is_reconstruction: Returns: whether its images are slices. Such a
 * folder is no candidate for the projections: it often has more images than
 * they. */
gboolean tl_listing_is_reconstruction (const TlListing *listing);

gboolean tl_listing_has_images (const TlListing *listing);

/** tl_listing_append_images: Appends the paths of all its images. */
void tl_listing_append_images (const TlListing *listing, GPtrArray *to);

/** tl_paths_append: Appends copies of the paths in @from. */
void tl_paths_append (GPtrArray *to, GPtrArray *from);

/**
 * tl_listing_match:
 * @pattern: as of #TlReaderOptions
 *
 * Returns: (transfer full): the matching files in @folder, or else in the only
 *   sub-folder that has matching files, in natural order; a matching folder
 *   stands for the images in it. %NULL with TL_ERROR_FORMAT if there are none,
 *   or if several sub-folders have them, or G_IO_ERROR_CANCELLED; empty for
 *   "none"
 */
GPtrArray *tl_listing_match (const char *folder, const char *pattern,
                             GCancellable *cancellable, GError **error);
