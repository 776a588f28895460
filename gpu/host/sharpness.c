/* The sharpness of a slice: sums over its quarters, in one pass. */
#include "gpu/host/host-private.h"

#include "gpu/backend/sharpness.h"

#include <math.h>

#define ROWS_PER_ITEM 16

typedef struct
{
  const float *pixels; /* [n_rows][n_cols] */
  size_t n_rows, n_cols;
  const TlSharpnessArgs *args;
  size_t n_bands; /* bands of ROWS_PER_ITEM rows in the larger quarters */
  TlSharpnessSums *partials; /* [quarter][n_bands]; added in a fixed order, so
                                that the result is reproducible */
} Work;

static void
add_pixel (const Work *work, const float *pixel, TlSharpnessSums *sums)
{
  const double v = pixel[0], right = pixel[1], below = pixel[work->n_cols];
  const double dx = right - v, dy = below - v;

  if (!isfinite (dx + dy))
    return;
  const double place = CLAMP ((v - work->args->low) * work->args->bins_per_unit,
                              0, TL_SHARPNESS_LAST_PLACE);
  const size_t bin = (size_t)place;

  sums->n++;
  sums->sum += v;
  sums->square += v * v;
  sums->negative += MIN (v, 0);
  sums->gradient += dx * dx + dy * dy;
  sums->histogram[bin] += (double)(bin + 1) - place;
  sums->histogram[bin + 1] += place - (double)bin;
}

/* Sums one band of rows of one quarter. */
static void
sum_band (size_t item, guint worker, gpointer data)
{
  const Work *work = data;
  const size_t band = item % work->n_bands;
  const TlQuarter quarter = tl_quarter_get (work->n_rows, work->n_cols,
                                            (guint)(item / work->n_bands));
  const size_t first = MIN (band * ROWS_PER_ITEM, quarter.n_rows);
  const size_t end = MIN (first + ROWS_PER_ITEM, quarter.n_rows);
  const double middle_row = ((double)work->n_rows - 1) / 2;
  const double middle_col = ((double)work->n_cols - 1) / 2;
  const double radius_2 = work->args->radius * work->args->radius;
  TlSharpnessSums *sums = &work->partials[item];

  *sums = (TlSharpnessSums){ 0 };
  for (size_t i = quarter.first_row + first; i < quarter.first_row + end; i++)
    for (size_t j = quarter.first_col; j < quarter.first_col + quarter.n_cols;
         j++)
      {
        const double x = (double)j - middle_col, y = (double)i - middle_row;

        if (x * x + y * y < radius_2)
          add_pixel (work, work->pixels + i * work->n_cols + j, sums);
      }
}

void
tl_host_measure_sharpness (TlHostPool *pool, const float *pixels, size_t n_rows,
                           size_t n_cols, const TlSharpnessArgs *args,
                           TlSharpnessSums *sums)
{
  const size_t n_bands = (n_rows / 2 + ROWS_PER_ITEM) / ROWS_PER_ITEM;
  g_autofree TlSharpnessSums *partials =
      g_new (TlSharpnessSums, TL_N_QUARTERS * n_bands);
  Work work = { pixels, n_rows, n_cols, args, n_bands, partials };

  tl_host_pool_run (pool, TL_N_QUARTERS * n_bands, sum_band, &work);
  for (guint quarter = 0; quarter < TL_N_QUARTERS; quarter++)
    {
      TlSharpnessSums *all = &sums[quarter];

      *all = (TlSharpnessSums){ 0 };
      for (size_t band = 0; band < n_bands; band++)
        {
          const TlSharpnessSums *part = &partials[quarter * n_bands + band];

          all->n += part->n;
          all->sum += part->sum;
          all->square += part->square;
          all->negative += part->negative;
          all->gradient += part->gradient;
          for (size_t bin = 0; bin < TL_SHARPNESS_BINS; bin++)
            all->histogram[bin] += part->histogram[bin];
        }
    }
}
