/* Frames of each engine in textures: what OpenGL has is what the engine made,
 * whether it came by interop or by a copy. */
#include "render/texture.h"
#include "render/volume-texture.h"
#include "tests/render/offscreen.h"
#include "tests/support/engines.h"
#include "tests/support/scans.h"

#include <epoxy/gl.h>
#include <string.h>

/* Odd sizes: a row does not fill the alignment of a device. */
enum
{
  N_PROJECTIONS = 19,
  N_ROWS = 21,
  N_COLS = 45
};

/* Returns: (transfer full): all slices of a scan, not fetched */
static TlFrame *
make_frame (TlEngine *engine, size_t n_rows)
{
  g_autoptr (TlTestScan) scan =
      tl_test_scan_new_noise (N_PROJECTIONS, n_rows, N_COLS);
  const TlParams params = tl_test_params (scan);
  g_autoptr (GError) error = NULL;

  tl_engine_load (engine, &scan->block, &error);
  g_assert_no_error (error);
  TlFrame *frame = tl_engine_reconstruct (engine, &params, NULL, &error);
  g_assert_no_error (error);
  return frame;
}

/* @pixels: [@n] of the frame, from its slice @slice on */
static void
assert_texture (guint target, guint name, TlFrame *frame, size_t slice,
                size_t n)
{
  g_autofree float *got = g_new (float, n + 1);
  g_autoptr (GError) error = NULL;

  got[n] = 4711;
  glBindTexture (target, name);
  glPixelStorei (GL_PACK_ALIGNMENT, 4);
  glGetTexImage (target, 0, GL_RED, GL_FLOAT, got);
  glBindTexture (target, 0);
  g_assert_cmpfloat (got[n], ==, 4711);
  tl_frame_fetch (frame, &error);
  g_assert_no_error (error);
  g_assert_cmpmem (got, n * sizeof *got,
                   tl_frame_get_pixels (frame) + slice * N_COLS * N_COLS,
                   n * sizeof *got);
}

/* The case was not tested, and must be where TL_NEEDS_INTEROP is set. */
static void
skip (const char *reason)
{
  if (g_getenv ("TL_NEEDS_INTEROP") != NULL)
    g_test_fail_printf ("interop is needed here: %s", reason);
  else
    g_test_skip (reason);
}

/* Says which way was tested, and skips the case if a device had to copy. */
static void
tell_path (TlFrame *frame, const char *path)
{
  g_test_message ("%s", path);
  if (tl_frame_is_on_device (frame) && strcmp (path, "interop") != 0)
    skip (path);
}

/* Returns: (transfer full) (nullable): %NULL if the case was skipped */
static TlOffscreen *
begin (void)
{
  TlOffscreen *offscreen = offscreen_begin (FALSE, 8, 8);

  if (offscreen == NULL)
    skip ("no OpenGL");
  return offscreen;
}

static void
test_volume (gconstpointer data)
{
  static const size_t n_rows[] = { N_ROWS, N_ROWS, 2 };
  static const TlCircle circle = { 0, 0, 1 };
  TlEngine *engine = tl_test_get_engine (data);
  TlOffscreen *offscreen = begin ();
  g_autoptr (GError) error = NULL;

  if (offscreen == NULL)
    return;
  TlVolumeTexture *texture = tl_volume_texture_new ();
  /* twice with the same storage, and then with another one */
  for (guint k = 0; k < G_N_ELEMENTS (n_rows); k++)
    {
      g_autoptr (TlFrame) frame = make_frame (engine, n_rows[k]);

      tl_volume_texture_show (texture, frame, 1, &circle, &error);
      g_assert_no_error (error);
      assert_texture (GL_TEXTURE_3D, tl_volume_texture_get_name (texture),
                      frame, 0, n_rows[k] * N_COLS * N_COLS);
      tell_path (frame, tl_volume_texture_get_path (texture));
    }
  tl_volume_texture_free (texture);
  offscreen_end (offscreen);
}

static void
test_slice (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  TlOffscreen *offscreen = begin ();
  g_autoptr (GError) error = NULL;

  if (offscreen == NULL)
    return;
  TlTexture *texture = tl_texture_new ();
  g_autoptr (TlFrame) frame = make_frame (engine, N_ROWS);
  for (size_t slice = 0; slice < N_ROWS; slice += 10)
    {
      tl_texture_show (texture, frame, slice, &error);
      g_assert_no_error (error);
      assert_texture (GL_TEXTURE_2D, tl_texture_get_name (texture), frame,
                      slice, (size_t)N_COLS * N_COLS);
    }
  tell_path (frame, tl_texture_get_path (texture));
  tl_texture_free (texture);
  offscreen_end (offscreen);
}

/* A texture outlives the engine that has filled it, and takes the frames of the
 * next one. */
static void
test_reopened (gconstpointer data)
{
  const char *name = tl_engine_get_name (tl_test_get_engine (data));
  static const TlCircle circle = { 0, 0, 1 };
  TlOffscreen *offscreen = begin ();
  g_autoptr (GError) error = NULL;

  if (offscreen == NULL)
    return;
  TlVolumeTexture *texture = tl_volume_texture_new ();
  for (guint k = 0; k < 2; k++)
    {
      TlEngine *engine = tl_engine_open (name, &error);
      g_assert_no_error (error);
      g_autoptr (TlFrame) frame = make_frame (engine, N_ROWS);
      tl_engine_close (engine);
      tl_volume_texture_show (texture, frame, 1, &circle, &error);
      g_assert_no_error (error);
      assert_texture (GL_TEXTURE_3D, tl_volume_texture_get_name (texture),
                      frame, 0, (size_t)N_ROWS * N_COLS * N_COLS);
      tell_path (frame, tl_volume_texture_get_path (texture));
    }
  tl_volume_texture_free (texture);
  offscreen_end (offscreen);
}

/* Without a device no other case of one is there. */
static void
test_device (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TlEngine) engine = tl_engine_open ("cuda", &error);

  if (engine == NULL)
    skip (error->message);
}

static void
add_cases (TlEngine *engine)
{
  static const TlTestCase cases[] = {
    { "interop/volume", test_volume },
    { "interop/slice", test_slice },
    { "interop/reopened", test_reopened },
  };

  tl_test_add_cases (engine, cases, G_N_ELEMENTS (cases));
  if (strcmp (tl_engine_get_name (engine), "host") == 0)
    g_test_add_func ("/cuda/interop/device", test_device);
}

int
main (int argc, char **argv)
{
  return tl_test_run_engines (argc, argv, add_cases);
}
