/* Streams that come as messages over the network. */
#include "data/stream/source-private.h"

#include "data/error.h"

#include <glib/gi18n.h>

/* A message has one part, or two; of further ones only the number is known. */
#define MAX_PARTS 2

/* The last answer is still on its way when the stream is closed, and its sender
 * would wait for it for ever. */
#define LINGER_MS 1000

/* A sender that runs has answered until then. */
#define ANSWER_US (3 * G_USEC_PER_SEC)

typedef gboolean (*Parse) (const TlMessagePart *parts, size_t n_parts,
                           TlMessage *message, GError **error);

typedef struct
{
  TlSocket *socket;
  TlSocketKind kind;
  Parse parse;
  char *name;
  gint64 opened_us;
  gboolean is_told; /* that nobody answers */
} Network;

static gpointer
open_network (TlSocketKind kind, gboolean binds, const char *name, Parse parse,
              GError **error)
{
  TlSocket *socket = tl_socket_open (kind, name, binds, error);
  if (socket == NULL)
    return NULL;
  Network *network = g_new (Network, 1);
  *network = (Network){ .socket = socket,
                        .kind = kind,
                        .parse = parse,
                        .name = g_strdup (name),
                        .opened_us = g_get_monotonic_time () };
  return network;
}

/* The answer that senders of TomoPackets wait for. */
static gboolean
answer (Network *network, GError **error)
{
  const gint32 one = GINT32_TO_LE (1);
  const TlMessagePart part = { &one, sizeof one };
  gboolean is_done;
  return tl_socket_send (network->socket, &part, 1, LINGER_MS, &is_done, error);
}

/* Nothing has come. @is_left: as of tl_socket_is_left() */
static void
note_rest (Network *network, TlTrack *track, gboolean is_left)
{
  const gint64 now_us = g_get_monotonic_time ();
  const char *silence = tl_socket_get_silence (network->socket);
  if (is_left)
    tl_track_leave (track, now_us);
  if (silence == NULL || network->is_told
      || now_us - network->opened_us < ANSWER_US)
    return;
  g_autoptr (GError) why =
      g_error_new (TL_ERROR, TL_ERROR_FILE, "%s: %s", network->name, silence);
  network->is_told = TRUE;
  tl_track_tell (track, why);
}

static gboolean
poll_network (gpointer source, TlTrack *track, guint timeout_ms, GError **error)
{
  Network *network = source;
  TlMessagePart parts[MAX_PARTS];
  size_t n_parts;
  TlMessage message;
  g_autoptr (GError) why = NULL;
  const gboolean is_left = tl_socket_is_left (network->socket);
  if (!tl_socket_receive (network->socket, parts, MAX_PARTS, &n_parts,
                          timeout_ms, error))
    return FALSE;
  if (n_parts == 0)
    {
      note_rest (network, track, is_left);
      return TRUE;
    }
  if (network->parse (parts, n_parts, &message, &why))
    {
      message.pixels_stay = message.may_lack_fields = TRUE;
      tl_track_take (track, &message, g_get_monotonic_time ());
    }
  else
    tl_track_refuse (track, why);
  return network->kind != TL_SOCKET_REPLY || answer (network, error);
}

static void
close_network (gpointer source)
{
  Network *network = source;
  tl_socket_close (network->socket, LINGER_MS);
  g_free (network->name);
  g_free (network);
}

static gpointer
open_packets (const char *name, GError **error)
{
  return open_network (TL_SOCKET_PULL, TRUE, name, tl_parse_packet, error);
}

static gpointer
open_packets_reply (const char *name, GError **error)
{
  return open_network (TL_SOCKET_REPLY, TRUE, name, tl_parse_packet, error);
}

static gpointer
connect_json (TlSocketKind kind, const char *name, GError **error)
{
  const char *missing = tl_parse_json_get_missing ();
  if (missing != NULL)
    return tl_fail_null (error, TL_ERROR_UNSUPPORTED,
                         _ ("%s: this program was built without %s"), name,
                         missing);
  return open_network (kind, FALSE, name, tl_parse_json, error);
}

static gpointer
open_json (const char *name, GError **error)
{
  return connect_json (TL_SOCKET_PULL, name, error);
}

static gpointer
open_json_subscribed (const char *name, GError **error)
{
  return connect_json (TL_SOCKET_SUBSCRIBE, name, error);
}

const TlStreamSource tl_packets_source = {
  .scheme = "zmq+tomopackets://",
  .announces = TRUE,
  .keeps_fields = TRUE,
  .open = open_packets,
  .poll = poll_network,
  .close = close_network,
};

const TlStreamSource tl_packets_reply_source = {
  .scheme = "zmq+tomopackets+rep://",
  .announces = TRUE,
  .keeps_fields = TRUE,
  .open = open_packets_reply,
  .poll = poll_network,
  .close = close_network,
};

const TlStreamSource tl_json_source = {
  .scheme = "zmq+json://",
  .keeps_fields = TRUE,
  .open = open_json,
  .poll = poll_network,
  .close = close_network,
};

const TlStreamSource tl_json_subscribed_source = {
  .scheme = "zmq+json+sub://",
  .keeps_fields = TRUE,
  .open = open_json_subscribed,
  .poll = poll_network,
  .close = close_network,
};
