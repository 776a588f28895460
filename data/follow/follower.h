/* Follows a stream in a thread of its own, and holds the frames of its present
 * scan. */
#pragma once

#include "data/read/held/held.h"
#include "data/stream/event.h"
#include "data/stream/options.h"
#include "data/follow/recorder.h"

typedef struct TlFollower TlFollower;

/**
 * TlFollowerRows:
 * @max_rows: the most rows that there is room for: all when @scan begins, fewer
 *   after each shortage
 *
 * As #TlHeldChooser. The rows are on the detector, at least one. Called by the
 * follower's thread.
 */
typedef void (*TlFollowerRows) (const TlStreamScan *scan, size_t max_rows,
                                size_t *first_row, size_t *n_rows,
                                gpointer data);

/** TlFollowerSlices: @slices: (out): around which rows of @scan are kept, at
 * first nothing. Called by the follower's thread. */
typedef void (*TlFollowerSlices) (const TlStreamScan *scan,
                                  TlHeldSlices *slices, gpointer data);

/* Plain value. */
typedef struct
{
  TlStreamOptions stream;
  guint64 max_bytes; /* that the frames may take, with those of an earlier
                        scan that are still looked at */
  TlFollowerRows rows;
  TlFollowerSlices slices; /* (nullable): of these rows, the only ones that are
                              kept; %NULL: all */
  TlRecorder *recorder; /* (nullable): of the same stream; a reference is taken
                         */
  gboolean names_options; /* sentences name the options of the command line that
                             help */
  gboolean (*needs_flats) (gpointer data); /* (nullable): asked by the
                                follower's thread when a scan of counts ends
                                without flats: whether that is a trouble; %NULL:
                                it is not */
  void (*changed) (gpointer data); /* (nullable): called by the follower's
                                      thread after each change */
  gpointer data;
} TlFollowerOptions;

/* The directions that are told apart. */
#define TL_FOLLOW_DEGREES 360

/* Plain value. */
typedef struct
{
  TlStreamScan scan; /* without angles_deg */
  TlStreamCounts counts;
  size_t n_dropped;             /* there was no room for them */
  size_t n_dropped_projections; /* of them */
  size_t n_without_angle;       /* projections that cannot be used */
  /* where a projection is held, as of tl_follow_cover() */
  guint8 covered[TL_FOLLOW_DEGREES];
  gint64 last_us; /* when the last frame came, or the start */
} TlFollowNews;

/** tl_follow_cover: Sets @covered to 1 at the angle in its turn, rounded down.
 */
void tl_follow_cover (guint8 covered[TL_FOLLOW_DEGREES], double angle_deg);

/**
 * tl_follower_new:
 * @name: as of tl_stream_open()
 * @options: copied
 *
 * Returns: (transfer full): %NULL with an error of tl_stream_open()
 */
TlFollower *tl_follower_new (const char *name, const TlFollowerOptions *options,
                             GError **error);

/** tl_follower_free: Ends the thread, at once. */
void tl_follower_free (TlFollower *follower);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlFollower, tl_follower_free)

/** tl_follower_end: The present scan counts as complete. Any thread. */
void tl_follower_end (TlFollower *follower);

/** tl_follower_ref_held: Returns: (transfer full) (nullable): the frames of the
 * present scan; %NULL before the first one */
TlHeld *tl_follower_ref_held (TlFollower *follower);

/**
 * tl_follower_get_news:
 * @held: (nullable): of tl_follower_ref_held(); %NULL: the present scan
 * @news: (out): of @held; left as it is if that is neither the present scan nor
 *   the one before
 *
 * Any thread.
 *
 * Returns: %FALSE with an error of tl_stream_next() if nothing can come any
 *   more
 */
gboolean tl_follower_get_news (TlFollower *follower, const TlHeld *held,
                               TlFollowNews *news, GError **error);

/** tl_follower_dup_beamless: @held: the frames of a scan. Returns: (transfer
 * full): its projections that are as dark as without a beam, by their numbers
 * in the stream, as of tl_frame_ranges_parse(); "" if it has none, or is
 * neither the present scan nor the one before. Any thread. */
char *tl_follower_dup_beamless (TlFollower *follower, const TlHeld *held);

/** tl_follower_dup_refused: Returns: (transfer full) (nullable): why the last
 * of TlStreamCounts.n_malformed was left out, in one sentence. Any thread. */
char *tl_follower_dup_refused (TlFollower *follower);

/**
 * tl_follow_news_can_show:
 * @needs_flats: counts need flats: %FALSE where the user has switched the flat
 *   field off
 *
 * Returns: whether frames that are there make a picture
 */
gboolean tl_follow_news_can_show (const TlFollowNews *news,
                                  const TlHeldState *state,
                                  gboolean needs_flats);

/** tl_follower_take_trouble: Returns: (transfer full) (nullable): what the user
 * should know, one sentence after the other, with those of the recorder; %NULL:
 * nothing more */
char *tl_follower_take_trouble (TlFollower *follower);
