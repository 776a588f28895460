/* Lists of projections: what is read, and the shortest form that is written. */
#include "data/read/scan/frame-ranges.h"

static void
test_forms (void)
{
  static const struct
  {
    const char *text;
    const char *shortest; /* %NULL: refused */
  } cases[] = {
    { "", "" },
    { "0", "0" },
    { "120:135,400", "120:135,400" },
    { " 7 , 3:4 ", "3:4,7" },
    { "1,2,3", "1:3" },
    { "5:9,2:6,9", "2:9" },
    { "3:3", "3" },
    { "4294967295", "4294967295" },
    { "4294967296", NULL },
    { "5:4", NULL },
    { "-1", NULL },
    { "1:", NULL },
    { ":1", NULL },
    { "1:2:3", NULL },
    { "1,", NULL },
    { "1;2", NULL },
    { "1 2", NULL },
    { "1.0", NULL },
    { "x", NULL },
  };
  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GArray) ranges = tl_frame_ranges_parse (cases[i].text);
      g_test_message ("\"%s\"", cases[i].text);
      if (cases[i].shortest == NULL)
        {
          g_assert_null (ranges);
          continue;
        }
      g_assert_nonnull (ranges);
      g_autofree char *text = tl_frame_ranges_format (ranges);
      g_assert_cmpstr (text, ==, cases[i].shortest);
    }
}

static void
test_add (void)
{
  g_autoptr (GArray) ranges = g_array_new (FALSE, FALSE, sizeof (TlFrameRange));
  static const size_t frames[] = { 0, 4, 5, 6, 8 };
  for (size_t i = 0; i < G_N_ELEMENTS (frames); i++)
    tl_frame_ranges_add (ranges, frames[i]);
  g_autofree char *text = tl_frame_ranges_format (ranges);
  g_assert_cmpstr (text, ==, "0,4:6,8");
  g_assert_cmpuint (tl_frame_ranges_count (ranges), ==, 5);
  g_autofree char *list = tl_frame_ranges_list (ranges);
  g_assert_cmpstr (list, ==, "0, 4:6, 8");
  for (size_t k = 10; k < 100; k += 2)
    tl_frame_ranges_add (ranges, k);
  g_autofree char *long_list = tl_frame_ranges_list (ranges);
  g_assert_true (g_str_has_suffix (long_list, " 40, 42, …"));
}

static void
test_join (void)
{
  g_autofree char *both = tl_frame_ranges_join ("4:6", "1,7");
  g_autofree char *one = tl_frame_ranges_join ("", "1,7");
  g_autofree char *none = tl_frame_ranges_join ("", "");
  g_assert_cmpstr (both, ==, "1,4:7");
  g_assert_cmpstr (one, ==, "1,7");
  g_assert_cmpstr (none, ==, "");
}

static void
test_remove (void)
{
  g_autofree char *left = tl_frame_ranges_remove ("1:5,9", "2,5:7");
  g_autofree char *all = tl_frame_ranges_remove ("1:5", "");
  g_autofree char *none = tl_frame_ranges_remove ("3", "1:5");
  g_assert_cmpstr (left, ==, "1,3:4,9");
  g_assert_cmpstr (all, ==, "1:5");
  g_assert_cmpstr (none, ==, "");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/frame-ranges/forms", test_forms);
  g_test_add_func ("/frame-ranges/add", test_add);
  g_test_add_func ("/frame-ranges/join", test_join);
  g_test_add_func ("/frame-ranges/remove", test_remove);
  return g_test_run ();
}
