/* Draws a volume into the current framebuffer, by a ray for each pixel. */
#pragma once

#include "render/look/volume-camera.h"
#include "render/look/volume-look.h"
#include "render/volume-texture.h"

typedef struct TlVolumePass TlVolumePass;

/* How to draw; a plain value. */
typedef struct
{
  int width, height;  /* size of the viewport, in its own pixels */
  float outside[4];   /* colour behind the volume: red, green, blue, alpha,
                         premultiplied */
  double step_voxels; /* from one sample of a ray to the next: 0.5, or more
                         while anything moves */
  gboolean jitters;   /* the first sample of each ray lies anywhere in its first
                         step, in the same way each time: fine noise in place of
                         the bands of long steps */
  double part[3][2];  /* what the texture has of the columns, rows and slices of
                         the volume that @camera and @look are of; all 0: all
                         of them */
} TlVolumeFrame;

/** tl_volume_pass_new: Creates the pass for the current GL context only.
 * Returns: %NULL with TL_ERROR_UNSUPPORTED */
TlVolumePass *tl_volume_pass_new (GError **error);

/** tl_volume_pass_free: Call while its GL context is current. */
void tl_volume_pass_free (TlVolumePass *pass);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlVolumePass, tl_volume_pass_free)

/**
 * tl_volume_pass_draw:
 * @texture: (nullable): %NULL or empty: draws only the outside colour
 * @camera: with the size of the picture, in any unit; the size of the volume
 *   follows from that of @texture
 * @look: settled
 *
 * Fills the viewport. A ray has samples in the middles of steps, from where it
 * enters what is shown to where it leaves it, each interpolated linearly from 8
 * voxels; up to half a voxel beyond the outermost centres these go on.
 *
 * Emission and absorption: a sample of the value v has the colour c (v) of the
 * colour map and the opacity 1 - (1 - a (v))^(step / d), where a is that of
 * @look and d a hundredth of the longest side. A ray ends when it has lost 99.8
 * % of its light. Maximum: the colour of the largest sample. Surface: the first
 * place where the value reaches the threshold, found to 1/256 of a step, with
 * the light of its gradient; where a body is cut open, the colour of the value.
 *
 * Leaves no program, vertex array or texture bound.
 */
void tl_volume_pass_draw (TlVolumePass *pass, const TlVolumeTexture *texture,
                          const TlVolumeCamera *camera,
                          const TlVolumeLook *look, const TlVolumeFrame *frame);
