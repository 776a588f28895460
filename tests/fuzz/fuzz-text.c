/* Gives one text to everything that reads text of users. What was read is
 * written and read again. */
#include "tests/fuzz/fuzz.h"

#include "app/export/settings.h"
#include "app/recipe/number.h"
#include "app/recipe/recipe.h"
#include "data/read/scan/angles.h"
#include "data/read/scan/frame-ranges.h"
#include "data/read/format/raw-layout.h"
#include "data/stream/options.h"
#include "data/stream/stream.h"
#include "data/write/volume/info.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

static void
try_recipe (const char *text, size_t size)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *scan = NULL;
  g_autoptr (TlRecipe) recipe =
      tl_recipe_from_text (text, size, "fuzz.tlr", &scan, &error);
  g_assert_true ((recipe != NULL) == (error == NULL));
  if (recipe == NULL)
    {
      g_assert_true (g_utf8_validate (error->message, -1, NULL));
      return;
    }
  g_autofree char *once = tl_recipe_to_text (recipe, scan);
  g_autoptr (TlRecipe) again =
      tl_recipe_from_text (once, strlen (once), "fuzz.tlr", NULL, &error);
  g_assert_no_error (error);
  g_autofree char *twice = tl_recipe_to_text (again, scan);
  g_assert_cmpstr (once, ==, twice);
}

/* The text as the value of each key. */
static void
try_keys (const char *text)
{
  size_t n;
  const TlParamSpec *keys = tl_recipe_list_keys (&n);
  for (size_t k = 0; k < n; k++)
    {
      g_autoptr (TlRecipe) recipe = tl_recipe_new ();
      if (!tl_recipe_set (recipe, keys[k].key, text, NULL))
        continue;
      g_autofree char *value = tl_recipe_get (recipe, keys[k].key);
      g_assert_true (tl_recipe_set (recipe, keys[k].key, value, NULL));
    }
}

static void
try_angles (const char *text, size_t size)
{
  g_autofree char *path = NULL;
  const int fd = g_file_open_tmp ("fuzz-XXXXXX", &path, NULL);
  g_assert_cmpint (write (fd, text, size), ==, (gssize)size);
  close (fd);
  for (int grows = 0; grows < 2; grows++)
    {
      g_autoptr (GError) error = NULL;
      size_t n;
      g_free (tl_angles_load (path, grows, &n, &error));
    }
  g_remove (path);
}

static void
try_raw_layout (const char *text)
{
  TlRawLayout layout, again;
  if (!tl_raw_layout_parse (text, &layout, NULL))
    return;
  g_autofree char *once = tl_raw_layout_format (&layout);
  g_assert_true (tl_raw_layout_parse (once, &again, NULL));
  g_autofree char *twice = tl_raw_layout_format (&again);
  g_assert_cmpstr (once, ==, twice);
  tl_raw_layout_count_images (layout, tl_raw_layout_count_bytes (&layout));
}

static void
try_ranges (const char *text)
{
  g_autoptr (GArray) ranges = tl_frame_ranges_parse (text);
  if (ranges == NULL)
    return;
  g_autofree char *once = tl_frame_ranges_format (ranges);
  g_autoptr (GArray) again = tl_frame_ranges_parse (once);
  g_assert_nonnull (again);
  g_autofree char *twice = tl_frame_ranges_format (again);
  g_assert_cmpstr (once, ==, twice);
}

static void
try_words (const char *text)
{
  double number;
  TlVolumePlane plane;
  TlStreamOptions options = { 0 };
  if (tl_number_parse (text, &number))
    {
      g_autofree char *word = tl_number_format (number);
      double again = 0;
      g_assert_true (tl_number_parse (word, &again));
      g_assert_true (again == number);
    }
  tl_export_parse_number (text, &number);
  tl_volume_plane_from_name (text, &plane);
  tl_stream_options_take_expected (&options, text);
  tl_stream_options_take_kinds (&options, text);
  tl_stream_is_address (text);
  tl_stream_lacks_number (text);
}

/* As a window takes what is dropped on it. */
static void
try_drop (const char *text)
{
  g_autofree char *name = g_strstrip (g_strdup (text));
  g_autoptr (GFile) file = g_file_new_for_commandline_arg (name);
  g_autofree char *path = g_file_get_path (file);
  g_autofree char *uri = g_file_get_uri (file);
  g_autoptr (TlRecipe) recipe = tl_recipe_new ();
  g_free (tl_recipe_take_scan (recipe, path != NULL ? path : uri));
}

int
LLVMFuzzerTestOneInput (const guint8 *bytes, size_t size)
{
  g_autofree char *text = g_strndup ((const char *)bytes, size);
  try_recipe ((const char *)bytes, size);
  try_keys (text);
  try_angles ((const char *)bytes, size);
  try_raw_layout (text);
  try_ranges (text);
  try_words (text);
  try_drop (text);
  return 0;
}
