/* How a grid of equal tiles fills a widget. Plain arithmetic. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A plain value; lengths are in widget units. A tile is a picture with a
 * caption under it. */
typedef struct
{
  guint n;              /* tiles, in reading order */
  guint n_rows, n_cols; /* the last row may be shorter, and is in the middle */
  double width, height; /* of a picture */
  double caption;       /* height of what is under it */
  double gap;           /* between two tiles, and around all */
} TlTileLayout;

/**
 * tl_tile_layout_init:
 * @caption: height of a caption, with what is between it and the picture
 *
 * Chooses rows and columns so that a square picture is shown as large as it
 * goes; those of odd numbers, where the middle one of all is in the middle, are
 * chosen where they are not much smaller.
 */
void tl_tile_layout_init (TlTileLayout *layout, guint n, double width,
                          double height, double caption, double gap);

/** tl_tile_layout_place: Upper left corner of a picture. */
void tl_tile_layout_place (const TlTileLayout *layout, guint index, double *x,
                           double *y);

/**
 * tl_tile_layout_find:
 *
 * Returns: the tile at @x, @y, its caption included; the number of tiles where
 *   there is none
 */
guint tl_tile_layout_find (const TlTileLayout *layout, double x, double y);

/**
 * tl_tile_layout_step:
 * @d_col: to the right, past the end of a row to the next
 * @d_row: down
 *
 * Returns: the tile that is there as seen from @index; @index where there is
 *   none
 */
guint tl_tile_layout_step (const TlTileLayout *layout, guint index, int d_col,
                           int d_row);

G_END_DECLS
