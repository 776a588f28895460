/* The reference for the figures of sharpness: plain loops over doubles, written
 * from the definitions in gpu/engine.h. */
#pragma once

#include "gpu/engine.h"

/** tl_plain_sharpness: As tl_engine_measure_sharpness(); @pixels:
 * [@n_rows][@n_cols]. */
void tl_plain_sharpness (const float *pixels, size_t n_rows, size_t n_cols,
                         double radius, float low, float high,
                         TlSharpness *sharpness);
