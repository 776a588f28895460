#include "gpu/stages/fourier.h"

#include "data/error.h"
#include "gpu/stages/filter.h"

#include <glib/gi18n.h>
#include <math.h>

gboolean
tl_fourier_check_reach (const TlGrid *grid, size_t n_cols, double axis_col,
                        GError **error)
{
  const double x1 = grid->x0 + (double)(grid->nx - 1) * grid->pitch;
  const double y1 = grid->y0 - (double)(grid->ny - 1) * grid->pitch;
  const double reach = hypot (fmax (fabs (grid->x0), fabs (x1)),
                              fmax (fabs (grid->y0), fabs (y1)));
  const double length = (double)tl_filter_length (n_cols);
  const double limit =
      fmin (length - axis_col, axis_col + length - ((double)n_cols - 1.0));

  if (reach <= limit)
    return TRUE;
  return tl_fail (error, TL_ERROR_VALUE,
                  _ ("the pixels reach up to %.0f columns from the axis, and "
                     "the Fourier method only to %.0f; use back-projection"),
                  reach, limit);
}
