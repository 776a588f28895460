#include "ui/view/visible.h"

#include <math.h>

void
tl_visible_find (TlVisible *visible, const TlCamera *camera, int scale)
{
  visible->pitch = 1 / (camera->scale * scale);
  tl_camera_to_picture (camera, 0, 0, &visible->col, &visible->row);
  visible->col += visible->pitch / 2;
  visible->row += visible->pitch / 2;
  visible->n_cols = (size_t)fmax (camera->width * scale, 0);
  visible->n_rows = (size_t)fmax (camera->height * scale, 0);
}

void
tl_visible_tell (TlSession *session, TlPicture picture, const TlCamera *camera,
                 int scale)
{
  TlVisible visible = { 0 };

  if (picture == TL_PICTURE_SLICE)
    tl_visible_find (&visible, camera, scale);
  tl_display_set_visible (session->display, &visible);
}
