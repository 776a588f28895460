/* FFTW plans for real transforms of rows of one length, with scratch memory for
 * each worker. */
#pragma once

#include "gpu/host/buffer.h"
#include "gpu/host/pool.h"

/* complex.h must come before fftw3.h, so that fftwf_complex is C's float
 * complex */
#include <complex.h>
#include <fftw3.h>

typedef struct
{
  size_t length;
  fftwf_plan forward, inverse;
  /* One row and one spectrum for each worker. */
  size_t scratch_stride; /* floats */
  TlHostBuffer scratch;
} TlHostPlan;

/**
 * tl_host_plan_prepare:
 * @plan: (inout) (nullable): kept if it was made for @length, otherwise
 *   replaced
 *
 * Returns: %FALSE with TL_ERROR_UNSUPPORTED or TL_ERROR_MEMORY; then *@plan is
 *   %NULL
 */
gboolean tl_host_plan_prepare (TlHostPlan **plan, TlHostPool *pool,
                               size_t length, GError **error);
void tl_host_plan_free (TlHostPlan *plan);

/**
 * tl_host_plan_complex:
 * @line: [@length]
 *
 * Returns: (transfer full): the forward transform of @line in its place; %NULL
 *   with TL_ERROR_MEMORY or TL_ERROR_UNSUPPORTED (too long)
 */
fftwf_plan tl_host_plan_complex (size_t length, fftwf_complex *line,
                                 GError **error);

/**
 * tl_host_plan_to_real:
 * @spectrum: [@length / 2 + 1], overwritten by the transform
 * @row: [@length]
 *
 * Returns: (transfer full): the transform of @spectrum back to @row; %NULL with
 *   any error of tl_host_plan_complex()
 */
fftwf_plan tl_host_plan_to_real (size_t length, fftwf_complex *spectrum,
                                 float *row, GError **error);
void tl_host_plan_destroy (fftwf_plan plan);

/* Returns: (transfer none): the scratch row of @worker, [length] floats */
static inline float *
tl_host_plan_get_row (const TlHostPlan *plan, guint worker)
{
  return (float *)plan->scratch.data + 2 * worker * plan->scratch_stride;
}

/* Returns: (transfer none): the scratch spectrum of @worker, [length / 2 + 1]
 */
static inline fftwf_complex *
tl_host_plan_get_spectrum (const TlHostPlan *plan, guint worker)
{
  return (fftwf_complex *)(tl_host_plan_get_row (plan, worker)
                           + plan->scratch_stride);
}
