/* The variants of transform and back-projection that an engine offers, and the
 * measured choice among them. */
#pragma once

#include "gpu/stages/params.h"

/* How rows are transformed: two rows as the real and the imaginary part of one
 * complex row, or each row alone, so that rounding in one does not touch the
 * other. */
typedef enum
{
  TL_TRANSFORM_AUTO, /* the engine's choice */
  TL_TRANSFORM_PAIRS,
  TL_TRANSFORM_REAL,
  TL_N_TRANSFORMS
} TlTransform;

extern const char *const tl_transform_names[TL_N_TRANSFORMS + 1];

/* A variant of back-projection; each backend has a list of variants. Plain
 * value. */
typedef struct
{
  const char *name; /* "texture-linear-fast-4" */
  TlKernel kernel;
  TlInterpolation interpolation;
  TlPrecision precision;
  guint n_slices; /* reconstructed by one pass: 1, 2, 4 … 32 */
  /* The cost of adding one projection to one pixel of all slices of a pass:
   * texture fetches, where a texel of 16 bytes counts as two, and bytes read
   * from shared memory. A kernel that has both uses one or the other for a
   * pixel. 0: none, or not known. */
  double fetches, shared_bytes;
  double products; /* the same: multiply-adds of tensor cores */
  /* The variant has full precision and is used for fast precision too, because
   * half precision would gain nothing here. */
  gboolean serves_fast;
  /* For grids whose pitch is at most 1; slow on others, where only a kernel
   * that is asked for by name takes it. */
  gboolean is_fine;
  /* Listed for comparison: only tl_engine_use_variant() makes an engine take
   * it. */
  gboolean is_reference;
  /* The method is the Fourier method, which has neither kernels nor an
   * interpolation between columns, and is chosen for any of them. */
  gboolean is_fourier;
} TlVariant;

/** tl_variant_get_method: Returns: TL_METHOD_BACKPROJECTION or
 * TL_METHOD_FOURIER */
static inline TlMethod
tl_variant_get_method (const TlVariant *variant)
{
  return variant->is_fourier ? TL_METHOD_FOURIER : TL_METHOD_BACKPROJECTION;
}

/** tl_variant_does: Returns: whether @variant may be chosen for @method,
 * @kernel, @interpolation and @precision. */
static inline gboolean
tl_variant_does (const TlVariant *variant, TlMethod method, TlKernel kernel,
                 TlInterpolation interpolation, TlPrecision precision)
{
  return !variant->is_reference
         && variant->is_fourier == (method == TL_METHOD_FOURIER)
         && (variant->is_fourier || kernel == TL_KERNEL_AUTO
             || kernel == variant->kernel)
         && (variant->is_fourier || interpolation == variant->interpolation)
         && (precision == variant->precision
             || (precision == TL_PRECISION_FAST && variant->serves_fast));
}

/* The case that a measurement of variants covers; plain value. */
typedef struct
{
  TlKernel kernel; /* TL_KERNEL_AUTO: the best of all kernels */
  TlInterpolation interpolation;
  TlPrecision precision;
  guint n_slices;      /* reconstructed by one pass */
  guint size;          /* class of the grid: tl_tuning_get_class() */
  gboolean is_fourier; /* of the Fourier method */
} TlTuningCase;

/* The fastest variant of a case; plain value. */
typedef struct
{
  TlTuningCase asked;
  const char *variant;
  /* Measured, 1e9 updates a second; 0: unknown. An update adds a projection to
   * a pixel. The Fourier method makes none: its rate is the updates that
   * back-projection would make in the same time, of a whole slice from
   * tl_tuning_get_n_projections() projections. */
  double gups;
  /* Of the Fourier method: the same from as many projections as the slice has
   * columns; 0: no higher. */
  double many_gups;
} TlTuningRow;
