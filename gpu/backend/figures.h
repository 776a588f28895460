/* Figures of frames and of devices; all are plain values. */
#pragma once

#include "gpu/backend/frame.h"

/* What the histogram and the automatic grey window of a slice are made of. */
#define TL_HISTOGRAM_BINS 512
typedef struct
{
  float min, max; /* of the finite pixels */
  double mean;
  guint32 histogram[TL_HISTOGRAM_BINS]; /* equal steps from min to max */
} TlStats;

/* The highest rates per second that a device reaches in micro-benchmarks; 0:
 * not known. */
typedef struct
{
  double fetches;           /* interpolated texels of up to 8 bytes, cached */
  double shared_bytes;      /* read from shared memory */
  double products;          /* multiply-adds of halves by tensor cores */
  double lane_instructions; /* multiply-adds of floats */
  double clock_mhz;         /* of the multiprocessors during the measurement */
} TlCeilings;

/* The differences between a picture and a reference, over the pixels whose
 * difference is finite. */
typedef struct
{
  double relative_l2; /* ||picture - reference|| / ||reference||; 0 if no pixel
                         differs, infinite if the reference is all 0, NaN if
                         no difference is finite */
  double deviation;   /* standard deviation of the reference */
  float max;          /* largest absolute difference */
  size_t slice, row, col; /* the first pixel with that difference */
  size_t n_left_out;      /* pixels whose difference is not finite */
} TlComparison;

/* The sums that a backend makes over the n pixels whose difference is finite:
 * of the reference, of its squares and of the squared differences; also the
 * largest absolute difference and the first pixel with it, 0 if nothing
 * differs. */
typedef struct
{
  size_t n;
  double sum, sum_2, difference_2;
  float max;
  size_t index; /* [slice][row][col] */
} TlDifferences;

/** tl_frames_are_alike: Returns: whether @a and @b have the same shape and
 * backend. */
gboolean tl_frames_are_alike (const TlFrame *a, const TlFrame *b);

/**
 * tl_comparison_init:
 * @figures: (out caller-allocates)
 * @shape: one of the two frames; only its shape matters
 *
 * Derives the figures for the user from the sums of the backend.
 */
void tl_comparison_init (TlComparison *figures, const TlDifferences *sums,
                         const TlFrame *shape);
