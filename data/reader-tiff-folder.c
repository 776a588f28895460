/* Which TIFF files of a folder are projections, flats and darks. */
#include "data/reader-tiff-private.h"

#include "data/error.h"

#include <string.h>

/* Scans that a message lists. */
enum
{
  MAX_NAMES = 6
};

/* What is in one folder, without its sub-folders. */
typedef struct
{
  char *path;
  GPtrArray *files[TL_N_FRAME_KINDS]; /* images, by the words in their names */
  GPtrArray *folders;                 /* of char *, paths */
  GPtrArray *texts;                   /* of char *, paths */
  gboolean has_hdf5; /* a scan of another format may be in it */
} Listing;

static void
listing_free (Listing *listing)
{
  for (int kind = 0; kind < TL_N_FRAME_KINDS; kind++)
    g_ptr_array_unref (listing->files[kind]);
  g_ptr_array_unref (listing->folders);
  g_ptr_array_unref (listing->texts);
  g_free (listing->path);
  g_free (listing);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Listing, listing_free)

void
tl_tiff_layout_clear (TlTiffLayout *layout)
{
  for (int kind = 0; kind < TL_N_FRAME_KINDS; kind++)
    g_clear_pointer (&layout->files[kind], g_ptr_array_unref);
  g_clear_pointer (&layout->angles_file, g_free);
}

static int
compare_items (gconstpointer a, gconstpointer b)
{
  return tl_tiff_compare_names (*(char *const *)a, *(char *const *)b);
}

static Listing *
list_folder (const char *path, GError **error)
{
  static const char *const images[] = { ".tif", ".tiff", NULL };
  static const char *const texts[] = { ".txt", ".ang",    ".dat",
                                       ".csv", ".angles", NULL };
  static const char *const hdf5[] = { ".h5", ".hdf5", ".hdf", ".nxs", NULL };
  g_autoptr (GError) failure = NULL;
  g_autoptr (GDir) dir = g_dir_open (path, 0, &failure);
  if (dir == NULL)
    {
      g_autofree char *shown = tl_path_dup_name (path);
      g_set_error (error, TL_ERROR, TL_ERROR_FILE,
                   "%s: the folder cannot be read: %s", shown,
                   failure->message);
      return NULL;
    }
  Listing *listing = g_new0 (Listing, 1);
  listing->path = g_strdup (path);
  for (int kind = 0; kind < TL_N_FRAME_KINDS; kind++)
    listing->files[kind] = g_ptr_array_new_with_free_func (g_free);
  listing->folders = g_ptr_array_new_with_free_func (g_free);
  listing->texts = g_ptr_array_new_with_free_func (g_free);
  for (const char *name; (name = g_dir_read_name (dir)) != NULL;)
    {
      char *child = g_build_filename (path, name, NULL);
      GPtrArray *list = NULL;
      if (name[0] == '.')
        list = NULL;
      else if (g_file_test (child, G_FILE_TEST_IS_DIR))
        list = listing->folders;
      else if (tl_name_has_extension (name, images))
        list = listing->files[tl_name_get_kind (name)];
      else if (tl_name_has_extension (name, texts))
        list = listing->texts;
      listing->has_hdf5 |= list == NULL && tl_name_has_extension (name, hdf5);
      if (list != NULL)
        g_ptr_array_add (list, child);
      else
        g_free (child);
    }
  for (int kind = 0; kind < TL_N_FRAME_KINDS; kind++)
    g_ptr_array_sort (listing->files[kind], compare_items);
  g_ptr_array_sort (listing->folders, compare_items);
  g_ptr_array_sort (listing->texts, compare_items);
  return listing;
}

static void
append_copies (GPtrArray *to, GPtrArray *from)
{
  for (guint i = 0; i < from->len; i++)
    g_ptr_array_add (to, g_strdup (from->pdata[i]));
}

/* A text named for angles; the plainest name first. */
static char *
find_angles (Listing *listing)
{
  static const char *const words[] = { "angles", "angle", "theta", "thetas",
                                       NULL };
  for (int strict = 1; strict >= 0; strict--)
    for (guint i = 0; i < listing->texts->len; i++)
      {
        const char *path = listing->texts->pdata[i];
        g_auto (GStrv) name = tl_name_split (path);
        for (size_t k = 0; name[k] != NULL; k++)
          if (g_strv_contains (words, name[k]) && (!strict || name[1] == NULL))
            return g_strdup (path);
        if (!strict
            && (g_str_has_suffix (path, ".ang")
                || g_str_has_suffix (path, ".angles")))
          return g_strdup (path);
      }
  return NULL;
}

/* @best: (out): the listing with the most images that are neither flats nor
 * darks, @top or one of @children */
static gboolean
choose_projections (Listing *top, GPtrArray *children, Listing **best,
                    TlScanDraft *draft, GError **error)
{
  *best = top;
  for (guint i = 0; i < children->len; i++)
    {
      Listing *child = children->pdata[i];
      if (child->files[0]->len > (*best)->files[0]->len)
        *best = child;
    }
  g_autofree char *name = tl_path_dup_name (top->path);
  g_autofree char *best_name = tl_path_dup_name ((*best)->path);
  for (guint i = 0; *best != top && i < children->len; i++)
    {
      Listing *child = children->pdata[i];
      g_autofree char *child_name = tl_path_dup_name (child->path);
      if (child == *best || child->files[0]->len == 0)
        continue;
      if (child->files[0]->len == (*best)->files[0]->len)
        {
          g_set_error (error, TL_ERROR, TL_ERROR_FORMAT,
                       "%s: the sub-folders %s and %s have %u image%s each; "
                       "open the one that is meant",
                       name, best_name, child_name, child->files[0]->len,
                       child->files[0]->len == 1 ? "" : "s");
          return FALSE;
        }
      tl_scan_draft_note (draft, "the %u image%s in %s %s not used",
                          child->files[0]->len,
                          child->files[0]->len == 1 ? "" : "s", child_name,
                          child->files[0]->len == 1 ? "is" : "are");
    }
  if (*best != top)
    tl_scan_draft_note (draft, "the projections are in the sub-folder %s",
                        best_name);
  if (*best != top && top->files[0]->len > 0)
    tl_scan_draft_note (draft, "%u image%s beside the sub-folder %s not used",
                        top->files[0]->len, top->files[0]->len == 1 ? "" : "s",
                        top->files[0]->len == 1 ? "is" : "are");
  return TRUE;
}

/* Flats and darks: sub-folders by their names, images by theirs. */
static void
collect (Listing *top, GPtrArray *children, Listing *best, TlTiffLayout *layout)
{
  append_copies (layout->files[TL_FRAMES_PROJECTIONS],
                 best->files[TL_FRAMES_PROJECTIONS]);
  for (TlFrameKind kind = TL_FRAMES_FLATS; kind < TL_N_FRAME_KINDS; kind++)
    {
      append_copies (layout->files[kind], top->files[kind]);
      if (best != top)
        append_copies (layout->files[kind], best->files[kind]);
    }
  for (guint i = 0; i < top->folders->len; i++)
    {
      TlFrameKind kind = tl_name_get_kind (top->folders->pdata[i]);
      if (kind == TL_FRAMES_PROJECTIONS)
        continue;
      g_autoptr (Listing) folder = list_folder (top->folders->pdata[i], NULL);
      for (int k = 0; folder != NULL && k < TL_N_FRAME_KINDS; k++)
        append_copies (
            layout->files[k == TL_FRAMES_PROJECTIONS ? (int)kind : k],
            folder->files[k]);
    }
  layout->angles_file = find_angles (top);
  if (layout->angles_file == NULL && best != top)
    layout->angles_file = find_angles (best);
}

/* Slices that someone put beside the projections are often more than these. */
static gboolean
is_reconstruction (const Listing *listing)
{
  const GPtrArray *images = listing->files[TL_FRAMES_PROJECTIONS];
  return tl_name_is_reconstruction (listing->path)
         || (images->len > 0 && tl_name_is_reconstruction (images->pdata[0]));
}

/* Children that are neither flats, darks nor slices by their name. */
static GPtrArray *
list_children (Listing *top)
{
  GPtrArray *children =
      g_ptr_array_new_with_free_func ((GDestroyNotify)listing_free);
  for (guint i = 0; i < top->folders->len; i++)
    {
      const char *path = top->folders->pdata[i];
      if (tl_name_get_kind (path) != TL_FRAMES_PROJECTIONS)
        continue;
      /* One that may not be read has nothing that could be used. */
      g_autoptr (Listing) child = list_folder (path, NULL);
      if (child != NULL && !is_reconstruction (child))
        g_ptr_array_add (children, g_steal_pointer (&child));
    }
  return children;
}

static void
layout_init (TlTiffLayout *layout)
{
  for (int kind = 0; kind < TL_N_FRAME_KINDS; kind++)
    layout->files[kind] = g_ptr_array_new_with_free_func (g_free);
}

/* Takes those of @paths out of @from. */
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

/* What the user calls flats and darks is not to be chosen from. */
static void
leave_out_named (Listing *top, GPtrArray *children,
                 const TlReaderOptions *options)
{
  const char *const patterns[] = { options->flats, options->darks };
  for (size_t i = 0; i < G_N_ELEMENTS (patterns); i++)
    {
      /* a pattern that matches nothing is for apply_patterns() to refuse */
      g_autoptr (GPtrArray) named =
          patterns[i] != NULL ? tl_tiff_match (top->path, patterns[i], NULL)
                              : NULL;
      for (int kind = 0; named != NULL && kind < TL_N_FRAME_KINDS; kind++)
        {
          remove_paths (top->files[kind], named);
          for (guint c = 0; c < children->len; c++)
            remove_paths (((Listing *)children->pdata[c])->files[kind], named);
        }
    }
}

static gboolean
has_images (const Listing *listing)
{
  for (int kind = 0; kind < TL_N_FRAME_KINDS; kind++)
    if (listing->files[kind]->len > 0)
      return TRUE;
  return FALSE;
}

/* A folder of nothing but scans: which of them is meant is not to be guessed.
 */
static gboolean
check_one_scan (const Listing *top, GPtrArray *children, GError **error)
{
  g_autoptr (GString) names = g_string_new (NULL);
  guint n_scans = 0;
  for (guint i = 0; i < children->len; i++)
    {
      const Listing *child = children->pdata[i];
      g_autofree char *child_name = tl_path_dup_name (child->path);
      if (child->files[TL_FRAMES_PROJECTIONS]->len == 0 && !child->has_hdf5)
        continue;
      if (n_scans++ < MAX_NAMES)
        g_string_append_printf (names, "%s%s", names->len > 0 ? ", " : "",
                                child_name);
    }
  if (n_scans < 2)
    return TRUE;
  g_autofree char *name = tl_path_dup_name (top->path);
  g_set_error (error, TL_ERROR, TL_ERROR_FORMAT,
               "%s: holds several scans: %s%s; name one of them", name,
               names->str, n_scans > MAX_NAMES ? " …" : "");
  return FALSE;
}

/* @options: (nullable): %NULL: any scan in @folder will do */
static gboolean
find_by_names (const char *folder, const TlReaderOptions *options,
               TlTiffLayout *layout, TlScanDraft *draft, GError **error)
{
  g_autoptr (Listing) top = list_folder (folder, error);
  if (top == NULL)
    return FALSE;
  g_autoptr (GPtrArray) children = list_children (top);
  const gboolean of_folders = options != NULL && !has_images (top);
  Listing *best;
  if (options != NULL)
    leave_out_named (top, children, options);
  if (of_folders && !check_one_scan (top, children, error))
    return FALSE;
  if (!choose_projections (top, children, &best, draft, error))
    return FALSE;
  collect (top, children, best, layout);
  return TRUE;
}

/* The folder of the projections alone may have been opened: then the one above
 * leads to the same projections, and has the rest. */
static void
look_above (const char *folder, TlTiffLayout *layout, TlScanDraft *draft)
{
  g_autofree char *canonical = g_canonicalize_filename (folder, NULL);
  g_autofree char *parent = g_path_get_dirname (canonical);
  g_auto (TlTiffLayout) above = { 0 };
  g_auto (TlScanDraft) unused;
  tl_scan_draft_init (&unused);
  layout_init (&above);
  if (layout->files[TL_FRAMES_FLATS]->len > 0
      || layout->files[TL_FRAMES_DARKS]->len > 0
      || !find_by_names (parent, NULL, &above, &unused, NULL)
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
    append_copies (layout->files[kind], above.files[kind]);
  if (layout->angles_file == NULL)
    layout->angles_file = g_steal_pointer (&above.angles_file);
  tl_scan_draft_note (draft, "flats, darks and angles are taken from the "
                             "folder above");
}

GPtrArray *
tl_tiff_match (const char *folder, const char *pattern, GError **error)
{
  g_autoptr (GPtrArray) found = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *sub = g_path_get_dirname (pattern);
  g_autofree char *last = g_path_get_basename (pattern);
  g_autofree char *where = g_path_is_absolute (sub)
                               ? g_strdup (sub)
                               : g_build_filename (folder, sub, NULL);
  g_autoptr (GPatternSpec) spec = g_pattern_spec_new (last);
  g_autoptr (GDir) dir = g_dir_open (where, 0, NULL);
  const char *name;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (where, name, NULL);
      if (!g_pattern_spec_match_string (spec, name))
        continue;
      if (g_file_test (path, G_FILE_TEST_IS_REGULAR))
        g_ptr_array_add (found, g_steal_pointer (&path));
      else if (g_file_test (path, G_FILE_TEST_IS_DIR))
        {
          g_autoptr (Listing) inside = list_folder (path, NULL);
          for (int k = 0; inside != NULL && k < TL_N_FRAME_KINDS; k++)
            append_copies (found, inside->files[k]);
        }
    }
  if (found->len == 0)
    {
      g_autofree char *shown = tl_path_dup_name (folder);
      g_set_error (error, TL_ERROR, TL_ERROR_FORMAT,
                   "%s: no file in it matches \"%s\"", shown, pattern);
      return NULL;
    }
  g_ptr_array_sort (found, compare_items);
  return g_steal_pointer (&found);
}

/* What the user says goes before what the names say. */
static gboolean
apply_patterns (const char *folder, const TlReaderOptions *options,
                TlTiffLayout *layout, GError **error)
{
  static const TlFrameKind order[] = { TL_FRAMES_PROJECTIONS, TL_FRAMES_FLATS,
                                       TL_FRAMES_DARKS };
  const char *const patterns[] = { options->projections, options->flats,
                                   options->darks };
  for (size_t i = 0; i < G_N_ELEMENTS (order); i++)
    {
      TlFrameKind kind = order[i];
      if (patterns[i] == NULL)
        continue;
      GPtrArray *matched = tl_tiff_match (folder, patterns[i], error);
      if (matched == NULL)
        return FALSE;
      g_ptr_array_unref (layout->files[kind]);
      layout->files[kind] = matched;
      for (int other = 0; other < TL_N_FRAME_KINDS; other++)
        if (other != (int)kind)
          remove_paths (layout->files[other], matched);
    }
  return TRUE;
}

/* Flats taken after the projections go behind the others. */
static void
sort_flats (TlTiffLayout *layout)
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

/* A folder without any image is the caller's to describe. */
static gboolean
check_projections (const char *folder, const TlTiffLayout *layout,
                   GError **error)
{
  guint n_fields =
      layout->files[TL_FRAMES_FLATS]->len + layout->files[TL_FRAMES_DARKS]->len;
  if (layout->files[TL_FRAMES_PROJECTIONS]->len > 0 || n_fields == 0)
    return TRUE;
  g_autofree char *name = tl_path_dup_name (folder);
  g_set_error (error, TL_ERROR, TL_ERROR_FORMAT,
               "%s: by their names all images in it, %u, are flats or darks; "
               "say with --projections which are not",
               name, n_fields);
  return FALSE;
}

gboolean
tl_tiff_layout_find (const char *folder, const TlReaderOptions *options,
                     TlTiffLayout *layout, TlScanDraft *draft, GError **error)
{
  gboolean by_names = options->projections == NULL;
  layout_init (layout);
  if (!find_by_names (folder, options, layout, draft, by_names ? error : NULL)
      && by_names)
    return FALSE;
  if (by_names && options->flats == NULL && options->darks == NULL)
    look_above (folder, layout, draft);
  if (!by_names) /* what names would have left out is of no interest */
    g_ptr_array_set_size (draft->notes, 0);
  if (!apply_patterns (folder, options, layout, error))
    return FALSE;
  sort_flats (layout);
  return check_projections (folder, layout, error);
}
