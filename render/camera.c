#include "render/camera.h"

#include <math.h>

/* Limits of the scale: at the largest a picture pixel is about as large as a
 * thumbnail, at the smallest a picture of 16384 pixels is as large as a
 * stamp. */
#define MAX_SCALE 128.0
#define MIN_SCALE (1.0 / 128)

void
tl_camera_init (TlCamera *camera)
{
  *camera = (TlCamera){ .scale = 1, .fitted = TRUE };
}

void
tl_camera_fit (TlCamera *camera)
{
  camera->fitted = TRUE;
  if (camera->n_cols == 0 || camera->n_rows == 0 || camera->width <= 0
      || camera->height <= 0)
    return;
  camera->scale = fmin (camera->width / (double)camera->n_cols,
                        camera->height / (double)camera->n_rows);
  camera->col = ((double)camera->n_cols - 1) / 2;
  camera->row = ((double)camera->n_rows - 1) / 2;
}

void
tl_camera_resize (TlCamera *camera, double width, double height)
{
  camera->width = width;
  camera->height = height;
  if (camera->fitted)
    tl_camera_fit (camera);
}

void
tl_camera_set_picture (TlCamera *camera, size_t n_cols, size_t n_rows)
{
  if (camera->n_cols == n_cols && camera->n_rows == n_rows)
    return;
  camera->n_cols = n_cols;
  camera->n_rows = n_rows;
  /* The old position means nothing in a picture of another size. */
  tl_camera_fit (camera);
}

static void
keep_inside (TlCamera *camera)
{
  camera->col = CLAMP (camera->col, -0.5, (double)camera->n_cols - 0.5);
  camera->row = CLAMP (camera->row, -0.5, (double)camera->n_rows - 0.5);
}

void
tl_camera_widen (TlCamera *camera, size_t n_cols, size_t n_rows)
{
  const double more_cols = (double)n_cols - (double)camera->n_cols;
  const double more_rows = (double)n_rows - (double)camera->n_rows;

  camera->n_cols = n_cols;
  camera->n_rows = n_rows;
  camera->col += more_cols / 2.0;
  camera->row += more_rows / 2.0;
  keep_inside (camera);
  if (camera->fitted)
    tl_camera_fit (camera);
}

void
tl_camera_zoom (TlCamera *camera, double factor, double x, double y)
{
  double col, row;

  tl_camera_to_picture (camera, x, y, &col, &row);
  camera->fitted = FALSE;
  camera->scale = CLAMP (camera->scale * factor, MIN_SCALE, MAX_SCALE);
  camera->col = col - (x - camera->width / 2) / camera->scale;
  camera->row = row - (y - camera->height / 2) / camera->scale;
  keep_inside (camera);
}

void
tl_camera_pan (TlCamera *camera, double dx, double dy)
{
  camera->fitted = FALSE;
  camera->col -= dx / camera->scale;
  camera->row -= dy / camera->scale;
  keep_inside (camera);
}

void
tl_camera_see (TlCamera *camera, const TlCamera *other)
{
  const double width = camera->width, height = camera->height;
  const double factor = fmin (width / other->width, height / other->height);

  *camera = *other;
  if (other->width > 0 && other->height > 0 && factor > 0)
    camera->scale = CLAMP (other->scale * factor, MIN_SCALE, MAX_SCALE);
  tl_camera_resize (camera, width, height);
}

void
tl_camera_to_picture (const TlCamera *camera, double x, double y, double *col,
                      double *row)
{
  *col = camera->col + (x - camera->width / 2) / camera->scale;
  *row = camera->row + (y - camera->height / 2) / camera->scale;
}

void
tl_camera_to_widget (const TlCamera *camera, double col, double row, double *x,
                     double *y)
{
  *x = camera->width / 2 + (col - camera->col) * camera->scale;
  *y = camera->height / 2 + (row - camera->row) * camera->scale;
}

TlCamera
tl_camera_onto (const TlCamera *camera, double col, double row, double pitch,
                size_t n_cols, size_t n_rows)
{
  TlCamera onto = *camera;

  onto.n_cols = n_cols;
  onto.n_rows = n_rows;
  onto.scale = camera->scale * pitch;
  onto.col = (camera->col - col) / pitch;
  onto.row = (camera->row - row) / pitch;
  return onto;
}

gboolean
tl_camera_find_pixel (const TlCamera *camera, double x, double y, size_t *col,
                      size_t *row)
{
  double c, r;

  tl_camera_to_picture (camera, x, y, &c, &r);
  c = floor (c + 0.5);
  r = floor (r + 0.5);
  if (c < 0 || r < 0 || c >= (double)camera->n_cols
      || r >= (double)camera->n_rows)
    return FALSE;
  *col = (size_t)c;
  *row = (size_t)r;
  return TRUE;
}
