/* A preview from some of the projections, while the others are being read. */
#include "tests/support/wrapped-reader.h"
#include "tests/ui/driver.h"

#include "data/phantom/phantom.h"
#include "data/read/reader.h"

#include <string.h>

enum
{
  N_PROJECTIONS = 131, /* of which each second one is used */
  N_PART = 66
};

/* Replaces a function of the program (see meson.build): all reads are slow, so
 * that they end with a part of the projections where the program allows it. */
static gint holds_wholes; /* atomic: reads of all projections wait while it is
                             set or until they are cancelled */
static gint n_cancelled;  /* atomic: of those that waited */

gboolean
__wrap_tl_reader_read_part (TlReader *reader, size_t first_row, size_t n_rows,
                            guint *every, double patience_s, void *dest,
                            GCancellable *cancellable, GError **error)
{
  const TlScanInfo *info = tl_reader_get_info (reader);
  const size_t bytes = n_rows * info->n_cols * tl_sample_size (info->type);
  while (*every == 1 && g_atomic_int_get (&holds_wholes)
         && !g_cancellable_is_cancelled (cancellable))
    g_usleep (1000);
  if (g_cancellable_is_cancelled (cancellable))
    g_atomic_int_inc (&n_cancelled);
  if (!tl_reader_read (reader, first_row, n_rows, dest, cancellable, error))
    return FALSE;
  for (size_t k = 1; k * *every < info->n_projections; k++)
    memmove ((char *)dest + k * bytes, (char *)dest + k * *every * bytes,
             bytes);
  return TRUE;
}

static gboolean
shows_preview (Driver *driver)
{
  return driver_is_drawn (driver)
         && tl_display_shows_preview (driver->session->display);
}

/* Opens a scan that is read slowly, and waits for the preview. */
static void
open_slow (Driver *driver)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = g_build_filename (driver->folder, "many.h5", NULL);
  TlPhantomScan scan;

  tl_phantom_scan_init (&scan, N_PROJECTIONS, SCAN_ROWS, SCAN_COLS);
  tl_phantom_write_scan (path, &scan, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  g_atomic_int_set (&holds_wholes, TRUE);
  g_atomic_int_set (&n_cancelled, 0);
  driver_activate (driver, "open", g_variant_new_string (path));
  driver_wait (driver, shows_preview, "the preview");
}

static void
assert_status (Driver *driver, gboolean is_preview)
{
  const TlStatus *status = tl_display_get_status (driver->session->display);
  const char *text =
      driver_read_label (driver_find (driver, "status_line"), "time_label");
  g_test_message ("%s", text);
  g_assert_true ((strstr (text, "preview") != NULL) == is_preview);
  g_assert_cmpuint (status->n_angles, ==, is_preview ? N_PART : N_PROJECTIONS);
}

/* The window of grey values is right for the preview, and follows the whole
 * picture. */
static void
test_grey (Driver *driver)
{
  TlDisplay *display = driver->session->display;
  TlView *view = tl_application_get_view (driver->application);
  float min, max, low, high;
  size_t n;

  open_slow (driver);
  g_object_unref (driver_shoot (driver, "early-preview"));
  assert_status (driver, TRUE);
  g_assert_nonnull (tl_display_get_histogram (display, &n, &min, &max));
  g_assert_cmpfloat (tl_view_get_low (view), >, min);
  g_assert_cmpfloat (tl_view_get_high (view), <, max);
  g_atomic_int_set (&holds_wholes, FALSE);
  driver_settle (driver);
  g_object_unref (driver_shoot (driver, "early-whole"));
  assert_status (driver, FALSE);
  g_assert_true (
      tl_display_get_percentiles (display, 0.005, 0.998, &low, &high));
  g_assert_cmpfloat (tl_view_get_low (view), ==, low);
  g_assert_cmpfloat (tl_view_get_high (view), ==, high);
}

/* The user's own window stays when the whole picture comes. */
static void
test_own_grey (Driver *driver)
{
  TlView *view = tl_application_get_view (driver->application);

  open_slow (driver);
  driver_activate (driver, "window-low", g_variant_new_double (-1));
  g_atomic_int_set (&holds_wholes, FALSE);
  driver_settle (driver);
  assert_status (driver, FALSE);
  g_assert_cmpfloat (tl_view_get_low (view), ==, -1);
}

static gboolean
has_cancelled (Driver *driver)
{
  return g_atomic_int_get (&n_cancelled) > 0 && shows_preview (driver);
}

static void
test_page_down (Driver *driver)
{
  if (driver_lacks ("xdotool"))
    return;
  open_slow (driver);
  driver_assert_state (driver, "slice", "2");
  driver_send (driver, "key Next");
  driver_wait (driver, has_cancelled, "the next preview");
  driver_assert_state (driver, "slice", "1");
  g_atomic_int_set (&holds_wholes, FALSE);
  driver_settle (driver);
  assert_status (driver, FALSE);
  g_assert_cmpint (n_cancelled, ==, 1);
}

int
main (int argc, char **argv)
{
  static const DriverCase cases[] = {
    { "/ui/early/grey", test_grey, NULL },
    { "/ui/early/own-grey", test_own_grey, NULL },
    { "/ui/early/page-down", test_page_down, NULL },
  };

  return driver_main (argc, argv, cases, G_N_ELEMENTS (cases));
}
