#include "data/write/volume/sample-private.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* The files are little endian, and the samples are written as they lie in
 * memory. */
G_STATIC_ASSERT (G_BYTE_ORDER == G_LITTLE_ENDIAN);

/* Pixels converted at a time, so that they are read from memory once. */
#define BLOCK_PIXELS ((size_t)2048)

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

/* The bits of a float as a number of the same order, and back. */
static gint32
to_key (gint32 bits)
{
  return bits ^ (bits >> 31 & 0x7fffffff);
}

static float
from_key (gint32 key)
{
  const gint32 bits = to_key (key);
  float value;

  memcpy (&value, &bits, sizeof value);
  return value;
}

/* Becomes part of tl_volume_convert_plain() and of convert_avx2(), and is
 * compiled with the instructions of each. The loops run over whole blocks and
 * do not branch, so that compilers make vector instructions of them. */
#define INLINE __attribute__ ((always_inline)) static inline

INLINE void
count_block (const float *restrict pixels, float low, float high,
             TlVolumeTally *tally)
{
  const gint32 infinite = 0x7f800000;
  gint32 n_below = 0, n_above = 0, n_nan = 0;
  gint32 min = infinite, max = to_key ((gint32)0xff800000);

  for (size_t i = 0; i < BLOCK_PIXELS; i++)
    {
      gint32 bits;

      memcpy (&bits, &pixels[i], sizeof bits);
      const gint32 magnitude = bits & 0x7fffffff;
      const gint32 key = to_key (bits);
      /* What is not finite is neither the least nor the greatest. */
      const gint32 is_finite = -(magnitude < infinite);
      const gint32 low_key = (key & is_finite) | (infinite & ~is_finite);
      const gint32 high_key = (key & is_finite) | (G_MININT32 & ~is_finite);

      n_nan += magnitude > infinite;
      n_below += pixels[i] < low;
      n_above += pixels[i] > high;
      min = low_key < min ? low_key : min;
      max = high_key > max ? high_key : max;
    }
  tally->n_below += (guint64)n_below;
  tally->n_above += (guint64)n_above;
  tally->n_nan += (guint64)n_nan;
  tally->min = MIN (tally->min, from_key (min));
  tally->max = MAX (tally->max, from_key (max));
}

INLINE void
to_f16 (const float *restrict pixels, guint16 *restrict samples)
{
  for (size_t i = 0; i < BLOCK_PIXELS; i++)
    {
      /* The last place of 0.5f is that of the subnormal halves, so that the
       * addition rounds to it. */
      const float sum = fabsf (pixels[i]) + 0.5f;
      guint32 bits, sum_bits;

      memcpy (&bits, &pixels[i], sizeof bits);
      memcpy (&sum_bits, &sum, sizeof sum_bits);
      const guint32 sign = bits >> 16 & 0x8000;
      bits &= 0x7fffffff;
      const guint32 subnormal = sum_bits - 0x3f000000;
      /* Rounds to the 10 bits that stay, and moves the exponent's zero from
       * 127 to 15. A carry out of the fraction goes into the exponent, as it
       * should. */
      const guint32 normal =
          (bits + 0xfff + (bits >> 13 & 1) - (112u << 23)) >> 13;
      const guint32 is_subnormal = -(guint32)(bits < 0x38800000); /* 2^-14 */
      const guint32 is_special = -(guint32)(bits >= 0x47800000);  /* 65536 */
      const guint32 special = 0x7c00 | (-(guint32)(bits > 0x7f800000) & 0x200);

      samples[i] =
          (guint16)(sign | (subnormal & is_subnormal) | (special & is_special)
                    | (normal & ~is_subnormal & ~is_special));
    }
}

/* NaN fails both comparisons and becomes 0. */
#define DEFINE_TO_INTEGER(name, type)                                          \
  INLINE void name (const float *restrict pixels, double low, double scale,    \
                    double max, type *restrict samples)                        \
  {                                                                            \
    for (size_t i = 0; i < BLOCK_PIXELS; i++)                                  \
      {                                                                        \
        double level = (pixels[i] - low) * scale + 0.5;                        \
        level = level > 0 ? level : 0;                                         \
        level = level < max ? level : max;                                     \
        samples[i] = (type)(gint32)level;                                      \
      }                                                                        \
  }

DEFINE_TO_INTEGER (to_u16, guint16)
DEFINE_TO_INTEGER (to_u8, guint8)

INLINE void
convert (TlVolumeSample sample, double low, double high, const float *pixels,
         size_t n, void *samples, TlVolumeTally *tally)
{
  const double max = types[sample].max;
  const double scale = max / (high - low);
  float padded[BLOCK_PIXELS];
  union
  {
    guint16 u16[BLOCK_PIXELS];
    guint8 u8[BLOCK_PIXELS];
  } block;
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
      const float *from = pixels + i;

      if (n_block < BLOCK_PIXELS)
        {
          memcpy (padded, from, n_block * sizeof *from);
          for (size_t k = n_block; k < BLOCK_PIXELS; k++)
            padded[k] = NAN;
          from = padded;
        }
      count_block (from, first, last, tally);
      tally->n_nan -= BLOCK_PIXELS - n_block;
      if (samples == NULL)
        continue;
      if (sample == TL_VOLUME_F16)
        to_f16 (from, block.u16);
      else if (sample == TL_VOLUME_U16)
        to_u16 (from, low, scale, max, block.u16);
      else if (sample == TL_VOLUME_U8)
        to_u8 (from, low, scale, max, block.u8);
      memcpy ((char *)samples + i * types[sample].size,
              sample == TL_VOLUME_F32 ? (const void *)from : &block,
              n_block * types[sample].size);
    }
}

void
tl_volume_convert_plain (TlVolumeSample sample, double low, double high,
                         const float *pixels, size_t n, void *samples,
                         TlVolumeTally *tally)
{
  convert (sample, low, high, pixels, n, samples, tally);
}

#if defined(__x86_64__)

/* Without fused operations each one rounds as the plain ones do, so that the
 * results are the same to the bit. */
__attribute__ ((target ("avx2"))) static void
convert_avx2 (TlVolumeSample sample, double low, double high,
              const float *pixels, size_t n, void *samples,
              TlVolumeTally *tally)
{
  convert (sample, low, high, pixels, n, samples, tally);
}

#endif

void
tl_volume_convert (TlVolumeSample sample, double low, double high,
                   const float *pixels, size_t n, void *samples,
                   TlVolumeTally *tally)
{
#if defined(__x86_64__)
  if (__builtin_cpu_supports ("avx2"))
    {
      convert_avx2 (sample, low, high, pixels, n, samples, tally);
      return;
    }
#endif
  tl_volume_convert_plain (sample, low, high, pixels, n, samples, tally);
}
