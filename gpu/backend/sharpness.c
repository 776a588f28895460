#include "gpu/backend/sharpness.h"

#include <math.h>

TlQuarter
tl_quarter_get (size_t n_rows, size_t n_cols, guint quarter)
{
  const size_t middle_row = n_rows / 2, middle_col = n_cols / 2;
  const gboolean is_below = quarter / 2 == 1, is_right = quarter % 2 == 1;
  return (TlQuarter){
    .first_row = is_below ? middle_row : 0,
    .n_rows = is_below ? n_rows - 1 - middle_row : middle_row,
    .first_col = is_right ? middle_col : 0,
    .n_cols = is_right ? n_cols - 1 - middle_col : middle_col,
  };
}

/* Returns: the entropy of the histogram, nats per pixel. */
static double
find_entropy (const TlSharpnessSums *sums)
{
  double entropy = 0;
  for (size_t bin = 0; bin < TL_SHARPNESS_BINS; bin++)
    {
      const double part = sums->histogram[bin] / (double)sums->n;
      if (sums->histogram[bin] > 0)
        entropy -= part * log (part);
    }
  return entropy;
}

void
tl_sharpness_init (TlSharpness *sharpness, const TlSharpnessSums *sums)
{
  for (guint quarter = 0; quarter < TL_N_QUARTERS; quarter++)
    {
      const TlSharpnessSums *s = &sums[quarter];
      const double n = (double)s->n;
      double (*figures)[TL_N_QUARTERS] = sharpness->figures;
      sharpness->n_pixels[quarter] = s->n;
      figures[TL_SHARPNESS_ENTROPY][quarter] = -find_entropy (s) * n;
      figures[TL_SHARPNESS_NEGATIVITY][quarter] = s->negative;
      figures[TL_SHARPNESS_GRADIENT][quarter] = s->gradient;
      figures[TL_SHARPNESS_DEVIATION][quarter] =
          s->square - s->sum * s->sum / MAX (n, 1);
    }
}
