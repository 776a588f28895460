/* A sample of the pixels of some slices, from which the range of integer
 * samples is found. */
#pragma once

#include "app/export/settings.h"

/* How many slices are made for it, evenly spaced. */
#define TL_SAMPLER_SLICES 5

typedef struct TlSampler TlSampler;

TlSampler *tl_sampler_new (void);
void tl_sampler_free (TlSampler *sampler);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlSampler, tl_sampler_free)

/** tl_sampler_take: Takes some pixels of a slice, [@n]. Any thread, several at
 * the same time. */
void tl_sampler_take (TlSampler *sampler, const float *pixels, size_t n);

/**
 * tl_sampler_find_range:
 *
 * Returns: %FALSE with TL_ERROR_VALUE if all pixels are equal or none is finite
 */
gboolean tl_sampler_find_range (TlSampler *sampler, double low_percent,
                                double high_percent, double *low, double *high,
                                GError **error);
