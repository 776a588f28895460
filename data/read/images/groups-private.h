/* The images of a folder, grouped by the stems of their names. */
#pragma once

#include "data/read/scan/draft.h"

/**
 * tl_image_groups_new:
 * @folder: that was opened; the patterns begin there
 * @paths: of images; one that is named twice counts once
 *
 * Names of one folder form a group if they differ in numbers only: "p_0001.tif"
 * and "p_0002.tif" do, "p_0001_bb.tif" is of another. Where the running number
 * begins anew for each number before it, as in "a1_0001.tif" and "a2_0001.tif",
 * each of these has a group. Files of several images may be parts of one stack:
 * "a.tif" is of the group of "a_1.tif" and "a_2.tif" then.
 *
 * Returns: (transfer full) (element-type TlImageGroup): in natural order, all
 *   left out
 */
GPtrArray *tl_image_groups_new (const char *folder, GPtrArray *paths);

/** tl_image_groups_split: Takes @paths out of each group that has other images,
 * too, into a group of their own. @pattern: by which the user has named them */
void tl_image_groups_split (GPtrArray *groups, GPtrArray *paths,
                            const char *pattern);

/** tl_image_groups_map: Returns: (transfer full): from the canonical paths of
 * all images to their groups; lives no longer than @groups */
GHashTable *tl_image_groups_map (GPtrArray *groups);

/** tl_image_groups_look_up: Returns: (nullable): the group of @path */
TlImageGroup *tl_image_groups_look_up (GHashTable *map, const char *path);

/** tl_image_group_look: Looks once into the first file that can be read for the
 * size and the number of its images. Without one, each counts as one image.
 * @cancellable: (nullable): ends the search for that file */
void tl_image_group_look (TlImageGroup *group, GCancellable *cancellable);

/** tl_image_group_is_stack: Looks into @group. Returns: whether its files have
 * several images each */
gboolean tl_image_group_is_stack (TlImageGroup *group);

/** tl_image_groups_note: Adds a note that names the groups left out, if there
 * are any. */
void tl_image_groups_note (GPtrArray *groups, TlScanDraft *draft);

/** tl_image_groups_hint_flats: Adds a note if no group has flats, but one that
 * is left out may be flats. @groups: sorted, projections first, and looked into
 */
void tl_image_groups_hint_flats (GPtrArray *groups, TlScanDraft *draft);
