/* Where the panes of TL_PICTURE_PLANES look: three planes along the axes and an
 * oblique one, which all pass through one place, the cross. All panes have the
 * same zoom, and the same place in the sample, the eye, is in the middle of
 * each, as seen along its normal. Plain arithmetic.
 *
 * Places of the sample are as of TlPlane. Widget coordinates have their origin
 * in the upper left corner of a pane, y down. */
#pragma once

#include "app/recon/picture.h"

/* A plain value; call tl_aim_init() first. */
typedef struct
{
  TlGrid grid;   /* of the slices; nx 0: no scan */
  size_t n_rows; /* of the detector */
  double width[TL_N_PANES], height[TL_N_PANES]; /* widget units */
  double cross[3], eye[3];
  double scale;       /* widget units per detector pixel */
  double turn[2][3];  /* directions of the oblique pane, to the right and down;
                         of length 1, at right angles */
  gboolean is_fitted; /* keep the whole sample visible on any change */
} TlAim;

/** tl_aim_init: No scan, panes of a common size; the oblique plane is upright.
 */
void tl_aim_init (TlAim *aim);

/** tl_aim_equal: Returns: whether both look at the same */
gboolean tl_aim_equal (const TlAim *a, const TlAim *b);

/** tl_aim_get_position: Returns: which slice, row or column of the slices the
 * plane of @pane is, to a tenth; NaN for the oblique plane */
double tl_aim_get_position (const TlAim *aim, TlPane pane);

/** tl_aim_set_sample: Sets the slices and the number of rows. Another number of
 * rows moves cross and eye to the middle; a wider or smaller slice does not. */
void tl_aim_set_sample (TlAim *aim, const TlGrid *grid, size_t n_rows);

void tl_aim_set_size (TlAim *aim, TlPane pane, double width, double height);

/** tl_aim_fit: Shows the whole sample in the three panes along the axes. */
void tl_aim_fit (TlAim *aim);

/**
 * tl_aim_zoom:
 * @factor: above 1 enlarges
 * @x: widget position in @pane, with @y, at which its picture stays fixed
 */
void tl_aim_zoom (TlAim *aim, TlPane pane, double factor, double x, double y);

/** tl_aim_pan: Moves the picture of @pane by @dx and @dy widget units, and
 * those of the other panes with it. The middle stays in the sample. */
void tl_aim_pan (TlAim *aim, TlPane pane, double dx, double dy);

/** tl_aim_move_cross: Moves the cross to @place, [3], or the next place in the
 * sample. The eye stays. */
void tl_aim_move_cross (TlAim *aim, const double *place);

/** tl_aim_point: Moves the cross to a widget position of @pane, as
 * tl_aim_to_sample(). Along the axes it is moved to the middle of a pixel of a
 * slice, so that planes show pixels of slices. */
void tl_aim_point (TlAim *aim, TlPane pane, double x, double y);

/** tl_aim_step: Moves the cross, and with it the plane of @pane, by @n detector
 * pixels along its normal: down, to larger y, to larger x; the oblique one away
 * from the user. */
void tl_aim_step (TlAim *aim, TlPane pane, double n);

/** tl_aim_turn: Turns the oblique plane about the normal of @pane, as seen in
 * it clockwise. */
void tl_aim_turn (TlAim *aim, TlPane pane, double angle_rad);

/** tl_aim_to_widget: Finds where in @pane @place, [3], is seen along its
 * normal. */
void tl_aim_to_widget (const TlAim *aim, TlPane pane, const double *place,
                       double *x, double *y);

/** tl_aim_to_picture: Finds where on the plane of @pane @place, [3], is seen
 * along its normal: @col to the right and @row down from where the axis meets
 * row 0 of the detector, in pixels of a slice. */
void tl_aim_to_picture (const TlAim *aim, TlPane pane, const double *place,
                        double *col, double *row);

/** tl_aim_to_sample: Finds the place, [3], of a widget position on the plane of
 * @pane; it may lie outside the sample. */
void tl_aim_to_sample (const TlAim *aim, TlPane pane, double x, double y,
                       double *place);

/** tl_aim_find_trace: Finds in which direction of @pane the plane of @other
 * crosses it, as a vector of length 1. Returns: %FALSE if they are parallel */
gboolean tl_aim_find_trace (const TlAim *aim, TlPane pane, TlPane other,
                            double *dx, double *dy);

/**
 * tl_aim_find_plane:
 * @density: pixels of the screen for a widget unit
 *
 * Returns: the pixels of the screen that lie on the sample; nx is 0 if there
 *   are none. Along the axes they lie on the lattice that begins at the first
 *   pixel of the slices, so that they are pixels of the slices at zoom 1, and
 *   stay the same while the picture is moved
 */
TlPlane tl_aim_find_plane (const TlAim *aim, TlPane pane, double density);

/** tl_aim_place_frame: Finds the position in the picture of @frame's plane of
 * what is in the middle of @pane: @col and @row in its pixels, of which one is
 * @scale widget units wide. */
void tl_aim_place_frame (const TlAim *aim, TlPane pane, const TlPlane *frame,
                         double *col, double *row, double *scale);
