/* Draws a volume without a display. Without OpenGL in the build,
 * app/cli/render/no-draw.c says so. */
#pragma once

#include "app/recipe/recipe.h"

/* A picture; plain value. */
typedef struct
{
  size_t width, height;
  double step_voxels; /* as of TlVolumeFrame */
  guint8 *rgba;       /* (nullable): [height][width][4], owned */
  char *gl;           /* (nullable): what draws, owned */
  double seconds;     /* for the upload and the drawing */
} TlCliPicture;

void tl_cli_picture_clear (TlCliPicture *picture);

/** tl_cli_check_draw: Returns: %FALSE with TL_ERROR_UNSUPPORTED if this machine
 * or this build draws no picture of that size */
gboolean tl_cli_check_draw (const TlCliPicture *picture, GError **error);

/**
 * tl_cli_draw:
 * @picture: gets rgba, gl and seconds
 * @voxels: [@n[2]][@n[1]][@n[0]]
 * @look: settled
 *
 * Returns: %FALSE with an error of tl_offscreen_new() or
 *   tl_volume_texture_load()
 */
gboolean tl_cli_draw (TlCliPicture *picture, const float *voxels,
                      const size_t n[3], const TlVolumeCamera *camera,
                      const TlVolumeLook *look, GError **error);
