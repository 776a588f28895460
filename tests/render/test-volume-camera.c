/* Tests turn, pan, zoom and rays of the camera of a volume, and what a look
 * chooses by itself. No GL. */
#include "render/look/cut-plane.h"
#include "render/look/volume-camera.h"
#include "render/look/volume-look.h"

#include <float.h>
#include <math.h>

/* Rounding errors of sums of a few products of numbers below 1000. */
#define TOLERANCE 1e-9

static const double sizes[3] = { 60, 40, 25 };

static TlVolumeCamera
make_camera (double azimuth_deg, double elevation_deg, double perspective_deg)
{
  TlVolumeCamera camera;

  tl_volume_camera_init (&camera);
  camera.azimuth_deg = azimuth_deg;
  camera.elevation_deg = elevation_deg;
  camera.perspective_deg = perspective_deg;
  camera.width = 320;
  camera.height = 200;
  for (int k = 0; k < 3; k++)
    camera.n_voxels[k] = sizes[k];
  return camera;
}

static void
assert_close (double got, double want)
{
  g_assert_cmpfloat_with_epsilon (got, want, TOLERANCE * (1 + fabs (want)));
}

/* The point of the ray of pixel @x, @y that is as deep as the middle. */
static void
find_point (const TlVolumeCamera *camera, double x, double y, double *point)
{
  TlVolumeRays rays;
  double distance = camera->perspective_deg > 0
                        ? 1 /* the length of ahead */
                        : hypot (hypot (sizes[0], sizes[1]), sizes[2]);

  tl_volume_camera_get_rays (camera, &rays);
  for (int k = 0; k < 3; k++)
    point[k] =
        rays.start[k] + x * rays.start_x[k] + y * rays.start_y[k]
        + distance
              * (rays.ahead[k] + x * rays.ahead_x[k] + y * rays.ahead_y[k]);
}

/* Level the rows are seen from the last one on, with the first slice above;
 * from above a slice is seen as it is. */
static void
test_axes (void)
{
  static const struct
  {
    double azimuth_deg, elevation_deg;
    double right[3], down[3], ahead[3];
  } cases[] = {
    { 0, 0, { 1, 0, 0 }, { 0, 0, 1 }, { 0, -1, 0 } },
    { 90, 0, { 0, -1, 0 }, { 0, 0, 1 }, { -1, 0, 0 } },
    { 180, 0, { -1, 0, 0 }, { 0, 0, 1 }, { 0, 1, 0 } },
    { 0, 90, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } },
    { 0, -90, { 1, 0, 0 }, { 0, -1, 0 }, { 0, 0, -1 } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      TlVolumeCamera camera =
          make_camera (cases[i].azimuth_deg, cases[i].elevation_deg, 0);
      const double scale = tl_volume_camera_get_scale (&camera);
      TlVolumeRays rays;

      tl_volume_camera_get_rays (&camera, &rays);
      for (int k = 0; k < 3; k++)
        {
          assert_close (rays.start_x[k], scale * cases[i].right[k]);
          assert_close (rays.start_y[k], scale * cases[i].down[k]);
          assert_close (rays.ahead[k], cases[i].ahead[k]);
        }
    }
}

/* At zoom 1 a ball around the volume touches the upper and lower side. */
static void
test_fit (void)
{
  const double radius = hypot (hypot (60, 40), 25) / 2;

  for (double perspective = 0; perspective < 100; perspective += 33)
    {
      TlVolumeCamera camera = make_camera (17, 29, perspective);
      double middle[] = { 29.5, 19.5, 12 }, least = INFINITY;
      TlVolumeRays rays;

      tl_volume_camera_get_rays (&camera, &rays);
      /* the distance of the middle from the ray of the lowest pixel */
      double start[3], ahead[3], along = 0, length = 0, away = 0;
      for (int k = 0; k < 3; k++)
        {
          start[k] = rays.start[k] + 100 * rays.start_y[k] - middle[k];
          ahead[k] = rays.ahead[k] + 100 * rays.ahead_y[k];
          length += ahead[k] * ahead[k];
          along += start[k] * ahead[k];
        }
      for (int k = 0; k < 3; k++)
        away += pow (start[k] - ahead[k] * along / length, 2);
      least = fmin (least, sqrt (away));
      assert_close (least, radius);
    }
}

/* project() finds the pixel of any point of a ray, and no point behind the
 * viewer. */
static void
test_project (void)
{
  for (double perspective = 0; perspective < 120; perspective += 45)
    {
      TlVolumeCamera camera = make_camera (-140, 35, perspective);
      TlVolumeRays rays;
      double x, y, point[3];

      camera.zoom = 2.5;
      camera.look_at[1] = 0.3;
      tl_volume_camera_get_rays (&camera, &rays);
      for (double along = 0.2; along < 3; along += 0.7)
        {
          for (int k = 0; k < 3; k++)
            point[k] = rays.start[k] + 31 * rays.start_x[k]
                       - 47 * rays.start_y[k]
                       + along
                             * (rays.ahead[k] + 31 * rays.ahead_x[k]
                                - 47 * rays.ahead_y[k]);
          g_assert_true (tl_volume_camera_project (&camera, point, &x, &y));
          assert_close (x, 31);
          assert_close (y, -47);
        }
      for (int k = 0; k < 3; k++)
        point[k] = rays.start[k] - rays.ahead[k];
      g_assert_true (tl_volume_camera_project (&camera, point, &x, &y)
                     == (perspective == 0));
    }
}

static void
test_pan_and_zoom (void)
{
  for (double perspective = 0; perspective < 60; perspective += 50)
    {
      TlVolumeCamera camera = make_camera (40, -20, perspective);
      double before[3], after[3];

      find_point (&camera, 7, -5, before);
      tl_volume_camera_pan (&camera, 3, 4);
      find_point (&camera, 10, -1, after);
      for (int k = 0; k < 3; k++)
        assert_close (after[k], before[k]);
      tl_volume_camera_zoom (&camera, 1.7, 10, -1);
      assert_close (camera.zoom, 1.7);
      find_point (&camera, 10, -1, after);
      for (int k = 0; k < 3; k++)
        assert_close (after[k], before[k]);
      tl_volume_camera_zoom (&camera, 1e9, 0, 0);
      assert_close (camera.zoom, TL_MAX_VOLUME_ZOOM);
      tl_volume_camera_zoom (&camera, 1e-9, 0, 0);
      assert_close (camera.zoom, TL_MIN_VOLUME_ZOOM);
      tl_volume_camera_pan (&camera, 1e9, 0);
      for (int k = 0; k < 3; k++)
        g_assert_true (camera.look_at[k] >= 0 && camera.look_at[k] <= 1);
    }
}

static void
test_turn (void)
{
  TlVolumeCamera camera = make_camera (170, 80, 0);

  tl_volume_camera_turn (&camera, 20, 30);
  assert_close (camera.azimuth_deg, -170);
  assert_close (camera.elevation_deg, 90);
  tl_volume_camera_turn (&camera, 0, -500);
  assert_close (camera.elevation_deg, -90);
}

static void
settle (TlVolumeLook *look, const float *voxels, size_t n)
{
  TlVolumeClasses classes;

  tl_volume_find_classes (voxels, n, &classes);
  tl_volume_look_settle (look, &classes);
}

/* Nine tenths around 1, the others around 3, and a few that are no number. */
static void
test_settle (void)
{
  float voxels[5000];
  TlVolumeLook look;

  for (guint k = 0; k < G_N_ELEMENTS (voxels); k++)
    voxels[k] =
        (k % 10 == 0 ? 3 : 1) + (float)g_test_rand_double_range (-0.2, 0.2);
  voxels[77] = NAN;
  voxels[78] = INFINITY;
  tl_volume_look_init (&look);
  settle (&look, voxels, G_N_ELEMENTS (voxels));
  g_assert_cmpfloat_with_epsilon (look.low, 0.8, 0.01);
  g_assert_cmpfloat_with_epsilon (look.high, 3.2, 0.02);
  g_assert_true (look.threshold > 1.19 && look.threshold < 2.81);
  g_assert_cmpfloat (tl_volume_look_get_opacity (&look, 1), ==, 0);
  g_assert_cmpfloat (tl_volume_look_get_opacity (&look, 3), >, 0.2);

  /* what is given stays */
  look.threshold = 7;
  look.low = 1.5;
  look.points[1].opacity = 0.9;
  settle (&look, voxels, G_N_ELEMENTS (voxels));
  g_assert_cmpfloat (look.threshold, ==, 7);
  g_assert_cmpfloat (look.low, ==, 1.5);
  g_assert_cmpfloat (look.points[1].opacity, ==, 0.9);

  for (guint k = 0; k < G_N_ELEMENTS (voxels); k++)
    voxels[k] = 2;
  tl_volume_look_init (&look);
  settle (&look, voxels, G_N_ELEMENTS (voxels));
  g_assert_cmpfloat (look.low, <, look.high);
}

/* Air, a sample with twice as many voxels as its dense parts, and one voxel of
 * metal. */
static void
make_sample (float *voxels, guint n)
{
  static const float values[] = { 0, 0, 0, 0, 0, 0, 0, 2, 2, 5 };

  for (guint k = 0; k < n; k++)
    voxels[k] = values[k % G_N_ELEMENTS (values)]
                + (float)g_test_rand_double_range (-0.2, 0.2);
  voxels[4] = 90;
}

static void
assert_points (const TlVolumeLook *look)
{
  g_assert_cmpuint (look->n_points, >=, 2);
  g_assert_cmpuint (look->n_points, <=, TL_MAX_VOLUME_POINTS);
  for (guint k = 0; k < look->n_points; k++)
    {
      g_assert_true (isfinite (look->points[k].value));
      g_assert_true (look->points[k].opacity >= 0
                     && look->points[k].opacity <= 1);
      if (k > 0)
        g_assert_cmpfloat (look->points[k].value, >, look->points[k - 1].value);
    }
}

/* What each shape shows of air, sample and dense parts. */
static void
test_shapes (void)
{
  float voxels[5000];
  TlVolumeClasses classes;
  double air[TL_N_VOLUME_SHAPES], sample[TL_N_VOLUME_SHAPES],
      dense[TL_N_VOLUME_SHAPES];

  make_sample (voxels, G_N_ELEMENTS (voxels));
  tl_volume_find_classes (voxels, G_N_ELEMENTS (voxels), &classes);
  g_assert_cmpfloat (classes.band[0], >, 1.75);
  g_assert_cmpfloat (classes.band[1], <, 2.25);
  for (TlVolumeShape shape = 0; shape < TL_N_VOLUME_SHAPES; shape++)
    {
      TlVolumeLook look;
      TlVolumeShape parsed = 0;

      tl_volume_look_init (&look);
      tl_volume_look_settle (&look, &classes); /* its points are replaced */
      tl_volume_look_shape (&look, shape, &classes);
      assert_points (&look);
      air[shape] = tl_volume_look_get_opacity (&look, 0);
      sample[shape] = tl_volume_look_get_opacity (&look, 2);
      dense[shape] = tl_volume_look_get_opacity (&look, 5);
      g_assert_true (
          tl_volume_shape_parse (tl_volume_shape_names[shape], &parsed));
      g_assert_cmpuint (parsed, ==, shape);
    }
  g_assert_false (tl_volume_shape_parse ("cloud", &(TlVolumeShape){ 0 }));
  g_assert_cmpfloat (air[TL_VOLUME_RAMP], >, 0);
  g_assert_cmpfloat (sample[TL_VOLUME_RAMP], >, 2 * air[TL_VOLUME_RAMP]);
  g_assert_cmpfloat (dense[TL_VOLUME_RAMP], >, 2 * sample[TL_VOLUME_RAMP]);
  g_assert_cmpfloat (sample[TL_VOLUME_BAND], >, 0.1);
  g_assert_cmpfloat (dense[TL_VOLUME_BAND], ==, 0);
  g_assert_cmpfloat (sample[TL_VOLUME_DENSE], ==, 0);
  g_assert_cmpfloat (dense[TL_VOLUME_DENSE], >, 0.1);
  g_assert_cmpfloat (sample[TL_VOLUME_GLASS], >, 0);
  g_assert_cmpfloat (sample[TL_VOLUME_GLASS], <, 0.05);
  g_assert_cmpfloat (dense[TL_VOLUME_GLASS], >, 0.1);
  for (TlVolumeShape shape = TL_VOLUME_BAND; shape < TL_N_VOLUME_SHAPES;
       shape++)
    g_assert_cmpfloat (air[shape], ==, 0);
}

/* A number that is no shape leaves the points as they are. */
static void
test_no_shape (void)
{
  TlVolumeLook look = { .points = { { 7, 0.5 } }, .n_points = 1 };
  const TlVolumeClasses classes = { .high = 1 };

  g_test_expect_message (G_LOG_DOMAIN, G_LOG_LEVEL_CRITICAL, "*shape <*");
  tl_volume_look_shape (&look, TL_N_VOLUME_SHAPES, &classes);
  g_test_assert_expected_messages ();
  g_assert_cmpuint (look.n_points, ==, 1);
  g_assert_cmpfloat (look.points[0].value, ==, 7);
}

/* Values without classes have shapes, too. */
static void
test_odd_shapes (void)
{
  static const float equal[] = { 2, 2, 2 }, two[] = { -1, 4 },
                     none[] = { NAN, INFINITY }, large[] = { 0x1p25F, 0x1p25F },
                     largest[] = { FLT_MAX, FLT_MAX };
  const struct
  {
    const float *voxels;
    size_t n;
    double high;
  } cases[] = { { equal, 3, 2 + 1 / 1024.0 },      { two, 2, 4 },
                { none, 2, 1 / 1024.0 },           { NULL, 0, 1 / 1024.0 },
                { large, 2, 0x1p25 + 4 / 1024.0 }, { largest, 2, FLT_MAX } };

  for (guint k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      TlVolumeClasses classes;

      tl_volume_find_classes (cases[k].voxels, cases[k].n, &classes);
      g_assert_cmpfloat (classes.low, <, classes.threshold);
      g_assert_cmpfloat (classes.threshold, <, classes.dense);
      g_assert_cmpfloat (classes.dense, <, classes.high);
      g_assert_cmpfloat (classes.high, ==, cases[k].high);
      for (TlVolumeShape shape = 0; shape < TL_N_VOLUME_SHAPES; shape++)
        {
          TlVolumeLook look;

          tl_volume_look_init (&look);
          tl_volume_look_shape (&look, shape, &classes);
          assert_points (&look);
        }
    }
}

/* A part of the volume, alone, would be seen as large from the same side. */
static void
test_frame (void)
{
  static const double part[3][2] = { { 0.5, 0.75 }, { 0, 1 }, { 0.2, 0.4 } };
  TlVolumeCamera camera = make_camera (25, 40, 0), alone = camera;

  tl_volume_camera_frame (&camera, part);
  for (int k = 0; k < 3; k++)
    alone.n_voxels[k] *= part[k][1] - part[k][0];
  assert_close (tl_volume_camera_get_scale (&camera),
                tl_volume_camera_get_scale (&alone));
  for (int corner = 0; corner < 8; corner++)
    {
      double place[3], place_alone[3], x, y, want_x, want_y;

      for (int k = 0; k < 3; k++)
        {
          const int end = corner >> k & 1;

          place[k] = part[k][end] * sizes[k] - 0.5;
          place_alone[k] = end * alone.n_voxels[k] - 0.5;
        }
      g_assert_true (tl_volume_camera_project (&camera, place, &x, &y));
      g_assert_true (
          tl_volume_camera_project (&alone, place_alone, &want_x, &want_y));
      assert_close (x, want_x);
      assert_close (y, want_y);
    }
}

/* A rectangle from the front and one from above give a box; from another side
 * it is that around the rectangle. */
static void
test_draw_box (void)
{
  static const double want[3][2] = { { 0.2, 0.5 }, { 0.4, 0.7 }, { 0.1, 0.6 } };
  static const double views[][2] = { { 0, 0 }, { 0, 90 } };
  double box[3][2] = { { 0, 1 }, { 0, 1 }, { 0, 1 } };
  TlVolumeCamera camera;
  double from[2], to[2], place[2][3];

  for (int view = 0; view < 2; view++)
    {
      camera = make_camera (views[view][0], views[view][1], 0);
      for (int k = 0; k < 3; k++)
        for (int end = 0; end < 2; end++)
          place[end][k] = want[k][end] * sizes[k] - 0.5;
      tl_volume_camera_project (&camera, place[0], &from[0], &from[1]);
      tl_volume_camera_project (&camera, place[1], &to[0], &to[1]);
      tl_volume_camera_draw_box (&camera, to, from, box);
    }
  for (int k = 0; k < 3; k++)
    for (int end = 0; end < 2; end++)
      assert_close (box[k][end], want[k][end]);

  camera = make_camera (45, 0, 0);
  from[0] = from[1] = -10;
  to[0] = to[1] = 10;
  tl_volume_camera_draw_box (&camera, from, to, box);
  const double side = 20 * tl_volume_camera_get_scale (&camera);
  assert_close ((box[0][1] - box[0][0]) * sizes[0], side * sqrt (0.5));
  assert_close ((box[1][1] - box[1][0]) * sizes[1], side * sqrt (0.5));
  assert_close ((box[2][1] - box[2][0]) * sizes[2], side);
  assert_close (box[0][0] + box[0][1], 1);
  /* beside the volume it is thin, and within */
  from[0] = 1000;
  to[0] = 2000;
  tl_volume_camera_draw_box (&camera, from, to, box);
  g_assert_cmpfloat (box[0][0], <, box[0][1]);
  g_assert_cmpfloat (box[0][1], ==, 1);
  g_assert_cmpfloat (box[1][0], ==, 0);
}

/* Returns: voxels from @place, 0 … 1, to the plane, along its direction */
static double
measure (const TlCutPlane *plane, const double *place)
{
  double distance = 0, length = 0;

  for (int k = 0; k < 3; k++)
    {
      distance += plane->direction[k] * (plane->point[k] - place[k]) * sizes[k];
      length += plane->direction[k] * plane->direction[k];
    }
  assert_close (length, 1);
  for (int k = 0; k < 3; k++)
    {
      g_assert_cmpfloat (plane->point[k], >=, 0);
      g_assert_cmpfloat (plane->point[k], <=, 1);
    }
  return distance;
}

/* A new plane faces the viewer at the point that is looked at; it moves along
 * its direction, as far as the corners, and turns about its point before that
 * one, by the angles of the picture. */
static void
test_plane (void)
{
  TlVolumeCamera camera = make_camera (35, -20, 0);
  const TlVolumeAxes axes = tl_volume_camera_get_axes (&camera);
  const double corner_away = (60 + 40 + 25) / 2.0;
  TlCutPlane plane;
  double pivot[3];

  camera.look_at[0] = 0.3;
  camera.look_at[2] = 0.8;
  tl_cut_plane_face (&plane, &camera);
  for (int k = 0; k < 3; k++)
    assert_close (plane.direction[k], -axes.ahead[k]);
  assert_close (measure (&plane, camera.look_at), 0);
  tl_cut_plane_move (&plane, &camera, 0.1);
  assert_close (measure (&plane, camera.look_at), 6);
  for (int k = 0; k < 3; k++)
    pivot[k] = camera.look_at[k] + 6 * plane.direction[k] / sizes[k];
  tl_cut_plane_turn (&plane, &camera, 30, 0);
  assert_close (measure (&plane, pivot), 0);
  for (int k = 0; k < 3; k++)
    assert_close (plane.direction[k],
                  -cos (G_PI / 6) * axes.ahead[k] + 0.5 * axes.right[k]);
  tl_cut_plane_turn (&plane, &camera, -30, 40);
  tl_cut_plane_turn (&plane, &camera, 0, 50);
  for (int k = 0; k < 3; k++)
    assert_close (plane.direction[k], axes.down[k]);

  plane = (TlCutPlane){ { 0.5, 0.5, 0.5 }, { 2, -2, 2 } };
  tl_cut_plane_move (&plane, &camera, 9);
  assert_close (plane.point[0], 1);
  assert_close (plane.point[1], 0);
  assert_close (measure (&plane, (double[]){ 0.5, 0.5, 0.5 }),
                corner_away / sqrt (3));
  tl_cut_plane_move (&plane, &camera, -99);
  assert_close (plane.point[0], 0);
}

/* The corners lie in the plane and on edges of the box, and go around. */
static void
test_plane_corners (void)
{
  static const double box[3][2] = { { 0, 1 }, { 0, 1 }, { 0.2, 1 } };
  const TlCutPlane oblique = { { 0.5, 0.5, 0.6 }, { 0.7, 0.9, 1.2 } };
  const TlCutPlane level = { { 0.1, 0.2, 0.6 }, { 0, 0, -1 } };
  const TlCutPlane beside = { { 0.1, 0.2, 0.1 }, { 0, 0, 1 } };
  double corners[TL_MAX_CUT_CORNERS][3];
  guint n = tl_cut_plane_list_corners (&level, sizes, box, corners);

  g_assert_cmpuint (n, ==, 4);
  for (guint i = 0; i < n; i++)
    {
      const double *next = corners[(i + 1) % 4];

      assert_close (corners[i][2], 0.6 * 25 - 0.5);
      g_assert_cmpint ((corners[i][0] != next[0]) + (corners[i][1] != next[1]),
                       ==, 1);
    }
  n = tl_cut_plane_list_corners (&oblique, sizes, box, corners);
  g_assert_cmpuint (n, >=, 3);
  for (guint i = 0; i < n; i++)
    {
      double away = 0;

      for (int k = 0; k < 3; k++)
        away += oblique.direction[k]
                * (corners[i][k] + 0.5 - oblique.point[k] * sizes[k]);
      g_assert_cmpfloat_with_epsilon (away, 0, 1e-9);
    }
  g_assert_cmpuint (tl_cut_plane_list_corners (&beside, sizes, box, corners),
                    ==, 0);
}

static void
test_opacity (void)
{
  TlVolumeLook look = { .n_points = 3,
                        .points = { { -1, 0.2 }, { 1, 0.6 }, { 2, 0 } } };

  assert_close (tl_volume_look_get_opacity (&look, -9), 0.2);
  assert_close (tl_volume_look_get_opacity (&look, -0.5), 0.3);
  assert_close (tl_volume_look_get_opacity (&look, 1), 0.6);
  assert_close (tl_volume_look_get_opacity (&look, 1.75), 0.15);
  assert_close (tl_volume_look_get_opacity (&look, 9), 0);
  look = tl_volume_look_to_bins (&look, 2);
  assert_close (tl_volume_look_get_opacity (&look, -1), 0.3);
  look = tl_volume_look_from_bins (&look, 2);
  assert_close (tl_volume_look_get_opacity (&look, -0.5), 0.3);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/volume-camera/axes", test_axes);
  g_test_add_func ("/volume-camera/fit", test_fit);
  g_test_add_func ("/volume-camera/project", test_project);
  g_test_add_func ("/volume-camera/pan-and-zoom", test_pan_and_zoom);
  g_test_add_func ("/volume-camera/turn", test_turn);
  g_test_add_func ("/volume-camera/frame", test_frame);
  g_test_add_func ("/volume-camera/draw-box", test_draw_box);
  g_test_add_func ("/cut-plane/move", test_plane);
  g_test_add_func ("/cut-plane/corners", test_plane_corners);
  g_test_add_func ("/volume-look/settle", test_settle);
  g_test_add_func ("/volume-look/shapes", test_shapes);
  g_test_add_func ("/volume-look/no-shape", test_no_shape);
  g_test_add_func ("/volume-look/odd-shapes", test_odd_shapes);
  g_test_add_func ("/volume-look/opacity", test_opacity);
  return g_test_run ();
}
