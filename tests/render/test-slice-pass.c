/* Compares drawn pixels with plain arithmetic, and tests how a frame gets
 * into the texture. Each test runs with desktop OpenGL and with OpenGL ES. */
#include "data/error.h"
#include "render/program.h"
#include "render/slice-pass.h"
#include "tests/render/offscreen.h"
#include "tests/support/made-frame.h"

#include <math.h>
#include <string.h>

#define WIDTH 97
#define HEIGHT 64

/* One level: the last bit of a colour depends on the driver. */
#define LEVELS 1
/* With another driver, rounding may also choose the neighbouring sample. */
#define STORED_LEVELS 3

/* --- plain arithmetic --- */

static gboolean
sample (TlFrame *frame, size_t slice, double col, double row, double *value)
{
  size_t n_rows = tl_frame_get_n_rows (frame);
  size_t n_cols = tl_frame_get_n_cols (frame);
  double c = floor (col + 0.5), r = floor (row + 0.5);

  if (c < 0 || r < 0 || c >= (double)n_cols || r >= (double)n_rows)
    return FALSE;
  *value = made_frame_get_data (
      frame)[(slice * n_rows + (size_t)r) * n_cols + (size_t)c];
  return isfinite (*value);
}

static void
draw_pixel (TlFrame *frame, size_t slice, const TlCamera *camera,
            const TlSliceLook *look, int x, int y, guint8 *rgba)
{
  guint8 colours[4 * TL_COLORMAP_SIZE];
  int taps = (int)CLAMP (ceil (1 / camera->scale - 1e-6), 1, 8), n = 0;
  double sum = 0, t, col, row, value;

  for (int j = 0; j < taps; j++)
    for (int i = 0; i < taps; i++)
      {
        tl_camera_to_picture (camera, x + (i + 0.5) / taps,
                              y + (j + 0.5) / taps, &col, &row);
        if (sample (frame, slice, col, row, &value))
          {
            sum += value;
            n++;
          }
      }
  for (int c = 0; c < 4; c++)
    rgba[c] = (guint8)(255 * look->outside[c] + 0.5F);
  if (n == 0)
    return;
  tl_colormap_fill (look->colormap, colours);
  t = 255
      * CLAMP ((sum / n - look->low) / ((double)look->high - look->low), 0, 1);
  for (int c = 0; c < 4; c++)
    {
      int below = (int)t, above = MIN (below + 1, 255);

      rgba[c] = (guint8)((1 - (t - below)) * colours[4 * below + c]
                         + (t - below) * colours[4 * above + c] + 0.5);
    }
}

/* --- cases --- */

typedef struct
{
  const char *name;
  gboolean es;
  size_t n_rows, n_cols;
  double zoom; /* relative to the fitted picture */
  double dx, dy;
  TlColormap colormap;
  gboolean holes; /* some pixels are NaN */
  float low, high;
} Case;

static TlCamera
make_camera (const Case *c)
{
  TlCamera camera;

  tl_camera_init (&camera);
  tl_camera_resize (&camera, WIDTH, HEIGHT);
  tl_camera_set_picture (&camera, c->n_cols, c->n_rows);
  if (c->zoom != 0)
    {
      /* Avoids symmetry, so that no sample lies between two pixels. */
      tl_camera_zoom (&camera, c->zoom, 31.7, 22.3);
      tl_camera_pan (&camera, c->dx, c->dy);
    }
  return camera;
}

static TlOffscreen *
begin (gboolean es)
{
  return offscreen_begin (es, WIDTH, HEIGHT);
}

static void
draw (TlTexture *texture, const TlCamera *camera, const TlSliceLook *look)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TlSlicePass) pass = tl_slice_pass_new (&error);

  g_assert_no_error (error);
  tl_slice_pass_draw (pass, texture, NULL, camera, look);
  /* Draws again, now that the colour map is in its texture. */
  tl_slice_pass_draw (pass, texture, NULL, camera, look);
}

static void
test_draw (gconstpointer data)
{
  const Case *c = data;
  TlOffscreen *offscreen = begin (c->es);
  TlSliceLook look = { WIDTH,   HEIGHT,      c->low,
                       c->high, c->colormap, { 0.2F, 0.4F, 0.6F, 0.8F } };
  TlCamera camera = make_camera (c);
  guint8 got[4 * WIDTH * HEIGHT], want[4 * WIDTH * HEIGHT];
  g_autoptr (GError) error = NULL;

  if (offscreen == NULL)
    return;
  {
    g_autoptr (TlTexture) texture = tl_texture_new ();
    g_autoptr (TlFrame) frame = made_frame_new (FALSE, 2, c->n_rows, c->n_cols);

    for (size_t i = 0; c->holes && i < 2 * c->n_rows * c->n_cols; i += 7)
      made_frame_get_data (frame)[i] = i % 2 == 0 ? NAN : INFINITY;
    g_assert_true (tl_texture_show (texture, frame, 1, &error));
    g_assert_no_error (error);
    draw (texture, &camera, &look);
    tl_offscreen_read (offscreen, got);
    for (int y = 0; y < HEIGHT; y++)
      for (int x = 0; x < WIDTH; x++)
        draw_pixel (frame, 1, &camera, &look, x, y, want + 4 * (y * WIDTH + x));
  }
  picture_compare (c->name, got, want, WIDTH, HEIGHT, LEVELS);
  offscreen_end (offscreen);
}

/* A part drawn above the picture covers only its own place. */
static void
test_above (gconstpointer es)
{
  TlOffscreen *offscreen = begin (es != NULL);
  TlSliceLook look = { WIDTH, HEIGHT,           -1,
                       1,     TL_COLORMAP_GREY, { 0.2F, 0.4F, 0.6F, 0.8F } };
  TlCamera camera, onto;
  guint8 before[4 * WIDTH * HEIGHT], got[4 * WIDTH * HEIGHT];

  if (offscreen == NULL)
    return;
  tl_camera_init (&camera);
  tl_camera_resize (&camera, WIDTH, HEIGHT);
  tl_camera_set_picture (&camera, WIDTH / 4, HEIGHT / 4);
  camera.col =
      WIDTH / 8.0
      - 0.5; /* the picture's left edge is at the viewport's left edge */
  {
    g_autoptr (TlTexture) picture = tl_texture_new ();
    g_autoptr (TlTexture) part = tl_texture_new ();
    g_autoptr (TlFrame) whole =
        made_frame_new (FALSE, 1, HEIGHT / 4, WIDTH / 4);
    g_autoptr (TlFrame) white = made_frame_new (FALSE, 1, 6, 10);

    for (guint i = 0; i < 60; i++)
      made_frame_get_data (white)[i] = 1;
    g_assert_true (tl_texture_show (picture, whole, 0, NULL));
    g_assert_true (tl_texture_show (part, white, 0, NULL));
    draw (picture, &camera, &look);
    tl_offscreen_read (offscreen, before);
    look.is_above = TRUE;
    /* The part has two pixels per picture pixel and begins at the left edge
     * of column 5, row 3. */
    onto = tl_camera_onto (&camera, 4.75, 2.75, 0.5, 10, 6);
    draw (part, &onto, &look);
    tl_offscreen_read (offscreen, got);
  }
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++)
      {
        double col, row;
        gboolean is_part;

        tl_camera_to_picture (&camera, x + 0.5, y + 0.5, &col, &row);
        is_part = col > 4.5 && col < 9.5 && row > 2.5 && row < 5.5;
        for (int k = 0; k < 4; k++)
          g_assert_cmpuint (got[4 * (y * WIDTH + x) + k], ==,
                            is_part ? 255 : before[4 * (y * WIDTH + x) + k]);
      }
  offscreen_end (offscreen);
}

/* Two rows of three distinct pixels: the first row is on top, the first
 * column on the left. */
static void
test_orientation (gconstpointer es)
{
  TlOffscreen *offscreen = begin (es != NULL);
  static const float values[6] = { 0.1F, 0.2F, 0.3F, 0.4F, 0.5F, 0.6F };
  TlSliceLook look = { .width = WIDTH, .height = HEIGHT, .high = 1 };
  TlCamera camera = make_camera (&(Case){ .n_rows = 2, .n_cols = 3 });
  guint8 got[4 * WIDTH * HEIGHT];
  g_autoptr (GError) error = NULL;

  if (offscreen == NULL)
    return;
  {
    g_autoptr (TlTexture) texture = tl_texture_new ();
    g_autoptr (TlFrame) frame = made_frame_new (FALSE, 1, 2, 3);

    memcpy (made_frame_get_data (frame), values, sizeof values);
    g_assert_true (tl_texture_show (texture, frame, 0, &error));
    g_assert_no_error (error);
    draw (texture, &camera, &look);
  }
  tl_offscreen_read (offscreen, got);
  /* In a viewport of 97 x 64 the picture is 96 wide, starts at 0.5, and a
   * pixel has 32. */
  for (int row = 0; row < 2; row++)
    for (int col = 0; col < 3; col++)
      for (int corner = 0; corner < 4; corner++)
        {
          int x = 1 + 32 * col + (corner % 2 == 0 ? 0 : 30);
          int y = 32 * row + (corner < 2 ? 0 : 31);
          int level = got[4 * (y * WIDTH + x)];

          g_assert_cmpint (ABS (level - 255 * values[3 * row + col]), <=, 1);
        }
  offscreen_end (offscreen);
}

/* Compares a smooth colour picture with a stored one that was inspected by
 * eye. */
static void
test_stored (gconstpointer es)
{
  const Case c = { .n_rows = 160, .n_cols = 200, .zoom = 1.1, .dx = 9 };
  TlOffscreen *offscreen = begin (es != NULL);
  TlSliceLook look = {
    WIDTH, HEIGHT, -1, 1, TL_COLORMAP_VIRIDIS, { 0.5F, 0.5F, 0.5F, 1 }
  };
  TlCamera camera = make_camera (&c);
  guint8 got[4 * WIDTH * HEIGHT];
  g_autofree guint8 *want = picture_load ("slice-pass", WIDTH, HEIGHT);
  g_autoptr (GError) error = NULL;

  if (offscreen == NULL)
    return;
  {
    g_autoptr (TlTexture) texture = tl_texture_new ();
    g_autoptr (TlFrame) frame = made_frame_new (FALSE, 1, c.n_rows, c.n_cols);

    for (size_t row = 0; row < c.n_rows; row++)
      for (size_t col = 0; col < c.n_cols; col++)
        made_frame_get_data (frame)[row * c.n_cols + col] =
            (float)(cos ((double)col / 17) * sin ((double)row / 23)
                    + 0.002 * (double)row);
    g_assert_true (tl_texture_show (texture, frame, 0, &error));
    g_assert_no_error (error);
    draw (texture, &camera, &look);
  }
  tl_offscreen_read (offscreen, got);
  if (want == NULL)
    want = g_malloc0 (sizeof got);
  picture_compare ("slice-pass", got, want, WIDTH, HEIGHT, STORED_LEVELS);
  offscreen_end (offscreen);
}

/* If the device refuses interop, the pixels are fetched and the reason is
 * kept. A lost device is an error. */
static void
test_copy (gconstpointer es)
{
  TlOffscreen *offscreen = begin (es != NULL);
  g_autoptr (GError) error = NULL;

  if (offscreen == NULL)
    return;
  {
    g_autoptr (TlTexture) texture = tl_texture_new ();
    g_autoptr (TlFrame) host = made_frame_new (FALSE, 1, 5, 7);
    g_autoptr (TlFrame) device = made_frame_new (TRUE, 1, 11, 3);
    g_autoptr (TlFrame) lost = made_frame_new (TRUE, 1, 11, 3);

    made_frame_lose (lost);
    g_assert_null (tl_texture_get_path (texture));
    g_assert_true (tl_texture_show (texture, host, 0, &error));
    g_assert_cmpstr (tl_texture_get_path (texture), ==, "copy: in host memory");
    g_assert_true (tl_texture_show (texture, device, 0, &error));
    g_assert_cmpstr (tl_texture_get_path (texture), ==, "copy: no such luck");
    g_assert_false (tl_texture_is_interop (texture));
    g_assert_nonnull (tl_frame_get_pixels (device));
    g_assert_false (tl_texture_show (texture, lost, 0, &error));
    g_assert_error (error, TL_ERROR, TL_ERROR_DEVICE);
  }
  offscreen_end (offscreen);
}

static void
test_too_large (gconstpointer es)
{
  TlOffscreen *offscreen = begin (es != NULL);
  g_autoptr (GError) error = NULL;

  if (offscreen == NULL)
    return;
  {
    g_autoptr (TlTexture) texture = tl_texture_new ();
    /* A million columns are more than any OpenGL supports. */
    g_autoptr (TlFrame) frame = made_frame_new (FALSE, 1, 1, 1024 * 1024);

    g_assert_false (tl_texture_show (texture, frame, 0, &error));
    g_assert_error (error, TL_ERROR, TL_ERROR_UNSUPPORTED);
    g_assert_nonnull (strstr (error->message, "1048576 x 1 "));
  }
  offscreen_end (offscreen);
}

static const Case cases[] = {
  { "one-pixel", FALSE, 1, 1, 1.01, 0.3, 0.2, TL_COLORMAP_GREY, FALSE, -1, 1 },
  { "zoomed-in", FALSE, 13, 17, 1.63, 3.3, 2.1, TL_COLORMAP_GREY, FALSE, -1,
    1 },
  { "at-an-edge", FALSE, 13, 17, 2.9, 61.1, 40.7, TL_COLORMAP_MAGMA, FALSE,
    -0.3F, 0.4F },
  { "one-to-one", FALSE, 64, 97, 1.0001, 0.31, 0.23, TL_COLORMAP_INVERTED,
    FALSE, -1, 1 },
  { "zoomed-out", FALSE, 211, 307, 0.93, 0.7, 0.2, TL_COLORMAP_GREY, FALSE,
    -0.5F, 0.5F },
  { "far-out", FALSE, 640, 977, 0.51, 1.1, 2.3, TL_COLORMAP_VIRIDIS, FALSE,
    -0.2F, 0.2F },
  { "holes", FALSE, 13, 17, 1.63, 3.3, 2.1, TL_COLORMAP_BONE, TRUE, -1, 1 },
};

int
main (int argc, char **argv)
{
  Case es_cases[G_N_ELEMENTS (cases)];

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *gl =
          g_strconcat ("/render/gl/draw/", cases[i].name, NULL);
      g_autofree char *gles =
          g_strconcat ("/render/gles/draw/", cases[i].name, NULL);

      es_cases[i] = cases[i];
      es_cases[i].es = TRUE;
      g_test_add_data_func (gl, &cases[i], test_draw);
      g_test_add_data_func (gles, &es_cases[i], test_draw);
    }
#define ADD(name, function)                                                    \
  g_test_add_data_func ("/render/gl/" name, NULL, function);                   \
  g_test_add_data_func ("/render/gles/" name, "es", function)
  ADD ("above", test_above);
  ADD ("orientation", test_orientation);
  ADD ("stored", test_stored);
  ADD ("copy", test_copy);
  ADD ("too-large", test_too_large);
#undef ADD
  return g_test_run ();
}
