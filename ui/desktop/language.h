/* Sets the language of the window. */
#pragma once

#include <glib.h>

/**
 * tl_language_init:
 *
 * Makes all texts appear in the user's language. Must be the first call of
 * main(), before GTK is initialised and before other threads start. Numbers
 * keep the decimal point, in the window as in recipes, commands and tables, so
 * that they can be copied between them.
 *
 * This is the only place that binds the catalogue. Files of any folder mark
 * their sentences with _() and N_() of <glib/gi18n.h>, and are listed in
 * ui/po/POTFILES. GLib looks them up in the program's own domain; tomolens-cli
 * has no domain and stays English. <glib/gi18n-lib.h> is for libraries, which
 * have a domain of their own.
 */
void tl_language_init (void);
