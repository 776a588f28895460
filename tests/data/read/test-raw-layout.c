/* The layout of a file of raw samples as a text, and what it may be, guessed by
 * the size of the file alone. */
#include "data/read/format/raw-layout.h"

static void
test_guess (void)
{
  static const struct
  {
    const char *layout; /* of the file */
    const char *guess;  /* (nullable): if it is another one */
  } cases[] = {
    { "2048x2048x1800:uint16le", NULL },
    { "2048x2048x3600:uint16le:header=512", NULL },
    { "2560x2160x1500:uint16le", NULL },
    { "4008x2672x1200:uint16le:header=4096", NULL },
    { "1024x1024x1800:uint16le", NULL },
    { "512x512x180:uint16le", NULL },
    { "100x100x157:uint16le", NULL },
    { "101x101x151:uint8", NULL },
    /* twice as many samples of half the size */
    { "2048x2048x1800:float32le", "2048x2048x3600:uint16le" },
  };
  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const char *const want =
          cases[i].guess != NULL ? cases[i].guess : cases[i].layout;
      TlRawLayout layout;
      g_assert_true (tl_raw_layout_parse (cases[i].layout, &layout, NULL));
      layout = tl_raw_layout_guess (tl_raw_layout_count_bytes (&layout));
      g_autofree char *guess = tl_raw_layout_format (&layout);
      g_assert_cmpstr (guess, ==, want);
    }
}

/* Whatever fits has just the bytes of the file; nothing fits a prime number of
 * bytes. */
static void
test_fits (void)
{
  for (int i = 0; i < 50; i++)
    {
      const int side = g_test_rand_int_range (8, 600);
      const TlRawLayout square = {
        .n_cols = (size_t)side,
        .n_rows = (size_t)side,
        .n_images = (size_t)g_test_rand_int_range (side, 2 * side),
        .stored = TL_SAMPLE_U16,
      };
      const guint64 size = tl_raw_layout_count_bytes (&square);
      const TlRawLayout guess = tl_raw_layout_guess (size);
      g_assert_cmpuint (tl_raw_layout_count_bytes (&guess), ==, size);
    }
  static const guint64 odd[] = { 1, 2, 769, 2147483647 };
  for (size_t i = 0; i < G_N_ELEMENTS (odd); i++)
    {
      const TlRawLayout guess = tl_raw_layout_guess (odd[i]);
      g_autofree char *text = tl_raw_layout_format (&guess);
      g_test_message ("%s", text);
      g_assert_true (g_str_has_prefix (text, "2048x2048x"));
      g_assert_true (g_str_has_suffix (text, ":uint16le"));
    }
}

/* What is written is read as the same layout. */
static void
test_format (void)
{
  static const char *const texts[] = {
    "5x3:uint8", /* as many images as the file has */
    "5x3x7:uint8",
    "5x3:uint16be:header=512",
    "5x3x7:float32le:header=512:gap=16",
  };
  for (size_t i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      TlRawLayout layout;
      g_assert_true (tl_raw_layout_parse (texts[i], &layout, NULL));
      g_autofree char *text = tl_raw_layout_format (&layout);
      g_assert_cmpstr (text, ==, texts[i]);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/raw-layout/guess", test_guess);
  g_test_add_func ("/raw-layout/fits", test_fits);
  g_test_add_func ("/raw-layout/format", test_format);
  return g_test_run ();
}
