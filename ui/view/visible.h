/* Finds the part of the slice that is visible, for which the session then makes
 * a detail as sharp as the screen. Main thread. */
#pragma once

#include "app/session/session.h"
#include "render/camera.h"

/**
 * tl_visible_find:
 * @visible: (out)
 * @scale: pixels of the screen for a widget unit
 *
 * Finds the places in the slice of the pixels of the screen.
 */
void tl_visible_find (TlVisible *visible, const TlCamera *camera, int scale);

/**
 * tl_visible_tell:
 * @picture: the picture that @camera sees; unless it is the slice, nothing of
 *   the slice is visible
 * @scale: as for tl_visible_find()
 *
 * Sets the visible part of the session's slice.
 */
void tl_visible_tell (TlSession *session, TlPicture picture,
                      const TlCamera *camera, int scale);
