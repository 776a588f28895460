/* Widget that shows a picture drawn by OpenGL: smaller while it moves if
 * drawing takes long, as over a slow link to the screen, and in its whole size
 * when it is at rest. Main thread.
 *
 * Properties:
 *   "remote"  boolean: whether the screen is that of another machine and only
 *             what has changed is sent; set when it is realized. If not, the
 *             size never changes
 *   "small"   boolean, read-only: whether it is smaller now */
#pragma once

#include <gtk/gtk.h>

#define TL_TYPE_SHRINKING_BIN (tl_shrinking_bin_get_type ())
G_DECLARE_FINAL_TYPE (TlShrinkingBin, tl_shrinking_bin, TL, SHRINKING_BIN,
                      GtkWidget)

/** tl_shrinking_bin_new: @area: (transfer floating): the only child. Returns:
 * (transfer floating) */
GtkWidget *tl_shrinking_bin_new (GtkGLArea *area);

/** tl_shrinking_bin_scale: Gives what follows in a snapshot of @area the units
 * of its bin: it becomes smaller with the picture. */
void tl_shrinking_bin_scale (GtkWidget *area, GtkSnapshot *snapshot);
