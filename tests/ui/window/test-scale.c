/* The window on a screen of twice the density: controls keep their size, and
 * the picture is drawn in the finer pixels. */
#include "tests/ui/driver.h"

#include "app/axis/candidates/candidates.h"

#define SCALE 2

/* Smallest part of the odd columns that must differ from the even column on
 * their left. In a picture that is only enlarged twice, none differs. */
#define LEAST_OWN_PART 0.3

static int
to_screen (double place)
{
  return (int)(place * SCALE);
}

/* Returns: in the middle of the picture, the part of the pixels in odd columns
 * that differ from the pixel on their left */
static double
measure_own_part (Driver *driver, GdkTexture *shot)
{
  GtkWidget *view = GTK_WIDGET (driver->view);
  size_t stride = 4 * (size_t)gdk_texture_get_width (shot);
  g_autofree guchar *pixels =
      g_malloc (stride * (size_t)gdk_texture_get_height (shot));
  double x, y;
  size_t n_own = 0, n = 0;

  gdk_texture_download (shot, pixels, stride);
  gtk_widget_translate_coordinates (view, GTK_WIDGET (driver->window),
                                    gtk_widget_get_width (view) / 2.0,
                                    gtk_widget_get_height (view) / 2.0, &x, &y);
  for (int row = to_screen (y) - 100; row < to_screen (y) + 100; row++)
    for (int col = (to_screen (x) & ~1) - 100; col < to_screen (x) + 100;
         col += SCALE, n++)
      n_own += pixels[(size_t)row * stride + 4 * (size_t)col]
               != pixels[(size_t)row * stride + 4 * (size_t)(col + 1)];
  return (double)n_own / (double)n;
}

static gboolean
has_detail (Driver *driver)
{
  return tl_display_get_detail (driver->session->display) != NULL;
}

/* A zoomed picture has its own value for each pixel of the screen. */
static void
test_sharp_picture (Driver *driver)
{
  g_autoptr (GdkTexture) shot = NULL;
  double own_part;

  driver_open (driver);
  g_assert_cmpint (gtk_widget_get_scale_factor (GTK_WIDGET (driver->window)),
                   ==, SCALE);
  driver_wait (driver, has_detail, "the slice in pixels of the screen");
  driver_settle (driver);
  shot = driver_shoot (driver, "scale");
  g_assert_cmpint (gdk_texture_get_width (shot), ==,
                   SCALE * gtk_widget_get_width (GTK_WIDGET (driver->window)));
  own_part = measure_own_part (driver, shot);
  g_test_message ("%.2f of the finer pixels are their own", own_part);
  g_assert_cmpfloat (own_part, >, LEAST_OWN_PART);
}

static void
assert_readout (Driver *driver, const char *words)
{
  g_autofree char *readout = NULL;

  readout = driver_dup_readout (driver);
  if (readout == NULL || !g_str_has_prefix (readout, words))
    g_error ("the read-out is \"%s\", not \"%s\"", readout, words);
}

/* The read-out shows the pixel under the pointer, and a line drawn there stays
 * under the pointer. */
static void
test_pointer (Driver *driver)
{
  TlParameters *parameters = driver->session->parameters;
  double scale, centre;
  int x, y;

  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  driver_locate_pixel (driver, 30, 60, &x, &y);
  driver_xdotool (driver, "mousemove %d %d", x, y);
  assert_readout (driver, "column 30 · row 60 · ");
  driver_activate (driver, "view", g_variant_new_string ("projection"));
  driver_settle (driver);
  scale = tl_slice_view_get_camera (driver->view)->scale * SCALE;
  centre = tl_parameters_get_centre (parameters);
  driver_locate_pixel (driver, centre, 1, &x, &y);
  driver_xdotool (driver,
                  "mousemove %d %d mousedown 1 mousemove %d %d "
                  "mousemove %d %d mouseup 1",
                  x, y, x + 40, y, x + 80, y);
  g_assert_cmpfloat_with_epsilon (tl_parameters_get_centre (parameters),
                                  centre + 80 / scale, 1 / scale);
}

static TlCandidatesGrid *
get_grid (Driver *driver)
{
  return tl_candidates_page_get_grid (
      tl_pages_get_candidates_page (driver_get_pages (driver)));
}

static gboolean
has_candidates (Driver *driver)
{
  return tl_candidates_grid_is_drawn (get_grid (driver));
}

/* A click adopts the candidate under the pointer. */
static void
test_candidates (Driver *driver)
{
  TlCandidates *candidates = tl_session_get_candidates (driver->session);
  g_autoptr (GdkTexture) shot = NULL;
  const TlTileLayout *layout;
  double left, top, centre;
  int x, y;

  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  driver_activate (driver, "view", g_variant_new_string ("candidates"));
  driver_settle (driver);
  driver_wait (driver, has_candidates, "the candidates");
  shot = driver_shoot (driver, "scale-candidates");
  layout = tl_candidates_grid_get_layout (get_grid (driver));
  centre = tl_candidates_get (candidates, 8)->centre_col;
  tl_tile_layout_place (layout, 8, &left, &top);
  driver_locate (driver, GTK_WIDGET (get_grid (driver)), left + 3, top + 3, &x,
                 &y);
  driver_xdotool (driver, "mousemove %d %d click 1", x, y);
  g_assert_cmpfloat (tl_parameters_get_centre (driver->session->parameters), ==,
                     centre);
}

int
main (int argc, char **argv)
{
  static const DriverCase cases[] = {
    { "/ui/scale/sharp-picture", test_sharp_picture },
    { "/ui/scale/pointer", test_pointer },
    { "/ui/scale/candidates", test_candidates },
  };

  g_setenv ("GDK_SCALE", "2", TRUE);
  return driver_main (argc, argv, cases, G_N_ELEMENTS (cases));
}
