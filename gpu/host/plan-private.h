/* Real transforms of rows by FFTW, one length at a time, and room for them. */
#pragma once

#include "gpu/host/host-private.h"

/* before fftw3.h, whose numbers are then those of C */
#include <complex.h>
#include <fftw3.h>

G_BEGIN_DECLS

struct TlHostPlan
{
  size_t length;
  fftwf_plan forward, inverse;
  /* for each worker a row and a spectrum */
  size_t scratch_stride; /* floats */
  TlHostBuffer scratch;
};

/**
 * tl_host_plan_prepare:
 * @plan: (inout) (nullable): kept where it is of @length
 *
 * Returns: %FALSE with TL_ERROR_UNSUPPORTED or TL_ERROR_MEMORY; then it is
 * %NULL
 */
gboolean tl_host_plan_prepare (TlHostPlan **plan, TlHostPool *pool,
                               size_t length, GError **error);

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
