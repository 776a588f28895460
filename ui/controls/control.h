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
 * Sets up every spin button and slider in @root; bind them before they are
 * used. The wheel changes a control by a step while the control has the focus;
 * otherwise it scrolls the parent. A comma counts as a decimal point. Refused
 * text stays in the field and is marked; the reason is its tooltip and @view's
 * problem. The actions undo; only while a number is being typed, Ctrl+Z and
 * Escape restore the value.
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

/** tl_control_name_rows: For a drop-down that is not bound; call it once. Gives
 * its list the rows of bound drop-downs, with names for screen readers. */
void tl_control_name_rows (GtkDropDown *drop_down);
/** tl_control_name_choice: For a drop-down that is not bound: tells screen
 * readers the chosen @word. */
void tl_control_name_choice (GtkDropDown *drop_down, const char *word);
