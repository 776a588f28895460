/* A frame on the screen and its position in the picture. The frame is the
 * whole picture, or a part of it with its own pixel size. */
#pragma once

#include "render/slice-pass.h"

/* A plain struct; zeroed it is empty. Use it only while the GL context is
 * current. */
typedef struct
{
  TlTexture *texture;     /* (nullable): created with the first frame */
  gboolean is_shown;      /* the texture holds a frame */
  double row, col, pitch; /* place of the frame: pixels of the picture */
  size_t n_rows, n_cols;
} TlSliceLayer;

/** tl_slice_layer_show: Returns: %FALSE with the errors of tl_texture_show();
 * the layer is then empty */
gboolean tl_slice_layer_show (TlSliceLayer *layer, TlFrame *frame,
                              GError **error);

/** tl_slice_layer_draw: Draws the layer. @camera: camera of the whole picture
 */
void tl_slice_layer_draw (const TlSliceLayer *layer, TlSlicePass *pass,
                          const TlCamera *camera, const TlSliceLook *look);
void tl_slice_layer_clear (TlSliceLayer *layer);
