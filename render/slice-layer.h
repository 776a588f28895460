/* A frame on the screen, where it lies in the picture: the whole of it, or a
 * part in pixels of its own. */
#pragma once

#include "render/slice-pass.h"

G_BEGIN_DECLS

/* Plain; zeroed: none. All of it while the GL context is current. */
typedef struct
{
  TlTexture *texture;     /* (nullable): made by the first frame */
  gboolean is_shown;      /* there is a frame in it */
  double row, col, pitch; /* as tl_session_get_frame_place() */
  size_t n_rows, n_cols;
} TlSliceLayer;

/** tl_slice_layer_show: FALSE as tl_texture_show(); nothing is shown then. */
gboolean tl_slice_layer_show (TlSliceLayer *layer, TlFrame *frame,
                              GError **error);

/** tl_slice_layer_draw: By the @camera of the picture. */
void tl_slice_layer_draw (const TlSliceLayer *layer, TlSlicePass *pass,
                          const TlCamera *camera, const TlSliceLook *look);
void tl_slice_layer_clear (TlSliceLayer *layer);

G_END_DECLS
