/* Draws a volume without a display. Without OpenGL in the build,
 * app/cli/render/no-draw.c says so. */
#pragma once

#include "app/recipe/recipe.h"

/* A picture; plain value. */
typedef struct
{
  size_t width, height;
  double step_voxels;            /* as of TlVolumeFrame */
  struct TlOffscreen *offscreen; /* (nullable): while it is open, owned */
  guint8 *rgba;                  /* (nullable): [height][width][4], owned */
  char *gl;                      /* (nullable): what draws, owned */
  double seconds;                /* for the upload and the drawing */
} TlCliPicture;

/** tl_cli_picture_open: Makes OpenGL current in this thread, until
 * tl_cli_picture_clear(). Returns: %FALSE with TL_ERROR_UNSUPPORTED if this
 * machine or this build draws no picture of that size */
gboolean tl_cli_picture_open (TlCliPicture *picture, GError **error);
void tl_cli_picture_clear (TlCliPicture *picture);

/**
 * tl_cli_picture_draw:
 * @picture: open; gets rgba, gl and seconds
 * @voxels: [@n[2]][@n[1]][@n[0]]
 * @look: settled
 *
 * Returns: %FALSE with an error of tl_volume_pass_new() or
 *   tl_volume_texture_load()
 */
gboolean tl_cli_picture_draw (TlCliPicture *picture, const float *voxels,
                              const size_t n[3], const TlVolumeCamera *camera,
                              const TlVolumeLook *look, GError **error);
