#include "tests/ui/driver.h"

#include "ui/window/screenshot.h"

#include <gdk/x11/gdkx.h>

static gboolean
are_candidates_drawn (Driver *driver)
{
  return tl_candidates_grid_is_drawn (driver_get_candidates_grid (driver));
}

TlCandidatesGrid *
driver_get_candidates_grid (Driver *driver)
{
  return tl_candidates_page_get_grid (
      tl_pages_get_candidates_page (driver_get_pages (driver)));
}

void
driver_wait_for_candidates (Driver *driver)
{
  driver_settle (driver);
  driver_wait (driver, are_candidates_drawn, "the candidates");
  driver_settle (driver);
}

double
driver_read_colour (Driver *driver, GdkTexture *shot, double col, double row,
                    guint channel)
{
  size_t width = (size_t)gdk_texture_get_width (shot);
  size_t height = (size_t)gdk_texture_get_height (shot);
  g_autofree guchar *pixels = g_malloc (4 * width * height);
  double offset_x, offset_y;
  int x, y;

  driver_locate_pixel (driver, col, row, &x, &y);
  gtk_native_get_surface_transform (GTK_NATIVE (driver->window), &offset_x,
                                    &offset_y);
  gdk_texture_download (shot, pixels, 4 * width);
  /* Cairo stores blue first */
  return pixels[4 * ((size_t)(y - offset_y) * width + (size_t)(x - offset_x))
                + 2 - channel];
}

GdkTexture *
driver_shoot (Driver *driver, const char *name)
{
  return driver_shoot_window (driver, GTK_WIDGET (driver->window), name);
}

GdkTexture *
driver_shoot_window (Driver *driver, GtkWidget *window, const char *name)
{
  g_autofree char *file = g_strconcat (name, ".png", NULL);
  g_autofree char *path =
      g_test_build_filename (G_TEST_BUILT, "ui", file, NULL);
  g_autoptr (GError) error = NULL;
  GdkTexture *texture;

  while (!tl_screenshot_save (window, path, &error))
    {
      g_assert_error (error, G_IO_ERROR, G_IO_ERROR_BUSY);
      g_clear_error (&error);
      driver_iterate (driver, TRUE);
    }
  g_test_message ("see %s", path);
  texture = gdk_texture_new_from_filename (path, &error);
  g_assert_no_error (error);
  return texture;
}

void
driver_shoot_both (Driver *driver, GtkWidget *window, const char *name)
{
  GtkSettings *settings = gtk_settings_get_default ();
  g_autofree char *dark = g_strconcat (name, "-dark", NULL);

  driver_settle (driver);
  g_object_unref (driver_shoot_window (driver, window, name));
  g_object_set (settings, "gtk-application-prefer-dark-theme", TRUE, NULL);
  driver_settle (driver);
  g_object_unref (driver_shoot_window (driver, window, dark));
  g_object_set (settings, "gtk-application-prefer-dark-theme", FALSE, NULL);
  driver_settle (driver);
}

static void
locate (GtkWidget *widget, double x, double y, int *screen_x, int *screen_y)
{
  /* a popover has a surface of its own */
  GtkNative *native = gtk_widget_get_native (widget);
  GdkSurface *surface = gtk_native_get_surface (native);
  Display *display =
      gdk_x11_display_get_xdisplay (gtk_widget_get_display (widget));
  double window_x, window_y, offset_x, offset_y;
  int origin_x, origin_y, scale = gtk_widget_get_scale_factor (widget);
  Window child;

  g_assert_true (gtk_widget_translate_coordinates (widget, GTK_WIDGET (native),
                                                   x, y, &window_x, &window_y));
  /* the surface has a border around the window */
  gtk_native_get_surface_transform (native, &offset_x, &offset_y);
  XTranslateCoordinates (display, gdk_x11_surface_get_xid (surface),
                         DefaultRootWindow (display), 0, 0, &origin_x,
                         &origin_y, &child);
  *screen_x = origin_x + (int)((window_x + offset_x) * scale + 0.5);
  *screen_y = origin_y + (int)((window_y + offset_y) * scale + 0.5);
}

void
driver_locate (Driver *driver, GtkWidget *widget, double x, double y,
               int *screen_x, int *screen_y)
{
  int last_x, last_y;

  locate (widget, x, y, screen_x, screen_y);
  do
    {
      last_x = *screen_x;
      last_y = *screen_y;
      driver_settle (driver);
      locate (widget, x, y, screen_x, screen_y);
    }
  while (*screen_x != last_x || *screen_y != last_y);
}

void
driver_locate_pixel (Driver *driver, double col, double row, int *screen_x,
                     int *screen_y)
{
  GtkWidget *view = GTK_WIDGET (driver->view);
  double scale = tl_slice_view_get_camera (driver->view)->scale;
  double middle_col, middle_row;

  driver_get_middle (driver, &middle_col, &middle_row);
  driver_locate (driver, view,
                 gtk_widget_get_width (view) / 2.0 + (col - middle_col) * scale,
                 gtk_widget_get_height (view) / 2.0
                     + (row - middle_row) * scale,
                 screen_x, screen_y);
}

static void
take_text (GObject *clipboard, GAsyncResult *result, gpointer text)
{
  g_autoptr (GError) error = NULL;

  *(char **)text = gdk_clipboard_read_text_finish (GDK_CLIPBOARD (clipboard),
                                                   result, &error);
  g_assert_no_error (error);
}

char *
driver_paste_text (Driver *driver)
{
  char *text = NULL;

  gdk_clipboard_read_text_async (
      gtk_widget_get_clipboard (GTK_WIDGET (driver->window)), NULL, take_text,
      &text);
  while (text == NULL)
    g_main_context_iteration (NULL, TRUE);
  return text;
}

void
driver_get_middle (Driver *driver, double *col, double *row)
{
  const TlCamera *camera = tl_slice_view_get_camera (driver->view);

  *col = camera->col;
  *row = camera->row;
}

const char *
driver_read_label (gpointer part, const char *name)
{
  GObject *label =
      gtk_widget_get_template_child (part, G_OBJECT_TYPE (part), name);

  return gtk_label_get_text (GTK_LABEL (label));
}

static GtkWidget *
find_by_class (GtkWidget *widget, const char *name)
{
  GtkWidget *found = gtk_widget_has_css_class (widget, name) ? widget : NULL;

  for (GtkWidget *child = gtk_widget_get_first_child (widget);
       child != NULL && found == NULL;
       child = gtk_widget_get_next_sibling (child))
    found = find_by_class (child, name);
  return found;
}

char *
driver_dup_readout (Driver *driver)
{
  GtkWidget *label = find_by_class (GTK_WIDGET (driver->view), "readout");

  return gtk_widget_get_visible (label)
             ? g_strdup (gtk_label_get_text (GTK_LABEL (label)))
             : NULL;
}
