/* Popover with the history of the parameters; a click goes to a step. Main
 * thread. */
#pragma once

#include <gtk/gtk.h>

#define TL_TYPE_HISTORY_POPOVER (tl_history_popover_get_type ())
G_DECLARE_FINAL_TYPE (TlHistoryPopover, tl_history_popover, TL, HISTORY_POPOVER,
                      GtkPopover)

/**
 * tl_history_popover_bind:
 * @actions: has "history-go" of ui/actions/actions.h: its state is the
 *   present step, its state hint the list, and a click activates it
 */
void tl_history_popover_bind (TlHistoryPopover *self, GActionGroup *actions);
