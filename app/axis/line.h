/* Fits a line to the axis positions of single rows, over the height of the
 * detector. Plain arithmetic, any thread. */
#pragma once

#include <glib.h>

/* The axis in one row. A plain value. */
typedef struct
{
  size_t row;
  double centre_col;      /* NaN if the row gives no result */
  double uncertainty_col; /* one standard deviation; NaN without a result */
  gboolean doubts_angles; /* the angles contradict the projections */
  gboolean is_used;       /* in the fit */
} TlAxisPoint;

typedef enum
{
  TL_AXIS_CERTAIN,   /* many rows lie on one line */
  TL_AXIS_UNCERTAIN, /* a preliminary line that the user should check */
  TL_AXIS_CANNOT_TELL
} TlAxisVerdict;

/* The "verdict" in JSON: "certain", "look" for an uncertain line, and
 * "cannot-tell". Scripts read these words. */
extern const char *const tl_axis_verdict_names[];

/* The line; a plain value, cleared with tl_axis_line_clear(). Uncertainties are
 * one standard deviation. */
typedef struct
{
  TlAxisVerdict verdict;
  /* The numbers are NaN without a result. */
  double centre_col, centre_uncertainty_col; /* in the middle row */
  double tilt_deg, tilt_uncertainty_deg;     /* sign as for "--tilt" */
  double scatter_col; /* root mean square distance of the used rows */
  double pivot_rows;  /* weighted mean of the used rows, below the middle row:
                         there the column does not depend on the tilt */
  guint n_rows, n_found, n_used;
  gboolean
      doubts_angles; /* the angles contradict the projections in most rows */
  char *sentence;    /* the basis of the line, or why there is none */
} TlAxisLine;

void tl_axis_line_clear (TlAxisLine *line);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TlAxisLine, tl_axis_line_clear)

/**
 * tl_axis_line_fit:
 * @points: [@n], of different rows, from the top; is_used is set
 * @n_rows: of the detector
 * @line: (out caller-allocates)
 *
 * Fits centre + slope (row - (n_rows - 1) / 2). The slope is the tangent of the
 * tilt: if the centre moves to higher columns further down, the lower end of
 * the axis leans to the right.
 *
 * The fit starts with repeated medians, which tolerate outliers in up to half
 * of the rows (Siegel, Robust regression using repeated medians, Biometrika 69
 * (1982) 242). Rows more than three deviations away are then left out and the
 * others weighted by their uncertainties, until the selection no longer changes
 * (reweighted least squares, Rousseeuw and Leroy, Robust regression and outlier
 * detection, 1987, section 1.1). If rows scatter more than their uncertainties,
 * the excess is added to all uncertainties (Paule and Mandel, J. Res. Natl.
 * Bur. Stand. 87 (1982) 377), so that the line's uncertainties include it.
 * Neighbouring rows see much of the same object and have similar errors: the
 * more they correlate about the line, the fewer they count for. If rows scatter
 * less than their uncertainties, the rest may be a common error of all rows,
 * and of up to 0.1 columns at each end.
 *
 * There is no result with fewer than three usable rows, or if the uncertainty
 * exceeds two degrees for the tilt or two columns for the line.
 */
void tl_axis_line_fit (TlAxisPoint *points, size_t n, size_t n_rows,
                       TlAxisLine *line);

/** tl_axis_line_doubt: Lowers the verdict to TL_AXIS_UNCERTAIN; @because
 * completes the sentence: "these are few". */
void tl_axis_line_doubt (TlAxisLine *line, const char *because);

/** tl_axis_line_refuse: Removes the result; @because (transfer full) is the
 * sentence. */
void tl_axis_line_refuse (TlAxisLine *line, char *because);

/** tl_axis_line_get_proposal: Returns: the tilt that is worth setting:
 * @present_deg or else 0, if that of @line differs from it by no more than two
 * standard deviations, otherwise that of @line */
double tl_axis_line_get_proposal (const TlAxisLine *line, double present_deg);

/** tl_axis_line_get_centre: Returns: the column in the middle row of an axis
 * tilted by @tilt_deg instead, that meets @line in the middle of its used rows
 */
double tl_axis_line_get_centre (const TlAxisLine *line, double tilt_deg);

/** tl_axis_line_turn_back: Transforms a line fitted to projections that were
 * resampled to correct a tilt of @tilt_deg about column @centre_col of the
 * middle row, to the rows of the detector. */
void tl_axis_line_turn_back (TlAxisLine *line, double tilt_deg,
                             double centre_col);

/**
 * tl_axis_line_get_order:
 * @n: number of rows
 * @k: position in the order of measurement
 *
 * The first rows are spread over the whole height, so that a line can be fitted
 * early: every eighth row, then those in between.
 *
 * Returns: the index, from the top, of the row measured @k-th
 */
size_t tl_axis_line_get_order (size_t n, size_t k);

/** tl_axis_line_get_row: Returns: the @k-th of @n rows spread evenly from
 * @first to @last */
size_t tl_axis_line_get_row (size_t first, size_t last, size_t n, size_t k);
