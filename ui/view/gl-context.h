/* OpenGL for the widgets that draw by it. Main thread. */
#pragma once

#include "render/slice-pass.h"
#include "ui/view/view.h"

#include <gtk/gtk.h>

/** tl_gl_context_new: For "create-context" of @area. Returns: (transfer full)
 * (nullable): realized, of desktop OpenGL 3.3, or of OpenGL ES 3.0 if that
 * fails; %NULL: @area has the error */
GdkGLContext *tl_gl_context_new (GtkGLArea *area);

/** tl_gl_context_make_pass: For "realize" of @area, after that of its parent
 * class. Makes its context current. Returns: (transfer full) (nullable): the
 * pass that draws slices; %NULL on failure, which is then "problem" of @view */
TlSlicePass *tl_gl_context_make_pass (GtkGLArea *area, TlView *view);

/**
 * tl_gl_context_check:
 * @area: has just drawn; its context is current
 * @view: which @area keeps; "problem" says so while the picture cannot be drawn
 *
 * For the end of "render". If the context is lost or drawing has failed,
 * unrealizes @area and realizes it again soon, so that a new context gets
 * everything that is drawn; tries this some more times while it fails.
 *
 * Returns: whether the picture is drawn
 */
gboolean tl_gl_context_check (GtkGLArea *area, TlView *view);
