/* Draws two layers into one picture: A is the held slice, B the current one. */
#pragma once

#include "render/slice-layer.h"

/* All functions draw into the current framebuffer; @look describes its whole
 * viewport. */

/** tl_compare_draw_swipe: Draws A left of the viewport column @column, and B
 * from this column on. */
void tl_compare_draw_swipe (const TlSliceLayer *a, const TlSliceLayer *b,
                            TlSlicePass *pass, const TlCamera *camera,
                            const TlSliceLook *look, int column);

/**
 * tl_compare_draw_side_by_side:
 * @camera: camera of each half, as wide as one half of the widget. A is on
 *   the left, B on the right
 *
 * If the viewport has an odd number of columns, the extra one belongs to B.
 */
void tl_compare_draw_side_by_side (const TlSliceLayer *a, const TlSliceLayer *b,
                                   TlSlicePass *pass, const TlCamera *camera,
                                   const TlSliceLook *look);

/** tl_compare_draw_difference: Draws B - A, in B's pixels. */
void tl_compare_draw_difference (const TlSliceLayer *a, const TlSliceLayer *b,
                                 TlSlicePass *pass, const TlCamera *camera,
                                 const TlSliceLook *look);

/**
 * tl_compare_draw_overlay:
 * @a: as large as the picture of @camera
 * @b: has as many pixels as @a
 * @onto: how the two are combined, and where @b lies; its texture is ignored
 *
 * Draws in A's pixels. Draws A alone if there is no B.
 */
void tl_compare_draw_overlay (const TlSliceLayer *a, const TlSliceLayer *b,
                              const TlSliceSecond *onto, TlSlicePass *pass,
                              const TlCamera *camera, const TlSliceLook *look);
