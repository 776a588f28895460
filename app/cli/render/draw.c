#include "app/cli/render/draw-private.h"

#include "data/array.h"
#include "render/offscreen.h"
#include "render/program.h"
#include "render/volume-pass.h"

/* Above this a voxel takes 16 bits in place of 32: 1024 x 512 x 512 voxels. */
#define MAX_FLOATS ((size_t)1 << 28)

gboolean
tl_cli_picture_open (TlCliPicture *picture, GError **error)
{
  picture->offscreen = tl_offscreen_new (FALSE, (int)picture->width,
                                         (int)picture->height, error);
  if (picture->offscreen == NULL)
    g_prefix_error (error, "no volume can be drawn without a display: ");
  return picture->offscreen != NULL;
}

/* What is made in the context is freed before it. */
static gboolean
draw (TlCliPicture *picture, const float *voxels, const size_t n[3],
      const TlVolumeCamera *camera, const TlVolumeLook *look, GError **error)
{
  const TlVolumeFrame frame = {
    .width = (int)picture->width,
    .height = (int)picture->height,
    .outside = { 0, 0, 0, 1 },
    .step_voxels = picture->step_voxels,
    .jitters = TRUE,
  };
  TlVolumeCamera sized = *camera;
  const TlVolumeDepth depth =
      n[0] * n[1] * n[2] > MAX_FLOATS ? TL_VOLUME_HALF : TL_VOLUME_FLOAT;
  g_autoptr (TlVolumeTexture) texture = tl_volume_texture_new ();
  g_autoptr (TlVolumePass) pass = tl_volume_pass_new (error);
  if (pass == NULL
      || !tl_volume_texture_load (texture, voxels, n[2], n[1], n[0], depth,
                                  error))
    return FALSE;
  sized.width = (double)picture->width;
  sized.height = (double)picture->height;
  tl_volume_pass_draw (pass, texture, &sized, look, &frame);
  return TRUE;
}

gboolean
tl_cli_picture_draw (TlCliPicture *picture, const float *voxels,
                     const size_t n[3], const TlVolumeCamera *camera,
                     const TlVolumeLook *look, GError **error)
{
  const gint64 start_us = g_get_monotonic_time ();
  picture->rgba = tl_try_alloc (picture->height, picture->width, 4, 1,
                                "the picture", error);
  if (picture->rgba == NULL || !draw (picture, voxels, n, camera, look, error))
    return FALSE;
  tl_offscreen_read (picture->offscreen, picture->rgba);
  picture->gl = tl_program_describe_gl ();
  picture->seconds = (double)(g_get_monotonic_time () - start_us) / 1e6;
  return TRUE;
}

void
tl_cli_picture_clear (TlCliPicture *picture)
{
  g_clear_pointer (&picture->offscreen, tl_offscreen_free);
  g_clear_pointer (&picture->rgba, g_free);
  g_clear_pointer (&picture->gl, g_free);
}
