#include "data/stream/socket.h"

#include "data/error.h"

#include <glib/gi18n.h>

#ifdef TL_HAVE_ZMQ
#include <errno.h>
#include <zmq.h>

/* Messages that wait in memory for the network. They hide short pauses of the
 * receiver; a longer one shall be noticed. A subscriber that is later than that
 * loses frames instead. */
#define MAX_WAITING 4
#define MAX_PUBLISHED 100

struct TlSocket
{
  void *context, *socket;
  char *endpoint;
};

const char *
tl_socket_get_missing (void)
{
  return NULL;
}

static gboolean
fail (TlSocket *socket, const char *what, GError **error)
{
  return tl_fail (error, TL_ERROR_FILE, _ ("%s: %s: %s"), socket->endpoint,
                  what, zmq_strerror (zmq_errno ()));
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
                    socket->endpoint);
  if (binds && (zmq_errno () == ENODEV || zmq_errno () == EADDRNOTAVAIL))
    return tl_fail (error, TL_ERROR_FILE,
                    _ ("%s: this is no address of this machine; * stands for "
                       "all of them"),
                    socket->endpoint);
  return fail (socket, _ ("this address cannot be used"), error);
}

TlSocket *
tl_socket_open (TlSocketKind kind, const char *host, guint16 port,
                gboolean binds, GError **error)
{
  /* ZMQ_XPUB is ZMQ_PUB that tells of its subscribers. */
  static const int types[] = { ZMQ_PUSH, ZMQ_REQ, ZMQ_XPUB };
  /* Names are not looked up when binding. */
  const gboolean is_local = binds && g_str_equal (host, "localhost");
  TlSocket *socket = g_new0 (TlSocket, 1);
  socket->endpoint =
      g_strdup_printf ("tcp://%s:%u", is_local ? "127.0.0.1" : host, port);
  socket->context = zmq_ctx_new ();
  socket->socket = socket->context != NULL
                       ? zmq_socket (socket->context, types[kind])
                       : NULL;
  /* Without ZMQ_IMMEDIATE, messages would be kept for a receiver that may never
   * come. */
  const gboolean good =
      socket->socket != NULL
      && set_option (socket, ZMQ_SNDHWM,
                     kind == TL_SOCKET_PUBLISH ? MAX_PUBLISHED : MAX_WAITING)
      && set_option (socket, ZMQ_IMMEDIATE, 1);
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

gboolean
tl_socket_receive (TlSocket *socket, guint timeout_ms, gboolean *is_done,
                   GError **error)
{
  g_return_val_if_fail (socket != NULL, FALSE);
  if (!wait (socket, ZMQ_POLLIN, timeout_ms, is_done, error))
    return FALSE;
  if (!*is_done)
    return TRUE;
  int has_more = 1;
  while (has_more)
    {
      size_t size = sizeof has_more;
      if (zmq_recv (socket->socket, NULL, 0, ZMQ_DONTWAIT) < 0
          || zmq_getsockopt (socket->socket, ZMQ_RCVMORE, &has_more, &size)
                 != 0)
        return fail (socket, _ ("the answer cannot be read"), error);
    }
  return TRUE;
}

void
tl_socket_close (TlSocket *socket, guint linger_ms)
{
  if (socket == NULL)
    return;
  if (socket->socket != NULL)
    {
      set_option (socket, ZMQ_LINGER, (int)linger_ms);
      zmq_close (socket->socket);
    }
  /* This is what waits; a signal interrupts it. */
  while (socket->context != NULL && zmq_ctx_term (socket->context) != 0
         && zmq_errno () == EINTR)
    ;
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
tl_socket_open (TlSocketKind kind, const char *host, guint16 port,
                gboolean binds, GError **error)
{
  return tl_fail_null (error, TL_ERROR_UNSUPPORTED,
                       _ ("tcp://%s:%u: this program was built without %s"),
                       host, port, tl_socket_get_missing ());
}

gboolean
tl_socket_send (TlSocket *socket, const TlMessagePart *parts, size_t n_parts,
                guint timeout_ms, gboolean *is_done, GError **error)
{
  g_return_val_if_reached (FALSE);
}

gboolean
tl_socket_receive (TlSocket *socket, guint timeout_ms, gboolean *is_done,
                   GError **error)
{
  g_return_val_if_reached (FALSE);
}

void
tl_socket_close (TlSocket *socket, guint linger_ms)
{
}
#endif
