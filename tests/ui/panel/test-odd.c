/* Odd projections are named in the panel, and left out with a button or by
 * their numbers. */
#include "tests/support/formats.h"
#include "tests/ui/driver.h"

#include <string.h>

/* Returns: %FALSE, and the case is skipped, if something is missing */
static gboolean
spoil (Driver *driver)
{
  static const char script[] = "import sys\n"
                               "try:\n"
                               "    import h5py\n"
                               "except ImportError:\n"
                               "    sys.exit(77)\n"
                               "with h5py.File(sys.argv[1], 'r+') as f:\n"
                               "    f['/exchange/data'][30:36] = 0\n"
                               "    f['/exchange/data'][50, 2:] = 0\n"
                               "    f['/exchange/theta'][70] = float('nan')\n";
  const char *const line[] = { "/usr/bin/python3", "-c", script, driver->scan,
                               NULL };

  return !driver_lacks ("xdotool") && tl_run_or_skip (line);
}

static const TlScanSummary *
get_scan (Driver *driver)
{
  return tl_scan_source_get_summary (driver->session->source);
}

static gboolean
is_surveyed (Driver *driver)
{
  return get_scan (driver)->is_surveyed;
}

/* Asserts how many projections are used, and which are left out. */
static void
assert_used (Driver *driver, size_t n, const char *left_out)
{
  GtkWidget *entry = driver_find (driver, "leave_out_entry");
  g_autofree char *state = g_strdup_printf ("'%s'", left_out);

  driver_settle (driver);
  driver_wait (driver, is_surveyed, "the survey");
  g_assert_cmpuint (get_scan (driver)->n_projections, ==, n);
  driver_assert_state (driver, "leave-out", state);
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (entry)), ==, left_out);
}

/* Asserts whether the grey values are those that the picture sets. */
static void
assert_grey (Driver *driver, gboolean is_set)
{
  TlView *view = tl_application_get_view (driver->application);
  float low, high;

  g_assert_true (tl_display_get_percentiles (driver->session->display, 0.005,
                                             0.998, &low, &high));
  g_test_message ("%g to %g, the picture %g to %g", tl_view_get_low (view),
                  tl_view_get_high (view), low, high);
  g_assert_true ((tl_view_get_low (view) == low) == is_set);
  g_assert_true ((tl_view_get_high (view) == high) == is_set);
}

static void
type (Driver *driver, const char *text)
{
  gtk_widget_grab_focus (driver_find (driver, "leave_out_entry"));
  driver_xdotool (driver, "key ctrl+a type %s", text);
  driver_xdotool (driver, "key Return");
}

/* The button leaves out all that is odd, and undo brings it back. */
static void
test_button (Driver *driver)
{
  GtkWidget *button = driver_find (driver, "odd_button");

  if (!spoil (driver))
    return;
  g_assert_false (gtk_widget_get_visible (button));
  driver_open (driver);
  assert_used (driver, 89, "");
  g_object_unref (driver_shoot (driver, "odd-before"));
  g_assert_true (gtk_widget_get_visible (button));
  g_assert_cmpstr (
      gtk_label_get_text (GTK_LABEL (driver_find (driver, "odd_label"))), ==,
      "Leave out 30:35,50");
  const char *asking =
      gtk_label_get_text (GTK_LABEL (driver_find (driver, "asking_label")));
  g_assert_true (g_pattern_match_simple (
      "*empty projections (6 of 89)*type 30:35 into “Leave out”*", asking));
  g_assert_null (strstr (asking, "--leave-out"));
  driver_activate (driver, "centre", g_variant_new_double (46.25));
  driver_click (driver, button);
  assert_used (driver, 82, "30:35,50");
  g_assert_false (gtk_widget_get_visible (button));
  g_assert_cmpfloat (tl_parameters_get_centre (driver->session->parameters), ==,
                     46.25);
  g_object_unref (driver_shoot (driver, "odd-after"));
  driver_xdotool (driver, "key ctrl+z");
  assert_used (driver, 89, "");
  g_assert_true (gtk_widget_get_visible (button));
  /* besides what is left out already */
  type (driver, "3,36:40");
  assert_used (driver, 83, "3,36:40");
  driver_click (driver, button);
  assert_used (driver, 76, "3,30:40,50");
}

/* The window of grey values that streaks have set is set again without them,
 * but not the user's own. */
static void
test_grey (Driver *driver)
{
  TlView *view = tl_application_get_view (driver->application);

  if (!spoil (driver))
    return;
  driver_open (driver);
  assert_used (driver, 89, "");
  g_object_unref (driver_shoot (driver, "odd-grey-before"));
  assert_grey (driver, TRUE);
  driver_click (driver, driver_find (driver, "odd_button"));
  assert_used (driver, 82, "30:35,50");
  g_object_unref (driver_shoot (driver, "odd-grey-after"));
  assert_grey (driver, TRUE);
  driver_activate (driver, "slice", g_variant_new_uint32 (0));
  driver_settle (driver);
  assert_grey (driver, FALSE);
  tl_view_set_window (view, -1, 2);
  driver_activate (driver, "leave-out", g_variant_new_string (""));
  assert_used (driver, 89, "");
  g_assert_cmpfloat (tl_view_get_low (view), ==, -1);
  g_assert_cmpfloat (tl_view_get_high (view), ==, 2);
}

/* A comma is no decimal point here. */
static void
test_entry (Driver *driver)
{
  GtkWidget *entry = driver_find (driver, "leave_out_entry");

  if (!spoil (driver))
    return;
  g_assert_false (gtk_widget_get_sensitive (entry));
  driver_open (driver);
  type (driver, "7,5:6,80");
  assert_used (driver, 85, "5:7,80");
  type (driver, "5:7,90");
  driver_settle (driver);
  g_assert_nonnull (strstr (tl_window_get_banner (driver->window),
                            "projection 90 cannot be left out"));
  g_assert_true (gtk_widget_has_css_class (entry, "error"));
  driver_xdotool (driver, "key Escape");
  type (driver, "none");
  g_assert_nonnull (strstr (tl_window_get_banner (driver->window),
                            "numbers and ranges of projections"));
  driver_xdotool (driver, "key Escape");
  assert_used (driver, 85, "5:7,80");
}

/* The projections keep their numbers. */
static void
test_numbers (Driver *driver)
{
  if (!spoil (driver))
    return;
  driver_open (driver);
  type (driver, "0:4,30:35");
  assert_used (driver, 78, "0:4,30:35");
  driver_activate (driver, "view", g_variant_new_string ("projection"));
  driver_settle (driver);
  driver_assert_state (driver, "projection", "5");
  driver_activate (driver, "projection", g_variant_new_uint32 (29));
  driver_settle (driver);
  driver_assert_state (driver, "projection", "29");
  driver_xdotool (driver, "key alt+shift+Up");
  driver_assert_state (driver, "projection", "36");
  driver_xdotool (driver, "key alt+shift+Down");
  driver_assert_state (driver, "projection", "29");
  driver_activate (driver, "projection", g_variant_new_uint32 (1000));
  driver_settle (driver);
  driver_assert_state (driver, "projection", "89");
  driver_activate (driver, "projection", g_variant_new_uint32 (0));
  driver_settle (driver);
  driver_assert_state (driver, "projection", "5");
}

int
main (int argc, char **argv)
{
  static const DriverCase cases[] = {
    { "/ui/odd/button", test_button },
    { "/ui/odd/grey", test_grey },
    { "/ui/odd/entry", test_entry },
    { "/ui/odd/numbers", test_numbers },
  };

  return driver_main (argc, argv, cases, G_N_ELEMENTS (cases));
}
