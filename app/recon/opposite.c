#include "app/recon/opposite.h"

#include "data/array.h"
#include "data/error.h"

#include <glib/gi18n.h>
#include <math.h>

/* How far a scan may end short of half a turn, steps between projections. */
#define MAX_MISSING_STEPS 1.5
/* An angle this near to the wanted one, in steps, needs no interpolation. */
#define SAME_PART 0.02

/* Returns: the median step between neighbours, degrees */
static double
find_step (const double *angles_deg, size_t n)
{
  g_autofree double *steps = g_new (double, n);
  for (size_t k = 0; k + 1 < n; k++)
    steps[k] = fabs (angles_deg[k + 1] - angles_deg[k]);
  if (n < 2)
    return 0;
  tl_sort_doubles (steps, n - 1);
  return steps[(n - 1) / 2];
}

/* Sets what stands for the projection at @wanted_deg. Returns: how far the scan
 * ends short of it, degrees; the caller refuses more than MAX_MISSING_STEPS */
static double
find_at (const double *angles_deg, size_t n, double wanted_deg, double step_deg,
         TlOpposite *opposite)
{
  size_t nearest = 0;
  for (size_t k = 0; k < n; k++)
    if (fabs (angles_deg[k] - wanted_deg)
        < fabs (angles_deg[nearest] - wanted_deg))
      nearest = k;
  opposite->before = opposite->after = nearest;
  opposite->part = 0;
  opposite->opposite_deg = angles_deg[nearest];
  const double missing = fabs (angles_deg[nearest] - wanted_deg);
  if (missing <= SAME_PART * step_deg)
    return 0;
  for (size_t other = nearest > 0 ? nearest - 1 : 1;
       other <= nearest + 1 && other < n; other += 2)
    {
      const double apart = angles_deg[other] - angles_deg[nearest];
      const double part = (wanted_deg - angles_deg[nearest]) / apart;
      if (part > 0 && part < 1 && fabs (apart) <= 2 * step_deg)
        {
          opposite->after = other;
          opposite->part = part;
          opposite->opposite_deg = wanted_deg;
          return 0;
        }
    }
  return missing;
}

gboolean
tl_opposite_find (const double *angles_deg, size_t n, size_t projection,
                  TlOpposite *opposite, GError **error)
{
  g_return_val_if_fail (angles_deg != NULL && n > 0, FALSE);
  *opposite = (TlOpposite){ .projection = projection };
  if (projection >= n)
    return tl_fail (error, TL_ERROR_VALUE,
                    _ ("there is no projection %zu; they are 0 to %zu"),
                    projection, n - 1);
  const double step_deg = find_step (angles_deg, n);
  TlOpposite on = *opposite, back = *opposite;
  opposite->angle_deg = on.angle_deg = back.angle_deg = angles_deg[projection];
  on.missing_deg = find_at (angles_deg, n, on.angle_deg + 180, step_deg, &on);
  back.missing_deg =
      find_at (angles_deg, n, back.angle_deg - 180, step_deg, &back);
  *opposite = back.missing_deg < on.missing_deg ? back : on;
  if (opposite->missing_deg <= MAX_MISSING_STEPS * step_deg
      && opposite->missing_deg < 90)
    return TRUE;
  return tl_fail (error, TL_ERROR_VALUE,
                  _ ("the projection at %.4g° has no opposite: the angles go "
                     "from %.4g° to %.4g°"),
                  opposite->angle_deg, angles_deg[0], angles_deg[n - 1]);
}

gboolean
tl_opposite_find_first (const double *angles_deg, size_t n,
                        TlOpposite *opposite, GError **error)
{
  g_return_val_if_fail (angles_deg != NULL && n > 0, FALSE);
  for (size_t k = 0; k < n; k++)
    if (tl_opposite_find (angles_deg, n, k, opposite, NULL))
      return TRUE;
  return tl_fail (error, TL_ERROR_VALUE,
                  _ ("no two projections are half a turn apart: the angles go "
                     "from %.4g° to %.4g°"),
                  angles_deg[0], angles_deg[n - 1]);
}
