#include "data/inflation.h"

#include <isa-l/igzip_lib.h>

enum
{
  STORED_BYTES = 32 << 10,  /* read at a time */
  DROPPED_BYTES = 32 << 10, /* inflated at a time, where they are not wanted */
  LINE_BYTES = 64           /* of a cache */
};

G_STATIC_ASSERT (sizeof (struct inflate_state) < TL_INFLATION_BYTES);

struct TlInflation
{
  TlReadStored read;
  gpointer data;
  size_t stream;
  guint64 stored_bytes, bytes;
  struct inflate_state *state; /* (nullable): %NULL: not begun */
  guint64 n_taken, n_inflated; /* of the stored bytes, of the others */
};

static void
init_state (struct inflate_state *state)
{
  isal_inflate_init (state);
  state->crc_flag = ISAL_ZLIB;
}

gboolean
tl_inflate (const void *stored, size_t n_stored, gboolean is_gzip, void *dest,
            size_t n_wanted, size_t n)
{
  struct inflate_state state;
  g_return_val_if_fail (
      n_stored <= G_MAXUINT32 && n_wanted <= n && n <= G_MAXUINT32, FALSE);
  init_state (&state);
  if (is_gzip)
    state.crc_flag = ISAL_GZIP;
  state.next_in = (uint8_t *)stored;
  state.avail_in = (uint32_t)n_stored;
  state.next_out = dest;
  state.avail_out = (uint32_t)n_wanted;
  return isal_inflate_stateless (&state)
             == (n_wanted < n ? ISAL_OUT_OVERFLOW : ISAL_DECOMP_OK)
         && state.avail_out == 0;
}

TlInflation *
tl_inflation_new (TlReadStored read, gpointer data, size_t stream,
                  guint64 stored_bytes, guint64 bytes)
{
  TlInflation *inflation = g_new0 (TlInflation, 1);
  inflation->read = read;
  inflation->data = data;
  inflation->stream = stream;
  inflation->stored_bytes = stored_bytes;
  inflation->bytes = bytes;
  return inflation;
}

void
tl_inflation_free (TlInflation *inflation)
{
  if (inflation == NULL)
    return;
  g_free (inflation->state);
  g_free (inflation);
}

static gboolean
begin (TlInflation *inflation)
{
  if (inflation->state == NULL)
    inflation->state = g_try_new (struct inflate_state, 1);
  if (inflation->state == NULL)
    return FALSE;
  init_state (inflation->state);
  inflation->n_taken = inflation->n_inflated = 0;
  return TRUE;
}

/* Thousands of chunks that are inflated in turns push each other's state out of
 * the caches. Symbols are looked up at random, and each look would wait for
 * memory: asked for at once, the lines come together. Of a block of 8 rows of
 * 2048 columns this saves 13 % of the processor's time. */
static void
fetch_state (const struct inflate_state *state)
{
  const char *lines = (const char *)state;
  const size_t n = offsetof (struct inflate_state, tmp_out_buffer)
                   + (size_t)state->tmp_out_valid;
  for (size_t k = 0; k < n; k += LINE_BYTES)
    __builtin_prefetch (lines + k);
}

/* Inflates up to @n bytes, fewer where the stream ends.
 * @looks_at_end: also reads the checksum behind the last of @n bytes
 * @n_given: (out): how many there are */
static TlInflationResult
inflate_some (TlInflation *inflation, size_t n, gboolean looks_at_end,
              char *dest, size_t *n_given)
{
  struct inflate_state *state = inflation->state;
  uint8_t stored[STORED_BYTES];
  fetch_state (state);
  state->next_out = (uint8_t *)dest;
  state->avail_out = (uint32_t)n;
  while (state->block_state != ISAL_BLOCK_FINISH
         && (state->avail_out > 0 || looks_at_end))
    {
      const guint64 rest = inflation->stored_bytes - inflation->n_taken;
      const guint32 n_in = (guint32)MIN (rest, STORED_BYTES);
      const guint32 n_out = state->avail_out;
      state->next_in = stored;
      state->avail_in = n_in;
      if (!inflation->read (inflation->data, inflation->stream,
                            inflation->n_taken, n_in, stored))
        return TL_INFLATION_BAD;
      if (isal_inflate (state) != ISAL_DECOMP_OK
          || (state->avail_in == n_in && state->avail_out == n_out
              && state->block_state != ISAL_BLOCK_FINISH))
        return TL_INFLATION_DAMAGED;
      inflation->n_taken += n_in - state->avail_in;
    }
  *n_given = n - state->avail_out;
  inflation->n_inflated += *n_given;
  return TL_INFLATION_GOOD;
}

/* Inflates the next @n bytes, and looks at the checksum after the last one. */
static TlInflationResult
inflate_next (TlInflation *inflation, size_t n, char *dest)
{
  const gboolean is_last = inflation->n_inflated + n == inflation->bytes;
  size_t n_given = 0;
  const TlInflationResult result =
      inflate_some (inflation, n, is_last, dest, &n_given);
  return result == TL_INFLATION_GOOD && n_given < n ? TL_INFLATION_DAMAGED
                                                    : result;
}

/* Inflates @n bytes. @dest: (nullable): %NULL: they are not wanted */
static TlInflationResult
go_on (TlInflation *inflation, guint64 n, char *dest)
{
  char dropped[DROPPED_BYTES];
  TlInflationResult result = TL_INFLATION_GOOD;
  for (guint64 n_now; n > 0 && result == TL_INFLATION_GOOD; n -= n_now)
    {
      n_now = dest != NULL ? n : MIN (n, DROPPED_BYTES);
      result = inflate_next (inflation, n_now, dest != NULL ? dest : dropped);
    }
  return result;
}

TlInflationResult
tl_inflation_read (TlInflation *inflation, guint64 first, size_t n, void *dest)
{
  g_return_val_if_fail (first + n <= inflation->bytes, TL_INFLATION_BAD);
  if ((inflation->state == NULL || inflation->n_inflated > first)
      && !begin (inflation))
    return TL_INFLATION_NO_MEMORY;
  TlInflationResult result =
      go_on (inflation, first - inflation->n_inflated, NULL);
  if (result == TL_INFLATION_GOOD)
    result = go_on (inflation, n, dest);
  if (result != TL_INFLATION_GOOD || inflation->n_inflated == inflation->bytes)
    g_clear_pointer (&inflation->state, g_free);
  return result == TL_INFLATION_DAMAGED && first == 0 ? TL_INFLATION_BAD
                                                      : result;
}

TlInflationResult
tl_inflation_count (TlInflation *inflation, guint64 *n)
{
  char dropped[DROPPED_BYTES];
  size_t n_given = DROPPED_BYTES;
  TlInflationResult result =
      begin (inflation) ? TL_INFLATION_GOOD : TL_INFLATION_NO_MEMORY;
  while (result == TL_INFLATION_GOOD && n_given == DROPPED_BYTES
         && inflation->n_inflated <= inflation->bytes)
    result = inflate_some (inflation, DROPPED_BYTES, FALSE, dropped, &n_given);
  *n = inflation->n_inflated;
  g_clear_pointer (&inflation->state, g_free);
  return result;
}
