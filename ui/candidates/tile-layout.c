#include "ui/candidates/tile-layout.h"

#include <math.h>

/* A layout with a tile in the middle wins over pictures larger by less than
 * this factor. */
#define MIDDLE_BONUS 1.25

static guint
count_rows (guint n, guint n_cols)
{
  return (n + n_cols - 1) / n_cols;
}

static void
set_columns (TlTileLayout *layout, guint n_cols, double width, double height)
{
  layout->n_cols = n_cols;
  layout->n_rows = count_rows (layout->n, n_cols);
  layout->width = floor ((width - layout->gap) / n_cols - layout->gap);
  layout->height = floor ((height - layout->gap) / layout->n_rows - layout->gap
                          - layout->caption);
}

static double
rate (const TlTileLayout *layout)
{
  double size = fmin (layout->width, layout->height);
  gboolean has_middle = layout->n_rows % 2 == 1 && layout->n_cols % 2 == 1
                        && layout->n_rows * layout->n_cols == layout->n;

  return has_middle ? size * MIDDLE_BONUS : size;
}

void
tl_tile_layout_init (TlTileLayout *layout, guint n, double width, double height,
                     double caption, double gap)
{
  guint best = 1;
  double best_rate = -G_MAXDOUBLE;

  *layout = (TlTileLayout){ .n = n, .caption = caption, .gap = gap };
  for (guint n_cols = 1; n_cols <= n; n_cols++)
    {
      set_columns (layout, n_cols, width, height);
      if (rate (layout) > best_rate)
        {
          best = n_cols;
          best_rate = rate (layout);
        }
    }
  set_columns (layout, best, width, height);
  /* the window may be too small for all tiles */
  layout->width = fmax (layout->width, 1);
  layout->height = fmax (layout->height, 1);
}

/* Returns: offset that centres a row, widget units */
static double
indent (const TlTileLayout *layout, guint row)
{
  guint n_less = row + 1 == layout->n_rows
                     ? layout->n_rows * layout->n_cols - layout->n
                     : 0;

  return n_less * (layout->width + layout->gap) / 2;
}

void
tl_tile_layout_place (const TlTileLayout *layout, guint index, double *x,
                      double *y)
{
  guint row = index / layout->n_cols;
  guint col = index % layout->n_cols;

  *x = floor (layout->gap + indent (layout, row)
              + col * (layout->width + layout->gap));
  *y = layout->gap + row * (layout->height + layout->caption + layout->gap);
}

guint
tl_tile_layout_find (const TlTileLayout *layout, double x, double y)
{
  for (guint i = 0; i < layout->n; i++)
    {
      double left, top;

      tl_tile_layout_place (layout, i, &left, &top);
      if (x >= left && x < left + layout->width && y >= top
          && y < top + layout->height + layout->caption)
        return i;
    }
  return layout->n;
}

/* Returns: the tile of the other row that is nearest in x; the last row is
 * centred, so its columns may lie elsewhere */
static guint
step_row (const TlTileLayout *layout, guint index, int d_row)
{
  gint64 row = (gint64)(index / layout->n_cols) + d_row;
  guint nearest = index;
  double x, y, distance = G_MAXDOUBLE;

  if (row < 0 || row >= (gint64)layout->n_rows)
    return index;
  tl_tile_layout_place (layout, index, &x, &y);
  for (guint i = (guint)row * layout->n_cols;
       i < MIN (((guint)row + 1) * layout->n_cols, layout->n); i++)
    {
      double there_x, there_y;

      tl_tile_layout_place (layout, i, &there_x, &there_y);
      if (fabs (there_x - x) < distance)
        {
          nearest = i;
          distance = fabs (there_x - x);
        }
    }
  return nearest;
}

guint
tl_tile_layout_step (const TlTileLayout *layout, guint index, int d_col,
                     int d_row)
{
  gint64 next = (gint64)index + d_col;

  if (d_row != 0)
    index = step_row (layout, index, d_row);
  else if (next >= 0 && next < (gint64)layout->n)
    index = (guint)next;
  return index;
}
