/* A scan while it is being taken: its frames arrive in a thread of their own,
 * and the picture grows with them. Main thread only. */
#pragma once

#include "app/worker/job.h"
#include "data/follow/follower.h"

#include <glib-object.h>

#define TL_TYPE_GROWTH (tl_growth_get_type ())
G_DECLARE_FINAL_TYPE (TlGrowth, tl_growth, TL, GROWTH, GObject)

typedef enum
{
  TL_GROWTH_NONE,     /* nothing is followed */
  TL_GROWTH_WAITING,  /* too little has come for a picture */
  TL_GROWTH_GROWING,  /* the scan is shown, and grows */
  TL_GROWTH_COMPLETE, /* all of it is there; the next one may follow */
  TL_N_GROWTH_STATES
} TlGrowthState;

/* What a recording has. */
typedef enum
{
  TL_GROWTH_RECORDED_OTHER, /* another scan than the one that is shown */
  TL_GROWTH_RECORDED_PART,  /* of that one, or all of it but its picture is not
                               complete */
  TL_GROWTH_RECORDED_ALL    /* all of the complete scan that is shown */
} TlGrowthRecorded;

/* What has come. Plain value. */
typedef struct
{
  size_t n_projections, n_flats, n_darks;
  size_t n_expected; /* projections; as is likely where nobody says it; 0:
                        unknown */
  size_t n_lost;     /* of those before the newest, or that could not be used */
  size_t n_dropped;  /* of n_lost; they came when the memory was full */
  size_t n_without_angle; /* of n_projections; cannot be used */
  size_t n_malformed; /* frames and messages that could not be used, since the
                         end of the scan before */
  gboolean lacks_fields;     /* flats or darks that were announced have not come
                              */
  size_t first_kept, n_kept; /* rows of the shown scan that are in memory */
  size_t n_rows;             /* of its detector; 0: none is shown */
  double rate;               /* projections per second; 0: none come */
  size_t n_finished; /* projections of the slice that looked finished, as of
                        tl_growth_is_finished(); 0: none */
  double delay_s; /* from when a projection came until the first picture with it
                     was made, at the shown picture; 0: unknown */
  gboolean is_of_before; /* what is on the screen is of the scan before: the
                            present one has no picture yet */
  size_t n_next; /* projections of a later scan than the one on the screen, if
                    that waits for flats */
  gboolean waits_for_flats; /* a scan has no picture yet, because its counts
                               need flats */
  gboolean is_over;         /* the scan that waits_for_flats has ended */
  gboolean is_stalled;      /* it has been told that nothing comes */
  double idle_s;            /* since the last frame came, or the start */
  gboolean has_later; /* a later scan than the one on the screen has begun */
  /* where a projection has come, as of tl_follow_cover(); where the user has
   * given other angles, one that is in the picture */
  guint8 covered[TL_FOLLOW_DEGREES];
} TlGrowthNews;

/* How sharp the slice was of so many projections. */
typedef struct
{
  size_t n_projections;
  double sharpness; /* as of tl_growth_measure_sharpness() */
} TlGrowthSharpness;

/* Properties, read-only but for two, with explicit notify:
 *   "state"  uint, TlGrowthState
 *   "news"   pointer: TlGrowthNews; notified a few times a second
 *   "follows"  boolean, writable: the next scan of the same sender is shown as
 *            soon as it begins
 *   "hints"  boolean, writable: the user wants to know when the slice looks
 *            finished; FALSE at first
 *   "record-folder"  string (nullable), see tl_growth_set_record_folder()
 *   "ending"  boolean: nothing is followed any more, but what came before is
 *            still being recorded
 *   "record-problem"  string (nullable): of tl_recorder_dup_problem()
 * Signals:
 *   "begun"  (pointer): a scan, of which there is enough for a picture, has to
 *            be opened: TlHeld
 *   "due"    → boolean: the shown picture has to be made again, with what has
 *            come since. A handler that makes it returns %TRUE, and calls
 *            tl_growth_take_picture() later; then no other handler is asked
 *   "slice-due"  no handler of "due" does: a request has to
 *   "ended"  the picture of the complete scan is shown
 *   "recorded" (pointer, uint, pointer): a TlRecording, a TlGrowthRecorded, and
 *            unless it is TL_GROWTH_RECORDED_OTHER the TlHeld of the scan; the
 *            last one after tl_growth_stop()
 *   "told"   (string): what the user should know, a sentence a line
 *   "failed" (string): why nothing can come any more; then nothing is followed
 */
TlGrowth *tl_growth_new (void);

/** tl_growth_set_recipe: Says which rows of the next scan have to be there, if
 * not all can be. */
void tl_growth_set_recipe (TlGrowth *growth, const TlRecipe *recipe);

/** tl_growth_set_needs_flats: Says whether counts are shown only when flats
 * have come, as at first. */
void tl_growth_set_needs_flats (TlGrowth *growth, gboolean needs_flats);

/** tl_growth_set_idle: Says whether a picture may be asked for: what the user
 * has asked for comes first. */
void tl_growth_set_idle (TlGrowth *growth, gboolean is_idle);

/**
 * tl_growth_follow:
 * @name: an address, a file or a folder, as of tl_stream_open()
 * @options: (nullable): what the user says of it
 *
 * Follows @name instead of what was followed before.
 *
 * Returns: %FALSE with an error of tl_stream_open(); then what was followed
 *   before is followed still, unless that is @name
 */
gboolean tl_growth_follow (TlGrowth *growth, const char *name,
                           const TlStreamOptions *options, GError **error);

/**
 * tl_growth_set_record_folder:
 * @folder: (nullable): as of tl_recorder_set_folder(), for this address and
 *   those that are followed later; files and folders keep their scans
 * themselves
 *
 * Returns: %FALSE with TL_ERROR_FILE; then it stays as it was
 */
gboolean tl_growth_set_record_folder (TlGrowth *growth, const char *folder,
                                      GError **error);
const char *tl_growth_get_record_folder (TlGrowth *growth);

/** tl_growth_stop: Follows no more. What has come stays as it is. What is
 * recorded of a scan is closed, and told when that is done. */
void tl_growth_stop (TlGrowth *growth);

TlGrowthState tl_growth_get_state (TlGrowth *growth);
/** tl_growth_get_name: Returns: (transfer none) (nullable): what is followed */
const char *tl_growth_get_name (TlGrowth *growth);
/** tl_growth_get_held: Returns: (transfer none) (nullable): the frames of the
 * scan that is followed and shown, or about to be */
TlHeld *tl_growth_get_held (TlGrowth *growth);
/** tl_growth_has_next: Returns: whether another scan may come from what is
 * followed: it is an address */
gboolean tl_growth_has_next (TlGrowth *growth);
const TlGrowthNews *tl_growth_get_news (TlGrowth *growth);

/** tl_growth_get_sharpness: Returns: (transfer none): [@n], of the slices of
 * the present scan with the present parameters, in the order in which they were
 * made; until the next news */
const TlGrowthSharpness *tl_growth_get_sharpness (TlGrowth *growth, guint *n);

/** tl_growth_get_beamless: Returns: (transfer none): the projections of the
 * scan that is shown that are as dark as without a beam and are not left out,
 * as of tl_frame_ranges_parse(), ""; until the next news */
const char *tl_growth_get_beamless (TlGrowth *growth);

/** tl_growth_dup_time_left: Returns: (transfer full) (nullable): until the last
 * projection comes, "about 20 s left"; %NULL while it is not known */
char *tl_growth_dup_time_left (TlGrowth *growth);

/** tl_growth_get_refused: Returns: (transfer none) (nullable): why the last of
 * TlGrowthNews.n_malformed could not be used; until the next news */
const char *tl_growth_get_refused (TlGrowth *growth);

/** tl_growth_has_failed: Returns: whether the scan that is taken could not be
 * opened, so that this is tried again when more of it is there or the recipe
 * is another one */
gboolean tl_growth_has_failed (TlGrowth *growth);

/** tl_growth_take_picture: Notes that the picture of a handler of "due" is
 * there. @shown: TlHeldState.serial of the frames of which it was made; 0:
 * there is none any more, or it could not be made */
void tl_growth_take_picture (TlGrowth *growth, guint64 shown);

/** tl_growth_take_reply: Notes that @reply, of a scan or a picture, has come.
 */
void tl_growth_take_reply (TlGrowth *growth, const TlReply *reply);
