/* Draws into a pane where the other planes cross it, the handles of the oblique
 * one, and the name of its own. Main thread. */
#pragma once

#include "app/planes/aim.h"

#include <gtk/gtk.h>

/* Distance at which the pointer reaches a handle or a line, widget units. */
#define TL_PLANE_REACH 9.0

/* What can be dragged in a pane. */
typedef enum
{
  TL_PLANE_GRIP_CROSS, /* anywhere else: the cross follows the pointer */
  TL_PLANE_GRIP_TURN,  /* round handles of the oblique plane */
  TL_PLANE_GRIP_MOVE   /* square handles of the oblique plane */
} TlPlaneGrip;

/** tl_plane_marks_find: Returns: what is in reach of a pointer at @x, @y. */
TlPlaneGrip tl_plane_marks_find (const TlAim *aim, TlPane pane, double x,
                                 double y);

/** tl_plane_marks_place: Finds a handle of the oblique plane in @pane. @side: 0
 * or 1. Returns: %FALSE if the pane has none: it is the oblique one, or lies in
 * parallel to it */
gboolean tl_plane_marks_place (const TlAim *aim, TlPane pane, TlPlaneGrip grip,
                               guint side, double *x, double *y);

/** tl_plane_marks_describe: Returns: (transfer full): which plane the pane
 * shows, in words */
char *tl_plane_marks_describe (const TlAim *aim, TlPane pane);

/** tl_plane_marks_draw: Draws lines and handles. @held: those that are drawn
 * larger */
void tl_plane_marks_draw (GtkSnapshot *snapshot, const TlAim *aim, TlPane pane,
                          TlPlaneGrip held);

/** tl_plane_marks_draw_name: Writes which plane it is into the corner. */
void tl_plane_marks_draw_name (GtkWidget *widget, GtkSnapshot *snapshot,
                               const TlAim *aim, TlPane pane);
