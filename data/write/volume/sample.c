#include "data/write/volume/sample.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* The files are little endian, and the samples are written as they lie in
 * memory. */
G_STATIC_ASSERT (G_BYTE_ORDER == G_LITTLE_ENDIAN);

/* Pixels converted at a time, so that they are read from memory once. */
#define BLOCK_PIXELS ((size_t)4096)

#define MAX_HALF 65504.0f

static const struct
{
  const char *name;
  size_t size;
  double max;
} types[TL_N_VOLUME_SAMPLES] = {
  [TL_VOLUME_F32] = { "float32", 4, 0 },
  [TL_VOLUME_F16] = { "float16", 2, 0 },
  [TL_VOLUME_U16] = { "uint16", 2, 65535 },
  [TL_VOLUME_U8] = { "uint8", 1, 255 },
};

size_t
tl_volume_sample_size (TlVolumeSample sample)
{
  return types[sample].size;
}

const char *
tl_volume_sample_name (TlVolumeSample sample)
{
  return types[sample].name;
}

gboolean
tl_volume_sample_from_name (const char *name, TlVolumeSample *sample)
{
  for (int i = 0; i < TL_N_VOLUME_SAMPLES; i++)
    if (strcmp (name, types[i].name) == 0)
      {
        *sample = (TlVolumeSample)i;
        return TRUE;
      }
  return FALSE;
}

double
tl_volume_sample_max (TlVolumeSample sample)
{
  return types[sample].max;
}

void
tl_volume_tally_init (TlVolumeTally *tally)
{
  *tally = (TlVolumeTally){ .min = INFINITY, .max = -INFINITY };
}

void
tl_volume_tally_add (TlVolumeTally *tally, const TlVolumeTally *more)
{
  tally->n_below += more->n_below;
  tally->n_above += more->n_above;
  tally->n_nan += more->n_nan;
  tally->min = MIN (tally->min, more->min);
  tally->max = MAX (tally->max, more->max);
}

static void
count_block (const float *pixels, size_t n, float low, float high,
             TlVolumeTally *tally)
{
  guint32 n_below = 0, n_above = 0, n_nan = 0;
  float min = tally->min, max = tally->max;

  for (size_t i = 0; i < n; i++)
    {
      const float pixel = pixels[i];

      n_nan += pixel != pixel;
      n_below += pixel < low;
      n_above += pixel > high;
      min = pixel < min && pixel >= -FLT_MAX ? pixel : min;
      max = pixel > max && pixel <= FLT_MAX ? pixel : max;
    }
  tally->n_below += n_below;
  tally->n_above += n_above;
  tally->n_nan += n_nan;
  tally->min = min;
  tally->max = max;
}

static guint16
to_half (float pixel)
{
  guint32 bits;

  memcpy (&bits, &pixel, sizeof bits);
  const guint32 sign = bits >> 16 & 0x8000;
  bits &= 0x7fffffff;
  if (bits >= 0x47800000) /* 65536 and above, infinite, NaN */
    return (guint16)(sign | (bits > 0x7f800000 ? 0x7e00 : 0x7c00));
  if (bits < 0x38800000) /* below 2^-14: a subnormal half */
    {
      /* The last place of 0.5f is that of the subnormal halves, so that the
       * addition rounds to it. */
      const float half = 0.5f;
      float sum = fabsf (pixel) + half;
      guint32 half_bits;

      memcpy (&bits, &sum, sizeof bits);
      memcpy (&half_bits, &half, sizeof half_bits);
      return (guint16)(sign | (bits - half_bits));
    }
  /* Rounds to the 10 bits that stay, and moves the exponent's zero from 127
   * to 15. A carry out of the fraction goes into the exponent, as it should.
   */
  bits += 0xfff + (bits >> 13 & 1) - (112u << 23);
  return (guint16)(sign | bits >> 13);
}

/* NaN fails both comparisons and becomes 0. */
#define DEFINE_TO_INTEGER(name, type)                                          \
  static void name (const float *pixels, size_t n, double low, double scale,   \
                    double max, type *samples)                                 \
  {                                                                            \
    for (size_t i = 0; i < n; i++)                                             \
      {                                                                        \
        double level = (pixels[i] - low) * scale + 0.5;                        \
        level = level > 0 ? level : 0;                                         \
        samples[i] = (type)(level < max ? level : max);                        \
      }                                                                        \
  }

DEFINE_TO_INTEGER (to_u16, guint16)
DEFINE_TO_INTEGER (to_u8, guint8)

void
tl_volume_convert (TlVolumeSample sample, double low, double high,
                   const float *pixels, size_t n, void *samples,
                   TlVolumeTally *tally)
{
  const double max = types[sample].max;
  const double scale = max / (high - low);
  /* The nearest float inside the range separates the same pixels. */
  float first = -INFINITY, last = INFINITY;

  if (sample == TL_VOLUME_F16)
    first = -MAX_HALF, last = MAX_HALF;
  else if (max > 0)
    {
      first =
          (float)low >= low ? (float)low : nextafterf ((float)low, INFINITY);
      last = (float)high <= high ? (float)high
                                 : nextafterf ((float)high, -INFINITY);
    }
  for (size_t i = 0; i < n; i += BLOCK_PIXELS)
    {
      const size_t n_block = MIN (BLOCK_PIXELS, n - i);
      const float *block = pixels + i;

      count_block (block, n_block, first, last, tally);
      if (samples == NULL)
        continue;
      switch (sample)
        {
        case TL_VOLUME_F16:
          for (size_t k = 0; k < n_block; k++)
            ((guint16 *)samples)[i + k] = to_half (block[k]);
          break;
        case TL_VOLUME_U16:
          to_u16 (block, n_block, low, scale, max, (guint16 *)samples + i);
          break;
        case TL_VOLUME_U8:
          to_u8 (block, n_block, low, scale, max, (guint8 *)samples + i);
          break;
        default:
          memcpy ((float *)samples + i, block, n_block * sizeof *block);
        }
    }
}
