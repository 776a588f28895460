/* The axis over the height of the detector, for the window: what many rows say,
 * measured while the page TL_PAGE_AXIS is shown, the line through it, and how
 * it is accepted. Main thread only. */
#pragma once

#include "app/axis/curve.h"
#include "app/axis/line.h"
#include "app/session/session.h"

G_BEGIN_DECLS

/* Rows to look at. */
#define TL_AXIS_MAP_MIN_ROWS 4
#define TL_AXIS_MAP_MAX_ROWS 256

#define TL_TYPE_AXIS_MAP (tl_axis_map_get_type ())
G_DECLARE_FINAL_TYPE (TlAxisMap, tl_axis_map, TL, AXIS_MAP, GObject)

/* Properties, with explicit notify:
 *   "rows"     uint: how many are looked at, or as many as the detector has
 *   "busy"     boolean, read-only: not all of them are known yet
 *   "changes"  uint, read-only: counts every change of what is known, of the
 *              present centre and tilt, too
 */

/** tl_session_get_axis_map: Returns: (transfer none): lives as long as the
 * session. */
TlAxisMap *tl_session_get_axis_map (TlSession *session);

void tl_axis_map_set_rows (TlAxisMap *map, guint n_rows);
guint tl_axis_map_get_rows (TlAxisMap *map);

/** tl_axis_map_get_size: Of the detector; how many rows are known goes to
 * @n_known. FALSE where nothing has been begun. */
gboolean tl_axis_map_get_size (TlAxisMap *map, size_t *n_rows, size_t *n_cols,
                               guint *n, guint *n_known);

/**
 * tl_axis_map_get_point:
 * @k: of those that there are by tl_axis_map_get_size(), from the top
 *
 * Rows and columns are those of projections as they are reconstructed: turned
 * back, where they are.
 *
 * Returns: (nullable): %NULL while it is not known
 */
const TlAxisPoint *tl_axis_map_get_point (TlAxisMap *map, guint k);

/**
 * tl_axis_map_get_curve:
 * @n: (out)
 *
 * Returns: (nullable): [@n]: of the same row, how well the axis is at column
 *   TL_AXIS_MAP_PITCH times the index; from 0 for the median to 1
 */
const float *tl_axis_map_get_curve (TlAxisMap *map, guint k, size_t *n);

/** tl_axis_map_get_line: Returns: (transfer none) (nullable): in the
 * detector's own rows; %NULL before three rows are known */
const TlAxisLine *tl_axis_map_get_line (TlAxisMap *map);

/** tl_axis_map_get_fitted_col: Returns: where that line is in @row, as
 * tl_axis_map_get_point() has them; NaN where there is none. */
double tl_axis_map_get_fitted_col (TlAxisMap *map, double row);
/** tl_axis_map_get_present_col: The same of the present centre and tilt. */
double tl_axis_map_get_present_col (TlAxisMap *map, double row);

/** tl_axis_map_get_turned_back: Returns: by how many degrees the projections
 * were turned back; 0: not. */
double tl_axis_map_get_turned_back (TlAxisMap *map);

/** tl_axis_map_get_problem: Returns: (transfer none) (nullable): what failed.
 */
const char *tl_axis_map_get_problem (TlAxisMap *map);

/** tl_axis_map_dup_text: Returns: (transfer full): what is known, in words. */
char *tl_axis_map_dup_text (TlAxisMap *map);
/** tl_session_dup_axis_move: Returns: (transfer full): how to move the stage,
 * by the line of @session's map; "" while none could be accepted. */
char *tl_session_dup_axis_move (TlSession *session);
/** tl_axis_map_dup_consequence: Returns: (transfer full): what that rests on,
 * what accepting it does, or why it cannot be accepted, and what is still to be
 * done. */
char *tl_axis_map_dup_consequence (TlAxisMap *map);

/** tl_axis_map_agrees: Returns: the present centre and tilt are those of the
 * line, within its uncertainties or to the digits that are accepted. */
gboolean tl_axis_map_agrees (TlAxisMap *map);
/** tl_axis_map_is_shown: Returns: its page is. */
gboolean tl_axis_map_is_shown (TlAxisMap *map);
/** tl_axis_map_can_accept: Returns: there is a line. */
gboolean tl_axis_map_can_accept (TlAxisMap *map);
/** tl_axis_map_accept: Centre and tilt become those of the line, in one step
 * that can be undone. */
void tl_axis_map_accept (TlAxisMap *map);

G_END_DECLS
