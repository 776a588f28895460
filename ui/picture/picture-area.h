/* Widget that draws the picture by OpenGL as the camera sees it, and the lines
 * over it. It handles no input: TlSliceView does. Main thread. */
#pragma once

#include "render/camera.h"
#include "ui/compare/compare.h"
#include "ui/measure/measure.h"
#include "ui/picture/lines.h"
#include "ui/view/view.h"

#include <gtk/gtk.h>

#define TL_TYPE_PICTURE_AREA (tl_picture_area_get_type ())
G_DECLARE_FINAL_TYPE (TlPictureArea, tl_picture_area, TL, PICTURE_AREA,
                      GtkGLArea)

/** tl_picture_area_new: Returns: (transfer floating): the child of a
 * TlShrinkingBin, whose units the camera and the lines have */
GtkWidget *tl_picture_area_new (void);

/** tl_picture_area_bind: Once, before it is shown. */
void tl_picture_area_bind (TlPictureArea *self, TlMeasure *measure,
                           TlCompare *compare);

/** tl_picture_area_set_camera: @camera: copied; in mode side by side it is the
 * camera of both halves. Queues a redraw. */
void tl_picture_area_set_camera (TlPictureArea *self, const TlCamera *camera);

/** tl_picture_area_set_held: @line: the line that is drawn as dragged. */
void tl_picture_area_set_held (TlPictureArea *self, TlLine line);

/** tl_picture_area_is_drawn: Returns: whether the newest picture is drawn. */
gboolean tl_picture_area_is_drawn (TlPictureArea *self);
