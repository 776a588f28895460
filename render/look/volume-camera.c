#include "render/look/volume-camera.h"

#include <math.h>

#define DEGREE (G_PI / 180)

/* Of the longest side of a box that is drawn: an axis that has less of it is
 * the one along which the viewer looks. */
#define ALONG 0.1
/* Of the volume: the thinnest box that is drawn. */
#define THINNEST 0.01

void
tl_volume_camera_init (TlVolumeCamera *camera)
{
  *camera = (TlVolumeCamera){
    .azimuth_deg = 30,
    .elevation_deg = 20,
    .zoom = 1,
    .look_at = { 0.5, 0.5, 0.5 },
  };
}

/* Level, the viewer looks against y. At the azimuth a the direction is
 * -(sin a, cos a) in x and y; z goes down. */
TlVolumeAxes
tl_volume_camera_get_axes (const TlVolumeCamera *camera)
{
  const double sin_a = sin (camera->azimuth_deg * DEGREE);
  const double cos_a = cos (camera->azimuth_deg * DEGREE);
  const double sin_e = sin (camera->elevation_deg * DEGREE);
  const double cos_e = cos (camera->elevation_deg * DEGREE);
  return (TlVolumeAxes){
    .right = { cos_a, -sin_a, 0 },
    .down = { sin_e * sin_a, sin_e * cos_a, cos_e },
    .ahead = { -cos_e * sin_a, -cos_e * cos_a, sin_e },
  };
}

/* Returns: half the diagonal of the volume, in voxels */
static double
get_radius (const TlVolumeCamera *camera)
{
  const double *n = camera->n_voxels;
  return sqrt (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) / 2;
}

/* Returns: voxels from the viewer to the point that is looked at, if there is a
 * perspective: a ball around the volume then fits the angle of view */
static double
get_distance (const TlVolumeCamera *camera)
{
  return get_radius (camera) / sin (camera->perspective_deg * DEGREE / 2);
}

double
tl_volume_camera_get_scale (const TlVolumeCamera *camera)
{
  const double half_pixels = fmin (camera->width, camera->height) / 2;
  const double half =
      camera->perspective_deg > 0
          ? get_distance (camera) * tan (camera->perspective_deg * DEGREE / 2)
          : get_radius (camera);
  return half / half_pixels / camera->zoom;
}

static void
find_middle (const TlVolumeCamera *camera, double *middle)
{
  for (int k = 0; k < 3; k++)
    middle[k] = camera->look_at[k] * camera->n_voxels[k] - 0.5;
}

void
tl_volume_camera_get_rays (const TlVolumeCamera *camera, TlVolumeRays *rays)
{
  const TlVolumeAxes axes = tl_volume_camera_get_axes (camera);
  const double scale = tl_volume_camera_get_scale (camera);
  const gboolean is_parallel = !(camera->perspective_deg > 0);
  /* Parallel rays begin so far away that no turn or pan puts a part of the
   * volume behind them. */
  const double distance =
      is_parallel ? 2 * get_radius (camera) : get_distance (camera);
  double middle[3];

  find_middle (camera, middle);
  for (int k = 0; k < 3; k++)
    {
      const double x = scale * axes.right[k], y = scale * axes.down[k];

      rays->start[k] = middle[k] - distance * axes.ahead[k];
      rays->start_x[k] = is_parallel ? x : 0;
      rays->start_y[k] = is_parallel ? y : 0;
      rays->ahead[k] = is_parallel ? axes.ahead[k] : distance * axes.ahead[k];
      rays->ahead_x[k] = is_parallel ? 0 : x;
      rays->ahead_y[k] = is_parallel ? 0 : y;
    }
}

gboolean
tl_volume_camera_project (const TlVolumeCamera *camera, const double *position,
                          double *x, double *y)
{
  const TlVolumeAxes axes = tl_volume_camera_get_axes (camera);
  const double scale = tl_volume_camera_get_scale (camera);
  double middle[3], right = 0, down = 0, ahead = 0, shrink = 1;

  find_middle (camera, middle);
  for (int k = 0; k < 3; k++)
    {
      const double away = position[k] - middle[k];

      right += away * axes.right[k];
      down += away * axes.down[k];
      ahead += away * axes.ahead[k];
    }
  if (camera->perspective_deg > 0)
    {
      const double distance = get_distance (camera);

      if (ahead <= -distance)
        return FALSE;
      shrink = distance / (distance + ahead);
    }
  *x = right * shrink / scale;
  *y = down * shrink / scale;
  return TRUE;
}

void
tl_volume_camera_turn (TlVolumeCamera *camera, double azimuth_deg,
                       double elevation_deg)
{
  camera->azimuth_deg = remainder (camera->azimuth_deg + azimuth_deg, 360);
  camera->elevation_deg =
      CLAMP (camera->elevation_deg + elevation_deg, -90, 90);
}

void
tl_volume_camera_pan (TlVolumeCamera *camera, double dx, double dy)
{
  const TlVolumeAxes axes = tl_volume_camera_get_axes (camera);
  const double scale = tl_volume_camera_get_scale (camera);

  for (int k = 0; k < 3; k++)
    {
      const double moved = scale * (dx * axes.right[k] + dy * axes.down[k]);

      camera->look_at[k] =
          CLAMP (camera->look_at[k] - moved / camera->n_voxels[k], 0, 1);
    }
}

void
tl_volume_camera_zoom (TlVolumeCamera *camera, double factor, double x,
                       double y)
{
  const double before = camera->zoom;

  camera->zoom =
      CLAMP (before * factor, TL_MIN_VOLUME_ZOOM, TL_MAX_VOLUME_ZOOM);
  /* the point at x, y comes to x, y times the factor, and is moved back */
  const double beyond = 1 - camera->zoom / before;
  tl_volume_camera_pan (camera, beyond * x, beyond * y);
}

void
tl_volume_camera_frame (TlVolumeCamera *camera, const double (*part)[2])
{
  TlVolumeCamera small = *camera;

  for (int k = 0; k < 3; k++)
    {
      small.n_voxels[k] *= part[k][1] - part[k][0];
      camera->look_at[k] = (part[k][0] + part[k][1]) / 2;
    }
  camera->zoom = CLAMP (get_radius (camera) / get_radius (&small),
                        TL_MIN_VOLUME_ZOOM, TL_MAX_VOLUME_ZOOM);
}

void
tl_volume_camera_draw_box (const TlVolumeCamera *camera, const double *from,
                           const double *to, double (*box)[2])
{
  const TlVolumeAxes axes = tl_volume_camera_get_axes (camera);
  const double scale = tl_volume_camera_get_scale (camera);
  const double x = (from[0] + to[0]) / 2, width = fabs (to[0] - from[0]);
  const double y = (from[1] + to[1]) / 2, height = fabs (to[1] - from[1]);
  double sides[3];

  for (int k = 0; k < 3; k++)
    sides[k] =
        scale * (width * fabs (axes.right[k]) + height * fabs (axes.down[k]));
  const double longest = fmax (sides[0], fmax (sides[1], sides[2]));
  for (int k = 0; k < 3; k++)
    {
      const double n = camera->n_voxels[k], half = sides[k] / n / 2;
      const double middle =
          camera->look_at[k]
          + scale * (x * axes.right[k] + y * axes.down[k]) / n;

      if (sides[k] < ALONG * longest)
        continue;
      box[k][0] = CLAMP (middle - half, 0, 1 - THINNEST);
      box[k][1] = CLAMP (middle + half, box[k][0] + THINNEST, 1);
    }
}
