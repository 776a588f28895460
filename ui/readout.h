/* What is under the pointer, in words. */
#pragma once

#include "app/session.h"
#include "render/camera.h"

G_BEGIN_DECLS

/**
 * tl_readout_describe:
 * @camera: of the picture that is shown; @x, @y are in its widget
 *
 * Returns: (transfer full) (nullable): position and value, of either while two
 *   slices are compared; %NULL beside the picture
 */
char *tl_readout_describe (TlSession *session, const TlCamera *camera, double x,
                           double y);

G_END_DECLS
