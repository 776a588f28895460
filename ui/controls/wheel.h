/* The wheel over a field or a slider. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/**
 * tl_wheel_replace:
 * @adjustment: of @control; bound before the wheel turns
 *
 * In place of GTK's: it moves @control by a step while that has the focus,
 * finer with Shift and with Ctrl, and else is left to what is around it.
 */
void tl_wheel_replace (GtkWidget *control, GtkAdjustment *adjustment);

G_END_DECLS
