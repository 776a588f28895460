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
