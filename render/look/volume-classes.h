/* Which values a volume has: the range of most of them, and where they are
 * divided into air, sample and dense parts. */
#pragma once

#include <stddef.h>

/* Of the values of a volume, in their unit. Plain value; low < threshold <
 * dense < high, whatever the volume is. */
typedef struct
{
  double low, high; /* 0.5th and 99.9th percentile; in a volume of equal values
                       the latter is 1 above them */
  double threshold; /* divides the values best in two classes (Otsu) */
  double dense;     /* divides those above the threshold again */
  double band[2];   /* the narrowest range that has half of the values above the
                       threshold */
} TlVolumeClasses;

/** tl_volume_find_range: @low, @high: (out): the least and the largest of the
 * finite values of @voxels, [@n]; if all are equal, @high is 1 above them, and
 * 0 and 1 if there are none. */
void tl_volume_find_range (const float *voxels, size_t n, float *low,
                           float *high);

/** tl_volume_find_classes: @voxels: [@n]; those that are not finite do not
 * count. @classes: (out) */
void tl_volume_find_classes (const float *voxels, size_t n,
                             TlVolumeClasses *classes);
