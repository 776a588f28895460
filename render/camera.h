/* Where the picture lies in the widget: zoom, pan, and the way between
 * widget and picture coordinates. Plain arithmetic, no GL. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Widget coordinates have their origin in the upper left corner, y down;
 * picture coordinates are column and row, and the centre of pixel k is at k
 * (data/geometry.h). A plain value; tl_camera_init() first. */
typedef struct
{
  double width, height;  /* of the widget */
  size_t n_cols, n_rows; /* of the picture; 0 without one */
  double scale;          /* widget units for one picture pixel */
  double col, row;       /* picture position in the middle of the widget */
  gboolean fitted;       /* keeps the whole picture visible on any change */
} TlCamera;

void tl_camera_init (TlCamera *camera);

/** tl_camera_resize: The widget has a new size; refits while fitted, else the
 * middle and the scale stay. */
void tl_camera_resize (TlCamera *camera, double width, double height);

/** tl_camera_set_picture: Another picture size; refits while fitted. The same
 * size changes nothing. */
void tl_camera_set_picture (TlCamera *camera, size_t n_cols, size_t n_rows);

/** tl_camera_widen: As tl_camera_set_picture(), but a picture that has become
 * wider or narrower around its middle: what was shown stays where it is. */
void tl_camera_widen (TlCamera *camera, size_t n_cols, size_t n_rows);

/** tl_camera_fit: The whole picture, as large as it goes, in the middle. */
void tl_camera_fit (TlCamera *camera);

/**
 * tl_camera_zoom:
 * @factor: above 1 enlarges; the resulting scale is kept in bounds
 * @x: widget position that stays over the same place of the picture
 */
void tl_camera_zoom (TlCamera *camera, double factor, double x, double y);

/** tl_camera_pan: The picture follows the pointer by @dx, @dy widget units;
 * the widget's middle stays within the picture. */
void tl_camera_pan (TlCamera *camera, double dx, double dy);

/** tl_camera_see: What @other sees of the same picture, in the middle and as
 * large as it goes; all of it, where that is fitted. The widget's size stays.
 */
void tl_camera_see (TlCamera *camera, const TlCamera *other);

void tl_camera_to_picture (const TlCamera *camera, double x, double y,
                           double *col, double *row);
void tl_camera_to_widget (const TlCamera *camera, double col, double row,
                          double *x, double *y);

/**
 * tl_camera_onto:
 * @col: where in the picture the centre of the part's first pixel is, and @row
 * @pitch: distance of two of its pixels, in picture pixels
 * @n_cols: pixels of the part, and @n_rows
 *
 * Returns: the camera that shows a part of the picture, or all of it in fewer
 *   pixels, where @camera has it
 */
TlCamera tl_camera_onto (const TlCamera *camera, double col, double row,
                         double pitch, size_t n_cols, size_t n_rows);

/**
 * tl_camera_find_pixel:
 * @col: (out): of the pixel under @x, @y
 *
 * Returns: %FALSE outside the picture
 */
gboolean tl_camera_find_pixel (const TlCamera *camera, double x, double y,
                               size_t *col, size_t *row);

G_END_DECLS
