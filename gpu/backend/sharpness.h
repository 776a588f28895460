/* The sharpness of a slice: the sums that a backend computes, and the figures
 * of sharpness that follow from them. */
#pragma once

#include <glib.h>

/* Figures of sharpness: larger is sharper. They are taken over the pixels that
 * have a neighbour to the right and one below. */
typedef enum
{
  TL_SHARPNESS_ENTROPY,    /* minus the entropy of the histogram */
  TL_SHARPNESS_NEGATIVITY, /* sum of the values below 0 */
  TL_SHARPNESS_GRADIENT,   /* sum of squared differences to both neighbours */
  TL_SHARPNESS_DEVIATION,  /* sum of squared deviations from the mean */
  TL_N_SHARPNESSES
} TlSharpnessFigure;

/* Upper left, upper right, lower left, lower right. */
#define TL_N_QUARTERS 4
/* Bins of the histogram of a quarter. A pixel is shared between two bins by its
 * distance from their middles, so that the entropy changes without steps. */
#define TL_SHARPNESS_BINS 256

/* The figures of each quarter of a slice; plain value. */
typedef struct
{
  double figures[TL_N_SHARPNESSES][TL_N_QUARTERS]; /* the entropy, in nats a
                                                      pixel, times n_pixels */
  size_t n_pixels[TL_N_QUARTERS]; /* pixels that the figures cover */
} TlSharpness;

/* The figures cover the pixels at row i and column j that have a neighbour
 * below and one to the right, where
 *
 *   (j - (n_cols - 1) / 2)^2 + (i - (n_rows - 1) / 2)^2 < radius^2
 *
 * and where the pixel and both neighbours are finite. A pixel belongs to the
 * quarter in which it lies; pixels on a middle line belong to the right or
 * lower one. */
typedef struct
{
  double radius;
  float low;
  double bins_per_unit; /* 0 if the histogram has no width */
} TlSharpnessArgs;

/* The place of a value v in the histogram, (v - low) * bins_per_unit, is
 * clamped to 0 and this number, so that there is always a next bin. */
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

/* A rectangle of pixels of a slice, all of which have a neighbour to the right
 * and one below. */
typedef struct
{
  size_t first_row, n_rows, first_col, n_cols;
} TlQuarter;

/** tl_quarter_get: Returns: the pixels of @quarter, 0 to TL_N_QUARTERS - 1; the
 * rectangle may be empty. */
TlQuarter tl_quarter_get (size_t n_rows, size_t n_cols, guint quarter);

/**
 * tl_sharpness_init:
 * @sharpness: (out caller-allocates)
 * @sums: [TL_N_QUARTERS]
 *
 * Derives the figures from the sums of the backend.
 */
void tl_sharpness_init (TlSharpness *sharpness, const TlSharpnessSums *sums);
