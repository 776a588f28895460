/* Keeps zoom and place of the pictures that are not shown. Main thread. */
#pragma once

#include "app/session/session.h"
#include "render/camera.h"

/* Zero-initialise, then call tl_kept_cameras_init(); free with
 * tl_kept_cameras_clear(). */
typedef struct
{
  TlPicture picture;               /* shown now */
  TlCamera cameras[TL_N_PICTURES]; /* of the other pictures */
  char *paths[TL_N_PICTURES];      /* (nullable): scans of these cameras */
} TlKeptCameras;

void tl_kept_cameras_init (TlKeptCameras *kept);
void tl_kept_cameras_clear (TlKeptCameras *kept);

/**
 * tl_kept_cameras_turn_to:
 * @camera: (inout): camera of the picture shown so far; becomes the camera of
 *   @picture
 *
 * Returns: %FALSE if @picture is shown already
 */
gboolean tl_kept_cameras_turn_to (TlKeptCameras *kept, TlPicture picture,
                                  TlCamera *camera);

/**
 * tl_kept_cameras_take_size:
 * @camera: (inout): of the picture shown; gets the size of the session's
 * picture
 *
 * Slices of one scan keep the axis in the middle, whatever their size.
 *
 * Returns: %FALSE if there is no picture
 */
gboolean tl_kept_cameras_take_size (TlKeptCameras *kept, TlSession *session,
                                    TlCamera *camera);
