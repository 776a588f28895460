/* Widget with the four panes of TL_PICTURE_PLANES: x-y above x-z, the oblique
 * plane above y-z. Main thread. */
#pragma once

#include "ui/planes/plane-pane.h"

#define TL_TYPE_PLANES_VIEW (tl_planes_view_get_type ())
G_DECLARE_FINAL_TYPE (TlPlanesView, tl_planes_view, TL, PLANES_VIEW, GtkWidget)

/** tl_planes_view_bind: Once, before it is shown. */
void tl_planes_view_bind (TlPlanesView *self, TlMeasure *measure,
                          TlCompare *compare);

/** tl_planes_view_get_pane: Returns: (transfer none) */
TlPlanePane *tl_planes_view_get_pane (TlPlanesView *self, TlPane pane);

/** tl_planes_view_zoom: Zooms about the pointer, or about the middles of the
 * panes if it is elsewhere. */
void tl_planes_view_zoom (TlPlanesView *self, double factor);
void tl_planes_view_fit (TlPlanesView *self);

/** tl_planes_view_is_drawn: Returns: whether the newest planes are drawn */
gboolean tl_planes_view_is_drawn (TlPlanesView *self);
