#include "render/look/volume-classes.h"

#include <float.h>
#include <math.h>

/* Otsu, A threshold selection method from gray-level histograms, IEEE Trans.
 * Syst. Man Cybern. 9 (1979) 62. */
#define N_BINS 1024

#define LOW_PART 0.005
#define HIGH_PART 0.999
#define BAND_PART 0.5

void
tl_volume_find_range (const float *voxels, size_t n, float *low, float *high)
{
  *low = INFINITY;
  *high = -INFINITY;
  for (size_t k = 0; k < n; k++)
    if (isfinite (voxels[k]))
      {
        *low = fminf (*low, voxels[k]);
        *high = fmaxf (*high, voxels[k]);
      }
  if (!(*low < *high))
    {
      *low = isfinite (*low) ? fminf (*low, nextafterf (FLT_MAX, 0)) : 0;
      *high = fmaxf (*low + 1, nextafterf (*low, INFINITY));
    }
}

/* Counts the values from @low to @high; the others belong to the first and the
 * last bin. */
static void
count (const float *voxels, size_t n, double low, double high, double *bins)
{
  const float first = (float)low, per_value = (float)(N_BINS / (high - low));

  for (int b = 0; b < N_BINS; b++)
    bins[b] = 0;
  for (size_t k = 0; k < n; k++)
    if (isfinite (voxels[k]))
      {
        const float at = (voxels[k] - first) * per_value;

        bins[(int)fminf (fmaxf (at, 0), N_BINS - 1)]++;
      }
}

/* Returns: how many values the bins from @from on have */
static double
sum_bins (const double *bins, int from)
{
  double sum = 0;

  for (int b = from; b < N_BINS; b++)
    sum += bins[b];
  return sum;
}

/* Returns: the bin above which the rest of the values lies */
static int
find_part (const double *bins, double part)
{
  const double all = sum_bins (bins, 0);
  double sum = 0;
  int b = 0;

  while (b < N_BINS - 1 && (sum += bins[b]) < part * all)
    b++;
  return b;
}

/* Returns: where the upper class of the bins from @from on begins, in bins: in
 * the middle of those that divide equally well, as empty ones do */
static double
divide (const double *bins, int from)
{
  double n = 0, sum = 0, n_below = 0, sum_below = 0, best = -1;
  double first = (from + N_BINS) / 2.0, last = first;

  for (int b = from; b < N_BINS; b++)
    {
      n += bins[b];
      sum += b * bins[b];
    }
  for (int b = from; b < N_BINS - 1; b++)
    {
      n_below += bins[b];
      sum_below += b * bins[b];
      if (n_below == 0 || n_below == n)
        continue;
      const double apart =
          sum_below / n_below - (sum - sum_below) / (n - n_below);
      const double between = n_below * (n - n_below) * apart * apart;

      if (between > best)
        {
          best = between;
          first = b + 1;
        }
      if (between == best)
        last = b + 1;
    }
  return (first + last) / 2.0;
}

/* @band: (out): the fewest bins from @from on that have BAND_PART of their
 * values, and the bin after them */
static void
find_band (const double *bins, int from, int *band)
{
  const double wanted = BAND_PART * sum_bins (bins, from);
  double sum = 0;
  int first = from;

  band[0] = from;
  band[1] = N_BINS;
  for (int b = from; b < N_BINS; b++)
    {
      sum += bins[b];
      while (first < b && sum - bins[first] >= wanted)
        sum -= bins[first++];
      if (sum >= wanted && b + 1 - first < band[1] - band[0])
        {
          band[0] = first;
          band[1] = b + 1;
        }
    }
}

void
tl_volume_find_classes (const float *voxels, size_t n, TlVolumeClasses *classes)
{
  double bins[N_BINS];
  float least, most;
  int band[2];

  tl_volume_find_range (voxels, n, &least, &most);
  count (voxels, n, least, most, bins);
  const double all = ((double)most - least) / N_BINS;
  const double low = least + all * find_part (bins, LOW_PART);
  const double high = least + all * (find_part (bins, HIGH_PART) + 1);
  const double bin = (high - low) / N_BINS;

  /* a few bright voxels must not leave all others in one bin */
  count (voxels, n, low, high, bins);
  const double divided = divide (bins, 0);
  const int above = (int)ceil (divided);

  find_band (bins, above, band);
  *classes =
      (TlVolumeClasses){ .low = low,
                         .high = high,
                         .threshold = low + bin * divided,
                         .dense = low + bin * divide (bins, above),
                         .band = { low + bin * band[0], low + bin * band[1] } };
}
