/* What is drawn over the picture, readable on any: colour bar, scale bar, and
 * the line with its length. */
#pragma once

#include "render/camera.h"
#include "ui/measure/measure.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* How far from an end the pointer still takes it. */
#define TL_MARKS_REACH 9.0

/**
 * tl_picture_marks_draw:
 * @widget: lends its font
 * @camera: where the picture lies, and how large the widget is
 */
void tl_picture_marks_draw (GtkSnapshot *snapshot, GtkWidget *widget,
                            const TlCamera *camera, TlMeasure *measure);

G_END_DECLS
