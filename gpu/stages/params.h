/* The parameters of a reconstruction, and the names of their values (the same
 * words on the command line, in recipes and on the screen). */
#pragma once

#include "data/geometry.h"
#include "gpu/stages/half-acquisition.h"
#include "gpu/stages/param-spec.h"
#include "gpu/stages/phase.h"
#include "gpu/stages/tilt.h"

typedef enum
{
  TL_FILTER_RAMP, /* no window: Ram-Lak */
  TL_FILTER_SHEPP_LOGAN,
  TL_FILTER_COSINE,
  TL_FILTER_HANN,
  TL_FILTER_HAMMING,
  TL_FILTER_PARZEN,
  TL_FILTER_BUTTERWORTH,
  TL_N_FILTERS
} TlFilter;

/* How filtered rows become a slice. */
typedef enum
{
  TL_METHOD_AUTO, /* the engine's choice */
  TL_METHOD_BACKPROJECTION,
  TL_METHOD_FOURIER, /* direct Fourier inversion; kernel and interpolation have
                        no effect on it */
  TL_N_METHODS
} TlMethod;

typedef enum
{
  TL_INTERPOLATION_NEAREST,
  TL_INTERPOLATION_LINEAR,
  TL_INTERPOLATION_OVERSAMPLED,
  TL_INTERPOLATION_CUBIC,
  TL_N_INTERPOLATIONS
} TlInterpolation;

typedef enum
{
  TL_KERNEL_AUTO, /* the engine's choice */
  TL_KERNEL_STANDARD,
  TL_KERNEL_TEXTURE,
  TL_KERNEL_TEXTURE_QUARTERS, /* thread blocks share the projections */
  TL_KERNEL_ALU,
  TL_KERNEL_HYBRID,
  TL_KERNEL_TENSOR,
  TL_N_KERNELS
} TlKernel;

typedef enum
{
  TL_PRECISION_FULL, /* fp32 data, weights and sums */
  TL_PRECISION_FAST, /* half-precision storage, weights of 8 bits or more */
  TL_N_PRECISIONS
} TlPrecision;

typedef enum
{
  TL_PADDING_EDGE, /* repeat the row's first and last value */
  TL_PADDING_ZERO,
  TL_N_PADDINGS
} TlPadding;

/* How rings are removed from a slice, as stripes along the angle from its
 * sinogram; gpu/backend/backend.h has the formulas and their sources. */
typedef enum
{
  TL_RINGS_OFF,
  TL_RINGS_SORTING,
  TL_RINGS_WAVELET,
  TL_N_RINGS
} TlRings;

/* A plain value. Ranges and defaults are in the descriptors:
 * tl_params_list(). */
typedef struct
{
  gboolean flat_field; /* divide by the flat field; needs one in the block */
  gboolean minus_log;  /* transmission to attenuation */
  /* Zingers are samples that are too bright in one or two projections and in
   * one or two columns. Every sample has two medians: that of its pixel in five
   * projections, its own and two on either side, and that of five columns
   * likewise. Where its transmission is above both medians by more than
   * zinger_threshold times the median, that of the projections replaces it. */
  gboolean zingers; /* TRUE: zingers are removed */
  double zinger_threshold;
  TlPhase phase; /* off by default */
  /* Beam hardening, before the rings are removed: p' = p + b p^2 of every
   * attenuation p, because a polychromatic beam is attenuated less and less by
   * every further layer. b = 0: off. Herman, Correction for beam hardening in
   * computed tomography, Phys. Med. Biol. 24 (1979) 81, to second order. */
  double beam_hardening;
  TlRings rings;
  guint ring_size;   /* sorting: columns of the median */
  guint ring_levels; /* wavelet: stripes up to 2^levels columns */
  double ring_sigma; /* wavelet: strength of the damping; a stripe is removed if
                        it varies by up to about so many periods in the scan */
  gboolean half;     /* half acquisition: gpu/stages/half-acquisition.h; off by
                        default */
  double feather_cols; /* columns of its transition; 0: the whole overlap */
  TlPadding padding;
  TlFilter filter;
  double cutoff; /* fraction of the Nyquist frequency */
  /* Fraction of the Nyquist frequency, (0, 1]. Whatever the filter, frequencies
   * fall off as a cosine up to this limit and are 0 above it: for grids too
   * coarse to show them. 1: no limit. No recipe has it. */
  double band_limit;
  guint butterworth_order;
  TlMethod method;
  TlInterpolation interpolation;
  TlKernel kernel;
  TlPrecision precision;
  double centre_col; /* data/geometry.h */
  double tilt_deg;   /* gpu/stages/tilt.h */
  TlGrid grid;
} TlParams;

/**
 * tl_params_list:
 * @n: (out)
 *
 * Returns: (transfer none): [@n] descriptors of the fields a user can set, in
 *   the order of help and recipes
 */
const TlParamSpec *tl_params_list (size_t *n);

/** tl_params_find: Returns: (transfer none) (nullable) */
const TlParamSpec *tl_params_find (const char *key);

/** tl_params_is_relevant: Returns: @parameter, one of tl_params_list(), has an
 * effect beside the other values. */
gboolean tl_params_is_relevant (const TlParams *params,
                                const TlParamSpec *parameter);

/**
 * tl_params_compare:
 *
 * Returns: the first stage whose result differs between @a and @b, by the
 *   relevant parameters that are not derived; TL_STAGE_BACKPROJECT where none
 *   differs
 */
TlStage tl_params_compare (const TlParams *a, const TlParams *b);

/**
 * tl_params_init:
 *
 * The defaults of the descriptors for a detector of @n_cols columns; no band
 * limit, the centre in the middle, the whole slice.
 */
void tl_params_init (TlParams *params, size_t n_cols);

/**
 * tl_params_check:
 *
 * Returns: %FALSE with TL_ERROR_VALUE for a value that its descriptor does not
 *   take, a centre outside the detector, a phase retrieval that lacks something
 *   and so on: one sentence with the value and the range
 */
gboolean tl_params_check (const TlParams *params, size_t n_cols,
                          GError **error);

/** tl_params_allow_fourier: Returns: whether slices may be made by the Fourier
 * method: it is named, or method and kernel are left to the engine and the
 * interpolation is linear; other kernels and interpolations are parts of
 * back-projection */
gboolean tl_params_allow_fourier (const TlParams *params);

/**
 * tl_params_get_margin:
 * @n_rows: of the detector, as @n_cols
 *
 * Returns: how many rows above its own a slice needs for phase retrieval and
 *   tilt; it needs as many below
 */
size_t tl_params_get_margin (const TlParams *params, size_t n_rows,
                             size_t n_cols);

/* Names, lower case with hyphens: "shepp-logan". The arrays are
 * %NULL-terminated and indexed by the enumeration. */
extern const char *const tl_filter_names[TL_N_FILTERS + 1];
extern const char *const tl_method_names[TL_N_METHODS + 1];
extern const char *const tl_interpolation_names[TL_N_INTERPOLATIONS + 1];
extern const char *const tl_kernel_names[TL_N_KERNELS + 1];
extern const char *const tl_precision_names[TL_N_PRECISIONS + 1];
extern const char *const tl_padding_names[TL_N_PADDINGS + 1];
extern const char *const tl_rings_names[TL_N_RINGS + 1];

/**
 * tl_name_find:
 * @names: one of the arrays above
 * @what: "filter", for the message
 * @value: (out): untouched after an error
 *
 * Returns: %FALSE with TL_ERROR_VALUE that lists the names there are
 */
gboolean tl_name_find (const char *const *names, const char *what,
                       const char *name, int *value, GError **error);
