/* What scripts ask of the window over the session bus, beside its actions: to
 * open a scan and wait for its picture, to set parameters and be told what is
 * refused, and the pixels of a picture in shared memory. Main thread. */
#pragma once

#include "app/session/session.h"

typedef struct TlScript TlScript;

/**
 * tl_script_new:
 * @path: of the object that gets the interface org.tomolens.Tomolens.Script;
 *   script.xml describes it
 *
 * Calls are answered after tl_script_set_session(). The object goes before the
 * program has its name on the bus, so that no call comes too early.
 *
 * Returns: (transfer full): %NULL with an error of
 *   g_dbus_connection_register_object()
 */
TlScript *tl_script_new (GDBusConnection *connection, const char *path,
                         GError **error);

/** tl_script_set_session: To be called before the main loop runs. @actions: of
 * the application; they must outlive @script */
void tl_script_set_session (TlScript *script, TlSession *session,
                            GActionGroup *actions);

/** tl_script_free: Calls that wait are answered by an error. */
void tl_script_free (TlScript *script);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlScript, tl_script_free)
