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
