#include "tests/support/plain-volume.h"

#include <math.h>

/* Halvings of the step before a surface; as in the shader, whose colours depend
 * on where it stops. */
#define N_HALVINGS 8

typedef struct
{
  double origin[3], along[3]; /* along has length 1 */
  double right[3], down[3];   /* of the picture; length 1 */
  double from, to;            /* the part that is kept */
  const guint8 *colours;      /* the colour map */
} Ray;

static double
dot (const double *a, const double *b)
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void
normalise (double *v)
{
  const double length = sqrt (dot (v, v));

  for (int k = 0; k < 3; k++)
    v[k] /= length;
}

double
plain_volume_sample (const PlainVolume *volume, const double *position)
{
  const double *circle = volume->circle;
  double value = 0, part[3];
  size_t low[3], high[3];

  if (circle != NULL
      && hypot (position[0] - circle[0], position[1] - circle[1]) > circle[2])
    return -1e9;
  for (int k = 0; k < 3; k++)
    {
      const double last = (double)volume->n[k] - 1;
      const double at = CLAMP (position[k], 0, last);

      low[k] = (size_t)at;
      high[k] = MIN (low[k] + 1, volume->n[k] - 1);
      part[k] = at - (double)low[k];
    }
  for (int corner = 0; corner < 8; corner++)
    {
      double weight = 1;
      size_t at[3];

      for (int k = 0; k < 3; k++)
        {
          const gboolean is_high = (corner >> k & 1) != 0;

          at[k] = is_high ? high[k] : low[k];
          weight *= is_high ? part[k] : 1 - part[k];
        }
      value +=
          weight
          * (double)volume
                ->voxels[(at[2] * volume->n[1] + at[1]) * volume->n[0] + at[0]];
    }
  return value;
}

static double
sample_ray (const PlainVolume *volume, const Ray *ray, double at)
{
  double position[3];

  for (int k = 0; k < 3; k++)
    position[k] = ray->origin[k] + at * ray->along[k];
  return plain_volume_sample (volume, position);
}

/* Keeps of the ray what lies on the side of @point to which @direction does not
 * lead. */
static void
cut (Ray *ray, const double *point, const double *direction)
{
  double gap = 0;

  for (int k = 0; k < 3; k++)
    gap += (point[k] - ray->origin[k]) * direction[k];
  const double pace = dot (direction, ray->along);

  if (pace > 0)
    ray->to = fmin (ray->to, gap / pace);
  else if (pace < 0)
    ray->from = fmax (ray->from, gap / pace);
  else if (gap < 0)
    ray->to = -1;
}

static void
cut_all (const PlainVolume *volume, Ray *ray)
{
  const TlVolumeLook *look = &volume->look;

  for (int k = 0; k < 3; k++)
    for (int end = 0; end < 2; end++)
      {
        double point[3] = { 0 }, direction[3] = { 0 };

        point[k] = look->box[k][end] * (double)volume->n[k] - 0.5;
        direction[k] = end == 0 ? -1 : 1;
        cut (ray, point, direction);
      }
  for (guint i = 0; i < look->n_planes; i++)
    {
      double point[3];

      for (int k = 0; k < 3; k++)
        point[k] = look->planes[i].point[k] * (double)volume->n[k] - 0.5;
      cut (ray, point, look->planes[i].direction);
    }
}

static Ray
make_ray (const PlainVolume *volume, const guint8 *colours, int col, int row)
{
  const double x = col + 0.5 - volume->width / 2.0;
  const double y = row + 0.5 - volume->height / 2.0;
  TlVolumeCamera camera = volume->camera;
  Ray ray = { .to = INFINITY, .colours = colours };
  TlVolumeRays rays;

  for (int k = 0; k < 3; k++)
    camera.n_voxels[k] = (double)volume->n[k];
  tl_volume_camera_get_rays (&camera, &rays);
  for (int k = 0; k < 3; k++)
    {
      ray.origin[k] = rays.start[k] + x * rays.start_x[k] + y * rays.start_y[k];
      ray.along[k] = rays.ahead[k] + x * rays.ahead_x[k] + y * rays.ahead_y[k];
      ray.right[k] = rays.start_x[k] + rays.ahead_x[k];
      ray.down[k] = rays.start_y[k] + rays.ahead_y[k];
    }
  normalise (ray.along);
  normalise (ray.right);
  normalise (ray.down);
  cut_all (volume, &ray);
  return ray;
}

/* The same bits as in the shader. */
static double
find_jitter (int col, int row)
{
  guint32 bits = ((guint32)col * 0x9E3779B1U) ^ ((guint32)row * 0x85EBCA77U);

  bits = (bits ^ (bits >> 15)) * 0x2C1B3C6DU;
  bits = (bits ^ (bits >> 12)) * 0x297A2D39U;
  bits ^= bits >> 15;
  return (bits >> 8) / 16777216.0;
}

/* @colour: (out): 0 … 1 */
static void
find_colour (const Ray *ray, double part, double *colour)
{
  const double t = CLAMP (part, 0, 1) * (TL_COLORMAP_SIZE - 1);
  const int below = (int)t, above = MIN (below + 1, TL_COLORMAP_SIZE - 1);

  for (int k = 0; k < 3; k++)
    colour[k] = ((1 - (t - below)) * ray->colours[4 * below + k]
                 + (t - below) * ray->colours[4 * above + k])
                / 255;
}

static void
find_colour_of (const PlainVolume *volume, const Ray *ray, double value,
                double *colour)
{
  const TlVolumeLook *look = &volume->look;

  find_colour (ray, (value - look->low) / (look->high - look->low), colour);
}

/* @light: (inout): what comes through */
static void
see_fog (const PlainVolume *volume, const Ray *ray, double first,
         double *colour, double *light)
{
  const size_t *n = volume->n;
  const double side = (double)MAX (n[0], MAX (n[1], n[2]));

  for (double at = first; at < ray->to; at += volume->step_voxels)
    {
      const double value = sample_ray (volume, ray, at);
      const double opacity = tl_volume_look_get_opacity (&volume->look, value);
      const double through =
          pow (1 - opacity, volume->step_voxels * 100 / side);
      double c[3];

      find_colour_of (volume, ray, value, c);
      for (int k = 0; k < 3; k++)
        colour[k] += *light * (1 - through) * c[k];
      *light *= through;
    }
}

static void
see_maximum (const PlainVolume *volume, const Ray *ray, double first,
             double *colour, double *light)
{
  double most = -INFINITY;

  for (double at = first; at < ray->to; at += volume->step_voxels)
    most = fmax (most, sample_ray (volume, ray, at));
  if (first >= ray->to)
    return;
  find_colour_of (volume, ray, most, colour);
  *light = 0;
}

static void
shade (const PlainVolume *volume, const Ray *ray, double at, double *colour)
{
  double normal[3], light[3];

  for (int k = 0; k < 3; k++)
    {
      double ahead[3], back[3];

      for (int i = 0; i < 3; i++)
        ahead[i] = back[i] = ray->origin[i] + at * ray->along[i];
      ahead[k] += 1;
      back[k] -= 1;
      normal[k] = plain_volume_sample (volume, back)
                  - plain_volume_sample (volume, ahead);
      light[k] = -ray->along[k] - 0.5 * ray->right[k] - 0.5 * ray->down[k];
    }
  normalise (normal);
  normalise (light);
  const double shine = fmax (dot (normal, light), 0);
  const double facing = fmax (-dot (normal, ray->along), 0);

  find_colour (ray, 0.8, colour);
  for (int k = 0; k < 3; k++)
    colour[k] = fmin (colour[k] * (0.15 + 0.2 * facing + 0.6 * shine)
                          + 0.15 * pow (shine, 20),
                      1);
}

static void
see_surface (const PlainVolume *volume, const Ray *ray, double first,
             double *colour, double *light)
{
  const double threshold = volume->look.threshold;
  double before = ray->from;
  const double value = sample_ray (volume, ray, before);

  if (value >= threshold)
    {
      find_colour_of (volume, ray, value, colour);
      *light = 0;
      return;
    }
  for (double at = first; at < ray->to; at += volume->step_voxels)
    {
      if (sample_ray (volume, ray, at) >= threshold)
        {
          double low = before, high = at;

          for (int i = 0; i < N_HALVINGS; i++)
            {
              const double middle = (low + high) / 2;

              if (sample_ray (volume, ray, middle) >= threshold)
                high = middle;
              else
                low = middle;
            }
          shade (volume, ray, high, colour);
          *light = 0;
          return;
        }
      before = at;
    }
}

void
plain_volume_draw (const PlainVolume *volume, double *rgba)
{
  guint8 colours[4 * TL_COLORMAP_SIZE];

  tl_colormap_fill (volume->look.colormap, colours);
  for (int row = 0; row < volume->height; row++)
    for (int col = 0; col < volume->width; col++)
      {
        const Ray ray = make_ray (volume, colours, col, row);
        const double first =
            ray.from
            + volume->step_voxels
                  * (volume->jitters ? find_jitter (col, row) : 0.5);
        double colour[3] = { 0 }, light = 1;
        double *out =
            rgba + 4 * ((size_t)row * (size_t)volume->width + (size_t)col);

        if (ray.from < ray.to && volume->look.way == TL_VOLUME_EMISSION)
          see_fog (volume, &ray, first, colour, &light);
        else if (ray.from < ray.to && volume->look.way == TL_VOLUME_MAXIMUM)
          see_maximum (volume, &ray, first, colour, &light);
        else if (ray.from < ray.to)
          see_surface (volume, &ray, first, colour, &light);
        for (int k = 0; k < 4; k++)
          out[k] = 255
                   * ((k < 3 ? colour[k] : 1 - light)
                      + light * (double)volume->outside[k]);
      }
}
