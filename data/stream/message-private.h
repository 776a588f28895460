/* What one message of a stream says, whatever its protocol. The parsers are
 * functions of the bytes alone, which may be anything. */
#pragma once

#include "data/stream/options.h"
#include "data/stream/socket.h"

/* No detector is larger. With TL_STREAM_MAX_FRAMES they bound the memory that a
 * sender can ask for. */
#define TL_STREAM_MAX_SIDE 65536
#define TL_STREAM_MAX_PIXELS ((gint64)1 << 28)

typedef enum
{
  TL_MESSAGE_OTHER,    /* valid, and of no use here */
  TL_MESSAGE_SETTINGS, /* n_darks, n_flats, is_attenuation */
  TL_MESSAGE_GEOMETRY, /* n_rows, n_cols, n_projections, angles, sample_type: a
                          scan begins */
  TL_MESSAGE_FRAME,    /* the rest */
  TL_MESSAGE_END
} TlMessageType;

/* Plain value; what it points to belongs to the bytes that were parsed. */
typedef struct
{
  TlMessageType type;
  size_t n_rows, n_cols;

  size_t n_darks, n_flats;
  gboolean is_attenuation;

  size_t n_projections;
  const guint8 *angles; /* (nullable): [n_projections] float32, radians,
                           little-endian */

  gboolean has_kind, has_number;
  TlFrameKind kind;
  guint64 number;     /* within the kind */
  gboolean counts_on; /* numbers of projections go on in the next scan */
  guint scan;         /* differs between scans; 0: not said */
  double angle_deg;   /* NaN: not said */
  TlSampleType sample_type;
  gboolean is_big_endian;
  const guint8 *pixels; /* [n_rows][n_cols], at any address, before they are
                           mirrored or turned */
  gboolean pixels_stay; /* they stay valid until the next message is received
                         */
  gboolean may_lack_fields; /* the sender may send flats and darks once for
                               several scans */
  gboolean is_packed;       /* by Blosc, n_packed bytes */
  size_t n_packed;
  double pixel_size_um;  /* 0: not said */
  gboolean is_mirrored;  /* to be, left and right */
  guint n_quarter_turns; /* to be turned then, against the clock; 0 to 3 */
} TlMessage;

/**
 * tl_message_check_shape:
 *
 * Returns: %FALSE with TL_ERROR_SHAPE if a frame of @n_rows x @n_cols is
 *   impossible; the message does not name the stream
 */
gboolean tl_message_check_shape (gint64 n_rows, gint64 n_cols, GError **error);

/**
 * tl_parse_packet:
 * @parts: [@n_parts]: one packet of TomoPackets
 *
 * Returns: %FALSE with TL_ERROR_FORMAT, TL_ERROR_SHAPE, TL_ERROR_VALUE or
 *   TL_ERROR_UNSUPPORTED; the message does not name the stream
 */
gboolean tl_parse_packet (const TlMessagePart *parts, size_t n_parts,
                          TlMessage *message, GError **error);

/** tl_parse_json: As tl_parse_packet(), for JSON and pixels; @n_parts is at
 * least 1. Only where it is not missing. */
gboolean tl_parse_json (const TlMessagePart *parts, size_t n_parts,
                        TlMessage *message, GError **error);

/** tl_parse_json_get_missing: Returns: (nullable): the Debian package without
 * which this program was built, so that it cannot parse JSON */
const char *tl_parse_json_get_missing (void);
