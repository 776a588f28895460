/* The ways of an engine to transform rows and to back-project them, and which
 * way was measured to be the fastest. */
#pragma once

#include "gpu/stages/params.h"

G_BEGIN_DECLS

/* How rows are transformed: two of them as the real and the imaginary part of a
 * complex row, or each by itself, so that its rounding is its own. */
typedef enum
{
  TL_TRANSFORM_AUTO, /* the engine's choice */
  TL_TRANSFORM_PAIRS,
  TL_TRANSFORM_REAL,
  TL_N_TRANSFORMS
} TlTransform;

extern const char *const tl_transform_names[TL_N_TRANSFORMS + 1];

/* A way to back-project; the lists are the backends'. Plain value. */
typedef struct
{
  const char *name; /* "texture-linear-fast-4" */
  TlKernel kernel;
  TlInterpolation interpolation;
  TlPrecision precision;
  guint n_slices; /* done at once by one pass: 1, 2 or 4 */
  /* What one projection's contribution to one pixel of all slices of a pass
   * takes: texture fetches, a texel of 16 bytes counting as two, and bytes out
   * of shared memory. A kernel with both takes one or the other for a pixel. 0:
   * none, or not known. */
  double fetches, shared_bytes;
  /* Full precision, and taken for fast too: half precision would gain nothing
   * here, so there is no variant of its own. */
  gboolean serves_fast;
  /* Listed for comparison: only tl_engine_use_variant() makes an engine take
   * it. */
  gboolean is_reference;
} TlVariant;

/** tl_variant_does: Returns: whether @variant may be taken where @kernel,
 * @interpolation and @precision are asked for. */
static inline gboolean
tl_variant_does (const TlVariant *variant, TlKernel kernel,
                 TlInterpolation interpolation, TlPrecision precision)
{
  return !variant->is_reference
         && (kernel == TL_KERNEL_AUTO || kernel == variant->kernel)
         && interpolation == variant->interpolation
         && (precision == variant->precision
             || (precision == TL_PRECISION_FAST && variant->serves_fast));
}

/* What is asked for; plain value. */
typedef struct
{
  TlKernel kernel; /* TL_KERNEL_AUTO: the best of all kernels */
  TlInterpolation interpolation;
  TlPrecision precision;
  guint n_slices; /* done at once by one pass */
  guint size;     /* class of the grid */
} TlTuningCase;

/* The answer; plain value. */
typedef struct
{
  TlTuningCase asked;
  const char *variant;
  double gups; /* measured, 1e9 updates a second; 0: unknown */
} TlTuningRow;

G_END_DECLS
