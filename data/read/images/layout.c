#include "data/read/images/layout-private.h"

#include "data/error.h"
#include "data/read/format/image-format.h"
#include "data/read/images/groups-private.h"
#include "data/read/images/listing.h"
#include "data/read/images/names.h"

#include <glib/gi18n.h>
#include <string.h>

enum
{
  MAX_NAMES = 20, /* listed in a message */
  MAX_DEPTH = 2   /* levels of folders below a sub-folder that are searched */
};

void
tl_image_layout_clear (TlImageLayout *layout)
{
  for (int kind = 0; kind < TL_N_FRAME_KINDS; kind++)
    g_clear_pointer (&layout->files[kind], g_ptr_array_unref);
  g_clear_pointer (&layout->others, g_ptr_array_unref);
  g_clear_pointer (&layout->angles_file, g_free);
  g_clear_pointer (&layout->within, g_free);
}

/* @best: (out): @top or one of @children, whichever has the most images that
 * are neither flats nor darks */
static gboolean
choose_projections (TlListing *top, GPtrArray *children, TlListing **best,
                    TlScanDraft *draft, GError **error)
{
  *best = top;
  for (guint i = 0; i < children->len; i++)
    {
      TlListing *child = children->pdata[i];
      if (child->files[0]->len > (*best)->files[0]->len)
        *best = child;
    }
  g_autofree char *name = tl_path_dup_name (top->path);
  g_autofree char *best_name = tl_path_dup_name ((*best)->path);
  for (guint i = 0; *best != top && i < children->len; i++)
    {
      TlListing *child = children->pdata[i];
      g_autofree char *child_name = tl_path_dup_name (child->path);
      if (child == *best || child->files[0]->len == 0)
        continue;
      if (child->files[0]->len == (*best)->files[0]->len)
        return tl_fail (error, TL_ERROR_FORMAT,
                        g_dngettext (NULL,
                                     "%s: the sub-folders %s and %s have %u "
                                     "image each; open one of them",
                                     "%s: the sub-folders %s and %s have %u "
                                     "images each; open one of them",
                                     child->files[0]->len),
                        name, best_name, child_name, child->files[0]->len);
    }
  if (*best != top)
    tl_scan_draft_note (draft, _ ("the projections are in the sub-folder %s"),
                        best_name);
  return TRUE;
}

/* Adds all images in the sub-folders of @listing that are named for flats or
 * darks. */
static void
collect_fields (const TlListing *listing, TlImageLayout *layout)
{
  for (guint i = 0; i < listing->folders->len; i++)
    {
      TlFrameKind kind = tl_name_get_kind (listing->folders->pdata[i]);
      if (kind == TL_FRAMES_PROJECTIONS)
        continue;
      g_autoptr (TlListing) folder = tl_listing_new (
          listing->folders->pdata[i], listing->cancellable, NULL);
      for (int k = 0; folder != NULL && k < TL_N_FRAME_KINDS; k++)
        tl_paths_append (
            layout->files[k == TL_FRAMES_PROJECTIONS ? (int)kind : k],
            folder->files[k]);
      if (folder != NULL)
        tl_listing_append_images (folder, layout->others);
    }
}

/* Fills @layout: the projections are in @best; flats and darks are all images
 * in sub-folders named for them, of @top and of @best, and images named for
 * them beside the projections. */
static void
collect (TlListing *top, GPtrArray *children, TlListing *best,
         TlImageLayout *layout)
{
  tl_paths_append (layout->files[TL_FRAMES_PROJECTIONS],
                   best->files[TL_FRAMES_PROJECTIONS]);
  for (TlFrameKind kind = TL_FRAMES_FLATS; kind < TL_N_FRAME_KINDS; kind++)
    {
      tl_paths_append (layout->files[kind], top->files[kind]);
      if (best != top)
        tl_paths_append (layout->files[kind], best->files[kind]);
    }
  collect_fields (top, layout);
  if (best != top)
    collect_fields (best, layout);
  layout->angles_file = tl_listing_find_angles (top);
  if (layout->angles_file == NULL && best != top)
    layout->angles_file = tl_listing_find_angles (best);
}

/* Sub-folders that may hold projections: by their name they hold no flats,
 * darks or slices. */
static GPtrArray *
list_children (TlListing *top)
{
  GPtrArray *children =
      g_ptr_array_new_with_free_func ((GDestroyNotify)tl_listing_free);
  for (guint i = 0; i < top->folders->len; i++)
    {
      const char *path = top->folders->pdata[i];
      if (tl_name_get_kind (path) != TL_FRAMES_PROJECTIONS)
        continue;
      /* Skip sub-folders that cannot be read. */
      g_autoptr (TlListing) child =
          tl_listing_new (path, top->cancellable, NULL);
      if (child != NULL && !tl_listing_is_reconstruction (child))
        g_ptr_array_add (children, g_steal_pointer (&child));
    }
  return children;
}

static void
layout_init (TlImageLayout *layout)
{
  for (int kind = 0; kind < TL_N_FRAME_KINDS; kind++)
    layout->files[kind] = g_ptr_array_new_with_free_func (g_free);
  layout->others = g_ptr_array_new_with_free_func (g_free);
}

/* Removes @paths from @from. */
static void
remove_paths (GPtrArray *from, GPtrArray *paths)
{
  g_autoptr (GHashTable) set =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < paths->len; i++)
    g_hash_table_add (set, g_canonicalize_filename (paths->pdata[i], NULL));
  for (guint i = from->len; i-- > 0;)
    {
      g_autofree char *path = g_canonicalize_filename (from->pdata[i], NULL);
      if (g_hash_table_contains (set, path))
        g_ptr_array_remove_index (from, i);
    }
}

/* Removes the images that the user has named as flats or darks: they are no
 * projections. */
static void
leave_out_named (TlListing *top, GPtrArray *children,
                 const TlReaderOptions *options)
{
  const char *const patterns[] = { options->flats, options->darks };
  for (size_t i = 0; i < G_N_ELEMENTS (patterns); i++)
    {
      /* apply_patterns() reports a pattern that matches nothing */
      g_autoptr (GPtrArray) named =
          patterns[i] != NULL ? tl_listing_match (top->path, patterns[i],
                                                  top->cancellable, NULL)
                              : NULL;
      for (int kind = 0; named != NULL && kind < TL_N_FRAME_KINDS; kind++)
        {
          remove_paths (top->files[kind], named);
          for (guint c = 0; c < children->len; c++)
            remove_paths (((TlListing *)children->pdata[c])->files[kind],
                          named);
        }
    }
}

/* Returns: whether @listing, or a folder in it, contains images or an HDF5 file
 */
static gboolean
holds_scan (const TlListing *listing, guint depth)
{
  if (listing->files[TL_FRAMES_PROJECTIONS]->len > 0 || listing->hdf5->len > 0)
    return TRUE;
  for (guint i = 0; depth > 0 && i < listing->folders->len; i++)
    {
      const char *path = listing->folders->pdata[i];
      if (tl_name_get_kind (path) != TL_FRAMES_PROJECTIONS)
        continue;
      g_autoptr (TlListing) below =
          tl_listing_new (path, listing->cancellable, NULL);
      if (below != NULL && !tl_listing_is_reconstruction (below)
          && holds_scan (below, depth - 1))
        return TRUE;
    }
  return FALSE;
}

static gboolean
has_field_folders (const TlListing *top)
{
  for (guint i = 0; i < top->folders->len; i++)
    if (tl_name_get_kind (top->folders->pdata[i]) != TL_FRAMES_PROJECTIONS)
      return TRUE;
  return FALSE;
}

/* @hint: (nullable): what else helps on the command line */
static gboolean
refuse_several (const char *folder, GPtrArray *scans, const char *hint,
                GError **error)
{
  g_autoptr (GString) names = g_string_new (NULL);
  for (guint i = 0; i < scans->len && i < MAX_NAMES; i++)
    {
      g_autofree char *name = tl_path_dup_name (scans->pdata[i]);
      g_string_append_printf (names, "%s%s", i > 0 ? ", " : "", name);
    }
  g_autofree char *name = tl_path_dup_name (folder);
  return tl_fail_with_hint (
      error, TL_ERROR_LAYOUT, hint,
      _ ("%s: holds several scans: %s%s; open one of them"), name, names->str,
      scans->len > MAX_NAMES ? " …" : "");
}

/* Looks for the scan in a folder that has no images itself.
 * @children: its sub-folders that may have projections
 * @within: (out): set if the only scan is an HDF5 file or lies below one of
 *   @children; images directly in a sub-folder belong to the folder's own scan
 */
static gboolean
find_scan_within (const TlListing *top, GPtrArray *children, char **within,
                  GError **error)
{
  g_autoptr (GPtrArray) scans = g_ptr_array_new_with_free_func (g_free);
  gboolean has_images = FALSE;
  /* beside flats and darks an HDF5 file holds notes about the scan */
  const gboolean has_fields = has_field_folders (top);
  if (!has_fields)
    tl_paths_append (scans, top->hdf5);
  for (guint i = 0; i < children->len; i++)
    {
      const TlListing *child = children->pdata[i];
      if (!holds_scan (child, MAX_DEPTH))
        continue;
      g_ptr_array_add (scans, g_strdup (child->path));
      has_images |= child->files[TL_FRAMES_PROJECTIONS]->len > 0;
    }
  if (scans->len > 1)
    return refuse_several (top->path, scans, NULL, error);
  if (scans->len == 1 && !has_images && !has_fields)
    *within = g_strdup (scans->pdata[0]);
  return TRUE;
}

/* Fails if several sub-folders have more images than the folder itself, which
 * then has none of their scans. */
static gboolean
check_rivals (const TlListing *top, GPtrArray *children, GError **error)
{
  const guint n_top = top->files[TL_FRAMES_PROJECTIONS]->len;
  g_autoptr (GPtrArray) scans = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < children->len; i++)
    {
      const TlListing *child = children->pdata[i];
      if (n_top > 0 && child->files[TL_FRAMES_PROJECTIONS]->len > n_top)
        g_ptr_array_add (scans, g_strdup (child->path));
    }
  return scans->len < 2 || refuse_several (top->path, scans, NULL, error);
}

/* @options: (nullable): %NULL: neither look deeper for the only scan nor report
 *   unused HDF5 files */
static gboolean
find_by_names (const char *folder, const TlReaderOptions *options,
               GCancellable *cancellable, TlImageLayout *layout,
               TlScanDraft *draft, GError **error)
{
  g_autoptr (TlListing) top = tl_listing_new (folder, cancellable, error);
  if (top == NULL)
    return FALSE;
  g_autoptr (GPtrArray) children = list_children (top);
  TlListing *best;
  tl_listing_append_images (top, layout->others);
  for (guint i = 0; i < children->len; i++)
    tl_listing_append_images (children->pdata[i], layout->others);
  if (options != NULL)
    leave_out_named (top, children, options);
  const gboolean has_images = tl_listing_has_images (top);
  if (options != NULL && !has_images
      && !find_scan_within (top, children, &layout->within, error))
    return FALSE;
  if (options != NULL && has_images && top->hdf5->len > 0)
    tl_scan_draft_note (
        draft,
        g_dngettext (NULL, "%u HDF5 file beside the images is not used",
                     "%u HDF5 files beside the images are not used",
                     top->hdf5->len),
        top->hdf5->len);
  if (options != NULL && options->projections == NULL
      && !check_rivals (top, children, error))
    return FALSE;
  if (!choose_projections (top, children, &best, draft, error))
    return FALSE;
  collect (top, children, best, layout);
  return TRUE;
}

/* The user may have opened the folder that holds only the projections. If the
 * folder above leads to the same projections, take the flats, darks and angles
 * that it has. */
static void
look_above (const char *folder, GCancellable *cancellable,
            TlImageLayout *layout, TlScanDraft *draft)
{
  g_autofree char *canonical = g_canonicalize_filename (folder, NULL);
  g_autofree char *parent = g_path_get_dirname (canonical);
  g_auto (TlImageLayout) above = { 0 };
  g_auto (TlScanDraft) unused;
  tl_scan_draft_init (&unused);
  layout_init (&above);
  if (layout->files[TL_FRAMES_FLATS]->len > 0
      || layout->files[TL_FRAMES_DARKS]->len > 0
      || !find_by_names (parent, NULL, cancellable, &above, &unused, NULL)
      || above.files[TL_FRAMES_PROJECTIONS]->len == 0
      || (above.files[TL_FRAMES_FLATS]->len == 0
          && above.files[TL_FRAMES_DARKS]->len == 0
          && above.angles_file == NULL))
    return;
  g_autofree char *projections =
      g_path_get_dirname (above.files[TL_FRAMES_PROJECTIONS]->pdata[0]);
  if (strcmp (projections, canonical) != 0)
    return;
  for (TlFrameKind kind = TL_FRAMES_FLATS; kind < TL_N_FRAME_KINDS; kind++)
    {
      tl_paths_append (layout->files[kind], above.files[kind]);
      tl_paths_append (layout->others, above.files[kind]);
    }
  if (layout->angles_file == NULL)
    layout->angles_file = g_steal_pointer (&above.angles_file);
  tl_scan_draft_note (draft, _ ("flats, darks and angles are taken from the "
                                "folder above"));
}

/* Returns: what the names say of an image that is not @projection. The name of
 * a folder with both says nothing. */
static TlFrameKind
judge_beside (const char *path, const char *projection)
{
  const TlFrameKind kind = tl_name_get_kind_beside (path, projection);
  g_autofree char *dir = g_path_get_dirname (path);
  g_autofree char *folder = g_canonicalize_filename (dir, NULL);
  g_autofree char *inside = g_strconcat (folder, G_DIR_SEPARATOR_S, NULL);
  g_autofree char *canonical = g_canonicalize_filename (projection, NULL);
  return kind != TL_FRAMES_PROJECTIONS || g_str_has_prefix (canonical, inside)
             ? kind
             : tl_name_get_kind (folder);
}

/* The user has named the projections: what flats and darks have in common with
 * the names of these is the name of the sample. */
static void
judge_fields_again (TlImageLayout *layout)
{
  const GPtrArray *projections = layout->files[TL_FRAMES_PROJECTIONS];
  GPtrArray *sorted[TL_N_FRAME_KINDS] = { NULL };
  if (projections->len == 0)
    return;
  for (int kind = TL_FRAMES_FLATS; kind < TL_N_FRAME_KINDS; kind++)
    sorted[kind] = g_ptr_array_new_with_free_func (g_free);
  for (int kind = TL_FRAMES_FLATS; kind < TL_N_FRAME_KINDS; kind++)
    for (guint i = 0; i < layout->files[kind]->len; i++)
      {
        const char *path = layout->files[kind]->pdata[i];
        const TlFrameKind found = judge_beside (path, projections->pdata[0]);
        if (found != TL_FRAMES_PROJECTIONS)
          g_ptr_array_add (sorted[found], g_strdup (path));
      }
  for (int kind = TL_FRAMES_FLATS; kind < TL_N_FRAME_KINDS; kind++)
    {
      g_ptr_array_unref (layout->files[kind]);
      layout->files[kind] = sorted[kind];
    }
}

/* Removes @matched, which the user has given for @kind, from the images of
 * @other. @pattern: (nullable): what the user has given for these */
static gboolean
take_from (const char *folder, GPtrArray *matched, TlFrameKind kind,
           TlFrameKind other, const char *pattern, TlImageLayout *layout,
           GError **error)
{
  GPtrArray *files = layout->files[other];
  const guint n_before = files->len;
  remove_paths (files, matched);
  if (pattern == NULL || n_before == 0 || files->len > 0)
    return TRUE;
  g_autofree char *name = tl_path_dup_name (folder);
  return tl_fail (error, TL_ERROR_FORMAT,
                  _ ("%s: all images that \"%s\" matches are given for the %s "
                     "and for the %s; give each image for one of them"),
                  name, pattern, tl_frame_kind_get_name (other),
                  tl_frame_kind_get_name (kind));
}

/* The patterns of the user override what the names say. */
static gboolean
apply_patterns (const char *folder, const TlReaderOptions *options,
                TlImageLayout *layout, GError **error)
{
  const char *const patterns[TL_N_FRAME_KINDS] = { options->projections,
                                                   options->flats,
                                                   options->darks };
  for (int kind = 0; kind < TL_N_FRAME_KINDS; kind++)
    {
      if (patterns[kind] == NULL)
        continue;
      GPtrArray *matched = tl_listing_match (folder, patterns[kind],
                                             options->cancellable, error);
      if (matched == NULL)
        return FALSE;
      g_ptr_array_unref (layout->files[kind]);
      layout->files[kind] = matched;
      for (int other = 0; other < TL_N_FRAME_KINDS; other++)
        if (other != kind
            && !take_from (folder, matched, kind, other,
                           other < kind ? patterns[other] : NULL, layout,
                           error))
          return FALSE;
      if (kind == TL_FRAMES_PROJECTIONS)
        judge_fields_again (layout);
    }
  return TRUE;
}

/* The ESRF writes the single flats and darks and also their means: refHST0000,
 * refHST0500 and so on, and dark. Only the means are used, of the flats the
 * first and the last: the program interpolates between two. */
static void
keep_means (TlImageLayout *layout, TlScanDraft *draft)
{
  GPtrArray *flats = layout->files[TL_FRAMES_FLATS];
  GPtrArray *darks = layout->files[TL_FRAMES_DARKS];
  guint n_series = 0, n_kept = 0;
  for (guint i = 0; i < flats->len; i++)
    n_series += tl_name_is_series (flats->pdata[i]);
  for (guint i = 0; i < flats->len && n_series > 0;)
    if (tl_name_is_series (flats->pdata[i])
        && (n_kept++ == 0 || n_kept == n_series))
      i++;
    else
      g_ptr_array_remove_index (flats, i);
  if (n_series > 2)
    tl_scan_draft_note (draft,
                        g_dngettext (NULL,
                                     "%u flat field taken between the first "
                                     "and the last is not used",
                                     "%u flat fields taken between the first "
                                     "and the last are not used",
                                     n_series - 2),
                        n_series - 2);
  for (guint i = 0; i < darks->len && n_series > 0; i++)
    {
      g_auto (GStrv) words = tl_name_split (darks->pdata[i]);
      if (strcmp (words[0], "dark") != 0 || words[1] != NULL)
        continue;
      GPtrArray *mean = g_ptr_array_new_with_free_func (g_free);
      g_ptr_array_add (mean, g_strdup (darks->pdata[i]));
      g_ptr_array_unref (darks);
      layout->files[TL_FRAMES_DARKS] = mean;
      return;
    }
}

/* Moves flats taken after the projections to the end. */
static void
sort_flats (TlImageLayout *layout)
{
  g_autoptr (GPtrArray) flats =
      g_steal_pointer (&layout->files[TL_FRAMES_FLATS]);
  GPtrArray *sorted = g_ptr_array_new_with_free_func (g_free);
  for (int after = 0; after <= 1; after++)
    {
      for (guint i = 0; i < flats->len; i++)
        if (tl_name_is_after (flats->pdata[i]) == after)
          g_ptr_array_add (sorted, g_strdup (flats->pdata[i]));
      if (!after)
        layout->n_flats_before = sorted->len;
    }
  layout->files[TL_FRAMES_FLATS] = sorted;
}

/* Refuses a folder that has flats or darks only; the caller reports a folder
 * without any image. */
static gboolean
check_projections (const char *folder, const TlImageLayout *layout,
                   GError **error)
{
  guint n_fields =
      layout->files[TL_FRAMES_FLATS]->len + layout->files[TL_FRAMES_DARKS]->len;
  if (layout->files[TL_FRAMES_PROJECTIONS]->len > 0 || n_fields == 0)
    return TRUE;
  g_autofree char *name = tl_path_dup_name (folder);
  return tl_fail_with_hint (
      error, TL_ERROR_FORMAT,
      _ ("name those that are not with --projections, as 'p_#.tif'"),
      _ ("%s: by their names all images in it, %u, are flats or darks"), name,
      n_fields);
}

/* Returns: whether its names or its file say that images belong together */
static gboolean
is_series (TlImageGroup *group)
{
  return group->paths->len > 1 || tl_image_group_is_stack (group);
}

/* Returns: (transfer container) (element-type TlImageGroup): those of @files
 * that have the most images; empty if nothing says which images belong together
 */
static GPtrArray *
find_largest (GPtrArray *files, GHashTable *map, GCancellable *cancellable)
{
  GPtrArray *largest = g_ptr_array_new ();
  gboolean has_series = FALSE;
  size_t most = 0;
  for (guint i = 0; i < files->len; i++)
    {
      TlImageGroup *group = tl_image_groups_look_up (map, files->pdata[i]);
      tl_image_group_look (group, cancellable);
      if (group->n_images < most || g_ptr_array_find (largest, group, NULL))
        continue;
      has_series |= is_series (group);
      if (group->n_images > most)
        g_ptr_array_set_size (largest, 0);
      most = group->n_images;
      g_ptr_array_add (largest, group);
    }
  if (!has_series)
    g_ptr_array_set_size (largest, 0);
  return largest;
}

/* Returns: whether several groups are @largest, and one of them has stacks,
 * which are often scans of their own */
static gboolean
are_rivals (GPtrArray *largest)
{
  gboolean has_stack = FALSE;
  for (guint k = 0; k < largest->len; k++)
    has_stack |= tl_image_group_is_stack (largest->pdata[k]);
  return largest->len > 1 && has_stack;
}

static gboolean
refuse_rivals (const char *folder, GPtrArray *groups, GError **error)
{
  g_autoptr (GPtrArray) patterns = g_ptr_array_new ();
  for (guint k = 0; k < groups->len; k++)
    g_ptr_array_add (patterns, ((TlImageGroup *)groups->pdata[k])->pattern);
  g_autofree char *shown = g_filename_display_name (patterns->pdata[0]);
  g_autofree char *hint = g_strdup_printf (
      _ ("or name its projections, as with --projections '%s'"), shown);
  return refuse_several (folder, patterns, hint, error);
}

/* Keeps the largest group of the images that may be projections by their names.
 * Returns: %FALSE with TL_ERROR_LAYOUT if each of several groups that are kept
 * may be a scan */
static gboolean
choose_series (const char *folder, TlImageLayout *layout, GHashTable *map,
               GCancellable *cancellable, GError **error)
{
  GPtrArray *files = layout->files[TL_FRAMES_PROJECTIONS];
  g_autoptr (GPtrArray) largest = find_largest (files, map, cancellable);
  if (largest->len == 0)
    return TRUE;
  const gboolean are_several = are_rivals (largest);
  if (!are_several)
    g_ptr_array_set_size (largest, 1);
  for (guint i = files->len; i-- > 0;)
    if (!g_ptr_array_find (
            largest, tl_image_groups_look_up (map, files->pdata[i]), NULL))
      g_ptr_array_remove_index (files, i);
  return !are_several || refuse_rivals (folder, largest, error);
}

/* Projections first, those left out last. */
static int
compare_groups (gconstpointer a, gconstpointer b)
{
  const TlImageGroup *x = *(TlImageGroup *const *)a;
  const TlImageGroup *y = *(TlImageGroup *const *)b;
  return x->kind != y->kind ? (x->kind > y->kind) - (x->kind < y->kind)
                            : tl_name_compare (x->pattern, y->pattern);
}

/* Groups all images, and says in @draft what they are. No group is of two
 * kinds: the user may have named a part of it. Returns: as choose_series() */
static gboolean
group_images (const char *folder, const TlReaderOptions *options,
              TlImageLayout *layout, TlScanDraft *draft, GError **error)
{
  const gboolean by_names = options->projections == NULL;
  const char *const patterns[TL_N_FRAME_KINDS] = { options->projections,
                                                   options->flats,
                                                   options->darks };
  for (int kind = 0; kind < TL_N_FRAME_KINDS; kind++)
    tl_paths_append (layout->others, layout->files[kind]);
  draft->groups = tl_image_groups_new (folder, layout->others);
  /* as apply_patterns(): the last pattern wins */
  for (int kind = TL_N_FRAME_KINDS - 1; kind >= 0; kind--)
    if (patterns[kind] != NULL)
      tl_image_groups_split (draft->groups, layout->files[kind],
                             patterns[kind]);
  g_autoptr (GHashTable) map = tl_image_groups_map (draft->groups);
  const gboolean is_clear =
      !by_names
      || choose_series (folder, layout, map, options->cancellable, error);
  for (TlFrameKind kind = is_clear ? TL_FRAMES_PROJECTIONS : TL_FRAMES_FLATS;
       kind < TL_N_FRAME_KINDS; kind++)
    for (guint i = 0; i < layout->files[kind]->len; i++)
      tl_image_groups_look_up (map, layout->files[kind]->pdata[i])->kind = kind;
  g_ptr_array_sort (draft->groups, compare_groups);
  /* the user has chosen what is left out */
  if (by_names)
    tl_image_groups_note (draft->groups, draft);
  return is_clear;
}

gboolean
tl_image_layout_find (const char *folder, const TlReaderOptions *options,
                      TlImageLayout *layout, TlScanDraft *draft, GError **error)
{
  gboolean by_names = options->projections == NULL;
  layout_init (layout);
  if (!find_by_names (folder, options, options->cancellable, layout, draft,
                      by_names ? error : NULL)
      && by_names)
    return FALSE;
  if (!by_names) /* the notes are about a choice that the pattern replaces */
    g_ptr_array_set_size (draft->notes, 0);
  if (options->flats == NULL || options->darks == NULL)
    look_above (folder, options->cancellable, layout, draft);
  if (!apply_patterns (folder, options, layout, error))
    return FALSE;
  if (options->flats == NULL && options->darks == NULL)
    keep_means (layout, draft);
  sort_flats (layout);
  return group_images (folder, options, layout, draft, error)
         && check_projections (folder, layout, error);
}

GPtrArray *
tl_image_layout_list_groups (const char *folder, const TlReaderOptions *options)
{
  g_auto (TlImageLayout) layout = { 0 };
  g_auto (TlScanDraft) draft;
  tl_scan_draft_init (&draft);
  tl_image_layout_find (folder, options, &layout, &draft, NULL);
  if (draft.groups == NULL) /* it has failed before */
    group_images (folder, options, &layout, &draft, NULL);
  if (draft.groups->len == 0)
    return NULL;
  for (guint k = 0; k < draft.groups->len; k++)
    tl_image_group_look (draft.groups->pdata[k], options->cancellable);
  return g_steal_pointer (&draft.groups);
}
