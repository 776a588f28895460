#include "data/read/hdf5/layouts-private.h"

#include "data/error.h"
#include "data/read/hdf5/layouts-resources.h"
#include "data/read/hdf5/paths-private.h"
#include "data/read/hdf5/scan-private.h"

#include <gio/gio.h>
#include <glib/gi18n.h>
#include <string.h>

static const char *const place_keys[TL_N_HDF5_PLACES + 1] = {
  [TL_HDF5_ENTRY] = "entry",
  [TL_HDF5_DATA] = "data",
  [TL_HDF5_KEYS] = "keys",
  [TL_HDF5_ANGLES] = "angles",
  [TL_HDF5_FLATS] = "flats",
  [TL_HDF5_DARKS] = "darks",
  [TL_HDF5_FLAT_ANGLES] = "flat-angles",
  [TL_HDF5_PIXEL_SIZE] = "pixel-size",
  [TL_HDF5_IDS] = "ids",
};
static const char unit_key[] = "angle-unit";

/* --- the table --- */

static void
layout_free (gpointer data)
{
  TlHdf5Layout *layout = data;
  for (int place = 0; place < TL_N_HDF5_PLACES; place++)
    g_strfreev (layout->places[place]);
  g_free (layout->angle_unit);
  g_free (layout->name);
  g_free (layout);
}

static gboolean
check_group (GKeyFile *file, const char *name, GError **error)
{
  g_auto (GStrv) keys = g_key_file_get_keys (file, name, NULL, error);
  if (keys == NULL)
    return FALSE;
  for (char **key = keys; *key != NULL; key++)
    if (strcmp (*key, unit_key) != 0 && !g_strv_contains (place_keys, *key))
      return tl_fail (error, TL_ERROR_FORMAT, _ ("[%s] has an unknown key: %s"),
                      name, *key);
  if (!g_strv_contains ((const char *const *)keys, "data"))
    return tl_fail (error, TL_ERROR_FORMAT,
                    _ ("[%s] does not say where the data are"), name);
  g_autofree char *unit = g_key_file_get_string (file, name, unit_key, NULL);
  if (unit != NULL && strcmp (unit, "degrees") != 0
      && strcmp (unit, "radians") != 0)
    return tl_fail (error, TL_ERROR_FORMAT,
                    _ ("[%s] has the angle-unit %s, which is neither degrees "
                       "nor radians"),
                    name, unit);
  return TRUE;
}

/* Returns: whether each "[" of @path has its "]" */
static gboolean
is_balanced (const char *path)
{
  gboolean is_inside = FALSE;
  for (; *path != '\0'; path++)
    if (*path == '[' || *path == ']')
      {
        if (is_inside == (*path == '['))
          return FALSE;
        is_inside = !is_inside;
      }
  return !is_inside;
}

/* A key may be missing; a value that cannot be interpreted, such as one with a
 * backslash, is an error. */
static gboolean
take_place (TlHdf5Layout *layout, int place, GKeyFile *file, GError **error)
{
  GError *reason = NULL;
  layout->places[place] = g_key_file_get_string_list (
      file, layout->name, place_keys[place], NULL, &reason);
  if (g_error_matches (reason, G_KEY_FILE_ERROR,
                       G_KEY_FILE_ERROR_KEY_NOT_FOUND))
    g_clear_error (&reason);
  for (char **path = layout->places[place]; path != NULL && *path != NULL;
       path++)
    if (reason == NULL && !is_balanced (*path))
      tl_fail (&reason, TL_ERROR_FORMAT,
               _ ("a bracket is not closed, or not opened: %s"), *path);
  if (reason == NULL)
    return TRUE;
  g_propagate_prefixed_error (error, reason, "[%s]: ", layout->name);
  return FALSE;
}

static gboolean
take_groups (GPtrArray *layouts, GKeyFile *file, GError **error)
{
  g_auto (GStrv) names = g_key_file_get_groups (file, NULL);
  for (char **name = names; *name != NULL; name++)
    {
      if (!check_group (file, *name, error))
        return FALSE;
      TlHdf5Layout *layout = g_new0 (TlHdf5Layout, 1);
      g_ptr_array_add (layouts, layout);
      layout->name = g_strdup (*name);
      layout->angle_unit = g_key_file_get_string (file, *name, unit_key, NULL);
      for (int place = 0; place < TL_N_HDF5_PLACES; place++)
        if (!take_place (layout, place, file, error))
          return FALSE;
    }
  return TRUE;
}

/* Which editors of Windows put before a text */
#define MARK "\357\273\277"

/* Returns: (transfer full) (nullable): why none of the user's layouts are
 * taken, as a sentence; %NULL if they are, or there is no file */
static char *
take_users (GPtrArray *layouts)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autoptr (GError) reason = NULL;
  g_autofree char *path = g_build_filename (g_get_user_config_dir (),
                                            "tomolens", "layouts.ini", NULL);
  g_autofree char *shown = g_filename_display_name (path);
  g_autofree char *text = NULL;
  if (g_file_get_contents (path, &text, NULL, &reason)
      && g_key_file_load_from_data (
          file, text + (g_str_has_prefix (text, MARK) ? strlen (MARK) : 0),
          (gsize)-1, G_KEY_FILE_NONE, &reason))
    take_groups (layouts, file, &reason);
  if (reason == NULL
      || g_error_matches (reason, G_FILE_ERROR, G_FILE_ERROR_NOENT))
    return NULL;
  g_ptr_array_set_size (layouts, 0);
  return g_strdup_printf (
      _ ("%s: your layouts are not used until you correct the file: %s"), shown,
      reason->message);
}

GPtrArray *
tl_hdf5_layouts_load (char **problem)
{
  GPtrArray *layouts = g_ptr_array_new_with_free_func (layout_free);
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autoptr (GBytes) text = g_resource_lookup_data (
      tl_layouts_get_resource (), "/org/tomolens/Tomolens/layouts.ini",
      G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
  *problem = take_users (layouts);
  const gboolean good =
      g_key_file_load_from_bytes (file, text, G_KEY_FILE_NONE, NULL)
      && take_groups (layouts, file, NULL);
  g_assert (good);
  return layouts;
}

/* --- the scans of a file --- */

static void
found_free (gpointer data)
{
  TlHdf5Found *found = data;
  g_free (found->entry);
  g_free (found->data);
  g_free (found);
}

/* Returns: (nullable): the largest stack of images in @paths */
static const char *
find_largest (TlHdf5Id file, GPtrArray *paths)
{
  const char *largest = NULL;
  double most = 0;
  for (guint i = 0; i < paths->len; i++)
    {
      TlFrameSet set;
      g_auto (TlHdf5Id) object = H5Oopen (file, paths->pdata[i], H5P_DEFAULT);
      if (object < 0 || tl_hdf5_get_frames (object, &set) != 3)
        continue;
      const double size =
          (double)set.n_frames * (double)set.n_rows * (double)set.n_cols;
      if (largest == NULL || size > most)
        largest = paths->pdata[i];
      most = MAX (most, size);
    }
  H5Eclear2 (H5E_DEFAULT);
  return largest;
}

/* @is_strict: only a dataset that can be read; else also a path without
 * wildcards in its last step, so that opening it says what is wrong
 *
 * Returns: (transfer full) (nullable): the projections of @entry */
static char *
find_data (const TlHdf5Layout *layout, TlHdf5Id file, const char *entry,
           const char *inside, gboolean is_strict)
{
  for (char **pattern = layout->places[TL_HDF5_DATA]; *pattern != NULL;
       pattern++)
    {
      g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);
      tl_hdf5_match (file, entry, *pattern, paths);
      for (guint i = paths->len; i-- > 0;)
        if (!tl_hdf5_is_below (entry, inside)
            && !tl_hdf5_is_below (paths->pdata[i], inside))
          g_ptr_array_remove_index (paths, i);
      const char *data = find_largest (file, paths);
      const char *last = strrchr (*pattern, '/');
      if (data == NULL && !is_strict && paths->len > 0
          && strpbrk (last != NULL ? last : *pattern, "*?") == NULL)
        data = paths->pdata[0];
      if (data != NULL)
        return g_strdup (data);
    }
  return NULL;
}

static char *
dup_identity (TlHdf5Id file, const char *path)
{
  g_auto (TlHdf5Id) object = H5Oopen (file, path, H5P_DEFAULT);
  H5Eclear2 (H5E_DEFAULT);
  return object < 0 ? g_strdup (path) : tl_hdf5_dup_identity (object);
}

static void
find_scans (const TlHdf5Layout *layout, TlHdf5Id file, const char *inside,
            gboolean is_strict, GPtrArray *scans)
{
  static char *whole_file[] = { "/", NULL };
  char **entry = layout->places[TL_HDF5_ENTRY];
  g_autoptr (GPtrArray) entries = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GHashTable) seen =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (entry = entry != NULL ? entry : whole_file; *entry != NULL; entry++)
    tl_hdf5_match (file, "/", *entry, entries);
  for (guint i = 0; i < entries->len; i++)
    {
      g_autofree char *data =
          find_data (layout, file, entries->pdata[i], inside, is_strict);
      if (data == NULL || !g_hash_table_add (seen, dup_identity (file, data)))
        continue;
      TlHdf5Found *found = g_new (TlHdf5Found, 1);
      *found = (TlHdf5Found){ layout, g_strdup (entries->pdata[i]),
                              g_steal_pointer (&data) };
      g_ptr_array_add (scans, found);
    }
}

GPtrArray *
tl_hdf5_layouts_find (GPtrArray *layouts, TlHdf5Id file, const char *inside,
                      GCancellable *cancellable)
{
  GPtrArray *scans = g_ptr_array_new_with_free_func (found_free);
  for (int is_strict = TRUE; is_strict >= FALSE; is_strict--)
    for (guint i = 0; i < layouts->len && scans->len == 0
                      && !g_cancellable_is_cancelled (cancellable);
         i++)
      find_scans (layouts->pdata[i], file, inside != NULL ? inside : "/",
                  is_strict, scans);
  return scans;
}
