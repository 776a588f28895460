/* Widget over the picture that draws the marks of ui/picture/picture-marks.h
 * and handles drawing and dragging the measured line. All other events bubble
 * to the parent. Main thread. */
#pragma once

#include "render/camera.h"
#include "ui/measure/measure.h"

#include <gtk/gtk.h>

#define TL_TYPE_PICTURE_TOOLS (tl_picture_tools_get_type ())
G_DECLARE_FINAL_TYPE (TlPictureTools, tl_picture_tools, TL, PICTURE_TOOLS,
                      GtkWidget)

/* While measuring is active: a drag on the line or on one of its ends moves it;
 * a drag elsewhere draws another line. Shift rounds the angle to 15 degrees.
 * The arrow keys move the line by a pixel, with Shift its second end. */
GtkWidget *tl_picture_tools_new (void);

/** tl_picture_tools_set_measure: Once. */
void tl_picture_tools_set_measure (TlPictureTools *tools, TlMeasure *measure);

/* Returns: whether a drag that begins at @x, @y of the parent is one of its
 * own */
typedef gboolean (*TlPictureToolsOwn) (GtkWidget *parent, double x, double y);

/**
 * tl_picture_tools_set_pane:
 * @has_bars: whether scale bar and colour bar are drawn
 * @is_own: such a drag draws no line
 *
 * Once: the tools are a child of the pane @pane of the planes. A line that is
 * drawn here leaves the other panes.
 */
void tl_picture_tools_set_pane (TlPictureTools *tools, TlPane pane,
                                gboolean has_bars, TlPictureToolsOwn is_own);

/** tl_picture_tools_set_camera: Call whenever the picture moves. @camera is
 * copied. The tools must have the allocation that the camera describes. */
void tl_picture_tools_set_camera (TlPictureTools *tools,
                                  const TlCamera *camera);

/** tl_picture_tools_draw: Draws into @snapshot, for the image of the view. */
void tl_picture_tools_draw (TlPictureTools *tools, GtkSnapshot *snapshot);
