/* The language of the window. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * tl_language_init:
 *
 * The first call of a program with a window, before GTK and other threads:
 * texts are in the user's language from here on. Numbers keep their point
 * everywhere, in the window as in recipes, commands and tables, so that each
 * can be copied into the other.
 *
 * This is the only place that binds the catalogue. Any folder marks its
 * sentences with _() and N_() of <glib/gi18n.h>, and lists the file in
 * ui/po/POTFILES: they are looked up in the program's own domain, so that
 * tomolens-cli, which has none, stays English. <glib/gi18n-lib.h> would look
 * in a domain of its own and is for libraries of others.
 */
void tl_language_init (void);

G_END_DECLS
