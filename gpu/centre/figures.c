#include "gpu/centre/figures.h"

#include <math.h>
#include <string.h>

gboolean
tl_centre_sees_twice (const double *angles_rad, size_t n)
{
  double low = INFINITY, high = -INFINITY;
  for (size_t p = 0; p < n; p++)
    {
      low = MIN (low, angles_rad[p]);
      high = MAX (high, angles_rad[p]);
    }
  return high - low > 1.5 * G_PI;
}

gboolean
tl_centre_figure_tells (TlSharpnessFigure figure, TlCentreRays rays)
{
  switch (rays)
    {
    case TL_CENTRE_RAYS_TWICE:
      return figure == TL_SHARPNESS_GRADIENT
             || figure == TL_SHARPNESS_DEVIATION;
    case TL_CENTRE_RAYS_MERGED:
      return figure == TL_SHARPNESS_ENTROPY || figure == TL_SHARPNESS_GRADIENT;
    default:
      return figure == TL_SHARPNESS_ENTROPY
             || figure == TL_SHARPNESS_NEGATIVITY;
    }
}

gboolean
tl_centre_find_range (TlEngine *engine, TlFrame *frame, float *low, float *high,
                      GError **error)
{
  TlStats stats;
  if (*low < *high)
    return TRUE;
  if (!tl_engine_measure (engine, frame, 0, &stats, error))
    return FALSE;
  *low = stats.min;
  *high = fmaxf (stats.max, nextafterf (stats.min, INFINITY));
  return TRUE;
}

void
tl_centre_combine (const double *figures, size_t n, TlCentreRays rays,
                   double *values)
{
  guint n_telling = 0;
  memset (values, 0, n * sizeof *values);
  for (guint figure = 0; figure < TL_N_SHARPNESSES; figure++)
    {
      const double *at = figures + figure;
      double low = INFINITY, high = -INFINITY;
      if (!tl_centre_figure_tells (figure, rays))
        continue;
      n_telling++;
      for (size_t k = 0; k < n; k++)
        {
          low = MIN (low, at[k * TL_N_SHARPNESSES]);
          high = MAX (high, at[k * TL_N_SHARPNESSES]);
        }
      for (size_t k = 0; high > low && k < n; k++)
        values[k] += (at[k * TL_N_SHARPNESSES] - low) / (high - low);
    }
  for (size_t k = 0; k < n; k++)
    values[k] /= n_telling;
}
