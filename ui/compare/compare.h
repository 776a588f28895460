/* How two pictures are compared on the screen: the place of the line between
 * them, and blinking. The pictures are A and B of
 * app/display/slice-comparison.h, or the opposite projections of
 * app/axis/overlay/overlay.h. Main thread. */
#pragma once

#include "render/slice-layer.h"
#include "ui/view/view.h"

#define TL_TYPE_COMPARE (tl_compare_get_type ())
G_DECLARE_FINAL_TYPE (TlCompare, tl_compare, TL, COMPARE, GObject)

/* Properties, all writable, with explicit notify:
 *   "swipe"     double: part of the width that is A's, 0 … 1
 *   "blink-ms"  uint: time for each picture; 0: until "blink-a" is set
 *   "blink-a"   boolean: A is shown; setting it restarts its time, and starts
 *               blinking if needed
 */
TlCompare *tl_compare_new (TlView *view);

TlView *tl_compare_get_view (TlCompare *compare);
/** tl_compare_get_mode: Returns: as tl_slice_comparison_get_shown_mode() */
TlCompareMode tl_compare_get_mode (TlCompare *compare);
/** tl_compare_get_left: Returns: x where the half with B begins in mode side
 * by side, in a view of @width; 0 in other modes */
int tl_compare_get_left (TlCompare *compare, int width);
/**
 * tl_compare_draw:
 * @held: A
 * @picture: B
 * @camera: of each half in mode side by side
 *
 * Draws A and B as the mode says, into the current framebuffer. The GL context
 * of both is current.
 *
 * Returns: %FALSE if they are not compared; then nothing was drawn
 */
gboolean tl_compare_draw (TlCompare *compare, const TlSliceLayer *held,
                          const TlSliceLayer *picture, TlSlicePass *pass,
                          const TlCamera *camera, const TlSliceLook *look);
double tl_compare_get_swipe (TlCompare *compare);
gboolean tl_compare_get_blink_a (TlCompare *compare);
