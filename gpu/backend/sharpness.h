/* How sharp a slice looks: the sums that a backend makes, and the figures that
 * follow from them. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* What a slice looks sharp by; each is larger the better. v is a pixel, of
 * those that the picture has one to the right of and one below. */
typedef enum
{
  TL_SHARPNESS_ENTROPY,    /* less the entropy of the histogram */
  TL_SHARPNESS_NEGATIVITY, /* sum of what is below 0 */
  TL_SHARPNESS_GRADIENT,   /* sum of squared differences from both of these */
  TL_SHARPNESS_DEVIATION,  /* sum of squared deviations from the mean */
  TL_N_SHARPNESSES
} TlSharpnessFigure;

/* Upper left, upper right, lower left, lower right. */
#define TL_N_QUARTERS 4
/* Of the histogram of a quarter; a pixel is shared out between two, by how far
 * it is from their middles, so that the entropy has no steps. */
#define TL_SHARPNESS_BINS 256

/* The figures of each quarter of a slice; plain value. */
typedef struct
{
  double figures[TL_N_SHARPNESSES][TL_N_QUARTERS]; /* the entropy, in nats a
                                                      pixel, times n_pixels */
  size_t n_pixels[TL_N_QUARTERS];                  /* that were looked at */
} TlSharpness;

/* What is judged of a slice: pixel (i, j) of the rows and columns that have one
 * below and one to the right, where
 *
 *   (j - (n_cols - 1) / 2)^2 + (i - (n_rows - 1) / 2)^2 < radius^2
 *
 * and it and these two are finite. It is of the quarter on whose side of the
 * middle it lies; what lies on the middle is right, or below. */
typedef struct
{
  double radius;
  float low;
  double bins_per_unit; /* 0 where the histogram has no width */
} TlSharpnessArgs;

/* Where a pixel is in the histogram, (v - low) * bins_per_unit, is kept between
 * 0 and this, so that there is always a next bin. */
#define TL_SHARPNESS_LAST_PLACE (TL_SHARPNESS_BINS - 1.001)

/* Sums over the pixels of one quarter. */
typedef struct
{
  size_t n;
  double sum, square, negative, gradient;
  double histogram[TL_SHARPNESS_BINS]; /* a pixel at place p adds 1 - (p - k)
                                          to bin k = floor (p), and p - k to
                                          the next */
} TlSharpnessSums;

/* Pixels of a slice, those with a neighbour to the right and below. */
typedef struct
{
  size_t first_row, n_rows, first_col, n_cols;
} TlQuarter;

/** tl_quarter_get: Returns: that @quarter of a slice, which may be empty. */
TlQuarter tl_quarter_get (size_t n_rows, size_t n_cols, guint quarter);

/**
 * tl_sharpness_init:
 * @sharpness: (out caller-allocates)
 * @sums: [TL_N_QUARTERS]
 */
void tl_sharpness_init (TlSharpness *sharpness, const TlSharpnessSums *sums);

G_END_DECLS
