/* The angle of each projection: from the user, a text file, the scan itself, or
 * assumed. */
#pragma once

#include "data/read/scan/draft.h"

/**
 * tl_angles_load:
 * @path: a text of numbers, in degrees; "nan" where an angle is missing; "#"
 *   starts a comment
 * @grows: whether another program may be writing it: a line that has no end is
 *   not taken
 * @n: (out): how many numbers there are
 *
 * Returns: (transfer full): %NULL with TL_ERROR_ANGLES, whose message names the
 *   line if there is one
 */
double *tl_angles_load (const char *path, gboolean grows, size_t *n,
                        GError **error);

/** tl_angles_spread: Returns: angle @step of those from @first to @last, which
 * are @n_steps steps apart */
double tl_angles_spread (double first, double last, size_t step,
                         size_t n_steps);

/**
 * tl_scan_draft_take_angle_unit:
 * @place: where in the file the angles are, for messages
 * @unit: (nullable): what the file says
 * @usual: (nullable): "degrees" or "radians", in files of its layout that say
 *   nothing; %NULL: radians if the largest angle is not more than a turn in
 *   radians, with a note
 *
 * Converts the angles of @draft to degrees, and sets their source. Adds a note
 * where the unit is unknown, and where angles that count as degrees look like
 * radians.
 */
void tl_scan_draft_take_angle_unit (TlScanDraft *draft, const char *place,
                                    const char *unit, const char *usual);

/**
 * tl_scan_draft_drop_still:
 * @may_lack_kind: whether the list may include the flats or the darks alone: as
 *   many extra values as there are of them
 *
 * Flats and darks are often taken at the start and at the end of the turn,
 * while the stage stands still. If the list of angles includes those frames, it
 * begins and ends with repeated values. Keeps one value of each repetition, or
 * none of a repetition that no projection has. The stage may also wait, so
 * there have to be flats or darks, and no more of them than extra values; fewer
 * if they are means.
 *
 * Returns: %FALSE, with nothing changed, if this does not leave one angle for
 *   each projection, or nothing needs to be dropped
 */
gboolean tl_scan_draft_drop_still (TlScanDraft *draft, gboolean may_lack_kind);

/** tl_scan_draft_begins_still: Returns: whether there are flats or darks, and
 * the angles begin with equal values, which may be theirs */
gboolean tl_scan_draft_begins_still (const TlScanDraft *draft);

/**
 * tl_scan_draft_settle_angles:
 * @name: of the scan, for messages
 *
 * Sets the angle of each projection in @draft and where it comes from: from
 * @options, else from the file, else 0 to 180 degrees without the end point.
 *
 * An angle that is missing in the file is not a number; see
 * tl_scan_draft_leave_out().
 *
 * Returns: %FALSE with TL_ERROR_ANGLES if the number of angles does not fit
 * that of the projections, TL_ERROR_VALUE if angles in @options are not
 * numbers, or TL_ERROR_MEMORY
 */
gboolean tl_scan_draft_settle_angles (TlScanDraft *draft, const char *name,
                                      const TlReaderOptions *options,
                                      GError **error);

/** tl_scan_draft_load_angles: Sets the angles in @draft to those of a text
 * file, in degrees, with a note if they look like radians. Returns: %FALSE with
 * an error of tl_angles_load() */
gboolean tl_scan_draft_load_angles (TlScanDraft *draft, const char *path,
                                    GError **error);

/** tl_angles_get_still: Returns: how much angles differ at most while the stage
 * stands still, in degrees; 0 if all are the same */
double tl_angles_get_still (const double *angles_deg, size_t n);

/** tl_scan_draft_note_angles: Adds notes about unusual angles, after
 * tl_scan_draft_settle_angles(). */
void tl_scan_draft_note_angles (TlScanDraft *draft);
