/* The window as a user drives it: by real events where xdotool is installed,
 * and by actions. */
#include "tests/ui/driver.h"

#include "ui/desktop/recent.h"
#include "ui/help/help-window.h"
#include "ui/view/folding-box.h"
#include "ui/welcome/demonstration.h"
#include "ui/welcome/welcome.h"

#include <glib/gstdio.h>
#include <math.h>

/* The spin button shows two decimals of the axis. */
#define CENTRE_TOLERANCE 0.0051
/* Positions on the screen are whole pixels. */
#define SCALE_TOLERANCE 1e-6

/* Gets the position on the screen of a point in the picture, given as fractions
 * of its widget. */
static void
locate_picture (Driver *driver, double fx, double fy, int *x, int *y)
{
  GtkWidget *view = GTK_WIDGET (driver->view);

  driver_locate (driver, view, fx * gtk_widget_get_width (view),
                 fy * gtk_widget_get_height (view), x, y);
}

static void
click (Driver *driver, const char *name)
{
  GtkWidget *widget = driver_find (driver, name);
  int x, y;

  driver_locate (driver, widget, gtk_widget_get_width (widget) / 3.0,
                 gtk_widget_get_height (widget) / 2.0, &x, &y);
  driver_xdotool (driver, "mousemove %d %d click 1", x, y);
}

/* --- opening --- */

static void
test_empty (Driver *driver)
{
  g_autoptr (GdkTexture) shot = driver_shoot (driver, "empty");

  g_assert_cmpint (gdk_texture_get_width (shot), >, 600);
  g_assert_false (tl_scan_source_is_open (driver->session->source));
  g_assert_null (tl_window_get_banner (driver->window));
  g_assert_false (g_action_group_get_action_enabled (
      G_ACTION_GROUP (driver->application), "slice"));
  g_assert_false (g_action_group_get_action_enabled (
      G_ACTION_GROUP (driver->window), "export-page"));
  /* controls without effect are insensitive */
  g_assert_false (
      gtk_widget_is_sensitive (driver_find (driver, "centre_spin")));
  driver_open (driver);
  g_assert_true (gtk_widget_is_sensitive (driver_find (driver, "centre_spin")));
}

/* Returns: whether the scan is the first one listed. GTK tells a little later
 * that it was open. */
static gboolean
lists_demonstration (Driver *driver)
{
  GtkWidget *recent = gtk_widget_get_first_child (
      driver_find_in (GTK_WIDGET (driver->window), "recent_list"));
  GtkWidget *label = recent != NULL ? gtk_widget_get_last_child (
                         gtk_button_get_child (GTK_BUTTON (recent)))
                                    : NULL;

  return label != NULL
         && strstr (gtk_label_get_text (GTK_LABEL (label)),
                    "demonstration.h5 — tomolens")
                != NULL;
}

/* The first page: a question opens its page of the manual, the demonstration is
 * made and opened, and a scan that was open is listed at the next start. */
static void
test_welcome (Driver *driver)
{
  GtkWidget *window = GTK_WIDGET (driver->window);
  GtkWidget *questions = driver_find_in (window, "questions");
  g_autofree char *path = g_build_filename (g_get_user_cache_dir (), "tomolens",
                                            "demonstration.h5", NULL);

  if (driver_lacks ("xdotool"))
    return;
  gtk_window_set_default_size (GTK_WINDOW (window), 1024, 700);
  driver_settle (driver);
  g_assert_cmpint (gtk_widget_get_width (window), <=, 1024);
  g_assert_cmpint (gtk_widget_get_height (window), <=, 700);
  driver_shoot_both (driver, window, "welcome");
  driver_click (driver, gtk_widget_get_last_child (questions));
  driver_wait (driver, driver_has_manual, "the manual");
  g_assert_cmpstr (
      tl_help_window_get_page (driver_find_window (TL_TYPE_HELP_WINDOW)), ==,
      "tune");
  gtk_window_close (driver_find_window (TL_TYPE_HELP_WINDOW));
  driver_settle (driver);
  driver_click (driver, driver_find_in (window, "demonstration_button"));
  driver_wait_for_scan (driver);
  g_assert_cmpstr (tl_scan_source_get_name (driver->session->source), ==, path);
  driver_wait (driver, lists_demonstration, "the recent scan");
}

static gboolean
lists_scans_below_message (Driver *driver)
{
  g_autofree char *message = NULL;

  g_object_get (driver->session->messages, "message", &message, NULL);
  return message != NULL
         && gtk_widget_get_visible (driver_find (driver, "recent_box"));
}

/* With a list of scans and a message the first page scrolls; the window stays
 * as small as it was. */
static void
test_full_welcome (Driver *driver)
{
  GtkWidget *window = GTK_WIDGET (driver->window);
  g_autoptr (GVariant) places = g_variant_ref_sink (
      g_variant_new_array (G_VARIANT_TYPE ("{ss}"), NULL, 0));

  for (int i = 0; i < 6; i++)
    {
      g_autofree char *name = g_strdup_printf ("scan-%d.h5", i);
      g_autofree char *path = g_build_filename (driver->folder, name, NULL);
      g_assert_true (g_file_set_contents (path, "", 0, NULL));
      tl_recent_add (path, places);
    }
  gtk_window_set_default_size (GTK_WINDOW (window), 1024, 700);
  tl_session_open (driver->session, "missing.h5");
  driver_wait (driver, lists_scans_below_message, "the list and the message");
  driver_settle (driver);
  driver_shoot_both (driver, window, "welcome-full");
  g_assert_cmpint (gtk_widget_get_width (window), <=, 1024);
  g_assert_cmpint (gtk_widget_get_height (window), <=, 700);
}

/* The arrow beside Open has the other ways to open something. */
static void
test_open_menu (Driver *driver)
{
  GtkWidget *button = driver_find (driver, "recent_button");

  if (driver_lacks ("xdotool"))
    return;
  driver_click (driver, button);
  g_object_unref (driver_shoot_window (
      driver,
      GTK_WIDGET (gtk_menu_button_get_popover (GTK_MENU_BUTTON (button))),
      "open-menu"));
  driver_xdotool (driver, "key f");
  driver_wait (driver, driver_has_dialog, "the dialog");
  g_assert_cmpint (gtk_file_chooser_get_action (
                       GTK_FILE_CHOOSER (driver_find_dialog (driver))),
                   ==, GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER);
  driver_xdotool (driver, "key Escape");
  driver_wait (driver, driver_has_no_dialog, "the window alone");
}

static GtkImage *
get_thumbnail (GtkWidget *page)
{
  GtkWidget *button =
      gtk_widget_get_first_child (driver_find_in (page, "recent_list"));

  g_assert_true (GTK_IS_BUTTON (button));
  return GTK_IMAGE (
      gtk_widget_get_first_child (gtk_button_get_child (GTK_BUTTON (button))));
}

static GtkWidget *first_page; /* that has_thumbnail() looks at */

static gboolean
has_thumbnail (Driver *driver)
{
  return gtk_image_get_paintable (get_thumbnail (first_page)) != NULL;
}

/* The next first page shows a projection of the scan that was open, soon after
 * it appears. */
static void
test_thumbnails (Driver *driver)
{
  GtkWidget *window = gtk_window_new ();
  GdkPaintable *picture;

  driver_open (driver);
  first_page = g_object_new (TL_TYPE_WELCOME, NULL);
  tl_welcome_bind (TL_WELCOME (first_page), driver->session);
  g_assert_false (has_thumbnail (driver));
  gtk_window_set_child (GTK_WINDOW (window), first_page);
  gtk_window_present (GTK_WINDOW (window));
  driver_wait (driver, has_thumbnail, "the thumbnail");
  picture = gtk_image_get_paintable (get_thumbnail (first_page));
  g_assert_cmpint (gdk_paintable_get_intrinsic_width (picture), ==, 96);
  gtk_window_destroy (GTK_WINDOW (window));
}

static gboolean
has_scan (Driver *driver)
{
  return tl_scan_source_is_open (driver->session->source);
}

static gboolean
has_demonstration (Driver *driver)
{
  g_autofree char *path = tl_demonstration_dup_path ();

  return g_file_test (path, G_FILE_TEST_EXISTS);
}

/* Pressed twice, it is made once; it does not take the place of a scan that the
 * user has opened meanwhile. */
static void
test_demonstration (Driver *driver)
{
  GtkWindow *window = GTK_WINDOW (driver->window);
  g_autofree char *path = tl_demonstration_dup_path ();

  g_remove (path);
  tl_demonstration_open (window, driver->session);
  tl_demonstration_open (window, driver->session);
  driver_open (driver);
  driver_wait (driver, has_demonstration, "the demonstration");
  driver_settle (driver);
  g_usleep (G_USEC_PER_SEC / 5); /* until its program has ended */
  driver_settle (driver);
  g_assert_null (tl_window_get_banner (driver->window));
  g_assert_cmpstr (tl_scan_source_get_name (driver->session->source), ==,
                   driver->scan);
}

/* Returns: whether the window takes @what */
static gboolean
drop (Driver *driver, const GValue *what)
{
  g_autoptr (GListModel) controllers =
      gtk_widget_observe_controllers (GTK_WIDGET (driver->window));
  gboolean taken = FALSE;

  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GObject) controller = g_list_model_get_item (controllers, i);

      if (GTK_IS_DROP_TARGET (controller))
        g_signal_emit_by_name (controller, "drop", what, 10.0, 10.0, &taken);
    }
  return taken;
}

/* Drops nothing, then a recipe and a scan at once, the recipe first; it names
 * no scan. */
static void
test_drop (Driver *driver)
{
  g_autofree char *recipe = g_build_filename (driver->folder, "r.ini", NULL);
  g_autoptr (GFile) first = g_file_new_for_path (recipe);
  g_autoptr (GFile) second = g_file_new_for_path (driver->scan);
  g_auto (GValue) files = G_VALUE_INIT, text = G_VALUE_INIT;

  g_value_init (&text, G_TYPE_STRING);
  g_value_set_static_string (&text, " \n");
  g_assert_false (drop (driver, &text)); /* else it would be the folder */
  g_assert_true (g_file_set_contents (
      recipe, "[recipe]\nslice=1\ncentre=46.25\n", -1, NULL));
  g_value_init (&files, GDK_TYPE_FILE_LIST);
  g_value_take_boxed (
      &files, gdk_file_list_new_from_array ((GFile *[]){ first, second }, 2));
  g_assert_true (drop (driver, &files));
  driver_wait (driver, has_scan, "the scan");
  driver_settle (driver);
  g_assert_null (tl_window_get_banner (driver->window));
  g_assert_cmpfloat (tl_parameters_get_centre (driver->session->parameters), ==,
                     46.25);
  driver_assert_state (driver, "slice", "1");
}

/* The second scan is not dropped without a word. */
static void
test_two_scans (Driver *driver)
{
  g_autoptr (GFile) first = g_file_new_for_path (driver->scan);
  g_autofree char *path = g_build_filename (driver->folder, "b.h5", NULL);
  g_autoptr (GFile) second = g_file_new_for_path (path);
  g_autofree char *open = NULL;

  g_application_open (
      G_APPLICATION (gtk_window_get_application (GTK_WINDOW (driver->window))),
      (GFile *[]){ first, second }, 2, "");
  driver_wait (driver, has_scan, "the scan");
  driver_settle (driver);
  g_object_get (driver->session->source, "path", &open, NULL);
  g_assert_cmpstr (open, ==, driver->scan);
  g_assert_nonnull (strstr (tl_window_get_banner (driver->window),
                            "of 2, only the first is opened"));
}

/* Returns: mean grey of 20 x 20 pixels around a point of the picture */
static double
measure (Driver *driver, GdkTexture *shot, double fx, double fy)
{
  size_t width = (size_t)gdk_texture_get_width (shot);
  size_t height = (size_t)gdk_texture_get_height (shot);
  g_autofree guchar *pixels = g_malloc (4 * width * height);
  GtkWidget *view = GTK_WIDGET (driver->view);
  double x, y, sum = 0;

  gdk_texture_download (shot, pixels, 4 * width);
  g_assert_true (gtk_widget_translate_coordinates (
      view, GTK_WIDGET (driver->window), fx * gtk_widget_get_width (view),
      fy * gtk_widget_get_height (view), &x, &y));
  for (int j = -10; j < 10; j++)
    for (int i = -10; i < 10; i++)
      sum += pixels[4 * ((size_t)(y + j) * width + (size_t)(x + i)) + 1];
  return sum / 400;
}

static void
test_open (Driver *driver)
{
  g_autoptr (GdkTexture) shot = NULL;
  g_autofree char *path = NULL;
  GtkLabel *subtitle;

  driver_open (driver);
  g_object_get (driver->session->source, "path", &path, NULL);
  g_assert_cmpstr (path, ==, driver->scan);
  g_assert_cmpstr (gtk_window_get_title (GTK_WINDOW (driver->window)), ==,
                   "phantom.h5");
  subtitle = GTK_LABEL (gtk_widget_get_template_child (
      GTK_WIDGET (driver->window), TL_TYPE_WINDOW, "subtitle_label"));
  g_assert_cmpstr (gtk_label_get_text (subtitle), ==, "slice 2 · centre 47.50");
  driver_activate (driver, "centre", g_variant_new_double (46.125));
  g_assert_cmpstr (gtk_label_get_text (subtitle), ==,
                   "slice 2 · centre 46.125");
  driver_settle (driver);
  driver_assert_state (driver, "filter", "'ramp'");
  driver_assert_state (driver, "minus-log", "true");
  shot = driver_shoot (driver, "open");
  /* the object is brighter than the air in the picture's corner */
  g_assert_cmpfloat (measure (driver, shot, 0.5, 0.5), >,
                     measure (driver, shot, 0.12, 0.15) + 20);
}

/* Redraws the area although the picture is unchanged, as a moved line does.
 * GtkGLArea draws into several textures in turn. */
static void
test_redrawn (Driver *driver)
{
  GtkWidget *area = gtk_overlay_get_child (
      GTK_OVERLAY (gtk_widget_get_first_child (GTK_WIDGET (driver->view))));

  driver_open (driver);
  driver_activate (driver, "window-low", g_variant_new_double (-2000));
  for (guint k = 0; k < 4; k++)
    {
      g_autoptr (GdkTexture) shot = NULL;

      driver_settle (driver);
      shot = driver_shoot (driver, "redrawn");
      /* the air, which was black, is grey now */
      g_assert_cmpfloat (measure (driver, shot, 0.5, 0.15), >, 150);
      gtk_widget_queue_draw (area);
    }
}

static gboolean
has_banner (Driver *driver)
{
  return tl_window_get_banner (driver->window) != NULL;
}

static void
test_bad_file (Driver *driver)
{
  TlDisplay *display = driver->session->display;
  g_autofree char *bad = g_build_filename (driver->folder, "bad.h5", NULL);
  g_autoptr (GdkTexture) shot = NULL;
  TlFrame *frame;

  g_assert_true (g_file_set_contents (bad, "no scan at all", -1, NULL));
  driver_open (driver);
  frame = tl_display_get_frame (display);
  driver_activate (driver, "open", g_variant_new_string (bad));
  driver_wait (driver, has_banner, "the banner");
  driver_settle (driver);
  g_assert_nonnull (strstr (tl_window_get_banner (driver->window), "bad.h5"));
  /* the picture and its scan stay */
  g_assert_true (tl_display_get_frame (driver->session->display) == frame);
  g_assert_cmpstr (gtk_window_get_title (GTK_WINDOW (driver->window)), ==,
                   "phantom.h5");
  shot = driver_shoot (driver, "bad-file");
  g_assert_cmpfloat (measure (driver, shot, 0.5, 0.5), >,
                     measure (driver, shot, 0.12, 0.2) + 20);
  driver_activate (driver, "dismiss", NULL);
  g_assert_null (tl_window_get_banner (driver->window));
}

/* --- the picture --- */

static void
test_zoom (Driver *driver)
{
  double before, after, col, row, col_after, row_after;
  GtkWidget *view = GTK_WIDGET (driver->view);
  int x, y;

  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  before = tl_slice_view_get_camera (driver->view)->scale;
  driver_get_middle (driver, &col, &row);
  locate_picture (driver, 0.75, 0.5, &x, &y);
  driver_xdotool (driver, "mousemove %d %d click --repeat 3 4", x, y);
  after = tl_slice_view_get_camera (driver->view)->scale;
  g_assert_cmpfloat_with_epsilon (after / before, pow (1.2, 3),
                                  SCALE_TOLERANCE);
  /* the point under the pointer stays; the pointer is at most half a pixel
   * off */
  driver_get_middle (driver, &col_after, &row_after);
  g_assert_cmpfloat_with_epsilon (col_after - col,
                                  0.25 * gtk_widget_get_width (view)
                                      * (1 / before - 1 / after),
                                  1 / before);
  g_assert_cmpfloat_with_epsilon (row_after, row, 1 / before);
  driver_xdotool (driver, "click --repeat 3 5");
  g_assert_cmpfloat_with_epsilon (
      tl_slice_view_get_camera (driver->view)->scale, before,
      SCALE_TOLERANCE * before);
  /* a double click shows the whole picture again */
  driver_xdotool (driver, "click 4");
  driver_double_click (driver);
  g_assert_cmpfloat (tl_slice_view_get_camera (driver->view)->scale, ==,
                     before);
}

static void
test_pan (Driver *driver)
{
  double scale, col, row, col_after, row_after;
  int x, y;

  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  g_action_group_activate_action (G_ACTION_GROUP (driver->window), "zoom-in",
                                  NULL);
  scale = tl_slice_view_get_camera (driver->view)->scale;
  driver_get_middle (driver, &col, &row);
  locate_picture (driver, 0.5, 0.5, &x, &y);
  driver_xdotool (driver,
                  "mousemove %d %d mousedown 1 mousemove %d %d "
                  "mousemove %d %d mouseup 1",
                  x, y, x + 20, y, x + 60, y - 30);
  driver_get_middle (driver, &col_after, &row_after);
  g_assert_cmpfloat_with_epsilon (col_after, col - 60 / scale, 1e-6);
  g_assert_cmpfloat_with_epsilon (row_after, row + 30 / scale, 1e-6);
  g_assert_cmpfloat_with_epsilon (
      tl_slice_view_get_camera (driver->view)->scale, scale, SCALE_TOLERANCE);
}

static void
test_readout (Driver *driver)
{
  g_autofree char *readout = NULL;
  g_autofree char *want = NULL;
  const size_t col = 35, row = 41;
  double scale, middle_col, middle_row;
  float value;
  int x, y;

  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  scale = tl_slice_view_get_camera (driver->view)->scale;
  driver_get_middle (driver, &middle_col, &middle_row);
  locate_picture (driver, 0.5, 0.5, &x, &y);
  driver_xdotool (driver, "mousemove %d %d",
                  x + (int)((col - middle_col) * scale),
                  y + (int)((row - middle_row) * scale));
  g_assert_true (
      tl_display_read_pixel (driver->session->display, row, col, &value));
  /* in the units of files and of the colour bar; a pixel is 1 µm wide */
  want = g_strdup_printf ("column %zu · row %zu · %.6g 1/pixel · %.5g 1/cm",
                          col, row, (double)value, (double)value * 1e4);
  readout = driver_dup_readout (driver);
  g_assert_cmpstr (readout, ==, want);
}

/* --- parameters --- */

static void
test_centre_typed (Driver *driver)
{
  TlDisplay *display = driver->session->display;
  TlParameters *parameters = driver->session->parameters;
  GtkWidget *label = driver_find (driver, "centre_strip");
  g_autoptr (GdkTexture) shot = NULL;
  TlFrame *frame;

  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  frame = tl_display_get_frame (display);
  click (driver, "centre_spin");
  driver_xdotool (driver, "key ctrl+a type 46.25");
  driver_xdotool (driver, "key Return");
  g_assert_cmpfloat_with_epsilon (tl_parameters_get_centre (parameters), 46.25,
                                  CENTRE_TOLERANCE);
  g_assert_cmpstr (gtk_label_get_text (GTK_LABEL (label)), ==,
                   "boundary 46.75 · drag here to fine-tune");
  g_assert_true (tl_display_get_frame (driver->session->display) != frame);
  /* keys in the field move the axis by three step sizes */
  click (driver, "centre_spin");
  driver_xdotool (driver, "key Up key shift+Up key ctrl+Down");
  g_assert_cmpfloat_with_epsilon (tl_parameters_get_centre (parameters), 47.34,
                                  CENTRE_TOLERANCE);
  driver_xdotool (driver, "key alt+Left key alt+shift+Left key alt+ctrl+Right");
  g_assert_cmpfloat_with_epsilon (tl_parameters_get_centre (parameters), 46.25,
                                  CENTRE_TOLERANCE);
  shot = driver_shoot (driver, "centre");
}

static void
assert_shown_centre (Driver *driver, const char *want)
{
  GtkWidget *spin = driver_find (driver, "centre_spin");
  g_autofree char *got = tl_recipe_get (
      tl_parameters_get_recipe (driver->session->parameters), "centre");

  g_assert_cmpstr (got, ==, want);
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (spin)), ==, want);
}

static void
test_centre_dragged (Driver *driver)
{
  TlParameters *parameters = driver->session->parameters;
  GtkWidget *strip = driver_find (driver, "centre_strip");
  double before;
  int x, y;

  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  before = tl_parameters_get_centre (parameters);
  locate_picture (driver, 0.5, 0.5, &x, &y);
  driver_xdotool (driver,
                  "keydown ctrl mousemove %d %d mousedown 1 mousemove %d %d "
                  "mousemove %d %d mouseup 1 keyup ctrl",
                  x, y, x + 15, y, x + 40, y);
  g_assert_cmpfloat_with_epsilon (tl_parameters_get_centre (parameters),
                                  before + 4, CENTRE_TOLERANCE);
  driver_locate (driver, strip, gtk_widget_get_width (strip) / 2.0,
                 gtk_widget_get_height (strip) / 2.0, &x, &y);
  driver_xdotool (driver,
                  "mousemove %d %d mousedown 1 mousemove %d %d "
                  "mousemove %d %d mouseup 1",
                  x, y, x - 15, y, x - 40, y);
  g_assert_cmpfloat_with_epsilon (
      tl_parameters_get_centre (driver->session->parameters), before,
      CENTRE_TOLERANCE);
  /* the spin button shows the value of the recipe */
  driver_activate (driver, "centre", g_variant_new_double (46.2534));
  assert_shown_centre (driver, "46.2534");
  driver_xdotool (driver,
                  "keydown shift mousemove %d %d mousedown 1 mousemove %d %d "
                  "mousemove %d %d mouseup 1 keyup shift",
                  x, y, x + 9, y, x + 12, y);
  assert_shown_centre (driver, "46.37");
  /* the axis stops at the detector's edge */
  driver_activate (driver, "step-centre", g_variant_new_double (-1e9));
  g_assert_cmpfloat (tl_parameters_get_centre (parameters), ==, -0.5);
  driver_settle (driver);
  g_assert_null (tl_window_get_banner (driver->window));
}

static void
test_filter (Driver *driver)
{
  TlDisplay *display = driver->session->display;
  g_autofree char *filter = NULL;
  TlFrame *frame;

  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  frame = tl_display_get_frame (display);
  click (driver, "filter_drop");
  driver_xdotool (driver, "key Down key Return");
  filter = tl_recipe_get (
      tl_parameters_get_recipe (driver->session->parameters), "filter");
  g_assert_cmpstr (filter, ==, "shepp-logan");
  g_assert_true (tl_display_get_frame (driver->session->display) != frame);
  /* the control follows the action */
  driver_activate (driver, "filter", g_variant_new_string ("butterworth"));
  driver_settle (driver);
  g_assert_cmpuint (gtk_drop_down_get_selected (
                        GTK_DROP_DOWN (driver_find (driver, "filter_drop"))),
                    ==, 6);
  g_assert_true (
      gtk_widget_get_visible (driver_find (driver, "butterworth_order_spin")));
}

static void
test_actions (Driver *driver)
{
  g_autoptr (GdkTexture) shot = NULL;

  driver_open (driver);
  driver_activate (driver, "slice", g_variant_new_uint32 (3));
  driver_activate (driver, "step-slice", g_variant_new_int32 (10));
  driver_activate (driver, "cutoff", g_variant_new_double (0.5));
  driver_activate (driver, "interpolation", g_variant_new_string ("nearest"));
  driver_activate (driver, "colormap", g_variant_new_string ("viridis"));
  driver_activate (driver, "flat-field", NULL);
  driver_settle (driver);
  driver_assert_state (driver, "slice", "4");
  driver_assert_state (driver, "cutoff", "0.5");
  driver_assert_state (driver, "interpolation", "'nearest'");
  driver_assert_state (driver, "colormap", "'viridis'");
  driver_assert_state (driver, "flat-field", "false");
  shot = driver_shoot (driver, "actions");
  /* an unknown filter gives a message and changes nothing */
  driver_activate (driver, "filter", g_variant_new_string ("sieve"));
  g_assert_nonnull (strstr (tl_window_get_banner (driver->window), "sieve"));
  driver_assert_state (driver, "filter", "'ramp'");
}

static void
test_window_level (Driver *driver)
{
  TlDisplay *display = driver->session->display;
  TlView *view = tl_application_get_view (driver->application);
  float min, max;
  double low, high;
  size_t n;

  driver_open (driver);
  g_assert_nonnull (
      tl_display_get_histogram (driver->session->display, &n, &min, &max));
  /* the first picture sets the window to part of its range */
  low = tl_view_get_low (view);
  high = tl_view_get_high (view);
  g_assert_cmpfloat (low, >, min);
  g_assert_cmpfloat (high, <, max);
  /* later pictures keep the window */
  driver_activate (driver, "slice", g_variant_new_uint32 (2));
  driver_settle (driver);
  g_assert_cmpfloat (tl_view_get_low (view), ==, low);
  /* also when the scan is read again with other options */
  driver_activate (driver, "window-low", g_variant_new_double (low - 1));
  driver_activate (driver, "nan", NULL);
  driver_settle (driver);
  driver_assert_state (driver, "nan", "true");
  g_assert_cmpfloat (tl_view_get_low (view), ==, low - 1);
  driver_activate (driver, "window-full", NULL);
  g_assert_nonnull (tl_display_get_histogram (display, &n, &min, &max));
  g_assert_cmpfloat_with_epsilon (tl_view_get_low (view), min, 1e-6);
  g_assert_cmpfloat_with_epsilon (tl_view_get_high (view), max, 1e-6);
  /* the window follows after the user has asked for it */
  driver_activate (driver, "follow", NULL);
  low = tl_view_get_low (view);
  driver_activate (driver, "cutoff", g_variant_new_double (0.3));
  driver_settle (driver);
  g_assert_cmpfloat (tl_view_get_low (view), !=, low);
}

static gboolean
has_detail (Driver *driver)
{
  return tl_display_get_detail (driver->session->display) != NULL;
}

static gboolean
has_no_detail (Driver *driver)
{
  return !has_detail (driver);
}

static void
test_sharp_zoom (Driver *driver)
{
  g_autoptr (GdkTexture) shot = NULL;

  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  driver_assert_state (driver, "sharp-zoom", "true");
  for (int k = 0; k < 8; k++)
    tl_slice_view_zoom (driver->view, 1.2);
  driver_wait (driver, has_detail, "the picture becoming sharp");
  driver_settle (driver);
  shot = driver_shoot (driver, "sharp-zoom");
  driver_xdotool (driver, "key alt+z");
  driver_assert_state (driver, "sharp-zoom", "false");
  driver_wait (driver, has_no_detail, "the picture not being sharp any more");
  driver_xdotool (driver, "key alt+z");
  driver_wait (driver, has_detail, "the picture becoming sharp again");
}

#define NARROW_WIDTH 900

static GtkWidget *folding_box;

static gboolean
is_wide (Driver *driver)
{
  return gtk_widget_get_width (GTK_WIDGET (gtk_widget_get_root (folding_box)))
         >= NARROW_WIDTH;
}

static gboolean
has_width_of_first (Driver *driver)
{
  return gtk_widget_get_width (folding_box) == 300;
}

/* On a page that is not shown, a box is measured by its last child. When the
 * page is shown, its first child must have its width, but the window may be
 * made as narrow as the last one lets it. */
static void
test_folding_box (Driver *driver)
{
  const int widths[] = { 300, 40 };
  GtkWidget *window = gtk_window_new ();
  GtkWidget *stack = gtk_stack_new ();
  GtkWidget *page = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  int least;

  folding_box =
      g_object_new (TL_TYPE_FOLDING_BOX, "narrow-width", NARROW_WIDTH, NULL);
  for (size_t k = 0; k < G_N_ELEMENTS (widths); k++)
    {
      GtkWidget *child = gtk_label_new ("");

      gtk_widget_set_size_request (child, widths[k], -1);
      gtk_widget_set_parent (child, folding_box);
    }
  gtk_box_append (GTK_BOX (page), folding_box);
  gtk_stack_add_child (GTK_STACK (stack), gtk_label_new (""));
  gtk_stack_add_child (GTK_STACK (stack), page);
  gtk_window_set_child (GTK_WINDOW (window), stack);
  gtk_window_set_default_size (GTK_WINDOW (window), NARROW_WIDTH + 20, 200);
  gtk_window_present (GTK_WINDOW (window));
  driver_wait (driver, is_wide, "a wide window");
  gtk_stack_set_visible_child (GTK_STACK (stack), page);
  driver_wait (driver, has_width_of_first, "the first child in its width");
  gtk_widget_measure (folding_box, GTK_ORIENTATION_HORIZONTAL, -1, &least, NULL,
                      NULL, NULL);
  g_assert_cmpint (least, ==, widths[1]);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Draws as slowly as over a slow link. */
static gboolean
draw_slowly (GtkGLArea *area)
{
  g_usleep (150 * 1000);
  return FALSE;
}

static GtkWidget *slow_area;
static double slow_centre;

/* Moves the axis in each call. Returns: whether the picture is as small as it
 * becomes */
static gboolean
is_small (Driver *driver)
{
  slow_centre += 0.01;
  tl_parameters_set_centre (driver->session->parameters, slow_centre);
  return 4 * gtk_widget_get_width (slow_area)
         <= gtk_widget_get_width (gtk_widget_get_parent (slow_area));
}

static gboolean
is_whole (Driver *driver)
{
  return gtk_widget_get_width (slow_area)
         == gtk_widget_get_width (gtk_widget_get_parent (slow_area));
}

/* Where drawing takes long, a picture that moves is drawn smaller, and in its
 * whole size when it is at rest. */
static void
test_slow_link (Driver *driver)
{
  driver_open (driver);
  slow_area = driver_find (driver, "TlPictureArea");
  g_assert_true (is_whole (driver));
  g_object_set (gtk_widget_get_parent (slow_area), "remote", TRUE, NULL);
  slow_centre = tl_parameters_get_centre (driver->session->parameters);
  g_signal_connect (slow_area, "render", G_CALLBACK (draw_slowly), NULL);
  driver_wait (driver, is_small, "a smaller picture while the axis moves");
  g_assert_cmpfloat (
      gtk_widget_get_opacity (driver_find (driver, "TlPictureTools")), ==, 0);
  g_signal_handlers_disconnect_by_func (slow_area, draw_slowly, NULL);
  driver_wait (driver, is_whole, "the whole size at rest");
  g_assert_cmpfloat (
      gtk_widget_get_opacity (driver_find (driver, "TlPictureTools")), ==, 1);
}

static int wanted_width;

/* A window needs less as soon as it is narrow, so ask again. */
static gboolean
has_wanted_width (Driver *driver)
{
  gtk_window_set_default_size (GTK_WINDOW (driver->window), wanted_width, 700);
  return gtk_widget_get_width (GTK_WIDGET (driver->window)) <= wanted_width;
}

/* Asserts that what is in the middle of the header bar has its width, and that
 * nothing lies over the next widget. */
static void
assert_apart (Driver *driver)
{
  GtkWidget *middle = gtk_header_bar_get_title_widget (
      GTK_HEADER_BAR (gtk_window_get_titlebar (GTK_WINDOW (driver->window))));
  float end = 0;

  for (GtkWidget *child = gtk_widget_get_first_child (middle); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      graphene_rect_t place;
      int least;

      gtk_widget_measure (child, GTK_ORIENTATION_HORIZONTAL, -1, &least, NULL,
                          NULL, NULL);
      g_assert_true (gtk_widget_compute_bounds (child, middle, &place));
      g_assert_cmpfloat (place.origin.x, >=, end);
      g_assert_cmpfloat (place.size.width, >=, least);
      end = place.origin.x + place.size.width;
    }
  g_assert_cmpfloat (end, <=, gtk_widget_get_width (middle));
}

/* With three buttons of the window manager and a long name of a scan, all views
 * can be chosen in a window of the usual size, and in a smaller one nothing
 * lies over another thing. */
static void
test_header (Driver *driver)
{
  const int widths[] = { 1240, 1200, 1120 };
  GtkWidget *buttons =
      driver_find_in (GTK_WIDGET (driver->window), "view_buttons");
  GtkWidget *title =
      driver_find_in (GTK_WIDGET (driver->window), "title_label");

  g_object_set (gtk_settings_get_default (), "gtk-decoration-layout",
                "menu:minimize,maximize,close", NULL);
  driver_open (driver);
  driver_settle (driver);
  gtk_label_set_text (GTK_LABEL (title),
                      "20261128_beech_wood_dry_at_45_percent_humidity_0017.h5");
  for (guint k = 0; k < G_N_ELEMENTS (widths); k++)
    {
      wanted_width = widths[k];
      driver_wait (driver, has_wanted_width, "the width");
      driver_settle (driver);
      assert_apart (driver);
      if (widths[k] >= 1200)
        {
          int least;

          gtk_widget_measure (buttons, GTK_ORIENTATION_HORIZONTAL, -1, &least,
                              NULL, NULL, NULL);
          g_assert_true (gtk_widget_get_mapped (buttons));
          g_assert_cmpint (gtk_widget_get_width (buttons), >=, least);
        }
    }
  gtk_settings_reset_property (gtk_settings_get_default (),
                               "gtk-decoration-layout");
}

/* Half of a usual screen is enough for the window. */
static void
test_narrow (Driver *driver)
{
  driver_assert_narrow (driver, 780, "narrow");
}

int
main (int argc, char **argv)
{
  static const DriverCase cases[] = {
    { "/ui/empty", test_empty },
    { "/ui/open-menu", test_open_menu },
    { "/ui/welcome", test_welcome },
    { "/ui/full-welcome", test_full_welcome },
    { "/ui/thumbnails", test_thumbnails },
    { "/ui/demonstration", test_demonstration },
    { "/ui/open", test_open },
    { "/ui/redrawn", test_redrawn },
    { "/ui/drop", test_drop },
    { "/ui/two-scans", test_two_scans },
    { "/ui/bad-file", test_bad_file },
    { "/ui/zoom", test_zoom },
    { "/ui/pan", test_pan },
    { "/ui/readout", test_readout },
    { "/ui/centre/typed", test_centre_typed },
    { "/ui/centre/dragged", test_centre_dragged },
    { "/ui/filter", test_filter },
    { "/ui/actions", test_actions },
    { "/ui/window-level", test_window_level },
    { "/ui/sharp-zoom", test_sharp_zoom },
    { "/ui/folding-box", test_folding_box },
    { "/ui/slow-link", test_slow_link },
    { "/ui/header", test_header },
    { "/ui/narrow", test_narrow },
  };

  return driver_main (argc, argv, cases, G_N_ELEMENTS (cases));
}
