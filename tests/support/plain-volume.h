/* The ray caster in plain double loops: judges render/volume-pass.h. */
#pragma once

#include "render/look/volume-camera.h"
#include "render/look/volume-look.h"

/* The volume that is drawn, and how; a plain value. */
typedef struct
{
  const float *voxels; /* [n[2]][n[1]][n[0]] */
  size_t n[3];         /* columns, rows, slices */
  TlVolumeCamera camera;
  TlVolumeLook look; /* settled */
  int width, height; /* of the picture; the camera's size is the same */
  double step_voxels;
  gboolean jitters;
  float outside[4];
  const double *circle; /* (nullable): [3]: column, row and radius of what has
                           values; beyond it there is less than any value */
} PlainVolume;

/** plain_volume_sample: Returns: the value at @position, interpolated linearly;
 * the outermost voxels go on beyond the edge */
double plain_volume_sample (const PlainVolume *volume, const double *position);

/**
 * plain_volume_draw:
 * @rgba: (out caller-allocates): [height][width][4], 0 … 255, the top row first
 *
 * All samples of a ray count, however little light comes from them.
 */
void plain_volume_draw (const PlainVolume *volume, double *rgba);
