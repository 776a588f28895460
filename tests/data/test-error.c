/* What messages make of that which they quote. */
#include "data/error.h"

#include <string.h>

static void
test_quoted (void)
{
  g_autoptr (GError) error = NULL;

  g_assert_false (tl_fail (&error, TL_ERROR_FILE, "%s: %s", "a\xff.h5", "no"));
  g_assert_error (error, TL_ERROR, TL_ERROR_FILE);
  g_assert_cmpstr (error->message, ==, "a\xef\xbf\xbd.h5: no");
}

/* A label with a word of 100,000 letters holds up the window for minutes. */
static void
test_long (void)
{
  g_autofree char *word = g_strnfill (100000, 'x');
  g_autofree char *name = g_strconcat ("µ", word, "µ.h5", NULL);
  g_autoptr (GError) error = NULL, many = NULL, text = NULL;

  g_assert_false (tl_fail (&error, TL_ERROR_FILE, "%s: is damaged", name));
  g_assert_cmpint (g_utf8_strlen (error->message, -1), <, 320);
  g_assert_true (g_utf8_validate (error->message, -1, NULL));
  g_assert_true (g_str_has_prefix (error->message, "µxxx"));
  g_assert_true (g_str_has_suffix (error->message, "xxxµ.h5: is damaged"));
  for (size_t i = 5; i < 100000; i += 5)
    word[i] = ' ';
  g_assert_false (tl_fail (&many, TL_ERROR_FILE, "%s: is damaged", word));
  g_assert_cmpint (g_utf8_strlen (many->message, -1), ==, 3001);
  g_assert_true (g_str_has_suffix (many->message, "xxxx: is damaged"));
  word[2000] = '\0';
  g_assert_false (tl_fail (&text, TL_ERROR_FILE, "%s: is damaged", word));
  g_assert_cmpuint (strlen (text->message), ==, 2000 + strlen (": is damaged"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/error/quoted", test_quoted);
  g_test_add_func ("/error/long", test_long);
  return g_test_run ();
}
