/* What the estimators share, and figures that say how sharp a slice is. */
#pragma once

#include "gpu/centre.h"

G_BEGIN_DECLS

/**
 * tl_centre_order_angles:
 *
 * Returns: (transfer full): [n_projections]: numbers of the projections, the
 *   smallest angle first, and the earlier of those at the same one
 */
size_t *tl_centre_order_angles (const TlCentreData *data);

#define TL_CENTRE_N_FIGURES 4
#define TL_CENTRE_N_QUARTERS 4

/**
 * tl_centre_judge:
 * @pixels: [@n][@n]
 * @radius: of the disc about the middle that is looked at, pixels
 * @low: where the histogram begins, and @high, where it ends
 * @figures: (out caller-allocates):
 * [TL_CENTRE_N_FIGURES][TL_CENTRE_N_QUARTERS]: less the entropy of the
 * histogram, the sum of what is below 0, the sum of squared gradients, and of
 * squared deviations from the mean, of each quarter of the disc; all are larger
 * the better
 */
void tl_centre_judge (const float *pixels, size_t n, double radius, float low,
                      float high, double *figures);

G_END_DECLS
