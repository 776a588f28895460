/* What of the slice the screen shows: for a part of it that is as sharp. */
#pragma once

#include "app/session/session.h"
#include "render/camera.h"

G_BEGIN_DECLS

/**
 * tl_visible_find:
 * @visible: (out)
 * @scale: pixels of the screen in one of the camera's
 *
 * At which places of the slice the pixels of the screen are.
 */
void tl_visible_find (TlVisible *visible, const TlCamera *camera, int scale);

/**
 * tl_visible_tell:
 * @picture: that the camera is of; of another than the slice nothing is visible
 * @scale: as of tl_visible_find()
 *
 * Tells the session which places of the slice the pixels of the screen are at.
 */
void tl_visible_tell (TlSession *session, TlPicture picture,
                      const TlCamera *camera, int scale);

G_END_DECLS
