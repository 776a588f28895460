/* Tests zoom, pan and coordinates, and the colour maps. No GL. */
#include "render/camera.h"
#include "render/look/colormap.h"

#include <math.h>

/* Rounding errors of sums of a few products of numbers below 10 000. */
#define TOLERANCE 1e-9

static TlCamera
make_camera (size_t n_cols, size_t n_rows)
{
  TlCamera camera;

  tl_camera_init (&camera);
  tl_camera_resize (&camera, 641, 480);
  tl_camera_set_picture (&camera, n_cols, n_rows);
  return camera;
}

static void
assert_close (double got, double want)
{
  g_assert_cmpfloat_with_epsilon (got, want, TOLERANCE * (1 + fabs (want)));
}

static void
test_fit (void)
{
  const size_t sizes[][2] = { { 1, 1 }, { 61, 61 }, { 2048, 7 }, { 3, 997 } };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      double n_cols = (double)sizes[i][0], n_rows = (double)sizes[i][1];
      TlCamera camera = make_camera (sizes[i][0], sizes[i][1]);
      double left, top, right, bottom;

      /* The outer edges of the first and the last pixel. */
      tl_camera_to_widget (&camera, -0.5, -0.5, &left, &top);
      tl_camera_to_widget (&camera, n_cols - 0.5, n_rows - 0.5, &right,
                           &bottom);
      assert_close (left + right, 641);
      assert_close (top + bottom, 480);
      assert_close ((right - left) / (bottom - top), n_cols / n_rows);
      assert_close (fmax ((right - left) / 641, (bottom - top) / 480), 1);
    }
}

static void
test_resize (void)
{
  TlCamera camera = make_camera (100, 100);

  assert_close (camera.scale, 4.8);
  tl_camera_resize (&camera, 200, 1000);
  assert_close (camera.scale, 2);
  tl_camera_zoom (&camera, 2, 10, 10);
  tl_camera_resize (&camera, 641, 480);
  g_assert_false (camera.fitted);
  assert_close (camera.scale, 4);
  /* Setting the same size again changes nothing. */
  tl_camera_set_picture (&camera, 100, 100);
  g_assert_false (camera.fitted);
  tl_camera_set_picture (&camera, 50, 50);
  g_assert_true (camera.fitted);
}

static void
test_widen (void)
{
  TlCamera camera = make_camera (100, 100);
  double x, y, wide_x, wide_y;

  tl_camera_widen (&camera, 116, 116);
  g_assert_true (camera.fitted);
  assert_close (camera.scale, 480.0 / 116);
  tl_camera_zoom (&camera, 3, 200, 150);
  tl_camera_to_widget (&camera, 40, 50, &x, &y);
  tl_camera_widen (&camera, 132, 132);
  tl_camera_to_widget (&camera, 48, 58, &wide_x, &wide_y);
  assert_close (wide_x, x);
  assert_close (wide_y, y);
  tl_camera_widen (&camera, 116, 116);
  tl_camera_to_widget (&camera, 40, 50, &wide_x, &wide_y);
  assert_close (wide_x, x);
  /* The old position does not exist in the new picture. */
  tl_camera_zoom (&camera, 20, 0, 0);
  tl_camera_pan (&camera, 1e6, 1e6);
  tl_camera_widen (&camera, 16, 16);
  g_assert_cmpfloat (camera.col, >=, -0.5);
  g_assert_cmpfloat (camera.row, >=, -0.5);
}

static void
test_zoom (void)
{
  TlCamera camera = make_camera (61, 53);
  double col, row, x, y;

  for (guint i = 0; i < 20; i++)
    {
      /* Inside the picture, so that the middle is not clamped. */
      double at_x = g_test_rand_double_range (250, 390);
      double at_y = g_test_rand_double_range (180, 300);

      tl_camera_to_picture (&camera, at_x, at_y, &col, &row);
      tl_camera_zoom (&camera, i % 2 == 0 ? 1.7 : 0.61, at_x, at_y);
      tl_camera_to_widget (&camera, col, row, &x, &y);
      assert_close (x, at_x);
      assert_close (y, at_y);
    }
  tl_camera_zoom (&camera, 1e9, 320, 240);
  g_assert_cmpfloat (camera.scale, <, 1000);
  tl_camera_zoom (&camera, 1e-9, 320, 240);
  g_assert_cmpfloat (camera.scale, >, 0.001);
}

static void
test_pan (void)
{
  TlCamera camera = make_camera (61, 53);
  double col, row, x, y;

  tl_camera_to_picture (&camera, 100, 100, &col, &row);
  tl_camera_pan (&camera, 33, -21);
  tl_camera_to_widget (&camera, col, row, &x, &y);
  assert_close (x, 133);
  assert_close (y, 79);
  /* The picture cannot be moved out of the widget. */
  tl_camera_pan (&camera, 1e6, 1e6);
  g_assert_true (tl_camera_find_pixel (&camera, 320.5, 240, &(size_t){ 0 },
                                       &(size_t){ 0 }));
}

/* A part with its own pixel size is drawn at its place in the picture. */
static void
test_onto (void)
{
  TlCamera camera = make_camera (61, 53), onto;
  double x, y, x_onto, y_onto;

  tl_camera_zoom (&camera, 2.3, 100, 100);
  onto = tl_camera_onto (&camera, 4.5, -0.25, 2.5, 11, 7);
  for (double k = -3; k < 20; k += 1.5)
    {
      tl_camera_to_widget (&camera, 4.5 + 2.5 * k, -0.25 + 2.5 * 2 * k, &x, &y);
      tl_camera_to_widget (&onto, k, 2 * k, &x_onto, &y_onto);
      assert_close (x_onto, x);
      assert_close (y_onto, y);
    }
  tl_camera_to_widget (&onto, 11, 0, &x, &y);
  g_assert_false (
      tl_camera_find_pixel (&onto, x, y, &(size_t){ 0 }, &(size_t){ 0 }));
}

static void
test_pixel (void)
{
  TlCamera camera = make_camera (61, 53);
  size_t col, row;
  double x, y;

  for (size_t r = 0; r < 53; r += 13)
    for (size_t c = 0; c < 61; c += 10)
      {
        /* A random position within the pixel. */
        tl_camera_to_widget (
            &camera, (double)c + g_test_rand_double_range (-.49, .49),
            (double)r + g_test_rand_double_range (-.49, .49), &x, &y);
        g_assert_true (tl_camera_find_pixel (&camera, x, y, &col, &row));
        g_assert_cmpuint (col, ==, c);
        g_assert_cmpuint (row, ==, r);
      }
  tl_camera_to_widget (&camera, -0.51, 5, &x, &y);
  g_assert_false (tl_camera_find_pixel (&camera, x, y, &col, &row));
  tl_camera_to_widget (&camera, 5, 52.51, &x, &y);
  g_assert_false (tl_camera_find_pixel (&camera, x, y, &col, &row));
  camera = make_camera (0, 0);
  g_assert_false (tl_camera_find_pixel (&camera, 320, 240, &col, &row));
}

static void
test_colormap (void)
{
  const struct
  {
    TlColormap colormap;
    guint index;
    guint8 want[3];
  } points[] = {
    { TL_COLORMAP_GREY, 0, { 0, 0, 0 } },
    { TL_COLORMAP_GREY, 77, { 77, 77, 77 } },
    { TL_COLORMAP_GREY, 255, { 255, 255, 255 } },
    { TL_COLORMAP_INVERTED, 77, { 178, 178, 178 } },
    { TL_COLORMAP_VIRIDIS, 0, { 68, 1, 84 } },
    /* From the published table at 128, where no knot lies. */
    { TL_COLORMAP_VIRIDIS, 128, { 33, 145, 140 } },
    { TL_COLORMAP_VIRIDIS, 255, { 253, 231, 37 } },
    { TL_COLORMAP_MAGMA, 128, { 183, 55, 121 } },
    { TL_COLORMAP_INFERNO, 128, { 188, 55, 84 } },
  };
  guint8 rgba[4 * TL_COLORMAP_SIZE];

  for (guint i = 0; i < G_N_ELEMENTS (points); i++)
    {
      tl_colormap_fill (points[i].colormap, rgba);
      for (guint c = 0; c < 3; c++)
        g_assert_cmpint (
            ABS (rgba[4 * points[i].index + c] - points[i].want[c]), <=, 2);
      g_assert_cmpuint (rgba[4 * points[i].index + 3], ==, 255);
    }
}

/* Lightness must increase steadily: otherwise a map shows steps that the
 * data do not have. */
static void
test_lightness (void)
{
  guint8 rgba[4 * TL_COLORMAP_SIZE];

  for (guint m = 0; m < TL_N_COLORMAPS; m++)
    {
      double sign = m == TL_COLORMAP_INVERTED ? -1 : 1, before = -1e9;

      tl_colormap_fill (m, rgba);
      for (guint i = 0; i < TL_COLORMAP_SIZE; i++)
        {
          /* Luma, ITU-R BT.709; each channel is rounded by up to half a
           * level. */
          double luma = 0.2126 * rgba[4 * i] + 0.7152 * rgba[4 * i + 1]
                        + 0.0722 * rgba[4 * i + 2];

          g_assert_cmpfloat (sign * luma, >=, before - 1);
          before = sign * luma;
        }
    }
}

/* The second camera shows everything that the first one shows, and not much
 * more. */
static void
test_see (void)
{
  TlCamera slice = make_camera (1000, 1000);
  TlCamera tile = make_camera (1000, 1000);
  double left, top, right, bottom;

  tl_camera_resize (&tile, 100, 150);
  tl_camera_see (&tile, &slice);
  g_assert_true (tile.fitted);
  assert_close (tile.scale, 0.1);
  tl_camera_zoom (&slice, 7, 200, 300);
  tl_camera_see (&tile, &slice);
  g_assert_false (tile.fitted);
  assert_close (tile.width, 100);
  assert_close (tile.height, 150);
  tl_camera_to_picture (&slice, 0, 0, &left, &top);
  tl_camera_to_picture (&slice, 641, 480, &right, &bottom);
  tl_camera_to_widget (&tile, left, top, &left, &top);
  tl_camera_to_widget (&tile, right, bottom, &right, &bottom);
  assert_close (left, 0);
  assert_close (right, 100);
  assert_close (top + bottom, 150);
  g_assert_cmpfloat (top, >, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/camera/see", test_see);
  g_test_add_func ("/render/camera/fit", test_fit);
  g_test_add_func ("/render/camera/resize", test_resize);
  g_test_add_func ("/render/camera/widen", test_widen);
  g_test_add_func ("/render/camera/zoom", test_zoom);
  g_test_add_func ("/render/camera/pan", test_pan);
  g_test_add_func ("/render/camera/onto", test_onto);
  g_test_add_func ("/render/camera/pixel", test_pixel);
  g_test_add_func ("/render/colormap/points", test_colormap);
  g_test_add_func ("/render/colormap/lightness", test_lightness);
  return g_test_run ();
}
