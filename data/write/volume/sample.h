/* The types of the samples of an exported volume, and the conversion of float
 * pixels to them. */
#pragma once

#include <glib.h>

typedef enum
{
  TL_VOLUME_F32,
  TL_VOLUME_F16,
  TL_VOLUME_U16,
  TL_VOLUME_U8,
  TL_N_VOLUME_SAMPLES
} TlVolumeSample;

/* What a conversion met; plain value. */
typedef struct
{
  /* Samples outside [low, high] of an integer type, or outside the range of
   * float16, where they become infinite. */
  guint64 n_below, n_above;
  guint64 n_nan;
  float min, max; /* of the finite pixels; min > max if there are none */
} TlVolumeTally;

/** tl_volume_sample_size: Returns: bytes of one sample */
size_t tl_volume_sample_size (TlVolumeSample sample);

/** tl_volume_sample_name: Returns: (transfer none): "float32", "float16",
 * "uint16" or "uint8" */
const char *tl_volume_sample_name (TlVolumeSample sample);

/** tl_volume_sample_from_name: Returns: %FALSE if no type has this name */
gboolean tl_volume_sample_from_name (const char *name, TlVolumeSample *sample);

/** tl_volume_sample_max: Returns: 65535 or 255; 0 for float types, which need
 * no range */
double tl_volume_sample_max (TlVolumeSample sample);

/** tl_volume_tally_init: Sets @tally to that of no pixels. */
void tl_volume_tally_init (TlVolumeTally *tally);

/** tl_volume_tally_add: Adds @more to @tally. */
void tl_volume_tally_add (TlVolumeTally *tally, const TlVolumeTally *more);

/**
 * tl_volume_convert:
 * @low: becomes 0 in an integer type; float types ignore the range
 * @high: becomes the maximum of an integer type; above @low
 * @samples: (out caller-allocates): [@n], little endian; %NULL: only count
 * @tally: (inout): the pixels are added to it
 *
 * Integer samples are rounded to the nearest, halves up; pixels outside the
 * range become 0 or the maximum, and NaN becomes 0. float16 is rounded to the
 * nearest, halves to even. Any thread.
 */
void tl_volume_convert (TlVolumeSample sample, double low, double high,
                        const float *pixels, size_t n, void *samples,
                        TlVolumeTally *tally);
