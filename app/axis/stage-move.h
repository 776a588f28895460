/* How the rotation stage has to be moved, so that its axis stands where it
 * should on the detector.
 *
 * Signs, with projections as they are shown, row 0 above and column 0 on the
 * left: a move is positive toward higher columns, to the right, and so is the
 * move of the axis over the picture that it makes; a roll is positive
 * counter-clockwise, in the plane of the detector, as gpu/stages/tilt.h counts
 * the tilt, and it is the axis that is to be rolled, not the detector. An axis
 * left of its place is to be moved to the right, one that leans
 * counter-clockwise is to be rolled clockwise: both are what is wanted less
 * what is. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* What is known of the axis. A plain value; NaN: not known. */
typedef struct
{
  double centre_col, centre_uncertainty_col; /* of the middle row */
  double tilt_deg, tilt_uncertainty_deg;
  double wanted_col;    /* where it should be: tl_stage_middle() mostly */
  double pixel_size_um; /* of the detector, as seen at the sample; 0 or NaN: not
                           known */
  gboolean is_half;     /* a half acquisition: it stands aside on purpose */
} TlStagePlace;

/* A plain value; each NaN where it is not known. */
typedef struct
{
  gboolean is_aside; /* on purpose: there is no move */
  double move_cols, move_uncertainty_cols;
  double move_um, move_uncertainty_um;
  double roll_mrad, roll_uncertainty_mrad;
} TlStageMove;

/** tl_stage_middle: Returns: (@n_cols - 1) / 2 */
double tl_stage_middle (size_t n_cols);

/** tl_stage_move: Any thread. */
void tl_stage_move (const TlStagePlace *place, TlStageMove *move);

/**
 * tl_stage_move_describe:
 *
 * "move the stage by +12.4 µm ± 0.2 (toward higher columns), roll by −0.8 mrad
 * ± 0.1": with as many digits as the uncertainty leaves, in mm from 1 mm up, in
 * columns where the size of a pixel is not known, and without what is not
 * known. What is within its uncertainty is right as it is, and said so; so is
 * the axis of a half acquisition.
 *
 * Returns: (transfer full): translated, begins with a small letter
 */
char *tl_stage_move_describe (const TlStageMove *move);

/** tl_stage_move_dup_sentence: Returns: (transfer full): the same of @place,
 * with a capital letter first. */
char *tl_stage_move_dup_sentence (const TlStagePlace *place);

G_END_DECLS
