/* Plays a scan as if it were being taken: to a file or folder that grows, or
 * over the network. */
#pragma once

#include "app/play/job.h"
#include "data/read/reader.h"

/**
 * tl_play_find_way:
 * @to: a file, a folder, or an address "zmq+tomopackets://HOST:PORT",
 *   "tcp://HOST:PORT" (the same) or "zmq+json://HOST:PORT"
 *
 * Returns: %FALSE with TL_ERROR_VALUE
 */
gboolean tl_play_find_way (const char *to, TlPlayWay *way, GError **error);

/**
 * tl_play:
 * @reader: not used by others meanwhile
 * @report: (out): also after an error
 *
 * Takes one frame after the other from the scan, and sends it when it is due.
 * If the receiver is late by more than a second, the rest is played later.
 *
 * Returns: %FALSE with an error of tl_reader_read_frames(), TL_ERROR_FILE
 *   (cannot be written, the address is in use), TL_ERROR_UNSUPPORTED (built
 *   without the library) or %G_IO_ERROR_CANCELLED; what was sent until then is
 *   a valid file or folder
 */
gboolean tl_play (TlReader *reader, const TlPlayJob *job,
                  GCancellable *cancellable, TlPlayReport *report,
                  GError **error);
