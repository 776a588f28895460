/* Messages over the network, for the ways that send them. */
#pragma once

#include "app/play/way-private.h"
#include "data/stream/socket.h"

typedef struct
{
  const TlPlayTarget *target;
  TlSocketKind kind;
  TlSocket *socket;
  char *pixels; /* of one frame, little-endian */
} TlPlayLine;

/**
 * tl_play_line_open:
 * @type: of the pixels that will be sent
 * @binds: whether the receiver connects to this program
 *
 * Opens "HOST:PORT". Where there are subscribers, waits for the first.
 *
 * Returns: (transfer full): %NULL with an error of tl_socket_open(),
 *   TL_ERROR_MEMORY or %G_IO_ERROR_CANCELLED
 */
TlPlayLine *tl_play_line_open (const TlPlayTarget *target, TlSocketKind kind,
                               TlSampleType type, gboolean binds,
                               GError **error);

/** tl_play_line_send: Sends one message, and takes the answer to a request.
 * Waits for the receiver as long as it takes. Returns: %FALSE with
 * TL_ERROR_FILE or %G_IO_ERROR_CANCELLED */
gboolean tl_play_line_send (TlPlayLine *line, const TlMessagePart *parts,
                            size_t n_parts, GError **error);

/** tl_play_line_close: The close function of #TlPlayWayClass. */
gboolean tl_play_line_close (gpointer line, GError **error);
