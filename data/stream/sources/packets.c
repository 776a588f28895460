/* The messages of TomoPackets (https://github.com/cicwi/TomoPackets), which
 * RECAST3D and SliceRecon take: integers and floats of 32 bits, little-endian,
 * without gaps. */
#include "data/stream/message-private.h"

#include "data/error.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

enum
{
  SCAN_SETTINGS = 0x302,
  PARALLEL_BEAM = 0x303,
  PARALLEL_VECTORS = 0x304,
  PROJECTION = 0x309,
  N_TYPES = 3, /* of projections */
  /* All descriptors of TomoPackets lie between these. */
  FIRST_DESCRIPTOR = 0x100,
  LAST_DESCRIPTOR = 0xfff
};

/* The bytes of a packet that were not yet taken. */
typedef struct
{
  const guint8 *bytes;
  size_t n;
} Rest;

static gboolean
take (Rest *rest, void *dest, size_t n)
{
  if (rest->n < n)
    return FALSE;
  memcpy (dest, rest->bytes, n);
  rest->bytes += n;
  rest->n -= n;
  return TRUE;
}

static gboolean
take_ints (Rest *rest, gint32 *values, size_t n)
{
  if (!take (rest, values, n * sizeof *values))
    return FALSE;
  for (size_t k = 0; k < n; k++)
    values[k] = GINT32_FROM_LE (values[k]);
  return TRUE;
}

/* Returns: whether the rest is exactly @n numbers of 32 bits, @n of at least 0
 */
static gboolean
is_vector (const Rest *rest, gint32 n)
{
  return n >= 0 && rest->n / 4 == (size_t)n && rest->n % 4 == 0;
}

/* @rest: of the packet; @n_needed: bytes that it needs in its place */
static gboolean
fail_length (int descriptor, const Rest *rest, size_t n_needed, GError **error)
{
  const size_t n_before = sizeof (gint32); /* the descriptor */
  return tl_fail (error, TL_ERROR_FORMAT,
                  _ ("a packet of the kind 0x%x has %zu bytes; by what it says "
                     "of itself it needs %zu"),
                  (guint)descriptor, n_before + rest->n, n_before + n_needed);
}

/* Returns: the bytes of @n_ints numbers and of as many as @n says, if it may */
static size_t
count_bytes (size_t n_ints, gint32 n)
{
  return (n_ints + (size_t)MAX (n, 0)) * sizeof (gint32);
}

static gboolean
parse_settings (Rest rest, TlMessage *message, GError **error)
{
  gint32 values[3]; /* scene, darks, flats */
  guint8 is_linear;
  const Rest all = rest;
  if (!take_ints (&rest, values, G_N_ELEMENTS (values))
      || !take (&rest, &is_linear, 1) || rest.n != 0)
    return fail_length (SCAN_SETTINGS, &all,
                        count_bytes (G_N_ELEMENTS (values), 0) + 1, error);
  if (values[1] < 0 || values[2] < 0)
    return tl_fail (error, TL_ERROR_VALUE,
                    _ ("the settings say %d darks and %d flats; both numbers "
                       "are at least 0"),
                    values[1], values[2]);
  message->type = TL_MESSAGE_SETTINGS;
  message->n_darks = (size_t)values[1];
  message->n_flats = (size_t)values[2];
  message->is_attenuation = is_linear != 0;
  return TRUE;
}

static gboolean
are_finite (const guint8 *floats, size_t n)
{
  for (size_t k = 0; k < n; k++)
    {
      guint32 bits;
      memcpy (&bits, floats + k * sizeof bits, sizeof bits);
      /* The exponent of infinity and NaN has all bits set. */
      if ((~GUINT32_FROM_LE (bits) & 0x7f800000) == 0)
        return FALSE;
    }
  return TRUE;
}

static gboolean
parse_geometry (Rest rest, TlMessage *message, GError **error)
{
  gint32 values[5] = { 0 }; /* scene, rows, columns, projections, angles */
  const Rest all = rest;
  if (!take_ints (&rest, values, G_N_ELEMENTS (values))
      || !is_vector (&rest, values[4]))
    return fail_length (PARALLEL_BEAM, &all,
                        count_bytes (G_N_ELEMENTS (values), values[4]), error);
  if (!tl_message_check_shape (values[1], values[2], error))
    return FALSE;
  if (values[3] <= 0 || values[3] > (gint64)TL_STREAM_MAX_FRAMES)
    return tl_fail (error, TL_ERROR_VALUE,
                    _ ("the geometry says %d projections; it needs 1 to %d"),
                    values[3], (int)TL_STREAM_MAX_FRAMES);
  if (values[4] != 0 && values[4] != values[3])
    return tl_fail (
        error, TL_ERROR_SHAPE,
        g_dngettext (NULL, "the geometry has %d angle for %d projections",
                     "the geometry has %d angles for %d projections",
                     (gulong)values[4]),
        values[4], values[3]);
  if (!are_finite (rest.bytes, (size_t)values[4]))
    return tl_fail (error, TL_ERROR_VALUE,
                    _ ("the geometry has an angle that is no number"));
  message->type = TL_MESSAGE_GEOMETRY;
  message->sample_type = TL_SAMPLE_F32;
  message->n_rows = (size_t)values[1];
  message->n_cols = (size_t)values[2];
  message->n_projections = (size_t)values[3];
  message->angles = values[4] > 0 ? rest.bytes : NULL;
  return TRUE;
}

static gboolean
parse_projection (Rest rest, TlMessage *message, GError **error)
{
  static const TlFrameKind kinds[N_TYPES] = {
    TL_FRAMES_DARKS,
    TL_FRAMES_FLATS,
    TL_FRAMES_PROJECTIONS,
  };
  gint32 values[5] = { 0 }; /* type, id, rows, columns, pixels */
  const Rest all = rest;
  if (!take_ints (&rest, values, G_N_ELEMENTS (values))
      || !is_vector (&rest, values[4]))
    return fail_length (PROJECTION, &all,
                        count_bytes (G_N_ELEMENTS (values), values[4]), error);
  if (values[0] < 0 || values[0] >= N_TYPES || values[1] < 0)
    return tl_fail (error, TL_ERROR_VALUE,
                    _ ("a packet of pixels has the type %d and the number %d; "
                       "the type is 0 (dark), 1 (flat) or 2 (projection), and "
                       "the number at least 0"),
                    values[0], values[1]);
  if (!tl_message_check_shape (values[2], values[3], error))
    return FALSE;
  if (values[4] != (gint64)values[2] * values[3])
    return tl_fail (error, TL_ERROR_SHAPE,
                    g_dngettext (NULL,
                                 "a frame of %d x %d pixels came with %d "
                                 "value; it needs %lld",
                                 "a frame of %d x %d pixels came with %d "
                                 "values; it needs %lld",
                                 (gulong)values[4]),
                    values[2], values[3], values[4],
                    (long long)values[2] * values[3]);
  message->type = TL_MESSAGE_FRAME;
  message->has_kind = message->has_number = TRUE;
  message->counts_on = TRUE;
  message->kind = kinds[values[0]];
  message->number = (guint64)values[1];
  message->n_rows = (size_t)values[2];
  message->n_cols = (size_t)values[3];
  message->sample_type = TL_SAMPLE_F32;
  message->pixels = rest.bytes;
  return TRUE;
}

gboolean
tl_parse_packet (const TlMessagePart *parts, size_t n_parts, TlMessage *message,
                 GError **error)
{
  gint32 descriptor;
  *message = (TlMessage){ .angle_deg = NAN };
  if (n_parts != 1)
    return tl_fail (error, TL_ERROR_FORMAT,
                    _ ("a message has %zu parts, and a packet has one"),
                    n_parts);
  Rest rest = { parts[0].bytes, parts[0].n };
  if (!take_ints (&rest, &descriptor, 1))
    return tl_fail (error, TL_ERROR_FORMAT,
                    g_dngettext (NULL, "a packet of %zu byte is too short",
                                 "a packet of %zu bytes is too short",
                                 parts[0].n),
                    parts[0].n);
  switch (descriptor)
    {
    case SCAN_SETTINGS:
      return parse_settings (rest, message, error);
    case PARALLEL_BEAM:
      return parse_geometry (rest, message, error);
    case PARALLEL_VECTORS:
      return tl_fail (error, TL_ERROR_UNSUPPORTED,
                      _ ("the geometry has vectors instead of angles; let the "
                         "sender send the geometry of a parallel beam with "
                         "angles"));
    case PROJECTION:
      return parse_projection (rest, message, error);
    default:
      return (descriptor >= FIRST_DESCRIPTOR && descriptor <= LAST_DESCRIPTOR)
             || tl_fail (error, TL_ERROR_FORMAT,
                         g_dngettext (NULL,
                                      "a message of %zu byte is no packet of "
                                      "TomoPackets",
                                      "a message of %zu bytes is no packet of "
                                      "TomoPackets",
                                      parts[0].n),
                         parts[0].n);
    }
}
