/* Which images of a folder are projections, flats and darks. */
#pragma once

#include "data/read/scan/draft.h"

/* The files of a scan in a folder. tl_image_layout_find() fills a zeroed
 * struct.
 */
typedef struct
{
  GPtrArray *files[TL_N_FRAME_KINDS]; /* of char *, paths in natural order */
  size_t n_flats_before; /* number of files; all of them where the names do not
                            say */
  GPtrArray *others; /* of char *, further images, which may be in use, too */
  char *angles_file; /* (nullable) */
  char *within; /* (nullable): the folder or HDF5 file inside that is the only
                   scan; files[] is empty then */
} TlImageLayout;

void tl_image_layout_clear (TlImageLayout *layout);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TlImageLayout, tl_image_layout_clear)

/**
 * tl_image_layout_find:
 * @layout: (out): zeroed before the call; without projections if the folder has
 *   no images
 * @draft: receives notes and the groups of images
 *
 * Finds projections, flats and darks by the names of files and sub-folders, or
 * by the patterns in @options. By their names, projections are the largest
 * group of images that are neither flats nor darks.
 *
 * Returns: %FALSE with TL_ERROR_FILE, TL_ERROR_FORMAT (a pattern matches
 *   nothing, two sub-folders have as many images, or there are flats or darks
 *   but no projections), or TL_ERROR_LAYOUT (several folders, files or stacks
 *   could be the scan; of stacks, @layout has all then)
 */
gboolean tl_image_layout_find (const char *folder,
                               const TlReaderOptions *options,
                               TlImageLayout *layout, TlScanDraft *draft,
                               GError **error);

/** tl_image_layout_list_groups: Groups the images of a folder that is refused:
 * see tl_contents_list_groups(). */
GPtrArray *tl_image_layout_list_groups (const char *folder,
                                        const TlReaderOptions *options);
