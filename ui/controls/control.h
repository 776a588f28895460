/* Ties a control to an action with state: the control shows the state, and
 * moving it activates the action. */
#pragma once

#include "ui/view/view.h"

#include <gtk/gtk.h>

/**
 * tl_control_bind_number:
 * @adjustment: of a spin button, a slider or both
 * @group: must have @action, of type double or uint; its state hint, a pair,
 *   gives the range
 *
 * Lasts as long as both.
 */
void tl_control_bind_number (GtkAdjustment *adjustment, GActionGroup *group,
                             const char *action);

/**
 * tl_control_adopt:
 *
 * For every spin button and slider in @root, bound before it is used: the wheel
 * moves one by a step while it has the focus, and else scrolls what is around
 * it; a comma is a point; text that is refused stays, marked, with the reason,
 * which is also @view's problem; undoing is left to the actions, but for a
 * number that is still being typed: Ctrl+Z or Escape puts the value back.
 */
void tl_control_adopt (GtkWidget *root, TlView *view);

/** tl_control_is_edited: Returns: @control is a bound spin button, and has
 * another text than its value. */
gboolean tl_control_is_edited (GtkWidget *control);

/**
 * tl_control_read_decimals:
 *
 * Returns: (transfer full): typed @text without blanks around it and with
 *   points for commas, which are decimal ones in half of the world
 */
char *tl_control_read_decimals (const char *text);

/**
 * tl_control_bind_choice:
 * @group: must have @action, of type string; its state hint, pairs of strings,
 *   lists the words there are and why one cannot be chosen now, "" where it can
 *
 * What cannot be chosen is in the list, grey, with the reason.
 */
void tl_control_bind_choice (GtkDropDown *drop_down, GActionGroup *group,
                             const char *action);

/** tl_control_name_rows: Once, for one that is not bound: its list of strings
 * has rows as that of the bound ones, with names for a screen reader. */
void tl_control_name_rows (GtkDropDown *drop_down);
/** tl_control_name_choice: For one that is not bound: a screen reader is told
 * the @word chosen. */
void tl_control_name_choice (GtkDropDown *drop_down, const char *word);
