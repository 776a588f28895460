#include "render/look/volume-look.h"

#include <math.h>

const char *const tl_volume_way_names[TL_N_VOLUME_WAYS + 1] = {
  "emission", "maximum", "surface", NULL
};

/* Otsu, A threshold selection method from gray-level histograms, IEEE Trans.
 * Syst. Man Cybern. 9 (1979) 62. */
#define N_BINS 1024

#define LOW_PART 0.005
#define HIGH_PART 0.999

/* Of the default transfer function at the upper end of the colours: a body of
 * a tenth of the volume lets 1 % through. */
#define MOST_OPACITY 0.37

void
tl_volume_look_init (TlVolumeLook *look)
{
  *look = (TlVolumeLook){ .box = { { 0, 1 }, { 0, 1 }, { 0, 1 } } };
}

void
tl_volume_look_scale (TlVolumeLook *look, double factor)
{
  look->low *= factor;
  look->high *= factor;
  look->threshold *= factor;
  for (guint k = 0; k < look->n_points; k++)
    look->points[k].value *= factor;
}

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
      *low = isfinite (*low) ? *low : 0;
      *high = *low + 1;
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

/* Returns: the bin above which the rest of the values lies */
static int
find_part (const double *bins, double part)
{
  double sum = 0, all = 0;
  int b = 0;

  for (int k = 0; k < N_BINS; k++)
    all += bins[k];
  while (b < N_BINS - 1 && (sum += bins[b]) < part * all)
    b++;
  return b;
}

/* Returns: where the upper class begins, in bins: in the middle of those that
 * divide equally well, as empty ones do */
static double
divide (const double *bins)
{
  double n = 0, sum = 0, n_below = 0, sum_below = 0, best = -1;
  int first = N_BINS / 2, last = N_BINS / 2;

  for (int b = 0; b < N_BINS; b++)
    {
      n += bins[b];
      sum += b * bins[b];
    }
  for (int b = 0; b < N_BINS - 1; b++)
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

void
tl_volume_look_settle (TlVolumeLook *look, const float *voxels, size_t n)
{
  double bins[N_BINS];
  float least, most;

  tl_volume_find_range (voxels, n, &least, &most);
  count (voxels, n, least, most, bins);
  const double bin = ((double)most - least) / N_BINS;
  const double first = least + bin * find_part (bins, LOW_PART);
  const double last = least + bin * (find_part (bins, HIGH_PART) + 1);

  /* a few bright voxels must not leave all others in one bin */
  count (voxels, n, first, last, bins);
  const double divided = first + (last - first) / N_BINS * divide (bins);

  if (look->low == 0 && look->high == 0)
    {
      look->low = first;
      look->high = last;
    }
  if (look->threshold == 0)
    look->threshold = divided;
  if (look->n_points == 0)
    {
      look->points[0] = (TlVolumePoint){ divided, 0 };
      look->points[1] = (TlVolumePoint){ last, MOST_OPACITY };
      look->n_points = 2;
    }
}

double
tl_volume_look_get_opacity (const TlVolumeLook *look, double value)
{
  const TlVolumePoint *points = look->points;
  guint k = 0;

  if (look->n_points == 0)
    return 0;
  while (k < look->n_points && points[k].value <= value)
    k++;
  if (k == 0 || k == look->n_points)
    return points[k == 0 ? 0 : k - 1].opacity;
  const TlVolumePoint *below = &points[k - 1], *above = &points[k];

  return below->opacity
         + (above->opacity - below->opacity) * (value - below->value)
               / (above->value - below->value);
}

GVariant *
tl_volume_look_list_points (const TlVolumeLook *look)
{
  GVariantBuilder points;

  g_variant_builder_init (&points, G_VARIANT_TYPE ("a(dd)"));
  for (guint k = 0; k < look->n_points; k++)
    g_variant_builder_add (&points, "(dd)", look->points[k].value,
                           look->points[k].opacity);
  return g_variant_builder_end (&points);
}
