/* From where a volume is looked at: turn, pan, zoom, and the rays of the
 * picture. Plain arithmetic, no GL. */
#pragma once

#include <glib.h>

/* Positions in a volume [slice][row][column] are counted in voxels, x along the
 * columns, y along the rows and z along the slices; the centre of voxel k is at
 * k. A picture whose rows go down and whose slices go down, as the rows of the
 * detector do, is upright: with both angles 0 x leads to the right, z down and
 * y towards the viewer. Seen from above, with an elevation of 90 degrees, the
 * volume looks as its slices do.
 *
 * A plain value; call tl_volume_camera_init() first. */
typedef struct
{
  double azimuth_deg;     /* the viewer walks around the volume, seen from above
                             counter-clockwise */
  double elevation_deg;   /* from -90, below, to 90, above */
  double zoom;            /* 1: the whole volume fits, however it is turned */
  double perspective_deg; /* angle of view across the smaller side of the
                             picture, at zoom 1; 0: parallel rays */
  double look_at[3];    /* x, y and z of the middle of the picture: 0 … 1 from
                           one side of the volume to the other */
  double width, height; /* size of the picture, in its pixels */
  double n_voxels[3];   /* size of the volume: columns, rows, slices */
} TlVolumeCamera;

/* Limits of the zoom. */
#define TL_MIN_VOLUME_ZOOM 0.1
#define TL_MAX_VOLUME_ZOOM 1000.0
/* The largest angle of view, in degrees. */
#define TL_MAX_PERSPECTIVE 120.0

/* The rays of all pixels. The ray at x, y, in pixels from the middle of the
 * picture to the right and down, begins at start + x start_x + y start_y, in
 * voxels, and has the direction ahead + x ahead_x + y ahead_y, of any length.
 * It begins before the volume, or before its nearest part. */
typedef struct
{
  double start[3], start_x[3], start_y[3];
  double ahead[3], ahead_x[3], ahead_y[3];
} TlVolumeRays;

/* The axes of the picture in the volume; vectors of length 1. */
typedef struct
{
  double right[3], down[3], ahead[3];
} TlVolumeAxes;

/** tl_volume_camera_init: The whole volume from the front, a little from the
 * right and from above. Its sizes are 0. */
void tl_volume_camera_init (TlVolumeCamera *camera);

/** tl_volume_camera_turn: Walks around the volume, and up or down as far as its
 * poles. */
void tl_volume_camera_turn (TlVolumeCamera *camera, double azimuth_deg,
                            double elevation_deg);

/** tl_volume_camera_pan: Moves the picture by @dx, @dy pixels, as the pointer
 * drags it. The middle of the picture stays within the volume. */
void tl_volume_camera_pan (TlVolumeCamera *camera, double dx, double dy);

/**
 * tl_volume_camera_zoom:
 * @factor: above 1 enlarges; the resulting zoom is clamped to its limits
 * @x: position, with @y, in pixels from the middle of the picture, at which the
 *   picture stays fixed, at the depth of the point that is looked at
 */
void tl_volume_camera_zoom (TlVolumeCamera *camera, double factor, double x,
                            double y);

/** tl_volume_camera_frame: Looks at the middle of a part of the volume, as
 * close as it fits however it is turned. @part: [3], its ends along x, y and z
 * as of look_at. Needs the sizes of the volume. */
void tl_volume_camera_frame (TlVolumeCamera *camera, const double (*part)[2]);

/**
 * tl_volume_camera_draw_box:
 * @from: a corner of a rectangle, in pixels from the middle of the picture
 * @to: the opposite corner
 * @box: (inout): [3], parts of the volume as of look_at
 *
 * Makes @box the smallest one around the rectangle at the depth of the point
 * that is looked at. The axis along which the viewer looks keeps its ends, so
 * that rectangles from two sides give any box. Needs the sizes.
 */
void tl_volume_camera_draw_box (const TlVolumeCamera *camera,
                                const double *from, const double *to,
                                double (*box)[2]);

/** tl_volume_camera_get_scale: Returns: voxels that a pixel covers, at the
 * depth of the point that is looked at; needs the sizes */
double tl_volume_camera_get_scale (const TlVolumeCamera *camera);

/** tl_volume_camera_get_axes: Returns: the axes of the picture; needs no sizes
 */
TlVolumeAxes tl_volume_camera_get_axes (const TlVolumeCamera *camera);

/** tl_volume_camera_get_rays: @rays: (out caller-allocates). Needs the sizes.
 */
void tl_volume_camera_get_rays (const TlVolumeCamera *camera,
                                TlVolumeRays *rays);

/** tl_volume_camera_project: Finds the pixel of a position in the volume. @x:
 * (out): with @y, in pixels from the middle of the picture. Returns: %FALSE
 * if it is behind the viewer */
gboolean tl_volume_camera_project (const TlVolumeCamera *camera,
                                   const double *position, double *x,
                                   double *y);
