#include "data/read/format/stored.h"

#include <math.h>
#include <string.h>

TlSampleType
tl_stored_get_type (TlStoredType stored)
{
  g_return_val_if_fail (stored < TL_N_STORED_TYPES, TL_SAMPLE_U8);
  return stored == TL_STORED_F16      ? TL_SAMPLE_F32
         : tl_stored_is_wide (stored) ? TL_SAMPLE_F64
                                      : (TlSampleType)stored;
}

size_t
tl_stored_get_size (TlStoredType stored)
{
  return stored == TL_STORED_F16 ? sizeof (guint16)
                                 : tl_sample_size (tl_stored_get_type (stored));
}

const char *
tl_stored_get_name (TlStoredType stored)
{
  return stored == TL_STORED_U64   ? "uint64"
         : stored == TL_STORED_I64 ? "int64"
         : stored == TL_STORED_F16 ? "float16"
                                   : tl_sample_name ((TlSampleType)stored);
}

gboolean
tl_stored_is_wide (TlStoredType stored)
{
  return stored == TL_STORED_U64 || stored == TL_STORED_I64;
}

/* At the end, so that samples that become longer do not overwrite later ones.
 */
void *
tl_stored_get_place (TlStoredType stored, size_t n, void *dest)
{
  const size_t size = tl_sample_size (tl_stored_get_type (stored));
  return (char *)dest + n * (size - tl_stored_get_size (stored));
}

static float
half_to_float (guint16 half)
{
  const int exponent = half >> 10 & 31, fraction = half & 1023;
  const float size = exponent == 31 ? fraction == 0 ? INFINITY : NAN
                     : exponent == 0
                         ? ldexpf ((float)fraction, -24)
                         : ldexpf ((float)(fraction + 1024), exponent - 25);
  return half & 0x8000 ? -size : size;
}

static void
convert_halves (gboolean is_swapped, const char *samples, size_t n, float *dest)
{
  for (size_t i = 0; i < n; i++)
    {
      guint16 half;
      memcpy (&half, samples + i * sizeof half, sizeof half);
      dest[i] = half_to_float (is_swapped ? GUINT16_SWAP_LE_BE (half) : half);
    }
}

static void
convert_wide (TlStoredType stored, gboolean is_swapped, const char *samples,
              size_t n, double *dest)
{
  for (size_t i = 0; i < n; i++)
    {
      guint64 wide;
      memcpy (&wide, samples + i * sizeof wide, sizeof wide);
      if (is_swapped)
        wide = GUINT64_SWAP_LE_BE (wide);
      dest[i] = stored == TL_STORED_I64 ? (double)(gint64)wide : (double)wide;
    }
}

void
tl_stored_convert (TlStoredType stored, gboolean is_swapped,
                   const void *samples, size_t n, void *dest)
{
  const TlSampleType type = tl_stored_get_type (stored);
  if (stored == TL_STORED_F16)
    convert_halves (is_swapped, samples, n, dest);
  else if (tl_stored_is_wide (stored))
    convert_wide (stored, is_swapped, samples, n, dest);
  else
    {
      if (samples != dest)
        memcpy (dest, samples, n * tl_sample_size (type));
      if (is_swapped)
        tl_samples_swap (type, dest, n);
    }
}
