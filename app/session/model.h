/* What the session offers to the models beside it, those of app/axis: what is
 * open and wanted, the measured views, a background task of each kind, and a
 * place where they live. The window does not need it.
 *
 * The session knows no model. A model is made on first use, kept as data of the
 * session's GObject, and follows the session by its properties: "path" is
 * notified when another scan has opened. Main thread only.
 */
#pragma once

#include "app/recipe/recipe.h"
#include "app/session/composite.h"
#include "app/session/session.h"
#include "app/session/shown-view.h"
#include "app/session/tasks.h"

G_BEGIN_DECLS

/* --- what is open and wanted --- */

/** tl_session_get_scan_serial: Returns: a number that every opened scan has for
 * itself; 0 before the first */
guint64 tl_session_get_scan_serial (TlSession *session);

/** tl_session_get_wanted_serial: Returns: the number of the newest request for
 * a scan or a picture */
guint64 tl_session_get_wanted_serial (TlSession *session);

/** tl_session_get_slice_serial: Returns: the number of the request that the
 * newest slice answers; 0 before the first */
guint64 tl_session_get_slice_serial (TlSession *session);

/** tl_session_is_opening: Returns: a scan is being opened, in place of the one
 * that may be open. */
gboolean tl_session_is_opening (TlSession *session);

/** tl_session_is_centre_assumed: Returns: a scan is open, and nobody has said
 * or changed where its axis is. */
gboolean tl_session_is_centre_assumed (TlSession *session);

/**
 * tl_session_set_axis:
 * @tilt_deg: NaN: the tilt stays as it is
 *
 * Sets centre and tilt in one step of the history. Values that are refused are
 * told by the message.
 *
 * Returns: %FALSE where they were refused, or where a scan is opened for them
 */
gboolean tl_session_set_axis (TlSession *session, double centre_col,
                              double tilt_deg);

/** tl_session_set_as_step: As tl_session_set_value(), as a step of the history
 * of its own that is called @words. */
gboolean tl_session_set_as_step (TlSession *session, const char *key,
                                 GVariant *value, const char *words,
                                 GError **error);

/** tl_visible_find_grid: Returns: the pixels of the screen that lie on a slice
 * of the grid @whole; its nx is 0 where there are none. */
TlGrid tl_visible_find_grid (const TlVisible *visible, const TlGrid *whole);

/* --- measured views --- */

/** tl_session_get_shown_view: Returns: (transfer none): the newest one of
 * @picture, which is no slice, whatever is shown; until the next "frame" */
const TlShownView *tl_session_get_shown_view (TlSession *session,
                                              TlPicture picture);

/** tl_session_set_composite: @composite: (transfer none): outlived by the
 * session, or it takes itself away by finalizing */
void tl_session_set_composite (TlSession *session, TlComposite *composite);

/** tl_session_note_composite: The composite has changed: "comparison" is
 * notified while it is shown. */
void tl_session_note_composite (TlSession *session);

/* --- background tasks --- */

/**
 * tl_session_send_task:
 * @recipe: copied
 * @task: its state: (transfer full)
 * @func: gets the replies until the task is dropped or replaced, or another
 *   scan is opened
 *
 * Does @task step by step while no picture is asked for, in place of the one of
 * the same kind that there may be. Only while a scan is open.
 */
void tl_session_send_task (TlSession *session, const TlRecipe *recipe,
                           const TlTask *task, TlTaskFunc func,
                           gpointer user_data);

/** tl_session_drop_task: No step of the task of @kind begins any more, and no
 * reply of it comes. */
void tl_session_drop_task (TlSession *session, TlTaskKind kind);

G_END_DECLS
