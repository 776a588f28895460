/* Each picture has its own zoom and place: those of the ones not shown. */
#pragma once

#include "app/session/session.h"
#include "render/camera.h"

G_BEGIN_DECLS

/* Zeroed, then tl_kept_cameras_init(); cleared with tl_kept_cameras_clear(). */
typedef struct
{
  TlPicture picture;               /* that is shown */
  TlCamera cameras[TL_N_PICTURES]; /* of the other ones */
  char *paths[TL_N_PICTURES];      /* (nullable): of the scans those are of */
} TlKeptCameras;

void tl_kept_cameras_init (TlKeptCameras *kept);
void tl_kept_cameras_clear (TlKeptCameras *kept);

/**
 * tl_kept_cameras_turn_to:
 * @camera: (inout): of the picture that was shown; becomes that of @picture
 *
 * Returns: %FALSE where that is shown already
 */
gboolean tl_kept_cameras_turn_to (TlKeptCameras *kept, TlPicture picture,
                                  TlCamera *camera);

/**
 * tl_kept_cameras_take_size:
 * @camera: (inout): of the picture that is shown: has the size that @session
 *   says; slices of one scan keep the axis in the middle, whatever their size
 *
 * Returns: %FALSE where there is no picture
 */
gboolean tl_kept_cameras_take_size (TlKeptCameras *kept, TlSession *session,
                                    TlCamera *camera);

G_END_DECLS
