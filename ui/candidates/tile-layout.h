/* Places a grid of equal tiles in a widget. Plain arithmetic; any thread. */
#pragma once

#include <glib.h>

/* A plain value; lengths are in widget units. A tile is a picture with a
 * caption under it. */
typedef struct
{
  guint n;              /* tiles, in reading order */
  guint n_rows, n_cols; /* a shorter last row is centred */
  double width, height; /* of a picture */
  double caption;       /* its height, with the distance to the picture */
  double gap;           /* between two tiles, and around all */
} TlTileLayout;

/**
 * tl_tile_layout_init:
 * @caption: height of a caption, with the distance to the picture
 *
 * Chooses the numbers of rows and columns that make a square picture largest.
 * Odd numbers, which put the middle tile in the middle of the widget, are
 * preferred unless the pictures become much smaller.
 */
void tl_tile_layout_init (TlTileLayout *layout, guint n, double width,
                          double height, double caption, double gap);

/** tl_tile_layout_place: @x, @y: (out): upper left corner of a picture. */
void tl_tile_layout_place (const TlTileLayout *layout, guint index, double *x,
                           double *y);

/**
 * tl_tile_layout_find:
 *
 * Returns: the tile at @x, @y, its caption included; the number of tiles if
 *   there is none
 */
guint tl_tile_layout_find (const TlTileLayout *layout, double x, double y);

/**
 * tl_tile_layout_step:
 * @d_col: steps to the right, continuing in the next row
 * @d_row: steps down; ignores @d_col unless 0
 *
 * Returns: the tile so many steps from @index; @index if there is none
 */
guint tl_tile_layout_step (const TlTileLayout *layout, guint index, int d_col,
                           int d_row);
