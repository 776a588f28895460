/* Measuring in the picture: line, profile and rulers, and what is saved and
 * copied. */
#include "tests/ui/driver.h"

#include "app/measure/profile.h"
#include "ui/measure/profile-plot.h"

#include <math.h>

/* A line drawn with the pointer ends within a pixel of the screen. */
#define SCREEN_TOLERANCE 1.0
#define ANGLE_TOLERANCE 1e-6

static TlSegment
get_line (Driver *driver)
{
  g_autoptr (GVariant) state = g_action_group_get_action_state (
      G_ACTION_GROUP (driver->application), "profile-line");
  TlSegment line;

  g_variant_get (state, "(dddd)", &line.col[0], &line.row[0], &line.col[1],
                 &line.row[1]);
  return line;
}

/* Drags in two movements, because GTK keeps only the last movement between two
 * frames. */
static void
drag_with (Driver *driver, guint button, double col_0, double row_0,
           double col_1, double row_1)
{
  int x_0, y_0, x_1, y_1;

  driver_locate_pixel (driver, col_0, row_0, &x_0, &y_0);
  driver_locate_pixel (driver, col_1, row_1, &x_1, &y_1);
  driver_xdotool (driver, "mousemove %d %d mousedown %u", x_0, y_0, button);
  driver_xdotool (driver, "mousemove %d %d", (x_0 + x_1) / 2, (y_0 + y_1) / 2);
  driver_xdotool (driver, "mousemove %d %d mouseup %u", x_1, y_1, button);
}

static void
drag (Driver *driver, double col_0, double row_0, double col_1, double row_1)
{
  drag_with (driver, 1, col_0, row_0, col_1, row_1);
}

static void
assert_near (Driver *driver, double got, double want)
{
  g_assert_cmpfloat_with_epsilon (
      got, want,
      SCREEN_TOLERANCE / tl_slice_view_get_camera (driver->view)->scale);
}

static void
assert_line (Driver *driver, double col_0, double row_0, double col_1,
             double row_1)
{
  TlSegment line = get_line (driver);

  assert_near (driver, line.col[0], col_0);
  assert_near (driver, line.row[0], row_0);
  assert_near (driver, line.col[1], col_1);
  assert_near (driver, line.row[1], row_1);
}

static gboolean
is_on (Driver *driver, const char *action)
{
  g_autofree char *state = driver_get_state (driver, action);

  return strcmp (state, "true") == 0;
}

static GtkWidget *
get_panel (Driver *driver)
{
  return driver_find (driver, "profile_panel");
}

static GtkWidget *
get_plot (Driver *driver)
{
  GtkWidget *panel = get_panel (driver);

  return GTK_WIDGET (
      gtk_widget_get_template_child (panel, G_OBJECT_TYPE (panel), "plot"));
}

/* --- the line --- */

/* The picture shrinks over several frames until the panel has its height. */
static gboolean
has_room (Driver *driver)
{
  GtkRevealer *revealer =
      GTK_REVEALER (gtk_widget_get_first_child (get_panel (driver)));

  return gtk_revealer_get_child_revealed (revealer)
         == is_on (driver, "profile");
}

static void
press_l (Driver *driver)
{
  driver_xdotool (driver, "key l");
  driver_wait (driver, has_room, "the panel with the profile");
  driver_settle (driver);
}

static void
test_line (Driver *driver)
{
  double middle_col, middle_row, now_col, now_row;
  TlSegment line;

  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  g_assert_false (is_on (driver, "profile"));
  press_l (driver);
  g_assert_true (is_on (driver, "profile"));
  line = get_line (driver);
  g_assert_cmpfloat (tl_segment_get_length (&line), >,
                     10); /* a line in the view is proposed */
  driver_get_middle (driver, &middle_col, &middle_row);
  drag (driver, 20, 30, 60, 40);
  assert_line (driver, 20, 30, 60, 40);
  drag (driver, 60, 40, 70, 70); /* moves an end */
  assert_line (driver, 20, 30, 70, 70);
  drag (driver, 45, 50, 50, 45); /* moves the line */
  assert_line (driver, 25, 25, 75, 65);
  driver_get_middle (driver, &now_col, &now_row);
  g_assert_cmpfloat (now_col, ==,
                     middle_col); /* a drag with the left button does not pan */
  g_assert_cmpfloat (now_row, ==, middle_row);
  drag_with (driver, 2, 20, 30, 26, 30); /* the middle button pans */
  driver_get_middle (driver, &now_col, &now_row);
  assert_near (driver, now_col, middle_col - 6);
  assert_line (driver, 25, 25, 75, 65);
  middle_col = now_col;
  driver_xdotool (driver, "key Right key shift+Down");
  assert_line (driver, 26, 25, 76, 66);
  driver_xdotool (driver, "keydown shift");
  drag (driver, 26, 25, 30, 70);
  driver_xdotool (driver, "keyup shift");
  line = get_line (driver);
  g_assert_cmpfloat_with_epsilon (
      remainder (tl_segment_get_angle_deg (&line), 15), 0, ANGLE_TOLERANCE);
  press_l (driver);
  g_assert_false (is_on (driver, "profile"));
  drag (driver, 20, 30, 30, 40); /* pans again, because the profile is closed */
  driver_get_middle (driver, &now_col, &now_row);
  assert_near (driver, now_col, middle_col - 10);
}

/* In a text field the key l types the letter. */
static void
test_typing (Driver *driver)
{
  GtkWidget *entry = driver_find (driver, "angles_entry");

  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  gtk_widget_grab_focus (entry);
  driver_xdotool (driver, "key l");
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (entry)), ==, "l");
  g_assert_false (is_on (driver, "profile"));
}

/* The copied values are those of the picture's pixels. */
static void
test_copy_profile (Driver *driver)
{
  g_autofree char *text = NULL;
  g_auto (GStrv) rows = NULL;

  driver_open (driver);
  driver_activate (driver, "profile", NULL);
  driver_activate (driver, "profile-line",
                   g_variant_new ("(dddd)", 10.0, 48.0, 30.0, 48.0));
  driver_settle (driver);
  gtk_widget_activate_action (GTK_WIDGET (driver->window), "win.copy-profile",
                              NULL);
  text = driver_paste_text (driver);
  rows = g_strsplit (text, "\n", -1);
  g_assert_cmpuint (g_strv_length (rows), ==, 1 + 21 + 1);
  g_assert_true (
      g_str_has_prefix (rows[0], "position [pixel],value [1/pixel]"));
  for (guint i = 0; i < 21; i++)
    {
      g_auto (GStrv) fields = g_strsplit (rows[1 + i], ",", -1);
      float value;

      g_assert_true (
          tl_display_read_pixel (driver->session->display, 48, 10 + i, &value));
      g_assert_cmpfloat (g_ascii_strtod (fields[0], NULL), ==, i);
      g_assert_cmpfloat ((float)g_ascii_strtod (fields[1], NULL), ==, value);
    }
}

/* The plot follows the slice and shows the value under the pointer. */
static void
test_plot (Driver *driver)
{
  GtkWidget *plot = get_plot (driver);
  g_autofree char *first = NULL;
  g_autofree char *second = NULL;
  g_autofree char *third = NULL;
  g_autoptr (GdkTexture) shot = NULL;
  int x, y;

  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  driver_activate (driver, "profile", NULL);
  driver_activate (driver, "profile-width", g_variant_new_uint32 (5));
  driver_wait (driver, has_room, "the panel with the profile");
  driver_settle (driver);
  driver_locate (driver, plot, gtk_widget_get_width (plot) / 2.0, 60, &x, &y);
  driver_xdotool (driver, "mousemove %d %d", x, y);
  first = tl_profile_plot_describe (TL_PROFILE_PLOT (plot));
  g_assert_nonnull (first);
  driver_activate (driver, "slice", g_variant_new_uint32 (0));
  driver_settle (driver);
  second = tl_profile_plot_describe (TL_PROFILE_PLOT (plot));
  g_assert_cmpstr (first, !=, second);
  shot = driver_shoot (driver, "profile");
  driver_locate_pixel (driver, 10, 10, &x, &y);
  driver_xdotool (driver, "mousemove %d %d", x, y);
  third = tl_profile_plot_describe (TL_PROFILE_PLOT (plot));
  g_assert_null (third);
}

/* An action on the session bus may bring any numbers. */
static void
test_any_numbers (Driver *driver)
{
  g_autofree char *width = NULL;
  g_autofree char *percent = NULL;

  driver_open (driver);
  driver_activate (driver, "profile", NULL);
  driver_activate (driver, "profile-width", g_variant_new_uint32 (1000));
  driver_activate (driver, "profile-line",
                   g_variant_new ("(dddd)", (double)NAN, 1.0, 2.0, 3.0));
  driver_activate (driver, "profile-line",
                   g_variant_new ("(dddd)", 0.0, 0.0, 1e15, 0.0));
  driver_activate (driver, "dark-percent", g_variant_new_double (500));
  driver_activate (driver, "dark-percent", g_variant_new_double ((double)NAN));
  driver_settle (driver);
  width = driver_get_state (driver, "profile-width");
  percent = driver_get_state (driver, "dark-percent");
  g_assert_cmpstr (width, ==, "99");
  g_assert_cmpstr (percent, ==, "49.0");
}

/* --- saved and copied pictures --- */

static void
save_view (Driver *driver, const char *path)
{
  gtk_widget_activate_action (GTK_WIDGET (driver->window), "win.save-view-as",
                              "s", path);
}

/* Waits for the file. It is complete when it appears, because it is renamed at
 * the end. */
static GdkTexture *
load (const char *path)
{
  gint64 deadline = g_get_monotonic_time () + 20 * G_USEC_PER_SEC;
  g_autoptr (GError) error = NULL;
  GdkTexture *texture;

  while (!g_file_test (path, G_FILE_TEST_EXISTS)
         && g_get_monotonic_time () < deadline)
    g_main_context_iteration (NULL, FALSE);
  texture = gdk_texture_new_from_filename (path, &error);

  g_assert_no_error (error);
  return texture;
}

static guint32 *
get_pixels (GdkTexture *texture, gsize *n)
{
  gsize width = (gsize)gdk_texture_get_width (texture);
  gsize height = (gsize)gdk_texture_get_height (texture);
  guint32 *pixels = g_new (guint32, width * height);

  gdk_texture_download (texture, (guchar *)pixels, 4 * width);
  *n = width * height;
  return pixels;
}

/* The saved picture includes what is drawn over it, and only the visible
 * region. */
static void
test_save_view (Driver *driver)
{
  g_autofree char *bare_path =
      g_build_filename (driver->folder, "bare.png", NULL);
  g_autofree char *full_path =
      g_build_filename (driver->folder, "full.png", NULL);
  g_autoptr (GdkTexture) bare = NULL;
  g_autoptr (GdkTexture) full = NULL;
  g_autofree guint32 *bare_pixels = NULL;
  g_autofree guint32 *full_pixels = NULL;
  gsize n, n_full, n_different = 0;

  /* a sharper detail may come between the two */
  g_object_set (driver->session->display, "sharp-zoom", FALSE, NULL);
  driver_open (driver);
  driver_activate (driver, "colour-bar", NULL);
  driver_settle (driver);
  save_view (driver, bare_path);
  bare = load (bare_path);
  g_assert_cmpint (gdk_texture_get_width (bare), ==,
                   gtk_widget_get_width (GTK_WIDGET (driver->view)));
  g_assert_cmpint (gdk_texture_get_height (bare), ==,
                   gtk_widget_get_height (GTK_WIDGET (driver->view)));
  driver_activate (driver, "scale-bar", NULL);
  driver_settle (driver);
  save_view (driver, full_path);
  full = load (full_path);
  bare_pixels = get_pixels (bare, &n);
  full_pixels = get_pixels (full, &n_full);
  g_assert_cmpuint (n, ==, n_full);
  for (gsize i = 0; i < n; i++)
    n_different += bare_pixels[i] != full_pixels[i];
  g_assert_cmpuint (n_different, >, 100);
  g_assert_cmpuint (n_different, <, n / 10);
}

static gboolean
has_banner (Driver *driver)
{
  return tl_window_get_banner (driver->window) != NULL;
}

static void
test_save_refused (Driver *driver)
{
  g_autofree char *path =
      g_build_filename (driver->folder, "none", "view.png", NULL);

  driver_open (driver);
  save_view (driver, path);
  driver_wait (driver, has_banner, "a sentence");
  g_assert_nonnull (
      strstr (tl_window_get_banner (driver->window), "cannot be written"));
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
}

static gboolean
has_toast (Driver *driver)
{
  return driver_get_toast (driver) != NULL;
}

static void
test_save_slice (Driver *driver)
{
  g_autofree char *path = g_build_filename (driver->folder, "slice.tiff", NULL);
  g_autofree char *recipe =
      g_build_filename (driver->folder, "slice.ini", NULL);

  driver_open (driver);
  driver_activate (driver, "save-slice-as", g_variant_new_string (path));
  driver_wait (driver, has_toast, "the slice to be saved");
  g_assert_nonnull (strstr (driver_get_toast (driver), path));
  g_assert_true (g_file_test (path, G_FILE_TEST_EXISTS));
  g_assert_true (g_file_test (recipe, G_FILE_TEST_EXISTS));
}

static void
take_texture (GObject *clipboard, GAsyncResult *result, gpointer texture)
{
  g_autoptr (GError) error = NULL;

  *(GdkTexture **)texture = gdk_clipboard_read_texture_finish (
      GDK_CLIPBOARD (clipboard), result, &error);
  g_assert_no_error (error);
}

static void
test_copy_view (Driver *driver)
{
  g_autoptr (GdkTexture) texture = NULL;

  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  driver_xdotool (driver, "key ctrl+c");
  gdk_clipboard_read_texture_async (
      gtk_widget_get_clipboard (GTK_WIDGET (driver->window)), NULL,
      take_texture, &texture);
  while (texture == NULL)
    g_main_context_iteration (NULL, TRUE);
  g_assert_cmpint (gdk_texture_get_width (texture), ==,
                   gtk_widget_get_width (GTK_WIDGET (driver->view)));
}

/* In a slice of another size the axis is still in the middle, and the line
 * keeps its position relative to the axis. */
static void
test_wider_slice (Driver *driver)
{
  TlDisplay *display = driver->session->display;
  size_t rows, cols, wide_rows, wide_cols;
  double line[4];
  g_autoptr (GVariant) state = NULL;

  driver_open (driver);
  driver_activate (driver, "profile", NULL);
  driver_activate (driver, "profile-line",
                   g_variant_new ("(dddd)", 10.0, 20.0, 30.0, 40.0));
  g_assert_true (tl_display_get_picture_size (display, &rows, &cols));
  driver_activate (driver, "angles", g_variant_new_string ("0:356"));
  driver_settle (driver);
  driver_activate (driver, "half", g_variant_new_string ("on"));
  driver_activate (driver, "centre", g_variant_new_double (30));
  driver_settle (driver);
  g_assert_true (tl_display_get_picture_size (display, &wide_rows, &wide_cols));
  g_assert_cmpuint (wide_cols, !=, cols);
  state = g_action_group_get_action_state (G_ACTION_GROUP (driver->application),
                                           "profile-line");
  g_variant_get (state, "(dddd)", &line[0], &line[1], &line[2], &line[3]);
  for (guint k = 0; k < 4; k++)
    g_assert_cmpfloat (line[k] - 10 * (k + 1), ==,
                       ((double)wide_cols - (double)cols) / 2);
}

int
main (int argc, char **argv)
{
  static const DriverCase cases[] = {
    { "/ui/measure/line", test_line },
    { "/ui/measure/typing", test_typing },
    { "/ui/measure/copy-profile", test_copy_profile },
    { "/ui/measure/plot", test_plot },
    { "/ui/measure/any-numbers", test_any_numbers },
    { "/ui/measure/save-view", test_save_view },
    { "/ui/measure/save-refused", test_save_refused },
    { "/ui/measure/save-slice", test_save_slice },
    { "/ui/measure/copy-view", test_copy_view },
    { "/ui/measure/wider-slice", test_wider_slice },
  };

  return driver_main (argc, argv, cases, G_N_ELEMENTS (cases));
}
