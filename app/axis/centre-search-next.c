#include "app/axis/centre-search.h"

#include <math.h>

/* More than any distance between columns, yet small enough to keep thousandths
 * in a double. */
#define ALL_AROUND 1e9

/* Half of the thousandth that results are rounded to. */
#define LEAST_COL 0.0005

/* Returns: the distance from @from_col to @to_col in direction @n, wrapping
 * around */
static double
get_way (double from_col, double to_col, int n)
{
  const double way = (to_col - from_col) * n;
  return way > LEAST_COL ? way : way + ALL_AROUND;
}

double
tl_centre_search_find_next (TlCentreSearch *search, double from_col, int n)
{
  g_return_val_if_fail (TL_IS_CENTRE_SEARCH (search), NAN);
  g_return_val_if_fail (n == 1 || n == -1, NAN);
  TlCentreAgreement agreement;
  double next_col = NAN;
  if (tl_centre_search_get_agreement (search, &agreement))
    next_col = agreement.centre_col;
  for (guint k = 0; k < tl_centre_search_count (search); k++)
    {
      TlCentreFound found;
      tl_centre_search_get (search, k, &found);
      if (found.is_found
          && (isnan (next_col)
              || get_way (from_col, found.centre_col, n)
                     < get_way (from_col, next_col, n)))
        next_col = found.centre_col;
    }
  return next_col;
}
