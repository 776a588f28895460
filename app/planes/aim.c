#include "app/planes/aim.h"

#include "data/geometry.h"

#include <math.h>
#include <string.h>

/* Widget units of a pane before the window has given it a size. */
#define USUAL_SIZE 360.0

/* Widget units per detector pixel. */
#define MIN_SCALE (1.0 / 64)
#define MAX_SCALE 64.0

/* Of the sine of the angle between planes that still cross each other. */
#define MIN_SINE 1e-6

static const double right_of[][3] = { { 1, 0, 0 }, { 1, 0, 0 }, { 0, -1, 0 } };
static const double down_of[][3] = { { 0, -1, 0 }, { 0, 0, 1 }, { 0, 0, 1 } };

static void
cross_product (const double *a, const double *b, double *product)
{
  product[0] = a[1] * b[2] - a[2] * b[1];
  product[1] = a[2] * b[0] - a[0] * b[2];
  product[2] = a[0] * b[1] - a[1] * b[0];
}

/* Directions of a pane: to the right, down, and away from the user. */
typedef struct
{
  double u[3], v[3], n[3];
} Axes;

static Axes
get_axes (const TlAim *aim, TlPane pane)
{
  Axes axes;
  const double *u = pane == TL_PANE_OBLIQUE ? aim->turn[0] : right_of[pane];
  const double *v = pane == TL_PANE_OBLIQUE ? aim->turn[1] : down_of[pane];
  memcpy (axes.u, u, sizeof axes.u);
  memcpy (axes.v, v, sizeof axes.v);
  cross_product (u, v, axes.n);
  return axes;
}

/* Finds the first and the last pixel of the sample, {x, y, z} each. */
static void
find_ends (const TlAim *aim, double *low, double *high)
{
  const TlGrid *grid = &aim->grid;
  low[0] = grid->x0;
  high[0] = grid->x0 + ((double)grid->nx - 1) * grid->pitch;
  low[1] = grid->y0 - ((double)grid->ny - 1) * grid->pitch;
  high[1] = grid->y0;
  low[2] = 0;
  high[2] = (double)aim->n_rows - 1;
}

/* Returns: how far a pixel of a slice, or a row, reaches beyond its centre
 * along x, y or z */
static double
get_half_pixel (const TlAim *aim, guint k)
{
  return k < 2 ? aim->grid.pitch / 2 : 0.5;
}

static void
limit (const TlAim *aim, double *place)
{
  double low[3], high[3];
  find_ends (aim, low, high);
  for (guint k = 0; k < 3; k++)
    place[k] = CLAMP (place[k], low[k], high[k]);
}

/* Moves @place to the middle of the pixel of a slice that it is in. */
static void
snap (const TlAim *aim, double *place)
{
  const TlGrid *grid = &aim->grid;
  place[0] =
      grid->x0 + rint ((place[0] - grid->x0) / grid->pitch) * grid->pitch;
  place[1] =
      grid->y0 - rint ((grid->y0 - place[1]) / grid->pitch) * grid->pitch;
  place[2] = rint (place[2]);
}

void
tl_aim_init (TlAim *aim)
{
  const double half = sqrt (0.5);
  *aim = (TlAim){
    .scale = 1,
    .is_fitted = TRUE,
    .turn = { { half, -half, 0 }, { 0, 0, 1 } },
  };
  for (guint k = 0; k < TL_N_PANES; k++)
    aim->width[k] = aim->height[k] = USUAL_SIZE;
}

void
tl_aim_fit (TlAim *aim)
{
  double low[3], high[3], scale = MAX_SCALE;
  if (aim->grid.nx == 0)
    return;
  find_ends (aim, low, high);
  for (TlPane pane = 0; pane < TL_PANE_OBLIQUE; pane++)
    for (guint k = 0; k < 3; k++)
      {
        const double length = high[k] - low[k] + 2 * get_half_pixel (aim, k);
        if (right_of[pane][k] != 0)
          scale = fmin (scale, aim->width[pane] / length);
        if (down_of[pane][k] != 0)
          scale = fmin (scale, aim->height[pane] / length);
      }
  for (guint k = 0; k < 3; k++)
    aim->eye[k] = (low[k] + high[k]) / 2;
  aim->scale = fmax (scale, MIN_SCALE);
  aim->is_fitted = TRUE;
}

/* @a, @b: [@n] */
static gboolean
are_equal (const double *a, const double *b, guint n)
{
  gboolean same = TRUE;
  for (guint k = 0; k < n; k++)
    same = same && a[k] == b[k];
  return same;
}

gboolean
tl_aim_equal (const TlAim *a, const TlAim *b)
{
  return tl_grid_equal (&a->grid, &b->grid) && a->n_rows == b->n_rows
         && a->scale == b->scale && a->is_fitted == b->is_fitted
         && are_equal (a->width, b->width, TL_N_PANES)
         && are_equal (a->height, b->height, TL_N_PANES)
         && are_equal (a->cross, b->cross, 3) && are_equal (a->eye, b->eye, 3)
         && are_equal (a->turn[0], b->turn[0], 3)
         && are_equal (a->turn[1], b->turn[1], 3);
}

/* The tenths are all that rounding to the screen leaves. */
double
tl_aim_get_position (const TlAim *aim, TlPane pane)
{
  const TlGrid *grid = &aim->grid;
  const double positions[TL_N_PANES] = {
    [TL_PANE_XY] = aim->cross[2],
    [TL_PANE_XZ] = (grid->y0 - aim->cross[1]) / grid->pitch,
    [TL_PANE_YZ] = (aim->cross[0] - grid->x0) / grid->pitch,
    [TL_PANE_OBLIQUE] = NAN,
  };
  return rint (positions[pane] * 10) / 10 + 0.0; /* not -0 */
}

void
tl_aim_set_sample (TlAim *aim, const TlGrid *grid, size_t n_rows)
{
  double low[3], high[3];
  const gboolean is_other = aim->grid.nx == 0 || aim->n_rows != n_rows;
  aim->grid = *grid;
  aim->n_rows = n_rows;
  find_ends (aim, low, high);
  for (guint k = 0; is_other && k < 3; k++)
    aim->cross[k] = aim->eye[k] = (low[k] + high[k]) / 2;
  if (is_other)
    snap (aim, aim->cross);
  limit (aim, aim->cross);
  limit (aim, aim->eye);
  if (is_other || aim->is_fitted)
    tl_aim_fit (aim);
}

void
tl_aim_set_size (TlAim *aim, TlPane pane, double width, double height)
{
  aim->width[pane] = width;
  aim->height[pane] = height;
  if (aim->is_fitted)
    tl_aim_fit (aim);
}

static void
move_eye (TlAim *aim, const Axes *axes, double a, double b)
{
  for (guint k = 0; k < 3; k++)
    aim->eye[k] += a * axes->u[k] + b * axes->v[k];
  limit (aim, aim->eye);
}

void
tl_aim_zoom (TlAim *aim, TlPane pane, double factor, double x, double y)
{
  const Axes axes = get_axes (aim, pane);
  const double before = aim->scale;
  aim->scale = CLAMP (before * factor, MIN_SCALE, MAX_SCALE);
  const double part = 1 / before - 1 / aim->scale;
  move_eye (aim, &axes, (x - aim->width[pane] / 2) * part,
            (y - aim->height[pane] / 2) * part);
  aim->is_fitted = FALSE;
}

void
tl_aim_pan (TlAim *aim, TlPane pane, double dx, double dy)
{
  const Axes axes = get_axes (aim, pane);
  move_eye (aim, &axes, -dx / aim->scale, -dy / aim->scale);
  aim->is_fitted = FALSE;
}

void
tl_aim_move_cross (TlAim *aim, const double *place)
{
  memcpy (aim->cross, place, sizeof aim->cross);
  limit (aim, aim->cross);
}

void
tl_aim_step (TlAim *aim, TlPane pane, double n)
{
  static const double axes[][3] = { { 0, 0, 1 }, { 0, 1, 0 }, { 1, 0, 0 } };
  const Axes own = get_axes (aim, pane);
  const double *along = pane == TL_PANE_OBLIQUE ? own.n : axes[pane];
  double place[3];
  for (guint k = 0; k < 3; k++)
    place[k] = aim->cross[k] + n * along[k];
  tl_aim_move_cross (aim, place);
}

/* Rounding would add up over many turns. */
static void
make_orthonormal (double *u, double *v)
{
  const double length = sqrt (tl_dot (u, u));
  for (guint k = 0; k < 3; k++)
    u[k] /= length;
  const double along = tl_dot (u, v);
  for (guint k = 0; k < 3; k++)
    v[k] -= along * u[k];
  const double rest = sqrt (tl_dot (v, v));
  for (guint k = 0; k < 3; k++)
    v[k] /= rest;
}

void
tl_aim_turn (TlAim *aim, TlPane pane, double angle_rad)
{
  const Axes axes = get_axes (aim, pane);
  const double c = cos (angle_rad), s = sin (angle_rad);
  for (guint i = 0; i < 2; i++)
    {
      double *to = aim->turn[i];
      const double a = tl_dot (to, axes.u), b = tl_dot (to, axes.v);
      for (guint k = 0; k < 3; k++)
        to[k] +=
            (a * c - b * s - a) * axes.u[k] + (a * s + b * c - b) * axes.v[k];
    }
  make_orthonormal (aim->turn[0], aim->turn[1]);
}

void
tl_aim_to_widget (const TlAim *aim, TlPane pane, const double *place, double *x,
                  double *y)
{
  const Axes axes = get_axes (aim, pane);
  *x = aim->width[pane] / 2
       + (tl_dot (place, axes.u) - tl_dot (aim->eye, axes.u)) * aim->scale;
  *y = aim->height[pane] / 2
       + (tl_dot (place, axes.v) - tl_dot (aim->eye, axes.v)) * aim->scale;
}

void
tl_aim_to_picture (const TlAim *aim, TlPane pane, const double *place,
                   double *col, double *row)
{
  const Axes axes = get_axes (aim, pane);
  *col = tl_dot (place, axes.u) / aim->grid.pitch;
  *row = tl_dot (place, axes.v) / aim->grid.pitch;
}

/* Makes the place at @a to the right and @b down on the plane of a pane. */
static void
make_place (const TlAim *aim, const Axes *axes, double a, double b,
            double *place)
{
  const double c = tl_dot (aim->cross, axes->n);
  for (guint k = 0; k < 3; k++)
    place[k] = a * axes->u[k] + b * axes->v[k] + c * axes->n[k];
}

void
tl_aim_to_sample (const TlAim *aim, TlPane pane, double x, double y,
                  double *place)
{
  const Axes axes = get_axes (aim, pane);
  make_place (
      aim, &axes,
      tl_dot (aim->eye, axes.u) + (x - aim->width[pane] / 2) / aim->scale,
      tl_dot (aim->eye, axes.v) + (y - aim->height[pane] / 2) / aim->scale,
      place);
}

void
tl_aim_point (TlAim *aim, TlPane pane, double x, double y)
{
  double place[3];
  tl_aim_to_sample (aim, pane, x, y, place);
  if (pane != TL_PANE_OBLIQUE)
    snap (aim, place);
  tl_aim_move_cross (aim, place);
}

gboolean
tl_aim_find_trace (const TlAim *aim, TlPane pane, TlPane other, double *dx,
                   double *dy)
{
  const Axes axes = get_axes (aim, pane), others = get_axes (aim, other);
  double along[3];
  cross_product (axes.n, others.n, along);
  const double length = sqrt (tl_dot (along, along));
  if (length < MIN_SINE)
    return FALSE;
  *dx = tl_dot (along, axes.u) / length;
  *dy = tl_dot (along, axes.v) / length;
  return TRUE;
}

/* Finds how far the sample, whose pixels end half a pixel beyond their centres,
 * extends along @axis. */
static void
find_extent (const TlAim *aim, const double *axis, double *from, double *to)
{
  double low[3], high[3];
  find_ends (aim, low, high);
  *from = *to = 0;
  for (guint k = 0; k < 3; k++)
    {
      const double half = get_half_pixel (aim, k);
      const double a = (low[k] - half) * axis[k];
      const double b = (high[k] + half) * axis[k];
      *from += fmin (a, b);
      *to += fmax (a, b);
    }
}

/* Pixels of the screen in one direction of a pane. */
typedef struct
{
  double from; /* of the first one */
  size_t n;
} Line;

/* @first: where the lattice has a pixel; @middle: of the pane, @size: widget
 * units */
static Line
find_line (const TlAim *aim, const double *axis, double first, double middle,
           double size, double pitch)
{
  const double half = size / 2 / aim->scale;
  double from, to;
  find_extent (aim, axis, &from, &to);
  from = fmax (from, middle - half);
  to = fmin (to, middle + half);
  /* a pixel on the very edge counts, whatever the rounding */
  const double low = ceil ((from - first) / pitch - 1e-9);
  const double high = floor ((to - first) / pitch + 1e-9);
  return (Line){ .from = first + low * pitch,
                 .n = high >= low ? (size_t)(high - low) + 1 : 0 };
}

TlPlane
tl_aim_find_plane (const TlAim *aim, TlPane pane, double density)
{
  const Axes axes = get_axes (aim, pane);
  const double pitch = 1 / (aim->scale * density);
  const double corner[] = { aim->grid.x0, aim->grid.y0, 0 };
  const double *first = pane == TL_PANE_OBLIQUE ? aim->cross : corner;
  TlPlane plane = { 0 };
  if (aim->grid.nx == 0)
    return plane;
  const Line across =
      find_line (aim, axes.u, tl_dot (first, axes.u), tl_dot (aim->eye, axes.u),
                 aim->width[pane], pitch);
  const Line down =
      find_line (aim, axes.v, tl_dot (first, axes.v), tl_dot (aim->eye, axes.v),
                 aim->height[pane], pitch);
  if (across.n == 0 || down.n == 0)
    return plane;
  plane.nx = across.n;
  plane.ny = down.n;
  make_place (aim, &axes, across.from, down.from, plane.origin);
  for (guint k = 0; k < 3; k++)
    {
      plane.u[k] = axes.u[k] * pitch;
      plane.v[k] = axes.v[k] * pitch;
    }
  return plane;
}

void
tl_aim_place_frame (const TlAim *aim, TlPane pane, const TlPlane *frame,
                    double *col, double *row, double *scale)
{
  const double pitch = sqrt (tl_dot (frame->u, frame->u));
  double middle[3];
  tl_aim_to_sample (aim, pane, aim->width[pane] / 2, aim->height[pane] / 2,
                    middle);
  for (guint k = 0; k < 3; k++)
    middle[k] -= frame->origin[k];
  *col = tl_dot (middle, frame->u) / (pitch * pitch);
  *row = tl_dot (middle, frame->v) / (pitch * pitch);
  *scale = aim->scale * pitch;
}
