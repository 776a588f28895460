/* What differs between two recipes, in words. */
#include "app/recipe/recipe.h"
#include "app/recipe/words.h"

#include <glib/gi18n.h>
#include <string.h>

static gboolean
is_named (const TlParamSpec *parameter)
{
  return parameter->type == TL_PARAMETER_SWITCH
         || parameter->type == TL_PARAMETER_CHOICE
         || parameter->type == TL_PARAMETER_ENGINE;
}

/* Rounds a number for display, and calls a choice as its control does. */
static char *
shorten (const TlParamSpec *parameter, const char *value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  char *end;
  const double number = g_ascii_strtod (value, &end);
  if (*value == '\0')
    return g_strdup (_ ("default"));
  if (is_named (parameter))
    return g_strdup (tl_value_get_words (value));
  if (*end != '\0')
    return g_strdup (value);
  return g_strdup (g_ascii_formatd (text, sizeof text, "%.10g", number));
}

static void
add_words (GString *words, const TlParamSpec *parameter, const char *from,
           const char *to)
{
  g_autofree char *short_from = shorten (parameter, from);
  g_autofree char *short_to = shorten (parameter, to);
  g_string_append_printf (words, "%s%s %s → %s", words->len > 0 ? ", " : "",
                          tl_key_get_words (parameter), short_from, short_to);
}

guint
tl_recipe_compare (const TlRecipe *from, const TlRecipe *to, guint most,
                   const char **key, GString *words)
{
  size_t n;
  guint n_changes = 0;
  const TlParamSpec *keys = tl_recipe_list_keys (&n);
  for (size_t k = 0; k < n; k++)
    {
      if (keys[k].is_alias)
        continue;
      if (tl_recipe_is_equal (from, to, &keys[k]))
        continue;
      if (key != NULL)
        *key = keys[k].key;
      if (++n_changes <= most)
        {
          g_autofree char *before = tl_recipe_get (from, keys[k].key);
          g_autofree char *after = tl_recipe_get (to, keys[k].key);
          add_words (words, &keys[k], before, after);
        }
    }
  if (n_changes > most)
    g_string_append_printf (words, _ (", and %u more"), n_changes - most);
  return n_changes;
}
