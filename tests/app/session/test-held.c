/* A slice that is held as A: its pixels, the difference from B, and when it is
 * dropped. */
#include "app/session/session.h"

#include "data/error.h"
#include "tests/app/scratch.h"
#include "tests/app/session/session-fixture.h"

#include <glib/gstdio.h>
#include <math.h>

static void
set_up (TlFixture *fixture, gconstpointer data)
{
  tl_fixture_set_up (fixture, data);
  tl_session_pretend_slow (fixture->session, 0, 1);
}

static gboolean
has_detail (TlSession *session)
{
  return tl_display_get_detail (session->display) != NULL;
}

static gboolean
has_words (TlSession *session)
{
  g_autofree char *notice = NULL, *message = NULL;
  g_object_get (session->messages, "notice", &notice, "message", &message,
                NULL);
  return notice != NULL || message != NULL;
}

static void
assert_words (TlSession *session, const char *want)
{
  g_autofree char *words = tl_slice_comparison_describe (session->comparison);
  g_assert_cmpstr (words, ==, want);
}

/* Asserts that A equals the pixels shown before it was held, bit for bit. */
static void
assert_held (TlSession *session, const float *want)
{
  const float *got =
      tl_frame_get_pixels (tl_slice_comparison_get_held (session->comparison));
  g_assert_cmpmem (got, N_COLS * N_COLS * sizeof *got, want,
                   N_COLS * N_COLS * sizeof *want);
}

static float *
dup_shown (TlSession *session)
{
  size_t n_rows, n_cols;
  const float *pixels =
      tl_display_get_pixels (session->display, &n_rows, &n_cols);
  g_assert_cmpuint (n_rows * n_cols, ==, N_COLS * N_COLS);
  return g_memdup2 (pixels, N_COLS * N_COLS * sizeof *pixels);
}

/* --- cases --- */

static void
test_refused (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlSliceComparison *comparison = session->comparison;
  TlDisplay *display = session->display;
  tl_display_hold_slice (display);
  tl_session_assert_message (session, "no scan is open");
  g_assert_false (tl_slice_comparison_is_held (comparison));
  tl_session_open (session, fixture->scan);
  tl_display_hold_slice (display);
  tl_session_assert_message (session, "is being opened");
  g_assert_false (tl_slice_comparison_is_held (comparison));
  tl_session_wait_for (session, "busy", FALSE);
  tl_slice_comparison_set_mode (comparison, TL_COMPARE_SWIPE);
  tl_session_assert_message (session, "hold a slice as A first");
  g_assert_cmpint (tl_slice_comparison_get_mode (comparison), ==,
                   TL_COMPARE_OFF);
  tl_parameters_set_recipe_as_step (
      session->parameters, tl_slice_comparison_get_recipe (comparison));
  tl_slice_comparison_release (comparison);
}

static void
test_hold (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlSliceComparison *comparison = session->comparison;
  TlDisplay *display = session->display;
  float a, b, shown;
  tl_fixture_open_scan (fixture);
  g_autofree float *before = dup_shown (session);
  tl_session_hold_now (session);
  assert_held (session, before);
  g_assert_true (tl_slice_comparison_get_held (comparison)
                 != tl_display_get_frame (display));
  assert_words (session, "");
  g_assert_cmpint (tl_slice_comparison_get_shown_mode (comparison), ==,
                   TL_COMPARE_OFF);
  tl_session_change (session, "centre", "28.5");
  tl_session_change (session, "filter", "hann");
  tl_session_change (session, "slice", "4");
  assert_words (session, "Slice 9 → 4, Centre 30 → 28.5, Filter Ramp → Hann");
  g_assert_cmpuint ((guint)tl_slice_comparison_get_recipe (comparison)->slice,
                    ==, 9);
  g_assert_cmpuint (tl_slice_comparison_get_slice (comparison), ==, 4);
  assert_held (session, before);
  g_assert_true (tl_display_read_compared (display, 20, 31, &a, &b));
  g_assert_true (tl_display_read_pixel (display, 20, 31, &shown));
  g_assert_cmpfloat (a, ==, before[20 * N_COLS + 31]);
  g_assert_cmpfloat (b, ==, shown);
  g_assert_false (tl_display_read_compared (display, N_COLS, 0, &a, &b));

  tl_slice_comparison_set_mode (comparison, TL_COMPARE_SWIPE);
  g_assert_cmpint (tl_slice_comparison_get_shown_mode (comparison), ==,
                   TL_COMPARE_SWIPE);
  tl_display_set_picture (display, TL_PICTURE_SINOGRAM);
  tl_session_wait_for (session, "busy", FALSE);
  g_assert_cmpint (tl_slice_comparison_get_shown_mode (comparison), ==,
                   TL_COMPARE_OFF);
  tl_display_set_picture (display, TL_PICTURE_SLICE);
  g_assert_cmpint (tl_slice_comparison_get_shown_mode (comparison), ==,
                   TL_COMPARE_SWIPE);

  tl_slice_comparison_release (comparison);
  g_assert_false (tl_slice_comparison_is_held (comparison));
  g_assert_null (tl_slice_comparison_get_held (comparison));
  g_assert_cmpint (tl_slice_comparison_get_mode (comparison), ==,
                   TL_COMPARE_OFF);
  g_assert_false (tl_display_read_compared (display, 20, 31, &a, &b));
  tl_session_assert_message (session, NULL);
}

/* Taking all parameters of A is one step of the history, even right after a
 * change of the only parameter that differs. */
static void
test_take_back (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlSliceComparison *comparison = session->comparison;
  tl_fixture_open_scan (fixture);
  tl_session_hold_now (session);
  tl_session_change (session, "centre", "28.5");
  tl_session_change (session, "filter", "hann");
  const guint steps =
      tl_history_get_length (tl_parameters_get_history (session->parameters));
  tl_parameters_set_recipe_as_step (
      session->parameters, tl_slice_comparison_get_recipe (comparison));
  tl_session_wait_for (session, "busy", FALSE);
  g_assert_cmpuint (
      tl_history_get_length (tl_parameters_get_history (session->parameters)),
      ==, steps + 1);
  assert_words (session, "");
  tl_session_assert_shown (session, fixture->scan, "9", "30");
  tl_parameters_undo (session->parameters);
  tl_session_wait_for (session, "busy", FALSE);
  tl_session_assert_value (session, "centre", "28.5");
  tl_session_assert_value (session, "filter", "hann");
  assert_words (session, "Centre 30 → 28.5, Filter Ramp → Hann");

  tl_parameters_set_recipe_as_step (
      session->parameters, tl_slice_comparison_get_recipe (comparison));
  tl_session_change (session, "centre", "31");
  tl_parameters_set_recipe_as_step (
      session->parameters, tl_slice_comparison_get_recipe (comparison));
  tl_session_assert_value (session, "centre", "30");
  tl_parameters_undo (session->parameters);
  tl_session_assert_value (session, "centre", "31");
  tl_session_wait_for (session, "busy", FALSE);
}

static void
test_preview (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlSliceComparison *comparison = session->comparison;
  TlDisplay *display = session->display;
  TlParameters *parameters = session->parameters;
  tl_fixture_open_scan (fixture);
  tl_session_pretend_slow (session, 3, 1);
  const guint n_frames = fixture->n_frames;
  tl_parameters_set_centre (parameters, 28.5);
  while (fixture->n_frames == n_frames)
    g_main_context_iteration (NULL, TRUE);
  g_assert_true (tl_display_shows_preview (display));
  tl_display_hold_slice (display);
  g_assert_true (tl_slice_comparison_is_held (comparison));
  g_assert_null (tl_slice_comparison_get_held (comparison));
  /* A mode chosen before A is copied takes effect then. */
  tl_slice_comparison_set_mode (comparison, TL_COMPARE_DIFFERENCE);
  g_assert_cmpint (tl_slice_comparison_get_shown_mode (comparison), ==,
                   TL_COMPARE_OFF);
  tl_session_wait_until (session, tl_session_has_held);
  g_assert_false (tl_display_shows_preview (display));
  tl_session_assert_shown (session, fixture->scan, "9", "28.5");
  assert_words (session, "");
  tl_session_wait_until (session, tl_session_has_difference);

  /* A preview has no difference; the statistics of the last difference stay. */
  tl_parameters_set_centre (parameters, 31);
  while (!tl_display_shows_preview (display))
    g_main_context_iteration (NULL, TRUE);
  g_assert_null (tl_slice_comparison_get_difference (comparison));
  tl_session_wait_until (session, tl_session_has_difference);
  assert_words (session, "Centre 28.5 → 31");

  /* A difference of an outdated slice is never shown. */
  tl_parameters_set_centre (parameters, 30);
  while (!tl_display_shows_preview (display))
    g_main_context_iteration (NULL, TRUE);
  tl_display_hold_slice (display);
  tl_slice_comparison_release (comparison);
  tl_session_wait_for (session, "busy", FALSE);
  while (g_main_context_iteration (NULL, FALSE))
    ;
  g_assert_false (tl_slice_comparison_is_held (comparison));
}

/* Pixels, statistics and the saved file are B - A; the frame stays B. */
static void
test_difference (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlSliceComparison *comparison = session->comparison;
  TlDisplay *display = session->display;
  g_autofree char *path = tl_scratch_path (fixture->folder, "less.tiff");
  float min, max, low, high, largest = 0;
  size_t n, n_rows, n_cols, total = 0;
  tl_fixture_open_scan (fixture);
  g_autofree float *a = dup_shown (session);
  tl_session_hold_now (session);
  tl_session_change (session, "filter", "hann");
  g_autofree float *b = dup_shown (session);
  tl_slice_comparison_set_mode (comparison, TL_COMPARE_DIFFERENCE);
  tl_session_wait_until (session, tl_session_has_difference);
  const float *pixels = tl_display_get_pixels (display, &n_rows, &n_cols);
  for (size_t i = 0; i < N_COLS * N_COLS; i++)
    {
      g_assert_cmpfloat (pixels[i], ==, b[i] - a[i]);
      largest = fmaxf (largest, pixels[i]);
    }
  g_assert_cmpfloat (largest, >, 0);
  const guint32 *histogram = tl_display_get_histogram (display, &n, &min, &max);
  for (size_t k = 0; k < n; k++)
    total += histogram[k];
  g_assert_cmpuint (total, ==, N_COLS * N_COLS);
  g_assert_cmpfloat (max, ==, largest);
  g_assert_true (tl_display_get_percentiles (display, 0.01, 0.99, &low, &high));
  g_assert_cmpfloat (low, <, 0);
  g_assert_cmpmem (tl_frame_get_pixels (tl_display_get_frame (display)),
                   sizeof *b * N_COLS * N_COLS, b, sizeof *b * N_COLS * N_COLS);

  tl_display_save (display, path);
  tl_session_wait_until (session, has_words);
  tl_session_assert_notice (session, "Slice 9 minus A, slice 9, written to",
                            path);
  g_autofree float *saved = tl_scratch_read_tiff (path, N_COLS * N_COLS);
  g_assert_cmpmem (saved, sizeof *b * N_COLS * N_COLS, pixels,
                   sizeof *b * N_COLS * N_COLS);

  tl_slice_comparison_set_mode (comparison, TL_COMPARE_BLINK);
  pixels = tl_display_get_pixels (display, &n_rows, &n_cols);
  g_assert_cmpmem (pixels, sizeof *b * N_COLS * N_COLS, b,
                   sizeof *b * N_COLS * N_COLS);
}

/* Opening another scan drops A; reading the same scan in another way does not.
 */
static void
test_other_scan (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlSliceComparison *comparison = session->comparison;
  g_autofree char *other =
      tl_scratch_phantom (fixture->folder, "other.h5", 20, 3, N_COLS);
  tl_fixture_open_scan (fixture);
  tl_session_hold_now (session);
  tl_slice_comparison_set_mode (comparison, TL_COMPARE_SWIPE);
  tl_session_change (session, "angles", "0:90");
  g_assert_nonnull (tl_slice_comparison_get_held (comparison));
  assert_words (session, "Angles default → 0:90");
  g_assert_cmpint (tl_slice_comparison_get_shown_mode (comparison), ==,
                   TL_COMPARE_SWIPE);
  tl_session_open (session, "/nowhere/scan.h5");
  tl_session_wait_for (session, "busy", FALSE);
  g_assert_nonnull (tl_slice_comparison_get_held (comparison));
  tl_session_open (session, other);
  tl_session_wait_for (session, "busy", FALSE);
  g_assert_false (tl_slice_comparison_is_held (comparison));
  g_assert_cmpint (tl_slice_comparison_get_mode (comparison), ==,
                   TL_COMPARE_OFF);
}

/* Two series of images of different width in one folder. */
static void
test_size (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlSliceComparison *comparison = session->comparison;
  g_autofree char *folder = tl_scratch_path (fixture->folder, "images");
  g_assert_cmpint (g_mkdir (folder, 0700), ==, 0);
  tl_scratch_images (folder, "wide_", 7, 3, 40, 0.5F);
  tl_scratch_images (folder, "thin_", 7, 3, 24, 0.5F);
  tl_parameters_set (session->parameters, "projections", "wide_*", NULL);
  tl_session_open (session, folder);
  tl_session_wait_for (session, "busy", FALSE);
  tl_session_assert_message (session, NULL);
  tl_session_hold_now (session);
  tl_slice_comparison_set_mode (comparison, TL_COMPARE_DIFFERENCE);
  tl_session_change (session, "projections", "thin_*");
  g_assert_nonnull (tl_slice_comparison_get_held (comparison));
  tl_session_assert_message (
      session, "A has 40 × 40 pixels and B 24 × 24: they cannot be subtracted");
  g_assert_cmpint (tl_slice_comparison_get_shown_mode (comparison), ==,
                   TL_COMPARE_SIDE_BY_SIDE);
  tl_messages_dismiss (session->messages);
  tl_slice_comparison_set_mode (comparison, TL_COMPARE_DIFFERENCE);
  tl_session_assert_message (session, "they cannot be subtracted");
  g_assert_cmpint (tl_slice_comparison_get_shown_mode (comparison), ==,
                   TL_COMPARE_SIDE_BY_SIDE);
}

/* Pixels of A and B at one position of the object have the same distance from
 * the axis, which is in the middle of both. */
static void
test_place (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlSliceComparison *comparison = session->comparison;
  TlDisplay *display = session->display;
  g_autofree char *folder = tl_scratch_path (fixture->folder, "images");
  double first_row, first_col;
  float a, b, want;
  g_assert_cmpint (g_mkdir (folder, 0700), ==, 0);
  tl_scratch_images (folder, "wide_", 7, 3, 40, 0.5F);
  tl_scratch_images (folder, "thin_", 7, 3, 25, 0.5F);
  g_assert_false (
      tl_slice_comparison_get_place (comparison, &first_row, &first_col));
  tl_parameters_set (session->parameters, "projections", "wide_*", NULL);
  tl_session_open (session, folder);
  tl_session_wait_for (session, "busy", FALSE);
  tl_session_hold_now (session);
  g_assert_true (
      tl_slice_comparison_get_place (comparison, &first_row, &first_col));
  g_assert_cmpfloat (first_row, ==, 0);
  g_assert_cmpfloat (first_col, ==, 0);
  tl_session_change (session, "projections", "thin_*");
  g_assert_true (
      tl_slice_comparison_get_place (comparison, &first_row, &first_col));
  g_assert_cmpfloat (first_row, ==, -7.5);
  g_assert_cmpfloat (first_col, ==, -7.5);
  g_assert_true (tl_display_read_compared (display, 3, 20, &a, &b));
  const float *held =
      tl_frame_get_pixels (tl_slice_comparison_get_held (comparison));
  g_assert_cmpfloat (a, ==, held[11 * 40 + 28]);
  g_assert_true (tl_display_read_pixel (display, 3, 20, &want));
  g_assert_cmpfloat (b, ==, want);
  tl_session_hold_now (session);
  tl_session_change (session, "projections", "wide_*");
  g_assert_true (
      tl_slice_comparison_get_place (comparison, &first_row, &first_col));
  g_assert_cmpfloat (first_row, ==, 7.5);
  g_assert_false (tl_display_read_compared (display, 6, 20, &a, &b));
  g_assert_true (tl_display_read_compared (display, 8, 20, &a, &b));
  held = tl_frame_get_pixels (tl_slice_comparison_get_held (comparison));
  g_assert_cmpfloat (a, ==, held[1 * 25 + 13]);
}

/* A comparison shows both slices without sharp zoom. */
static void
test_no_detail (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  const TlVisible visible = {
    .row = 10, .col = 20, .pitch = 0.5, .n_rows = 30, .n_cols = 41
  };
  tl_fixture_open_scan (fixture);
  tl_display_set_visible (session->display, &visible);
  tl_session_wait_until (session, has_detail);
  tl_session_hold_now (session);
  g_assert_true (has_detail (session));
  tl_slice_comparison_set_mode (session->comparison, TL_COMPARE_BLINK);
  g_assert_false (has_detail (session));
  tl_session_change (session, "centre", "28.5");
  g_assert_false (has_detail (session));
  tl_slice_comparison_set_mode (session->comparison, TL_COMPARE_OFF);
  tl_session_wait_until (session, has_detail);
}

int
main (int argc, char **argv)
{
  static const TlFixtureCase cases[] = {
    { "/held/refused", test_refused },
    { "/held/hold", test_hold },
    { "/held/take-back", test_take_back },
    { "/held/preview", test_preview },
    { "/held/difference", test_difference },
    { "/held/other-scan", test_other_scan },
    { "/held/size", test_size },
    { "/held/place", test_place },
    { "/held/no-detail", test_no_detail },
  };
  return tl_fixture_run (argc, argv, set_up, cases, G_N_ELEMENTS (cases));
}
