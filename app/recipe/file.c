/* The recipe as a key file:
 *
 *   [scan]     path: where the scan is, a file or the address of a stream; says
 *              nothing about the result
 *   [recipe]   the keys of the table in app/recipe/keys.c
 */
#include "app/recipe/recipe.h"

#include "data/error.h"
#include "data/stream/stream.h"
#include "data/write/part-file.h"

#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>

/* A thousand times the length of a usual recipe, but still read at once. */
#define MAX_BYTES (1 << 20)

#define GROUP "recipe"
#define SCAN_GROUP "scan"
#define SCAN_PATH "path"

#define BYTE_ORDER_MARK "\357\273\277" /* some editors begin a file with it */

gboolean
tl_recipe_has_name (const char *path)
{
  return g_str_has_suffix (path, ".tomolens")
         || g_str_has_suffix (path, ".ini");
}

char *
tl_recipe_to_text (const TlRecipe *recipe, const char *scan_path)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autoptr (TlRecipe) given = tl_recipe_dup_given (recipe);
  g_autoptr (TlRecipe) defaults = tl_recipe_new ();
  if (scan_path != NULL)
    {
      g_autofree char *absolute =
          tl_stream_is_address (scan_path)
              ? g_strdup (scan_path)
              : g_canonicalize_filename (scan_path, NULL);
      g_key_file_set_string (file, SCAN_GROUP, SCAN_PATH, absolute);
    }
  size_t n;
  const TlParamSpec *keys = tl_recipe_list_keys (&n);
  for (size_t k = 0; k < n; k++)
    if (!keys[k].is_alias
        && (!keys[k].is_of_volume
            || !tl_recipe_is_equal (recipe, defaults, &keys[k])))
      {
        g_autofree char *typed = tl_recipe_get (given, keys[k].key);
        g_autofree char *value =
            tl_recipe_make_absolute (&keys[k], typed, NULL);
        if (*value != '\0')
          g_key_file_set_string (file, GROUP, keys[k].key, value);
      }
  return g_key_file_to_data (file, NULL, NULL);
}

gboolean
tl_recipe_save (const TlRecipe *recipe, const char *scan_path, const char *path,
                GError **error)
{
  g_autofree char *text = tl_recipe_to_text (recipe, scan_path);
  return tl_write_file (path, text, strlen (text), TRUE, error);
}

/* Refuses what would be ignored, such as a misspelt name. */
static gboolean
check_names (GKeyFile *file, GError **error)
{
  g_auto (GStrv) groups = g_key_file_get_groups (file, NULL);
  g_auto (GStrv) keys = g_key_file_get_keys (file, SCAN_GROUP, NULL, NULL);
  for (char **group = groups; *group != NULL; group++)
    if (!g_str_equal (*group, GROUP) && !g_str_equal (*group, SCAN_GROUP))
      return tl_fail (error, TL_ERROR_VALUE,
                      _ ("there is no group [%s], only [%s] and [%s]"), *group,
                      SCAN_GROUP, GROUP);
  for (char **key = keys; key != NULL && *key != NULL; key++)
    if (!g_str_equal (*key, SCAN_PATH))
      return tl_fail (error, TL_ERROR_VALUE,
                      _ ("[%s] has \"%s\" and takes \"%s\" only; "
                         "parameters belong in [%s]"),
                      SCAN_GROUP, *key, SCAN_PATH, GROUP);
  return TRUE;
}

/* @folder: of the recipe, where the relative file names in it begin */
static gboolean
take_keys (TlRecipe *recipe, GKeyFile *file, const char *folder, GError **error)
{
  g_auto (GStrv) words = g_key_file_get_keys (file, GROUP, NULL, error);
  if (words == NULL)
    return FALSE;
  for (char **word = words; *word != NULL; word++)
    {
      g_autofree char *typed =
          g_key_file_get_string (file, GROUP, *word, error);
      const TlParamSpec *key =
          typed != NULL ? tl_recipe_find_key (*word, error) : NULL;
      if (key == NULL)
        return FALSE;
      g_autofree char *value = tl_recipe_make_absolute (key, typed, folder);
      if (!tl_recipe_set (recipe, *word, value, error))
        return FALSE;
    }
  return TRUE;
}

static char *
find_scan (TlRecipe *recipe, GKeyFile *file, const char *folder)
{
  g_autofree char *path =
      g_key_file_get_string (file, SCAN_GROUP, SCAN_PATH, NULL);
  if (path == NULL)
    return NULL;
  if (tl_stream_is_address (path))
    return g_steal_pointer (&path);
  g_autofree char *scan = g_canonicalize_filename (path, folder);
  return tl_recipe_take_scan (recipe, scan);
}

/* Reading a device or a pipe may block for ever, so only regular files are
 * read. A missing file is reported by the code that reads it. */
static gboolean
is_readable_at_once (const char *path, GError **error)
{
  GStatBuf there;
  if (g_stat (path, &there) != 0
      || (S_ISREG (there.st_mode) && there.st_size <= MAX_BYTES))
    return TRUE;
  if (S_ISREG (there.st_mode))
    return tl_fail (error, TL_ERROR_FORMAT,
                    _ ("%s: this is not a recipe, which is a small file"),
                    path);
  return tl_fail (error, TL_ERROR_FILE,
                  _ ("%s: the recipe cannot be read: this is no regular file"),
                  path);
}

TlRecipe *
tl_recipe_from_text (const char *text, size_t length, const char *path,
                     char **scan_path, GError **error)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autoptr (TlRecipe) recipe = tl_recipe_new ();
  g_autoptr (GError) reason = NULL;
  g_autofree char *relative = g_path_get_dirname (path);
  g_autofree char *folder = g_canonicalize_filename (relative, NULL);
  const size_t mark_bytes = strlen (BYTE_ORDER_MARK);
  const size_t n_mark =
      length >= mark_bytes && memcmp (text, BYTE_ORDER_MARK, mark_bytes) == 0
          ? mark_bytes
          : 0;
  if (memchr (text, '\0', length) != NULL
      || !g_utf8_validate (text, length, NULL))
    return tl_fail_null (error, TL_ERROR_FORMAT,
                         _ ("%s: this is not a recipe, which is a text file"),
                         path);
  if (!g_key_file_load_from_data (file, text + n_mark, length - n_mark,
                                  G_KEY_FILE_NONE, &reason)
      || !check_names (file, &reason)
      || !take_keys (recipe, file, folder, &reason))
    {
      g_set_error (error, TL_ERROR,
                   reason->domain == TL_ERROR ? reason->code : TL_ERROR_FORMAT,
                   _ ("%s: this is not a recipe: %s"), path, reason->message);
      return NULL;
    }
  if (scan_path != NULL)
    *scan_path = find_scan (recipe, file, folder);
  return g_steal_pointer (&recipe);
}

TlRecipe *
tl_recipe_load (const char *path, char **scan_path, GError **error)
{
  g_autoptr (GError) reason = NULL;
  g_autofree char *text = NULL;
  size_t length;
  if (!is_readable_at_once (path, error))
    return NULL;
  if (!g_file_get_contents (path, &text, &length, &reason))
    return tl_fail_null (error, TL_ERROR_FILE,
                         _ ("%s: the recipe cannot be read: %s"), path,
                         reason->message);
  return tl_recipe_from_text (text, length, path, scan_path, error);
}
