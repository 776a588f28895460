/* The messages of TomoPackets (https://github.com/cicwi/TomoPackets), which
 * RECAST3D and SliceRecon take: integers and floats of 32 bits, little-endian,
 * without gaps. The receiver binds its address, and this program connects. */
#include "app/play/message-private.h"

#include "data/error.h"

#include <glib/gi18n.h>
#include <string.h>

enum
{
  GEOMETRY_SPECIFICATION = 0x301,
  SCAN_SETTINGS = 0x302,
  PARALLEL_BEAM = 0x303,
  PROJECTION = 0x309,
  SCENE = 0 /* the only one */
};

static void
add_int (GByteArray *packet, size_t value)
{
  const gint32 bytes = GINT32_TO_LE ((gint32)value);
  g_byte_array_append (packet, (const guint8 *)&bytes, sizeof bytes);
}

static void
add_float (GByteArray *packet, double value)
{
  const float number = (float)value;
  guint32 bytes;
  memcpy (&bytes, &number, sizeof bytes);
  bytes = GUINT32_TO_LE (bytes);
  g_byte_array_append (packet, (const guint8 *)&bytes, sizeof bytes);
}

static void
add_bool (GByteArray *packet, gboolean value)
{
  const guint8 byte = value ? 1 : 0;
  g_byte_array_append (packet, &byte, 1);
}

static size_t
count_steps (const GArray *steps, TlFrameKind kind)
{
  size_t n = 0;
  for (guint k = 0; k < steps->len; k++)
    n += g_array_index (steps, TlPlayStep, k).kind == kind;
  return n;
}

/* The volume is as large as the detector; its unit is a pixel. */
static GByteArray *
make_specification (const TlScanInfo *info)
{
  const double half_width = (double)info->n_cols / 2;
  const double half_height = (double)info->n_rows / 2;
  GByteArray *packet = g_byte_array_new ();
  add_int (packet, GEOMETRY_SPECIFICATION);
  add_int (packet, SCENE);
  for (int sign = -1; sign <= 1; sign += 2)
    {
      add_float (packet, sign * half_width);
      add_float (packet, sign * half_width);
      add_float (packet, sign * half_height);
    }
  return packet;
}

static GByteArray *
make_settings (const TlPlayTarget *target)
{
  GByteArray *packet = g_byte_array_new ();
  add_int (packet, SCAN_SETTINGS);
  add_int (packet, SCENE);
  add_int (packet, count_steps (target->steps, TL_FRAMES_DARKS));
  add_int (packet, count_steps (target->steps, TL_FRAMES_FLATS));
  add_bool (packet, target->info->is_attenuation && !target->info->are_counts);
  return packet;
}

static GByteArray *
make_geometry (const TlScanInfo *info)
{
  GByteArray *packet = g_byte_array_new ();
  add_int (packet, PARALLEL_BEAM);
  add_int (packet, SCENE);
  add_int (packet, info->n_rows);
  add_int (packet, info->n_cols);
  add_int (packet, info->n_projections);
  add_int (packet, info->n_projections);
  for (size_t k = 0; k < info->n_projections; k++)
    add_float (packet, info->angles_deg[k] * G_PI / 180);
  return packet;
}

/* @packet: (transfer full) */
static gboolean
send_packet (TlPlayLine *line, GByteArray *packet, GError **error)
{
  const TlMessagePart part = { packet->data, packet->len };
  const gboolean good = tl_play_line_send (line, &part, 1, error);
  g_byte_array_unref (packet);
  return good;
}

static gpointer
open_packets (const TlPlayTarget *target, GError **error)
{
  const TlScanInfo *info = target->info;
  /* A packet has at most 2 GiB. */
  if (info->n_rows > G_MAXINT32 / sizeof (float) / info->n_cols)
    return tl_fail_null (error, TL_ERROR_UNSUPPORTED,
                         _ ("%s: projections of %zu x %zu pixels are too large "
                            "for TomoPackets"),
                         target->job->to, info->n_rows, info->n_cols);
  TlPlayLine *line = tl_play_line_open (
      target, target->job->requests ? TL_SOCKET_REQUEST : TL_SOCKET_PUSH,
      TL_SAMPLE_F32, FALSE, error);
  if (line == NULL)
    return NULL;
  if (send_packet (line, make_specification (info), error)
      && send_packet (line, make_settings (target), error)
      && send_packet (line, make_geometry (info), error))
    return line;
  tl_play_line_close (line, NULL);
  return NULL;
}

static gboolean
send_projection (gpointer to, const TlPlayStep *step, const void *pixels,
                 GError **error)
{
  static const size_t types[TL_N_FRAME_KINDS] = {
    [TL_FRAMES_DARKS] = 0,
    [TL_FRAMES_FLATS] = 1,
    [TL_FRAMES_PROJECTIONS] = 2,
  };
  TlPlayLine *line = to;
  const TlScanInfo *info = line->target->info;
  const size_t n = info->n_rows * info->n_cols;
  float *values = (float *)(gpointer)line->pixels;
  g_autoptr (GByteArray) packet = g_byte_array_new ();
  add_int (packet, PROJECTION);
  add_int (packet, types[step->kind]);
  add_int (packet, step->index);
  add_int (packet, info->n_rows);
  add_int (packet, info->n_cols);
  add_int (packet, n);
  tl_samples_to_float (line->target->type, pixels, n, values);
  if (G_BYTE_ORDER == G_BIG_ENDIAN)
    tl_samples_swap (TL_SAMPLE_F32, values, n);
  g_byte_array_append (packet, (const guint8 *)values,
                       (guint)(n * sizeof *values));
  return send_packet (line, g_steal_pointer (&packet), error);
}

const TlPlayWayClass tl_play_packets = {
  .scheme = "zmq+tomopackets://",
  .way = TL_PLAY_PACKETS,
  .open = open_packets,
  .send = send_projection,
  .close = tl_play_line_close,
};

const TlPlayWayClass tl_play_tcp = {
  .scheme = "tcp://",
  .way = TL_PLAY_PACKETS,
  .open = open_packets,
  .send = send_projection,
  .close = tl_play_line_close,
};
