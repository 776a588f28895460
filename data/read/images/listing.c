#include "data/read/images/listing.h"

#include "data/error.h"
#include "data/read/format/image-format.h"
#include "data/read/images/names.h"

#include <dirent.h>
#include <errno.h>
#include <glib/gi18n.h>
#include <string.h>

/* Separates the names of two sub-folders in a message. */
#define AND N_ (" and ")

void
tl_listing_free (TlListing *listing)
{
  if (listing == NULL)
    return;
  for (int kind = 0; kind < TL_N_FRAME_KINDS; kind++)
    g_ptr_array_unref (listing->files[kind]);
  g_ptr_array_unref (listing->others);
  g_ptr_array_unref (listing->folders);
  g_ptr_array_unref (listing->texts);
  g_ptr_array_unref (listing->hdf5);
  g_free (listing->path);
  g_free (listing);
}

static int
compare_items (gconstpointer a, gconstpointer b)
{
  return tl_name_compare (*(char *const *)a, *(char *const *)b);
}

/* Images named as slices were reconstructed from the HDF5 file beside them. */
static void
leave_out_slices (TlListing *listing)
{
  GPtrArray *images = listing->files[TL_FRAMES_PROJECTIONS];
  if (listing->hdf5->len > 0 && images->len > 0
      && tl_name_is_reconstruction (images->pdata[0]))
    g_ptr_array_set_size (images, 0);
}

/* Sorts @images into the projections, flats and darks of @listing. A scan has
 * images of one format: those of others may be copies of them, and are left
 * out. */
static void
sort_images (TlListing *listing, GPtrArray *images)
{
  const TlImageFormat *best = tl_image_formats;
  guint n_best = 0;
  for (const TlImageFormat *f = tl_image_formats; f->name != NULL; f++)
    {
      guint n = 0;
      for (guint i = 0; i < images->len; i++)
        n += tl_image_format_by_name (images->pdata[i]) == f;
      if (n > n_best)
        {
          best = f;
          n_best = n;
        }
    }
  for (guint i = 0; i < images->len; i++)
    g_ptr_array_add (tl_image_format_by_name (images->pdata[i]) == best
                         ? listing->files[tl_name_get_kind (images->pdata[i])]
                         : listing->others,
                     g_strdup (images->pdata[i]));
}

/* Returns: whether the entry of a folder is what @test asks for. On a network
 * drive a question about each of thousands of files is slow, so a file is asked
 * only if its directory entry does not say what it is. */
static gboolean
is_there (const struct dirent *entry, const char *path, GFileTest test)
{
  switch (entry->d_type)
    {
    case DT_DIR:
      return test == G_FILE_TEST_IS_DIR;
    case DT_REG:
      return test == G_FILE_TEST_IS_REGULAR;
    default:
      return g_file_test (path, test);
    }
}

/* Adds the entry of the folder. @images: those of a known format */
static void
add_entry (TlListing *listing, const struct dirent *entry, GPtrArray *images)
{
  static const char *const texts[] = { ".txt", ".ang",    ".dat",
                                       ".csv", ".angles", NULL };
  static const char *const hdf5[] = { ".h5", ".hdf5", ".hdf", ".nxs", NULL };
  const char *name = entry->d_name;
  char *child = g_build_filename (listing->path, name, NULL);
  GPtrArray *list = NULL;
  if (name[0] == '.')
    list = NULL;
  else if (is_there (entry, child, G_FILE_TEST_IS_DIR))
    list = listing->folders;
  else if (!is_there (entry, child, G_FILE_TEST_IS_REGULAR))
    list = NULL; /* opening a pipe would wait for its writer */
  else if (tl_image_format_by_name (name) != NULL)
    list = images;
  else if (tl_name_has_extension (name, texts))
    list = listing->texts;
  else if (tl_name_has_extension (name, hdf5))
    list = listing->hdf5;
  if (list != NULL)
    g_ptr_array_add (list, child);
  else
    g_free (child);
}

TlListing *
tl_listing_new (const char *path, GCancellable *cancellable, GError **error)
{
  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return NULL;
  DIR *dir = opendir (path);
  if (dir == NULL)
    {
      const int error_number = errno;
      g_autofree char *shown = tl_path_dup_name (path);
      return tl_fail_null (error, TL_ERROR_FILE,
                           _ ("%s: the folder cannot be read: %s"), shown,
                           g_strerror (error_number));
    }
  g_autoptr (TlListing) listing = g_new0 (TlListing, 1);
  listing->path = g_strdup (path);
  listing->cancellable = cancellable;
  for (int kind = 0; kind < TL_N_FRAME_KINDS; kind++)
    listing->files[kind] = g_ptr_array_new_with_free_func (g_free);
  listing->others = g_ptr_array_new_with_free_func (g_free);
  listing->folders = g_ptr_array_new_with_free_func (g_free);
  listing->texts = g_ptr_array_new_with_free_func (g_free);
  listing->hdf5 = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) images = g_ptr_array_new_with_free_func (g_free);
  for (const struct dirent *entry; !g_cancellable_is_cancelled (cancellable)
                                   && (entry = readdir (dir)) != NULL;)
    add_entry (listing, entry, images);
  closedir (dir);
  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return NULL;
  sort_images (listing, images);
  for (int kind = 0; kind < TL_N_FRAME_KINDS; kind++)
    g_ptr_array_sort (listing->files[kind], compare_items);
  g_ptr_array_sort (listing->folders, compare_items);
  g_ptr_array_sort (listing->texts, compare_items);
  g_ptr_array_sort (listing->hdf5, compare_items);
  leave_out_slices (listing);
  return g_steal_pointer (&listing);
}

void
tl_paths_append (GPtrArray *to, GPtrArray *from)
{
  for (guint i = 0; i < from->len; i++)
    g_ptr_array_add (to, g_strdup (from->pdata[i]));
}

char *
tl_listing_find_angles (const TlListing *listing)
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

gboolean
tl_listing_is_reconstruction (const TlListing *listing)
{
  const GPtrArray *images = listing->files[TL_FRAMES_PROJECTIONS];
  return tl_name_is_reconstruction (listing->path)
         || (images->len > 0 && tl_name_is_reconstruction (images->pdata[0]));
}

gboolean
tl_listing_has_images (const TlListing *listing)
{
  for (int kind = 0; kind < TL_N_FRAME_KINDS; kind++)
    if (listing->files[kind]->len > 0)
      return TRUE;
  return FALSE;
}

void
tl_listing_append_images (const TlListing *listing, GPtrArray *to)
{
  for (int kind = 0; kind < TL_N_FRAME_KINDS; kind++)
    tl_paths_append (to, listing->files[kind]);
  tl_paths_append (to, listing->others);
}

static gboolean
is_dots (const char *name)
{
  return strcmp (name, ".") == 0 || strcmp (name, "..") == 0;
}

/* Appends the matching files in @where, and the images in its matching folders.
 */
static void
match_in (const char *where, const char *pattern, GCancellable *cancellable,
          GPtrArray *found)
{
  DIR *dir = opendir (where);
  for (const struct dirent *entry; dir != NULL
                                   && !g_cancellable_is_cancelled (cancellable)
                                   && (entry = readdir (dir)) != NULL;)
    {
      if (is_dots (entry->d_name) || !tl_name_matches (entry->d_name, pattern))
        continue;
      g_autofree char *path = g_build_filename (where, entry->d_name, NULL);
      if (is_there (entry, path, G_FILE_TEST_IS_REGULAR))
        g_ptr_array_add (found, g_steal_pointer (&path));
      else if (is_there (entry, path, G_FILE_TEST_IS_DIR))
        {
          g_autoptr (TlListing) inside =
              tl_listing_new (path, cancellable, NULL);
          for (int k = 0; inside != NULL && k < TL_N_FRAME_KINDS; k++)
            tl_paths_append (found, inside->files[k]);
        }
    }
  if (dir != NULL)
    closedir (dir);
  g_ptr_array_sort (found, compare_items);
}

/* Appends the matching files in the sub-folders of @folder.
 * @with: (inout): receives the names of the sub-folders that have such files
 *
 * Returns: (transfer full): the names of the sub-folders that were searched */
static char *
match_below (const char *folder, const char *pattern, GCancellable *cancellable,
             GPtrArray *found, GString *with)
{
  g_autoptr (TlListing) listing = tl_listing_new (folder, cancellable, NULL);
  GString *looked = g_string_new (NULL);
  for (guint i = 0; listing != NULL && i < listing->folders->len; i++)
    {
      const char *path = listing->folders->pdata[i];
      const guint n_before = found->len;
      g_autofree char *name = tl_path_dup_name (path);
      if (tl_name_is_reconstruction (path))
        continue;
      match_in (path, pattern, cancellable, found);
      g_string_append_printf (looked, "%s%s", looked->len > 0 ? ", " : "",
                              name);
      if (found->len > n_before)
        g_string_append_printf (with, "%s%s", with->len > 0 ? _ (AND) : "",
                                name);
    }
  return g_string_free (looked, FALSE);
}

/* As tl_listing_match(), of one pattern. */
static GPtrArray *
match_one (const char *folder, const char *pattern, GCancellable *cancellable,
           GError **error)
{
  g_autoptr (GPtrArray) found = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GString) with = g_string_new (NULL);
  g_autofree char *sub = g_path_get_dirname (pattern);
  g_autofree char *last = g_path_get_basename (pattern);
  g_autofree char *where = g_path_is_absolute (sub)
                               ? g_strdup (sub)
                               : g_build_filename (folder, sub, NULL);
  g_autofree char *looked = NULL;
  match_in (where, last, cancellable, found);
  if (found->len == 0 && strchr (pattern, G_DIR_SEPARATOR) == NULL)
    looked = match_below (folder, pattern, cancellable, found, with);
  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return NULL;
  g_autofree char *shown = tl_path_dup_name (folder);
  if (found->len == 0 && looked != NULL && *looked != '\0')
    tl_fail (error, TL_ERROR_FORMAT,
             _ ("%s: no file in it or in its sub-folders %s matches \"%s\""),
             shown, looked, pattern);
  else if (found->len == 0)
    tl_fail (error, TL_ERROR_FORMAT, _ ("%s: no file in it matches \"%s\""),
             shown, pattern);
  else if (strstr (with->str, _ (AND)) != NULL)
    tl_fail (error, TL_ERROR_FORMAT,
             _ ("%s: \"%s\" matches files in its sub-folders %s; name one of "
                "them, as \"FOLDER/%s\""),
             shown, pattern, with->str, pattern);
  else
    return g_steal_pointer (&found);
  return NULL;
}

GPtrArray *
tl_listing_match (const char *folder, const char *pattern,
                  GCancellable *cancellable, GError **error)
{
  g_autoptr (GPtrArray) all = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GHashTable) known =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_auto (GStrv) parts = g_strsplit (pattern, ";", -1);
  if (strcmp (pattern, "none") == 0)
    return g_steal_pointer (&all);
  for (char **part = parts; *part != NULL; part++)
    {
      g_autoptr (GPtrArray) found =
          match_one (folder, *part, cancellable, error);
      if (found == NULL)
        return NULL;
      for (guint i = 0; i < found->len; i++)
        if (g_hash_table_add (known, g_strdup (found->pdata[i])))
          g_ptr_array_add (all, g_strdup (found->pdata[i]));
    }
  return g_steal_pointer (&all);
}
