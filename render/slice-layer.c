#include "render/slice-layer.h"

gboolean
tl_slice_layer_show (TlSliceLayer *layer, TlFrame *frame, GError **error)
{
  if (layer->texture == NULL)
    layer->texture = tl_texture_new ();
  layer->is_shown = tl_texture_show (layer->texture, frame, 0, error);
  layer->n_rows = tl_frame_get_n_rows (frame);
  layer->n_cols = tl_frame_get_n_cols (frame);
  return layer->is_shown;
}

void
tl_slice_layer_draw (const TlSliceLayer *layer, TlSlicePass *pass,
                     const TlCamera *camera, const TlSliceLook *look)
{
  if (!layer->is_shown)
    {
      tl_slice_pass_draw (pass, NULL, NULL, camera, look);
      return;
    }
  TlCamera onto = tl_camera_onto (camera, layer->col, layer->row, layer->pitch,
                                  layer->n_cols, layer->n_rows);
  tl_slice_pass_draw (pass, layer->texture, NULL, &onto, look);
}

void
tl_slice_layer_clear (TlSliceLayer *layer)
{
  g_clear_pointer (&layer->texture, tl_texture_free);
  *layer = (TlSliceLayer){ 0 };
}
