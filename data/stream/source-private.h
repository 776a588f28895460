/* The interface that each kind of stream implements. */
#pragma once

#include "data/stream/track-private.h"

typedef struct
{
  const char *scheme;    /* (nullable): the name without the address,
                            "zmq+json://"; %NULL: the address is a path */
  gboolean keeps_fields; /* flats and darks may be missing from later scans */
  gboolean announces; /* the sender says how many projections there will be */

  /* Returns: (transfer full) */
  gpointer (*open) (const char *name, GError **error);
  /* Takes at most one message into @track, and waits for it. */
  gboolean (*poll) (gpointer source, TlTrack *track, guint timeout_ms,
                    GError **error);
  /* (nullable): what is known while nothing comes; %NULL: TL_REST_LOST */
  TlTrackRest (*get_rest) (gpointer source);
  void (*close) (gpointer source);
} TlStreamSource;

extern const TlStreamSource tl_packets_source;
extern const TlStreamSource tl_packets_reply_source; /* for senders with REQ */
extern const TlStreamSource tl_json_source;
extern const TlStreamSource tl_json_subscribed_source; /* to senders with PUB */
extern const TlStreamSource tl_folder_source;
extern const TlStreamSource tl_file_source;
