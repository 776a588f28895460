/* The recipe as a command line. */
#include "app/recipe/recipe.h"

#include "data/read/format/contents.h"

#include <string.h>

/* Quotes @word if a shell would interpret it. */
static char *
quote (const char *word)
{
  static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
                              "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                              "0123456789-_./:,+@";
  return *word != '\0' && word[strspn (word, plain)] == '\0'
             ? g_strdup (word)
             : g_shell_quote (word);
}

/* Slice and centre are always written, so that the line shows what it makes. */
static gboolean
is_always_written (const char *key)
{
  return strcmp (key, "slice") == 0 || strcmp (key, "centre") == 0;
}

char *
tl_recipe_make_absolute (const TlParamSpec *key, const char *value,
                         const char *folder)
{
  g_autofree char *absolute = g_canonicalize_filename (value, folder);
  g_autofree char *inside = NULL;
  if (strcmp (key->arg, "[FILE:]PATH") == 0)
    g_free (tl_contents_split (absolute, &inside));
  return *value != '\0' && (inside != NULL || strcmp (key->arg, "FILE") == 0)
             ? g_steal_pointer (&absolute)
             : g_strdup (value);
}

char *
tl_recipe_to_command (const char *command, const TlRecipe *recipe,
                      const TlRecipe *defaults, const char *scan_path)
{
  g_autofree char *absolute = g_canonicalize_filename (scan_path, NULL);
  g_autofree char *scan = quote (absolute);
  g_autoptr (GString) line = g_string_new (NULL);
  const gboolean takes_slice = strcmp (command, "export") != 0;
  size_t n;
  const TlParamSpec *keys = tl_recipe_list_keys (&n);
  g_string_printf (line, "tomolens-cli %s %s", command, scan);
  for (size_t k = 0; k < n; k++)
    {
      if (keys[k].is_alias || keys[k].is_of_volume
          || (!takes_slice && strcmp (keys[k].key, "slice") == 0)
          /* which angles that are given put out of use */
          || (recipe->has_angles && strcmp (keys[k].key, "angles-file") == 0))
        continue;
      g_autofree char *before = tl_recipe_get (defaults, keys[k].key);
      g_autofree char *typed = tl_recipe_get (recipe, keys[k].key);
      g_autofree char *value = tl_recipe_make_absolute (&keys[k], typed, NULL);
      if (strcmp (before, value) == 0 && !is_always_written (keys[k].key))
        continue;
      g_autofree char *word = quote (value);
      g_string_append_printf (line, " --%s %s", keys[k].key, word);
    }
  return g_string_free (g_steal_pointer (&line), FALSE);
}
