/* The axis over the height of the detector: a line through what single rows
 * say. Plain arithmetic, for any thread. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* What one row says. A plain value. */
typedef struct
{
  size_t row;
  double centre_col;      /* NaN where the row cannot tell */
  double uncertainty_col; /* one standard deviation; NaN likewise */
  gboolean doubts_angles; /* they contradict its projections */
  gboolean is_used;       /* by the line */
} TlAxisPoint;

typedef enum
{
  TL_AXIS_CERTAIN, /* many rows lie on one line */
  TL_AXIS_LOOK,    /* a line to begin with: please look */
  TL_AXIS_CANNOT_TELL
} TlAxisVerdict;

/* "certain", "look", "cannot-tell". */
extern const char *const tl_axis_verdict_names[];

/* The line; a plain value, cleared with tl_axis_line_clear(). Uncertainties are
 * one standard deviation. */
typedef struct
{
  TlAxisVerdict verdict;
  /* NaN where it cannot be told */
  double centre_col, centre_uncertainty_col; /* in the middle row */
  double tilt_deg, tilt_uncertainty_deg;     /* as "--tilt" counts it */
  double scatter_col; /* of the rows used about the line, root mean square */
  guint n_rows, n_found, n_used;
  char *sentence; /* what it rests on, or why there is none */
} TlAxisLine;

void tl_axis_line_clear (TlAxisLine *line);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TlAxisLine, tl_axis_line_clear)

/**
 * tl_axis_line_fit:
 * @points: [@n], of different rows, from the top; whether they are used is set
 * @n_rows: of the detector
 * @line: (out caller-allocates)
 *
 * Fits centre + slope (row - (n_rows - 1) / 2); the slope is the tangent of the
 * tilt, for a centre that moves to higher columns further down is an axis whose
 * lower end leans to the right. It begins with repeated medians, which half of
 * the rows may contradict (Siegel, Robust regression using repeated medians,
 * Biometrika 69 (1982) 242). Rows further from it than three deviations are
 * left out, and those that stay weigh by their uncertainties, until no row
 * comes or goes (reweighted least squares, Rousseeuw and Leroy, Robust
 * regression and outlier detection, 1987, section 1.1). What the rows scatter
 * more than they claim counts as an uncertainty that all have (Paule and
 * Mandel, J. Res. Natl. Bur. Stand. 87 (1982) 377), so that the line's own
 * rest on the scatter as well. Neighbours see much of the same and err alike:
 * the more they correlate about the line, the fewer they count for, and what
 * they claim but do not scatter they may all be off by, and by 0.1 columns at
 * each end.
 *
 * Cannot tell with fewer than three rows that can, nor where the tilt is known
 * no better than to two degrees, or the line to two columns.
 */
void tl_axis_line_fit (TlAxisPoint *points, size_t n, size_t n_rows,
                       TlAxisLine *line);

/** tl_axis_line_doubt: What is told is not certain, @because: "they are few".
 */
void tl_axis_line_doubt (TlAxisLine *line, const char *because);

/** tl_axis_line_refuse: Nothing is told, @because (transfer full): a sentence.
 */
void tl_axis_line_refuse (TlAxisLine *line, char *because);

/**
 * tl_axis_line_turn_back:
 *
 * Takes a line that was fitted to projections turned back by @tilt_deg about
 * column @centre_col of the middle row into the detector's own rows.
 */
void tl_axis_line_turn_back (TlAxisLine *line, double tilt_deg,
                             double centre_col);

/**
 * tl_axis_line_get_order:
 * @n: how many rows are looked at
 * @k: the first, the second …
 *
 * Returns: which of them comes @k-th, where few are to stand for all early:
 *   every eighth, then those between
 */
size_t tl_axis_line_get_order (size_t n, size_t k);

/** tl_axis_line_get_row: Returns: the @k-th of @n rows that are spread evenly
 * over those from @first to @last. */
size_t tl_axis_line_get_row (size_t first, size_t last, size_t n, size_t k);

G_END_DECLS
