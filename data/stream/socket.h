/* A ZeroMQ socket that talks to one other program, or to as many as ask. */
#pragma once

#include <gio/gio.h>

typedef struct TlSocket TlSocket;

/* Which part of a pattern the socket plays. */
typedef enum
{
  TL_SOCKET_PUSH,     /* each message goes to one receiver; waits for one */
  TL_SOCKET_REQUEST,  /* as PUSH, and each message is answered */
  TL_SOCKET_PUBLISH,  /* each message goes to all subscribers; never waits for
                         one that is late, which loses messages then */
  TL_SOCKET_PULL,     /* takes what PUSH sends, which waits if there is much */
  TL_SOCKET_REPLY,    /* takes a REQUEST, and answers it */
  TL_SOCKET_SUBSCRIBE /* takes what PUBLISH sends, as long as it is in time */
} TlSocketKind;

/* One part of a message. */
typedef struct
{
  const void *bytes;
  size_t n;
} TlMessagePart;

/** tl_socket_get_missing: Returns: (nullable): the Debian package without which
 * this program was built, so that no socket opens */
const char *tl_socket_get_missing (void);

/** tl_socket_skip_scheme: Returns: (transfer none): what follows "SCHEME://",
 * or @name if it has none */
const char *tl_socket_skip_scheme (const char *name);

/**
 * tl_socket_open:
 * @name: "HOST:PORT", the host a name or number; if @binds, "*" stands for
 *   all interfaces. Perhaps with "SCHEME://" before, which only errors repeat
 * @binds: whether other programs connect to this one; else it connects to
 *   another program, which need not run yet
 *
 * Used by one thread.
 *
 * Returns: (transfer full): %NULL with TL_ERROR_VALUE (not such an address),
 *   TL_ERROR_UNSUPPORTED (see tl_socket_get_missing()) or TL_ERROR_FILE (the
 *   address is in use, or is not of this machine)
 */
TlSocket *tl_socket_open (TlSocketKind kind, const char *name, gboolean binds,
                          GError **error);

/**
 * tl_socket_send:
 * @parts: [@n_parts], copied
 * @timeout_ms: how long to wait for a receiver that takes the message
 * @is_done: (out): whether it was sent; if not, the receiver is not there, or
 *   still has too many messages to take
 *
 * Returns: %FALSE with TL_ERROR_FILE
 */
gboolean tl_socket_send (TlSocket *socket, const TlMessagePart *parts,
                         size_t n_parts, guint timeout_ms, gboolean *is_done,
                         GError **error);

/**
 * tl_socket_receive:
 * @parts: (out caller-allocates) (nullable): [@max_parts]: the first parts of
 *   the message; their bytes are kept until the next call. %NULL: drops it,
 *   where it is the answer to a request, or tells of a subscriber
 * @n_parts: (out): of the message, also those beyond @max_parts; 0: no message
 *   came within @timeout_ms
 *
 * A message of more than 1 GiB is not taken, and its sender is disconnected.
 *
 * Returns: %FALSE with TL_ERROR_FILE
 */
gboolean tl_socket_receive (TlSocket *socket, TlMessagePart *parts,
                            size_t max_parts, size_t *n_parts, guint timeout_ms,
                            GError **error);

/** tl_socket_is_left: Returns: whether other programs were connected, and none
 * is now; what they have sent may still be received. Only of a socket that
 * takes messages. */
gboolean tl_socket_is_left (TlSocket *socket);

/** tl_socket_get_silence: Returns: (transfer none) (nullable): why no other
 * program has been connected yet, as of the last tl_socket_is_left(); %NULL:
 * one was, or this socket does not connect, or it has not yet tried to */
const char *tl_socket_get_silence (TlSocket *socket);

/** tl_socket_close: @linger_ms: how long at most to wait until what was sent
 * has left this machine */
void tl_socket_close (TlSocket *socket, guint linger_ms);
