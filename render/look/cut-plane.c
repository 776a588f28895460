#include "render/look/cut-plane.h"

#include "data/geometry.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEGREE (G_PI / 180)

/* @d: (out): the direction of the plane, of length 1 */
static void
find_direction (const TlCutPlane *plane, double *d)
{
  const double length = sqrt (tl_dot (plane->direction, plane->direction));

  for (int k = 0; k < 3; k++)
    d[k] = plane->direction[k] / length;
}

/* Returns: voxels from the middle of the volume to the plane with the direction
 * @d through @place, 0 … 1 of the volume */
static double
measure (const double *d, const double *place, const double *n_voxels)
{
  double distance = 0;

  for (int k = 0; k < 3; k++)
    distance += d[k] * (place[k] - 0.5) * n_voxels[k];
  return distance;
}

/* Its point is on the line from the middle of the volume to the corner that is
 * farthest along the direction, so that it lies in the volume wherever the
 * plane cuts it. */
static void
put (TlCutPlane *plane, const double *d, double distance,
     const double *n_voxels)
{
  double most = 0;

  for (int k = 0; k < 3; k++)
    most += fabs (d[k]) * n_voxels[k] / 2;
  const double part = CLAMP (distance / most, -1, 1);
  for (int k = 0; k < 3; k++)
    {
      plane->direction[k] = d[k];
      plane->point[k] =
          0.5 + (d[k] == 0 ? 0 : copysign (part / 2, part * d[k]));
    }
}

void
tl_cut_plane_face (TlCutPlane *plane, const TlVolumeCamera *camera)
{
  const TlVolumeAxes axes = tl_volume_camera_get_axes (camera);
  double d[3];

  for (int k = 0; k < 3; k++)
    d[k] = -axes.ahead[k];
  put (plane, d, measure (d, camera->look_at, camera->n_voxels),
       camera->n_voxels);
}

/* Turns @d from the viewer towards @side, an axis of the picture. */
static void
turn (double *d, const double *ahead, const double *side, double angle_rad)
{
  const double near = -tl_dot (d, ahead), along = tl_dot (d, side);
  const double more_near =
      near * (cos (angle_rad) - 1) - along * sin (angle_rad);
  const double more_along =
      along * (cos (angle_rad) - 1) + near * sin (angle_rad);

  for (int k = 0; k < 3; k++)
    d[k] += more_along * side[k] - more_near * ahead[k];
}

void
tl_cut_plane_turn (TlCutPlane *plane, const TlVolumeCamera *camera,
                   double right_deg, double down_deg)
{
  const double *n = camera->n_voxels;
  const TlVolumeAxes axes = tl_volume_camera_get_axes (camera);
  double d[3], pivot[3];

  find_direction (plane, d);
  const double away =
      measure (d, plane->point, n) - measure (d, camera->look_at, n);
  for (int k = 0; k < 3; k++)
    pivot[k] = camera->look_at[k] + away * d[k] / n[k];
  turn (d, axes.ahead, axes.right, right_deg * DEGREE);
  turn (d, axes.ahead, axes.down, down_deg * DEGREE);
  put (plane, d, measure (d, pivot, n), n);
}

void
tl_cut_plane_move (TlCutPlane *plane, const TlVolumeCamera *camera, double part)
{
  const double *n = camera->n_voxels;
  double d[3];

  find_direction (plane, d);
  put (plane, d,
       measure (d, plane->point, n) + part * fmax (n[0], fmax (n[1], n[2])), n);
}

/* --- what is seen of it --- */

typedef struct
{
  double place[3], angle;
} Corner;

static int
compare_angles (const void *a, const void *b)
{
  const Corner *first = a, *second = b;

  return (first->angle > second->angle) - (first->angle < second->angle);
}

/* Finds where the edges of the box cross the plane. @from: corner of the box,
 * whose bit k chooses the end along axis k */
static gboolean
cross_edge (const TlCutPlane *plane, const double *n_voxels,
            const double (*box)[2], guint from, guint axis, double *place)
{
  double ends[2];

  for (int end = 0; end < 2; end++)
    {
      ends[end] = 0;
      for (guint k = 0; k < 3; k++)
        {
          place[k] = box[k][k == axis ? (guint)end : from >> k & 1];
          ends[end] +=
              plane->direction[k] * (place[k] - plane->point[k]) * n_voxels[k];
        }
    }
  if ((ends[0] < 0) == (ends[1] < 0))
    return FALSE;
  place[axis] = box[axis][0]
                + (box[axis][1] - box[axis][0]) * ends[0] / (ends[0] - ends[1]);
  for (guint k = 0; k < 3; k++)
    place[k] = place[k] * n_voxels[k] - 0.5;
  return TRUE;
}

/* Sorts the corners by their angle about the middle of all. */
static void
sort (Corner *corners, guint n, const double *direction)
{
  double middle[3] = { 0 }, u[3], v[3];

  for (guint i = 0; i < n; i++)
    for (int k = 0; k < 3; k++)
      middle[k] += corners[i].place[k] / n;
  for (int k = 0; k < 3; k++)
    u[k] = corners[0].place[k] - middle[k];
  for (int k = 0; k < 3; k++)
    v[k] = direction[(k + 1) % 3] * u[(k + 2) % 3]
           - direction[(k + 2) % 3] * u[(k + 1) % 3];
  const double length_u = sqrt (tl_dot (u, u)), length_v = sqrt (tl_dot (v, v));
  for (guint i = 0; i < n; i++)
    {
      double away[3];

      for (int k = 0; k < 3; k++)
        away[k] = corners[i].place[k] - middle[k];
      corners[i].angle =
          atan2 (tl_dot (away, v) * length_u, tl_dot (away, u) * length_v);
    }
  qsort (corners, n, sizeof *corners, compare_angles);
}

guint
tl_cut_plane_list_corners (const TlCutPlane *plane, const double *n_voxels,
                           const double (*box)[2], double (*corners)[3])
{
  Corner found[TL_MAX_CUT_CORNERS];
  guint n = 0;

  for (guint axis = 0; axis < 3; axis++)
    for (guint from = 0; from < 8 && n < TL_MAX_CUT_CORNERS; from++)
      if ((from >> axis & 1) == 0
          && cross_edge (plane, n_voxels, box, from, axis, found[n].place))
        n++;
  if (n < 3)
    return 0;
  sort (found, n, plane->direction);
  for (guint i = 0; i < n; i++)
    memcpy (corners[i], found[i].place, sizeof found[i].place);
  return n;
}
