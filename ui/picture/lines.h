/* Lines over a picture that can be dragged: the row of the slice across a
 * projection, the rotation axis down a projection or a sinogram. */
#pragma once

#include "app/session/session.h"
#include "render/camera.h"

#include <gtk/gtk.h>

/* A drag of the axis, here or in the settings panel, moves it in steps of
 * 1 / TL_DRAG_PARTS of a column. */
#define TL_DRAG_PARTS 100

typedef enum
{
  TL_LINE_NONE,
  TL_LINE_SLICE,
  TL_LINE_AXIS
} TlLine;

/* State of the pointer at a line; plain value. Zero-initialised: at no line. */
typedef struct
{
  TlLine line;      /* under the pointer, or dragged */
  gboolean is_held; /* the line is dragged */
  double place;     /* row or column of the line when the drag began */
  double step;      /* rows or columns for one widget unit */
} TlLineGrab;

/** tl_line_find: Returns: the line in reach of a pointer at @x, @y. */
TlLine tl_line_find (TlSession *session, const TlCamera *camera, double x,
                     double y);

/** tl_line_get_cursor: Returns: (nullable): the name of a GdkCursor. */
const char *tl_line_get_cursor (TlLine line);

/** tl_line_grab_reach: Follows the pointer to @x, @y. Returns: whether the line
 * in reach has changed. It never changes during a drag. */
gboolean tl_line_grab_reach (TlLineGrab *grab, TlSession *session,
                             const TlCamera *camera, gboolean has_pointer,
                             double x, double y);

/**
 * tl_line_grab_begin:
 * @state: Shift: the line moves a tenth as far as the pointer; Ctrl: the axis
 *   is dragged from anywhere, by a tenth of a column for each widget unit
 *
 * Begins a drag at @x, @y, of the line in reach, if any.
 */
void tl_line_grab_begin (TlLineGrab *grab, TlSession *session,
                         const TlCamera *camera, double x, double y,
                         GdkModifierType state);

/**
 * tl_line_grab_move:
 * @widget: activates "app.slice" or "app.centre"
 * @x: offset from where the drag began, as @y
 *
 * Keeps the line on the detector, rounds the slice to a whole row and the axis
 * to two decimals.
 */
void tl_line_grab_move (const TlLineGrab *grab, GtkWidget *widget,
                        TlSession *session, double x, double y);

/** tl_lines_snapshot: Draws the lines of the picture shown, with their labels,
 * in coordinates of @widget. @held is drawn thicker. If the picture is only a
 * few pixels high, only the ends of the slice's line are drawn. Labels stay
 * left of @room. */
void tl_lines_snapshot (GtkWidget *widget, GtkSnapshot *snapshot,
                        TlSession *session, const TlCamera *camera, TlLine held,
                        double room);
