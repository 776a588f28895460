/* Rings by wavelets and Fourier: Münch, Trtik, Marone, Stampanoni, Stripe and
 * ring artifact removal with combined wavelet-Fourier filtering, Optics Express
 * 17 (2009) 8567; the wavelet is Daubechies' with 10 vanishing moments.
 *
 * A level of the transform takes an image x of n values along an axis apart,
 * with F taps low[j] and high[j] = (-1)^j low[F - 1 - j], and puts it together:
 *
 *   a[k] = sum over j of low[j] x[2 k + 1 - j]      k = 0 … (n + F - 1) / 2 - 1
 *   d[k] = sum over j of high[j] x[2 k + 1 - j]
 *   x[i] = sum over k of low[2 k + 1 - i] a[k] + high[2 k + 1 - i] d[k]
 *
 * x is mirrored about its ends, (c b a | a b c). What is low along the angle
 * and high along the columns is where stripes are. Of each level l this band
 * V_l, with N values along the angle, loses its lowest frequencies k: they are
 * multiplied by 1 - exp (-k^2 / (2 sigma^2)).
 *
 * All of this is linear. So only the removed part is computed: V_l with its
 * frequencies multiplied by exp (-k^2 / (2 sigma^2)), transformed back with 0
 * in the other bands. It is then subtracted from the sinogram:
 *
 *   A_l = low of x_l along the angle      x_(l + 1), V_l = low, high of A_l
 *                                                          along the columns
 *   lost_l = low along the angle of (low of lost_(l + 1) and high of V_l's lost
 *            part, along the columns)     nothing is lost below the last level
 */
#pragma once

#include <glib.h>
#include <stddef.h>

#define TL_WAVELET_TAPS 20

/* Plain value. */
typedef struct
{
  float low[TL_WAVELET_TAPS], high[TL_WAVELET_TAPS];
} TlWavelet;

/** tl_wavelet_init: @wavelet: (out caller-allocates) */
void tl_wavelet_init (TlWavelet *wavelet);

/* One level of a transform: where its images lie in one block of memory, as
 * offsets in floats. A level decomposes the coarse image of the level before
 * it. Plain value. */
typedef struct
{
  size_t n_angles, n_cols; /* of the image that is decomposed */
  size_t coarse_angles, coarse_cols;
  size_t low;    /* A, [coarse_angles][n_rows][n_cols]; all levels share it */
  size_t coarse; /* x of the next level, [coarse_angles][n_rows][coarse_cols] */
  size_t band;   /* V, likewise */
} TlWaveletLevel;

/**
 * tl_wavelet_plan:
 * @n_angles: of the sinograms, [@n_angles][@n_rows][@n_cols]
 * @levels: (out caller-allocates): [@n_levels]
 *
 * Returns: the size of the memory, in floats
 */
size_t tl_wavelet_plan (size_t n_angles, size_t n_rows, size_t n_cols,
                        guint n_levels, TlWaveletLevel *levels);

/** tl_wavelet_count_frequencies: Returns: how many frequencies of @n values
 * along the angle are damped noticeably, counted from 0; at least 1. */
size_t tl_wavelet_count_frequencies (double sigma, size_t n);

/**
 * tl_wavelet_damping:
 * @n: values along the angle
 * @n_frequencies: (out): as tl_wavelet_count_frequencies() says
 *
 * The part of each frequency that is lost, times the factor of the inverse
 * transform of a real row: 1 / @n, or 2 / @n for frequencies that have a
 * negative one.
 *
 * Returns: (transfer full): [@n_frequencies]
 */
float *tl_wavelet_damping (double sigma, size_t n, size_t *n_frequencies);

/** tl_wavelet_turns: Returns: (transfer full): [2][@n]: cosines and sines of 2
 * pi i / @n */
float *tl_wavelet_turns (size_t n);
