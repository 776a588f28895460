/* Draws two layers into one picture and checks, pixel by pixel, which one is
 * where and their difference. Each test runs with desktop OpenGL and with
 * OpenGL ES. */
#include "render/compare.h"
#include "tests/render/offscreen.h"
#include "tests/support/made-frame.h"

#include <math.h>
#include <string.h>

#define WIDTH 97
#define HEIGHT 64
#define LEVELS 1 /* the last bit of a colour depends on the driver */

static const TlSliceLook look = { .width = WIDTH,
                                  .height = HEIGHT,
                                  .low = -1,
                                  .high = 1,
                                  .outside = { 0.2F, 0.4F, 0.6F, 1 } };

/* Two layers, each with its own frame; A has 24 columns and 16 rows. */
typedef struct
{
  TlOffscreen *offscreen;
  TlSlicePass *pass;
  TlSliceLayer a, b;
  TlFrame *frame_a, *frame_b;
  guint8 got[4 * WIDTH * HEIGHT];
} Fixture;

#define N_ROWS 16
#define N_COLS 24

static void
show (TlSliceLayer *layer, TlFrame *frame, size_t pitch)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (tl_slice_layer_show (layer, frame, &error));
  g_assert_no_error (error);
  layer->pitch = (double)pitch;
  layer->row = layer->col = ((double)pitch - 1) / 2;
}

/* @pitch: pixel pitch of B in pixels of A. Returns: whether OpenGL is
 * available */
static gboolean
set_up (Fixture *fixture, gboolean es, size_t pitch)
{
  g_autoptr (GError) error = NULL;

  *fixture = (Fixture){ 0 };
  fixture->offscreen = offscreen_begin (es, WIDTH, HEIGHT);
  if (fixture->offscreen == NULL)
    return FALSE;
  fixture->pass = tl_slice_pass_new (&error);
  g_assert_no_error (error);
  fixture->frame_a = made_frame_new (FALSE, 1, N_ROWS, N_COLS);
  fixture->frame_b = made_frame_new (FALSE, 1, N_ROWS / pitch, N_COLS / pitch);
  show (&fixture->a, fixture->frame_a, 1);
  show (&fixture->b, fixture->frame_b, pitch);
  return TRUE;
}

static void
tear_down (Fixture *fixture)
{
  tl_slice_layer_clear (&fixture->a);
  tl_slice_layer_clear (&fixture->b);
  tl_slice_pass_free (fixture->pass);
  tl_frame_unref (fixture->frame_a);
  tl_frame_unref (fixture->frame_b);
  offscreen_end (fixture->offscreen);
}

static TlCamera
make_camera (double width, double zoom)
{
  TlCamera camera;

  tl_camera_init (&camera);
  tl_camera_resize (&camera, width, HEIGHT);
  tl_camera_set_picture (&camera, N_COLS, N_ROWS);
  /* Avoids symmetry, so that no sample lies between two pixels. */
  tl_camera_zoom (&camera, zoom, 31.7, 22.3);
  tl_camera_pan (&camera, 0.3, 0.2);
  return camera;
}

static void
draw_alone (Fixture *fixture, const TlSliceLayer *layer, const TlCamera *camera,
            const TlSliceLook *how, guint8 *rgba)
{
  tl_slice_layer_draw (layer, fixture->pass, camera, how);
  tl_offscreen_read (fixture->offscreen, rgba);
}

static void
copy_column (guint8 *to, int to_x, const guint8 *from, int from_x)
{
  for (int y = 0; y < HEIGHT; y++)
    memcpy (to + 4 * (y * WIDTH + to_x), from + 4 * (y * WIDTH + from_x), 4);
}

/* Left of the column is one layer, from the column on the other, exactly. */
static void
test_swipe (gconstpointer es)
{
  static const int columns[] = { -3, 0, 1, 40, WIDTH, WIDTH + 9 };
  guint8 a[4 * WIDTH * HEIGHT], b[4 * WIDTH * HEIGHT];
  TlCamera camera = make_camera (WIDTH, 1.63);
  Fixture fixture;

  if (!set_up (&fixture, es != NULL, 2))
    return;
  draw_alone (&fixture, &fixture.a, &camera, &look, a);
  draw_alone (&fixture, &fixture.b, &camera, &look, b);
  g_assert_cmpint (memcmp (a, b, sizeof a), !=, 0);
  for (guint i = 0; i < G_N_ELEMENTS (columns); i++)
    {
      guint8 want[4 * WIDTH * HEIGHT];

      for (int x = 0; x < WIDTH; x++)
        copy_column (want, x, x < columns[i] ? a : b, x);
      tl_compare_draw_swipe (&fixture.a, &fixture.b, fixture.pass, &camera,
                             &look, columns[i]);
      tl_offscreen_read (fixture.offscreen, fixture.got);
      picture_compare ("swipe", fixture.got, want, WIDTH, HEIGHT, 0);
    }
  tear_down (&fixture);
}

/* Each half is what its layer alone shows in a viewport of half the width.
 * The column between them is empty. */
static void
test_side_by_side (gconstpointer es)
{
  const int half = WIDTH / 2;
  TlSliceLook alone = look;
  TlCamera camera = make_camera (half, 1.63);
  guint8 a[4 * WIDTH * HEIGHT], b[4 * WIDTH * HEIGHT];
  guint8 want[4 * WIDTH * HEIGHT];
  Fixture fixture;

  if (!set_up (&fixture, es != NULL, 1))
    return;
  alone.width = half;
  draw_alone (&fixture, &fixture.a, &camera, &alone, a);
  draw_alone (&fixture, &fixture.b, &camera, &alone, b);
  for (int x = 0; x < half; x++)
    {
      copy_column (want, x, a, x);
      copy_column (want, WIDTH - half + x, b, x);
    }
  for (int y = 0; y < HEIGHT; y++)
    for (int k = 0; k < 4; k++)
      want[4 * (y * WIDTH + half) + k] = (guint8)(255 * look.outside[k] + 0.5F);
  tl_compare_draw_side_by_side (&fixture.a, &fixture.b, fixture.pass, &camera,
                                &look);
  tl_offscreen_read (fixture.offscreen, fixture.got);
  picture_compare ("side-by-side", fixture.got, want, WIDTH, HEIGHT, 0);
  tear_down (&fixture);
}

/* --- the difference --- */

/* The mean of @n x @n samples of @frame over a square of @extent about @col,
 * @row. Returns: %FALSE if there are none */
static gboolean
find_mean (TlFrame *frame, double col, double row, double extent, int n,
           double *mean)
{
  const double n_cols = (double)tl_frame_get_n_cols (frame);
  const double n_rows = (double)tl_frame_get_n_rows (frame);
  double sum = 0;
  int count = 0;

  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      {
        double c = floor (col + 0.5 + extent * ((i + 0.5) / n - 0.5));
        double r = floor (row + 0.5 + extent * ((j + 0.5) / n - 0.5));
        float value;

        if (c < 0 || r < 0 || c >= n_cols || r >= n_rows)
          continue;
        value = made_frame_get_data (frame)[(size_t)(r * n_cols + c)];
        if (!isfinite (value))
          continue;
        sum += value;
        count++;
      }
  *mean = sum / count;
  return count > 0;
}

static int
count_samples (double extent)
{
  return (int)CLAMP (ceil (extent - 1e-6), 1, 8);
}

static void
draw_difference (Fixture *fixture, const TlCamera *camera, guint8 *want)
{
  const double pitch = fixture->b.pitch;
  const double extent = fmax (1 / camera->scale / pitch, 1);

  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++)
      {
        guint8 *rgba = want + 4 * (y * WIDTH + x);
        double col, row, a, b;
        gboolean is_there;

        tl_camera_to_picture (camera, x + 0.5, y + 0.5, &col, &row);
        col = (col - fixture->b.col) / pitch;
        row = (row - fixture->b.row) / pitch;
        if (extent == 1)
          {
            col = floor (col + 0.5);
            row = floor (row + 0.5);
          }
        is_there = find_mean (fixture->frame_b, col, row, extent,
                              count_samples (extent), &b)
                   && find_mean (fixture->frame_a, col * pitch + fixture->b.col,
                                 row * pitch + fixture->b.row, extent * pitch,
                                 count_samples (extent * pitch), &a);
        for (int k = 0; k < 3; k++)
          rgba[k] = is_there
                        ? (guint8)(255 * CLAMP ((b - a + 1) / 2, 0, 1) + 0.5)
                        : (guint8)(255 * look.outside[k] + 0.5F);
        rgba[3] = 255;
      }
}

typedef struct
{
  const char *name;
  size_t pitch; /* pixel pitch of B: 1: the whole picture; more: a preview */
  double zoom;
} Case;

static const Case cases[] = {
  { "zoomed-in", 1, 1.63 }, { "zoomed-out", 1, 0.171 },  { "preview", 2, 1.63 },
  { "coarse", 4, 1.9 },     { "preview-small", 2, 0.2 },
};

static void
test_difference (gconstpointer data, gboolean es)
{
  const Case *c = data;
  TlCamera camera = make_camera (WIDTH, c->zoom);
  guint8 want[4 * WIDTH * HEIGHT];
  Fixture fixture;

  if (!set_up (&fixture, es, c->pitch))
    return;
  made_frame_get_data (fixture.frame_a)[3 * N_COLS + 5] = NAN;
  made_frame_get_data (fixture.frame_b)[1] = INFINITY;
  show (&fixture.a, fixture.frame_a, 1);
  show (&fixture.b, fixture.frame_b, c->pitch);
  tl_compare_draw_difference (&fixture.a, &fixture.b, fixture.pass, &camera,
                              &look);
  tl_offscreen_read (fixture.offscreen, fixture.got);
  draw_difference (&fixture, &camera, want);
  picture_compare (c->name, fixture.got, want, WIDTH, HEIGHT, LEVELS);
  tear_down (&fixture);
}

static void
test_difference_gl (gconstpointer data)
{
  test_difference (data, FALSE);
}

static void
test_difference_es (gconstpointer data)
{
  test_difference (data, TRUE);
}

/* Values computed by hand: 0.75 - 0.25 is three quarters of the way from -1
 * to 1, and the difference of a picture with itself is in the middle. */
static void
test_values (gconstpointer es)
{
  TlCamera camera = make_camera (WIDTH, 1.63);
  Fixture fixture;

  if (!set_up (&fixture, es != NULL, 1))
    return;
  for (guint i = 0; i < N_ROWS * N_COLS; i++)
    {
      made_frame_get_data (fixture.frame_a)[i] = 0.25F;
      made_frame_get_data (fixture.frame_b)[i] = 0.75F;
    }
  show (&fixture.a, fixture.frame_a, 1);
  show (&fixture.b, fixture.frame_b, 1);
  tl_compare_draw_difference (&fixture.a, &fixture.b, fixture.pass, &camera,
                              &look);
  tl_offscreen_read (fixture.offscreen, fixture.got);
  g_assert_cmpint (ABS (fixture.got[4 * (30 * WIDTH + 40)] - 191), <=, LEVELS);
  tl_compare_draw_difference (&fixture.b, &fixture.a, fixture.pass, &camera,
                              &look);
  tl_offscreen_read (fixture.offscreen, fixture.got);
  g_assert_cmpint (ABS (fixture.got[4 * (30 * WIDTH + 40)] - 64), <=, LEVELS);
  tl_compare_draw_difference (&fixture.b, &fixture.b, fixture.pass, &camera,
                              &look);
  tl_offscreen_read (fixture.offscreen, fixture.got);
  g_assert_cmpint (ABS (fixture.got[4 * (30 * WIDTH + 40)] - 128), <=, LEVELS);
  tear_down (&fixture);
}

/* --- one mirrored over the other --- */

/* Keys' cubic convolution of frame B. */
static double
read_cubic (const float *b, double col, double row)
{
  double sum = 0;

  for (int j = -1; j <= 2; j++)
    for (int i = -1; i <= 2; i++)
      {
        double at[2] = { floor (col) + i, floor (row) + j };
        double away[2] = { fabs (col - at[0]), fabs (row - at[1]) };
        double weight = 1;

        for (int k = 0; k < 2; k++)
          weight *= away[k] < 1
                        ? (1.5 * away[k] - 2.5) * away[k] * away[k] + 1
                        : ((-0.5 * away[k] + 2.5) * away[k] - 4) * away[k] + 2;
        sum += weight
               * b[(int)CLAMP (at[1], 0, N_ROWS - 1) * N_COLS
                   + (int)CLAMP (at[0], 0, N_COLS - 1)];
      }
  return sum;
}

static void
set_level (guint8 *rgba, guint channel, double value)
{
  rgba[channel] = (guint8)(CLAMP ((value + 1) / 2, 0, 1) * 255 + 0.5);
}

/* The second picture is mirrored about column 11.3 and slightly rotated. */
static const TlSliceSecond mirror = { .col = 21.4,
                                      .row = 0.7,
                                      .across = { -0.9986, 0.0523 },
                                      .down = { 0.0523, 0.9986 } };

static void
draw_mirrored (Fixture *fixture, const TlCamera *camera, TlSliceCombine combine,
               guint8 *want)
{
  const float *a = made_frame_get_data (fixture->frame_a);
  const float *b = made_frame_get_data (fixture->frame_b);

  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++)
      {
        guint8 *rgba = want + 4 * (y * WIDTH + x);
        double col, row, there[2], p, q;

        for (int k = 0; k < 4; k++)
          rgba[k] = (guint8)(look.outside[k] * 255 + 0.5F);
        tl_camera_to_picture (camera, x + 0.5, y + 0.5, &col, &row);
        col = floor (col + 0.5);
        row = floor (row + 0.5);
        if (col < 0 || col >= N_COLS || row < 0 || row >= N_ROWS)
          continue;
        there[0] = mirror.col + mirror.across[0] * col + mirror.down[0] * row;
        there[1] = mirror.row + mirror.across[1] * col + mirror.down[1] * row;
        if (there[0] < -0.5 || there[0] > N_COLS - 0.5 || there[1] < -0.5
            || there[1] > N_ROWS - 0.5)
          continue;
        p = a[(int)row * N_COLS + (int)col];
        q = read_cubic (b, there[0], there[1]);
        rgba[3] = 255;
        for (guint k = 0; k < 3; k++)
          set_level (rgba, k,
                     combine == TL_SLICE_MORE       ? q - p
                     : combine == TL_SLICE_MEAN     ? (p + q) / 2
                     : combine == TL_SLICE_RED_CYAN ? (k == 0 ? p : q)
                                                    : q);
      }
}

/* Each way to combine the pictures, pixel by pixel. */
static void
test_mirrored (gconstpointer es)
{
  static const char *const names[] = { [TL_SLICE_MORE] = "mirrored-more",
                                       [TL_SLICE_MEAN] = "mirrored-mean",
                                       [TL_SLICE_RED_CYAN] = "mirrored-red",
                                       [TL_SLICE_SECOND] = "mirrored-second" };
  TlCamera camera = make_camera (WIDTH, 1.63);
  guint8 want[4 * WIDTH * HEIGHT];
  Fixture fixture;

  if (!set_up (&fixture, es != NULL, 1))
    return;
  for (guint combine = TL_SLICE_MORE; combine <= TL_SLICE_SECOND; combine++)
    {
      TlSliceSecond second = mirror;

      second.combine = combine;
      tl_compare_draw_overlay (&fixture.a, &fixture.b, &second, fixture.pass,
                               &camera, &look);
      tl_offscreen_read (fixture.offscreen, fixture.got);
      draw_mirrored (&fixture, &camera, combine, want);
      picture_compare (names[combine], fixture.got, want, WIDTH, HEIGHT,
                       LEVELS);
    }
  tear_down (&fixture);
}

/* When a screen pixel covers several pixels, the mean is taken of both
 * pictures. The test picture is a slope, so its mean is the slope. */
static void
test_mirrored_small (gconstpointer es)
{
  TlCamera camera = make_camera (WIDTH, 0.1);
  TlSliceSecond second = mirror;
  Fixture fixture;
  guint n = 0;

  if (!set_up (&fixture, es != NULL, 1))
    return;
  for (guint i = 0; i < N_ROWS * N_COLS; i++)
    {
      made_frame_get_data (fixture.frame_a)[i] = 0;
      made_frame_get_data (fixture.frame_b)[i] = (float)(i % N_COLS) / N_COLS;
    }
  show (&fixture.a, fixture.frame_a, 1);
  show (&fixture.b, fixture.frame_b, 1);
  second.combine = TL_SLICE_MORE;
  tl_compare_draw_overlay (&fixture.a, &fixture.b, &second, fixture.pass,
                           &camera, &look);
  tl_offscreen_read (fixture.offscreen, fixture.got);
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++)
      {
        double col, row, value;

        tl_camera_to_picture (&camera, x + 0.5, y + 0.5, &col, &row);
        value = mirror.col + mirror.across[0] * col + mirror.down[0] * row;
        if (col < 3 || col > 17 || row < 3 || row > N_ROWS - 4)
          continue;
        n++;
        value = (value / N_COLS + 1) / 2 * 255;
        g_assert_cmpfloat_with_epsilon (fixture.got[4 * (y * WIDTH + x)], value,
                                        2);
      }
  g_assert_cmpuint (n, >, 3);
  tear_down (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *gl =
          g_strconcat ("/render/gl/difference/", cases[i].name, NULL);
      g_autofree char *gles =
          g_strconcat ("/render/gles/difference/", cases[i].name, NULL);

      g_test_add_data_func (gl, &cases[i], test_difference_gl);
      g_test_add_data_func (gles, &cases[i], test_difference_es);
    }
#define ADD(name, function)                                                    \
  g_test_add_data_func ("/render/gl/" name, NULL, function);                   \
  g_test_add_data_func ("/render/gles/" name, "es", function)
  ADD ("swipe", test_swipe);
  ADD ("side-by-side", test_side_by_side);
  ADD ("values", test_values);
  ADD ("mirrored", test_mirrored);
  ADD ("mirrored-small", test_mirrored_small);
#undef ADD
  return g_test_run ();
}
