/* Where the axis is, row by row: what a line over the height of the detector
 * is fitted to. */
#pragma once

#include "app/axis/line.h"
#include "app/axis/centre-row.h"
#include "app/axis/find-centre.h"

G_BEGIN_DECLS

/* What was asked for. A plain value. */
typedef struct
{
  size_t n;               /* rows to look at */
  size_t first, last;     /* slices they are spread over, both included */
  TlCentreQuestion which; /* range and, if they were chosen, methods */
  gboolean has_methods;   /* else the cheap ones that look at projections */
} TlAxisQuestion;

/**
 * tl_axis_question_init:
 * @recipe: resolved
 * @n: rows, as many as there are at most; 0: 32
 *
 * Over all slices that lie on the detector from edge to edge.
 */
void tl_axis_question_init (TlAxisQuestion *question, const TlRecipe *recipe,
                            const TlScanInfo *info, size_t n);

/**
 * tl_axis_read_row:
 * @recipe: resolved: how the row is corrected
 * @nth: which of @question's rows, by tl_axis_line_get_order()
 *
 * Where projections of @recipe are turned back, so are these: what is measured
 * is how much tilt is left, tl_axis_line_turn_back() adds the rest. A smaller
 * tilt is no part of it. Asked for in their order, rows that are cheaper to
 * read together are: tl_recon_prefetch().
 *
 * Returns: (transfer full): %NULL with any error of tl_centre_row_read()
 */
TlCentreRow *tl_axis_read_row (TlRecon *recon, const TlRecipe *recipe,
                               const TlAxisQuestion *question, size_t nth,
                               GCancellable *cancellable, GError **error);

/**
 * tl_axis_measure_row:
 * @engine: (nullable): as of tl_find_centre_in_row(), if sharpness was chosen
 * @point: (out caller-allocates)
 * @curve: (out caller-allocates) (optional): to be cleared; what the value was
 *   read from, or the last that was tried
 *
 * In any thread. Opposite projections are correlated; where they do not tell,
 * the double wedge of the sinogram is asked.
 *
 * Returns: %FALSE with any error of tl_find_centre_in_row(); that the row
 *   cannot tell is none
 */
gboolean tl_axis_measure_row (TlEngine *engine, const TlCentreRow *row,
                              const TlAxisQuestion *question,
                              GCancellable *cancellable, TlAxisPoint *point,
                              TlCentreEstimate *curve, GError **error);

/**
 * tl_axis_fit:
 *
 * tl_axis_line_fit() and, where projections of @recipe were turned back,
 * tl_axis_line_turn_back(). It is not certain where most rows doubt the angles,
 * tl_centre_check_angles(), nor where the tilt's uncertainty alone would turn
 * projections back. What may be lacking of a tilt that the projections still
 * have counts as an uncertainty. It cannot be told where it is beyond
 * %TL_TILT_MAX_DEG.
 */
void tl_axis_fit (TlAxisPoint *points, size_t n, const TlRecipe *recipe,
                  const TlScanInfo *info, TlAxisLine *line);

/**
 * tl_axis_is_worth_again:
 * @line: as measured with @recipe
 *
 * Returns: so much tilt was left, and beyond doubt, that a look at projections
 * turned back by what was found says more
 */
gboolean tl_axis_is_worth_again (const TlAxisLine *line, const TlRecipe *recipe,
                                 const TlScanInfo *info);

/** tl_axis_get_turned_back: @recipe: resolved. Returns: by how many degrees
 * its projections are turned back; 0: they are taken as they are */
double tl_axis_get_turned_back (const TlRecipe *recipe, size_t n_cols);

G_END_DECLS
