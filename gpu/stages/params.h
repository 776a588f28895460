/* What a slice should be: the parameters of the computation, and their names
 * (the same words on the command line, in recipes and on the screen). */
#pragma once

#include "data/geometry.h"
#include "gpu/stages/half.h"
#include "gpu/stages/phase.h"
#include "gpu/stages/tilt.h"

G_BEGIN_DECLS

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
  TL_KERNEL_TEXTURE_QUARTERS, /* its blocks share the projections */
  TL_KERNEL_ALU,
  TL_KERNEL_HYBRID,
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

/* What takes rings out of a slice, that is stripes along the angle out of a
 * sinogram; gpu/backend/backend.h has the formulas and their sources. */
typedef enum
{
  TL_RINGS_OFF,
  TL_RINGS_SORTING,
  TL_RINGS_WAVELET,
  TL_N_RINGS
} TlRings;

/* A plain value. */
typedef struct
{
  gboolean flat_field; /* divide by the flat field; needs one in the block */
  gboolean minus_log;  /* transmission to attenuation */
  /* Zingers are bright samples, in one or two projections and one or two
   * columns. A sample goes that exceeds, in transmission, the median of itself
   * and of the two projections before and behind by more than the threshold
   * times that median, and that of the columns beside it likewise. The first
   * median takes its place. */
  gboolean zingers;        /* are removed */
  double zinger_threshold; /* above 0, up to 100 */
  TlPhase phase;           /* off by default */
  TlRings rings;
  guint ring_size;     /* sorting: columns of the median, odd, 3 … 301 */
  guint ring_levels;   /* wavelet: 1 … 10, stripes up to 2^levels columns */
  double ring_sigma;   /* wavelet: damping, above 0 and up to 20: periods in a
                          scan that are stripes still */
  gboolean half;       /* half acquisition: gpu/stages/half.h; off by default */
  double feather_cols; /* of that: 0 or more, 0: the whole overlap */
  TlPadding padding;
  TlFilter filter;
  double cutoff; /* fraction of the Nyquist frequency, (0, 1] */
  /* The same. Frequencies fall off to it as a cosine, whatever the filter, and
   * none above it is left: for grids too coarse to show them. 1: no limit. */
  double band_limit;
  guint butterworth_order; /* 1 … 64 */
  TlInterpolation interpolation;
  TlKernel kernel;
  TlPrecision precision;
  double centre_col; /* data/geometry.h */
  double
      tilt_deg; /* gpu/stages/tilt.h: of TL_TILT_MAX_DEG at most, either way */
  TlGrid grid;
} TlParams;

/**
 * tl_params_init:
 *
 * The defaults for a detector of @n_cols columns: flat field and -log on,
 * zingers and rings left alone, no phase retrieval, edge padding, ramp, cut-off
 * and band limit 1, linear, full precision, centre in the middle, the whole
 * slice.
 */
void tl_params_init (TlParams *params, size_t n_cols);

/**
 * tl_params_check:
 *
 * Returns: %FALSE with TL_ERROR_VALUE for a centre outside the detector, a
 *   cut-off out of range, a phase retrieval that lacks something and so on: one
 *   sentence with the value and the range
 */
gboolean tl_params_check (const TlParams *params, size_t n_cols,
                          GError **error);

/**
 * tl_params_get_margin:
 * @n_rows: of the detector, as @n_cols
 *
 * Returns: rows that a slice needs above its own, and as many below, for phase
 *   retrieval and for a tilt
 */
size_t tl_params_get_margin (const TlParams *params, size_t n_rows,
                             size_t n_cols);

/* Names, lower case with hyphens: "shepp-logan". The arrays are
 * %NULL-terminated and indexed by the enumeration. */
extern const char *const tl_filter_names[TL_N_FILTERS + 1];
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

G_END_DECLS
