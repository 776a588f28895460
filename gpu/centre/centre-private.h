/* Functions shared by all estimators. */
#pragma once

#include "gpu/centre/centre.h"

/** tl_centre_order_angles: Returns: (transfer full): [n_projections]: the
 * numbers of the projections, sorted by angle; of equal angles the earlier
 * projection comes first */
size_t *tl_centre_order_angles (const TlCentreData *data);

/** tl_centre_cannot_tell: Makes @estimate not found for the reason @format, one
 * sentence in the user's language. Its method and its curve are kept. Returns:
 * %TRUE, because finding nothing is no error of an estimator */
gboolean tl_centre_cannot_tell (TlCentreEstimate *estimate, const char *format,
                                ...) G_GNUC_PRINTF (2, 3);
