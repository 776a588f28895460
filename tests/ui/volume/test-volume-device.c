/* The page of the volume with voxels that stay on a device, which the machine
 * need not have: its frames refuse interop. */
#include "tests/ui/driver.h"

#include "app/volume/scene.h"
#include "data/phantom/phantom.h"
#include "tests/support/made-frame.h"

#include <math.h>

enum
{
  N_PROJECTIONS = 90,
  SIDE = 96
};

/* Levels of 255, of the mean over the picture; 0.000 were measured. Where the
 * circle ends, a volume in host memory goes on for up to two voxels. */
#define MEAN_LEVELS 0.1

static guint64 free_bytes;   /* of the device; 0: there is none */
static gboolean was_fetched; /* before the newest frame was shown */

guint64 __wrap_tl_engine_count_free (const char *name);
gboolean __real_tl_voxels_make_at_once (TlVoxels *voxels, TlRecon *recon,
                                        const TlRecipe *recipe, size_t first,
                                        size_t n_slices,
                                        GCancellable *cancellable,
                                        GError **error);
gboolean __wrap_tl_voxels_make_at_once (TlVoxels *voxels, TlRecon *recon,
                                        const TlRecipe *recipe, size_t first,
                                        size_t n_slices,
                                        GCancellable *cancellable,
                                        GError **error);

guint64
__wrap_tl_engine_count_free (const char *name)
{
  return free_bytes;
}

gboolean
__wrap_tl_voxels_make_at_once (TlVoxels *voxels, TlRecon *recon,
                               const TlRecipe *recipe, size_t first,
                               size_t n_slices, GCancellable *cancellable,
                               GError **error)
{
  if (!__real_tl_voxels_make_at_once (voxels, recon, recipe, first, n_slices,
                                      cancellable, error))
    return FALSE;
  const size_t *n = voxels->n, n_all = n[0] * n[1] * n[2];
  voxels->frame = made_frame_new (TRUE, n[2], n[1], n[0]);
  for (size_t k = 0; k < n_all; k++)
    made_frame_get_data (voxels->frame)[k] =
        isnan (voxels->values[k]) ? 1000 : voxels->values[k];
  g_clear_pointer (&voxels->values, g_free);
  return TRUE;
}

static TlVolumeArea *
get_area (Driver *driver)
{
  return tl_volume_page_get_area (
      tl_pages_get_volume_page (driver_get_pages (driver)));
}

static gboolean
is_drawn (Driver *driver)
{
  return !tl_scene_is_busy (tl_session_get_scene (driver->session))
         && tl_volume_area_is_drawn (get_area (driver));
}

static void
write_scan (Driver *driver)
{
  g_autoptr (GError) error = NULL;
  TlPhantomScan scan;

  tl_phantom_scan_init (&scan, N_PROJECTIONS, SIDE, SIDE);
  scan.centre_col = SCAN_CENTRE;
  g_free (driver->scan);
  driver->scan = g_build_filename (driver->folder, "high.h5", NULL);
  tl_phantom_write_scan (driver->scan, &scan, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
}

/* Returns: (transfer full): the green of the picture in the window */
static guint8 *
shoot (Driver *driver, const char *name, size_t *n)
{
  GtkWidget *area = GTK_WIDGET (get_area (driver));
  g_autoptr (GdkTexture) shot = driver_shoot (driver, name);
  const int stride = 4 * gdk_texture_get_width (shot);
  const int width = gtk_widget_get_width (area);
  const int height = gtk_widget_get_height (area);
  g_autofree guint8 *all =
      g_malloc ((gsize)stride * (gsize)gdk_texture_get_height (shot));
  guint8 *green = g_malloc ((gsize)width * (gsize)height);
  double x, y;

  *n = 0;
  gdk_texture_download (shot, all, (gsize)stride);
  gtk_widget_translate_coordinates (area, GTK_WIDGET (driver->window), 0, 0, &x,
                                    &y);
  for (int row = (int)y; row < (int)y + height; row++)
    for (int col = (int)x; col < (int)x + width; col++)
      green[(*n)++] = all[row * stride + 4 * col + 1];
  return green;
}

static void
enter (Driver *driver, const char *view)
{
  driver_activate (driver, "view", g_variant_new_string (view));
  if (g_str_equal (view, "volume"))
    driver_wait (driver, is_drawn, "the volume");
  else
    driver_settle (driver);
}

static void
note_fetched (TlScene *scene)
{
  const TlVoxels *voxels = tl_scene_get_voxels (scene);

  was_fetched = voxels != NULL && tl_frame_get_pixels (voxels->frame) != NULL;
}

/* The picture is that of voxels in host memory, the badge says how it came, and
 * the next frames are fetched by the engine's thread. */
static void
test_copy (Driver *driver)
{
  TlScene *scene = tl_session_get_scene (driver->session);
  TlView *view = tl_application_get_view (driver->application);
  double sum = 0, levels = 0;
  size_t n;

  write_scan (driver);
  driver_open (driver);
  driver_activate (driver, "centre", g_variant_new_double (SCAN_CENTRE));
  driver_settle (driver);
  enter (driver, "volume");
  g_assert_nonnull (tl_scene_get_voxels (scene)->values);
  g_autofree guint8 *want = shoot (driver, "volume-in-memory", &n);
  enter (driver, "slice");

  free_bytes = (guint64)1 << 40;
  enter (driver, "volume");
  g_assert_null (tl_scene_get_voxels (scene)->values);
  g_assert_cmpstr (tl_view_get_path (view), ==, "copy: no such luck");
  g_assert_false (tl_view_get_interop (view));
  g_autofree guint8 *got = shoot (driver, "volume-on-device", &n);
  for (size_t k = 0; k < n; k++)
    {
      sum += ABS (got[k] - want[k]);
      levels += want[k];
    }
  g_test_message ("a mean of %.2f, and a difference of %.3f levels",
                  levels / (double)n, sum / (double)n);
  g_assert_cmpfloat (levels / (double)n, >, 2);
  g_assert_cmpfloat (sum / (double)n, <, MEAN_LEVELS);

  g_signal_connect (scene, "notify::voxels", G_CALLBACK (note_fetched), NULL);
  driver_activate (driver, "centre", g_variant_new_double (SCAN_CENTRE + 1));
  driver_wait (driver, is_drawn, "the next volume");
  g_assert_true (was_fetched);
  g_signal_handlers_disconnect_by_func (scene, note_fetched, NULL);
  enter (driver, "slice");
  free_bytes = 0;
}

int
main (int argc, char **argv)
{
  static const DriverCase cases[] = {
    { .path = "/ui/volume-device/copy", .function = test_copy },
  };

  return driver_main (argc, argv, cases, G_N_ELEMENTS (cases));
}
