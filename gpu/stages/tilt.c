#include "gpu/stages/tilt.h"

#include <math.h>

/* The interpolation reads this many rows to either side. */
#define REACH 2.0

/* Returns: how many rows a slice is away from its own row at the farther edge
 * of the detector. */
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
  /* By so many rows the tilt moves the first and the last row towards the
   * middle. */
  const double nearer =
      (double)n_rows / 2.0 * (1.0 - cos (tilt_deg * G_PI / 180.0));

  if (!tl_tilt_resamples (tilt_deg, centre_col, n_cols))
    return 0;
  return (size_t)ceil (get_slant (tilt_deg, centre_col, n_cols) + nearer
                       + REACH);
}

/* A slice may reach up to half a row beyond the outermost row, because that row
 * is still the nearest one. */
gboolean
tl_tilt_find_inner (double tilt_deg, double centre_col, size_t n_rows,
                    size_t n_cols, size_t *first, size_t *last)
{
  const double sine = sin (tilt_deg * G_PI / 180.0);
  const double cosine = cos (tilt_deg * G_PI / 180.0);
  const double middle = ((double)n_rows - 1.0) / 2.0;
  const double left = centre_col * sine;
  const double right = (centre_col - ((double)n_cols - 1.0)) * sine;
  const double up = fmax (-fmin (left, right), 0.0);
  const double down = fmax (fmax (left, right), 0.0);

  *first = 0;
  *last = n_rows - 1;
  if (!tl_tilt_resamples (tilt_deg, centre_col, n_cols))
    return TRUE;
  double from = ceil (middle + (up - middle - 0.5) / cosine);
  double to = floor (middle + (middle + 0.5 - down) / cosine);
  if (from > to)
    return FALSE;
  *first = (size_t)fmax (from, 0.0);
  *last = (size_t)fmin (to, middle * 2.0);
  return TRUE;
}
