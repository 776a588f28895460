/* The types in which files store samples. Those that TlSampleType lacks are
 * converted when they are read: integers of 64 bits to float64, which rounds
 * those beyond 2^53, and floats of 16 bits to float32, which is exact. */
#pragma once

#include "data/samples.h"

/* A TlSampleType, or one of the others. */
typedef guint TlStoredType;

enum
{
  TL_STORED_U64 = TL_N_SAMPLE_TYPES,
  TL_STORED_I64,
  TL_STORED_F16,
  TL_N_STORED_TYPES
};

/** tl_stored_get_type: Returns: the type in which the samples are read */
TlSampleType tl_stored_get_type (TlStoredType stored);

/** tl_stored_get_size: Returns: bytes of one sample in the file */
size_t tl_stored_get_size (TlStoredType stored);

/** tl_stored_get_name: Returns: (transfer none): "uint64" and so on */
const char *tl_stored_get_name (TlStoredType stored);

/** tl_stored_is_wide: Returns: whether they are integers of 64 bits */
gboolean tl_stored_is_wide (TlStoredType stored);

/** tl_stored_get_place: Returns: where to put @n stored samples in @dest, which
 * has room for @n converted ones, so that tl_stored_convert() takes them */
void *tl_stored_get_place (TlStoredType stored, size_t n, void *dest);

/**
 * tl_stored_convert:
 * @is_swapped: whether the bytes of each sample are in the order that is not
 *   this machine's
 * @samples: [@n], as they are in the file; apart from @dest or at its
 *   tl_stored_get_place()
 * @dest: (out caller-allocates): [@n] of tl_stored_get_type(), native
 */
void tl_stored_convert (TlStoredType stored, gboolean is_swapped,
                        const void *samples, size_t n, void *dest);
