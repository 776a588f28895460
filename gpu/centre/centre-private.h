/* What the estimators share. */
#pragma once

#include "gpu/centre/centre.h"

G_BEGIN_DECLS

/**
 * tl_centre_order_angles:
 *
 * Returns: (transfer full): [n_projections]: numbers of the projections, the
 *   smallest angle first, and the earlier of those at the same one
 */
size_t *tl_centre_order_angles (const TlCentreData *data);

G_END_DECLS
