/* Reduced pictures during a drag, and the whole one after it: what is shown
 * when, and how outdated requests are dropped. */
#include "app/session/session.h"

#include "app/recon/recon.h"
#include "app/recon/subsampled-private.h"
#include "data/error.h"
#include "tests/app/cli/cli-fixture.h"
#include "tests/app/scratch.h"
#include "tests/app/session/session-fixture.h"
#include "tests/support/made-frame.h"
#include "tests/support/wrapped.h"

#include <math.h>

/* Replaces functions of the program (see meson.build). */
static gint holds_whole;   /* atomic: whole pictures run until cancelled */
static gint holds_reduced; /* atomic: reduced pictures wait while it is set */
static gint n_held;        /* atomic: whole pictures that waited */
static gint
    is_too_much; /* atomic: subsampled projections do not fit in memory */

gboolean __wrap_tl_subsampled_check_size (const TlScanInfo *info,
                                          const TlParams *params, size_t row,
                                          guint every, GError **error);

gboolean
__wrap_tl_subsampled_check_size (const TlScanInfo *info, const TlParams *params,
                                 size_t row, guint every, GError **error)
{
  if (!g_atomic_int_get (&is_too_much))
    return TRUE;
  g_set_error_literal (error, TL_ERROR, TL_ERROR_MEMORY, "too much");
  return FALSE;
}

/* Also asserts that the filter passes no frequency that the grid cannot show.
 */
TlFrame *
__wrap_tl_engine_reconstruct (TlEngine *engine, const TlParams *params,
                              GCancellable *cancellable, GError **error)
{
  g_assert_cmpfloat (params->band_limit * params->grid.pitch, <=, 1);
  while (params->grid.pitch > 1 && g_atomic_int_get (&holds_reduced))
    g_usleep (1000);
  if (params->grid.pitch == 1 && g_atomic_int_get (&holds_whole))
    {
      g_atomic_int_inc (&n_held);
      tl_wait_for_cancelling (cancellable);
    }
  return __real_tl_engine_reconstruct (engine, params, cancellable, error);
}

static void
set_up (TlFixture *fixture, gconstpointer data)
{
  g_atomic_int_set (&holds_whole, FALSE);
  g_atomic_int_set (&holds_reduced, FALSE);
  g_atomic_int_set (&n_held, 0);
  g_atomic_int_set (&is_too_much, FALSE);
  tl_fixture_set_up (fixture, data);
  tl_session_pretend_slow (fixture->session, 3, 1);
  tl_fixture_open_scan (fixture);
}

static void
assert_preview (TlSession *session)
{
  TlDisplay *display = session->display;
  const size_t n = (N_COLS + 2) / 3;
  size_t n_rows, n_cols;
  gboolean busy;
  g_assert_true (tl_display_shows_preview (display));
  g_assert_true (tl_display_get_status (display)->is_preview);
  g_assert_true (tl_display_get_frame_size (display, &n_rows, &n_cols));
  g_assert_cmpuint (n_rows, ==, n);
  g_assert_cmpuint (n_cols, ==, n);
  g_assert_true (tl_display_get_picture_size (display, &n_rows, &n_cols));
  g_assert_cmpuint (n_rows, ==, N_COLS);
  g_assert_cmpuint (n_cols, ==, N_COLS);
  g_object_get (session->requests, "busy", &busy, NULL);
  g_assert_true (busy);
}

static void
assert_whole (TlFixture *fixture, const char *slice, const char *centre)
{
  TlDisplay *display = fixture->session->display;
  tl_session_wait_for (fixture->session, "busy", FALSE);
  g_assert_false (tl_display_shows_preview (display));
  g_assert_false (tl_display_get_status (display)->is_preview);
  tl_session_assert_shown (fixture->session, fixture->scan, slice, centre);
}

static void
test_rest (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  tl_parameters_set_centre (session->parameters, 28.5);
  tl_fixture_wait_for_frame (fixture);
  assert_preview (session);
  assert_whole (fixture, "9", "28.5");
  g_assert_cmpuint (fixture->n_frames, ==, 3);
}

/* The parameters of A are those of the shown picture in the second round, and
 * the preview arrives after the idle timeout: the whole picture is still made.
 */
static void
test_late_preview (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlSliceComparison *comparison = session->comparison;
  TlRequests *requests = session->requests;
  tl_display_hold_slice (session->display);
  while (tl_slice_comparison_get_held (comparison) == NULL)
    g_main_context_iteration (NULL, TRUE);
  for (int k = 0; k < 2; k++)
    {
      g_atomic_int_set (&holds_reduced, TRUE);
      tl_parameters_set_recipe_as_step (
          session->parameters, tl_slice_comparison_get_recipe (comparison));
      g_assert_true (tl_requests_is_delayed (requests));
      while (tl_requests_is_delayed (requests))
        g_main_context_iteration (NULL, TRUE);
      g_atomic_int_set (&holds_reduced, FALSE);
      assert_whole (fixture, "9", "30");
    }
}

/* Only slices have previews, and a preview is not saved. */
static void
test_views (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlDisplay *display = session->display;
  g_autofree char *path = tl_scratch_path (fixture->folder, "a.tiff");
  tl_parameters_set_centre (session->parameters, 28.5);
  tl_fixture_wait_for_frame (fixture);
  assert_preview (session);
  tl_display_save (display, path);
  tl_session_assert_message (session, "preview");
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
  tl_display_set_picture (display, TL_PICTURE_SINOGRAM);
  g_assert_false (tl_display_shows_preview (display));
  tl_session_wait_for (session, "busy", FALSE);
  size_t n_rows, n_cols;
  g_assert_true (tl_display_get_picture_size (display, &n_rows, &n_cols));
  g_assert_cmpuint (n_rows, ==, N_PROJECTIONS);
  g_assert_cmpuint (n_cols, ==, N_COLS);
  g_assert_false (tl_display_get_status (display)->is_preview);
  tl_display_set_picture (display, TL_PICTURE_SLICE);
  assert_whole (fixture, "9", "28.5");
}

/* Asserts that the shown pixels are bit for bit those that the command line
 * makes with the same recipe. */
static void
assert_as_command_line (TlFixture *fixture)
{
  TlSession *session = fixture->session;
  TlDisplay *display = session->display;
  CliFixture cli = { .folder = fixture->folder };
  g_autofree char *recipe = tl_scratch_path (fixture->folder, "a.ini");
  g_autofree char *slice = tl_scratch_path (fixture->folder, "a.tiff");
  size_t n_rows, n_cols;
  tl_session_wait_for (session, "busy", FALSE);
  g_assert_true (tl_display_get_picture_size (display, &n_rows, &n_cols));
  const size_t n = n_rows * n_cols;
  g_assert_true (tl_parameters_save (session->parameters, recipe, NULL));
  cli_run_well (&cli, "recon a.ini -o a.tiff --overwrite");
  g_autofree float *want = tl_scratch_read_tiff (slice, n);
  g_assert_cmpmem (tl_frame_get_pixels (tl_display_get_frame (display)),
                   n * sizeof *want, want, n * sizeof *want);
  g_free (cli.out);
  g_free (cli.err);
}

static void
test_command_line (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlParameters *parameters = session->parameters;
  for (int k = 0; k < 20; k++)
    tl_parameters_set_centre (parameters, 27 + 0.13 * k);
  g_assert_true (tl_parameters_set (parameters, "filter", "hann", NULL));
  g_assert_true (tl_parameters_set (parameters, "cutoff", "0.8", NULL));
  tl_parameters_set_slice (parameters, 4);
  assert_as_command_line (fixture);
}

/* Corrections dragged in any order, with previews of all or some projections.
 */
static void
test_corrections (TlFixture *fixture, gconstpointer data)
{
  static const char *const values[][2] = {
    { "phase", "on" },
    { "phase", "on" },
    { "phase", "off" },
    { "delta-beta", "20" },
    { "delta-beta", "2" },
    { "delta-beta", "60" },
    { "distance", "30" },
    { "distance", "10" },
    { "energy", "18" },
    { "zingers", "on" },
    { "zingers", "off" },
    { "zinger-threshold", "0.1" },
    { "beam-hardening", "0.2" },
    { "beam-hardening", "0" },
    { "rings", "wavelet" },
    { "rings", "off" },
    { "zinger-threshold", "0.4" },
    { "rings", "sorting" },
    { "ring-size", "5" },
    { "ring-size", "15" },
    { "slice", "3" },
    { "slice", "12" },
    { "centre", "28.3" },
    { "cutoff", "0.7" },
    { "padding", "zero" },
    { "tilt", "2" },
    { "tilt", "-1.5" },
    { "tilt", "0.1" },
    { "half", "on" },
    { "half", "off" },
    { "feather", "4" },
    { "feather", "" },
  };
  static const guint every[] = { 1, 4, 8 };
  TlSession *session = fixture->session;
  TlParameters *parameters = session->parameters;
  tl_session_change (session, "angles", "0:360");
  g_assert_true (tl_parameters_set (parameters, "energy", "20", NULL));
  g_assert_true (tl_parameters_set (parameters, "distance", "20", NULL));
  g_assert_true (tl_parameters_set (parameters, "pixel-size", "1.5", NULL));
  g_assert_true (tl_parameters_set (parameters, "delta-beta", "20", NULL));
  for (guint round = 0; round < 5; round++)
    {
      for (guint k = 0; k < 25; k++)
        {
          const gint32 i =
              g_test_rand_int_range (0, (gint32)G_N_ELEMENTS (values));
          tl_session_pretend_slow (session, 3,
                                   every[g_test_rand_int_range (0, 3)]);
          g_assert_true (
              tl_parameters_set (parameters, values[i][0], values[i][1], NULL));
          if (g_test_rand_bit ())
            g_main_context_iteration (NULL, FALSE);
          if (k % 5 == 0 && tl_requests_is_busy (session->requests))
            tl_fixture_wait_for_frame (fixture);
        }
      assert_as_command_line (fixture);
      tl_session_assert_message (session, NULL);
    }
}

/* A subsampled preview reports its projections and leaves the stages of all
 * projections unchanged. */
static void
test_subsampled (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlDisplay *display = session->display;
  TlParameters *parameters = session->parameters;
  tl_session_pretend_slow (session, 3, 4);
  g_assert_true (tl_parameters_set (parameters, "zingers", "on", NULL));
  tl_fixture_wait_for_frame (fixture);
  g_assert_true (tl_display_shows_preview (display));
  g_assert_cmpuint (tl_display_get_status (display)->n_angles, ==,
                    (N_PROJECTIONS + 3) / 4);
  tl_session_wait_for (session, "busy", FALSE);
  g_assert_cmpuint (tl_display_get_status (display)->n_angles, ==,
                    N_PROJECTIONS);
  /* The corrections are done, so nothing needs to be subsampled. */
  tl_parameters_set_centre (parameters, 29);
  tl_fixture_wait_for_frame (fixture);
  assert_preview (session);
  g_assert_cmpuint (tl_display_get_status (display)->n_angles, ==,
                    N_PROJECTIONS);
  assert_as_command_line (fixture);
}

/* If all projections were used after all, the status says so, and their
 * corrections are reused. */
static void
test_not_subsampled (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlDisplay *display = session->display;
  tl_session_pretend_slow (session, 3, 4);
  g_atomic_int_set (&is_too_much, TRUE);
  g_assert_true (
      tl_parameters_set (session->parameters, "zingers", "on", NULL));
  tl_fixture_wait_for_frame (fixture);
  g_assert_true (tl_display_shows_preview (display));
  g_assert_cmpuint (tl_display_get_status (display)->n_angles, ==,
                    N_PROJECTIONS);
  assert_as_command_line (fixture);
}

/* A change of the axis is subsampled only where projections are resampled about
 * it to correct a tilt. */
static void
test_subsampled_tilt (TlFixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *key, *value;
    gboolean is_subsampled;
  } changes[] = {
    { "tilt", "0.2", FALSE }, { "centre", "29", FALSE },
    { "tilt", "2", TRUE },    { "tilt", "2.2", TRUE },
    { "centre", "28", TRUE }, { "filter", "hann", FALSE },
    { "tilt", "0.2", TRUE },  { "tilt", "0.3", FALSE },
  };
  TlSession *session = fixture->session;
  TlDisplay *display = session->display;
  tl_session_pretend_slow (session, 3, 4);
  for (size_t k = 0; k < G_N_ELEMENTS (changes); k++)
    {
      g_test_message ("%s %s", changes[k].key, changes[k].value);
      g_assert_true (tl_parameters_set (session->parameters, changes[k].key,
                                        changes[k].value, NULL));
      tl_fixture_wait_for_frame (fixture);
      g_assert_true (tl_display_shows_preview (display));
      g_assert_cmpuint (tl_display_get_status (display)->n_angles, ==,
                        changes[k].is_subsampled ? (N_PROJECTIONS + 3) / 4
                                                 : N_PROJECTIONS);
      assert_as_command_line (fixture);
    }
}

/* Returns: the correlation of @preview with the binned pixels of @whole,
 * shifted by @rows and @cols pixels of the preview */
static double
correlate (const float *preview, const float *whole, int rows, int cols)
{
  const int n = (N_COLS + 2) / 3;
  const double pitch = (double)N_COLS / n;
  double products = 0, squares_a = 0, squares_b = 0;
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++)
      {
        double mean = 0;
        for (int k = 0; k < 9; k++)
          {
            const int row = (int)((i + rows + 0.5) * pitch) + k / 3 - 1;
            const int col = (int)((j + cols + 0.5) * pitch) + k % 3 - 1;
            mean += whole[row * N_COLS + col] / 9;
          }
        products += preview[i * n + j] * mean;
        squares_a += (double)preview[i * n + j] * preview[i * n + j];
        squares_b += mean * mean;
      }
  return products / sqrt (squares_a * squares_b);
}

/* A preview and its pixel values have the same position as the whole picture.
 */
static void
test_place (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlDisplay *display = session->display;
  g_autoptr (TlFrame) whole = tl_frame_ref (tl_display_get_frame (display));
  const float *pixels = tl_frame_get_pixels (whole);
  double row, col, pitch;
  float value;
  tl_parameters_set_centre (session->parameters, 30.01);
  tl_fixture_wait_for_frame (fixture);
  assert_preview (session);
  const float *preview = tl_frame_get_pixels (tl_display_get_frame (display));
  const double here = correlate (preview, pixels, 0, 0);
  g_test_message ("correlation %.3f", here);
  g_assert_cmpfloat (here, >, 0.9);
  for (int k = 0; k < 9; k++)
    if (k != 4)
      g_assert_cmpfloat (correlate (preview, pixels, k / 3 - 1, k % 3 - 1), <,
                         here - 0.03);
  tl_display_get_frame_place (display, &row, &col, &pitch);
  g_assert_cmpfloat_with_epsilon (pitch, 61. / 21, 1e-9);
  g_assert_cmpfloat_with_epsilon (row - pitch / 2, -0.5, 1e-9);
  g_assert_cmpfloat_with_epsilon (col - pitch / 2, -0.5, 1e-9);
  g_assert_true (tl_display_read_pixel (display, 0, 60, &value));
  g_assert_cmpfloat (value, ==, preview[20]);
  g_assert_true (tl_display_read_pixel (display, 29, 3, &value));
  g_assert_cmpfloat (value, ==, preview[10 * 21 + 1]);
  g_assert_false (tl_display_read_pixel (display, 61, 0, &value));
}

/* A drag shows previews and no whole picture. */
static void
test_drag (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_atomic_int_set (&holds_whole, TRUE);
  for (int k = 0; k < 8; k++)
    {
      tl_parameters_set_centre (session->parameters, 25 + k / 10.);
      tl_fixture_wait_for_frame (fixture);
      assert_preview (session);
    }
  g_atomic_int_set (&holds_whole, FALSE);
  assert_whole (fixture, "9", "25.7");
}

/* The next request cancels a running whole picture. */
static void
test_gives_way (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlParameters *parameters = session->parameters;
  g_atomic_int_set (&holds_whole, TRUE);
  tl_parameters_set_centre (parameters, 28);
  while (g_atomic_int_get (&n_held) == 0)
    g_main_context_iteration (NULL, FALSE);
  assert_preview (session);
  tl_parameters_set_centre (parameters, 29);
  tl_fixture_wait_for_frame (fixture);
  assert_preview (session);
  g_atomic_int_set (&holds_whole, FALSE);
  assert_whole (fixture, "9", "29");
  tl_session_assert_message (session, NULL);
}

static TlReply *
make_reply (TlSession *session, guint64 serial)
{
  TlReply *reply = g_new0 (TlReply, 1);
  reply->kind = TL_JOB_PREVIEW;
  reply->serial = serial;
  reply->recipe =
      tl_recipe_dup (tl_parameters_get_recipe (session->parameters));
  reply->grid = reply->recipe->params.grid;
  reply->frame = made_frame_new (FALSE, 1, N_COLS, N_COLS);
  return reply;
}

/* Outdated replies are dropped, whatever their order. */
static void
test_stale (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlDisplay *display = session->display;
  const guint64 serial = tl_display_get_picture_serial (display);
  g_autoptr (TlReply) newer = make_reply (session, serial + 2);
  g_autoptr (TlReply) older = make_reply (session, serial + 1);
  TlFrame *frame = newer->frame;
  tl_session_take_reply (newer, session);
  g_assert_true (tl_display_get_frame (display) == frame);
  tl_session_take_reply (older, session);
  g_assert_true (tl_display_get_frame (display) == frame);
}

/* After an error the recipe returns to that of the picture, and no whole
 * picture follows. */
static void
test_failure (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlDisplay *display = session->display;
  TlFrame *frame = tl_display_get_frame (display);
  tl_session_change (session, "kernel", "hybrid");
  tl_session_assert_message (session, "hybrid");
  g_autofree char *kernel =
      tl_recipe_get (tl_parameters_get_recipe (session->parameters), "kernel");
  g_assert_cmpstr (kernel, ==, "auto");
  g_assert_true (tl_display_get_frame (display) == frame);
}

/* Another request comes while the preview of the last one is shown. */
static void
test_between (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlDisplay *display = session->display;
  TlParameters *parameters = session->parameters;
  tl_parameters_set_centre (parameters, 28);
  tl_fixture_wait_for_frame (fixture);
  assert_preview (session);
  tl_session_open (session, "missing.h5");
  tl_session_wait_for (session, "busy", FALSE);
  tl_session_assert_message (session, "missing.h5");
  assert_whole (fixture, "9", "28");

  tl_parameters_set_centre (parameters, 29);
  tl_fixture_wait_for_frame (fixture);
  assert_preview (session);
  tl_display_set_precision_cost (display, TRUE);
  tl_display_set_precision_cost (display, FALSE);
  assert_whole (fixture, "9", "29");
}

static gboolean
draw (gpointer data)
{
  g_usleep (5 * 1000);
  return G_SOURCE_CONTINUE;
}

/* Previews are shown even on a screen so slow that GTK only draws and handles
 * events. */
static void
test_slow_screen (TlFixture *fixture, gconstpointer data)
{
  const guint id = g_idle_add_full (G_PRIORITY_DEFAULT + 1, draw, NULL, NULL);
  tl_parameters_set_centre (fixture->session->parameters, 28);
  tl_fixture_wait_for_frame (fixture);
  assert_preview (fixture->session);
  assert_whole (fixture, "9", "28");
  g_source_remove (id);
}

/* The session is freed during a drag. */
static void
test_leave (TlFixture *fixture, gconstpointer data)
{
  tl_parameters_set_centre (fixture->session->parameters, 28);
  tl_fixture_wait_for_frame (fixture);
}

int
main (int argc, char **argv)
{
  static const TlFixtureCase cases[] = {
    { "/live/rest", test_rest },
    { "/live/late-preview", test_late_preview },
    { "/live/views", test_views },
    { "/live/command-line", test_command_line },
    { "/live/corrections", test_corrections },
    { "/live/subsampled", test_subsampled },
    { "/live/not-subsampled", test_not_subsampled },
    { "/live/subsampled-tilt", test_subsampled_tilt },
    { "/live/place", test_place },
    { "/live/drag", test_drag },
    { "/live/gives-way", test_gives_way },
    { "/live/stale", test_stale },
    { "/live/failure", test_failure },
    { "/live/between", test_between },
    { "/live/slow-screen", test_slow_screen },
    { "/live/leave", test_leave },
  };
  return tl_fixture_run (argc, argv, set_up, cases, G_N_ELEMENTS (cases));
}
