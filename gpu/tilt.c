#include "gpu/tilt.h"

#include <math.h>

/* Rows to either side that the interpolation reads. */
#define REACH 2.0

/* Rows that a slice leaves its own by, at the farther edge. */
static double
get_slant (double tilt_deg, double centre_col, size_t n_cols)
{
  const double far = fmax (centre_col, (double)n_cols - 1.0 - centre_col);

  return far * fabs (sin (tilt_deg * G_PI / 180.0));
}

gboolean
tl_tilt_resamples (double tilt_deg, double centre_col, size_t n_cols)
{
  return get_slant (tilt_deg, centre_col, n_cols) > TL_TILT_SHEAR_ROWS;
}

double
tl_tilt_get_axis_col (double tilt_deg, double centre_col, double rows)
{
  return centre_col + rows * tan (tilt_deg * G_PI / 180.0);
}

size_t
tl_tilt_get_margin (double tilt_deg, double centre_col, size_t n_rows,
                    size_t n_cols)
{
  /* what the rows at the ends come nearer to the middle by */
  const double nearer =
      (double)n_rows / 2.0 * (1.0 - cos (tilt_deg * G_PI / 180.0));

  if (!tl_tilt_resamples (tilt_deg, centre_col, n_cols))
    return 0;
  return (size_t)ceil (get_slant (tilt_deg, centre_col, n_cols) + nearer
                       + REACH);
}
