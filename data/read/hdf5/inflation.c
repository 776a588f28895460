#include "data/read/hdf5/inflation-private.h"

#include "data/read/place-private.h"

#include <zlib.h>

enum
{
  STORED_BYTES = 32 << 10, /* read from the file at a time */
  DROPPED_BYTES = 32 << 10 /* inflated at a time, where they are not wanted */
};

struct TlInflation
{
  int fd;
  guint64 offset, stored_bytes, bytes;
  gboolean has_begun; /* zlib holds memory */
  z_stream zlib;
  guint64 n_inflated;
};

TlInflation *
tl_inflation_new (int fd, guint64 offset, guint64 stored_bytes, guint64 bytes)
{
  TlInflation *inflation = g_new0 (TlInflation, 1);
  inflation->fd = fd;
  inflation->offset = offset;
  inflation->stored_bytes = stored_bytes;
  inflation->bytes = bytes;
  return inflation;
}

static void
end (TlInflation *inflation)
{
  if (inflation->has_begun)
    inflateEnd (&inflation->zlib);
  inflation->has_begun = FALSE;
}

void
tl_inflation_free (TlInflation *inflation)
{
  if (inflation == NULL)
    return;
  end (inflation);
  g_free (inflation);
}

static gboolean
begin (TlInflation *inflation)
{
  end (inflation);
  inflation->zlib = (z_stream){ 0 };
  inflation->n_inflated = 0;
  inflation->has_begun = inflateInit (&inflation->zlib) == Z_OK;
  return inflation->has_begun;
}

/* Inflates the next @n bytes. Returns: Z_STREAM_END if they end the chunk, and
 * its checksum is right */
static int
inflate_next (TlInflation *inflation, size_t n, char *dest)
{
  z_stream *zlib = &inflation->zlib;
  Bytef stored[STORED_BYTES];
  int result = Z_OK;
  zlib->next_out = (Bytef *)dest;
  zlib->avail_out = (uInt)n;
  const gboolean is_last = inflation->n_inflated + n == inflation->bytes;
  while (result == Z_OK && (zlib->avail_out > 0 || is_last))
    {
      const guint64 rest = inflation->stored_bytes - zlib->total_in;
      zlib->avail_in = (uInt)MIN (rest, STORED_BYTES);
      zlib->next_in = stored;
      result = tl_place_read (inflation->fd, inflation->offset + zlib->total_in,
                              zlib->avail_in, stored, "")
                       != NULL
                   ? Z_ERRNO
                   : inflate (zlib, Z_SYNC_FLUSH);
    }
  inflation->n_inflated += n;
  return result;
}

/* Inflates @n bytes. @dest: (nullable): %NULL: they are not wanted.
 * Returns: Z_OK, also at the end of the chunk */
static int
go_on (TlInflation *inflation, guint64 n, char *dest)
{
  char dropped[DROPPED_BYTES];
  for (guint64 n_now; n > 0; n -= n_now)
    {
      n_now = dest != NULL ? n : MIN (n, DROPPED_BYTES);
      const int result =
          inflate_next (inflation, n_now, dest != NULL ? dest : dropped);
      const gboolean is_end = inflation->n_inflated == inflation->bytes;
      if (result != (is_end ? Z_STREAM_END : Z_OK))
        return result == Z_ERRNO ? Z_ERRNO : Z_DATA_ERROR;
    }
  return Z_OK;
}

TlInflationResult
tl_inflation_read (TlInflation *inflation, guint64 first, size_t n, void *dest)
{
  g_return_val_if_fail (first + n <= inflation->bytes, TL_INFLATION_BAD);
  if ((!inflation->has_begun || inflation->n_inflated > first)
      && !begin (inflation))
    return TL_INFLATION_BAD;
  int result = go_on (inflation, first - inflation->n_inflated, NULL);
  if (result == Z_OK)
    result = go_on (inflation, n, dest);
  if (result != Z_OK || inflation->n_inflated == inflation->bytes)
    end (inflation);
  if (result == Z_OK)
    return TL_INFLATION_GOOD;
  return result == Z_DATA_ERROR && first > 0 ? TL_INFLATION_DAMAGED
                                             : TL_INFLATION_BAD;
}
