/* Tests the colours of values, without a display. */
#include "gpu/backend/frame.h"
#include "render/tint.h"

#include <math.h>
#include <string.h>

#define N_ROWS 3
#define N_COLS 5

static TlFrame *
create_frame (const float *values)
{
  g_autoptr (GError) error = NULL;
  float *pixels;
  TlFrame *frame = tl_frame_new (N_ROWS, N_COLS, &pixels, &error);

  g_assert_no_error (error);
  memcpy (pixels, values, sizeof (float) * N_ROWS * N_COLS);
  return frame;
}

/* Values at both ends, beyond them, and between. */
static void
test_grey (void)
{
  static const float values[N_ROWS * N_COLS] = {
    -1, 0, 1, 2, 3, 7, 8, 9, 12, 13, 14, 15, 16, 1e30F, -1e30F,
  };
  g_autoptr (TlFrame) frame = create_frame (values);
  g_autofree guint8 *rgba = NULL;
  size_t n_rows, n_cols;

  rgba = tl_tint_frame (frame, TL_COLORMAP_GREY, 0, 15, &n_rows, &n_cols);
  g_assert_cmpuint (n_rows, ==, N_ROWS);
  g_assert_cmpuint (n_cols, ==, N_COLS);
  for (size_t i = 0; i < N_ROWS * N_COLS; i++)
    {
      guint want = (guint)(CLAMP (values[i], 0, 15) * 17);

      for (size_t c = 0; c < 3; c++)
        g_assert_cmpuint (rgba[4 * i + c], ==, want);
      g_assert_cmpuint (rgba[4 * i + 3], ==, 255);
    }
}

static void
test_colours (void)
{
  static const float values[N_ROWS * N_COLS] = { -2, -1, 0, 1, 2 };

  for (guint colormap = 0; colormap < TL_N_COLORMAPS; colormap++)
    {
      g_autoptr (TlFrame) frame = create_frame (values);
      g_autofree guint8 *rgba = NULL;
      guint8 map[4 * TL_COLORMAP_SIZE];
      size_t n_rows, n_cols;

      tl_colormap_fill (colormap, map);
      rgba = tl_tint_frame (frame, colormap, -1, 1, &n_rows, &n_cols);
      g_assert_cmpmem (rgba, 4, map, 4);
      g_assert_cmpmem (rgba + 4, 4, map, 4);
      g_assert_cmpmem (rgba + 8, 4, map + 4 * 128, 4); /* 127.5 is rounded up */
      g_assert_cmpmem (rgba + 12, 4, map + 4 * 255, 4);
      g_assert_cmpmem (rgba + 16, 4, map + 4 * 255, 4);
    }
}

/* NaN and infinity are transparent. */
static void
test_not_finite (void)
{
  const float values[N_ROWS * N_COLS] = { NAN, INFINITY, -INFINITY, 0.5F };
  static const guint8 nothing[12] = { 0 };
  g_autoptr (TlFrame) frame = create_frame (values);
  g_autofree guint8 *rgba = NULL;
  size_t n_rows, n_cols;

  rgba = tl_tint_frame (frame, TL_COLORMAP_VIRIDIS, 0, 1, &n_rows, &n_cols);
  g_assert_cmpmem (rgba, 12, nothing, 12);
  g_assert_cmpuint (rgba[15], ==, 255);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tint/grey", test_grey);
  g_test_add_func ("/tint/colours", test_colours);
  g_test_add_func ("/tint/not-finite", test_not_finite);
  return g_test_run ();
}
