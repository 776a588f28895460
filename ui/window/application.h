/* The application: one session, one window, the actions. */
#pragma once

#include "ui/window/window.h"

#define TL_APPLICATION_ID "org.tomolens.Tomolens"

/* Key in the dictionary of a command line's options. Its value is an array of
 * byte strings, key, value, key, value …: parameters of the scan that the
 * command line names. */
#define TL_APPLICATION_PARAMETERS "parameters"

/* The option with the folder for scans that are recorded: bytestring, absolute.
 */
#define TL_APPLICATION_RECORD "record"

#define TL_TYPE_APPLICATION (tl_application_get_type ())
G_DECLARE_FINAL_TYPE (TlApplication, tl_application, TL, APPLICATION,
                      GtkApplication)

/** tl_application_new: Returns: (transfer full): opens files; @flags are added
 * to its own. */
TlApplication *tl_application_new (GApplicationFlags flags);

/** tl_application_remember: Call once after the signal "startup": from then on
 * the user's settings hold, and are kept. Without it none are read or written.
 */
void tl_application_remember (TlApplication *application);

/** tl_application_end: Ends the program as if its window were closed, but asks
 * nothing: an export is stopped, and can be resumed. */
void tl_application_end (TlApplication *application);

/* Returns: (transfer none): exists from the signal "startup" on */
TlSession *tl_application_get_session (TlApplication *application);
TlView *tl_application_get_view (TlApplication *application);

/** tl_application_get_window: Returns: (transfer none) (nullable) */
TlWindow *tl_application_get_window (TlApplication *application);
