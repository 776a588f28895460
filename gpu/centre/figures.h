/* Which figures of sharpness tell where the axis is, and what they say
 * together: what the sharpness sweep and the candidates are judged by. */
#pragma once

#include "gpu/engine.h"

G_BEGIN_DECLS

/** tl_centre_sees_twice: @angles_rad: [@n], any order. Returns: whether every
 * ray is there from both sides, or most are. */
gboolean tl_centre_sees_twice (const double *angles_rad, size_t n);

/* How the rays of a slice were measured. */
typedef enum
{
  TL_CENTRE_RAYS_ONCE,  /* over half a turn, or somewhat more */
  TL_CENTRE_RAYS_TWICE, /* tl_centre_sees_twice() */
  TL_CENTRE_RAYS_MERGED /* half acquisition: twice beside the axis alone */
} TlCentreRays;

/**
 * tl_centre_figure_tells:
 *
 * Over a full turn squared gradient and deviation see every ray twice, and so
 * they are as good as the pairs of opposite projections are. Over half a turn
 * they hardly depend on the centre: it turns phases alone, and Parseval's
 * theorem leaves their sums of squares as they are. There entropy and
 * negativity tell, which tails of a full turn's ghosts mislead. Of a half
 * acquisition the sum of what is between the edges grows with the centre, and
 * deviation and negativity with it.
 */
gboolean tl_centre_figure_tells (TlSharpnessFigure figure, TlCentreRays rays);

/**
 * tl_centre_find_range:
 * @low, @high: (inout): where tl_engine_measure_sharpness()'s histogram begins
 * and ends; left as they are where @low is below @high already, so that all
 * slices of a sweep are judged by the values of the first
 *
 * From the least value of @frame's first slice to its largest, a float above
 * where all are the same. Owner thread only; waits for the result.
 *
 * Returns: %FALSE with an error of tl_engine_measure()
 */
gboolean tl_centre_find_range (TlEngine *engine, TlFrame *frame, float *low,
                               float *high, GError **error);

/**
 * tl_centre_combine:
 * @figures: [@n][TL_N_SHARPNESSES], of all quarters
 * @values: (out caller-allocates): [@n]: the telling figures together, each by
 *   its largest and its smallest value; 0 … 1
 */
void tl_centre_combine (const double *figures, size_t n, TlCentreRays rays,
                        double *values);

G_END_DECLS
