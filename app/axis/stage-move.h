/* Computes how to move the rotation stage so that the axis is where it should
 * be on the detector.
 *
 * Signs refer to projections as they are shown, with row 0 at the top and
 * column 0 on the left. A move is positive toward higher columns, to the right;
 * the axis in the picture moves the same way. A roll is positive
 * counter-clockwise in the plane of the detector, as the tilt in
 * gpu/stages/tilt.h, and applies to the axis, not to the detector. Both are
 * wanted minus actual: an axis too far left is moved to the right, and one that
 * leans counter-clockwise is rolled clockwise. */
#pragma once

#include <glib.h>

/* The position of the axis. A plain value; unknown numbers are NaN. */
typedef struct
{
  double centre_col, centre_uncertainty_col; /* in the middle row */
  double tilt_deg, tilt_uncertainty_deg;
  double wanted_col;    /* target, usually tl_stage_middle() */
  double pixel_size_um; /* of the detector, scaled to the sample; 0 or NaN if
                           unknown */
  gboolean
      is_half; /* half acquisition: the axis is off the middle on purpose */
} TlStagePlace;

/* A plain value; unknown numbers are NaN. */
typedef struct
{
  gboolean is_aside; /* off the middle on purpose: no move is needed */
  double move_cols, move_uncertainty_cols;
  double move_um, move_uncertainty_um;
  double roll_mrad, roll_uncertainty_mrad;
} TlStageMove;

/** tl_stage_middle: Returns: the middle column, (@n_cols - 1) / 2 */
double tl_stage_middle (size_t n_cols);

/** tl_stage_move: Computes the move of the stage from @place. Any thread. */
void tl_stage_move (const TlStagePlace *place, TlStageMove *move);

/** tl_stage_count_digits: Returns: the decimals that show @uncertainty with one
 * digit, or with two up to 19 */
int tl_stage_count_digits (double uncertainty);

/**
 * tl_stage_move_describe:
 * "move the stage by +12.4 µm ± 0.2 (toward higher columns), roll by −0.8 mrad
 * ± 0.1": rounded by the uncertainty, in mm from 1 mm up, and in columns if the
 * pixel size is unknown. Unknown parts are left out. A deviation within its
 * uncertainty, or the position of a half acquisition, is reported as correct.
 *
 * Returns: (transfer full): translated, begins with a small letter
 */
char *tl_stage_move_describe (const TlStageMove *move);
