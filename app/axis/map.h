/* The axis map of the window: measures the axis in many rows while the page
 * TL_PAGE_AXIS is shown, fits a line, and lets the user accept it. Main thread
 * only. */
#pragma once

#include "app/axis/accepted-axis.h"
#include "app/axis/line.h"
#include "app/axis/stage-move.h"
#include "app/session/session.h"

/* Limits of "rows". */
#define TL_AXIS_MAP_MIN_ROWS 4
#define TL_AXIS_MAP_MAX_ROWS 256

/* Columns between neighbouring values of a curve; the first value is at column
 * 0. */
#define TL_AXIS_MAP_PITCH 0.5

#define TL_TYPE_AXIS_MAP (tl_axis_map_get_type ())
G_DECLARE_FINAL_TYPE (TlAxisMap, tl_axis_map, TL, AXIS_MAP, GObject)

/* Properties, read-only:
 *   "rows"     uint: rows to measure, limited to those of the detector
 *   "busy"     boolean: rows are still being measured
 *
 * Signal "changed": the results, or the present centre and tilt, are others. */

/** tl_session_get_axis_map: Returns: (transfer none): the map of the session,
 * made on first use */
TlAxisMap *tl_session_get_axis_map (TlSession *session);

/** tl_axis_map_set_rows: Limits @n_rows to TL_AXIS_MAP_MIN_ROWS …
 * TL_AXIS_MAP_MAX_ROWS; another number drops the results. */
void tl_axis_map_set_rows (TlAxisMap *map, guint n_rows);
guint tl_axis_map_get_rows (TlAxisMap *map);

/** tl_axis_map_get_size: @n_rows and @n_cols are those of the detector, @n the
 * rows to measure, @n_known those measured. %FALSE before the first
 * measurement. */
gboolean tl_axis_map_get_size (TlAxisMap *map, size_t *n_rows, size_t *n_cols,
                               guint *n, guint *n_known);

/** tl_axis_map_dup_time_left: Returns: (transfer full) (nullable): "about 20 s
 * left"; %NULL while it is not known. Only while rows are measured */
char *tl_axis_map_dup_time_left (TlAxisMap *map);
/**
 * tl_axis_map_get_point:
 * @k: below the @n of tl_axis_map_get_size(), from the top
 *
 * Rows and columns are those of the projections as reconstructed, that is,
 * after any correction of the tilt.
 *
 * Returns: (nullable): %NULL until measured
 */
const TlAxisPoint *tl_axis_map_get_point (TlAxisMap *map, guint k);

/**
 * tl_axis_map_get_curve:
 * @n: (out)
 *
 * Returns: (nullable): [@n]: for the same row, the likelihood of the axis at
 *   column TL_AXIS_MAP_PITCH times the index, from 0 for the median to 1
 */
const float *tl_axis_map_get_curve (TlAxisMap *map, guint k, size_t *n);

/** tl_axis_map_get_line: Returns: (transfer none) (nullable): in rows of the
 * detector; %NULL before three rows are measured */
const TlAxisLine *tl_axis_map_get_line (TlAxisMap *map);

/** tl_axis_map_get_fitted_col: Returns: the column in @row of the axis that
 * accepting sets, in the coordinates of tl_axis_map_get_point(); NaN without a
 * line */
double tl_axis_map_get_fitted_col (TlAxisMap *map, double row);
/** tl_axis_map_get_present_col: As tl_axis_map_get_fitted_col(), for the
 * present centre and tilt. */
double tl_axis_map_get_present_col (TlAxisMap *map, double row);

/** tl_axis_map_get_turned_back: Returns: the tilt in degrees that the
 * projections were resampled to correct; 0: none */
double tl_axis_map_get_turned_back (TlAxisMap *map);

/** tl_axis_map_get_problem: Returns: (transfer none) (nullable): the error of
 * the last measurement */
const char *tl_axis_map_get_problem (TlAxisMap *map);

/** tl_axis_map_dup_text: Returns: (transfer full): the results in words */
char *tl_axis_map_dup_text (TlAxisMap *map);
/** tl_session_describe_stage_move: @axis: only its centre and tilt with their
 * uncertainties are read. Returns: (transfer full): the move that brings this
 * axis of the open scan to the middle, as a sentence with a capital letter */
char *tl_session_describe_stage_move (TlSession *session,
                                      const TlStagePlace *axis);
/** tl_session_dup_axis_move: Returns: (transfer full): how to move the stage,
 * by the line of @session's map; "" if there is no line to accept, or if the
 * angles contradict the projections, because the line may then be wrong */
char *tl_session_dup_axis_move (TlSession *session);
/** tl_axis_map_dup_consequence: Returns: (transfer full): the basis of the
 * line, what accepting it changes or why it cannot be accepted, and what
 * remains to be done */
char *tl_axis_map_dup_consequence (TlAxisMap *map);

/** tl_axis_map_get_present_tilt: Returns: in degrees; 0 without a session */
double tl_axis_map_get_present_tilt (TlAxisMap *map);
/** tl_axis_map_propose: Finds the axis that accepting the line sets. Its tilt
 * is tl_axis_line_get_proposal(), with the smaller uncertainty if the present
 * tilt was accepted before. Only if tl_axis_map_can_accept().
 *
 * @axis: (out caller-allocates): not rounded; without a serial number */
void tl_axis_map_propose (TlAxisMap *map, TlAcceptedAxis *axis);
/** tl_axis_map_agrees: Returns: whether the present centre and tilt equal
 * those of tl_axis_map_propose(), within the uncertainties of the line or after
 * rounding */
gboolean tl_axis_map_agrees (TlAxisMap *map);
/** tl_axis_map_is_shown: Returns: whether TL_PAGE_AXIS is shown */
gboolean tl_axis_map_is_shown (TlAxisMap *map);
/** tl_axis_map_can_accept: Returns: whether there is a line to accept */
gboolean tl_axis_map_can_accept (TlAxisMap *map);
/** tl_axis_map_accept: Sets the session's centre and tilt to those of
 * tl_axis_map_propose(), in one step of the history. */
void tl_axis_map_accept (TlAxisMap *map);
