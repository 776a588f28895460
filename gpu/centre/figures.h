/* Which figures of sharpness depend on the position of the axis, and their
 * combination, by which the sharpness sweep and the candidates are ranked. */
#pragma once

#include "gpu/engine.h"

/** tl_centre_sees_twice: @angles_rad: [@n], any order. Returns: whether all or
 * most rays were measured from both sides. */
gboolean tl_centre_sees_twice (const double *angles_rad, size_t n);

/* How the rays of a slice were measured. */
typedef enum
{
  TL_CENTRE_RAYS_ONCE,  /* over half a turn, or somewhat more */
  TL_CENTRE_RAYS_TWICE, /* tl_centre_sees_twice() */
  TL_CENTRE_RAYS_MERGED /* half acquisition: twice only near the axis */
} TlCentreRays;

/** tl_centre_figure_tells: Over a full turn, squared gradient and deviation see
 * every ray twice and are as good as pairs of opposite projections; entropy and
 * negativity are misled by the tails of ghosts. Over half a turn it is the
 * reverse: the centre only turns phases, so that by Parseval's theorem sums of
 * squares hardly change. In a half acquisition the total between the edges
 * grows with the centre, and deviation and negativity grow with it.
 *
 * Returns: whether @figure is used for @rays */
gboolean tl_centre_figure_tells (TlSharpnessFigure figure, TlCentreRays rays);

/**
 * tl_centre_find_range:
 * @low, @high: (inout): the ends of the histogram of
 * tl_engine_measure_sharpness(); unchanged if @low is below @high already, so
 * that all slices of a sweep use the histogram of the first one
 *
 * Sets them to the smallest and the largest value of the first slice of @frame,
 * or to the next float above if all values are equal. Owner thread only; waits
 * for the result.
 *
 * Returns: %FALSE with an error of tl_engine_measure()
 */
gboolean tl_centre_find_range (TlEngine *engine, TlFrame *frame, float *low,
                               float *high, GError **error);

/**
 * tl_centre_combine:
 * @figures: [@n][TL_N_SHARPNESSES], of all quarters
 * @values: (out caller-allocates): [@n]: the mean of the figures used for
 *   @rays, each scaled by its smallest and largest value to 0 … 1
 */
void tl_centre_combine (const double *figures, size_t n, TlCentreRays rays,
                        double *values);
