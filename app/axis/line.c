#include "app/axis/line.h"

#include "data/array.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#define MIN_ROWS 3
/* Rows more than this many deviations from the line are left out. */
#define OUT 3.0
/* Columns: a smaller uncertainty of a row is not believed. */
#define MIN_UNCERTAINTY 0.02
/* Columns: rows of the same object and detector may share an error, so the
 * uncertainty of the centre and of each end of the line is at least this,
 * however many rows there are. */
#define COMMON_COL 0.02
/* Columns: if rows scatter less than their uncertainties, the rest may be a
 * shared error. Its effect at the ends is limited to this: phantoms of 200 to
 * 320 columns and 50 to 200 rows are off by 0.09 there. */
#define MAX_SHARED_COL 0.1
#define MAX_CORRELATION 0.9
/* Converts a median absolute deviation to a standard deviation. */
#define MAD 1.4826
#define MAX_ROUNDS 20

/* Least values for a certain line: used rows, their fraction of the rows with a
 * result, and the fraction of the detector's height they span. */
#define CERTAIN_ROWS 5
#define CERTAIN_PART 0.6
#define CERTAIN_SPAN 0.5
/* Largest uncertainties of a certain line, in the middle row and at its ends.
 */
#define CERTAIN_COL 0.08
#define CERTAIN_END_COL 0.25
/* Larger uncertainties give no line at all: columns, in the middle row and at
 * the ends, and degrees, since few axes lean by as much. */
#define MAX_COL 2.0
#define MAX_DEG 2.0

const char *const tl_axis_verdict_names[] = { "certain", "look", "cannot-tell",
                                              NULL };

void
tl_axis_line_clear (TlAxisLine *line)
{
  g_clear_pointer (&line->sentence, g_free);
}

void
tl_axis_line_doubt (TlAxisLine *line, const char *because)
{
  line->verdict = TL_AXIS_UNCERTAIN;
  g_free (line->sentence);
  line->sentence = g_strdup_printf (
      _ ("a line fits %u of %u rows, but %s; check it before you use it"),
      line->n_used, line->n_rows, because);
}

void
tl_axis_line_refuse (TlAxisLine *line, char *because)
{
  line->verdict = TL_AXIS_CANNOT_TELL;
  line->centre_col = line->centre_uncertainty_col = NAN;
  line->tilt_deg = line->tilt_uncertainty_deg = NAN;
  g_free (line->sentence);
  line->sentence = because;
}

/* The fit, of all rows with a result. */
typedef struct
{
  size_t n;
  TlAxisPoint **points; /* [n] */
  double *rows, *cols,
      *claims; /* [n]: distance below the middle row, centre, uncertainty */
  double *work, *medians; /* [n] */
  double intercept, slope, variances[2];
  double mean_row; /* weighted, of the used rows */
  double excess;   /* variance added to all uncertainties */
} Fit;

static double
get_residual (const Fit *fit, size_t k)
{
  return fit->cols[k] - fit->intercept - fit->slope * fit->rows[k];
}

static void
begin (Fit *fit)
{
  for (size_t k = 0; k < fit->n; k++)
    {
      size_t m = 0;
      for (size_t j = 0; j < fit->n; j++)
        if (j != k)
          fit->work[m++] =
              (fit->cols[j] - fit->cols[k]) / (fit->rows[j] - fit->rows[k]);
      fit->medians[k] = tl_median (fit->work, m);
    }
  fit->slope = tl_median (fit->medians, fit->n);
  for (size_t k = 0; k < fit->n; k++)
    fit->work[k] = fit->cols[k] - fit->slope * fit->rows[k];
  fit->intercept = tl_median (fit->work, fit->n);
}

/* Selects the rows to use. Returns: whether the selection is unchanged */
static gboolean
choose (Fit *fit)
{
  gboolean is_same = TRUE;
  for (size_t k = 0; k < fit->n; k++)
    fit->work[k] = fabs (get_residual (fit, k));
  const double scale = MAD * tl_median (fit->work, fit->n);
  for (size_t k = 0; k < fit->n; k++)
    {
      const gboolean is_used =
          fabs (get_residual (fit, k)) <= OUT * hypot (scale, fit->claims[k]);
      is_same = is_same && fit->points[k]->is_used == is_used;
      fit->points[k]->is_used = is_used;
    }
  return is_same;
}

/* Fits the used rows by weighted least squares. Returns: the weighted sum of
 * squared deviations per degree of freedom */
static double
solve (Fit *fit)
{
  double w = 0, wx = 0, wxx = 0, wy = 0, wxy = 0, square = 0;
  size_t n_used = 0;
  for (size_t k = 0; k < fit->n; k++)
    if (fit->points[k]->is_used)
      {
        const double x = fit->rows[k], y = fit->cols[k];
        const double weight =
            1 / (fit->claims[k] * fit->claims[k] + fit->excess);
        w += weight;
        wx += weight * x;
        wxx += weight * x * x;
        wy += weight * y;
        wxy += weight * x * y;
        n_used++;
      }
  const double determinant = w * wxx - wx * wx;
  fit->slope = (w * wxy - wx * wy) / determinant;
  fit->intercept = (wxx * wy - wx * wxy) / determinant;
  fit->variances[0] = wxx / determinant;
  fit->variances[1] = w / determinant;
  fit->mean_row = wx / w;
  for (size_t k = 0; k < fit->n; k++)
    if (fit->points[k]->is_used)
      square += get_residual (fit, k) * get_residual (fit, k)
                / (fit->claims[k] * fit->claims[k] + fit->excess);
  return n_used > 2 ? square / (double)(n_used - 2) : 0;
}

/* Finds the variance to add to all uncertainties so that they match the
 * scatter. Bisection works because the weighted scatter decreases with it. */
static void
weigh (Fit *fit)
{
  double low = 0, high = 0;
  fit->excess = 0;
  if (solve (fit) <= 1)
    return;
  for (size_t k = 0; k < fit->n; k++)
    if (fit->points[k]->is_used)
      high += get_residual (fit, k) * get_residual (fit, k);
  high += MIN_UNCERTAINTY;
  for (guint step = 0; step < 40; step++)
    {
      fit->excess = (low + high) / 2;
      if (solve (fit) > 1)
        low = fit->excess;
      else
        high = fit->excess;
    }
}

static guint
count_used (const Fit *fit)
{
  guint n_used = 0;
  for (size_t k = 0; k < fit->n; k++)
    n_used += (guint)fit->points[k]->is_used;
  return n_used;
}

static void
run (Fit *fit)
{
  begin (fit);
  for (guint round = 0; round < MAX_ROUNDS; round++)
    {
      if (choose (fit) && round > 0)
        break;
      if (count_used (fit) < MIN_ROWS)
        break;
      weigh (fit);
    }
}

/* Returns: (nullable): why the line is not certain */
static const char *
find_doubt (const TlAxisLine *line, double span, double slope_uncertainty,
            size_t n_rows)
{
  const double end_col = slope_uncertainty * (double)(n_rows - 1) / 2;
  if (line->n_used < CERTAIN_PART * line->n_found)
    return _ ("many rows contradict the line");
  if (line->n_used < CERTAIN_ROWS)
    return _ ("these are few");
  if (span < CERTAIN_SPAN * (double)(n_rows - 1))
    return _ ("these cover only a part of the height");
  if (!(line->centre_uncertainty_col <= CERTAIN_COL
        && end_col <= CERTAIN_END_COL))
    return _ ("the uncertainty of the line is large");
  return NULL;
}

/* Returns: (transfer full) (nullable): why there is no line */
static char *
find_fault (const TlAxisLine *line, double slope_uncertainty, size_t n_rows)
{
  const double end_col = slope_uncertainty * (double)(n_rows - 1) / 2;
  if (!(line->tilt_uncertainty_deg <= MAX_DEG))
    return g_strdup_printf (
        _ ("the tilt would be %.1f° ± %.1f°: too uncertain for an axis"),
        line->tilt_deg, line->tilt_uncertainty_deg);
  if (!(hypot (line->centre_uncertainty_col, end_col) <= MAX_COL))
    return g_strdup_printf (_ ("at its ends the line is uncertain by ± %.1f "
                               "columns: too much for an axis"),
                            hypot (line->centre_uncertainty_col, end_col));
  return NULL;
}

/* The scatter of the used rows about the line. */
typedef struct
{
  guint n_used;
  double span;                   /* rows between the first and the last */
  double scatter_col, claim_col; /* root mean squares */
  double correlation;            /* of neighbouring residuals, not below 0 */
  double excess; /* squared: scatter relative to the fit's uncertainties */
} Spread;

static Spread
find_spread (const Fit *fit)
{
  double scatter = 0, claim = 0, ratio = 0, product = 0, last = 0;
  double low = INFINITY, high = -INFINITY;
  guint n = 0;
  for (size_t k = 0; k < fit->n; k++)
    if (fit->points[k]->is_used)
      {
        const double residual = get_residual (fit, k);
        const double claimed = fit->claims[k] * fit->claims[k];
        scatter += residual * residual;
        claim += claimed;
        ratio += residual * residual / (claimed + fit->excess);
        product += n > 0 ? residual * last : 0;
        last = residual;
        low = fmin (low, fit->rows[k]);
        high = fmax (high, fit->rows[k]);
        n++;
      }
  return (Spread){
    .n_used = n,
    .span = high - low,
    .scatter_col = sqrt (scatter / n),
    .claim_col = sqrt (claim / n),
    .correlation =
        scatter > 0 ? CLAMP (product / scatter, 0, MAX_CORRELATION) : 0,
    .excess = ratio / (n - 2.0),
  };
}

/* Rows whose errors correlate with those of their neighbours count for fewer
 * rows, as in an autoregression (Bartlett, J. R. Stat. Soc. 98 (1935) 536).
 * Returns: the factor on variances */
static double
inflate (const Spread *spread)
{
  const double r = spread->correlation;
  return fmax (1, spread->excess * (1 + r) / (1 - r));
}

/* Returns: the error that all rows may share, in columns: the part of their
 * uncertainties that exceeds the scatter. It may also bend the line at either
 * end. */
static double
get_shared (const Spread *spread)
{
  const double n_free = spread->n_used - 2.0;
  const double scatter = spread->scatter_col * spread->scatter_col
                         * (1 + 2 / n_free) * (1 + 2 * sqrt (2 / n_free));
  const double square = spread->claim_col * spread->claim_col - scatter;
  return sqrt (fmax (square, 0));
}

static void
conclude (const Fit *fit, size_t n_rows, TlAxisLine *line)
{
  const Spread spread = find_spread (fit);
  const double grown = inflate (&spread);
  const double shared = get_shared (&spread);
  const double slope_uncertainty =
      hypot (sqrt (fit->variances[1] * grown),
             hypot (2 * COMMON_COL, M_SQRT2 * fmin (shared, MAX_SHARED_COL))
                 / spread.span);
  line->scatter_col = spread.scatter_col;
  line->pivot_rows = fit->mean_row;
  line->centre_col = fit->intercept;
  line->centre_uncertainty_col =
      hypot (sqrt (fit->variances[0] * grown), hypot (COMMON_COL, shared));
  line->tilt_deg = atan (fit->slope) * 180 / G_PI;
  line->tilt_uncertainty_deg =
      slope_uncertainty / (1 + fit->slope * fit->slope) * 180 / G_PI;
  char *fault = find_fault (line, slope_uncertainty, n_rows);
  const char *because =
      find_doubt (line, spread.span, slope_uncertainty, n_rows);
  line->verdict = TL_AXIS_CERTAIN;
  if (fault != NULL)
    tl_axis_line_refuse (line, fault);
  else if (because == NULL)
    line->sentence = g_strdup_printf (
        _ ("%u of %u rows lie on one line, within %.2f columns"), line->n_used,
        line->n_rows, line->scatter_col);
  else
    tl_axis_line_doubt (line, because);
}

static void
refuse (TlAxisLine *line, size_t n_rows)
{
  if (n_rows < MIN_ROWS)
    line->sentence = g_strdup (_ ("the detector has too few rows for a tilt"));
  else if (line->n_found < MIN_ROWS)
    line->sentence = g_strdup_printf (
        _ ("%u of %u rows show where the axis is; a line needs three"),
        line->n_found, line->n_rows);
  else
    line->sentence =
        g_strdup_printf (_ ("%u of %u rows show where the axis is, but no "
                            "three of them lie on one line"),
                         line->n_found, line->n_rows);
}

static void
fit_init (Fit *fit, TlAxisPoint *points, size_t n, size_t n_rows)
{
  *fit = (Fit){ .points = g_new (TlAxisPoint *, n + 1) };
  fit->rows = g_new (double, 5 * n + 1);
  fit->cols = fit->rows + n;
  fit->claims = fit->cols + n;
  fit->work = fit->claims + n;
  fit->medians = fit->work + n;
  for (size_t k = 0; k < n; k++)
    {
      points[k].is_used = FALSE;
      if (!isfinite (points[k].centre_col))
        continue;
      fit->points[fit->n] = &points[k];
      fit->rows[fit->n] = (double)points[k].row - ((double)n_rows - 1) / 2;
      fit->cols[fit->n] = points[k].centre_col;
      fit->claims[fit->n] = hypot (points[k].uncertainty_col, MIN_UNCERTAINTY);
      fit->n++;
    }
}

void
tl_axis_line_fit (TlAxisPoint *points, size_t n, size_t n_rows,
                  TlAxisLine *line)
{
  Fit fit;
  fit_init (&fit, points, n, n_rows);
  *line = (TlAxisLine){
    .verdict = TL_AXIS_CANNOT_TELL,
    .centre_col = NAN,
    .centre_uncertainty_col = NAN,
    .tilt_deg = NAN,
    .tilt_uncertainty_deg = NAN,
    .scatter_col = NAN,
    .n_rows = (guint)n,
    .n_found = (guint)fit.n,
  };
  if (fit.n >= MIN_ROWS)
    {
      run (&fit);
      line->n_used = count_used (&fit);
    }
  if (line->n_used >= MIN_ROWS)
    conclude (&fit, n_rows, line);
  else
    refuse (line, n_rows);
  g_free (fit.points);
  g_free (fit.rows);
}

double
tl_axis_line_get_proposal (const TlAxisLine *line, double present_deg)
{
  const double choices_deg[] = { present_deg, 0 };
  for (guint k = 0; k < G_N_ELEMENTS (choices_deg); k++)
    if (fabs (line->tilt_deg - choices_deg[k])
        <= 2 * line->tilt_uncertainty_deg)
      return choices_deg[k];
  return line->tilt_deg;
}

double
tl_axis_line_get_centre (const TlAxisLine *line, double tilt_deg)
{
  const double in_deg = G_PI / 180;
  return line->centre_col
         + line->pivot_rows
               * (tan (line->tilt_deg * in_deg) - tan (tilt_deg * in_deg));
}

void
tl_axis_line_turn_back (TlAxisLine *line, double tilt_deg, double centre_col)
{
  const double all_deg = line->tilt_deg + tilt_deg;
  line->centre_col = centre_col
                     + (line->centre_col - centre_col)
                           * cos (line->tilt_deg * G_PI / 180)
                           / cos (all_deg * G_PI / 180);
  line->tilt_deg = all_deg;
  line->pivot_rows *= cos (tilt_deg * G_PI / 180);
}

size_t
tl_axis_line_get_order (size_t n, size_t k)
{
  size_t start = 0, stride = 8;
  for (size_t step = 8; step > 0; step /= 2)
    {
      const size_t here = n > start ? (n - start + stride - 1) / stride : 0;
      if (k < here)
        return start + k * stride;
      k -= here;
      start = step / 2;
      stride = step;
    }
  g_return_val_if_reached (0);
}

size_t
tl_axis_line_get_row (size_t first, size_t last, size_t n, size_t k)
{
  return first + (2 * k + 1) * (last - first + 1) / (2 * n);
}
