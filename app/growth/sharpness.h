/* How sharp the slice of a scan is while the scan is being taken. */
#pragma once

#include "gpu/backend/figures.h"

/**
 * tl_growth_measure_sharpness:
 *
 * Minus the entropy of the grey values: with fewer streaks and less noise the
 * values of one material lie closer together. Donath, Beckmann, Schreyer, J.
 * Opt. Soc. Am. A 23 (2006) 1048, eq. (8), here of a density, so that the
 * widths of the bins do not matter. The highest and the lowest values, 1 part
 * in 200 each, are left out.
 *
 * Returns: in nats; only differences mean something. NaN if all values are the
 *   same
 */
double tl_growth_measure_sharpness (const TlStats *stats);
