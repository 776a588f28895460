#include "data/samples.h"

#include <math.h>
#include <string.h>

static const struct
{
  const char *name;
  size_t size;
} types[TL_N_SAMPLE_TYPES] = {
  [TL_SAMPLE_U8] = { "uint8", 1 },    [TL_SAMPLE_I8] = { "int8", 1 },
  [TL_SAMPLE_U16] = { "uint16", 2 },  [TL_SAMPLE_I16] = { "int16", 2 },
  [TL_SAMPLE_U32] = { "uint32", 4 },  [TL_SAMPLE_I32] = { "int32", 4 },
  [TL_SAMPLE_F32] = { "float32", 4 }, [TL_SAMPLE_F64] = { "float64", 8 },
};

size_t
tl_sample_size (TlSampleType type)
{
  g_return_val_if_fail (type < TL_N_SAMPLE_TYPES, 0);
  return types[type].size;
}

gboolean
tl_sample_is_float (TlSampleType type)
{
  return type == TL_SAMPLE_F32 || type == TL_SAMPLE_F64;
}

const char *
tl_sample_name (TlSampleType type)
{
  g_return_val_if_fail (type < TL_N_SAMPLE_TYPES, NULL);
  return types[type].name;
}

#define SWAP(ctype, swap)                                                      \
  for (size_t i = 0; i < n; i++)                                               \
    {                                                                          \
      ctype sample;                                                            \
      memcpy (&sample, bytes + i * sizeof sample, sizeof sample);              \
      sample = swap (sample);                                                  \
      memcpy (bytes + i * sizeof sample, &sample, sizeof sample);              \
    }

void
tl_samples_swap (TlSampleType type, void *samples, size_t n)
{
  char *bytes = samples;
  switch (tl_sample_size (type))
    {
    case 2:
      SWAP (guint16, GUINT16_SWAP_LE_BE)
      break;
    case 4:
      SWAP (guint32, GUINT32_SWAP_LE_BE)
      break;
    case 8:
      SWAP (guint64, GUINT64_SWAP_LE_BE)
      break;
    }
}

#undef SWAP

#define SUBTRACT(type, ctype, to)                                              \
  case type:                                                                   \
    for (size_t i = 0; i < n; i++)                                             \
      {                                                                        \
        ctype sample;                                                          \
        memcpy (&sample, bytes + i * sizeof sample, sizeof sample);            \
        const to less = (to)((double)sample - offsets[i]);                     \
        memcpy (bytes + i * sizeof less, &less, sizeof less);                  \
      }                                                                        \
    break

void
tl_samples_subtract (TlSampleType type, void *samples, size_t n,
                     const double *offsets)
{
  char *bytes = samples;
  switch (type)
    {
      SUBTRACT (TL_SAMPLE_U32, guint32, float);
      SUBTRACT (TL_SAMPLE_I32, gint32, float);
      SUBTRACT (TL_SAMPLE_F64, double, double);
    default:
      g_return_if_reached ();
    }
}

#undef SUBTRACT

#define ROUND(type, ctype)                                                     \
  case type:                                                                   \
    for (size_t i = 0; i < n; i++)                                             \
      ((ctype *)dest)[i] = (ctype)llrint (values[i]);                          \
    break

void
tl_samples_from_double (TlSampleType type, const double *values, size_t n,
                        void *dest)
{
  switch (type)
    {
      ROUND (TL_SAMPLE_U8, guint8);
      ROUND (TL_SAMPLE_I8, gint8);
      ROUND (TL_SAMPLE_U16, guint16);
      ROUND (TL_SAMPLE_I16, gint16);
      ROUND (TL_SAMPLE_U32, guint32);
      ROUND (TL_SAMPLE_I32, gint32);
    case TL_SAMPLE_F32:
      for (size_t i = 0; i < n; i++)
        ((float *)dest)[i] = (float)values[i];
      break;
    case TL_SAMPLE_F64:
    case TL_N_SAMPLE_TYPES:
      memcpy (dest, values, n * sizeof *values);
      break;
    }
}

#undef ROUND

#define CONVERT(type, ctype, to)                                               \
  case type:                                                                   \
    for (size_t i = 0; i < n; i++)                                             \
      dest[i] = (to)((const ctype *)samples)[i];                               \
    break

#define CONVERT_ALL(to)                                                        \
  switch (type)                                                                \
    {                                                                          \
      CONVERT (TL_SAMPLE_U8, guint8, to);                                      \
      CONVERT (TL_SAMPLE_I8, gint8, to);                                       \
      CONVERT (TL_SAMPLE_U16, guint16, to);                                    \
      CONVERT (TL_SAMPLE_I16, gint16, to);                                     \
      CONVERT (TL_SAMPLE_U32, guint32, to);                                    \
      CONVERT (TL_SAMPLE_I32, gint32, to);                                     \
      CONVERT (TL_SAMPLE_F32, float, to);                                      \
      CONVERT (TL_SAMPLE_F64, double, to);                                     \
    default:                                                                   \
      g_return_if_reached ();                                                  \
    }

void
tl_samples_to_float (TlSampleType type, const void *samples, size_t n,
                     float *dest)
{
  CONVERT_ALL (float)
}

void
tl_samples_to_double (TlSampleType type, const void *samples, size_t n,
                      double *dest)
{
  CONVERT_ALL (double)
}

#undef CONVERT_ALL
#undef CONVERT

/* The value of sample @i of a floating-point type. */
static double
get_real (TlSampleType type, const void *samples, size_t i)
{
  return type == TL_SAMPLE_F32 ? (double)((const float *)samples)[i]
                               : ((const double *)samples)[i];
}

static void
set_real (TlSampleType type, void *samples, size_t i, double value)
{
  if (type == TL_SAMPLE_F32)
    ((float *)samples)[i] = (float)value;
  else
    ((double *)samples)[i] = value;
}

size_t
tl_samples_count_bad (TlSampleType type, const void *samples, size_t n,
                      size_t *first_bad)
{
  size_t n_bad = 0, first = 0;

  if (!tl_sample_is_float (type))
    return 0;
  /* Backwards, so that the last index stored is that of the first bad
   * sample. */
  for (size_t i = n; i-- > 0;)
    if (!isfinite (get_real (type, samples, i)))
      {
        n_bad++;
        first = i;
      }
  if (n_bad > 0 && first_bad != NULL)
    *first_bad = first;
  return n_bad;
}

gboolean
tl_samples_are_blank (TlSampleType type, const void *samples, size_t n)
{
  if (!tl_sample_is_float (type))
    return FALSE;
  for (size_t i = 0; i < n; i++)
    if (isfinite (get_real (type, samples, i)))
      return FALSE;
  return TRUE;
}

size_t
tl_samples_repair_row (TlSampleType type, void *samples, size_t n)
{
  size_t n_bad = 0;
  size_t left = n; /* index of the last good sample; n: none yet */

  if (!tl_sample_is_float (type))
    return 0;
  for (size_t i = 0; i < n; i++)
    {
      size_t right = i;

      if (isfinite (get_real (type, samples, i)))
        {
          left = i;
          continue;
        }
      while (right < n && !isfinite (get_real (type, samples, right)))
        right++;
      if (left == n && right == n)
        return n;
      double a = get_real (type, samples, left == n ? right : left);
      double b = get_real (type, samples, right == n ? left : right);
      n_bad += right - i;
      for (size_t k = i; k < right; k++)
        {
          double f = left == n || right == n
                         ? 0.0
                         : (double)(k - left) / (double)(right - left);
          set_real (type, samples, k, a + (b - a) * f);
        }
      i = right - 1;
    }
  return n_bad;
}
