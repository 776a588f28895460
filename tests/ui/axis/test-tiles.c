/* The layout of tiles in a widget. Needs no display. */
#include "ui/candidates/tile-layout.h"

#include <math.h>

#define CAPTION 24.0
#define GAP 6.0

static void
assert_inside (const TlTileLayout *layout, double width, double height)
{
  for (guint i = 0; i < layout->n; i++)
    {
      double x, y;

      tl_tile_layout_place (layout, i, &x, &y);
      g_assert_cmpfloat (x, >=, GAP);
      g_assert_cmpfloat (y, >=, GAP);
      g_assert_cmpfloat (x + layout->width + GAP, <=, width + 1e-9);
      g_assert_cmpfloat (y + layout->height + CAPTION + GAP, <=, height + 1e-9);
      g_assert_cmpuint (tl_tile_layout_find (layout, x, y), ==, i);
      g_assert_cmpuint (tl_tile_layout_find (layout, x + layout->width - 1,
                                             y + layout->height + CAPTION - 1),
                        ==, i);
      g_assert_cmpuint (tl_tile_layout_find (layout, x - 1, y), ==, layout->n);
      g_assert_cmpuint (tl_tile_layout_find (layout, x, y - 1), ==, layout->n);
    }
}

/* Tiles do not overlap, are not cut off, and are large enough to judge a
 * slice. */
static void
test_fill (void)
{
  static const guint ns[] = { 1, 2, 3, 5, 7, 9, 15, 25, 31, 49, 99, 201 };
  static const double sizes[][2] = { { 684, 560 }, { 940, 780 }, { 400, 900 } };

  for (guint i = 0; i < G_N_ELEMENTS (ns); i++)
    for (guint s = 0; s < G_N_ELEMENTS (sizes); s++)
      {
        TlTileLayout layout;
        double area;

        tl_tile_layout_init (&layout, ns[i], sizes[s][0], sizes[s][1], CAPTION,
                             GAP);
        g_assert_cmpuint (layout.n_rows * layout.n_cols, >=, ns[i]);
        g_assert_cmpuint ((layout.n_rows - 1) * layout.n_cols, <, ns[i]);
        assert_inside (&layout, sizes[s][0], sizes[s][1]);
        /* compares with a square, because the slice in a tile is square */
        area = pow (fmin (layout.width, layout.height), 2) * ns[i];
        g_assert_cmpfloat (area, >, 0.15 * sizes[s][0] * sizes[s][1]);
      }
}

/* The middle candidate is in the middle of the grid where this makes the tiles
 * little smaller. */
static void
test_middle (void)
{
  static const guint ns[] = { 9, 15, 25, 49 };

  for (guint i = 0; i < G_N_ELEMENTS (ns); i++)
    {
      TlTileLayout layout;
      double x, y;

      tl_tile_layout_init (&layout, ns[i], 940, 780, CAPTION, GAP);
      g_assert_cmpuint (layout.n_rows * layout.n_cols, ==, ns[i]);
      tl_tile_layout_place (&layout, ns[i] / 2, &x, &y);
      g_assert_cmpfloat_with_epsilon (x + layout.width / 2, 470, 8);
      g_assert_cmpfloat_with_epsilon (y + (layout.height + CAPTION) / 2, 390,
                                      8);
    }
}

static void
test_steps (void)
{
  TlTileLayout layout;

  tl_tile_layout_init (&layout, 9, 900, 900, CAPTION, GAP);
  g_assert_cmpuint (layout.n_cols, ==, 3);
  g_assert_cmpuint (tl_tile_layout_step (&layout, 4, 1, 0), ==, 5);
  g_assert_cmpuint (tl_tile_layout_step (&layout, 5, 1, 0), ==, 6);
  g_assert_cmpuint (tl_tile_layout_step (&layout, 8, 1, 0), ==, 8);
  g_assert_cmpuint (tl_tile_layout_step (&layout, 0, -1, 0), ==, 0);
  g_assert_cmpuint (tl_tile_layout_step (&layout, 4, 0, 1), ==, 7);
  g_assert_cmpuint (tl_tile_layout_step (&layout, 7, 0, 1), ==, 7);
  g_assert_cmpuint (tl_tile_layout_step (&layout, 4, 0, -1), ==, 1);
  /* the keys reach each tile of a shorter last row, and leave it again */
  tl_tile_layout_init (&layout, 8, 900, 900, CAPTION, GAP);
  g_assert_cmpuint (layout.n_cols, ==, 3);
  g_assert_cmpuint (tl_tile_layout_step (&layout, 3, 0, 1), ==, 6);
  g_assert_cmpuint (tl_tile_layout_step (&layout, 5, 0, 1), ==, 7);
  g_assert_cmpuint (tl_tile_layout_step (&layout, 6, 0, -1), ==, 3);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tiles/fill", test_fill);
  g_test_add_func ("/tiles/middle", test_middle);
  g_test_add_func ("/tiles/steps", test_steps);
  return g_test_run ();
}
