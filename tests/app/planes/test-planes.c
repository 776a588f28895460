/* The planes of a session: their pixels are those of the slices, and they
 * follow the cross and the parameters. */
#include "app/planes/planes.h"

#include "data/error.h"
#include "tests/app/scratch.h"
#include "tests/app/session/session-fixture.h"

#include <math.h>
#include <string.h>

/* Planes of so wide a scan are made of bins of 4 x 4 pixels during a drag, and
 * there are bins of 2 x 2. */
#define WIDE_COLS 520
#define WIDE_ROWS 16
#define WIDE_PROJECTIONS 64

/* Less than that scan has in bins of 2 x 2 x 2, and more than the others. */
double __wrap_tl_display_count_drag_samples (TlDisplay *display);

double
__wrap_tl_display_count_drag_samples (TlDisplay *display)
{
  return N_COLS * N_ROWS * N_PROJECTIONS;
}

/* Counts what the bins take. */
TlHeldBudget *__real_tl_held_budget_new (guint64 max_bytes);
TlHeldBudget *__wrap_tl_held_budget_new (guint64 max_bytes);
static TlHeldBudget *newest_budget; /* (nullable): a reference */

TlHeldBudget *
__wrap_tl_held_budget_new (guint64 max_bytes)
{
  TlHeldBudget *budget = __real_tl_held_budget_new (max_bytes);
  g_clear_pointer (&newest_budget, tl_held_budget_unref);
  newest_budget = tl_held_budget_ref (budget);
  return budget;
}

/* Copies of A's planes can find no memory. */
gboolean __real_tl_plane_set_copy (const TlPlaneSet *set, TlPlaneSet *copy,
                                   GError **error);
gboolean __wrap_tl_plane_set_copy (const TlPlaneSet *set, TlPlaneSet *copy,
                                   GError **error);
static gint lacks_memory; /* atomic: the worker looks at it */

gboolean
__wrap_tl_plane_set_copy (const TlPlaneSet *set, TlPlaneSet *copy,
                          GError **error)
{
  if (!g_atomic_int_get (&lacks_memory))
    return __real_tl_plane_set_copy (set, copy, error);
  *copy = (TlPlaneSet){ 0 };
  return tl_fail (error, TL_ERROR_MEMORY, "no memory for the copy");
}

static guint bins_seen; /* all that planes were made of, combined */

/* Zoom 1 in panes as large as a slice: each pixel of the screen is a pixel of a
 * slice. */
static TlPlanes *
open_at_zoom_1 (TlFixture *fixture)
{
  TlSession *session = fixture->session;
  TlPlanes *planes = tl_session_get_planes (session);
  tl_fixture_open_scan (fixture);
  tl_session_change (session, "precision", "full");
  tl_session_change (session, "method", "back-projection");
  TlAim aim = *tl_planes_get_aim (planes);
  for (TlPane pane = 0; pane < TL_N_PANES; pane++)
    tl_aim_set_size (&aim, pane, N_COLS, N_COLS);
  tl_aim_fit (&aim);
  g_assert_cmpfloat (aim.scale, ==, 1);
  tl_planes_set_aim (planes, &aim);
  return planes;
}

static gboolean
is_fine (TlSession *session)
{
  return !tl_requests_is_busy (session->requests)
         && !tl_display_shows_preview (session->display)
         && tl_planes_get_set (tl_session_get_planes (session))->coarseness
                == 1;
}

static const TlPlaneSet *
show_planes (TlFixture *fixture)
{
  TlSession *session = fixture->session;
  tl_display_set_picture (session->display, TL_PICTURE_PLANES);
  tl_session_wait_until (session, is_fine);
  tl_session_assert_message (session, NULL);
  return tl_planes_get_set (tl_session_get_planes (session));
}

/* Returns: (transfer full): the slice, [N_COLS][N_COLS] */
static float *
dup_slice (TlFixture *fixture, guint slice)
{
  TlSession *session = fixture->session;
  g_autofree char *number = g_strdup_printf ("%u", slice);
  tl_display_set_picture (session->display, TL_PICTURE_SLICE);
  tl_session_change (session, "slice", number);
  tl_session_wait_for (session, "busy", FALSE);
  TlFrame *frame = tl_display_get_frame (session->display);
  g_assert_cmpuint (tl_frame_get_n_cols (frame), ==, N_COLS);
  return g_memdup2 (tl_frame_get_pixels (frame),
                    N_COLS * N_COLS * sizeof (float));
}

/* On the host, the plane x-y is the slice to the bit, and the others have its
 * pixels. */
static void
test_slices (TlFixture *fixture, gconstpointer data)
{
  TlPlanes *planes = open_at_zoom_1 (fixture);
  g_autofree float *slice = dup_slice (fixture, 7);
  const TlPlaneSet *set = show_planes (fixture);
  const TlAim *aim = tl_planes_get_aim (planes);
  const size_t row = (size_t)(aim->grid.y0 - aim->cross[1]);
  const size_t col = (size_t)(aim->cross[0] - aim->grid.x0);
  g_assert_cmpfloat (aim->cross[2], ==, 7);
  g_assert_cmpuint (set->planes[TL_PANE_XY].nx, ==, N_COLS);
  g_assert_cmpuint (set->planes[TL_PANE_XY].ny, ==, N_COLS);
  g_assert_cmpuint (set->planes[TL_PANE_XZ].ny, ==, N_ROWS);
  g_assert_cmpuint (set->planes[TL_PANE_YZ].nx, ==, N_COLS);
  g_assert_cmpmem (tl_frame_get_pixels (set->frames[TL_PANE_XY]),
                   N_COLS * N_COLS * sizeof (float), slice,
                   N_COLS * N_COLS * sizeof (float));
  g_assert_cmpmem (tl_frame_get_pixels (set->frames[TL_PANE_XZ]) + 7 * N_COLS,
                   N_COLS * sizeof (float), slice + row * N_COLS,
                   N_COLS * sizeof (float));
  for (size_t k = 0; k < N_COLS; k++)
    g_assert_cmpfloat_with_epsilon (
        tl_frame_get_pixels (set->frames[TL_PANE_YZ])[7 * N_COLS + k],
        slice[k * N_COLS + col], 1e-6);
  /* a profile counts pixels of the slice, from the axis and row 0 on */
  TlPixels pixels;
  g_assert_true (tl_planes_get_pixels (planes, TL_PANE_XY, &pixels));
  g_assert_cmpfloat (pixels.col, ==, aim->grid.x0);
  g_assert_cmpfloat (pixels.row, ==, -aim->grid.y0);
  g_assert_cmpfloat (pixels.pitch, ==, 1);
  g_assert_true (tl_planes_get_pixels (planes, TL_PANE_XZ, &pixels));
  g_assert_cmpfloat (pixels.row, ==, 0);
  g_assert_cmpuint (pixels.n_rows, ==, N_ROWS);
  /* the cross is in the same pixel everywhere */
  float values[TL_N_PANES];
  for (TlPane pane = 0; pane < TL_N_PANES; pane++)
    {
      g_assert_true (tl_planes_read (planes, pane, aim->cross, &values[pane]));
      g_assert_cmpfloat_with_epsilon (values[pane], values[0], 1e-6);
    }
}

/* Nothing is read before planes are made, nor when the session has gone. */
static void
test_nothing (TlFixture *fixture, gconstpointer data)
{
  g_autoptr (TlPlanes) planes = g_object_ref (open_at_zoom_1 (fixture));
  const TlAim *aim = tl_planes_get_aim (planes);
  float value;
  TlPixels pixels;
  g_assert_false (tl_planes_read (planes, TL_PANE_XY, aim->cross, &value));
  g_assert_false (tl_planes_get_pixels (planes, TL_PANE_XY, &pixels));
  g_assert_finalize_object (fixture->session);
  fixture->session = tl_session_new ();
  g_assert_false (tl_planes_read (planes, TL_PANE_XY, aim->cross, &value));
}

/* The height of the cross and the slice follow each other. */
static void
test_cross (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlPlanes *planes = open_at_zoom_1 (fixture);
  show_planes (fixture);
  tl_session_change (session, "slice", "3");
  g_assert_cmpfloat (tl_planes_get_aim (planes)->cross[2], ==, 3);
  tl_session_wait_until (session, is_fine);
  g_assert_cmpfloat (tl_planes_get_set (planes)->planes[TL_PANE_XY].origin[2],
                     ==, 3);
  TlAim aim = *tl_planes_get_aim (planes);
  tl_aim_step (&aim, TL_PANE_XY, 8);
  tl_planes_set_aim (planes, &aim);
  g_assert_cmpuint (tl_parameters_get_slice (session->parameters), ==, 11);
  tl_session_wait_until (session, is_fine);
  g_assert_cmpfloat (tl_planes_get_set (planes)->planes[TL_PANE_XY].origin[2],
                     ==, 11);
  /* beyond the last row */
  tl_aim_step (&aim, TL_PANE_XY, 80);
  tl_planes_set_aim (planes, &aim);
  g_assert_cmpuint (tl_parameters_get_slice (session->parameters), ==,
                    N_ROWS - 1);
  tl_parameters_undo (session->parameters);
  tl_parameters_undo (session->parameters);
  g_assert_cmpfloat (tl_planes_get_aim (planes)->cross[2], ==,
                     tl_parameters_get_slice (session->parameters));
}

/* All planes follow the knobs. */
static void
test_knobs (TlFixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *key, *value;
  } changes[] = {
    { "centre", "31.5" },   { "filter", "hann" }, { "cutoff", "0.6" },
    { "rings", "sorting" }, { "tilt", "1.5" },    { "beam-hardening", "0.1" },
  };
  TlSession *session = fixture->session;
  TlPlanes *planes = open_at_zoom_1 (fixture);
  show_planes (fixture);
  for (size_t k = 0; k < G_N_ELEMENTS (changes); k++)
    {
      const TlPlaneSet *set = tl_planes_get_set (planes);
      g_auto (TlPlaneSet) before = { 0 };
      for (TlPane pane = 0; pane < TL_N_PANES; pane++)
        before.frames[pane] = tl_frame_ref (set->frames[pane]);
      tl_session_change (session, changes[k].key, changes[k].value);
      tl_session_wait_until (session, is_fine);
      g_test_message ("%s", changes[k].key);
      for (TlPane pane = 0; pane < TL_N_PANES; pane++)
        g_assert_cmpint (memcmp (tl_frame_get_pixels (before.frames[pane]),
                                 tl_frame_get_pixels (set->frames[pane]),
                                 tl_frame_get_n_rows (before.frames[pane])
                                     * tl_frame_get_n_cols (before.frames[pane])
                                     * sizeof (float)),
                         !=, 0);
    }
  /* a slice with the same parameters is the plane still */
  g_autofree float *plane = g_memdup2 (
      tl_frame_get_pixels (tl_planes_get_set (planes)->frames[TL_PANE_XY]),
      N_COLS * N_COLS * sizeof (float));
  g_autofree float *slice =
      dup_slice (fixture, (guint)tl_planes_get_aim (planes)->cross[2]);
  g_assert_cmpmem (plane, N_COLS * N_COLS * sizeof (float), slice,
                   N_COLS * N_COLS * sizeof (float));
}

/* Nothing is made again while nothing changes, nor while another picture is
 * shown. */
static void
test_idle (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlPlanes *planes = open_at_zoom_1 (fixture);
  show_planes (fixture);
  const guint n_frames = fixture->n_frames;
  TlAim aim = *tl_planes_get_aim (planes);
  tl_planes_set_aim (planes, &aim);
  g_assert_false (tl_requests_is_busy (session->requests));
  g_assert_cmpuint (fixture->n_frames, ==, n_frames);
  tl_display_set_picture (session->display, TL_PICTURE_SLICE);
  tl_session_wait_for (session, "busy", FALSE);
  g_assert_null (tl_planes_get_set (planes)->frames[TL_PANE_OBLIQUE]);
  tl_aim_turn (&aim, TL_PANE_XY, 0.3);
  tl_planes_set_aim (planes, &aim);
  g_assert_false (tl_requests_is_busy (session->requests));
  g_assert_null (tl_planes_get_set (planes)->frames[TL_PANE_OBLIQUE]);
  show_planes (fixture);
  g_assert_nonnull (tl_planes_get_set (planes)->frames[TL_PANE_OBLIQUE]);
}

static gboolean
has_notice (TlSession *session)
{
  g_autofree char *notice = NULL;
  g_object_get (session->messages, "notice", &notice, NULL);
  return notice != NULL;
}

/* The plane of the chosen pane is saved, with its place, and its recipe. */
static void
test_save (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_autofree char *path = tl_scratch_path (fixture->folder, "xz.tiff");
  g_autofree char *recipe = tl_scratch_path (fixture->folder, "xz.ini");
  open_at_zoom_1 (fixture);
  const TlPlaneSet *set = show_planes (fixture);
  size_t n;
  gsize n_bytes;
  tl_display_set_pane (session->display, TL_PANE_XZ);
  tl_display_save (session->display, path);
  tl_session_wait_until (session, has_notice);
  tl_session_assert_message (session, NULL);
  tl_session_assert_notice (session, "Plane written to", path);
  g_autofree float *saved = tl_scratch_load_tiff (path, &n);
  g_assert_cmpmem (saved, n * sizeof (float),
                   tl_frame_get_pixels (set->frames[TL_PANE_XZ]),
                   N_ROWS * N_COLS * sizeof (float));
  g_autofree char *file = NULL;
  g_assert_true (g_file_get_contents (path, &file, &n_bytes, NULL));
  g_autofree char *place = tl_recon_describe_plane (&set->planes[TL_PANE_XZ]);
  g_assert_nonnull (memmem (file, n_bytes, place, strlen (place)));
  g_assert_nonnull (strstr (place, "u 1 0 0; v 0 0 1"));
  g_assert_true (g_file_test (recipe, G_FILE_TEST_EXISTS));
}

/* Opens a scan that is too wide for a drag. */
static void
open_wide (TlFixture *fixture)
{
  TlSession *session = fixture->session;
  g_autofree char *path = tl_scratch_phantom (
      fixture->folder, "wide.h5", WIDE_PROJECTIONS, WIDE_ROWS, WIDE_COLS);
  tl_session_open (session, path);
  tl_session_wait_for (session, "busy", FALSE);
  tl_session_change (session, "precision", "full");
  tl_session_change (session, "method", "back-projection");
}

/* Notes of which bins planes are made. */
static void
note_bin (TlPlanes *planes)
{
  const TlPlaneSet *set = tl_planes_get_set (planes);
  if (set->frames[TL_PANE_XY] != NULL)
    bins_seen |= set->bin;
}

/* Planes of a wide scan come from its bins while they change, and from the scan
 * when it has the pixels of the screen. The bins are given back. */
static void
test_levels (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlPlanes *planes = tl_session_get_planes (session);
  open_wide (fixture);
  TlAim aim = *tl_planes_get_aim (planes);
  for (TlPane pane = 0; pane < TL_N_PANES; pane++)
    tl_aim_set_size (&aim, pane, WIDE_COLS, WIDE_COLS);
  tl_planes_set_aim (planes, &aim);
  bins_seen = 0;
  g_signal_connect_object (session->display, "notify::frame",
                           G_CALLBACK (note_bin), planes, G_CONNECT_SWAPPED);
  tl_display_set_picture (session->display, TL_PICTURE_PLANES);
  g_assert_cmpfloat (tl_planes_get_progress (planes), <, 1);
  tl_session_wait_until (session, is_fine);
  g_assert_cmpuint (bins_seen, ==, 1 | 2 | 4);
  g_assert_cmpfloat (tl_planes_get_progress (planes), ==, 1);
  const TlPlaneSet *set = tl_planes_get_set (planes);
  guint64 n_bytes = tl_held_budget_get_taken (newest_budget);
  g_assert_cmpuint (n_bytes, >, 0);
  for (TlPane pane = 0; pane < TL_N_PANES; pane++)
    n_bytes += set->planes[pane].nx * set->planes[pane].ny * sizeof (float);
  g_assert_cmpuint (tl_planes_count_bytes (planes), ==, n_bytes);
  g_assert_cmpuint (tl_display_get_held_bytes (session->display), ==, n_bytes);
  g_assert_cmpuint (set->bin, ==, 1);
  g_autofree float *fine = g_memdup2 (
      tl_frame_get_pixels (tl_planes_get_set (planes)->frames[TL_PANE_XY]),
      WIDE_COLS * WIDE_COLS * sizeof (float));
  /* at half the size, they are of the bins, with values of the same unit */
  bins_seen = 0;
  for (TlPane pane = 0; pane < TL_N_PANES; pane++)
    tl_aim_set_size (&aim, pane, WIDE_COLS / 2, WIDE_COLS / 2);
  tl_planes_set_aim (planes, &aim);
  tl_session_wait_until (session, is_fine);
  g_assert_cmpuint (bins_seen, ==, 2 | 4);
  double sum = 0, fine_sum = 0;
  TlFrame *half = tl_planes_get_set (planes)->frames[TL_PANE_XY];
  const size_t n = tl_frame_get_n_rows (half) * tl_frame_get_n_cols (half);
  for (size_t k = 0; k < n; k++)
    sum += (double)tl_frame_get_pixels (half)[k];
  for (size_t k = 0; k < WIDE_COLS * WIDE_COLS; k++)
    fine_sum += (double)fine[k];
  g_assert_cmpfloat_with_epsilon (sum * 4 / fine_sum, 1, 0.02);
  /* by the worker, too, although the slice has not changed */
  tl_display_set_picture (session->display, TL_PICTURE_SLICE);
  g_assert_cmpuint (tl_planes_count_bytes (planes), ==, 0);
  g_assert_cmpuint (tl_display_get_held_bytes (session->display), ==, 0);
  tl_session_wait_for (session, "busy", FALSE);
  g_assert_cmpuint (tl_held_budget_get_taken (newest_budget), ==, 0);
}

/* Zoomed in far, planes are made of the scan itself: where their pixels are
 * those of the slice, they have its values. */
static void
test_zoomed (TlFixture *fixture, gconstpointer data)
{
  enum
  {
    ZOOM = 8,
    MIDDLE = WIDE_COLS / 2,
    N = WIDE_COLS / ZOOM / 2 - 2 /* pixels of the slice in half a pane */
  };
  TlSession *session = fixture->session;
  TlPlanes *planes = tl_session_get_planes (session);
  size_t n_rows, n_cols;
  float largest = 0;
  open_wide (fixture);
  g_autofree float *slice =
      g_memdup2 (tl_display_get_pixels (session->display, &n_rows, &n_cols),
                 WIDE_COLS * WIDE_COLS * sizeof (float));
  TlAim aim = *tl_planes_get_aim (planes);
  for (TlPane pane = 0; pane < TL_N_PANES; pane++)
    tl_aim_set_size (&aim, pane, WIDE_COLS, WIDE_COLS);
  tl_aim_fit (&aim);
  tl_aim_zoom (&aim, TL_PANE_XY, ZOOM, WIDE_COLS / 2.0, WIDE_COLS / 2.0);
  tl_planes_set_aim (planes, &aim);
  const TlPlaneSet *set = show_planes (fixture);
  g_assert_cmpuint (set->bin, ==, 1);
  g_assert_cmpfloat_with_epsilon (set->planes[TL_PANE_XY].u[0], 1.0 / ZOOM,
                                  1e-9);
  for (size_t row = MIDDLE - N; row < MIDDLE + N; row++)
    for (size_t col = MIDDLE - N; col < MIDDLE + N; col++)
      {
        const float *pixel = slice + row * WIDE_COLS + col;
        double place[] = { aim.grid.x0 + (double)col, aim.grid.y0 - (double)row,
                           aim.cross[2] };
        float value;
        g_assert_true (tl_planes_read (planes, TL_PANE_XY, place, &value));
        g_assert_cmpfloat_with_epsilon (value, *pixel, 1e-6);
        place[0] += 0.5;
        g_assert_true (tl_planes_read (planes, TL_PANE_XY, place, &value));
        largest = fmaxf (largest, fabsf (value - (pixel[0] + pixel[1]) / 2));
      }
  /* half-way between two it is no mean of them */
  g_assert_cmpfloat (largest, >, 1e-3F);
}

/* --- comparing --- */

/* Returns: (transfer full): all pixels of @set, one pane after the other */
static GByteArray *
dup_pixels (const TlPlaneSet *set)
{
  GByteArray *bytes = g_byte_array_new ();
  for (TlPane pane = 0; pane < TL_N_PANES; pane++)
    if (set->frames[pane] != NULL)
      g_byte_array_append (
          bytes, (const guint8 *)tl_frame_get_pixels (set->frames[pane]),
          (guint)(tl_frame_get_n_rows (set->frames[pane])
                  * tl_frame_get_n_cols (set->frames[pane]) * sizeof (float)));
  return bytes;
}

static void
assert_pixels (const TlPlaneSet *set, const GByteArray *want)
{
  g_autoptr (GByteArray) pixels = dup_pixels (set);
  g_assert_cmpuint (want->len, >, 0);
  g_assert_cmpmem (pixels->data, pixels->len, want->data, want->len);
}

/* Asserts that the difference is that of the planes, and has its statistics. */
static void
assert_difference (TlPlanes *planes)
{
  const TlComparedPlanes *compared = tl_planes_get_compared (planes);
  g_autoptr (GByteArray) a = dup_pixels (&compared->held);
  g_autoptr (GByteArray) b = dup_pixels (tl_planes_get_set (planes));
  g_autoptr (GByteArray) difference = dup_pixels (&compared->difference);
  float largest = 0;
  g_assert_cmpuint (a->len, ==, b->len);
  g_assert_cmpuint (difference->len, ==, b->len);
  for (size_t k = 0; k < b->len / sizeof (float); k++)
    {
      const float want = ((float *)b->data)[k] - ((float *)a->data)[k];
      g_assert_cmpfloat (((float *)difference->data)[k], ==, want);
      largest = fmaxf (largest, fabsf (want));
    }
  g_assert_cmpfloat (largest, >, 1e-3F);
  g_assert_cmpfloat (compared->stats.min, <, 0);
  g_assert_cmpfloat (compared->stats.max, <=, largest);
}

static void
move_cross (TlPlanes *planes, double x, double y)
{
  TlAim aim = *tl_planes_get_aim (planes);
  const double place[] = { aim.cross[0] + x, aim.cross[1] + y, aim.cross[2] };
  tl_aim_move_cross (&aim, place);
  tl_planes_set_aim (planes, &aim);
}

/* A is the parameters: its planes are those that were shown, and those that
 * would be shown elsewhere. */
static void
test_held (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlPlanes *planes = open_at_zoom_1 (fixture);
  TlSliceComparison *comparison = session->comparison;
  float a, b;
  show_planes (fixture);
  g_autoptr (GByteArray) first = dup_pixels (tl_planes_get_set (planes));
  tl_display_hold_slice (session->display);
  g_assert_cmpint (tl_display_get_picture (session->display), ==,
                   TL_PICTURE_PLANES);
  g_assert_true (tl_slice_comparison_is_held (comparison));
  tl_slice_comparison_set_mode (comparison, TL_COMPARE_SWIPE);
  tl_session_wait_until (session, is_fine);
  assert_pixels (&tl_planes_get_compared (planes)->held, first);
  tl_session_change (session, "centre", "33");
  tl_session_wait_until (session, is_fine);
  assert_pixels (&tl_planes_get_compared (planes)->held, first);
  assert_difference (planes);
  g_assert_cmpint (tl_slice_comparison_get_shown_mode (comparison), ==,
                   TL_COMPARE_SWIPE);
  /* elsewhere: the cross is no parameter that differs */
  move_cross (planes, 5, -7);
  tl_session_change (session, "slice", "9");
  tl_session_wait_until (session, is_fine);
  g_autofree char *words = tl_slice_comparison_describe (comparison);
  g_assert_null (strstr (words, "Slice"));
  g_assert_nonnull (strstr (words, "Centre"));
  assert_difference (planes);
  g_autoptr (GByteArray) moved =
      dup_pixels (&tl_planes_get_compared (planes)->held);
  const double place[] = { 3.5, 2.5, 9 };
  g_assert_true (tl_planes_read_compared (planes, TL_PANE_XY, place, &a, &b));
  g_assert_cmpfloat (a, !=, b);
  /* the difference is what profile and histogram have */
  TlPixels pixels;
  size_t n;
  float min, max;
  tl_slice_comparison_set_mode (comparison, TL_COMPARE_DIFFERENCE);
  g_assert_true (tl_planes_get_pixels (planes, TL_PANE_XZ, &pixels));
  g_assert_true (
      pixels.values
      == tl_frame_get_pixels (
          tl_planes_get_compared (planes)->difference.frames[TL_PANE_XZ]));
  g_assert_nonnull (
      tl_display_get_histogram (session->display, &n, &min, &max));
  g_assert_cmpfloat (min, ==, tl_planes_get_compared (planes)->stats.min);
  /* A's parameters make A's planes */
  tl_slice_comparison_release (comparison);
  g_assert_null (tl_planes_get_compared (planes)->held.frames[TL_PANE_XY]);
  tl_parameters_undo (session->parameters);
  tl_parameters_undo (session->parameters);
  tl_session_change (session, "slice", "9");
  tl_session_wait_until (session, is_fine);
  assert_pixels (tl_planes_get_set (planes), moved);
}

/* A's planes are made when they are shown, and stay while B does; then nothing
 * is made again. */
static void
test_held_unseen (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlPlanes *planes = open_at_zoom_1 (fixture);
  const TlComparedPlanes *compared = tl_planes_get_compared (planes);
  show_planes (fixture);
  g_autoptr (GByteArray) first = dup_pixels (tl_planes_get_set (planes));
  tl_display_hold_slice (session->display);
  g_assert_false (tl_requests_is_busy (session->requests));
  tl_session_change (session, "centre", "33");
  tl_session_wait_until (session, is_fine);
  g_assert_null (compared->held.frames[TL_PANE_XY]);
  tl_slice_comparison_set_mode (session->comparison, TL_COMPARE_SWIPE);
  g_assert_cmpint (tl_slice_comparison_get_shown_mode (session->comparison), ==,
                   TL_COMPARE_OFF);
  tl_session_wait_until (session, is_fine);
  g_assert_cmpint (tl_slice_comparison_get_shown_mode (session->comparison), ==,
                   TL_COMPARE_SWIPE);
  assert_pixels (&compared->held, first);
  tl_slice_comparison_set_mode (session->comparison, TL_COMPARE_OFF);
  tl_slice_comparison_set_mode (session->comparison, TL_COMPARE_DIFFERENCE);
  g_assert_false (tl_requests_is_busy (session->requests));
  assert_difference (planes);
  tl_slice_comparison_set_mode (session->comparison, TL_COMPARE_OFF);
  tl_session_change (session, "centre", "32.5");
  tl_session_wait_until (session, is_fine);
  g_assert_null (compared->held.frames[TL_PANE_XY]);
  /* another A while one is shown */
  tl_slice_comparison_set_mode (session->comparison, TL_COMPARE_SWIPE);
  tl_session_wait_until (session, is_fine);
  assert_pixels (&compared->held, first);
  g_autoptr (GByteArray) second = dup_pixels (tl_planes_get_set (planes));
  tl_display_hold_slice (session->display);
  tl_session_wait_until (session, is_fine);
  assert_pixels (&compared->held, second);
}

static size_t
get_memory (TlSession *session)
{
  return tl_display_get_shown_view (session->display, TL_PICTURE_PLANES)
      ->status.memory_bytes;
}

/* In a drag A has an engine of its own, which is closed when A is released,
 * although nothing else changes. */
static void
test_held_released (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlPlanes *planes = tl_session_get_planes (session);
  open_wide (fixture);
  show_planes (fixture);
  tl_session_change (session, "filter", "hann");
  tl_session_wait_until (session, is_fine);
  const guint64 planes_bytes = tl_planes_count_bytes (planes);
  const size_t before = get_memory (session);
  tl_display_hold_slice (session->display);
  tl_slice_comparison_set_mode (session->comparison, TL_COMPARE_SWIPE);
  tl_session_change (session, "filter", "hamming");
  tl_session_wait_until (session, is_fine);
  g_assert_cmpuint (get_memory (session), >, before);
  g_assert_cmpuint (tl_planes_count_bytes (planes), >, planes_bytes);
  tl_slice_comparison_release (session->comparison);
  tl_session_wait_until (session, is_fine);
  g_assert_cmpuint (get_memory (session), <=, before);
  g_assert_cmpuint (tl_planes_count_bytes (planes), ==, planes_bytes);
}

/* Without A there is still B. */
static void
test_held_fails (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlPlanes *planes = open_at_zoom_1 (fixture);
  show_planes (fixture);
  tl_display_hold_slice (session->display);
  g_atomic_int_set (&lacks_memory, TRUE);
  tl_slice_comparison_set_mode (session->comparison, TL_COMPARE_DIFFERENCE);
  tl_session_change (session, "centre", "33");
  tl_session_wait_until (session, is_fine);
  tl_session_assert_message (session, NULL);
  g_assert_nonnull (tl_planes_get_set (planes)->frames[TL_PANE_XY]);
  g_assert_null (tl_planes_get_compared (planes)->held.frames[TL_PANE_XY]);
  g_assert_cmpint (tl_slice_comparison_get_shown_mode (session->comparison), ==,
                   TL_COMPARE_OFF);
  /* it is tried again with the next planes */
  g_atomic_int_set (&lacks_memory, FALSE);
  tl_session_change (session, "centre", "33.5");
  tl_session_wait_until (session, is_fine);
  assert_difference (planes);
}

/* A of planes is A of the slice, and the other way round. */
static void
test_held_slice (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlPlanes *planes = open_at_zoom_1 (fixture);
  TlSliceComparison *comparison = session->comparison;
  g_autofree float *slice = dup_slice (fixture, 7);
  const size_t n_bytes = N_COLS * N_COLS * sizeof (float);
  show_planes (fixture);
  tl_display_hold_slice (session->display);
  tl_session_change (session, "centre", "33");
  tl_session_wait_until (session, is_fine);
  g_assert_null (tl_slice_comparison_get_held (comparison));
  tl_display_set_picture (session->display, TL_PICTURE_SLICE);
  tl_session_wait_until (session, tl_session_has_held);
  tl_session_wait_for (session, "busy", FALSE);
  g_assert_cmpmem (
      tl_frame_get_pixels (tl_slice_comparison_get_held (comparison)), n_bytes,
      slice, n_bytes);
  tl_slice_comparison_set_mode (comparison, TL_COMPARE_DIFFERENCE);
  tl_session_wait_until (session, tl_session_has_difference);
  g_assert_cmpuint (tl_planes_count_bytes (planes), ==, 0);
  /* back again */
  show_planes (fixture);
  assert_difference (planes);
  g_assert_cmpmem (
      tl_frame_get_pixels (
          tl_planes_get_compared (planes)->held.frames[TL_PANE_XY]),
      n_bytes, slice, n_bytes);
  tl_session_assert_message (session, NULL);
  /* of other data it has no planes */
  g_assert_true (tl_display_can_make_held (session->display));
  tl_session_change (session, "leave-out", "3");
  tl_session_wait_until (session, is_fine);
  g_assert_false (tl_display_can_make_held (session->display));
  g_assert_null (tl_planes_get_compared (planes)->held.frames[TL_PANE_XY]);
  tl_display_hold_slice (session->display);
  tl_session_wait_until (session, is_fine);
  g_assert_nonnull (tl_planes_get_compared (planes)->held.frames[TL_PANE_XY]);
  /* nor a slice that was not made before */
  tl_session_change (session, "leave-out", "4");
  tl_session_wait_until (session, is_fine);
  tl_display_set_picture (session->display, TL_PICTURE_SLICE);
  tl_session_wait_for (session, "busy", FALSE);
  g_assert_true (tl_slice_comparison_is_held (comparison));
  g_assert_null (tl_slice_comparison_get_held (comparison));
}

/* If the slice that A waits for is not made, because planes are shown, these
 * are A. */
static void
test_held_awaited (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlPlanes *planes = open_at_zoom_1 (fixture);
  tl_slice_comparison_hold (session->comparison, FALSE);
  tl_slice_comparison_set_mode (session->comparison, TL_COMPARE_SWIPE);
  show_planes (fixture);
  g_autoptr (GByteArray) first = dup_pixels (tl_planes_get_set (planes));
  assert_pixels (&tl_planes_get_compared (planes)->held, first);
  tl_session_change (session, "centre", "33");
  tl_session_wait_until (session, is_fine);
  assert_pixels (&tl_planes_get_compared (planes)->held, first);
  assert_difference (planes);
}

/* While differences are shown, they are saved, with their place. */
static void
test_held_save (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_autofree char *path = tl_scratch_path (fixture->folder, "less.tiff");
  TlPlanes *planes = open_at_zoom_1 (fixture);
  size_t n;
  gsize n_bytes;
  show_planes (fixture);
  tl_display_hold_slice (session->display);
  tl_session_change (session, "centre", "33");
  tl_slice_comparison_set_mode (session->comparison, TL_COMPARE_DIFFERENCE);
  tl_session_wait_until (session, is_fine);
  tl_display_set_pane (session->display, TL_PANE_YZ);
  tl_display_save (session->display, path);
  tl_session_wait_until (session, has_notice);
  tl_session_assert_message (session, NULL);
  tl_session_assert_notice (session, "Plane minus A written to", path);
  g_autofree float *saved = tl_scratch_load_tiff (path, &n);
  const TlPlaneSet *difference = &tl_planes_get_compared (planes)->difference;
  g_assert_cmpmem (saved, n * sizeof (float),
                   tl_frame_get_pixels (difference->frames[TL_PANE_YZ]),
                   N_ROWS * N_COLS * sizeof (float));
  g_autofree char *file = NULL;
  g_assert_true (g_file_get_contents (path, &file, &n_bytes, NULL));
  g_autofree char *place =
      tl_recon_describe_plane (&difference->planes[TL_PANE_YZ]);
  g_autofree char *words =
      g_strdup_printf ("the plane minus plane A: %s", place);
  g_assert_nonnull (memmem (file, n_bytes, words, strlen (words)));
}

/* In a drag, A and B are made of the same bins, in the same pixels. */
static void
note_sets (TlPlanes *planes)
{
  const TlPlaneSet *set = tl_planes_get_set (planes);
  const TlPlaneSet *held = &tl_planes_get_compared (planes)->held;
  if (set->frames[TL_PANE_XY] == NULL || held->frames[TL_PANE_XY] == NULL)
    return;
  bins_seen |= set->bin;
  g_assert_cmpuint (held->bin, ==, set->bin);
  g_assert_cmpuint (held->coarseness, ==, set->coarseness);
  for (TlPane pane = 0; pane < TL_N_PANES; pane++)
    g_assert_true (tl_plane_equal (&held->planes[pane], &set->planes[pane]));
}

static void
test_held_levels (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlPlanes *planes = tl_session_get_planes (session);
  open_wide (fixture);
  TlAim aim = *tl_planes_get_aim (planes);
  for (TlPane pane = 0; pane < TL_N_PANES; pane++)
    tl_aim_set_size (&aim, pane, WIDE_COLS / 2, WIDE_COLS / 2);
  tl_planes_set_aim (planes, &aim);
  show_planes (fixture);
  bins_seen = 0;
  g_signal_connect_object (session->display, "notify::frame",
                           G_CALLBACK (note_sets), planes, G_CONNECT_SWAPPED);
  tl_display_hold_slice (session->display);
  tl_slice_comparison_set_mode (session->comparison, TL_COMPARE_SWIPE);
  tl_session_change (session, "filter", "hann");
  tl_session_wait_until (session, is_fine);
  g_assert_cmpuint (bins_seen, ==, 2 | 4);
  assert_difference (planes);
}

/* Another scan, opened while planes are shown, is looked at as a whole. */
static void
test_other_scan (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlPlanes *planes = tl_session_get_planes (session);
  open_wide (fixture);
  show_planes (fixture);
  TlAim aim = *tl_planes_get_aim (planes);
  tl_aim_zoom (&aim, TL_PANE_XY, 3, 0, 0);
  tl_planes_set_aim (planes, &aim);
  tl_session_open (session, fixture->scan);
  tl_session_wait_until (session, is_fine);
  tl_session_assert_message (session, NULL);
  g_assert_cmpuint (tl_planes_get_aim (planes)->grid.nx, ==, N_COLS);
  g_assert_true (tl_planes_get_aim (planes)->is_fitted);
  g_assert_cmpfloat (tl_planes_get_aim (planes)->cross[2], ==,
                     tl_parameters_get_slice (session->parameters));
  g_assert_cmpuint (tl_planes_get_set (planes)->bin, ==, 1);
  g_assert_cmpfloat (
      fabs (tl_planes_get_set (planes)->planes[TL_PANE_XY].origin[0]), <=,
      N_COLS / 2.0);
  /* a damaged file changes nothing */
  g_autofree char *missing = tl_scratch_path (fixture->folder, "missing.h5");
  TlFrame *frame = tl_planes_get_set (planes)->frames[TL_PANE_XY];
  tl_session_open (session, missing);
  tl_session_wait_for (session, "busy", FALSE);
  tl_session_assert_message (session, "missing.h5");
  g_assert_true (tl_planes_get_set (planes)->frames[TL_PANE_XY] == frame);
}

int
main (int argc, char **argv)
{
  static const TlFixtureCase cases[] = {
    { "/planes/nothing", test_nothing },
    { "/planes/slices", test_slices },
    { "/planes/cross", test_cross },
    { "/planes/knobs", test_knobs },
    { "/planes/idle", test_idle },
    { "/planes/save", test_save },
    { "/planes/levels", test_levels },
    { "/planes/zoomed", test_zoomed },
    { "/planes/other-scan", test_other_scan },
    { "/planes/held", test_held },
    { "/planes/held-unseen", test_held_unseen },
    { "/planes/held-released", test_held_released },
    { "/planes/held-fails", test_held_fails },
    { "/planes/held-slice", test_held_slice },
    { "/planes/held-awaited", test_held_awaited },
    { "/planes/held-save", test_held_save },
    { "/planes/held-levels", test_held_levels },
  };
  const int status = tl_fixture_run (argc, argv, tl_fixture_set_up, cases,
                                     G_N_ELEMENTS (cases));
  g_clear_pointer (&newest_budget, tl_held_budget_unref);
  return status;
}
