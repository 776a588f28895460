/* An entry for a parameter of free text. Main thread. */
#pragma once

#include "ui/view/view.h"

#include <gtk/gtk.h>

/**
 * tl_free_text_bind:
 * @action: of @actions, with a string as its state
 *
 * The text is sent by Enter and when the focus leaves, with points in place of
 * commas. Text that is refused stays and is marked, with the reason as its
 * tooltip. Escape puts the value back.
 */
void tl_free_text_bind (GtkEntry *entry, TlView *view, GActionGroup *actions,
                        const char *action);

/** tl_free_text_is_edited: Returns: whether @widget is a bound entry whose text
 * differs from its value. */
gboolean tl_free_text_is_edited (GtkWidget *widget);
