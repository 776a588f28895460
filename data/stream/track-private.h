/* Follows a stream: makes events of messages, and counts. */
#pragma once

#include "data/stream/event.h"
#include "data/stream/message-private.h"

typedef struct TlTrack TlTrack;

/* The kinds of frames in the order in which files and folders are looked for
 * them: darks and flats are needed for the first picture. */
extern const TlFrameKind tl_stream_order[TL_N_FRAME_KINDS];

/* What is known of a sender from which nothing comes. */
typedef enum
{
  TL_REST_LOST,    /* it has stopped, or the connection is lost */
  TL_REST_OPEN,    /* more is to be written */
  TL_REST_UNKNOWN, /* files do not say whether more will be written */
  TL_REST_CLOSED   /* the writer has closed the file */
} TlTrackRest;

/**
 * tl_track_new:
 * @name: of the stream, for sentences; copied
 * @options: (nullable): copied
 *
 * Returns: (transfer full): %NULL with an error of the angles, as of
 *   tl_stream_open()
 */
TlTrack *tl_track_new (const char *name, const TlStreamOptions *options,
                       GError **error);
void tl_track_free (TlTrack *track);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlTrack, tl_track_free)

/** tl_track_take: @now_us: of g_get_monotonic_time(). Takes a message, when
 * tl_track_next() has no event left. Its bytes are copied. */
void tl_track_take (TlTrack *track, const TlMessage *message, gint64 now_us);

/** tl_track_refuse: Takes a message that could not be parsed, and why. */
void tl_track_refuse (TlTrack *track, const GError *why);

/** tl_track_tell: Tells why nothing can be read now. */
void tl_track_tell (TlTrack *track, const GError *why);

/**
 * tl_track_set_places:
 * @scan: as of TlMessage: it may not have begun
 * @n_places: as of TlStreamCounts
 * @n_likely: projections that are to come; 0: unknown
 * @lost_ids: (nullable): as of TlScanInfo: they count as lost projections
 *
 * Says what the file or folder has of a scan, whether its frames have come or
 * not.
 */
void tl_track_set_places (TlTrack *track, guint scan, size_t n_places,
                          size_t n_likely, GArray *lost_ids);

/** tl_track_is_late: Returns: whether nothing has come until @now_us, although
 * it should have; tl_track_wait() is of use only then */
gboolean tl_track_is_late (const TlTrack *track, gint64 now_us);

/** tl_track_wait: Says that nothing has come until @now_us. A file ends if its
 * writer has closed it, or, where that is unknown, after a longer wait if its
 * angles cover half a turn and no number of projections is expected. What comes
 * over the network ends without projections that were lost, when the last one
 * has come, they were taken one after the other and no flat or dark is missing;
 * or after a longer wait, if no more frames are missing than a tenth of the
 * projections. */
void tl_track_wait (TlTrack *track, TlTrackRest rest, gint64 now_us);

/** tl_track_leave: Says that no sender is connected any more. The scan ends if
 * its last projection has come, which is told only after a moment: some senders
 * connect for each frame. */
void tl_track_leave (TlTrack *track, gint64 now_us);

/** tl_track_next: Returns: whether there is a further event, valid until
 * tl_track_take() or tl_track_refuse() */
gboolean tl_track_next (TlTrack *track, TlStreamEvent *event);

const TlStreamScan *tl_track_get_scan (TlTrack *track);
const TlStreamCounts *tl_track_get_counts (TlTrack *track);
