/* The position of the picture in the widget: zoom, pan, and the conversion
 * between widget and picture coordinates. Plain arithmetic, no GL. */
#pragma once

#include <glib.h>

/* Widget coordinates have their origin in the upper left corner, y down.
 * Picture coordinates are column and row; the centre of pixel k is at k
 * (data/geometry.h). A plain value; call tl_camera_init() first. */
typedef struct
{
  double width, height;  /* size of the widget */
  size_t n_cols, n_rows; /* size of the picture; 0 without a picture */
  double scale;          /* widget units per picture pixel */
  double col, row;       /* picture position in the middle of the widget */
  gboolean fitted;       /* keep the whole picture visible on any change */
} TlCamera;

void tl_camera_init (TlCamera *camera);

/** tl_camera_resize: Sets a new size of the widget. A fitted camera is fitted
 * again; otherwise the middle and the scale stay. */
void tl_camera_resize (TlCamera *camera, double width, double height);

/** tl_camera_set_picture: Sets another picture size and fits the camera. The
 * same size changes nothing. */
void tl_camera_set_picture (TlCamera *camera, size_t n_cols, size_t n_rows);

/** tl_camera_widen: Sets the size of a picture that has grown or shrunk
 * symmetrically around its middle: the visible content stays in place. */
void tl_camera_widen (TlCamera *camera, size_t n_cols, size_t n_rows);

/** tl_camera_fit: Shows the whole picture centred, as large as the widget
 * allows. */
void tl_camera_fit (TlCamera *camera);

/**
 * tl_camera_zoom:
 * @factor: above 1 enlarges; the resulting scale is clamped to its limits
 * @x: widget position, with @y, at which the picture stays fixed
 */
void tl_camera_zoom (TlCamera *camera, double factor, double x, double y);

/** tl_camera_pan: Moves the picture by @dx, @dy widget units, as the pointer
 * drags it. The middle of the widget stays within the picture. */
void tl_camera_pan (TlCamera *camera, double dx, double dy);

/** tl_camera_see: Shows the region of the picture that @other shows, centred
 * and as large as the widget allows; the whole picture if @other is fitted.
 * The widget size stays. */
void tl_camera_see (TlCamera *camera, const TlCamera *other);

/** tl_camera_to_picture: Converts the widget position @x, @y to a picture
 * position, which may lie outside the picture. */
void tl_camera_to_picture (const TlCamera *camera, double x, double y,
                           double *col, double *row);

/** tl_camera_to_widget: Converts a picture position to a widget position. */
void tl_camera_to_widget (const TlCamera *camera, double col, double row,
                          double *x, double *y);

/**
 * tl_camera_onto:
 * @col: column of the picture, and @row its row, at the centre of the part's
 *   first pixel
 * @pitch: distance of neighbouring pixels of the part, in picture pixels
 * @n_cols: columns of the part, and @n_rows its rows
 *
 * The part is a region of the picture, or the whole picture in fewer pixels.
 *
 * Returns: a camera in pixels of the part; it shows the part at the place in
 *   the widget where @camera has it
 */
TlCamera tl_camera_onto (const TlCamera *camera, double col, double row,
                         double pitch, size_t n_cols, size_t n_rows);

/**
 * tl_camera_find_pixel:
 * @col: (out): column, and @row the row, of the pixel at @x, @y
 *
 * Returns: %FALSE outside the picture
 */
gboolean tl_camera_find_pixel (const TlCamera *camera, double x, double y,
                               size_t *col, size_t *row);
