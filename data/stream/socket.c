#include "data/stream/socket.h"

#include "data/error.h"

#include <glib/gi18n.h>
#include <string.h>

const char *
tl_socket_skip_scheme (const char *name)
{
  const char *scheme_end = strstr (name, "://");
  return scheme_end != NULL ? scheme_end + strlen ("://") : name;
}

static gboolean
check_address (const char *name, gboolean binds, GError **error)
{
  const char *address = tl_socket_skip_scheme (name);
  const char *colon = strrchr (address, ':');
  if (colon == NULL || colon == address
      || !g_ascii_string_to_unsigned (colon + 1, 10, 1, G_MAXUINT16, NULL,
                                      NULL))
    return tl_fail (error, TL_ERROR_VALUE,
                    _ ("\"%s\" is no address: it takes HOST:PORT, with a port "
                       "from 1 to 65535"),
                    name);
  return binds || !g_str_has_prefix (address, "*:")
         || tl_fail (error, TL_ERROR_VALUE,
                     _ ("%s: this program connects to another one, so the "
                        "address needs the name of that host instead of *"),
                     name);
}

#ifdef TL_HAVE_ZMQ
#include <errno.h>
#include <zmq.h>

/* Messages that wait in memory for the network. They hide short pauses of the
 * receiver; a longer one shall be noticed. A subscriber that is later than that
 * loses frames instead. */
#define MAX_WAITING 4
#define MAX_PUBLISHED 100

/* No frame is larger. */
#define MAX_BYTES ((gint64)1 << 30)

/* The parts of a message that can be kept. */
#define MAX_PARTS 2

struct TlSocket
{
  void *context, *socket;
  void *monitor;      /* (nullable): tells of connections; %NULL: of no use */
  guint n_peers;      /* that are connected */
  gboolean is_known;  /* the name of the host was found */
  gboolean is_tried;  /* to connect failed */
  gboolean had_peers; /* some were connected */
  char *name, *endpoint;
  zmq_msg_t parts[MAX_PARTS]; /* of the last message */
};

const char *
tl_socket_get_missing (void)
{
  return NULL;
}

static gboolean
fail (TlSocket *socket, const char *what, GError **error)
{
  return tl_fail (error, TL_ERROR_FILE, _ ("%s: %s: %s"), socket->name, what,
                  zmq_strerror (zmq_errno ()));
}

static gboolean
set_option (TlSocket *socket, int option, int value)
{
  return zmq_setsockopt (socket->socket, option, &value, sizeof value) == 0;
}

static gboolean
attach (TlSocket *socket, gboolean binds, GError **error)
{
  if ((binds ? zmq_bind (socket->socket, socket->endpoint)
             : zmq_connect (socket->socket, socket->endpoint))
      == 0)
    return TRUE;
  if (zmq_errno () == EADDRINUSE)
    return tl_fail (error, TL_ERROR_FILE,
                    _ ("%s: another program uses this address; choose another "
                       "port"),
                    socket->name);
  if (binds && (zmq_errno () == ENODEV || zmq_errno () == EADDRNOTAVAIL))
    return tl_fail (error, TL_ERROR_FILE,
                    _ ("%s: this is no address of this machine; * stands for "
                       "all of them"),
                    socket->name);
  return fail (socket, _ ("this address cannot be used"), error);
}

static gboolean
set_options (TlSocket *socket, TlSocketKind kind)
{
  /* Without ZMQ_IMMEDIATE, messages would be kept for a receiver that may never
   * come. With it, a socket that connects loses what has come and was not
   * yet taken when the other end closes the connection. */
  return set_option (socket, ZMQ_SNDHWM,
                     kind == TL_SOCKET_PUBLISH ? MAX_PUBLISHED : MAX_WAITING)
         && set_option (socket, ZMQ_RCVHWM, MAX_WAITING)
         && set_option (socket, ZMQ_IMMEDIATE, kind == TL_SOCKET_PUSH)
         && zmq_setsockopt (socket->socket, ZMQ_MAXMSGSIZE,
                            &(gint64){ MAX_BYTES }, sizeof (gint64))
                == 0
         && (kind != TL_SOCKET_SUBSCRIBE
             || zmq_setsockopt (socket->socket, ZMQ_SUBSCRIBE, "", 0) == 0);
}

/* Without it only the silence tells of a lost connection. */
static void
open_monitor (TlSocket *socket)
{
  static const char name[] = "inproc://monitor";
  if (zmq_socket_monitor (
          socket->socket, name,
          ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_CONNECTED | ZMQ_EVENT_DISCONNECTED
              | ZMQ_EVENT_CONNECT_DELAYED | ZMQ_EVENT_CONNECT_RETRIED)
      != 0)
    return;
  socket->monitor = zmq_socket (socket->context, ZMQ_PAIR);
  if (socket->monitor != NULL && zmq_connect (socket->monitor, name) != 0)
    {
      zmq_close (socket->monitor);
      socket->monitor = NULL;
    }
}

TlSocket *
tl_socket_open (TlSocketKind kind, const char *name, gboolean binds,
                GError **error)
{
  /* ZMQ_XPUB is ZMQ_PUB that tells of its subscribers. */
  static const int types[] = { ZMQ_PUSH, ZMQ_REQ, ZMQ_XPUB,
                               ZMQ_PULL, ZMQ_REP, ZMQ_SUB };
  if (!check_address (name, binds, error))
    return NULL;
  const char *address = tl_socket_skip_scheme (name);
  /* Names are not looked up when binding. */
  const gboolean is_local = binds && g_str_has_prefix (address, "localhost:");
  TlSocket *socket = g_new0 (TlSocket, 1);
  socket->name = g_strdup (name);
  socket->endpoint =
      is_local ? g_strconcat ("tcp://127.0.0.1", strchr (address, ':'), NULL)
               : g_strconcat ("tcp://", address, NULL);
  for (size_t k = 0; k < MAX_PARTS; k++)
    zmq_msg_init (&socket->parts[k]);
  socket->context = zmq_ctx_new ();
  socket->socket = socket->context != NULL
                       ? zmq_socket (socket->context, types[kind])
                       : NULL;
  const gboolean good = socket->socket != NULL && set_options (socket, kind);
  if (good && kind >= TL_SOCKET_PULL)
    open_monitor (socket);
  if (good ? attach (socket, binds, error)
           : fail (socket, _ ("no socket can be made"), error))
    return socket;
  tl_socket_close (socket, 0);
  return NULL;
}

/* Waits until @events are possible. */
static gboolean
wait (TlSocket *socket, short events, guint timeout_ms, gboolean *is_possible,
      GError **error)
{
  zmq_pollitem_t item = { .socket = socket->socket, .events = events };
  const int n = zmq_poll (&item, 1, (long)timeout_ms);
  *is_possible = n > 0;
  return n >= 0 || zmq_errno () == EINTR
         || fail (socket, _ ("the connection is lost"), error);
}

gboolean
tl_socket_send (TlSocket *socket, const TlMessagePart *parts, size_t n_parts,
                guint timeout_ms, gboolean *is_done, GError **error)
{
  g_return_val_if_fail (socket != NULL && n_parts > 0, FALSE);
  if (!wait (socket, ZMQ_POLLOUT, timeout_ms, is_done, error))
    return FALSE;
  for (size_t k = 0; k < n_parts && *is_done; k++)
    {
      /* The receiver may have gone since; it takes the whole message or
       * nothing, so only the first part can be refused. */
      const int more = k + 1 < n_parts ? ZMQ_SNDMORE : 0;
      if (zmq_send (socket->socket, parts[k].bytes, parts[k].n,
                    ZMQ_DONTWAIT | more)
          >= 0)
        continue;
      if (zmq_errno () != EAGAIN || k > 0)
        return fail (socket, _ ("a frame cannot be sent"), error);
      *is_done = FALSE;
    }
  return TRUE;
}

/* Takes one part of a message. @kept: (nullable) */
static gboolean
receive_part (TlSocket *socket, zmq_msg_t *kept, gboolean *has_more)
{
  int more;
  size_t size = sizeof more;
  if ((kept != NULL ? zmq_msg_recv (kept, socket->socket, ZMQ_DONTWAIT)
                    : zmq_recv (socket->socket, NULL, 0, ZMQ_DONTWAIT))
          < 0
      || zmq_getsockopt (socket->socket, ZMQ_RCVMORE, &more, &size) != 0)
    return FALSE;
  *has_more = more != 0;
  return TRUE;
}

gboolean
tl_socket_receive (TlSocket *socket, TlMessagePart *parts, size_t max_parts,
                   size_t *n_parts, guint timeout_ms, GError **error)
{
  g_return_val_if_fail (socket != NULL && max_parts <= MAX_PARTS, FALSE);
  gboolean has_more;
  *n_parts = 0;
  if (!wait (socket, ZMQ_POLLIN, timeout_ms, &has_more, error))
    return FALSE;
  for (; has_more; (*n_parts)++)
    {
      const gboolean is_kept = *n_parts < max_parts;
      zmq_msg_t *part = is_kept ? &socket->parts[*n_parts] : NULL;
      if (!receive_part (socket, part, &has_more))
        return fail (socket, _ ("a message cannot be read"), error);
      if (is_kept)
        parts[*n_parts] =
            (TlMessagePart){ zmq_msg_data (part), zmq_msg_size (part) };
    }
  return TRUE;
}

static void
note_event (TlSocket *socket, guint16 event)
{
  switch (event)
    {
    case ZMQ_EVENT_CONNECT_DELAYED:
      socket->is_known = TRUE;
      break;
    case ZMQ_EVENT_CONNECT_RETRIED:
      socket->is_tried = TRUE;
      break;
    case ZMQ_EVENT_DISCONNECTED:
      socket->n_peers -= socket->n_peers > 0;
      break;
    default:
      socket->n_peers++;
      socket->had_peers = TRUE;
    }
}

/* An event is a number of 16 bits and a value, and in a second part the
 * address. */
gboolean
tl_socket_is_left (TlSocket *socket)
{
  guint8 bytes[sizeof (guint16) + sizeof (gint32)];
  guint16 event;
  while (socket->monitor != NULL
         && zmq_recv (socket->monitor, bytes, sizeof bytes, ZMQ_DONTWAIT)
                == (int)sizeof bytes)
    {
      memcpy (&event, bytes, sizeof event);
      zmq_recv (socket->monitor, NULL, 0, ZMQ_DONTWAIT);
      note_event (socket, event);
    }
  return socket->had_peers && socket->n_peers == 0;
}

/* If the name was found, a connection has at least been tried. */
const char *
tl_socket_get_silence (TlSocket *socket)
{
  if (socket->had_peers || !(socket->is_tried || socket->is_known))
    return NULL;
  return socket->is_known ? _ ("nobody answers there; still waiting")
                          : _ ("no host has this name; still waiting");
}

void
tl_socket_close (TlSocket *socket, guint linger_ms)
{
  if (socket == NULL)
    return;
  if (socket->monitor != NULL)
    {
      zmq_socket_monitor (socket->socket, NULL, 0);
      zmq_close (socket->monitor);
    }
  for (size_t k = 0; k < MAX_PARTS; k++)
    zmq_msg_close (&socket->parts[k]);
  if (socket->socket != NULL)
    {
      set_option (socket, ZMQ_LINGER, (int)linger_ms);
      zmq_close (socket->socket);
    }
  /* This is what waits; a signal interrupts it. */
  while (socket->context != NULL && zmq_ctx_term (socket->context) != 0
         && zmq_errno () == EINTR)
    ;
  g_free (socket->name);
  g_free (socket->endpoint);
  g_free (socket);
}

#else

const char *
tl_socket_get_missing (void)
{
  return "libzmq3-dev";
}

TlSocket *
tl_socket_open (TlSocketKind kind, const char *name, gboolean binds,
                GError **error)
{
  if (check_address (name, binds, error))
    tl_fail (error, TL_ERROR_UNSUPPORTED,
             _ ("%s: this program was built without %s"), name,
             tl_socket_get_missing ());
  return NULL;
}

gboolean
tl_socket_send (TlSocket *socket, const TlMessagePart *parts, size_t n_parts,
                guint timeout_ms, gboolean *is_done, GError **error)
{
  g_return_val_if_reached (FALSE);
}

gboolean
tl_socket_receive (TlSocket *socket, TlMessagePart *parts, size_t max_parts,
                   size_t *n_parts, guint timeout_ms, GError **error)
{
  g_return_val_if_reached (FALSE);
}

gboolean
tl_socket_is_left (TlSocket *socket)
{
  g_return_val_if_reached (FALSE);
}

const char *
tl_socket_get_silence (TlSocket *socket)
{
  g_return_val_if_reached (NULL);
}

void
tl_socket_close (TlSocket *socket, guint linger_ms)
{
}
#endif
