/* An entry for a parameter of free text. */
#pragma once

#include "ui/view/view.h"

#include <gtk/gtk.h>

/**
 * tl_free_text_bind:
 * @action: of @actions, with a string as its state
 *
 * Activates the action with the typed text on Enter or when the focus leaves
 * the entry. A comma counts as a decimal point.
 * Text that is refused stays, marked, with the reason as its tooltip; Escape
 * puts the value back.
 */
void tl_free_text_bind (GtkEntry *entry, TlView *view, GActionGroup *actions,
                        const char *action);

/** tl_free_text_is_edited: Returns: @widget is such an entry, and has another
 * text than its value. */
gboolean tl_free_text_is_edited (GtkWidget *widget);
