/* Measures the axis row by row, for a line over the height of the detector. */
#pragma once

#include "app/axis/line.h"
#include "app/axis/centre-row.h"
#include "app/axis/find-centre.h"

/* The input of a measurement. A plain value. */
typedef struct
{
  size_t n;           /* number of rows */
  size_t first, last; /* first and last slice that the rows are spread over */
  TlCentreQuestion which; /* search range and, if has_methods, the methods */
  gboolean has_methods;   /* if not, the fast methods that use projections */
} TlAxisQuestion;

/**
 * tl_axis_question_init:
 * @recipe: resolved
 * @n: rows, limited to those of the detector; 0: 32
 *
 * Spreads the rows over all slices that lie fully on the detector.
 */
void tl_axis_question_init (TlAxisQuestion *question, const TlRecipe *recipe,
                            const TlScanInfo *info, size_t n);

/**
 * tl_axis_read_row:
 * @recipe: resolved: how the row is corrected
 * @nth: index in the order of tl_axis_line_get_order()
 *
 * If @recipe resamples projections to correct the tilt, the row is read from
 * the corrected projections. The measured tilt is the remaining one then, and
 * tl_axis_line_turn_back() adds the corrected tilt. A tilt too small to
 * resample is ignored. Call it with increasing @nth: rows that are cheaper to
 * read together are read ahead, tl_recon_prefetch().
 *
 * Returns: (transfer full): %NULL with any error of tl_centre_row_read()
 */
TlCentreRow *tl_axis_read_row (TlRecon *recon, const TlRecipe *recipe,
                               const TlAxisQuestion *question, size_t nth,
                               GCancellable *cancellable, GError **error);

/**
 * tl_axis_measure_row:
 * @engine: (nullable): for sharpness, if chosen, see tl_find_centre_in_row()
 * @point: (out caller-allocates)
 * @curve: (out caller-allocates) (optional): to be cleared; the estimate that
 *   gave the value, or the last one tried
 *
 * Correlates opposite projections and, if that fails, uses the double wedge of
 * the sinogram. Any thread.
 *
 * Returns: %FALSE with any error of tl_find_centre_in_row(). A row without a
 *   result is not an error
 */
gboolean tl_axis_measure_row (TlEngine *engine, const TlCentreRow *row,
                              const TlAxisQuestion *question,
                              GCancellable *cancellable, TlAxisPoint *point,
                              TlCentreEstimate *curve, GError **error);

/** tl_axis_fit: Runs tl_axis_line_fit() and, if projections of @recipe were
 * resampled to correct the tilt, tl_axis_line_turn_back(). The verdict is not
 * "certain" if most rows doubt the angles (tl_centre_check_angles()), or if
 * the uncertainty of the tilt alone would be enough to resample projections.
 * A remaining tilt may be underestimated, which increases the uncertainty.
 * There is no result beyond %TL_TILT_MAX_DEG. */
void tl_axis_fit (TlAxisPoint *points, size_t n, const TlRecipe *recipe,
                  const TlScanInfo *info, TlAxisLine *line);

/**
 * tl_axis_is_worth_again:
 * @line: as measured with @recipe
 *
 * Returns: whether the remaining tilt is large and certain enough that a second
 *   measurement, with projections corrected by it, gives a better line
 */
gboolean tl_axis_is_worth_again (const TlAxisLine *line, const TlRecipe *recipe,
                                 const TlScanInfo *info);

/** tl_axis_get_turned_back: @recipe: resolved. Returns: the tilt in degrees
 * that its projections are resampled to correct; 0: they are not resampled */
double tl_axis_get_turned_back (const TlRecipe *recipe, size_t n_cols);
