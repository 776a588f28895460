#include "gpu/stages/half-acquisition.h"

#include <math.h>

/* The width of a row is rounded up to a multiple of STEP columns. So the size
 * of the slice changes only after the centre has moved by STEP / 2 columns. */
#define STEP 16

static gboolean
is_near_left (double centre_col, size_t n_cols)
{
  return 2.0 * centre_col <= (double)n_cols - 1.0;
}

double
tl_half_get_near (double centre_col, double axis_col, size_t n_cols)
{
  return is_near_left (centre_col, n_cols) ? axis_col
                                           : (double)n_cols - 1.0 - axis_col;
}

TlHalfSpan
tl_half_span (gboolean half, double centre_col, size_t n_cols)
{
  const double last_col = (double)n_cols - 1.0;

  if (!half)
    return (TlHalfSpan){ n_cols, 0 };
  size_t n = (size_t)ceil (2.0 * fmax (centre_col, last_col - centre_col)) + 1;
  n = (MAX (n, n_cols) + STEP - 1) / STEP * STEP;
  return (TlHalfSpan){ n, is_near_left (centre_col, n_cols) ? n - n_cols : 0 };
}

gboolean
tl_half_suits (double centre_col, size_t n_cols)
{
  return 3.0 * tl_half_get_near (centre_col, centre_col, n_cols)
         < (double)n_cols - 1.0;
}

void
tl_half_weights (double centre_col, double axis_col, double near_cols,
                 double feather_cols, size_t n_cols, double *weights)
{
  const double sign = is_near_left (centre_col, n_cols) ? 1.0 : -1.0;
  double reach = fmax (near_cols, 0.0);

  if (feather_cols > 0.0)
    reach = fmin (reach, feather_cols / 2.0);
  for (size_t col = 0; col < n_cols; col++)
    {
      const double s = sign * ((double)col - axis_col);

      if (fabs (s) >= reach)
        weights[col] = s < 0.0 ? 0.0 : s > 0.0 ? 1.0 : 0.5;
      else
        weights[col] = (1.0 + sin (G_PI * s / (2.0 * reach))) / 2.0;
    }
}
