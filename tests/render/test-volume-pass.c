/* Compares drawn volumes with plain double loops. Each test runs with desktop
 * OpenGL and with OpenGL ES. */
#include "data/error.h"
#include "render/program.h"
#include "render/reduced.h"
#include "render/volume-pass.h"
#include "tests/render/offscreen.h"
#include "tests/support/made-frame.h"
#include "tests/support/plain-volume.h"

#include <math.h>
#include <string.h>

#define WIDTH 61
#define HEIGHT 48

/* Levels of 255. A colour is rounded once, and once more where floats end up on
 * the other side. Fog also leaves out the last 0.2 % of the light, and reads
 * opacities from a table. */
#define LEVELS 1.01
#define FOG_LEVELS 1.6

/* Where values that are side by side differ by the whole range. A GPU has 8
 * bits of the weights between texels, which is an error of 1 / 512 in each
 * direction, and a colour changes by up to 2.5 times its range. */
#define STEEP_LEVELS 3.8

/* The mean difference of a picture of half the pixels; 0.91 was measured. */
#define REDUCED_LEVELS 1.5

/* Where a ray grazes a surface or a side, rounding decides whether it meets it,
 * so that this number of the 2928 pixels may differ by more. Within 1e-3
 * voxels, which is the error of floats at this size, the volume changes by up
 * to one level of 255. */
#define N_GRAZED 6

/* An 11-bit fraction, or 8 bits, in place of a float: half a unit of the last
 * place of each voxel. Surfaces move and turn by that. */
static const double depth_levels[TL_N_VOLUME_DEPTHS] = { 0, 0.3, 2 };

typedef struct
{
  const char *name;
  TlVolumeWay way;
  double azimuth_deg, elevation_deg, perspective_deg, zoom;
  TlColormap colormap;
  double step_voxels;
  gboolean jitters, is_cut;
  TlVolumeDepth depth;
  gboolean es;
} Case;

/* Smooth bodies in a shell, so that interpolation, gradients and all ways have
 * something to see. */
static float *
make_voxels (const size_t *n)
{
  float *voxels = g_new (float, n[0] * n[1] * n[2]);

  for (size_t z = 0; z < n[2]; z++)
    for (size_t y = 0; y < n[1]; y++)
      for (size_t x = 0; x < n[0]; x++)
        {
          const double u = ((double)x + 0.5) / (double)n[0] - 0.5;
          const double v = ((double)y + 0.5) / (double)n[1] - 0.5;
          const double w = ((double)z + 0.5) / (double)n[2] - 0.5;
          const double shell = sqrt (u * u + v * v + w * w);

          voxels[(z * n[1] + y) * n[0] + x] =
              (float)(-3 + 8 * exp (-60 * pow (shell - 0.3, 2))
                      + 5
                            * exp (
                                -40
                                * (pow (u - 0.2, 2) + v * v + pow (w + 0.1, 2)))
                      + 2 * u - v);
        }
  return voxels;
}

static PlainVolume
make_volume (const Case *c, const float *voxels, const size_t *n)
{
  PlainVolume volume = {
    .voxels = voxels,
    .n = { n[0], n[1], n[2] },
    .width = WIDTH,
    .height = HEIGHT,
    .step_voxels = c->step_voxels,
    .jitters = c->jitters,
    .outside = { 0.1F, 0.2F, 0.3F, 0.9F },
  };
  TlVolumeLook *look = &volume.look;

  tl_volume_camera_init (&volume.camera);
  volume.camera.azimuth_deg = c->azimuth_deg;
  volume.camera.elevation_deg = c->elevation_deg;
  volume.camera.perspective_deg = c->perspective_deg;
  volume.camera.zoom = c->zoom;
  volume.camera.width = WIDTH;
  volume.camera.height = HEIGHT;
  tl_volume_look_init (look);
  look->way = c->way;
  look->colormap = c->colormap;
  look->low = -2;
  look->high = 7;
  look->threshold = 2.5;
  look->points[0] = (TlVolumePoint){ -1, 0 };
  look->points[1] = (TlVolumePoint){ 3, 0.02 };
  look->points[2] = (TlVolumePoint){ 6, 0.3 };
  look->n_points = 3;
  if (c->is_cut)
    {
      look->box[0][1] = 0.83;
      look->box[2][0] = 0.12;
      look->planes[0] = (TlCutPlane){ { 0.5, 0.6, 0.4 }, { 0.2, 1, -0.4 } };
      look->planes[1] = (TlCutPlane){ { 0.7, 0.5, 0.6 }, { 1, 2, 3 } };
      look->n_planes = 2;
    }
  return volume;
}

/* @frame: the sizes are those of @volume */
static void
draw_part (const PlainVolume *volume, TlVolumeDepth depth, TlVolumeFrame frame)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TlVolumePass) pass = tl_volume_pass_new (&error);
  g_autoptr (TlVolumeTexture) texture = tl_volume_texture_new ();

  frame.width = volume->width;
  frame.height = volume->height;
  frame.step_voxels = volume->step_voxels;
  frame.jitters = volume->jitters;
  g_assert_no_error (error);
  memcpy (frame.outside, volume->outside, sizeof frame.outside);
  g_assert_true (tl_volume_texture_load (texture, volume->voxels, volume->n[2],
                                         volume->n[1], volume->n[0], depth,
                                         &error));
  g_assert_no_error (error);
  tl_volume_pass_draw (pass, texture, &volume->camera, &volume->look, &frame);
  /* Draws again, now that the colour map is in its texture. */
  tl_volume_pass_draw (pass, texture, &volume->camera, &volume->look, &frame);
}

static void
draw (const PlainVolume *volume, TlVolumeDepth depth)
{
  draw_part (volume, depth, (TlVolumeFrame){ 0 });
}

static void
compare (const Case *c, const guint8 *got, const double *want, double levels)
{
  guint8 rounded[4 * WIDTH * HEIGHT];
  int n_worse = 0;
  double most = 0;

  for (int i = 0; i < WIDTH * HEIGHT; i++)
    {
      double worst = 0;

      for (int k = 4 * i; k < 4 * i + 4; k++)
        {
          rounded[k] = (guint8)(want[k] + 0.5);
          worst = fmax (worst, fabs (got[k] - want[k]));
        }
      n_worse += worst > levels;
      if (worst <= levels)
        most = fmax (most, worst);
    }
  g_test_message ("%s: %d pixels differ by more than %g levels, the others by "
                  "%.2f at most",
                  c->name, n_worse, levels, most);
  if (n_worse <= N_GRAZED)
    return;
  picture_compare (c->name, got, rounded, WIDTH, HEIGHT, 0);
  g_test_fail ();
}

static void
test_draw (gconstpointer data)
{
  const Case *c = data;
  static const size_t n[3] = { 29, 23, 17 };
  TlOffscreen *offscreen = offscreen_begin (c->es, WIDTH, HEIGHT);
  g_autofree float *voxels = make_voxels (n);
  g_autofree double *want = g_new (double, 4 * WIDTH * HEIGHT);
  const PlainVolume volume = make_volume (c, voxels, n);
  guint8 got[4 * WIDTH * HEIGHT];

  if (offscreen == NULL)
    return;
  plain_volume_draw (&volume, want);
  draw (&volume, c->depth);
  tl_offscreen_read (offscreen, got);
  compare (
      c, got, want,
      (c->way == TL_VOLUME_EMISSION ? FOG_LEVELS : LEVELS)
          + depth_levels[c->depth == TL_VOLUME_FLOAT && c->es ? TL_VOLUME_HALF
                                                              : c->depth]);
  offscreen_end (offscreen);
}

/* Shows the volume as a frame of a device, with values of which two make one,
 * and that say nothing beyond the circle. */
static void
draw_frame (const PlainVolume *volume)
{
  const size_t *n = volume->n, n_all = n[0] * n[1] * n[2];
  const double *circle = volume->circle;
  const TlCircle own = { circle[0], circle[1], circle[2] + G_SQRT2 };
  const TlVolumeFrame how = { volume->width, volume->height,
                              .step_voxels = volume->step_voxels,
                              .jitters = volume->jitters };
  g_autoptr (GError) error = NULL;
  g_autoptr (TlVolumePass) pass = tl_volume_pass_new (&error);
  g_autoptr (TlVolumeTexture) texture = tl_volume_texture_new ();
  g_autoptr (TlFrame) lost = made_frame_new (TRUE, n[2], n[1], n[0]);
  size_t size[3];

  g_assert_null (tl_volume_texture_get_path (texture));
  for (int k = 0; k < 2; k++) /* the second time there is a storage */
    {
      g_autoptr (TlFrame) frame = made_frame_new (TRUE, n[2], n[1], n[0]);

      for (size_t i = 0; i < n_all; i++)
        {
          const double x = (double)(i % n[0]) - own.col;
          const double y = (double)(i / n[0] % n[1]) - own.row;

          made_frame_get_data (frame)[i] =
              hypot (x, y) > own.radius ? 1000 : volume->voxels[i] / 2;
        }
      g_assert_true (tl_volume_texture_load (
          texture, volume->voxels, n[2], n[1], n[0], TL_VOLUME_BYTE, &error));
      g_assert_cmpstr (tl_volume_texture_get_path (texture), ==,
                       "copy: in host memory");
      g_assert_true (tl_volume_texture_show (texture, frame, 2, &own, &error));
      g_assert_true (tl_volume_texture_show (texture, frame, 2, &own, &error));
      g_assert_no_error (error);
      g_assert_cmpstr (tl_volume_texture_get_path (texture), ==,
                       "copy: no such luck");
      g_assert_false (tl_volume_texture_is_interop (texture));
    }
  tl_volume_pass_draw (pass, texture, &volume->camera, &volume->look, &how);
  tl_volume_pass_draw (pass, texture, &volume->camera, &volume->look, &how);
  made_frame_lose (lost);
  g_assert_false (tl_volume_texture_show (texture, lost, 2, &own, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_DEVICE);
  tl_volume_texture_get_size (texture, size);
  g_assert_cmpuint (size[0], ==, 0);
}

static void
test_frame (gconstpointer es)
{
  static const size_t n[3] = { 29, 23, 17 };
  static const double circle[3] = { 12.3, 12.6, 9.4 };
  g_autofree float *voxels = make_voxels (n);
  g_autofree double *want = g_new (double, 4 * WIDTH * HEIGHT);
  guint8 got[4 * WIDTH * HEIGHT];

  for (TlVolumeWay way = 0; way < TL_N_VOLUME_WAYS; way++)
    {
      const Case c = {
        "frame", way, 25, 40, 30, 1.2, TL_COLORMAP_VIRIDIS, 0.4, .jitters = TRUE
      };
      TlOffscreen *offscreen = offscreen_begin (es != NULL, WIDTH, HEIGHT);
      PlainVolume volume = make_volume (&c, voxels, n);

      if (offscreen == NULL)
        return;
      volume.circle = circle;
      memset (volume.outside, 0, sizeof volume.outside);
      plain_volume_draw (&volume, want);
      draw_frame (&volume);
      tl_offscreen_read (offscreen, got);
      compare (&c, got, want,
               (way == TL_VOLUME_EMISSION ? FOG_LEVELS : LEVELS)
                   + (es != NULL ? depth_levels[TL_VOLUME_HALF] : 0));
      offscreen_end (offscreen);
    }
}

/* A ball of one value in the middle, and nothing else: the maximum shows it
 * where it is, and one bright voxel has the place that the camera says. */
static void
test_place (gconstpointer es)
{
  static const size_t n[3] = { 20, 30, 10 };
  const double position[3] = { 14, 5, 7 };
  TlOffscreen *offscreen = offscreen_begin (es != NULL, WIDTH, HEIGHT);
  g_autofree float *voxels = g_new0 (float, n[0] * n[1] * n[2]);
  const Case c = { "place", TL_VOLUME_MAXIMUM, 25, 40, 30,
                   1.2,     TL_COLORMAP_GREY,  0.2 };
  PlainVolume volume = make_volume (&c, voxels, n);
  guint8 got[4 * WIDTH * HEIGHT];
  double x, y, sum = 0, sum_x = 0, sum_y = 0;

  if (offscreen == NULL)
    return;
  voxels[(7 * 30 + 5) * 20 + 14] = 1;
  volume.look.low = 0;
  volume.look.high = 1;
  memset (volume.outside, 0, sizeof volume.outside);
  draw (&volume, TL_VOLUME_FLOAT);
  tl_offscreen_read (offscreen, got);
  for (int i = 0; i < WIDTH * HEIGHT; i++)
    {
      sum += got[4 * i];
      sum_x += got[4 * i] * (i % WIDTH + 0.5 - WIDTH / 2.0);
      sum_y += got[4 * i] * (i / WIDTH + 0.5 - HEIGHT / 2.0);
    }
  for (int k = 0; k < 3; k++)
    volume.camera.n_voxels[k] = (double)n[k];
  g_assert_true (tl_volume_camera_project (&volume.camera, position, &x, &y));
  g_assert_cmpfloat (sum, >, 100);
  g_assert_cmpfloat_with_epsilon (sum_x / sum, x, 0.1);
  g_assert_cmpfloat_with_epsilon (sum_y / sum, y, 0.1);
  offscreen_end (offscreen);
}

/* The opacity of a body does not depend on the step or the number of voxels: a
 * hundredth of its side lets 0.9 through, so a tenth 0.9^10. */
static void
test_opacity (gconstpointer es)
{
  TlOffscreen *offscreen = offscreen_begin (es != NULL, WIDTH, HEIGHT);

  if (offscreen == NULL)
    return;
  for (size_t side = 20; side <= 80; side *= 2)
    for (double step = 0.25; step <= 1; step *= 2)
      {
        const size_t n[3] = { side, side / 10, side };
        const Case c = { "opacity", .zoom = 3, .step_voxels = step };
        g_autofree float *voxels = g_new (float, n[0] * n[1] * n[2]);
        PlainVolume volume = make_volume (&c, voxels, n);
        guint8 got[4 * WIDTH * HEIGHT];

        for (size_t k = 0; k < n[0] * n[1] * n[2]; k++)
          voxels[k] = 4;
        volume.look.points[0] = (TlVolumePoint){ 0, 0.1 };
        volume.look.n_points = 1;
        memset (volume.outside, 0, sizeof volume.outside);
        draw (&volume, TL_VOLUME_FLOAT);
        tl_offscreen_read (offscreen, got);
        g_assert_cmpfloat_with_epsilon (
            got[4 * (HEIGHT / 2 * WIDTH + WIDTH / 2) + 3],
            255 * (1 - pow (0.9, 10)), 1);
      }
  offscreen_end (offscreen);
}

/* A picture of half the pixels, enlarged, is at the same place and as bright;
 * afterwards the framebuffer is as before. */
static void
test_reduced (gconstpointer es)
{
  static const size_t n[3] = { 29, 23, 17 };
  TlOffscreen *offscreen = offscreen_begin (es != NULL, WIDTH, HEIGHT);
  const Case c = { "reduced", TL_VOLUME_EMISSION, 30, 20, 0,
                   1,         TL_COLORMAP_GREY,   0.5 };
  g_autofree float *voxels = make_voxels (n);
  const PlainVolume volume = make_volume (&c, voxels, n);
  PlainVolume small = volume;
  TlReduced reduced = { 0 };
  guint8 whole[4 * WIDTH * HEIGHT], got[4 * WIDTH * HEIGHT];
  double sum = 0;

  if (offscreen == NULL)
    return;
  small.width = (WIDTH + 1) / 2;
  small.height = (HEIGHT + 1) / 2;
  draw (&volume, TL_VOLUME_FLOAT);
  tl_offscreen_read (offscreen, whole);
  for (int k = 0; k < 2; k++) /* the second time it is made already */
    {
      tl_reduced_begin (&reduced, small.width, small.height);
      draw (&small, TL_VOLUME_FLOAT);
      tl_reduced_end (&reduced);
      tl_reduced_show (&reduced);
    }
  tl_offscreen_read (offscreen, got);
  for (int k = 0; k < 4 * WIDTH * HEIGHT; k++)
    sum += abs (got[k] - whole[k]);
  g_test_message ("a mean difference of %.2f levels",
                  sum / (4 * WIDTH * HEIGHT));
  g_assert_cmpfloat (sum, >, 0);
  g_assert_cmpfloat (sum / (4 * WIDTH * HEIGHT), <, REDUCED_LEVELS);
  draw (&volume, TL_VOLUME_FLOAT);
  tl_offscreen_read (offscreen, got);
  g_assert_cmpmem (got, sizeof got, whole, sizeof whole);
  tl_reduced_clear (&reduced);
  offscreen_end (offscreen);
}

/* Values that are no number become the least one, and do not spread. */
static void
test_not_finite (gconstpointer es)
{
  static const size_t n[3] = { 9, 9, 9 };
  TlOffscreen *offscreen = offscreen_begin (es != NULL, WIDTH, HEIGHT);
  const Case c = {
    "not-finite", TL_VOLUME_MAXIMUM, 10, 20, 0, 1, TL_COLORMAP_VIRIDIS, 0.5
  };
  g_autofree float *voxels = make_voxels (n);
  const PlainVolume volume = make_volume (&c, voxels, n);
  g_autofree double *want = g_new (double, 4 * WIDTH * HEIGHT);
  guint8 got[4 * WIDTH * HEIGHT];
  float least = INFINITY;

  if (offscreen == NULL)
    return;
  for (int k = 0; k < 729; k++)
    least = fminf (least, voxels[k]);
  voxels[300] = least;
  voxels[301] = least;
  plain_volume_draw (&volume, want);
  voxels[300] = NAN;
  voxels[301] = INFINITY;
  draw (&volume, TL_VOLUME_FLOAT);
  tl_offscreen_read (offscreen, got);
  compare (&c, got, want, STEEP_LEVELS + (es != NULL ? depth_levels[1] : 0));
  offscreen_end (offscreen);
}

/* A texture that has a part of the volume shows it where it is in the whole,
 * with the opacity that it has there. */
static void
test_part (gconstpointer es)
{
  static const size_t n[3] = { 29, 23, 17 };
  static const size_t first[3] = { 4, 3, 2 }, end[3] = { 22, 17, 13 };
  static const Case ways[] = {
    { "part-fog", TL_VOLUME_EMISSION, 30, 20, 25, 2, TL_COLORMAP_INFERNO, 0.5,
      TRUE, TRUE },
    { "part-maximum", TL_VOLUME_MAXIMUM, 110, -30, 0, 1.5, TL_COLORMAP_GREY,
      0.5, FALSE, TRUE },
  };
  TlOffscreen *offscreen = offscreen_begin (es != NULL, WIDTH, HEIGHT);
  g_autofree float *voxels = make_voxels (n),
                   *cut = g_new (float, 18 * 14 * 11);
  float *to = cut;

  if (offscreen == NULL)
    return;
  for (size_t z = first[2]; z < end[2]; z++)
    for (size_t y = first[1]; y < end[1]; y++, to += 18)
      memcpy (to, voxels + (z * n[1] + y) * n[0] + first[0],
              18 * sizeof (float));
  for (guint way = 0; way < G_N_ELEMENTS (ways); way++)
    {
      PlainVolume volume = make_volume (&ways[way], voxels, n), part;
      g_autofree double *want = g_new (double, 4 * WIDTH * HEIGHT);
      TlVolumeFrame frame = { 0 };
      guint8 got[4 * WIDTH * HEIGHT];

      for (int k = 0; k < 3; k++)
        {
          const double size = (double)n[k];

          frame.part[k][0] = (double)first[k] / size;
          frame.part[k][1] = (double)end[k] / size;
          /* voxels beyond the part have no share in these places */
          volume.look.box[k][0] = ((double)first[k] + 0.5) / size;
          volume.look.box[k][1] = ((double)end[k] - 0.5) / size;
        }
      plain_volume_draw (&volume, want);
      part = volume;
      part.voxels = cut;
      for (int k = 0; k < 3; k++)
        part.n[k] = end[k] - first[k];
      draw_part (&part, TL_VOLUME_FLOAT, frame);
      tl_offscreen_read (offscreen, got);
      compare (&ways[way], got, want,
               (way == 0 ? FOG_LEVELS : LEVELS)
                   + (es != NULL ? depth_levels[TL_VOLUME_HALF] : 0));
    }
  offscreen_end (offscreen);
}

static void
test_refused (gconstpointer es)
{
  TlOffscreen *offscreen = offscreen_begin (es != NULL, WIDTH, HEIGHT);
  g_autofree float *voxels = g_new0 (float, 1024 * 1024);
  g_autoptr (GError) error = NULL;
  size_t n[3];

  if (offscreen == NULL)
    return;
  {
    g_autoptr (TlVolumeTexture) texture = tl_volume_texture_new ();

    /* A million columns are more than any OpenGL supports. */
    g_assert_false (tl_volume_texture_load (texture, voxels, 1, 1, 1024 * 1024,
                                            TL_VOLUME_FLOAT, &error));
    g_assert_error (error, TL_ERROR, TL_ERROR_UNSUPPORTED);
    g_assert_nonnull (strstr (error->message, "1048576 x 1 x 1 "));
    tl_volume_texture_get_size (texture, n);
    g_assert_cmpuint (n[0], ==, 0);
  }
  offscreen_end (offscreen);
}

static const Case cases[] = {
  { "fog", TL_VOLUME_EMISSION, 30, 20, 0, 1, TL_COLORMAP_INFERNO, 0.5, FALSE },
  { "fog-perspective", TL_VOLUME_EMISSION, -75, -40, 50, 1.7,
    TL_COLORMAP_VIRIDIS, 0.7, TRUE },
  { "fog-cut", TL_VOLUME_EMISSION, 30, 20, 20, 1, TL_COLORMAP_BONE, 0.5, TRUE,
    TRUE },
  { "fog-long-steps", TL_VOLUME_EMISSION, 130, 5, 0, 1, TL_COLORMAP_GREY, 3,
    TRUE },
  { "maximum", TL_VOLUME_MAXIMUM, 30, 20, 0, 1, TL_COLORMAP_GREY, 0.5, FALSE },
  { "maximum-from-above", TL_VOLUME_MAXIMUM, 0, 90, 0, 1, TL_COLORMAP_MAGMA,
    0.5, TRUE },
  { "maximum-perspective", TL_VOLUME_MAXIMUM, 210, 60, 90, 0.8,
    TL_COLORMAP_GREY, 1, TRUE, TRUE },
  { "maximum-inside", TL_VOLUME_MAXIMUM, 40, 10, 60, 20, TL_COLORMAP_GREY, 0.5,
    FALSE },
  { "surface", TL_VOLUME_SURFACE, 30, 20, 0, 1, TL_COLORMAP_GREY, 0.5, FALSE },
  { "surface-perspective", TL_VOLUME_SURFACE, 160, -30, 40, 1.4,
    TL_COLORMAP_VIRIDIS, 0.5, TRUE },
  { "surface-cut", TL_VOLUME_SURFACE, 70, 35, 0, 1, TL_COLORMAP_MAGMA, 0.5,
    TRUE, TRUE },
  { "fog-halves", TL_VOLUME_EMISSION, 30, 20, 0, 1, TL_COLORMAP_INFERNO, 0.5,
    FALSE, FALSE, TL_VOLUME_HALF },
  { "maximum-halves", TL_VOLUME_MAXIMUM, 30, 20, 0, 1, TL_COLORMAP_GREY, 0.5,
    FALSE, FALSE, TL_VOLUME_HALF },
  { "maximum-bytes", TL_VOLUME_MAXIMUM, 30, 20, 0, 1, TL_COLORMAP_GREY, 0.5,
    FALSE, FALSE, TL_VOLUME_BYTE },
  { "fog-bytes", TL_VOLUME_EMISSION, 30, 20, 0, 1, TL_COLORMAP_GREY, 0.5, FALSE,
    FALSE, TL_VOLUME_BYTE },
};

int
main (int argc, char **argv)
{
  Case es_cases[G_N_ELEMENTS (cases)];

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *gl =
          g_strconcat ("/render/gl/volume/", cases[i].name, NULL);
      g_autofree char *gles =
          g_strconcat ("/render/gles/volume/", cases[i].name, NULL);

      es_cases[i] = cases[i];
      es_cases[i].es = TRUE;
      g_test_add_data_func (gl, &cases[i], test_draw);
      g_test_add_data_func (gles, &es_cases[i], test_draw);
    }
#define ADD(name, function)                                                    \
  g_test_add_data_func ("/render/gl/volume/" name, NULL, function);            \
  g_test_add_data_func ("/render/gles/volume/" name, "es", function)
  ADD ("frame", test_frame);
  ADD ("place", test_place);
  ADD ("opacity", test_opacity);
  ADD ("not-finite", test_not_finite);
  ADD ("reduced", test_reduced);
  ADD ("part", test_part);
  ADD ("refused", test_refused);
#undef ADD
  return g_test_run ();
}
