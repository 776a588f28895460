/* The part of the session that the models of app/axis use: open scan, requested
 * parameters, measured views, one background task of each kind, and the model's
 * lifetime. The window does not need it.
 *
 * The session does not know its models. A model is made on first use, kept as
 * data of the session's GObject, and follows the session's properties: "path"
 * is notified when another scan has opened. Main thread only. */
#pragma once

#include "app/recipe/recipe.h"
#include "app/session/composite.h"
#include "app/session/session.h"
#include "app/session/shown-view.h"

G_BEGIN_DECLS

/* --- what is open and wanted --- */

/** tl_session_get_slice_serial: Returns: the number of the request that made
 * the shown slice; 0 before the first */
guint64 tl_session_get_slice_serial (TlSession *session);

/** tl_visible_find_grid: Returns: the part of the screen that lies on a slice
 * of the grid @whole, at the resolution of the screen; nx is 0 if there is
 * none */
TlGrid tl_visible_find_grid (const TlVisible *visible, const TlGrid *whole);

/* --- measured views --- */

/** tl_session_get_shown_view: Returns: (transfer none): the newest view of
 * @picture, not TL_PICTURE_SLICE, even while another picture is shown; valid
 * until the next notification of "frame" */
const TlShownView *tl_session_get_shown_view (TlSession *session,
                                              TlPicture picture);

/** tl_session_set_composite: @composite: (transfer none): the session keeps a
 * weak pointer to it */
void tl_session_set_composite (TlSession *session, TlComposite *composite);

/** tl_session_note_composite: Tells the session that the composite has
 * changed; it notifies "comparison". */
void tl_session_note_composite (TlSession *session);

G_END_DECLS
