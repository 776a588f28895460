/* Inflating compressed chunks, such as those of HDF5's filter "deflate", by
 * ISA-L: as a whole, or by and by, where each read goes on where the last one
 * ended. */
#pragma once

#include "data/inflater.h"

typedef struct TlInflation TlInflation;

/* Memory of one that has begun. */
#define TL_INFLATION_BYTES ((guint64)87 << 10)

typedef enum
{
  TL_INFLATION_GOOD,
  /* The chunk cannot be read, or is not as it should be. */
  TL_INFLATION_BAD,
  TL_INFLATION_NO_MEMORY,
  /* The chunk turns out to be damaged after its first bytes may have been
   * returned as good: its checksum stands at its end. */
  TL_INFLATION_DAMAGED
} TlInflationResult;

/**
 * tl_inflate:
 * @stored: [@n_stored], a whole chunk
 * @is_gzip: a stream of gzip, not of zlib
 * @dest: (out caller-allocates): [@n_wanted]
 * @n_wanted: bytes to inflate, from the first on
 * @n: bytes of the whole chunk when it is inflated
 *
 * Returns: %FALSE if the chunk is damaged. Its checksum, which stands at its
 *   end, is compared only if all bytes are wanted.
 */
gboolean tl_inflate (const void *stored, size_t n_stored, gboolean is_gzip,
                     void *dest, size_t n_wanted, size_t n);

/**
 * tl_inflation_new:
 * @read: reads the chunk, compressed; @data must outlive the result
 * @stream: for @read
 * @stored_bytes: of the compressed chunk
 * @bytes: of the chunk when it is inflated
 *
 * Returns: (transfer full)
 */
TlInflation *tl_inflation_new (TlReadStored read, gpointer data, size_t stream,
                               guint64 stored_bytes, guint64 bytes);
void tl_inflation_free (TlInflation *inflation);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlInflation, tl_inflation_free)

/**
 * tl_inflation_read:
 * @dest: (out caller-allocates): the @n bytes from @first on
 *
 * Inflates from the beginning if an earlier read has passed @first. What stands
 * between two reads is inflated and dropped. Forgets the chunk after its last
 * byte.
 */
TlInflationResult tl_inflation_read (TlInflation *inflation, guint64 first,
                                     size_t n, void *dest);

/**
 * tl_inflation_count:
 * @n: (out): how many bytes the chunk has when it is inflated, to its end, or
 *   more than @bytes of tl_inflation_new() if there are more
 *
 * Keeps none of them.
 */
TlInflationResult tl_inflation_count (TlInflation *inflation, guint64 *n);
