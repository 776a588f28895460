/* Lines over a picture that can be dragged: the row of the slice across a
 * projection, the rotation axis down a projection or a sinogram. */
#pragma once

#include "app/session/session.h"
#include "render/camera.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Of a column: the finest step of a drag of the axis, here and on the strip of
 * the settings. */
#define TL_DRAG_PARTS 100

typedef enum
{
  TL_LINE_NONE,
  TL_LINE_SLICE,
  TL_LINE_AXIS
} TlLine;

/* A hand on a line, or near one; plain value, zeroed: on none. */
typedef struct
{
  TlLine line;      /* the one that a drag from here takes, or has taken */
  gboolean is_held; /* it is dragged */
  double place;     /* row or column of the line when that began */
  double step;      /* rows or columns for one widget unit */
} TlLineGrab;

/** tl_line_find: Returns: the one in reach of a pointer at @x, @y. */
TlLine tl_line_find (TlSession *session, const TlCamera *camera, double x,
                     double y);

/** tl_line_get_cursor: Returns: (nullable): a name for GTK. */
const char *tl_line_get_cursor (TlLine line);

/** tl_line_grab_reach: The pointer is at @x, @y, or nowhere. Returns: whether
 * another line is in reach now; none changes during a drag. */
gboolean tl_line_grab_reach (TlLineGrab *grab, TlSession *session,
                             const TlCamera *camera, gboolean has_pointer,
                             double x, double y);

/**
 * tl_line_grab_begin:
 * @state: with Shift the line goes a tenth of the pointer's way; with Ctrl it
 *   is the axis, from anywhere, by a tenth of a column for each widget unit
 *
 * A drag begins at @x, @y, and holds a line if one is in reach.
 */
void tl_line_grab_begin (TlLineGrab *grab, TlSession *session,
                         const TlCamera *camera, double x, double y,
                         GdkModifierType state);

/**
 * tl_line_grab_move:
 * @widget: has the actions "app.slice" and "app.centre"
 * @x: from where the drag began
 *
 * The line stays on the detector; the slice is a whole row, the axis has two
 * decimals.
 */
void tl_line_grab_move (const TlLineGrab *grab, GtkWidget *widget,
                        TlSession *session, double x, double y);

/** tl_lines_snapshot: Those of the picture shown, with their labels; @held
 * stands out. In the coordinates of @widget and the camera. Over a few rows of
 * pixels only the ends of the slice's line are drawn. */
void tl_lines_snapshot (GtkWidget *widget, GtkSnapshot *snapshot,
                        TlSession *session, const TlCamera *camera,
                        TlLine held);

G_END_DECLS
