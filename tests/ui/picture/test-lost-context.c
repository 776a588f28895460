/* The window after OpenGL has lost what it draws with. Software OpenGL loses
 * nothing: the test puts functions of its own before those that libepoxy has
 * found, and they draw nothing in a context that the test has lost. */
#include "tests/ui/driver.h"

#include "ui/view/visible.h"

#include <epoxy/gl.h>

static GtkGLArea *area; /* of the case */

static GdkGLContext *lost;     /* (nullable): draws nothing */
static gboolean stays_lost;    /* so does each context of the area */
static gboolean says_at_calls; /* and only then */
static guint n_lost;           /* calls in a lost context */
static int usual_height;       /* of the area, without a banner */

static PFNGLDRAWARRAYSPROC real_draw_arrays;
static PFNGLGETERRORPROC real_get_error;
static PFNGLGETGRAPHICSRESETSTATUSPROC real_get_status;

static gboolean
is_lost (void)
{
  GdkGLContext *now = gdk_gl_context_get_current ();

  return now != NULL
         && (now == lost
             || (stays_lost && now == gtk_gl_area_get_context (area)));
}

static void
draw_arrays (GLenum mode, GLint first, GLsizei n)
{
  if (is_lost ())
    n_lost++;
  else
    real_draw_arrays (mode, first, n);
}

/* A lost context never says that it has no more errors. */
static GLenum
get_error (void)
{
  return is_lost () && says_at_calls ? GL_CONTEXT_LOST : real_get_error ();
}

static GLenum
get_status (void)
{
  return is_lost () && !says_at_calls ? GL_UNKNOWN_CONTEXT_RESET
                                      : real_get_status ();
}

/* libepoxy finds a function at its first call. */
static void
replace_functions (void)
{
  if (real_draw_arrays != NULL)
    return;
  real_draw_arrays = epoxy_glDrawArrays;
  real_get_error = epoxy_glGetError;
  real_get_status = epoxy_glGetGraphicsResetStatus;
  epoxy_glDrawArrays = draw_arrays;
  epoxy_glGetError = get_error;
  epoxy_glGetGraphicsResetStatus = get_status;
}

/* --- the picture --- */

/* Returns: (transfer full): the pixels of the area */
static GBytes *
shoot (Driver *driver, const char *name)
{
  g_autoptr (GdkTexture) shot = driver_shoot (driver, name);
  const size_t stride = 4 * (size_t)gdk_texture_get_width (shot);
  const size_t width = 4 * (size_t)gtk_widget_get_width (GTK_WIDGET (area));
  const size_t height = (size_t)gtk_widget_get_height (GTK_WIDGET (area));
  g_autofree guint8 *pixels =
      g_malloc (stride * (size_t)gdk_texture_get_height (shot));
  GByteArray *part = g_byte_array_new ();
  double x, y;

  gtk_widget_translate_coordinates (GTK_WIDGET (area),
                                    GTK_WIDGET (driver->window), 0, 0, &x, &y);
  gdk_texture_download (shot, pixels, stride);
  for (size_t row = 0; row < height; row++)
    g_byte_array_append (part,
                         pixels + ((size_t)y + row) * stride + 4 * (size_t)x,
                         (guint)width);
  return g_byte_array_free_to_bytes (part);
}

static void
assert_same (Driver *driver, GBytes *before, const char *name)
{
  driver_settle (driver);
  g_autoptr (GBytes) now = shoot (driver, name);

  g_assert_true (g_bytes_equal (now, before));
  g_assert_null (tl_window_get_banner (driver->window));
}

static gboolean
has_banner (Driver *driver)
{
  return tl_window_get_banner (driver->window) != NULL;
}

/* It slides away. */
static gboolean
has_no_banner (Driver *driver)
{
  return !has_banner (driver)
         && gtk_widget_get_height (GTK_WIDGET (area)) == usual_height;
}

/* While the banner slides, the zoom changes with each step. The part that is
 * computed for the zoom follows when nothing has changed for a moment; until
 * then that of an earlier step is drawn, which covers other pixels. */
static gboolean
is_sharp (Driver *driver)
{
  TlDisplay *display = driver->session->display;
  TlVisible visible;
  double row, col, pitch;

  if (tl_display_get_detail (display) == NULL)
    return TRUE; /* only slices have one */
  tl_visible_find (&visible, tl_slice_view_get_camera (driver->view),
                   gtk_widget_get_scale_factor (GTK_WIDGET (area)));
  tl_display_get_detail_place (display, &row, &col, &pitch);
  return pitch == visible.pitch;
}

static gboolean
has_lost (Driver *driver)
{
  return n_lost > 0;
}

/* Loses the context of @area, in each way, and asserts that @is_drawn is true
 * again, and the picture the same. */
static void
lose (Driver *driver, DriverCheck is_drawn)
{
  g_autoptr (GBytes) before = NULL;

  replace_functions ();
  driver_settle (driver);
  before = shoot (driver, "lost-before");
  usual_height = gtk_widget_get_height (GTK_WIDGET (area));

  /* as when the widget moves to another window */
  gtk_widget_unrealize (GTK_WIDGET (area));
  gtk_widget_map (GTK_WIDGET (area));
  driver_wait (driver, is_drawn, "the picture of a new context");
  assert_same (driver, before, "lost-renewed");

  for (int i = 0; i < 2; i++)
    {
      n_lost = 0;
      says_at_calls = i == 1;
      g_set_object (&lost, gtk_gl_area_get_context (area));
      gtk_gl_area_queue_render (area);
      driver_wait (driver, has_lost, "the loss");
      driver_wait (driver, is_drawn, "the picture after a loss");
      g_assert_true (gtk_gl_area_get_context (area) != lost);
      assert_same (driver, before, "lost-once");
    }

  /* the second try fails, too, and the window says so and goes on */
  stays_lost = TRUE;
  gtk_gl_area_queue_render (area);
  driver_wait (driver, has_banner, "the sentence");
  g_assert_cmpstr (
      tl_window_get_banner (driver->window), ==,
      "Pictures cannot be shown here: the graphics driver was reset");
  g_assert_false (is_drawn (driver));
  stays_lost = FALSE;
  driver_wait (driver, has_no_banner, "the end of the complaint");
  driver_wait (driver, is_drawn, "the picture after many losses");
  driver_wait (driver, is_sharp, "the sharp part of the slice");
  assert_same (driver, before, "lost-often");
  g_clear_object (&lost);
}

static void
test_slice (Driver *driver)
{
  driver_open (driver);
  area = driver_find_type (GTK_WIDGET (driver->view), GTK_TYPE_GL_AREA);
  lose (driver, driver_is_drawn);
}

static gboolean
is_plane_drawn (Driver *driver)
{
  return !tl_requests_is_busy (driver->session->requests)
         && !tl_display_shows_preview (driver->session->display)
         && gtk_widget_get_mapped (GTK_WIDGET (area))
         && tl_plane_pane_is_drawn (TL_PLANE_PANE (area));
}

static void
test_planes (Driver *driver)
{
  driver_open (driver);
  area = GTK_GL_AREA (tl_planes_view_get_pane (
      tl_pages_get_planes_view (driver_get_pages (driver)), TL_PANE_OBLIQUE));
  driver_activate (driver, "view", g_variant_new_string ("planes"));
  driver_wait (driver, is_plane_drawn, "the planes");
  lose (driver, is_plane_drawn);
}

static gboolean
is_volume_drawn (Driver *driver)
{
  return !tl_scene_is_busy (tl_session_get_scene (driver->session))
         && tl_volume_area_is_drawn (TL_VOLUME_AREA (area));
}

static void
test_volume (Driver *driver)
{
  driver_open (driver);
  area = GTK_GL_AREA (tl_volume_page_get_area (
      tl_pages_get_volume_page (driver_get_pages (driver))));
  driver_activate (driver, "view", g_variant_new_string ("volume"));
  driver_wait (driver, is_volume_drawn, "the volume");
  lose (driver, is_volume_drawn);
}

int
main (int argc, char **argv)
{
  static const DriverCase cases[] = {
    { .path = "/ui/lost-context/slice", .function = test_slice },
    { .path = "/ui/lost-context/planes", .function = test_planes },
    { .path = "/ui/lost-context/volume", .function = test_volume },
  };

  return driver_main (argc, argv, cases, G_N_ELEMENTS (cases));
}
