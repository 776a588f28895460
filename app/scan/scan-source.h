/* The scan that is open and the one that is being opened. The previous scan
 * stays open until the first picture of the new one is finished, and remains if
 * opening fails. Main thread only. */
#pragma once

#include "app/messages/messages.h"
#include "app/recon/summary.h"
#include "app/worker/requests.h"

#define TL_TYPE_SCAN_SOURCE (tl_scan_source_get_type ())
G_DECLARE_FINAL_TYPE (TlScanSource, tl_scan_source, TL, SCAN_SOURCE, GObject)

/* Properties, all read-only with explicit notify:
 *   "path"     string, nullable: the file of the open scan
 *   "summary"  pointer, nullable: TlScanSummary of the open scan; also notified
 *              when it becomes more complete
 *   "opening"  boolean: a scan is being opened; also notified when another one
 *              is opened instead
 */
TlScanSource *tl_scan_source_new (TlRequests *requests, TlMessages *messages);

/** tl_scan_source_get_summary: Returns: (transfer none) (nullable): valid until
 * "summary" is notified */
const TlScanSummary *tl_scan_source_get_summary (TlScanSource *source);
gboolean tl_scan_source_is_open (TlScanSource *source);
/** tl_scan_source_get_name: Returns: (transfer none) (nullable): the open scan
 * as tl_session_open() takes it, "FILE" or "FILE:/path" */
const char *tl_scan_source_get_name (TlScanSource *source);
/** tl_scan_source_get_serial: Returns: a number unique to each opening of a
 * scan; 0 before the first */
guint64 tl_scan_source_get_serial (TlScanSource *source);

gboolean tl_scan_source_is_opening (TlScanSource *source);
/** tl_scan_source_get_opening: Returns: (transfer none) (nullable): the
 * parameters of the scan that is being opened */
const TlRecipe *tl_scan_source_get_opening (TlScanSource *source);
/** tl_scan_source_get_newest_path: Returns: (transfer none) (nullable): of the
 * scan that is being opened, or else of the open one */
const char *tl_scan_source_get_newest_path (TlScanSource *source);

/** tl_scan_source_resolve: As tl_recipe_resolve(), for the open scan. */
gboolean tl_scan_source_resolve (TlScanSource *source, TlRecipe *recipe,
                                 GError **error);

/** tl_scan_source_get_anew: Returns: (transfer none) (nullable): of
 * tl_scan_source_start(), while the scan is being opened */
const TlRecipe *tl_scan_source_get_anew (TlScanSource *source);

/**
 * tl_scan_source_start:
 * @recipe: (transfer full)
 * @anew: (transfer full) (nullable): the parameters to use if @path was the
 *   open scan, but another scan has this name now
 * @held: (nullable): the frames of the scan, if it is in memory
 *
 * Starts opening the scan @path. If that scan is being opened already, the
 * changes noted meanwhile are kept.
 */
void tl_scan_source_start (TlScanSource *source, const char *path,
                           TlRecipe *recipe, TlRecipe *anew, TlHeld *held);

/** tl_scan_source_stop: Cancels the opening, whose reply then has an error. */
void tl_scan_source_stop (TlScanSource *source);

/** tl_scan_source_find_held: Returns: (transfer none) (nullable): the frames of
 * @path, if that scan is open or being opened, and in memory */
TlHeld *tl_scan_source_find_held (TlScanSource *source, const char *path);

/** tl_scan_source_is_held: Returns: whether the open scan is in memory, so that
 * it has no file */
gboolean tl_scan_source_is_held (TlScanSource *source);

/** tl_scan_source_is_sorted: Returns: whether the projections of the open scan
 * have the same numbers in a recording; see TlHeldState */
gboolean tl_scan_source_is_sorted (TlScanSource *source);

/** tl_scan_source_note_copy: Says that the scan of the frames @held (nullable)
 * was recorded in the file @path, as far as it came. Does nothing if another
 * one is open. */
void tl_scan_source_note_copy (TlScanSource *source, const TlHeld *held,
                               const char *path);
/** tl_scan_source_get_copy: Returns: (transfer none) (nullable): that file */
const char *tl_scan_source_get_copy (TlScanSource *source);
/** tl_scan_source_get_origin: Returns: (transfer none) (nullable): what a
 * recipe of the open scan names: its file, that in which it was recorded with
 * the same numbers, or else the address from which it came */
const char *tl_scan_source_get_origin (TlScanSource *source);

/** tl_scan_source_note_change: Keeps a parameter set while a scan is being
 * opened, to be set again when it is open. */
void tl_scan_source_note_change (TlScanSource *source, const char *key,
                                 GVariant *value);
/** tl_scan_source_confirm_files: The user has seen which images are what in the
 * folder that is being opened, or else in the open one: notes about it ask no
 * more, also when it is read again, until they say something else. */
void tl_scan_source_confirm_files (TlScanSource *source);

void tl_scan_source_forget_changes (TlScanSource *source);

/** tl_scan_source_is_awaited: Returns: whether @reply answers the newest
 * tl_scan_source_start() */
gboolean tl_scan_source_is_awaited (TlScanSource *source, const TlReply *reply);

/** tl_scan_source_finish: Ends the opening. Returns: (transfer full): the
 * changes noted meanwhile, GVariants (sv) */
GPtrArray *tl_scan_source_finish (TlScanSource *source);

/** tl_scan_source_take_scan: The scan of @reply is the open one now. Returns:
 * whether another scan was open before, of another file or of the same one */
gboolean tl_scan_source_take_scan (TlScanSource *source, TlReply *reply);
/** tl_scan_source_take_survey: Replaces the summary by a more complete one of
 * the same scan. Returns: whether that scan is the open one */
gboolean tl_scan_source_take_survey (TlScanSource *source, TlReply *reply);
/** tl_scan_source_take_growth: The same, if @reply has a summary of more
 * projections. */
void tl_scan_source_take_growth (TlScanSource *source, TlReply *reply);
