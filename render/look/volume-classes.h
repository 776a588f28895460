/* Which values a volume has: the range of most of them, and where they are
 * divided into air, sample and dense parts. */
#pragma once

#include <stddef.h>

/* Of the values of a volume, in their unit. Plain value; low < threshold <
 * dense < high, whatever the volume is. */
typedef struct
{
  double low, high; /* 0.5th and 99.9th percentile, in steps of a 1024th of the
                       range of all values: tl_volume_find_range() */
  double threshold; /* divides the values best in two classes (Otsu) */
  double dense;     /* divides those above the threshold again */
  double band[2];   /* the narrowest range that has half of the values above the
                       threshold */
} TlVolumeClasses;

/** tl_volume_find_range: @low, @high: (out): the least and the largest of the
 * finite values of @voxels, [@n]; 0 and 1 if there are none. @high is above
 * @low: if all values are equal, by 1, or to the next number where that is
 * more.
 */
void tl_volume_find_range (const float *voxels, size_t n, float *low,
                           float *high);

/** tl_volume_find_classes: @voxels: [@n]; those that are not finite do not
 * count. @classes: (out) */
void tl_volume_find_classes (const float *voxels, size_t n,
                             TlVolumeClasses *classes);
