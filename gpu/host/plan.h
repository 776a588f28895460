/* Real transforms of rows by FFTW, one length at a time, and room for them. */
#pragma once

#include "gpu/host/buffer.h"
#include "gpu/host/pool.h"

/* before fftw3.h, whose numbers are then those of C */
#include <complex.h>
#include <fftw3.h>

G_BEGIN_DECLS

typedef struct
{
  size_t length;
  fftwf_plan forward, inverse;
  /* for each worker a row and a spectrum */
  size_t scratch_stride; /* floats */
  TlHostBuffer scratch;
} TlHostPlan;

/**
 * tl_host_plan_prepare:
 * @plan: (inout) (nullable): kept where it is of @length
 *
 * Returns: %FALSE with TL_ERROR_UNSUPPORTED or TL_ERROR_MEMORY; then it is
 * %NULL
 */
gboolean tl_host_plan_prepare (TlHostPlan **plan, TlHostPool *pool,
                               size_t length, GError **error);
void tl_host_plan_free (TlHostPlan *plan);

/**
 * tl_host_plan_complex:
 * @line: [@length]
 *
 * Returns: (transfer full): the forward transform of @line in its place; %NULL
 *   with TL_ERROR_MEMORY
 */
fftwf_plan tl_host_plan_complex (size_t length, fftwf_complex *line,
                                 GError **error);

/**
 * tl_host_plan_to_real:
 * @spectrum: [@length / 2 + 1], lost by the transform
 * @row: [@length]
 *
 * Returns: (transfer full): the transform of @spectrum back to @row; %NULL with
 *   TL_ERROR_MEMORY
 */
fftwf_plan tl_host_plan_to_real (size_t length, fftwf_complex *spectrum,
                                 float *row, GError **error);
void tl_host_plan_destroy (fftwf_plan plan);

/* Returns: [length] of @worker's own */
static inline float *
tl_host_plan_get_row (const TlHostPlan *plan, guint worker)
{
  return (float *)plan->scratch.data + 2 * worker * plan->scratch_stride;
}

/* Returns: [length / 2 + 1] of @worker's own */
static inline fftwf_complex *
tl_host_plan_get_spectrum (const TlHostPlan *plan, guint worker)
{
  return (fftwf_complex *)(tl_host_plan_get_row (plan, worker)
                           + plan->scratch_stride);
}

G_END_DECLS
