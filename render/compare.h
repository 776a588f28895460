/* Two layers in one picture: A, that was held, and B, the present one. */
#pragma once

#include "render/slice-layer.h"

G_BEGIN_DECLS

/* All into the current framebuffer; @look is of the whole of it. */

/** tl_compare_draw_swipe: A left of the column @column of the viewport, B from
 * there on. */
void tl_compare_draw_swipe (const TlSliceLayer *a, const TlSliceLayer *b,
                            TlSlicePass *pass, const TlCamera *camera,
                            const TlSliceLook *look, int column);

/**
 * tl_compare_draw_side_by_side:
 * @camera: of either half: that many columns of the viewport as its width is of
 *   the whole; A is on the left, B on the right
 *
 * A column in the middle that is left over is B's.
 */
void tl_compare_draw_side_by_side (const TlSliceLayer *a, const TlSliceLayer *b,
                                   TlSlicePass *pass, const TlCamera *camera,
                                   const TlSliceLook *look);

/** tl_compare_draw_difference: B less A, in B's pixels. */
void tl_compare_draw_difference (const TlSliceLayer *a, const TlSliceLayer *b,
                                 TlSlicePass *pass, const TlCamera *camera,
                                 const TlSliceLook *look);

/**
 * tl_compare_draw_overlay:
 * @a: as large as the picture of @camera
 * @b: of as many pixels
 * @onto: how they are combined, and where @b lies; its texture is not used
 *
 * In A's pixels; A alone where there is no B.
 */
void tl_compare_draw_overlay (const TlSliceLayer *a, const TlSliceLayer *b,
                              const TlSliceSecond *onto, TlSlicePass *pass,
                              const TlCamera *camera, const TlSliceLook *look);

G_END_DECLS
