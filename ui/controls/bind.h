/* Binds the controls of a template to the actions that their ids name. Main
 * thread. */
#pragma once

#include "ui/view/view.h"

#include <gtk/gtk.h>

/**
 * tl_controls_bind:
 * @root: its widgets have ids such as "ring_size_spin": a name with "_" for
 *   "-", then the kind of widget
 *
 * Binds each spin, scale, drop and entry to the action of its name, once; of
 * controls that share an adjustment only one may have the name. Where the name
 * is a parameter's key, limits, steps, digits, tooltip and the name for a
 * screen reader come from the descriptor, and so do the text of a label, a unit
 * and a check.
 *
 * A grid is filled with a label, a spin button and the unit for each number
 * that has a label in its descriptor: "filter_details" with those that depend
 * on the parameter "filter", "rings_rows" with those that depend on "rings" and
 * those of the stage "rings" that depend on no parameter. A new parameter
 * appears there by itself. A row is visible while the chosen value uses its
 * parameter.
 */
void tl_controls_bind (GtkWidget *root, TlView *view, GActionGroup *actions);
