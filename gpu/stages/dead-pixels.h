/* Dead detector pixels, and the live pixels that replace them. */
#pragma once

#include "gpu/stages/block.h"

/* Arrays are [n_rows][n_cols] of the block. TlCorrectArgs in
 * gpu/backend/backend.h has the formula. */
typedef struct
{
  size_t n_dead; /* in the slices' own rows */
  guint32 *left_col, *right_col;
  float *mix;
} TlDeadPixels;

/** tl_dead_pixels_new: A pixel is dead if its flat or dark field is not a
 * number, or if a flat is not above the dark. Its value is interpolated between
 * the nearest live pixels of its row; at an end of the row it is that of the
 * nearest live pixel. Returns: (transfer full): %NULL with TL_ERROR_VALUE (a
 * row without a live pixel) or TL_ERROR_MEMORY */
TlDeadPixels *tl_dead_pixels_new (const TlBlock *block, GError **error);
void tl_dead_pixels_free (TlDeadPixels *dead);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlDeadPixels, tl_dead_pixels_free)
