/* The manual: a list of its pages, a search, and a page. Main thread. */
#pragma once

#include "app/session/session.h"

#include <gtk/gtk.h>

#define TL_HELP_PAGES "/org/tomolens/Tomolens/help/" /* in the resources */
#define TL_HELP_START "README" /* lists all others, in their order */

#define TL_TYPE_HELP_WINDOW (tl_help_window_get_type ())
G_DECLARE_FINAL_TYPE (TlHelpWindow, tl_help_window, TL, HELP_WINDOW, GtkWindow)

/** tl_help_window_new: Returns: (transfer none): owned by GTK until it is
 * closed; it shows the start page, and Escape closes it */
TlHelpWindow *tl_help_window_new (void);

/**
 * tl_help_window_go:
 * @page: the name of a page, without its folder and ".md"
 *
 * Shows @page. Returns: whether there is such a page.
 */
gboolean tl_help_window_go (TlHelpWindow *self, const char *page);

/** tl_help_window_get_page: Returns: the name of the page that is shown. */
const char *tl_help_window_get_page (TlHelpWindow *self);

/**
 * tl_help_find_page:
 * @focus: (nullable): the widget that has the focus
 *
 * Returns: the page about @focus, or else about what @session shows
 */
const char *tl_help_find_page (GtkWidget *focus, TlSession *session);
/** tl_help_find_error_page: The same, but the page about files where a scan
 * could not be opened. */
const char *tl_help_find_error_page (GtkWidget *focus, TlSession *session);
