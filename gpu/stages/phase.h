/* Phase retrieval from one distance (Paganin and others, Simultaneous phase and
 * amplitude extraction from a single defocused image of a homogeneous object,
 * J. Microsc. 206 (2002) 33-40, equation 12).
 *
 * In an object of one material, delta and beta in proportion, the projected
 * thickness T decides both the intensity and the phase behind it. At the
 * distance z the transport of intensity makes of the transmission exp (-mu T),
 * mu = 4 pi beta / lambda, what the detector sees:
 *
 *   t = (1 - (z delta / mu) laplace) exp (-mu T)
 *
 * In Fourier space the bracket is a factor, and so
 *
 *   mu T = -ln F^-1 [F [t] / (1 + 4 pi^2 s^2 (u^2 + v^2))]
 *   s^2  = z delta / mu = lambda z (delta / beta) / (4 pi)
 *
 * with s in pixels where u, along a row, and v, from row to row, are in cycles
 * per pixel. The beam is parallel: nothing is magnified.
 *
 * The factor's impulse response, summed along one axis, is exp (-|y| / s) /
 * (2 s): exp (-m / s) of it lies more than m pixels away. So a slice needs the
 * detector rows around its own, and needs no more of them than
 * tl_phase_get_margin().
 */
#pragma once

#include <glib.h>

/* The largest error of the result if the transmission in all rows beyond the
 * margin is 1 or 0. */
#define TL_PHASE_ERROR 1e-3

/* The parameters of phase retrieval; a plain value. */
typedef struct
{
  gboolean on;
  /* 0: not known; these matter only if phase retrieval is on */
  double energy_kev;  /* of the photons */
  double distance_mm; /* from object to detector */
  double pixel_um;    /* of the detector, in the object */
  double delta_beta;  /* delta over beta of the material */
} TlPhase;

/**
 * tl_phase_check:
 * @minus_log: whether the logarithm is taken; phase retrieval needs that
 * @n_cols: of the detector
 *
 * Returns: %FALSE with TL_ERROR_VALUE, one sentence that says which value is
 *   missing or impossible; %TRUE if phase retrieval is off
 */
gboolean tl_phase_check (const TlPhase *phase, gboolean minus_log,
                         size_t n_cols, GError **error);

/** tl_phase_get_scale: Returns: s, in pixels; 0 if phase retrieval is off. */
double tl_phase_get_scale (const TlPhase *phase);

/** tl_phase_get_margin: Returns: how many rows above its own a slice
 * needs, and as many below; 0 if phase retrieval is off. */
size_t tl_phase_get_margin (const TlPhase *phase);

/* The filter as engines take it: along a row in Fourier space, and from row to
 * row as a sum. The sum has so few terms that for some slices it is less work
 * than a second transform. It needs no padding, because the edge rows stand for
 * those beyond the detector, and a slice does not depend on which others are
 * made with it. Zeroed: empty. */
typedef struct
{
  double scale_px;
  size_t n_cols; /* of the rows that the filter was made for */
  size_t length; /* of a padded row: even, products of 2, 3 and 5 */
  size_t n_taps; /* the margin and the row itself */
  /* [n_taps][length / 2 + 1]: the weight of a row that is so many rows away,
   * for each frequency along the row; 1 / length included */
  float *weights;
} TlPhaseFilter;

/**
 * tl_phase_filter_prepare:
 * @scale_px: above 0
 *
 * Computes the filter for @scale_px and rows of @n_cols columns, unless @filter
 * holds it already.
 *
 * Returns: %FALSE with TL_ERROR_MEMORY; @filter is empty then
 */
gboolean tl_phase_filter_prepare (TlPhaseFilter *filter, double scale_px,
                                  size_t n_cols, GError **error);
void tl_phase_filter_clear (TlPhaseFilter *filter);
