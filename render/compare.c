#include "render/compare.h"

void
tl_compare_draw_swipe (const TlSliceLayer *a, const TlSliceLayer *b,
                       TlSlicePass *pass, const TlCamera *camera,
                       const TlSliceLook *look, int column)
{
  TlSliceLook part = *look;

  column = CLAMP (column, 0, look->width);
  part.first = 0;
  part.end = column;
  if (column > 0)
    tl_slice_layer_draw (a, pass, camera, &part);
  part.first = column;
  part.end = look->width;
  if (column < look->width)
    tl_slice_layer_draw (b, pass, camera, &part);
}

void
tl_compare_draw_side_by_side (const TlSliceLayer *a, const TlSliceLayer *b,
                              TlSlicePass *pass, const TlCamera *camera,
                              const TlSliceLook *look)
{
  TlSliceLook half = *look;

  tl_slice_pass_draw (pass, NULL, NULL, camera, look);
  half.width = look->width / 2;
  if (half.width == 0)
    return;
  tl_slice_layer_draw (a, pass, camera, &half);
  half.left = look->width - half.width;
  tl_slice_layer_draw (b, pass, camera, &half);
}

void
tl_compare_draw_difference (const TlSliceLayer *a, const TlSliceLayer *b,
                            TlSlicePass *pass, const TlCamera *camera,
                            const TlSliceLook *look)
{
  if (!a->is_shown || !b->is_shown)
    {
      tl_slice_pass_draw (pass, NULL, NULL, camera, look);
      return;
    }
  TlCamera onto =
      tl_camera_onto (camera, b->col, b->row, b->pitch, b->n_cols, b->n_rows);
  TlSliceSecond less = (TlSliceSecond){ .texture = a->texture,
                                        .combine = TL_SLICE_LESS,
                                        .col = (b->col - a->col) / a->pitch,
                                        .row = (b->row - a->row) / a->pitch,
                                        .across = { b->pitch / a->pitch, 0 },
                                        .down = { 0, b->pitch / a->pitch } };
  tl_slice_pass_draw (pass, b->texture, &less, &onto, look);
}

void
tl_compare_draw_overlay (const TlSliceLayer *a, const TlSliceLayer *b,
                         const TlSliceSecond *onto, TlSlicePass *pass,
                         const TlCamera *camera, const TlSliceLook *look)
{
  TlSliceSecond second = *onto;

  if (!a->is_shown || !b->is_shown)
    {
      tl_slice_layer_draw (a, pass, camera, look);
      return;
    }
  second.texture = b->texture;
  second.is_smooth = TRUE;
  tl_slice_pass_draw (pass, a->texture, &second, camera, look);
}
