/* Looks at each frame of a scan that is being taken for what the user has to
 * know at once: a lost beam, saturated counts and no counts at all. What else
 * is odd is found when all of the scan is there, by data/read/survey. */
#pragma once

#include "data/stream/event.h"

/* One thread. */
typedef struct TlFollowCheck TlFollowCheck;

/** tl_follow_check_new: @scan: its size and type are copied. Returns: (transfer
 * full) */
TlFollowCheck *tl_follow_check_new (const TlStreamScan *scan);
void tl_follow_check_free (TlFollowCheck *check);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlFollowCheck, tl_follow_check_free)

/**
 * tl_follow_check_refuse:
 * @event: a flat or a dark of the scan, in the order in which they come
 *
 * Compares it with those that tl_follow_check_take() has taken. Whether the
 * first ones are good is known only when the whole scan is opened.
 *
 * Returns: (transfer full) (nullable): if it would spoil the mean, because a
 *   flat has no beam or a dark has one, a sentence as of tl_follow_check_take()
 */
char *tl_follow_check_refuse (TlFollowCheck *check, const TlStreamEvent *event);

/**
 * tl_follow_check_take:
 * @event: a frame of the scan
 * @is_blank: as of tl_held_is_blank(), of a projection
 *
 * Looks at some hundred samples of the frame. Each kind of frames is told of
 * once where it is saturated, with the part of all pixels, and each loss of the
 * beam when it begins and when it ends. Floats without flats may be
 * attenuations: no beam is looked for in them. Of projections without a sample
 * that is a number, which TlHeld leaves out, the first of those that follow
 * each other is told.
 *
 * Returns: (transfer full) (nullable): one sentence, without the stream's name
 */
char *tl_follow_check_take (TlFollowCheck *check, const TlStreamEvent *event,
                            gboolean is_blank);

/** tl_follow_check_get_beamless: Returns: (transfer none): the projections that
 * are as dark as without a beam, as of tl_frame_ranges_parse(), "" if none;
 * until the next tl_follow_check_take() */
const char *tl_follow_check_get_beamless (const TlFollowCheck *check);
