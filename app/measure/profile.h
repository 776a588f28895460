/* A line on a picture: its length, its angle and the values along it. */
#pragma once

#include "app/measure/ruler.h"

/* A line from end 0 to end 1, in columns and rows of the picture; the centre
 * of pixel k is at k. A plain value. */
typedef struct
{
  double col[2], row[2];
} TlSegment;

/** tl_segment_get_length: Returns: the length in pixels */
double tl_segment_get_length (const TlSegment *line);

/** tl_segment_get_angle_deg: Returns: the angle, counter-clockwise on the
 * screen, above -180 and up to 180; 0 for a line to the right */
double tl_segment_get_angle_deg (const TlSegment *line);

/** tl_segment_snap: Rotates end @end about the other end to the nearest
 * multiple of @step_deg. The length stays. */
void tl_segment_snap (TlSegment *line, guint end, double step_deg);

/* The values of a picture; their grid may differ from the picture's pixels.
 * A plain value. */
typedef struct
{
  const float *values; /* [n_rows][n_cols] */
  size_t n_rows, n_cols;
  double row, col; /* centre of the first value, in pixels of the picture */
  double pitch; /* distance of neighbouring values, in pixels of the picture */
} TlPixels;

typedef struct
{
  size_t n;      /* at least 2 */
  double step;   /* distance of neighbouring values in pixels, at most 1 */
  float *values; /* [n]; NaN outside the picture */
} TlProfile;

/* Largest width of a profile in pixels. */
#define TL_PROFILE_MAX_WIDTH 99

/**
 * tl_profile_new:
 * @width: 1 … TL_PROFILE_MAX_WIDTH
 *
 * Samples the line at equal steps from end 0 to end 1, both included. Each
 * value is the mean of @width samples one pixel apart, across the line and
 * symmetric to it. A sample is interpolated bilinearly from the four values
 * around it. Samples beyond the centres of the outermost values do not count.
 *
 * Returns: (transfer full)
 */
TlProfile *tl_profile_new (const TlSegment *line, guint width,
                           const TlPixels *pixels);
void tl_profile_free (TlProfile *profile);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlProfile, tl_profile_free)

/** tl_profile_get_range: Sets @min and @max to the range of the finite
 * values. Returns: %FALSE if there are none */
gboolean tl_profile_get_range (const TlProfile *profile, float *min,
                               float *max);

/**
 * tl_profile_to_csv:
 * @held: (nullable): along the same line in another picture, A; follows as
 *   further columns
 * @units: if the pixel size is known, columns in physical units are added
 *
 * Returns: (transfer full): a header line of names with units, then one line
 *   for each value, with a decimal point; fields outside the picture are
 *   empty
 */
char *tl_profile_to_csv (const TlProfile *profile, const TlProfile *held,
                         const TlUnits *units);
