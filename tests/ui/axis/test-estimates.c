/* The estimates of the axis in the panel: found when a scan opens, drawn as
 * ticks with tooltips, adopted by a click, copied. */
#include "tests/ui/driver.h"

#include "app/axis/centre-search.h"
#include "data/phantom/phantom.h"
#include "ui/axis/centre-curve.h"
#include "ui/axis/centre-estimates.h"

#include <math.h>

static GtkWidget *
find (Driver *driver, const char *name)
{
  GObject *found = gtk_widget_get_template_child (
      driver_find (driver, "centre_estimates"), TL_TYPE_CENTRE_ESTIMATES, name);

  g_assert_nonnull (found);
  return GTK_WIDGET (found);
}

static TlCentreSearch *
get_search (Driver *driver)
{
  return tl_session_get_centre_search (driver->session);
}

static gboolean
is_done (Driver *driver)
{
  return tl_centre_search_get_state (get_search (driver))
         == TL_CENTRE_SEARCH_DONE;
}

/* Waits until the axis is found and the slice with it is drawn. */
static TlCentreAgreement
wait_for_centre (Driver *driver)
{
  TlCentreAgreement agreement;

  driver_wait (driver, is_done, "the axis");
  driver_settle (driver);
  g_assert_true (
      tl_centre_search_get_agreement (get_search (driver), &agreement));
  return agreement;
}

static const char *
get_verdict (Driver *driver)
{
  GtkWidget *label = find (driver, "verdict_label");

  g_assert_true (gtk_widget_get_mapped (label));
  return gtk_label_get_text (GTK_LABEL (label));
}

/* A full turn shows the object from all sides, so the axis is certain. */
static void
make_scan (Driver *driver)
{
  TlPhantomScan scan;
  g_autoptr (GError) error = NULL;

  tl_phantom_scan_init (&scan, 120, SCAN_ROWS, SCAN_COLS);
  scan.centre_col = SCAN_CENTRE;
  scan.angles_deg[1] = 360;
  g_free (driver->scan);
  driver->scan = g_build_filename (driver->folder, "turn.h5", NULL);
  tl_phantom_write_scan (driver->scan, &scan, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
}

static TlCentreAgreement
open_and_seek (Driver *driver)
{
  make_scan (driver);
  driver_activate (driver, "seek-centre", NULL);
  driver_assert_state (driver, "seek-centre", "true");
  driver_open (driver);
  return wait_for_centre (driver);
}

/* --- when a scan opens --- */

static void
test_found (Driver *driver)
{
  TlParameters *parameters = driver->session->parameters;
  TlCentreAgreement agreement = open_and_seek (driver);
  g_autofree char *notice = NULL;
  g_autoptr (GdkTexture) shot = NULL;

  g_assert_cmpfloat (fabs (tl_parameters_get_centre (parameters) - SCAN_CENTRE),
                     <, 0.1);
  g_assert_cmpfloat (tl_parameters_get_centre (parameters), ==,
                     agreement.centre_col);
  g_assert_true (gtk_widget_get_mapped (find (driver, "curve")));
  g_assert_nonnull (strstr (get_verdict (driver), "estimates agree"));
  g_assert_false (
      gtk_widget_has_css_class (find (driver, "verdict_label"), "asks"));
  g_assert_false (gtk_widget_get_visible (find (driver, "candidates_button")));
  g_assert_false (
      gtk_spinner_get_spinning (GTK_SPINNER (find (driver, "spinner"))));
  g_object_get (driver->session->messages, "notice", &notice, NULL);
  g_assert_nonnull (strstr (notice, "found by"));
  shot = driver_shoot (driver, "estimates");

  /* the method that does not apply to this scan says so in the closed list */
  g_assert_true (gtk_widget_get_mapped (find (driver, "silent_expander")));
  g_assert_nonnull (
      strstr (gtk_label_get_text (GTK_LABEL (find (driver, "silent_label"))),
              "half acquisition"));

  driver_activate (driver, "undo", NULL);
  driver_settle (driver);
  g_assert_cmpfloat (tl_parameters_get_centre (parameters), ==, 47.5);
}

/* The grey window of a slice with a wrong axis is not that of the right one. It
 * is set again once, unless the user has set it. */
static void
test_window (Driver *driver)
{
  TlView *view = tl_application_get_view (driver->application);
  double low, high;

  if (driver_lacks ("xdotool"))
    return;
  make_scan (driver);
  driver_open (driver);
  driver_settle (driver);
  low = tl_view_get_low (view);
  driver_click (driver, find (driver, "find_button"));
  wait_for_centre (driver);
  g_assert_cmpfloat (tl_view_get_low (view), !=, low);
  low = tl_view_get_low (view);
  high = tl_view_get_high (view);
  tl_view_set_auto_percentiles (view);
  g_assert_cmpfloat (tl_view_get_low (view), ==, low);
  g_assert_cmpfloat (tl_view_get_high (view), ==, high);
}

/* Without a request the panel shows no estimates. */
static void
test_nothing_requested (Driver *driver)
{
  driver_assert_state (driver, "seek-centre", "false");
  driver_open (driver);
  g_assert_cmpint (tl_centre_search_get_state (get_search (driver)), ==,
                   TL_CENTRE_SEARCH_IDLE);
  g_assert_true (gtk_widget_get_mapped (find (driver, "find_button")));
  g_assert_false (gtk_widget_get_visible (find (driver, "curve")));
  g_assert_cmpstr (get_verdict (driver), ==, "The axis has not been searched");
  g_assert_false (gtk_widget_get_visible (find (driver, "silent_expander")));
  g_assert_false (g_action_group_get_action_enabled (
      G_ACTION_GROUP (driver->application), "next-estimate"));
}

/* The button searches the axis in the current slice. */
static void
test_find (Driver *driver)
{
  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  driver_activate (driver, "slice", g_variant_new_uint32 (3));
  driver_settle (driver);
  driver_click (driver, find (driver, "find_button"));
  wait_for_centre (driver);
  g_assert_true (g_str_has_prefix (get_verdict (driver), "Slice 3: "));
}

/* The toast that tells of the axis takes it back, until something else is
 * changed. Without its button the picture below gets the clicks. */
static void
test_undo (Driver *driver)
{
  TlParameters *parameters = driver->session->parameters;
  GtkWidget *window = GTK_WIDGET (driver->window);
  GtkWidget *undo = driver_find_in (window, "toast_undo_button");
  GtkWidget *revealer = driver_find_in (window, "toast_revealer");
  double before, found;

  if (driver_lacks ("xdotool"))
    return;
  make_scan (driver);
  driver_open (driver);
  before = tl_parameters_get_centre (parameters);
  driver_activate (driver, "find-centre", NULL);
  found = wait_for_centre (driver).centre_col;
  driver_settle (driver);
  g_assert_cmpfloat (tl_parameters_get_centre (parameters), ==, found);
  g_assert_true (gtk_widget_get_mapped (undo));
  driver_shoot_both (driver, window, "toast-undo");
  driver_click (driver, undo);
  driver_settle (driver);
  g_assert_cmpfloat (tl_parameters_get_centre (parameters), ==, before);
  g_assert_false (gtk_widget_get_visible (undo));
  g_assert_false (gtk_widget_get_can_target (revealer));
  driver_activate (driver, "redo", NULL);
  driver_settle (driver);
  g_assert_true (gtk_widget_get_visible (undo));
  driver_activate (driver, "filter", g_variant_new_string ("hann"));
  driver_settle (driver);
  g_assert_false (gtk_widget_get_visible (undo));
}

/* Estimates are marked as outdated with a tilt that moves the axis in their
 * slice, not with a correction, which does not move it. */
static void
test_outdated (Driver *driver)
{
  open_and_seek (driver);
  driver_activate (driver, "zingers", NULL);
  driver_settle (driver);
  g_assert_null (strstr (get_verdict (driver), "have changed since"));
  g_assert_false (
      gtk_widget_has_css_class (find (driver, "verdict_label"), "asks"));
  driver_activate (driver, "slice", g_variant_new_uint32 (0));
  driver_settle (driver);
  driver_activate (driver, "find-centre", NULL);
  wait_for_centre (driver);
  driver_activate (driver, "tilt", g_variant_new_double (9));
  driver_settle (driver);
  g_assert_nonnull (strstr (get_verdict (driver), "have changed since"));
  g_assert_true (
      gtk_widget_has_css_class (find (driver, "verdict_label"), "asks"));
  driver_activate (driver, "undo", NULL);
  driver_settle (driver);
  g_assert_null (strstr (get_verdict (driver), "have changed since"));
}

/* The angles of this scan contradict its projections, so the axis is
 * uncertain. */
static void
test_uncertain (Driver *driver)
{
  TlPhantomScan scan;
  g_autoptr (GError) error = NULL;
  g_autoptr (GdkTexture) shot = NULL;

  tl_phantom_scan_init (&scan, 31, SCAN_ROWS, SCAN_COLS);
  scan.centre_col = SCAN_CENTRE;
  scan.end_point = TRUE;
  scan.noise_counts = 0;
  g_free (driver->scan);
  driver->scan = g_build_filename (driver->folder, "end.h5", NULL);
  tl_phantom_write_scan (driver->scan, &scan, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  driver_open (driver);
  driver_activate (driver, "angles", g_variant_new_string ("0:174"));
  driver_settle (driver);
  driver_activate (driver, "find-centre", NULL);
  wait_for_centre (driver);
  g_assert_nonnull (
      strstr (get_verdict (driver), "the axis before you use it"));
  g_assert_true (gtk_widget_get_mapped (find (driver, "note_label")));
  g_assert_nonnull (
      strstr (gtk_label_get_text (GTK_LABEL (find (driver, "note_label"))),
              "mirror image"));
  g_assert_true (
      gtk_widget_has_css_class (find (driver, "verdict_label"), "asks"));
  g_assert_true (gtk_widget_get_mapped (find (driver, "candidates_button")));
  g_assert_cmpfloat (tl_parameters_get_centre (driver->session->parameters), !=,
                     47.5);
  shot = driver_shoot (driver, "please-look");
  /* the angles that the note proposes can be clicked */
  g_assert_cmpstr (
      gtk_button_get_label (GTK_BUTTON (find (driver, "angles_button"))), ==,
      "Use Angles 0:180");
  gtk_widget_grab_focus (find (driver, "angles_button"));
  driver_settle (driver);
  driver_click (driver, find (driver, "angles_button"));
  driver_settle (driver);
  driver_assert_state (driver, "angles", "'0:180'");
  driver_settle (driver);
  g_assert_false (gtk_widget_get_mapped (find (driver, "angles_button")));
}

/* --- clicks and keys --- */

static void
locate (Driver *driver, const char *name, int *x, int *y)
{
  GtkWidget *curve = find (driver, "curve");
  double curve_x, curve_y;

  g_assert_true (tl_centre_curve_locate (TL_CENTRE_CURVE (curve), name,
                                         &curve_x, &curve_y));
  driver_locate (driver, curve, curve_x, curve_y, x, y);
}

static TlCentreFound
get_found (Driver *driver, const char *name)
{
  TlCentreFound found = { 0 };
  guint k = 0;

  do
    tl_centre_search_get (get_search (driver), k++, &found);
  while (strcmp (found.name, name) != 0);
  return found;
}

/* Each tick has a tooltip and is adopted by a click, which is one undo step. */
static void
test_ticks (Driver *driver)
{
  TlParameters *parameters = driver->session->parameters;
  static const char *const names[] = { "phase", "moments" };
  TlCentreAgreement agreement;
  guint n_steps;
  int x, y;

  if (driver_lacks ("xdotool"))
    return;
  agreement = open_and_seek (driver);
  n_steps = tl_history_get_length (tl_parameters_get_history (parameters));
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      TlCentreFound found = get_found (driver, names[i]);
      g_autofree char *boundary =
          g_strdup_printf ("boundary %.3f", found.centre_col + 0.5);

      locate (driver, names[i], &x, &y);
      driver_xdotool (driver, "mousemove %d %d", x, y);
      const char *readout =
          gtk_widget_get_tooltip_text (GTK_WIDGET (find (driver, "curve")));
      g_assert_true (g_str_has_prefix (readout, names[i]));
      g_assert_nonnull (strstr (readout, boundary));
      g_assert_nonnull (strstr (readout, found.reason));
      driver_xdotool (driver, "click 1");
      g_assert_cmpfloat (tl_parameters_get_centre (parameters), ==,
                         found.centre_col);
    }
  g_assert_cmpuint (
      tl_history_get_length (tl_parameters_get_history (parameters)), >,
      n_steps);
  locate (driver, "together", &x, &y);
  driver_xdotool (driver, "mousemove %d %d", x, y);
  driver_xdotool (driver, "click 1");
  g_assert_cmpfloat (tl_parameters_get_centre (driver->session->parameters), ==,
                     agreement.centre_col);
  /* away from the ticks the curve has no tooltip */
  driver_xdotool (driver, "mousemove 300 300");
  g_assert_null (gtk_widget_get_tooltip_text (find (driver, "curve")));
}

/* Goes right through all estimates, around the end, and one back. */
static void
test_keys (Driver *driver)
{
  TlParameters *parameters = driver->session->parameters;
  double start, centre = NAN;
  guint n;

  if (driver_lacks ("xdotool"))
    return;
  n = open_and_seek (driver).n_found + 1;
  start = tl_parameters_get_centre (parameters);
  gtk_widget_grab_focus (GTK_WIDGET (driver->view));
  for (guint i = 0; i < n && centre != start; i++)
    {
      double before = tl_parameters_get_centre (parameters);

      driver_xdotool (driver, "key e");
      centre = tl_parameters_get_centre (parameters);
      g_assert_cmpfloat (centre, !=, before);
      if (i > 0)
        continue;
      driver_xdotool (driver, "key shift+e");
      g_assert_cmpfloat (tl_parameters_get_centre (parameters), ==, before);
      driver_xdotool (driver, "key e");
    }
  g_assert_cmpfloat (centre, ==, start);
}

static void
assert_clipboard (Driver *driver, const char *want)
{
  g_autofree char *text = driver_paste_text (driver);

  g_assert_cmpstr (text, ==, want);
}

static void
test_copy (Driver *driver)
{
  static const char *const programs[][2] = {
    { "tomopy", "center=46.250" },
    { "tofu", "--center-position-x 46.750" },
    { "nabu", "rotation_axis_position = 46.250" },
    { "ASTRA", "proj_geom = astra.geom_postalignment(proj_geom, 1.250)" },
  };

  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  driver_activate (driver, "centre", g_variant_new_double (46.25));
  driver_settle (driver);
  /* the first item of the menu has the focus */
  driver_click (driver, find (driver, "copy_button"));
  driver_xdotool (driver, "key Return");
  assert_clipboard (driver, programs[0][1]);
  g_assert_nonnull (strstr (driver_get_toast (driver), programs[0][1]));
  for (guint i = 1; i < G_N_ELEMENTS (programs); i++)
    {
      driver_activate (driver, "copy-centre-as",
                       g_variant_new_string (programs[i][0]));
      driver_settle (driver);
      assert_clipboard (driver, programs[i][1]);
    }
}

int
main (int argc, char **argv)
{
  static const DriverCase cases[] = {
    { "/ui/estimates/found", test_found, NULL },
    { "/ui/estimates/nothing-requested", test_nothing_requested, NULL },
    { "/ui/estimates/find", test_find, NULL },
    { "/ui/estimates/undo", test_undo, NULL },
    { "/ui/estimates/window", test_window, NULL },
    { "/ui/estimates/outdated", test_outdated, NULL },
    { "/ui/estimates/uncertain", test_uncertain, NULL },
    { "/ui/estimates/ticks", test_ticks, NULL },
    { "/ui/estimates/keys", test_keys, NULL },
    { "/ui/estimates/copy", test_copy, NULL },
  };

  return driver_main (argc, argv, cases, G_N_ELEMENTS (cases));
}
