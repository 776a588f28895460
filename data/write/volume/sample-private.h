/* For the tests of sample.c. */
#pragma once

#include "data/write/volume/sample.h"

/** tl_volume_convert_plain: As tl_volume_convert(), on any processor. */
void tl_volume_convert_plain (TlVolumeSample sample, double low, double high,
                              const float *pixels, size_t n, void *samples,
                              TlVolumeTally *tally);
