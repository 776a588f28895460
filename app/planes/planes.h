/* The planes of the session: where the panes look, and what they show. The
 * height of the cross and the slice of the recipe follow each other. While
 * TL_PICTURE_PLANES is shown, the display makes the planes for the pixels of
 * the screen.
 *
 * Main thread only; lives as long as the session. */
#pragma once

#include "app/measure/profile.h"
#include "app/planes/aim.h"
#include "app/session/session.h"

#define TL_TYPE_PLANES (tl_planes_get_type ())
G_DECLARE_FINAL_TYPE (TlPlanes, tl_planes, TL, PLANES, GObject)

/* Signal "changed": the aim is another.
 *
 * Properties, read-only with explicit notify:
 *   "progress"  double: of loading the projections in bins, 0 … 1; 1 if none
 *               are loaded
 */

/** tl_session_get_planes: Returns: (transfer none): the planes of the session,
 * made on first use */
TlPlanes *tl_session_get_planes (TlSession *session);

/** tl_planes_get_aim: Returns: (transfer none): valid as long as @planes */
const TlAim *tl_planes_get_aim (TlPlanes *planes);
/** tl_planes_set_aim: @aim: copied; a changed copy of tl_planes_get_aim() */
void tl_planes_set_aim (TlPlanes *planes, const TlAim *aim);

/** tl_planes_set_density: Sets the pixels of the screen for a widget unit; 1 at
 * first. */
void tl_planes_set_density (TlPlanes *planes, double density);

/** tl_planes_get_progress: Returns: property "progress" */
double tl_planes_get_progress (TlPlanes *planes);
/** tl_planes_count_bytes: Returns: the memory that the projections in bins and
 * the planes take; 0 while they are not shown. As property "held-bytes" of the
 * display */
guint64 tl_planes_count_bytes (TlPlanes *planes);

/** tl_planes_get_set: Returns: (transfer none): what was made last; empty while
 * another picture is shown */
const TlPlaneSet *tl_planes_get_set (TlPlanes *planes);

/** tl_planes_get_compared: Returns: (transfer none): A's planes at the same
 * places, and their difference; empty while none are compared */
const TlComparedPlanes *tl_planes_get_compared (TlPlanes *planes);

/**
 * tl_planes_read:
 * @place: [3], on the plane of @pane
 *
 * Reads the pixel that shows @place.
 *
 * Returns: %FALSE if there is none, or its pixels are not in host memory
 */
gboolean tl_planes_read (TlPlanes *planes, TlPane pane, const double *place,
                         float *value);

/** tl_planes_read_compared: As tl_planes_read(), for A and B; %FALSE also
 * while none are compared. */
gboolean tl_planes_read_compared (TlPlanes *planes, TlPane pane,
                                  const double *place, float *a, float *b);

/**
 * tl_planes_get_pixels:
 * @pixels: (out caller-allocates): of @pane, or of the difference where that is
 *   shown, in a picture as of tl_aim_to_picture(); valid until the next
 *   notification of "frame" or "comparison"
 *
 * Returns: %FALSE if there are none, or they are not in host memory
 */
gboolean tl_planes_get_pixels (TlPlanes *planes, TlPane pane, TlPixels *pixels);
/** tl_planes_get_held_pixels: As tl_planes_get_pixels(), of A */
gboolean tl_planes_get_held_pixels (TlPlanes *planes, TlPane pane,
                                    TlPixels *pixels);
