/* How A and B, of app/session/session.h or of app/axis/overlay/overlay.h, are
 * seen: where the line between them is, and which one is seen in turn. */
#pragma once

#include "ui/view/view.h"

G_BEGIN_DECLS

#define TL_TYPE_COMPARE (tl_compare_get_type ())
G_DECLARE_FINAL_TYPE (TlCompare, tl_compare, TL, COMPARE, GObject)

/* Properties, all writable, with explicit notify:
 *   "swipe"     double: part of the width that is A's, 0 … 1
 *   "blink-ms"  uint: how long each is seen; 0: until "blink-a" is set
 *   "blink-a"   boolean: A is the one that is seen; setting it starts its time,
 *               and to blink if need be
 */
TlCompare *tl_compare_new (TlView *view);

TlView *tl_compare_get_view (TlCompare *compare);
/** tl_compare_get_mode: Returns: as tl_session_get_comparison() */
TlCompareMode tl_compare_get_mode (TlCompare *compare);
/** tl_compare_get_left: Returns: side by side, in a view of @width, where the
 * half begins that has B, and what is measured; 0 in other modes */
int tl_compare_get_left (TlCompare *compare, int width);
double tl_compare_get_swipe (TlCompare *compare);
gboolean tl_compare_get_blink_a (TlCompare *compare);

G_END_DECLS
