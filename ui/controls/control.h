/* Binds a control to an action with state: the control shows the state, and
 * moving the control activates the action. Main thread. */
#pragma once

#include "ui/view/view.h"

#include <gtk/gtk.h>

/**
 * tl_control_bind_number:
 * @adjustment: of a spin button, a slider or both
 * @group: must have @action, of type double or uint; its state hint, a pair,
 *   gives the range
 *
 * The binding lasts as long as both.
 */
void tl_control_bind_number (GtkAdjustment *adjustment, GActionGroup *group,
                             const char *action);

/**
 * tl_control_adopt:
 * @root: its spin buttons and sliders must be bound before they are used
 *
 * Changes how each spin button and slider in @root handles input. The wheel
 * moves it by a step while it has the focus, and scrolls the panel otherwise. A
 * comma is read as a decimal point. Text that is refused is marked, with the
 * reason as its tooltip and as the problem of @view, and gives way to the value
 * when the focus leaves it. Ctrl+Z and Escape
 * put the value back while a number is being typed; otherwise the actions undo.
 */
void tl_control_adopt (GtkWidget *root, TlView *view);

/** tl_control_set_factor: Shows and reads the value of an adopted spin button
 * times @factor, which is above 0: in another unit than its action. */
void tl_control_set_factor (GtkSpinButton *spin, double factor);

/** tl_control_is_edited: Returns: whether @control is a bound spin button
 * whose text differs from its value. */
gboolean tl_control_is_edited (GtkWidget *control);

/**
 * tl_control_read_decimals:
 *
 * Returns: (transfer full): typed @text without blanks around it, with decimal
 *   points in place of commas
 */
char *tl_control_read_decimals (const char *text);

/**
 * tl_control_bind_choice:
 * @group: must have @action, of type string; its state hint lists pairs of a
 *   word and why it cannot be chosen now, "" if it can
 *
 * The list shows the words of tl_value_get_words(), and one that cannot be
 * chosen in grey, with the reason.
 */
void tl_control_bind_choice (GtkDropDown *drop_down, GActionGroup *group,
                             const char *action);

/** tl_control_name_rows: Once, for a list of strings that is not bound: gives
 * its rows the look of bound lists, and names for a screen reader. */
void tl_control_name_rows (GtkDropDown *drop_down);
/** tl_control_show_words: Once, for a list of strings that is not bound: its
 * button shows the words of the chosen one. */
void tl_control_show_words (GtkDropDown *drop_down);
/** tl_control_name_choice: For a list that is not bound: tells a screen reader
 * the chosen @word. */
void tl_control_name_choice (GtkDropDown *drop_down, const char *word);
