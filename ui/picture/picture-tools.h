/* Lies over the picture: draws what ui/picture/picture-marks.h does, and takes
 * the pointer where a line is drawn or dragged. Everything else goes on to the
 * widget that it is a child of. */
#pragma once

#include "render/camera.h"
#include "ui/measure/measure.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define TL_TYPE_PICTURE_TOOLS (tl_picture_tools_get_type ())
G_DECLARE_FINAL_TYPE (TlPictureTools, tl_picture_tools, TL, PICTURE_TOOLS,
                      GtkWidget)

/* While the measuring is active: drag an end, or the line; elsewhere, draw
 * another. Shift keeps to steps of 15 degrees. The arrow keys move the line by
 * a pixel, with Shift its second end. */
GtkWidget *tl_picture_tools_new (void);

/** tl_picture_tools_set_measure: Once. */
void tl_picture_tools_set_measure (TlPictureTools *tools, TlMeasure *measure);

/** tl_picture_tools_set_camera: Whenever the picture moves; copied. The tools
 * have the place and the size of the camera's widget. */
void tl_picture_tools_set_camera (TlPictureTools *tools,
                                  const TlCamera *camera);

/** tl_picture_tools_draw: Into a snapshot of somebody else's. */
void tl_picture_tools_draw (TlPictureTools *tools, GtkSnapshot *snapshot);

G_END_DECLS
