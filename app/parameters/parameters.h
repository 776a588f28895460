/* The parameters that are requested, with their history.
 *
 * A change takes effect at once. If its picture cannot be made and there is no
 * newer request, the parameters return to those of the shown picture, so that
 * the controls always match the picture. Main thread only. */
#pragma once

#include "app/parameters/history.h"
#include "app/scan/scan-source.h"

#define TL_TYPE_PARAMETERS (tl_parameters_get_type ())
G_DECLARE_FINAL_TYPE (TlParameters, tl_parameters, TL, PARAMETERS, GObject)

/* Properties, all read-only with explicit notify:
 *   "recipe"  pointer: of tl_parameters_get_recipe(); also notified when the
 *             history changes
 *   "slice"   uint: detector row
 *   "centre"  double: column; also notified when a centre was refused
 * Signals:
 *   "requested"  a picture of the open scan with these parameters is requested
 */
TlParameters *tl_parameters_new (TlScanSource *source, TlRequests *requests,
                                 TlMessages *messages);

/** tl_parameters_get_recipe: Returns: (transfer none): resolved while a scan is
 * open; valid until the next change of a parameter */
const TlRecipe *tl_parameters_get_recipe (TlParameters *self);
guint tl_parameters_get_slice (TlParameters *self);
double tl_parameters_get_centre (TlParameters *self);

/**
 * tl_parameters_set_value:
 * @value: of tl_recipe_get_value_type() or a string; a floating one is taken
 *
 * Sets any parameter. One of the reader opens the scan again.
 *
 * Returns: %FALSE with TL_ERROR_VALUE
 */
gboolean tl_parameters_set_value (TlParameters *self, const char *key,
                                  GVariant *value, GError **error);
/** tl_parameters_set: As tl_parameters_set_value(), with @value as text. */
gboolean tl_parameters_set (TlParameters *self, const char *key,
                            const char *value, GError **error);
/** tl_parameters_set_and_reopen: As tl_parameters_set(), and opens the scan
 * that is being opened, or else the open one, again with the new value. */
gboolean tl_parameters_set_and_reopen (TlParameters *self, const char *key,
                                       const char *value, GError **error);
/** tl_parameters_set_slice: @slice is limited to the rows of the scan. */
void tl_parameters_set_slice (TlParameters *self, guint slice);
/** tl_parameters_set_centre: A centre off the detector is refused with a
 * message. */
void tl_parameters_set_centre (TlParameters *self, double centre_col);

/** tl_parameters_set_as_step: As tl_parameters_set_value(), but makes its own
 * step of the history, described by @words. */
gboolean tl_parameters_set_as_step (TlParameters *self, const char *key,
                                    GVariant *value, const char *words,
                                    GError **error);
/**
 * tl_parameters_set_recipe:
 * Sets all parameters of the open scan in one change, instead of those of a
 * scan that is being opened. The scan is read again only if a parameter of the
 * reader differs. Refused values are reported as a message.
 *
 * Returns: %FALSE if the values were refused, or if the scan is opened again
 */
gboolean tl_parameters_set_recipe (TlParameters *self, const TlRecipe *recipe);
/** tl_parameters_set_recipe_as_step: As tl_parameters_set_recipe(), but makes
 * its own step of the history. @recipe: (nullable): nothing happens */
gboolean tl_parameters_set_recipe_as_step (TlParameters *self,
                                           const TlRecipe *recipe);
/** tl_parameters_set_axis: Sets centre and tilt, in degrees, as
 * tl_parameters_set_recipe_as_step(); NaN keeps the present tilt. */
gboolean tl_parameters_set_axis (TlParameters *self, double centre_col,
                                 double tilt_deg);

/** tl_parameters_get_centre_digits: Returns: the number of decimals, 2 to 6,
 * needed to show the centre exactly */
guint tl_parameters_get_centre_digits (TlParameters *self);
/** tl_parameters_get_axis_col: Returns: the column of the axis in @row of a
 * projection as it is shown. The axis leans by the tilt, unless projections
 * are resampled to correct it. */
double tl_parameters_get_axis_col (TlParameters *self, double row);
/**
 * tl_parameters_limit_centre:
 * @n_parts: parts of a column that a gesture resolves, at least 1
 *
 * Returns: @centre_col, the result of a drag or step, rounded to 1 / @n_parts
 *   of a column and limited to the detector
 */
double tl_parameters_limit_centre (TlParameters *self, double centre_col,
                                   guint n_parts);
/** tl_parameters_is_centre_assumed: Returns: whether a scan is open whose
 * centre was neither given in its recipe nor changed by the user */
gboolean tl_parameters_is_centre_assumed (TlParameters *self);
/** tl_parameters_note_found_centre: Says that the program has found
 * @centre_col, which is the present centre or is set next. Handlers that are
 * told of a new centre need to know it, so note it before it is set. */
void tl_parameters_note_found_centre (TlParameters *self, double centre_col,
                                      gboolean is_certain);
/** tl_parameters_is_centre_found: Returns: whether the program has found the
 * centre, in this scan or in an earlier one of the same stream, and the user
 * has not changed it since */
gboolean tl_parameters_is_centre_found (TlParameters *self);
/** tl_parameters_is_centre_certain: Returns: whether it was found so, and is
 * certain */
gboolean tl_parameters_is_centre_certain (TlParameters *self);
/** tl_parameters_drop_uncertain_centre: @recipe: of the next scan of a stream.
 * If its centre was found and is uncertain, it becomes the last certain one of
 * the stream, or else is left to the scan. */
void tl_parameters_drop_uncertain_centre (TlParameters *self, TlRecipe *recipe);
/** tl_parameters_is_centre_given: Returns: whether it is neither, but that of
 * the user */
gboolean tl_parameters_is_centre_given (TlParameters *self);
/** tl_parameters_get_filter_curve: Fills @curve, [@n], with the filter from
 * frequency 0 to Nyquist; its peak is 1. */
void tl_parameters_get_filter_curve (TlParameters *self, float *curve,
                                     size_t n);

/** tl_parameters_save: Writes the requested recipe to the file @path, with the
 * path of the open scan. Returns: %FALSE with any error of tl_recipe_save() */
gboolean tl_parameters_save (TlParameters *self, const char *path,
                             GError **error);
/** tl_parameters_dup_command: Returns: (transfer full) (nullable): the command
 * line that makes the requested slice; %NULL without a scan */
char *tl_parameters_dup_command (TlParameters *self);

/** tl_parameters_get_history: Returns: (transfer none): the changes since the
 * scan was opened; the widgets read it and tell it where drags begin and end */
TlHistory *tl_parameters_get_history (TlParameters *self);
/** tl_parameters_go_to_step: Sets all parameters to those of step @index; later
 * steps are kept until the next change. Does nothing if there is no such
 * step. */
void tl_parameters_go_to_step (TlParameters *self, guint index);
void tl_parameters_undo (TlParameters *self);
void tl_parameters_redo (TlParameters *self);

/* --- replies of the worker; they request no picture --- */

/** tl_parameters_take_recipe: Replaces all parameters by @recipe (transfer
 * full), resolved. */
void tl_parameters_take_recipe (TlParameters *self, TlRecipe *recipe);
/** tl_parameters_fall_back: Returns to the parameters of the shown slice, after
 * an error. */
void tl_parameters_fall_back (TlParameters *self, const TlRecipe *recipe);
/** tl_parameters_begin_scan: A scan has opened with @recipe; @is_other: not the
 * one of the present history; @has_grown: it is that one, with other
 * projections than before. */
void tl_parameters_begin_scan (TlParameters *self, const TlRecipe *recipe,
                               gboolean is_other, gboolean centre_is_assumed,
                               gboolean has_grown);
/** tl_parameters_end_opening: Opening has ended. Makes it, with the changes
 * made meanwhile, a step of the history. */
void tl_parameters_end_opening (TlParameters *self);
/** tl_parameters_apply_changes: Sets the parameters of
 * tl_scan_source_finish() again, which does request a picture. If @is_other
 * scan has opened, those of one scan (is_of_scan) are dropped: they were meant
 * for the previous one. */
void tl_parameters_apply_changes (TlParameters *self, const GPtrArray *changes,
                                  gboolean is_other);
