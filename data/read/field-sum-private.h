/* The mean of flat or dark fields without zingers: each frame is added and
 * then forgotten, so that fields of a scan that is being taken need no more
 * memory than those of a file. */
#pragma once

#include "data/samples.h"

/* A pixel of the frames so far. */
typedef struct
{
  double sum, squares, largest;
} TlFieldSum;

/** tl_field_sum_clear: Forgets all frames. @sums: (out caller-allocates): [@n]
 */
void tl_field_sum_clear (TlFieldSum *sums, size_t n);

/** tl_field_sum_add: Adds a frame. @sums: (inout): [@n]. @values: [@n] */
void tl_field_sum_add (TlFieldSum *sums, const double *values, size_t n);

/**
 * tl_field_sum_get_means:
 * @sums: [@n_cols], a row of @n_frames frames
 * @type: of their samples
 * @means: (out caller-allocates): [@n_cols]; NaN or infinite where a frame is
 *
 * A gamma ray or a neutron that hits the camera makes a zinger in one frame,
 * and the mean of all frames would draw a ring. Of three frames or more the
 * largest value x of a pixel is left out if
 *
 *   x - m - c |m| > 8 (1 + c) max (s, s_row sqrt M, s_min)
 *
 * m and s are the mean and the standard deviation of the pixel's other values;
 * M is the larger of |m| and its mean over the row.
 *
 * c is the sum of x - m over the row divided by that of |m|: a frame may be
 * brighter as a whole.
 *
 * s_row^2 is the sum of s^2 over the row divided by that of |m|: two values
 * alone may agree by chance, and the variance of counts is proportional to
 * their mean.
 *
 * s_min is 1 for integers and 0.001 |m| for floats.
 *
 * Where more than one pixel and a tenth of a row would lose a value, nothing is
 * left out of this row.
 *
 * Clean fields keep their mean: of 20 million simulated values with Gaussian
 * noise of standard deviation sigma, the mean of 3 frames lost 7e-7 sigma, and
 * that of 4, 5, 10, 20 or 50 frames nothing. If a pixel is hit in two frames,
 * at least one of the two values stays in the mean.
 *
 * Returns: in how many pixels the largest value was left out
 */
size_t tl_field_sum_get_means (const TlFieldSum *sums, size_t n_cols,
                               size_t n_frames, TlSampleType type,
                               double *means);
