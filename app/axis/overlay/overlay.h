/* A projection and its opposite one, mirrored about the axis and laid over it:
 * where they differ, the axis is not where it is assumed to be.
 *
 * The two are A and B, of the picture TL_PICTURE_OVERLAY; which ones, says
 * tl_session_set_projection() while it is shown. They are corrected by flat
 * field and -log as the session's parameters say. B is mirrored about the
 * centre and tilt of these, and moved by "rows"; whoever draws does that at
 * once, and the exact picture of both follows when nothing has changed for a
 * moment, and after it, once for each pair, their registration.
 *
 * Main thread only; as long as the session. */
#pragma once

#include "app/axis/overlay/mode.h"
#include "app/axis/overlay/registration.h"
#include "app/recon/opposite.h"
#include "app/session/session.h"

G_BEGIN_DECLS

#define TL_TYPE_OVERLAY (tl_overlay_get_type ())
G_DECLARE_FINAL_TYPE (TlOverlay, tl_overlay, TL, OVERLAY, GObject)

/* Properties, all with explicit notify:
 *   "mode"     uint: TlOverlayMode
 *   "rows"     double: that B stands lower than A, and is moved up by; back to
 *              0 with another scan
 *   "changes"  uint, read-only: counts every change of any of it, also of the
 *              mirror that the parameters say and of what is known; the
 *              session's "comparison" changes with it while it is shown
 */

/** tl_session_get_overlay: Returns: (transfer none): always the same one */
TlOverlay *tl_session_get_overlay (TlSession *session);

void tl_overlay_set_mode (TlOverlay *overlay, TlOverlayMode mode);
TlOverlayMode tl_overlay_get_mode (TlOverlay *overlay);
/** tl_overlay_set_rows: As far as the detector is high, at most. */
void tl_overlay_set_rows (TlOverlay *overlay, double rows);
double tl_overlay_get_rows (TlOverlay *overlay);

/** tl_overlay_is_shown: Returns: the picture is that, and A is there. */
gboolean tl_overlay_is_shown (TlOverlay *overlay);
/** tl_overlay_get_pair: Returns: (transfer none) (nullable): of those that are
 * there; %NULL where A has no opposite one */
const TlOpposite *tl_overlay_get_pair (TlOverlay *overlay);
/** tl_overlay_get_opposite: Returns: (transfer none) (nullable): B as it is,
 * not mirrored; host memory */
TlFrame *tl_overlay_get_opposite (TlOverlay *overlay);
/** tl_overlay_get_mirror: By which B is to be mirrored. */
void tl_overlay_get_mirror (TlOverlay *overlay, TlMirror *mirror);
/** tl_overlay_read: Both at a pixel of A; FALSE where one of them has none. */
gboolean tl_overlay_read (TlOverlay *overlay, size_t row, size_t col, float *a,
                          float *b);

/** tl_overlay_get_registration: Returns: (transfer none) (nullable): of the
 * pair; %NULL until it is known */
const TlRegistration *tl_overlay_get_registration (TlOverlay *overlay);
/** tl_overlay_take: The registration's centre and tilt, as far as it knows
 * them, are the session's, in one step, and its rows are "rows". */
void tl_overlay_take (TlOverlay *overlay);

/** tl_overlay_describe_pair: Returns: (transfer full): which two, at which
 * angles, or why there are not two; "" before */
char *tl_overlay_describe_pair (TlOverlay *overlay);
/** tl_overlay_describe_registration: Returns: (transfer full): one line */
char *tl_overlay_describe_registration (TlOverlay *overlay);
/** tl_overlay_describe_found_move: Returns: (transfer full): how to move the
 * stage, by the registration; "" without one */
char *tl_overlay_describe_found_move (TlOverlay *overlay);
/** tl_overlay_describe_move: Returns: (transfer full): the same by the
 * session's centre and tilt, each with its uncertainty where it is the
 * registration's, where both were accepted from app/axis/map.h, or where the
 * centre is what app/axis/centre-search.h says; "" without a scan, and where
 * the centre is the middle, as it is until somebody says where it is */
char *tl_overlay_describe_move (TlOverlay *overlay);

/** tl_overlay_describe_values: Returns: (transfer full): what the exact picture
 * is, English: for files */
char *tl_overlay_describe_values (TlOverlay *overlay);

G_END_DECLS
