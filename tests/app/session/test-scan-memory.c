/* What the user has said of scans, in one file for all windows. */
#include "app/scan/scan-memory.h"

/* Each is written to the disk before the next one. */
#define N_SCANS 25

static const char *const windows[] = { "first", "second" };

static char *
dup_path (const char *window, int k)
{
  return g_strdup_printf ("/scans/%s-%d.h5", window, k);
}

static gpointer
note_scans (gpointer window)
{
  for (int k = 0; k < N_SCANS; k++)
    {
      g_autofree char *path = dup_path (window, k);
      g_autofree char *angles = g_strdup_printf ("0:%d", k + 1);
      g_autoptr (TlRecipe) recipe = tl_recipe_new ();
      g_assert_true (tl_recipe_set (recipe, "angles", angles, NULL));
      tl_scan_memory_note (path, recipe, 0);
    }
  return NULL;
}

/* Two windows that note scans at the same time lose none. */
static void
test_two_windows (void)
{
  GThread *threads[G_N_ELEMENTS (windows)];
  for (size_t w = 0; w < G_N_ELEMENTS (windows); w++)
    threads[w] = g_thread_new (windows[w], note_scans, (gpointer)windows[w]);
  for (size_t w = 0; w < G_N_ELEMENTS (windows); w++)
    g_thread_join (threads[w]);
  for (size_t w = 0; w < G_N_ELEMENTS (windows); w++)
    for (int k = 0; k < N_SCANS; k++)
      {
        g_autofree char *path = dup_path (windows[w], k);
        g_autofree char *noted = g_strdup_printf ("0:%d", k + 1);
        g_autoptr (TlRecipe) recipe = tl_recipe_new ();
        g_assert_cmpint (
            tl_scan_memory_recall (path, TL_SCAN_MEMORY_ANGLES, recipe), ==,
            TL_SCAN_MEMORY_ANGLES);
        g_autofree char *angles = tl_recipe_get (recipe, "angles");
        g_assert_cmpstr (angles, ==, noted);
      }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, G_TEST_OPTION_ISOLATE_DIRS, NULL);
  g_test_add_func ("/scan-memory/two-windows", test_two_windows);
  return g_test_run ();
}
