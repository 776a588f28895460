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
#include "app/session/tasks.h"

G_BEGIN_DECLS

/* --- what is open and wanted --- */

/** tl_session_get_scan_serial: Returns: a number unique to each opening of a
 * scan; 0 before the first */
guint64 tl_session_get_scan_serial (TlSession *session);

/** tl_session_get_wanted_serial: Returns: the number of the newest request for
 * a scan or a picture */
guint64 tl_session_get_wanted_serial (TlSession *session);

/** tl_session_get_slice_serial: Returns: the number of the request that made
 * the shown slice; 0 before the first */
guint64 tl_session_get_slice_serial (TlSession *session);

/** tl_session_is_opening: Returns: whether a scan is being opened; the
 * previous one, if any, stays open until then */
gboolean tl_session_is_opening (TlSession *session);

/** tl_session_is_centre_assumed: Returns: whether a scan is open whose centre
 * was neither given in its recipe nor changed by the user */
gboolean tl_session_is_centre_assumed (TlSession *session);

/**
 * tl_session_set_axis:
 * @centre_col: a column
 * @tilt_deg: degrees; NaN keeps the present tilt
 *
 * Sets centre and tilt in one step of the history. Refused values are reported
 * as "message".
 *
 * Returns: %FALSE if the values were refused, or if a scan is opened for them
 */
gboolean tl_session_set_axis (TlSession *session, double centre_col,
                              double tilt_deg);

/** tl_session_set_as_step: As tl_session_set_value(), but makes its own step
 * of the history, described by @words. */
gboolean tl_session_set_as_step (TlSession *session, const char *key,
                                 GVariant *value, const char *words,
                                 GError **error);

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

/* --- background tasks --- */

/**
 * tl_session_send_task:
 * @recipe: copied
 * @task: a plain value; its state is (transfer full)
 * @func: called with the replies until the task is dropped or replaced, or
 *   another scan is opened
 *
 * Runs @task step by step while no picture is requested, and replaces a task of
 * the same kind. A scan must be open.
 */
void tl_session_send_task (TlSession *session, const TlRecipe *recipe,
                           const TlTask *task, TlTaskFunc func,
                           gpointer user_data);

/** tl_session_drop_task: Starts no further step of the task of @kind and
 * delivers no further reply of it. */
void tl_session_drop_task (TlSession *session, TlTaskKind kind);

G_END_DECLS
