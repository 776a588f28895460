#include "data/stream/pixels-private.h"

#include "data/array.h"
#include "data/error.h"

#ifdef TL_HAVE_BLOSC
#include <blosc.h>
#endif
#include <glib/gi18n.h>
#include <string.h>

static size_t
count_bytes (const TlMessage *message)
{
  return message->n_rows * message->n_cols
         * tl_sample_size (message->sample_type);
}

gboolean
tl_pixels_can_unpack (void)
{
#ifdef TL_HAVE_BLOSC
  return TRUE;
#else
  return FALSE;
#endif
}

/* @n_bytes: (inout): of the pixels; those that are packed, if they are */
static gboolean
measure_packed (const TlMessagePart *part, size_t *n_bytes, GError **error)
{
#ifdef TL_HAVE_BLOSC
  if (part->n <= G_MAXINT32
      && blosc_cbuffer_validate (part->bytes, part->n, n_bytes) == 0)
    return TRUE;
#endif
  return tl_fail (error, TL_ERROR_FORMAT,
                  _ ("the pixels of a frame are not what Blosc packs"));
}

gboolean
tl_pixels_check (const TlMessagePart *part, TlMessage *message, GError **error)
{
  size_t n_bytes = part->n;
  if (message->is_packed && !measure_packed (part, &n_bytes, error))
    return FALSE;
  message->pixels = part->bytes;
  message->n_packed = part->n;
  return n_bytes == count_bytes (message)
         || tl_fail (
             error, TL_ERROR_SHAPE,
             g_dngettext (NULL,
                          "a frame of %zu x %zu pixels (rows x columns) of %s "
                          "came with %zu byte of pixels; it needs %zu",
                          "a frame of %zu x %zu pixels (rows x columns) of %s "
                          "came with %zu bytes of pixels; it needs %zu",
                          n_bytes),
             message->n_rows, message->n_cols,
             tl_sample_name (message->sample_type), n_bytes,
             count_bytes (message));
}

static gboolean
unpack (const TlMessage *message, void *dest, GError **error)
{
#ifdef TL_HAVE_BLOSC
  const size_t n_bytes = count_bytes (message);
  if (blosc_decompress_ctx (message->pixels, dest, n_bytes, 1) == (int)n_bytes)
    return TRUE;
#endif
  return tl_fail (error, TL_ERROR_FORMAT,
                  _ ("the pixels of a frame are not what Blosc packs"));
}

/* Where the pixel @row, @col of a frame lies in what was sent, which is
 * mirrored first and turned then. */
static size_t
find_source (const TlMessage *message, size_t row, size_t col)
{
  const size_t n_rows = message->n_rows, n_cols = message->n_cols;
  const guint turns = message->n_quarter_turns;
  const size_t n_sent_cols = turns % 2 != 0 ? n_rows : n_cols;
  const size_t places[][2] = { { row, col },
                               { col, n_rows - 1 - row },
                               { n_rows - 1 - row, n_cols - 1 - col },
                               { n_cols - 1 - col, row } };
  const size_t sent_row = places[turns][0], sent_col = places[turns][1];
  return sent_row * n_sent_cols
         + (message->is_mirrored ? n_sent_cols - 1 - sent_col : sent_col);
}

static void
orient (const TlMessage *message, const char *sent, char *dest)
{
  const size_t size = tl_sample_size (message->sample_type);
  for (size_t row = 0; row < message->n_rows; row++)
    for (size_t col = 0; col < message->n_cols; col++, dest += size)
      memcpy (dest, sent + find_source (message, row, col) * size, size);
}

/* The same where nothing is mirrored or turned. */
static gboolean
copy_plain (const TlMessage *message, void *dest, GError **error)
{
  if (message->is_packed)
    return unpack (message, dest, error);
  memcpy (dest, message->pixels, count_bytes (message));
  return TRUE;
}

static gboolean
copy_oriented (const TlMessage *message, void *dest, GError **error)
{
  const size_t size = tl_sample_size (message->sample_type);
  if (!message->is_packed)
    {
      orient (message, (const char *)message->pixels, dest);
      return TRUE;
    }
  g_autofree char *sent = tl_try_alloc (1, message->n_rows, message->n_cols,
                                        size, _ ("one projection"), error);
  if (sent == NULL || !unpack (message, sent, error))
    return FALSE;
  orient (message, sent, dest);
  return TRUE;
}

static gboolean
is_upright (const TlMessage *message)
{
  return !message->is_mirrored && message->n_quarter_turns == 0;
}

static gboolean
is_swapped (const TlMessage *message)
{
  return message->is_big_endian != (G_BYTE_ORDER == G_BIG_ENDIAN);
}

const void *
tl_pixels_find_ready (const TlMessage *message)
{
  const gboolean is_ready =
      message->pixels_stay && !message->is_packed && is_upright (message)
      && !is_swapped (message)
      && (guintptr)message->pixels % tl_sample_size (message->sample_type) == 0;
  return is_ready ? message->pixels : NULL;
}

gboolean
tl_pixels_copy (const TlMessage *message, void *dest, GError **error)
{
  if (!(is_upright (message) ? copy_plain : copy_oriented) (message, dest,
                                                            error))
    return FALSE;
  if (is_swapped (message))
    tl_samples_swap (message->sample_type, dest,
                     message->n_rows * message->n_cols);
  return TRUE;
}
