#include "data/error.h"

#include <string.h>

#define DOMAIN "TlError"

typedef struct
{
  char *hint; /* (nullable) */
} Private;

/* GLib keeps the private part, of this size, before the error. Its own macro,
 * G_DEFINE_EXTENDED_ERROR(), does the same, but can be used only once in a
 * program, and the CUDA module has a copy of this file. */
static Private *
get_private (const GError *error)
{
  const gsize unit = 2 * sizeof (gsize);
  return (Private *)((char *)error
                     - (sizeof (Private) + unit - 1) / unit * unit);
}

static void
init_private (GError *error)
{
  get_private (error)->hint = NULL;
}

static void
copy_private (const GError *from, GError *to)
{
  get_private (to)->hint = g_strdup (get_private (from)->hint);
}

static void
clear_private (GError *error)
{
  g_free (get_private (error)->hint);
}

/* The program registers the domain before it opens the module. */
GQuark
tl_error_quark (void)
{
  static gsize once;
  if (g_once_init_enter (&once))
    {
      const GQuark there = g_quark_try_string (DOMAIN);
      g_once_init_leave (&once, there != 0
                                    ? there
                                    : g_error_domain_register_static (
                                        DOMAIN, sizeof (Private), init_private,
                                        copy_private, clear_private));
    }
  return (GQuark)once;
}

/* Nobody reads more, and GTK takes a second for a word of 500 characters, and
 * minutes for one of 10,000. */
enum
{
  MOST_IN_WORD = 300,
  MOST_CHARS = 3000
};

/* Returns: (transfer full): @text, without its middle if it has more than @most
 * characters: the end of a message has the reason */
static char *
cut_middle (const char *text, glong most)
{
  const glong n = g_utf8_strlen (text, -1);
  if (n <= most)
    return g_strdup (text);
  g_autofree char *begin = g_utf8_substring (text, 0, most * 2 / 3);
  return g_strconcat (begin, "…", g_utf8_offset_to_pointer (text, n - most / 3),
                      NULL);
}

/* A message repeats what is in a file, or what a script gives. @text: in UTF-8
 */
static void
shorten (char **text)
{
  g_auto (GStrv) words = g_strsplit (*text, " ", -1);
  for (char **word = words; *word != NULL; word++)
    {
      char *whole = *word;
      *word = cut_middle (whole, MOST_IN_WORD);
      g_free (whole);
    }
  g_autofree char *joined = g_strjoinv (" ", words);
  g_free (*text);
  *text = cut_middle (joined, MOST_CHARS);
}

/* Takes @made. A message quotes files, whose text may be in any encoding, and
 * of any length. */
static void
propagate (GError **error, GError *made, const char *hint)
{
  if (!g_utf8_validate (made->message, -1, NULL))
    {
      char *valid = g_utf8_make_valid (made->message, -1);
      g_free (made->message);
      made->message = valid;
    }
  if (strlen (made->message) > MOST_IN_WORD)
    shorten (&made->message);
  get_private (made)->hint = g_strdup (hint);
  g_propagate_error (error, made);
}

gboolean
tl_fail (GError **error, TlError code, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  propagate (error, g_error_new_valist (TL_ERROR, (int)code, format, args),
             NULL);
  va_end (args);
  return FALSE;
}

gboolean
tl_fail_with_hint (GError **error, TlError code, const char *hint,
                   const char *format, ...)
{
  va_list args;

  va_start (args, format);
  propagate (error, g_error_new_valist (TL_ERROR, (int)code, format, args),
             hint);
  va_end (args);
  return FALSE;
}

const char *
tl_error_get_hint (const GError *error)
{
  return error->domain == TL_ERROR ? get_private (error)->hint : NULL;
}
