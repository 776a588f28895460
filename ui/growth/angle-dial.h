/* The directions from which projections have come, as a dial: a ring that fills
 * while the stage turns, anticlockwise from the right. Main thread. */
#pragma once

#include <gtk/gtk.h>

#define TL_TYPE_ANGLE_DIAL (tl_angle_dial_get_type ())
G_DECLARE_FINAL_TYPE (TlAngleDial, tl_angle_dial, TL, ANGLE_DIAL, GtkWidget)

#define TL_DIAL_DEGREES 360

/** tl_angle_dial_set_covered: @covered: [TL_DIAL_DEGREES], not 0 where a
 * projection has come; copied */
void tl_angle_dial_set_covered (TlAngleDial *self, const guint8 *covered);
