/* Draws the edges of the volume, of the box in it and of the planes that cut
 * it, a cube with its axes and a scale bar over it. Main thread.
 */
#pragma once

#include "render/look/volume-camera.h"
#include "render/look/volume-look.h"

#include <gtk/gtk.h>

/* The marks as they were drawn last. They cover all of the widget, so that
 * drawing and uploading them again takes milliseconds. Zero before use. */
typedef struct
{
  TlVolumeCamera camera;
  TlVolumeLook look;
  guint bin;
  double pixel_size_um;
  GskRenderNode *node; /* (nullable) */
} TlVolumeMarks;

/** tl_volume_marks_clear: They are drawn anew the next time. */
void tl_volume_marks_clear (TlVolumeMarks *marks);

/**
 * tl_volume_marks_draw:
 * @widget: gives the font
 * @camera: with its sizes, those of the picture in widget units
 * @bin: pixels of the open scan that a voxel is wide
 * @pixel_size_um: of these pixels; 0: unknown
 *
 * The axes are those of a slice and of the detector: x to the right and y up in
 * a slice, z down along the rows of the detector.
 */
void tl_volume_marks_draw (TlVolumeMarks *marks, GtkSnapshot *snapshot,
                           GtkWidget *widget, const TlVolumeCamera *camera,
                           const TlVolumeLook *look, guint bin,
                           double pixel_size_um);
