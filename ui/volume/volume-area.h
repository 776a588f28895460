/* Widget that draws the volume of a scene by OpenGL, with its box, its axes and
 * a scale. A drag turns it, with Shift or the middle button it moves it; wheel,
 * touchpad and pinch zoom; so do keys. While anything moves, rays take longer
 * steps, and there are fewer of them where OpenGL is slow. Main thread. */
#pragma once

#include "app/volume/scene.h"
#include "ui/view/view.h"

#include <gtk/gtk.h>

#define TL_TYPE_VOLUME_AREA (tl_volume_area_get_type ())
G_DECLARE_FINAL_TYPE (TlVolumeArea, tl_volume_area, TL, VOLUME_AREA, GtkGLArea)

/** tl_volume_area_bind: Call once, before it is shown. Colours, and the
 * values of their ends, are those that @view has for slices. */
void tl_volume_area_bind (TlVolumeArea *self, TlView *view);

/** tl_volume_area_zoom: Enlarges by @factor about the pointer, or about the
 * middle if it is elsewhere. */
void tl_volume_area_zoom (TlVolumeArea *self, double factor);

/** tl_volume_area_is_drawn: Returns: whether the newest volume is drawn with
 * its short steps. */
gboolean tl_volume_area_is_drawn (TlVolumeArea *self);
/** tl_volume_area_count_draws: Returns: how many pictures were drawn */
guint tl_volume_area_count_draws (TlVolumeArea *self);
