/* Messages of two parts, JSON and the pixels, in the dialects of PSI's std_daq
 * (as recastx, foamstream and our tomolens-pva take it), of KIT's Concert and
 * of the live view of Diamond's Odin. The members of the JSON tell them
 * apart. */
#include "data/stream/pixels-private.h"

#include "data/error.h"
#ifdef TL_HAVE_JSON
#include "data/json.h"
#endif

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#ifdef TL_HAVE_JSON

/* What is said of a frame is short and flat; the parser of JSON calls itself
 * for each level. */
#define MAX_JSON_BYTES ((size_t)64 << 10)
#define MAX_DEPTH 16

/* Of a text that is told. */
#define MAX_QUOTED 40

/* Whole numbers up to this are exact. */
#define MAX_NUMBER ((double)((guint64)1 << 53))

/* Returns: whether no object or list lies deeper than it may */
static gboolean
is_flat (const char *text, size_t n)
{
  int depth = 0;
  gboolean is_string = FALSE;
  for (size_t k = 0; k < n && depth <= MAX_DEPTH; k++)
    if (is_string && text[k] == '\\')
      k++;
    else if (text[k] == '"')
      is_string = !is_string;
    else if (!is_string && strchr ("{[", text[k]) != NULL)
      depth++;
    else if (!is_string && strchr ("}]", text[k]) != NULL)
      depth--;
  return depth <= MAX_DEPTH;
}

/* Returns: (transfer full) (nullable): the first member whose value is NaN or
 * infinite, as "angle": NaN, which JSON does not have, but some programs write
 */
static char *
find_no_number (const char *text, size_t n)
{
  static const char *const names[] = { "NaN", "Infinity", "-Infinity" };
  g_autofree char *all = g_strndup (text, n);
  const char *begin = all;
  gboolean is_string = FALSE;
  for (const char *c = all; *c != '\0'; c++)
    {
      if (is_string && *c == '\\' && c[1] != '\0')
        c++;
      else if (*c == '"')
        is_string = !is_string;
      else if (!is_string && strchr ("{[,", *c) != NULL)
        begin = c + 1;
      for (size_t k = 0; !is_string && k < G_N_ELEMENTS (names); k++)
        if (g_str_has_prefix (c, names[k]))
          {
            const char *end = c + strlen (names[k]);
            return g_strstrip (g_strndup (begin, (gsize)(end - begin)));
          }
    }
  return NULL;
}

static gpointer
fail_text (const TlMessagePart *part, GError **error)
{
  g_autofree char *member =
      part->n > 0 && part->n <= MAX_JSON_BYTES
              && g_utf8_validate_len (part->bytes, part->n, NULL)
          ? find_no_number (part->bytes, part->n)
          : NULL;
  if (member != NULL && g_utf8_strlen (member, -1) <= MAX_QUOTED)
    return tl_fail_null (error, TL_ERROR_FORMAT,
                         _ ("a message says %s, which is no JSON; what is not "
                            "known is left out there"),
                         member);
  return tl_fail_null (
      error, TL_ERROR_FORMAT,
      g_dngettext (NULL,
                   "a message begins with %zu byte that is no JSON object, "
                   "which has to come before the pixels of each frame",
                   "a message begins with %zu bytes that are no JSON object, "
                   "which has to come before the pixels of each frame",
                   part->n),
      part->n);
}

/* Returns: (transfer full) */
static JsonParser *
parse_text (const TlMessagePart *part, GError **error)
{
  g_autoptr (JsonParser) parser = json_parser_new ();
  if (part->n > 0 && part->n <= MAX_JSON_BYTES
      && g_utf8_validate_len (part->bytes, part->n, NULL)
      && is_flat (part->bytes, part->n)
      && json_parser_load_from_data (parser, part->bytes, (gssize)part->n, NULL)
      && json_parser_get_root (parser) != NULL
      && JSON_NODE_HOLDS_OBJECT (json_parser_get_root (parser)))
    return g_steal_pointer (&parser);
  return fail_text (part, error);
}

/* Says what the frame has in place of what it needs. @member: the name of
 * @node; @needs: a part of a sentence */
static gboolean
fail_member (TlError code, const char *member, JsonNode *node,
             const char *needs, GError **error)
{
  g_autofree char *text =
      node != NULL ? json_to_string (node, FALSE) : g_strdup (_ ("nothing"));
  g_autofree char *begin =
      g_utf8_substring (text, 0, MIN (g_utf8_strlen (text, -1), MAX_QUOTED));
  return tl_fail (error, code, _ ("a frame says \"%s\": %s; it needs %s"),
                  member, begin, needs);
}

/* A whole number of at least 0, which Odin writes as a string. */
static gboolean
get_whole (JsonNode *node, guint64 *whole)
{
  const char *text = tl_json_get_text (node);
  double number = -1;
  if (text != NULL)
    return g_ascii_string_to_unsigned (text, 10, 0, (guint64)MAX_NUMBER, whole,
                                       NULL);
  if (!tl_json_get_number (node, &number)
      || !(number >= 0 && number <= MAX_NUMBER && number == floor (number)))
    return FALSE;
  *whole = (guint64)number;
  return TRUE;
}

/* "uint16", or as NumPy may write it: "<u2"; Odin's "float" has 32 bits. */
static gboolean
find_type (const char *name, TlMessage *message)
{
  static const char *const codes[TL_N_SAMPLE_TYPES] = {
    [TL_SAMPLE_U8] = "u1",  [TL_SAMPLE_I8] = "i1",  [TL_SAMPLE_U16] = "u2",
    [TL_SAMPLE_I16] = "i2", [TL_SAMPLE_U32] = "u4", [TL_SAMPLE_I32] = "i4",
    [TL_SAMPLE_F32] = "f4", [TL_SAMPLE_F64] = "f8",
  };
  if (strcmp (name, "float") == 0)
    name = "float32";
  const gboolean is_code = *name != '\0' && strchr ("<>|", *name) != NULL;
  for (int type = 0; type < TL_N_SAMPLE_TYPES; type++)
    if (strcmp (is_code ? name + 1 : name,
                is_code ? codes[type] : tl_sample_name (type))
        == 0)
      {
        message->sample_type = (TlSampleType)type;
        message->is_big_endian = *name == '>';
        return TRUE;
      }
  return FALSE;
}

static gboolean
take_type (JsonNode *root, TlMessage *message, GError **error)
{
  JsonNode *dtype = tl_json_get (root, "dtype");
  JsonNode *node = dtype != NULL ? dtype : tl_json_get (root, "type");
  const char *type = tl_json_get_text (node);
  return (type != NULL && find_type (type, message))
         || fail_member (TL_ERROR_UNSUPPORTED, dtype != NULL ? "dtype" : "type",
                         node,
                         _ ("the type of the pixels: uint8, uint16, uint32, "
                            "int8, int16, int32, float32 or float64"),
                         error);
}

static gboolean
take_shape (JsonNode *root, TlMessage *message, GError **error)
{
  JsonNode *shape = tl_json_get (root, "shape");
  guint64 n_rows, n_cols;
  if (tl_json_count (shape) != 2
      || !get_whole (tl_json_get_element (shape, 0), &n_rows)
      || !get_whole (tl_json_get_element (shape, 1), &n_cols))
    return fail_member (TL_ERROR_SHAPE, "shape", shape,
                        _ ("two whole numbers, [rows, columns]"), error);
  if (!tl_message_check_shape ((gint64)n_rows, (gint64)n_cols, error))
    return FALSE;
  message->n_rows = (size_t)n_rows;
  message->n_cols = (size_t)n_cols;
  return TRUE;
}

/* The angle, which tomolens-pva adds to what std_daq says. */
static gboolean
take_angle (JsonNode *root, TlMessage *message, GError **error)
{
  JsonNode *angle =
      tl_json_get (tl_json_get (root, "image_attributes"), "angle_deg");
  return angle == NULL
         || (tl_json_get_number (angle, &message->angle_deg)
             && isfinite (message->angle_deg))
         || fail_member (TL_ERROR_VALUE, "angle_deg", angle,
                         _ ("a number of degrees"), error);
}

/* The number, and what the frame is, where the dialect has them. */
static gboolean
take_place (JsonNode *root, TlMessage *message, GError **error)
{
  static const TlFrameKind kinds[] = { TL_FRAMES_DARKS, TL_FRAMES_FLATS,
                                       TL_FRAMES_PROJECTIONS };
  JsonNode *frame = tl_json_get (root, "frame");
  JsonNode *number = frame != NULL ? frame : tl_json_get (root, "frame_num");
  JsonNode *index =
      tl_json_get (tl_json_get (root, "image_attributes"), "scan_index");
  const char *acquisition =
      tl_json_get_text (tl_json_get (root, "acquisition_id"));
  guint64 kind = 0;
  message->has_number = number != NULL;
  message->has_kind = index != NULL;
  message->scan = acquisition != NULL ? g_str_hash (acquisition) : 0;
  if (number != NULL && !get_whole (number, &message->number))
    return fail_member (TL_ERROR_VALUE, frame != NULL ? "frame" : "frame_num",
                        number,
                        _ ("a whole number, counted from 0 within darks, flats "
                           "or projections"),
                        error);
  if (index != NULL
      && (!get_whole (index, &kind) || kind >= G_N_ELEMENTS (kinds)))
    return fail_member (TL_ERROR_VALUE, "scan_index", index,
                        _ ("0 for a dark field, 1 for a flat field or 2 for a "
                           "projection"),
                        error);
  message->kind = kinds[kind];
  return TRUE;
}

static gboolean
is_one_of (const char *text, const char *const *names)
{
  for (; *names != NULL; names++)
    if (g_ascii_strcasecmp (text, *names) == 0)
      return TRUE;
  return FALSE;
}

/* Odin does not always know that its frames are not compressed. */
static gboolean
take_compression (JsonNode *root, TlMessage *message, GError **error)
{
  static const char *const plain[] = { "", "none", "no_compression", "unknown",
                                       NULL };
  static const char *const packed[] = { "blosc", NULL };
  const char *name = tl_json_get_text (tl_json_get (root, "compression"));
  if (name == NULL || is_one_of (name, plain))
    return TRUE;
  message->is_packed = is_one_of (name, packed);
  if (!message->is_packed)
    return tl_fail (error, TL_ERROR_UNSUPPORTED,
                    _ ("the frames are compressed with %.20s, which cannot be "
                       "undone here; let the sender send them uncompressed, or "
                       "compressed with Blosc"),
                    name);
  return tl_pixels_can_unpack ()
         || tl_fail (
             error, TL_ERROR_UNSUPPORTED,
             _ ("the frames are compressed with Blosc, and this program "
                "was built without libblosc-dev"));
}

/* What Concert leaves to the receiver: to mirror left and right, and then
 * quarter turns counter-clockwise, as its ImageWithMetadata.convert() does. */
static gboolean
take_orientation (JsonNode *root, TlMessage *message, GError **error)
{
  JsonNode *rotate = tl_json_get (root, "rotate");
  double turns = 0;
  message->is_mirrored = tl_json_get_flag (tl_json_get (root, "mirror"));
  if (tl_json_get_number (rotate, &turns)
      && !(fabs (turns) <= MAX_NUMBER && turns == floor (turns)))
    return fail_member (TL_ERROR_VALUE, "rotate", rotate,
                        _ ("a whole number of quarter turns"), error);
  message->n_quarter_turns = (guint)(((gint64)turns % 4 + 4) % 4);
  return TRUE;
}

/* The shape that was sent becomes that of the frame. */
static gboolean
take_pixels (const TlMessagePart *part, TlMessage *message, GError **error)
{
  if (!tl_pixels_check (part, message, error))
    return FALSE;
  if (message->n_quarter_turns % 2 != 0)
    {
      const size_t n_rows = message->n_rows;
      message->n_rows = message->n_cols;
      message->n_cols = n_rows;
    }
  return TRUE;
}

gboolean
tl_parse_json (const TlMessagePart *parts, size_t n_parts, TlMessage *message,
               GError **error)
{
  *message = (TlMessage){ .angle_deg = NAN };
  g_autoptr (JsonParser) parser = parse_text (&parts[0], error);
  if (parser == NULL)
    return FALSE;
  JsonNode *root = json_parser_get_root (parser);
  if (n_parts == 1 && tl_json_get_flag (tl_json_get (root, "end")))
    {
      message->type = TL_MESSAGE_END;
      return TRUE;
    }
  if (n_parts != 2)
    return tl_fail (
        error, TL_ERROR_FORMAT,
        g_dngettext (NULL,
                     "a message has %zu part; a frame needs two, JSON and its "
                     "pixels",
                     "a message has %zu parts; a frame needs two, JSON and its "
                     "pixels",
                     n_parts),
        n_parts);
  message->type = TL_MESSAGE_FRAME;
  return take_compression (root, message, error)
         && take_orientation (root, message, error)
         && take_type (root, message, error)
         && take_shape (root, message, error)
         && take_place (root, message, error)
         && take_angle (root, message, error)
         && take_pixels (&parts[1], message, error);
}

const char *
tl_parse_json_get_missing (void)
{
  return NULL;
}

#else

gboolean
tl_parse_json (const TlMessagePart *parts, size_t n_parts, TlMessage *message,
               GError **error)
{
  g_return_val_if_reached (FALSE);
}

const char *
tl_parse_json_get_missing (void)
{
  return "libjson-glib-dev";
}
#endif
