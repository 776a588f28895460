/* A recogniser of the grammar of RFC 8259. Each function reads one rule from
 * *text and advances *text to what follows. */
#include "tests/app/cli/json.h"

#include <string.h>

static gboolean read_value (const char **text, guint depth);

static void
skip_space (const char **text)
{
  *text += strspn (*text, " \t\r\n");
}

static gboolean
read_char (const char **text, char c)
{
  skip_space (text);
  if (**text != c)
    return FALSE;
  (*text)++;
  return TRUE;
}

static gboolean
read_string (const char **text)
{
  if (!read_char (text, '"'))
    return FALSE;
  for (; **text != '"'; (*text)++)
    {
      if ((guchar) * *text < 0x20)
        return FALSE;
      if (**text != '\\')
        continue;
      (*text)++;
      if (**text == 'u')
        for (int k = 0; k < 4; k++)
          if (!g_ascii_isxdigit (*++*text))
            return FALSE;
      if (**text == '\0'
          || (strchr ("\"\\/bfnrtu", **text) == NULL
              && !g_ascii_isxdigit (**text)))
        return FALSE;
    }
  (*text)++;
  return TRUE;
}

static gboolean
read_number (const char **text)
{
  char *end;
  if (!g_ascii_isdigit ((*text)[**text == '-']))
    return FALSE;
  g_ascii_strtod (*text, &end);
  *text = end;
  return TRUE;
}

static gboolean
read_group (const char **text, char close, gboolean has_keys, guint depth)
{
  (*text)++;
  if (read_char (text, close))
    return TRUE;
  do
    if ((has_keys && (!read_string (text) || !read_char (text, ':')))
        || !read_value (text, depth + 1))
      return FALSE;
  while (read_char (text, ','));
  return read_char (text, close);
}

static gboolean
read_value (const char **text, guint depth)
{
  static const char *const words[] = { "true", "false", "null" };
  skip_space (text);
  if (depth > 16)
    return FALSE;
  if (**text == '{')
    return read_group (text, '}', TRUE, depth);
  if (**text == '[')
    return read_group (text, ']', FALSE, depth);
  if (**text == '"')
    return read_string (text);
  for (size_t k = 0; k < G_N_ELEMENTS (words); k++)
    if (g_str_has_prefix (*text, words[k]))
      {
        *text += strlen (words[k]);
        return TRUE;
      }
  return read_number (text);
}

gboolean
tl_json_is_valid (const char *text)
{
  if (!g_utf8_validate (text, -1, NULL) || !read_value (&text, 0))
    return FALSE;
  skip_space (&text);
  return *text == '\0';
}

double
tl_json_find_number (const char *text, const char *key)
{
  g_autofree char *quoted = g_strdup_printf ("\"%s\": ", key);
  const char *found = strstr (text, quoted);
  if (found == NULL)
    g_error ("there is no \"%s\" in %s", key, text);
  return g_ascii_strtod (found + strlen (quoted), NULL);
}
