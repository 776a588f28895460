/* Sinograms and projections through the session, compared with a simple
 * computation of every pixel. */
#include "app/session/session.h"

#include "data/read/reader.h"
#include "gpu/backend/frame.h"
#include "tests/app/scratch.h"
#include "tests/app/session/session-fixture.h"

#include <math.h>
#include <string.h>

/* Rounding of a logarithm and of flat fields in single precision. */
#define TOLERANCE 2e-6

/* The data of a scan of 16-bit counts. */
typedef struct
{
  size_t n_projections, n_rows, n_cols;
  guint16 *samples;                      /* [projection][row][col] */
  double *dark, *flat_first, *flat_last; /* [row][col] */
} Scan;

static Scan
read_scan (const char *path)
{
  g_autoptr (TlReader) reader = tl_reader_open (path, NULL, NULL);
  const TlScanInfo *info = tl_reader_get_info (reader);
  const size_t n = info->n_rows * info->n_cols;
  const Scan scan = {
    .n_projections = info->n_projections,
    .n_rows = info->n_rows,
    .n_cols = info->n_cols,
    .samples = g_new (guint16, info->n_projections * n),
    .dark = g_new (double, n),
    .flat_first = g_new (double, n),
    .flat_last = g_new (double, n),
  };
  g_assert_cmpint (info->type, ==, TL_SAMPLE_U16);
  g_assert_true (
      tl_reader_read (reader, 0, info->n_rows, scan.samples, NULL, NULL));
  g_assert_true (tl_reader_read_fields (reader, 0, info->n_rows, scan.dark,
                                        scan.flat_first, scan.flat_last, NULL,
                                        NULL));
  return scan;
}

static void
clear_scan (Scan *scan)
{
  g_free (scan->samples);
  g_free (scan->dark);
  g_free (scan->flat_first);
  g_free (scan->flat_last);
}

static double
compute_pixel (const Scan *scan, size_t p, size_t row, size_t col, gboolean raw)
{
  const size_t i = row * scan->n_cols + col;
  const double sample = scan->samples[p * scan->n_rows * scan->n_cols + i];
  const double part = (double)p / (double)(scan->n_projections - 1);
  const double flat =
      (1 - part) * scan->flat_first[i] + part * scan->flat_last[i];
  return raw ? sample
             : -log ((sample - scan->dark[i]) / (flat - scan->dark[i]));
}

/* Asserts that projection @fixed, or the sinogram of row @fixed, is shown. */
static void
assert_picture (TlSession *session, const char *path, gboolean is_sinogram,
                size_t fixed, gboolean raw)
{
  Scan scan = read_scan (path);
  TlFrame *frame = tl_display_get_frame (session->display);
  g_assert_nonnull (frame);
  const size_t n_rows = tl_frame_get_n_rows (frame);
  const float *got = tl_frame_get_pixels (frame);
  g_assert_cmpuint (tl_frame_get_n_cols (frame), ==, scan.n_cols);
  g_assert_cmpuint (n_rows, ==, is_sinogram ? scan.n_projections : scan.n_rows);
  for (size_t r = 0; r < n_rows; r++)
    for (size_t col = 0; col < scan.n_cols; col++)
      {
        const double want = compute_pixel (&scan, is_sinogram ? r : fixed,
                                           is_sinogram ? fixed : r, col, raw);
        g_assert_cmpfloat_with_epsilon (got[r * scan.n_cols + col], want,
                                        TOLERANCE * MAX (1, fabs (want)));
      }
  clear_scan (&scan);
}

static void
show (TlSession *session, TlPicture picture)
{
  tl_display_set_picture (session->display, picture);
  tl_session_wait_for (session, "busy", FALSE);
}

static void
test_pixels (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlDisplay *display = session->display;
  TlParameters *parameters = session->parameters;
  size_t n;
  float min, max, low, high;
  tl_fixture_open_scan (fixture);
  tl_parameters_set_slice (parameters, 4);
  tl_display_set_projection (display, 17);
  show (session, TL_PICTURE_SINOGRAM);
  assert_picture (session, fixture->scan, TRUE, 4, FALSE);
  show (session, TL_PICTURE_PROJECTION);
  assert_picture (session, fixture->scan, FALSE, 17, FALSE);
  g_assert_nonnull (tl_display_get_histogram (display, &n, &min, &max));
  g_assert_cmpfloat (max, <, 10);
  g_assert_true (tl_parameters_set (parameters, "minus-log", "off", NULL));
  tl_session_change (session, "flat-field", "off");
  assert_picture (session, fixture->scan, FALSE, 17, TRUE);
  /* Statistics and status are those of the shown picture. */
  g_assert_nonnull (tl_display_get_histogram (display, &n, &min, &max));
  g_assert_true (tl_display_get_percentiles (display, 0.1, 0.9, &low, &high));
  g_assert_cmpfloat (low, >, 10);
  g_assert_cmpfloat (max, >=, high);
  g_assert_null (tl_display_get_status (display)->kernel);
  show (session, TL_PICTURE_SINOGRAM);
  assert_picture (session, fixture->scan, TRUE, 4, TRUE);
  show (session, TL_PICTURE_SLICE);
  g_assert_cmpstr (tl_display_get_status (display)->kernel, ==, "host-linear");
}

/* Returns: (transfer full): line @row of the shown picture */
static float *
dup_line (TlSession *session, size_t row)
{
  TlFrame *frame = tl_display_get_frame (session->display);
  const size_t n = tl_frame_get_n_cols (frame);
  return g_memdup2 (tl_frame_get_pixels (frame) + row * n, n * sizeof (float));
}

/* Sinograms include all corrections, and projections include tilt and phase as
 * well: where the two cross, they are equal and differ from @before. */
static void
assert_crossing (TlSession *session, const float *before)
{
  double change = 0;
  show (session, TL_PICTURE_SINOGRAM);
  g_autofree float *sinogram = dup_line (session, 17);
  show (session, TL_PICTURE_PROJECTION);
  g_autofree float *projection = dup_line (session, 4);
  for (size_t col = 0; col < N_COLS; col++)
    {
      change += fabs ((double)sinogram[col] - before[col]);
      g_assert_cmpfloat_with_epsilon (sinogram[col], projection[col],
                                      10 * TOLERANCE);
    }
  g_assert_cmpfloat (change, >, 0.1);
}

static void
test_corrections (TlFixture *fixture, gconstpointer data)
{
  static const char *const phase[][2] = {
    { "energy", "20" },     { "distance", "40" },  { "pixel-size", "2" },
    { "delta-beta", "50" }, { "minus-log", "on" }, { "phase", "on" },
  };
  TlSession *session = fixture->session;
  TlParameters *parameters = session->parameters;
  tl_fixture_open_scan (fixture);
  tl_parameters_set_slice (parameters, 4);
  tl_display_set_projection (session->display, 17);
  show (session, TL_PICTURE_SINOGRAM);
  g_autofree float *plain = dup_line (session, 17);
  for (size_t k = 0; k < G_N_ELEMENTS (phase); k++)
    g_assert_true (
        tl_parameters_set (parameters, phase[k][0], phase[k][1], NULL));
  assert_crossing (session, plain);
  show (session, TL_PICTURE_SINOGRAM);
  g_autofree float *sinogram = dup_line (session, 17);
  tl_session_change (session, "rings", "sorting");
  g_autofree float *ringless = dup_line (session, 17);
  g_assert_cmpint (memcmp (ringless, sinogram, N_COLS * sizeof (float)), !=, 0);
  g_assert_true (tl_parameters_set (parameters, "rings", "off", NULL));
  tl_parameters_set_centre (parameters, 28.3);
  g_assert_true (tl_parameters_set (parameters, "tilt", "2.5", NULL));
  assert_crossing (session, sinogram);
  g_assert_true (tl_parameters_set (parameters, "phase", "off", NULL));
  assert_crossing (session, plain);
}

/* After many quick requests and changes of view, the last request is shown and
 * stays. */
static void
test_newest_wins (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlDisplay *display = session->display;
  TlParameters *parameters = session->parameters;
  tl_fixture_open_scan (fixture);
  for (guint k = 0; k < 300; k++)
    {
      tl_display_set_picture (display, k % 7 % TL_N_PICTURES);
      tl_parameters_set_slice (parameters, k % N_ROWS);
      tl_display_set_projection (display, k % N_PROJECTIONS);
      if (k % 20 == 0)
        g_main_context_iteration (NULL, FALSE);
    }
  tl_display_set_picture (display, TL_PICTURE_PROJECTION);
  tl_display_set_projection (display, 5);
  tl_display_set_picture (display, TL_PICTURE_SINOGRAM);
  tl_parameters_set_slice (parameters, 11);
  tl_session_wait_for (session, "busy", FALSE);
  assert_picture (session, fixture->scan, TRUE, 11, FALSE);
  show (session, TL_PICTURE_PROJECTION);
  assert_picture (session, fixture->scan, FALSE, 5, FALSE);
  show (session, TL_PICTURE_SLICE);
  tl_session_assert_shown (session, fixture->scan, "11", "30");
  g_assert_cmpuint (fixture->n_frames, <, 500);
}

/* Switching to another picture and back while the first is being made shows the
 * first. */
static void
test_there_and_back (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlDisplay *display = session->display;
  tl_fixture_open_scan (fixture);
  show (session, TL_PICTURE_PROJECTION);
  for (guint k = 0; k < 50; k++)
    {
      tl_display_set_projection (display, 9);
      g_usleep (k * 20);
      tl_display_set_projection (display, 0);
      tl_session_wait_for (session, "busy", FALSE);
      assert_picture (session, fixture->scan, FALSE, 0, FALSE);
      /* Each of these replaces the previous one in the queue. */
      tl_display_set_picture (display, TL_PICTURE_SINOGRAM);
      tl_parameters_set_slice (session->parameters, k % N_ROWS);
      tl_display_set_picture (display, TL_PICTURE_PROJECTION);
      tl_display_set_projection (display, 3);
      tl_display_set_picture (display, TL_PICTURE_SINOGRAM);
      tl_session_wait_for (session, "busy", FALSE);
      assert_picture (session, fixture->scan, TRUE, k % N_ROWS, FALSE);
      tl_display_set_projection (display, 0);
      show (session, TL_PICTURE_PROJECTION);
    }
}

static gboolean
is_busy (TlSession *session)
{
  gboolean busy;
  g_object_get (session->requests, "busy", &busy, NULL);
  return busy;
}

/* Dragging the lines over a projection does not make it again; the slice is
 * made when it is shown. */
static void
test_only_what_changes (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlDisplay *display = session->display;
  TlParameters *parameters = session->parameters;
  tl_fixture_open_scan (fixture);
  show (session, TL_PICTURE_PROJECTION);
  tl_parameters_set_slice (parameters, 7);
  tl_parameters_set_centre (parameters, 28);
  g_assert_true (tl_parameters_set (parameters, "filter", "hann", NULL));
  g_assert_true (tl_parameters_set (parameters, "filter", "ramp", NULL));
  g_assert_false (is_busy (session));
  tl_display_set_picture (display, TL_PICTURE_SINOGRAM);
  g_assert_true (is_busy (session));
  tl_session_wait_for (session, "busy", FALSE);
  tl_parameters_set_centre (parameters, 29);
  g_assert_false (is_busy (session));
  tl_display_set_picture (display, TL_PICTURE_PROJECTION);
  g_assert_false (is_busy (session));
  show (session, TL_PICTURE_SLICE);
  tl_session_assert_shown (session, fixture->scan, "7", "29");
}

/* A view is made again only for the keys that it depends on. */
static void
test_keys (TlFixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *key, *value;
    gboolean in_sinogram, in_projection;
  } changes[] = {
    { "slice", "7", TRUE, FALSE },
    { "centre", "28", FALSE, FALSE },
    { "tilt", "0.5", FALSE, FALSE }, /* shifts rows in the filter */
    { "centre", "29", FALSE, FALSE },
    { "tilt", "2", TRUE, TRUE }, /* resamples projections */
    { "tilt", "2.5", TRUE, TRUE },
    { "centre", "28", TRUE, TRUE },
    { "boundary", "29.5", TRUE, TRUE },
    { "filter", "hann", FALSE, FALSE },
    { "tilt", "0", TRUE, TRUE },
    { "half", "off", FALSE, FALSE },
    { "feather", "7", FALSE, FALSE },
    { "preset", "smooth", FALSE, FALSE },
    { "filter", "butterworth", FALSE, FALSE },
    { "cutoff", "0.5", FALSE, FALSE },
    { "butterworth-order", "3", FALSE, FALSE },
    { "interpolation", "cubic", FALSE, FALSE },
    { "precision", "fast", FALSE, FALSE },
    { "padding", "zero", FALSE, FALSE },
    { "flat-field", "off", TRUE, TRUE },
    { "flat-field", "on", TRUE, TRUE },
    { "zinger-threshold", "0.3", FALSE, FALSE },
    { "zingers", "on", TRUE, FALSE },
    { "zinger-threshold", "0.2", TRUE, FALSE },
    { "energy", "20", FALSE, FALSE },
    { "distance", "40", FALSE, FALSE },
    { "pixel-size", "2", TRUE, TRUE }, /* a key of the scan, whatever uses it */
    { "delta-beta", "50", FALSE, FALSE },
    { "phase", "on", TRUE, TRUE },
    { "delta-beta", "40", TRUE, TRUE },
    { "ring-size", "5", FALSE, FALSE },
    { "rings", "sorting", TRUE, FALSE },
    { "ring-size", "7", TRUE, FALSE },
    { "rings", "off", TRUE, FALSE },
    { "beam-hardening", "0.1", TRUE, FALSE },
    { "minus-log", "on", FALSE, FALSE }, /* already on */
  };
  TlSession *session = fixture->session;
  tl_fixture_open_scan (fixture);
  for (size_t k = 0; k < G_N_ELEMENTS (changes); k++)
    for (TlPicture p = TL_PICTURE_SINOGRAM; p <= TL_PICTURE_OVERLAY; p++)
      {
        const gboolean is_sinogram = p == TL_PICTURE_SINOGRAM;
        /* The overlay's projections are neither resampled nor phase-retrieved,
         * but "phase" moves the -log. */
        const gboolean in_overlay = strcmp (changes[k].key, "flat-field") == 0
                                    || strcmp (changes[k].key, "phase") == 0;
        const gboolean wanted = is_sinogram ? changes[k].in_sinogram
                                : p == TL_PICTURE_OVERLAY
                                    ? in_overlay
                                    : changes[k].in_projection;
        show (session, p);
        g_autofree char *before = tl_recipe_get (
            tl_parameters_get_recipe (session->parameters), changes[k].key);
        const guint n_frames = fixture->n_frames;
        tl_session_change (session, changes[k].key, changes[k].value);
        tl_session_assert_message (session, NULL);
        g_test_message ("%s", changes[k].key);
        g_assert_cmpuint (fixture->n_frames - n_frames, ==, wanted);
        if (p
            < TL_PICTURE_OVERLAY) /* restores the value for the next picture */
          tl_session_change (session, changes[k].key, before);
      }
}

/* A picture of one scan is never shown with the path of another. */
static void
test_other_scan (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlDisplay *display = session->display;
  g_autofree char *other =
      tl_scratch_phantom (fixture->folder, "other.h5", 11, 3, 17);
  g_autofree char *missing = tl_scratch_path (fixture->folder, "missing.h5");
  tl_fixture_open_scan (fixture);
  tl_display_set_projection (display, 30);
  show (session, TL_PICTURE_PROJECTION);
  tl_display_set_projection (display, 31);
  tl_session_open (session, missing);
  tl_session_wait_for (session, "busy", FALSE);
  assert_picture (session, fixture->scan, FALSE, 31, FALSE);
  tl_session_open (session, other);
  tl_session_wait_for (session, "busy", FALSE);
  tl_session_assert_message (session, NULL);
  g_assert_cmpuint (tl_display_get_projection (display), ==, 10);
  assert_picture (session, other, FALSE, 10, FALSE);
  show (session, TL_PICTURE_SLICE);
  tl_session_assert_shown (session, other, "1", "8");
}

/* After an error, only the parameters that the view depends on return to their
 * previous values. */
static void
test_bad_row (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlDisplay *display = session->display;
  tl_fixture_open_bad_row (fixture);
  show (session, TL_PICTURE_SINOGRAM);
  g_assert_true (
      tl_parameters_set (session->parameters, "filter", "hann", NULL));
  TlFrame *frame = tl_display_get_frame (display);
  tl_parameters_set_slice (session->parameters, 2);
  tl_session_wait_for (session, "busy", FALSE);
  tl_session_assert_message (session, "images");
  g_assert_nonnull (frame);
  g_assert_true (tl_display_get_frame (display) == frame);
  g_assert_cmpuint (tl_parameters_get_slice (session->parameters), ==, 1);
  g_autofree char *filter =
      tl_recipe_get (tl_parameters_get_recipe (session->parameters), "filter");
  g_assert_cmpstr (filter, ==, "hann");
  /* There was no earlier picture, so none is shown. */
  tl_display_set_projection (display, 3);
  show (session, TL_PICTURE_PROJECTION);
  tl_session_assert_message (session, "images");
  g_assert_null (tl_display_get_frame (display));
  g_assert_null (tl_display_get_histogram (display, &(size_t){ 0 },
                                           &(float){ 0 }, &(float){ 0 }));
  tl_display_set_projection (display, 2);
  tl_session_wait_for (session, "busy", FALSE);
  tl_session_assert_message (session, NULL);
  g_assert_nonnull (tl_display_get_frame (display));
  tl_display_set_projection (display, 3);
  tl_session_wait_for (session, "busy", FALSE);
  g_assert_cmpuint (tl_display_get_projection (display), ==, 2);
}

/* The cost of fast precision is shown in place of the slice. */
static void
test_cost (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlDisplay *display = session->display;
  tl_display_set_picture (display, TL_PICTURE_SINOGRAM);
  g_assert_cmpint (tl_display_get_picture (display), ==, TL_PICTURE_SLICE);
  tl_fixture_open_scan (fixture);
  show (session, TL_PICTURE_SINOGRAM);
  tl_display_set_precision_cost (display, TRUE);
  tl_session_wait_for (session, "busy", FALSE);
  g_assert_cmpint (tl_display_get_picture (display), ==, TL_PICTURE_SLICE);
  g_assert_true (tl_display_shows_differences (display));
  show (session, TL_PICTURE_SINOGRAM);
  g_assert_false (tl_display_shows_differences (display));
  assert_picture (session, fixture->scan, TRUE, (N_ROWS - 1) / 2, FALSE);
}

int
main (int argc, char **argv)
{
  static const TlFixtureCase cases[] = {
    { "/look/pixels", test_pixels },
    { "/look/corrections", test_corrections },
    { "/look/newest-wins", test_newest_wins },
    { "/look/there-and-back", test_there_and_back },
    { "/look/keys", test_keys },
    { "/look/only-what-changes", test_only_what_changes },
    { "/look/other-scan", test_other_scan },
    { "/look/bad-row", test_bad_row },
    { "/look/cost", test_cost },
  };
  return tl_fixture_run (argc, argv, tl_fixture_set_up, cases,
                         G_N_ELEMENTS (cases));
}
