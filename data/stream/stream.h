/* A scan while it is being taken: frames as they arrive over the network, or in
 * a folder. */
#pragma once

#include "data/stream/event.h"
#include "data/stream/options.h"

#include <gio/gio.h>

typedef struct TlStream TlStream;

/** tl_stream_is_address: Returns: whether @name is an address, not a file */
gboolean tl_stream_is_address (const char *name);

/** tl_stream_lacks_number: Returns: whether @name is an address whose sender
 * does not say how many projections will come */
gboolean tl_stream_lacks_number (const char *name);

/**
 * tl_stream_open:
 * @name: "zmq+tomopackets://HOST:PORT": this program binds the address, and
 *   senders connect by PUSH; "*" stands for all addresses of this machine.
 *   "zmq+tomopackets+rep://HOST:PORT": the same for senders with REQ.
 *   "zmq+json://HOST:PORT": this program connects to a sender with PUSH, and by
 *   "zmq+json+sub://HOST:PORT" to one with PUB; it need not run yet. Or the
 *   path of a folder that is being filled with images, or of an HDF5 file that
 *   is being written
 * @options: (nullable): copied
 *
 * One thread at a time may use the stream.
 *
 * Returns: (transfer full): %NULL with TL_ERROR_VALUE (not such a name; angles
 *   that are not numbers, or of an unknown number of projections),
 *   TL_ERROR_FILE (the address is in use, or not of this machine; the folder
 *   cannot be read, or there is no file),
 *   TL_ERROR_UNSUPPORTED (built without the library), or an error of the file
 *   of angles
 */
TlStream *tl_stream_open (const char *name, const TlStreamOptions *options,
                          GError **error);
void tl_stream_close (TlStream *stream);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlStream, tl_stream_close)

/**
 * tl_stream_next:
 * @timeout_ms: 0: does not wait
 * @cancellable: (nullable): looked at while it waits
 *
 * Waits for the next event. The memory is bounded: a sender that is faster than
 * the caller waits, or loses frames if it publishes.
 *
 * Returns: %FALSE with %G_IO_ERROR_CANCELLED, or with TL_ERROR_FILE if nothing
 *   can come any more
 */
gboolean tl_stream_next (TlStream *stream, guint timeout_ms,
                         GCancellable *cancellable, TlStreamEvent *event,
                         GError **error);

/** tl_stream_get_scan: Returns: (transfer none): valid until the next
 * tl_stream_next() */
const TlStreamScan *tl_stream_get_scan (TlStream *stream);

/** tl_stream_count_kept_bytes: Returns: the memory of flats and darks that the
 * stream keeps for the next scan, if its frames are as those of this one */
guint64 tl_stream_count_kept_bytes (TlStream *stream);

/** tl_stream_get_counts: Returns: (transfer none): as of the last event */
const TlStreamCounts *tl_stream_get_counts (TlStream *stream);
