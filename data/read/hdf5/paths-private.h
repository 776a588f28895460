/* Paths in an HDF5 file: what is below a group, and what a pattern describes.
 * All after tl_hdf5_enter(). Links that lead nowhere are no error. */
#pragma once

#include "data/read/hdf5/hdf5-private.h"

/** tl_hdf5_join: Returns: (transfer full): the path of @link in @group */
char *tl_hdf5_join (const char *group, const char *link);

/** tl_hdf5_list_links: Returns: (transfer full): the names of the links in
 * @group, sorted; none if it is no group or cannot be opened */
GPtrArray *tl_hdf5_list_links (TlHdf5Id file, const char *group);

/** tl_hdf5_dup_identity: Returns: (transfer full): a text that is the same for
 * all paths to one object */
char *tl_hdf5_dup_identity (TlHdf5Id object);

/** tl_hdf5_is_below: Returns: whether @path is @group or in it */
gboolean tl_hdf5_is_below (const char *path, const char *group);

/**
 * tl_hdf5_match:
 * @base: the group where a @pattern without a leading "/" begins
 * @pattern: as in layouts.ini, which explains patterns
 * @found: (element-type char*): paths are appended; the last link of each may
 *   lead nowhere
 */
void tl_hdf5_match (TlHdf5Id file, const char *base, const char *pattern,
                    GPtrArray *found);
