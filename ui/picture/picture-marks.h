/* Draws colour bar, scale bar, and the measured line with its length over the
 * picture, readable on any background. Main thread. */
#pragma once

#include "render/camera.h"
#include "ui/measure/measure.h"

#include <gtk/gtk.h>

/* Distance from an end of the line at which the pointer can drag it, widget
 * units. */
#define TL_MARKS_REACH 9.0

/**
 * tl_picture_marks_draw:
 * @widget: gives the font
 * @camera: place of the picture, and size of the widget
 * @line: (nullable): the measured one
 * @has_bars: whether the bars that are switched on are drawn
 */
void tl_picture_marks_draw (GtkSnapshot *snapshot, GtkWidget *widget,
                            const TlCamera *camera, TlMeasure *measure,
                            const TlSegment *line, gboolean has_bars);

/** tl_picture_marks_get_room: Returns: how much of the width, at the top, the
 * colour bar of tl_picture_marks_draw() does not cover. */
double tl_picture_marks_get_room (GtkWidget *widget, const TlCamera *camera,
                                  TlMeasure *measure);
