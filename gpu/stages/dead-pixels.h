/* Detector pixels that cannot be corrected, and what takes their place. */
#pragma once

#include "gpu/stages/block.h"

G_BEGIN_DECLS

/* Arrays are [n_rows][n_cols]; the stage "correct" says what they are for. */
typedef struct
{
  size_t n_dead; /* in the slices' own rows */
  guint32 *left_col, *right_col;
  float *mix;
} TlDeadPixels;

/**
 * tl_dead_pixels_new:
 *
 * A pixel is dead where a field is not a number or a flat is not above its
 * dark; its value is a line between the nearest live pixels of its row, or the
 * nearest one at an end.
 *
 * Returns: (transfer full): %NULL with TL_ERROR_VALUE (a row without a live
 *   pixel) or TL_ERROR_MEMORY
 */
TlDeadPixels *tl_dead_pixels_new (const TlBlock *block, GError **error);
void tl_dead_pixels_free (TlDeadPixels *dead);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlDeadPixels, tl_dead_pixels_free)

G_END_DECLS
