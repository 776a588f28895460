/* From what a backend has summed up to what a user is told. */
#pragma once

#include "gpu/backend/backend.h"

G_BEGIN_DECLS

/** tl_frames_are_alike: Returns: same shape, same backend. */
gboolean tl_frames_are_alike (const TlFrame *a, const TlFrame *b);

/**
 * tl_comparison_init:
 * @figures: (out caller-allocates)
 * @shape: one of the two frames
 */
void tl_comparison_init (TlComparison *figures, const TlDifferences *sums,
                         const TlFrame *shape);

G_END_DECLS
