/* A line on a picture, its length and angle, and the values along it. */
#pragma once

#include "app/measure/ruler.h"

G_BEGIN_DECLS

/* From end 0 to end 1, in columns and rows of the picture; the centre of pixel
 * k is at k. A plain value. */
typedef struct
{
  double col[2], row[2];
} TlSegment;

/** tl_segment_get_length: Returns: in pixels. */
double tl_segment_get_length (const TlSegment *line);

/** tl_segment_get_angle_deg: Returns: the angle, counter-clockwise on the
 * screen: 0 for a line to the right, above -180 and up to 180 */
double tl_segment_get_angle_deg (const TlSegment *line);

/** tl_segment_snap: Turns end @end about the other one to the nearest multiple
 * of
 * @step_deg; the length stays. */
void tl_segment_snap (TlSegment *line, guint end, double step_deg);

/* The values of a picture, which need not be one for each of its pixels; a
 * plain value. */
typedef struct
{
  const float *values; /* [n_rows][n_cols] */
  size_t n_rows, n_cols;
  double row, col; /* of the first value's centre, in pixels of the picture */
  double pitch;    /* from one value to the next, in those */
} TlPixels;

typedef struct
{
  size_t n;      /* at least 2 */
  double step;   /* pixels from one value to the next, at most 1 */
  float *values; /* [n]; NaN where the line is outside the picture */
} TlProfile;

/* More pixels across than this are refused. */
#define TL_PROFILE_MAX_WIDTH 99

/**
 * tl_profile_new:
 * @width: 1 … TL_PROFILE_MAX_WIDTH
 *
 * At equal steps from end 0 to end 1, both included, each value is the mean of
 * @width samples a pixel apart, across the line and symmetric to it. A sample
 * is bilinear between the four values around it; those beyond the centres of
 * the outermost do not count.
 *
 * Returns: (transfer full)
 */
TlProfile *tl_profile_new (const TlSegment *line, guint width,
                           const TlPixels *pixels);
void tl_profile_free (TlProfile *profile);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlProfile, tl_profile_free)

/** tl_profile_get_range: Sets the range of the values that are numbers.
 * Returns: %FALSE if there are none */
gboolean tl_profile_get_range (const TlProfile *profile, float *min,
                               float *max);

/**
 * tl_profile_to_csv:
 * @units: where they know the size of a pixel there are columns in physical
 *   units too
 *
 * Returns: (transfer full): a line of names with units, then one for each
 *   value, numbers with a point; a field is empty outside the picture
 */
char *tl_profile_to_csv (const TlProfile *profile, const TlUnits *units);

G_END_DECLS
