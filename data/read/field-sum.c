#include "data/read/field-sum-private.h"

#include <math.h>

#define MIN_FRAMES 3
#define MIN_DISTANCE 8.0    /* standard deviations */
#define MIN_PART 1e-3       /* least noise of floats, as a part of the mean */
#define MAX_SPOTS (1 / 10.) /* of a row */

void
tl_field_sum_clear (TlFieldSum *sums, size_t n)
{
  for (size_t k = 0; k < n; k++)
    sums[k] = (TlFieldSum){ .largest = -INFINITY };
}

void
tl_field_sum_add (TlFieldSum *sums, const double *values, size_t n)
{
  for (size_t k = 0; k < n; k++)
    {
      sums[k].sum += values[k];
      sums[k].squares += values[k] * values[k];
      if (values[k] > sums[k].largest)
        sums[k].largest = values[k];
    }
}

/* The values of a pixel but the largest. */
typedef struct
{
  double mean, variance;
} Others;

static Others
get_others (const TlFieldSum *sum, size_t n_frames)
{
  const double n = (double)(n_frames - 1);
  const double rest = sum->sum - sum->largest;
  const double squares = sum->squares - sum->largest * sum->largest;
  return (Others){ rest / n, MAX (squares - rest * rest / n, 0) / (n - 1) };
}

typedef struct
{
  double mean;     /* of the absolute values */
  double variance; /* divided by the mean */
  double excess;   /* of the largest values over the others, likewise */
} Row;

static Row
measure_row (const TlFieldSum *sums, size_t n_cols, size_t n_frames)
{
  double variance = 0, excess = 0, mean = 0;
  size_t n = 0;
  for (size_t k = 0; k < n_cols; k++)
    if (isfinite (sums[k].squares))
      {
        const Others others = get_others (&sums[k], n_frames);
        variance += others.variance;
        excess += sums[k].largest - others.mean;
        mean += fabs (others.mean);
        n++;
      }
  return mean > 0 ? (Row){ mean / (double)n, variance / mean, excess / mean }
                  : (Row){ 0 };
}

static gboolean
is_integer (TlSampleType type)
{
  return type != TL_SAMPLE_F32 && type != TL_SAMPLE_F64;
}

/* Returns: whether the largest value is far from @others; %FALSE for NaN */
static gboolean
is_spot (const TlFieldSum *sum, const Others *others, const Row *row,
         TlSampleType type)
{
  const double mean = fabs (others->mean);
  const double least = is_integer (type) ? 1 : MIN_PART * mean;
  const double variance =
      MAX (MAX (others->variance, row->variance * MAX (mean, row->mean)),
           least * least);
  return sum->largest - others->mean - row->excess * mean
         > MIN_DISTANCE * (1 + row->excess) * sqrt (variance);
}

size_t
tl_field_sum_get_means (const TlFieldSum *sums, size_t n_cols, size_t n_frames,
                        TlSampleType type, double *means)
{
  size_t n_spots = 0;
  for (size_t k = 0; k < n_cols; k++)
    means[k] = sums[k].sum / (double)n_frames;
  if (n_frames < MIN_FRAMES)
    return 0;
  const Row row = measure_row (sums, n_cols, n_frames);
  for (size_t k = 0; k < n_cols; k++)
    {
      const Others others = get_others (&sums[k], n_frames);
      n_spots += is_spot (&sums[k], &others, &row, type);
    }
  if (n_spots > 1 && (double)n_spots > MAX_SPOTS * (double)n_cols)
    return 0;
  for (size_t k = 0; k < n_cols && n_spots > 0; k++)
    {
      const Others others = get_others (&sums[k], n_frames);
      if (is_spot (&sums[k], &others, &row, type))
        means[k] = others.mean;
    }
  return n_spots;
}
