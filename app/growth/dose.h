/* Whether the slice of a scan that is being taken looks finished. */
#pragma once

#include "data/follow/follower.h"

/**
 * tl_growth_is_finished:
 * @unit_change: of a slice, as of tl_growing_slice_measure_change()
 * @n: its projections
 * @n_expected: of the scan; 0: unknown: as many as there are would follow
 * @covered: [TL_FOLLOW_DEGREES]: where a projection has come
 *
 * Returns: whether the projections come from all directions, with no gap that
 *   is much wider than the others, and the rest of them will hardly change the
 *   slice
 */
gboolean tl_growth_is_finished (double unit_change, size_t n, size_t n_expected,
                                const guint8 *covered);
