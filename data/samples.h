/* Detector samples in the type in which the file stores them. */
#pragma once

#include <glib.h>

typedef enum
{
  TL_SAMPLE_U8,
  TL_SAMPLE_I8,
  TL_SAMPLE_U16,
  TL_SAMPLE_I16,
  TL_SAMPLE_U32,
  TL_SAMPLE_I32,
  TL_SAMPLE_F32,
  TL_SAMPLE_F64,
  TL_N_SAMPLE_TYPES
} TlSampleType;

/** tl_sample_size: Returns: bytes of one sample */
size_t tl_sample_size (TlSampleType type);

gboolean tl_sample_is_float (TlSampleType type);

/** tl_sample_name: Returns: (transfer none): "uint16", "float32" and so on */
const char *tl_sample_name (TlSampleType type);

/** tl_samples_swap: Reverses the byte order of @n samples. */
void tl_samples_swap (TlSampleType type, void *samples, size_t n);

/**
 * tl_samples_to_float:
 * @samples: [@n] of @type, native byte order, host memory
 * @dest: (out caller-allocates): [@n]
 */
void tl_samples_to_float (TlSampleType type, const void *samples, size_t n,
                          float *dest);

/** tl_samples_subtract: Subtracts @offsets, [@n], from samples of 32 or 64
 * bits, in place and before they are rounded. Those of 32 bits become float32.
 */
void tl_samples_subtract (TlSampleType type, void *samples, size_t n,
                          const double *offsets);

/** tl_samples_to_double: As tl_samples_to_float(). */
void tl_samples_to_double (TlSampleType type, const void *samples, size_t n,
                           double *dest);

/** tl_samples_from_double: The other way round. Integers are rounded to the
 * nearest; they must be within the range of @type. @dest: (out
 * caller-allocates): [@n] */
void tl_samples_from_double (TlSampleType type, const double *values, size_t n,
                             void *dest);

/**
 * tl_samples_count_bad:
 * @first_bad: (out) (optional): index of the first bad sample
 *
 * Returns: how many of @n samples are NaN or infinite; 0 for integer types
 */
size_t tl_samples_count_bad (TlSampleType type, const void *samples, size_t n,
                             size_t *first_bad);

/** tl_samples_are_blank: Returns: whether all of @n samples are NaN or
 * infinite, as of a frame that was never filled */
gboolean tl_samples_are_blank (TlSampleType type, const void *samples,
                               size_t n);

/** tl_samples_repair_row: Replaces NaN and infinite samples of one detector row
 * by linear interpolation between the nearest good samples, or at an end by the
 * nearest good sample. Returns: the number of samples replaced; @n if the row
 * has no good sample (the row is then left unchanged) */
size_t tl_samples_repair_row (TlSampleType type, void *samples, size_t n);
