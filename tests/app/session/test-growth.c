/* A session follows a scan that another process plays: its picture grows, and
 * at last is the one of the scan itself. */
#include "app/axis/centre-search.h"
#include "app/planes/planes.h"
#include "app/volume/scene.h"

#include "data/error.h"
#include "data/stream/socket.h"
#include "data/stream/stream.h"
#include "data/write/exchange-file.h"
#include "data/write/growing-file.h"
#include "tests/app/scratch.h"
#include "tests/app/session/session-fixture.h"
#include "tests/support/sum-values.h"
#include "tests/support/watchdog.h"

#include <gio/gio.h>
#include <glib/gstdio.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>
#include <utime.h>

#define CENTRE "29.3"

/* TomoPackets have angles of 32 bits. */
#define ROUNDED 1e-5f

/* Projections per second, so that pictures come between them. */
#define RATE "25"
#define SLOW_RATE "6" /* so that several volumes are made meanwhile */

#define PIXEL_UM 2.5

/* Fails as long as that is wanted, and then counts. */
TlReader *__real_tl_held_open (TlHeld *held, const TlReaderOptions *options,
                               TlHeldWeights **weights, GError **error);

static gint fails; /* atomic: how often it still does */

TlReader *
__wrap_tl_held_open (TlHeld *held, const TlReaderOptions *options,
                     TlHeldWeights **weights, GError **error)
{
  if (g_atomic_int_get (&fails) == 0)
    return __real_tl_held_open (held, options, weights, error);
  g_atomic_int_add (&fails, -1);
  g_set_error_literal (error, TL_ERROR, TL_ERROR_MEMORY, "no room for it");
  return NULL;
}

/* The same for the projections of a volume. */
TlReader *__real_tl_held_open_binned (TlHeld *held,
                                      const TlReaderOptions *options,
                                      GError **error);

static gint volume_fails; /* atomic: how often it still does */

TlReader *
__wrap_tl_held_open_binned (TlHeld *held, const TlReaderOptions *options,
                            GError **error)
{
  if (g_atomic_int_get (&volume_fails) == 0)
    return __real_tl_held_open_binned (held, options, error);
  g_atomic_int_add (&volume_fails, -1);
  g_set_error_literal (error, TL_ERROR, TL_ERROR_MEMORY, "no room for it");
  return NULL;
}

/* As much as is wanted. */
guint64 __real_tl_held_budget_get_usual (void);

static guint64 budget_bytes; /* 0: as usual; set before a scan is followed */

guint64
__wrap_tl_held_budget_get_usual (void)
{
  return budget_bytes > 0 ? budget_bytes : __real_tl_held_budget_get_usual ();
}

/* Returns: whether there is no libzmq, and the case is skipped */
static gboolean
lacks_network (void)
{
  const char *missing = tl_socket_get_missing ();
  if (missing != NULL)
    g_test_skip_printf ("the program was built without %s", missing);
  return missing != NULL;
}

/* Returns: (transfer full) (nullable): a free one; %NULL: there is no libzmq,
 * and the case is skipped */
static char *
dup_address (const char *scheme)
{
  if (lacks_network ())
    return NULL;
  g_autoptr (GSocketListener) listener = g_socket_listener_new ();
  const guint16 port =
      g_socket_listener_add_any_inet_port (listener, NULL, NULL);
  g_assert_cmpuint (port, >, 0);
  return g_strdup_printf ("%s://127.0.0.1:%u", scheme, port);
}

/* @option, @value: (nullable) */
static GSubprocess *
play_with (TlFixture *fixture, const char *to, const char *rate,
           const char *option, const char *value)
{
  g_autoptr (GError) error = NULL;
  GSubprocess *player =
      g_subprocess_new (G_SUBPROCESS_FLAGS_STDOUT_SILENCE, &error, TL_CLI_PATH,
                        "play", fixture->scan, "--to", to, "--rate", rate,
                        "--overwrite", option, value, NULL);
  g_assert_no_error (error);
  return player;
}

/* @lost: (nullable): projections that are not sent */
static GSubprocess *
play_but (TlFixture *fixture, const char *to, const char *rate,
          const char *lost)
{
  return play_with (fixture, to, rate, lost != NULL ? "--lose" : NULL, lost);
}

static GSubprocess *
play (TlFixture *fixture, const char *to, const char *rate)
{
  return play_but (fixture, to, rate, NULL);
}

static void
end (GSubprocess *player)
{
  g_autoptr (GError) error = NULL;
  g_assert_true (g_subprocess_wait_check (player, NULL, &error));
  g_assert_no_error (error);
}

static void
assert_notice_is (TlSession *session, const char *part)
{
  g_autofree char *notice = NULL;
  g_object_get (session->messages, "notice", &notice, NULL);
  g_assert_cmpint (notice == NULL, ==, part == NULL);
  g_assert_true (part == NULL || strstr (notice, part) != NULL);
}

/* --- what is waited for --- */

static gboolean
is_growing (TlSession *session)
{
  return tl_growth_get_state (session->growth) == TL_GROWTH_GROWING
         && tl_display_get_frame (session->display) != NULL
         && tl_display_get_status (session->display)->n_angles >= 3
         && tl_scan_source_get_summary (session->source)->is_growing;
}

static gboolean
is_complete (TlSession *session)
{
  return tl_growth_get_state (session->growth) == TL_GROWTH_COMPLETE
         && !tl_requests_is_busy (session->requests);
}

/* A file or folder is opened again when it is complete. */
static gboolean
is_ordinary (TlSession *session)
{
  return tl_growth_get_state (session->growth) == TL_GROWTH_NONE
         && tl_scan_source_is_open (session->source)
         && !tl_scan_source_get_summary (session->source)->is_growing
         && !tl_requests_is_busy (session->requests);
}

static gboolean
has_all (TlSession *session)
{
  return tl_growth_get_news (session->growth)->n_projections == N_PROJECTIONS
         && !tl_requests_is_busy (session->requests);
}

static size_t n_all_fields; /* flats and darks, some of which come late */

/* Returns: whether the scan that is open has them all */
static gboolean
has_all_fields (TlSession *session)
{
  const TlScanSummary *scan = tl_scan_source_get_summary (session->source);
  return scan != NULL && scan->n_flats + scan->n_darks >= n_all_fields;
}

/* --- pictures --- */

/* Counts the pictures of more projections than the one before. */
typedef struct
{
  size_t n_angles;
  guint n_grown;
} Pictures;

static void
on_frame (TlDisplay *display, GParamSpec *pspec, gpointer data)
{
  Pictures *pictures = data;
  const size_t n = tl_display_get_status (display)->n_angles;
  pictures->n_grown += n > pictures->n_angles;
  pictures->n_angles = n;
}

static void
count_pictures (TlFixture *fixture, Pictures *pictures)
{
  *pictures = (Pictures){ 0 };
  g_signal_connect (fixture->session->display, "notify::frame",
                    G_CALLBACK (on_frame), pictures);
}

static void
uncount_pictures (TlFixture *fixture, Pictures *pictures)
{
  g_signal_handlers_disconnect_by_data (fixture->session->display, pictures);
}

static void
set (TlFixture *fixture, const char *key, const char *value)
{
  g_autoptr (GError) error = NULL;
  tl_parameters_set (fixture->session->parameters, key, value, &error);
  g_assert_no_error (error);
}

/* Opens the scan of @n_angles itself with the same parameters, and compares.
 *
 * @key: (nullable): with @value, a parameter that the scan does not keep
 * @tolerance: relative to the largest value: 0, or ROUNDED where the sender
 *   rounds the angles
 */
static void
assert_shown_with (TlFixture *fixture, guint n_angles, const char *key,
                   const char *value, float tolerance)
{
  TlSession *session = fixture->session;
  size_t n_rows, n_cols, n;
  const float *shown =
      tl_display_get_pixels (session->display, &n_rows, &n_cols);
  g_autofree float *grown = g_memdup2 (shown, n_rows * n_cols * sizeof *shown);
  const guint slice = tl_parameters_get_slice (session->parameters);
  g_assert_cmpuint (tl_display_get_status (session->display)->n_angles, ==,
                    n_angles);
  tl_session_open (session, fixture->scan);
  tl_session_wait_for (session, "busy", FALSE);
  g_assert_null (tl_growth_get_name (session->growth));
  tl_parameters_set_slice (session->parameters, slice);
  set (fixture, "centre", CENTRE);
  if (key != NULL)
    set (fixture, key, value);
  tl_session_wait_for (session, "busy", FALSE);
  shown = tl_display_get_pixels (session->display, &n, &n);
  float largest = 0, difference = 0;
  for (size_t k = 0; k < n_rows * n_cols; k++)
    {
      largest = fmaxf (largest, fabsf (shown[k]));
      difference = fmaxf (difference, fabsf (grown[k] - shown[k]));
    }
  g_assert_cmpfloat (largest, >, 0.01);
  g_assert_cmpfloat (difference, <=, tolerance * largest);
}

static void
assert_shown (TlFixture *fixture, guint n_angles, float tolerance)
{
  assert_shown_with (fixture, n_angles, NULL, NULL, tolerance);
}

static void
assert_picture (TlFixture *fixture, float tolerance)
{
  assert_shown (fixture, N_PROJECTIONS, tolerance);
}

static void
note_text (GObject *messages, GParamSpec *pspec, gpointer texts)
{
  char *text = NULL;
  g_object_get (messages, pspec->name, &text, NULL);
  g_ptr_array_add (texts, text != NULL ? text : g_strdup (""));
}

static void
assert_no_message (TlFixture *fixture)
{
  g_autofree char *message = NULL;
  g_object_get (fixture->session->messages, "message", &message, NULL);
  g_assert_cmpstr (message, ==, NULL);
}

static void
assert_recipe_names (TlFixture *fixture, const char *file, const char *origin)
{
  g_autofree char *recipe = tl_scratch_path (fixture->folder, file);
  g_autoptr (GKeyFile) keys = g_key_file_new ();
  g_autoptr (GError) error = NULL;
  g_key_file_load_from_file (keys, recipe, G_KEY_FILE_NONE, &error);
  g_assert_no_error (error);
  g_autofree char *path = g_key_file_get_string (keys, "scan", "path", NULL);
  g_assert_cmpstr (path, ==, origin);
}

/* It has no file but @copy (nullable), that of which it is said how to export
 * it. */
static void
assert_not_exported (TlFixture *fixture, const char *copy)
{
  TlSession *session = fixture->session;
  g_autofree char *folder = tl_scratch_path (fixture->folder, "volume");
  g_autofree char *recipe = tl_scratch_path (fixture->folder, "saved.ini");
  g_autofree char *slice = tl_scratch_path (fixture->folder, "shown.tiff");
  g_autofree char *beside = tl_scratch_path (fixture->folder, "shown.ini");
  g_autofree char *message = NULL;
  g_assert_null (tl_session_export (session->exporter, folder, 0, 1));
  g_object_get (session->messages, "message", &message, NULL);
  g_assert_nonnull (strstr (message, copy != NULL ? copy : "in memory only"));
  g_assert_false (g_file_test (folder, G_FILE_TEST_EXISTS));
  g_assert_true (tl_parameters_save (session->parameters, recipe, NULL));
  assert_recipe_names (
      fixture, "saved.ini",
      copy != NULL ? copy : tl_scan_source_get_summary (session->source)->path);
  tl_display_save (session->display, slice);
  while (!g_file_test (slice, G_FILE_TEST_EXISTS))
    g_main_context_iteration (NULL, FALSE);
  assert_recipe_names (
      fixture, "shown.ini",
      copy != NULL ? copy : tl_scan_source_get_summary (session->source)->path);
  g_unlink (slice);
  g_unlink (beside);
}

static void
set_up (TlFixture *fixture, gconstpointer data)
{
  tl_fixture_set_up (fixture, data);
  g_object_set (fixture->session->requests, "fetch", TRUE, NULL);
  set (fixture, "centre", CENTRE);
}

static gboolean
has_some (TlSession *session)
{
  return tl_growth_get_news (session->growth)->n_projections >= 3;
}

/* The first picture may take longer than the scan: the player waits for it.
 *
 * Returns: (transfer full): the player of a scan that has begun to grow */
static GSubprocess *
grow (TlFixture *fixture, const char *address)
{
  tl_session_open (fixture->session, address);
  GSubprocess *player = play (fixture, address, RATE);
  tl_session_wait_until (fixture->session, has_some);
  g_subprocess_send_signal (player, SIGSTOP);
  tl_session_wait_until (fixture->session, is_growing);
  g_subprocess_send_signal (player, SIGCONT);
  return player;
}

/* Returns: (transfer full): the player of a file, of which the first
 * projections have come
 * @lost: (nullable): as of play_but() */
static GSubprocess *
grow_file (TlFixture *fixture, const char *path, const char *rate,
           const char *lost)
{
  GSubprocess *player = play_but (fixture, path, rate, lost);
  while (!g_file_test (path, G_FILE_TEST_EXISTS))
    g_usleep (1000);
  tl_session_follow (fixture->session, path, NULL, NULL);
  tl_session_wait_until (fixture->session, is_growing);
  return player;
}

/* --- the cases --- */

static void
test_address (TlFixture *fixture, gconstpointer data)
{
  g_autofree char *address = dup_address ("zmq+tomopackets");
  Pictures pictures;
  guint n;
  if (address == NULL)
    return;
  count_pictures (fixture, &pictures);
  tl_session_open (fixture->session, address);
  g_assert_cmpuint (tl_growth_get_state (fixture->session->growth), ==,
                    TL_GROWTH_WAITING);
  g_assert_false (tl_scan_source_is_opening (fixture->session->source));
  g_autoptr (GSubprocess) player = play (fixture, address, RATE);
  tl_session_wait_until (fixture->session, is_complete);
  end (player);
  g_assert_cmpuint (pictures.n_grown, >=, 3);
  const TlGrowthNews *news = tl_growth_get_news (fixture->session->growth);
  g_assert_cmpuint (news->n_expected, ==, N_PROJECTIONS);
  g_assert_cmpuint (news->n_lost, ==, 0);
  uncount_pictures (fixture, &pictures);
  assert_no_message (fixture);
  assert_not_exported (fixture, NULL);
  tl_growth_get_sharpness (fixture->session->growth, &n);
  g_assert_cmpuint (n, >=, 2);
  assert_picture (fixture, ROUNDED);
  /* what is waited for has no slice yet */
  tl_session_open (fixture->session, address);
  tl_growth_get_sharpness (fixture->session->growth, &n);
  g_assert_cmpuint (n, ==, 0);
}

static gboolean
says_time_left (TlSession *session)
{
  g_autofree char *left = tl_growth_dup_time_left (session->growth);
  return left != NULL;
}

/* How long the scan still takes, until it is complete. */
static void
test_time_left (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_autofree char *address = dup_address ("zmq+tomopackets");
  if (address == NULL)
    return;
  tl_session_open (session, address);
  g_autoptr (GSubprocess) player = play (fixture, address, "15");
  tl_session_wait_until (session, says_time_left);
  g_autofree char *left = tl_growth_dup_time_left (session->growth);
  g_test_message ("%s", left);
  g_assert_true (g_str_has_prefix (left, "about "));
  g_assert_cmpuint (tl_growth_get_news (session->growth)->n_projections, >=,
                    15);
  tl_session_wait_until (session, is_complete);
  end (player);
  g_assert_false (says_time_left (session));
}

/* A file is an ordinary scan as soon as it is complete. */
static void
test_file (TlFixture *fixture, gconstpointer data)
{
  g_autofree char *path = tl_scratch_path (fixture->folder, "grows.h5");
  Pictures pictures;
  count_pictures (fixture, &pictures);
  g_autoptr (GSubprocess) player = grow_file (fixture, path, RATE, NULL);
  tl_session_wait_until (fixture->session, is_ordinary);
  end (player);
  g_assert_cmpuint (pictures.n_grown, >=, 3);
  uncount_pictures (fixture, &pictures);
  assert_no_message (fixture);
  g_autofree char *notice = NULL;
  g_object_get (fixture->session->messages, "notice", &notice, NULL);
  g_assert_nonnull (notice);
  g_assert_nonnull (strstr (notice, "the scan is complete"));
  g_assert_cmpstr (tl_scan_source_get_summary (fixture->session->source)->path,
                   ==, path);
  g_assert_cmpstr (
      tl_scan_source_get_summary (fixture->session->source)->format, ==,
      "areaDetector HDF5");
  assert_picture (fixture, 0);
}

/* Projections that are not in the file are counted and named by the detector's
 * ids, also when the file is open. */
static void
test_lost_in_file (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_autofree char *path = tl_scratch_path (fixture->folder, "grows.h5");
  g_autofree char *notice = NULL;
  g_autoptr (GSubprocess) player = grow_file (fixture, path, RATE, "5,9:10");
  tl_session_wait_until (session, is_ordinary);
  end (player);
  const TlGrowthNews *news = tl_growth_get_news (session->growth);
  g_assert_cmpuint (news->n_projections, ==, N_PROJECTIONS - 3);
  g_assert_cmpuint (news->n_lost, ==, 3);
  g_object_get (session->messages, "notice", &notice, NULL);
  g_assert_nonnull (notice);
  g_assert_nonnull (strstr (notice, "3 projections have not come into the file "
                                    "(unique ids: "));
}

enum
{
  N_LONG = 600,   /* projections of a scan that does not fit into memory */
  N_STOPPED = 450 /* when it is looked at, at least */
};

static gboolean
has_many (TlSession *session)
{
  return tl_growth_get_news (session->growth)->n_projections >= N_STOPPED;
}

static gboolean
grows_to (TlSession *session, size_t n)
{
  return is_growing (session)
         && tl_display_get_status (session->display)->n_angles >= n;
}

static gboolean
shows_many (TlSession *session)
{
  return grows_to (session, N_STOPPED);
}

/* Returns: (transfer full): what writes a scan that its memory has no room for
 */
static GSubprocess *
grow_beyond_room (TlFixture *fixture, const char *path)
{
  g_free (fixture->scan);
  fixture->scan =
      tl_scratch_phantom (fixture->folder, "long.h5", N_LONG, N_ROWS, N_COLS);
  budget_bytes = (guint64)N_LONG * N_ROWS * N_COLS * sizeof (guint16);
  return grow_file (fixture, path, "100", NULL);
}

/* A file does not say how long it will be: its rows are left out when there is
 * no room for them any more, but not the one that is shown. */
static void
test_rows (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_autofree char *path = tl_scratch_path (fixture->folder, "grows.h5");
  g_autoptr (GSubprocess) player = grow_beyond_room (fixture, path);
  tl_parameters_set_slice (session->parameters, 3);
  tl_session_wait_until (session, has_many);
  g_subprocess_send_signal (player, SIGSTOP);
  tl_session_wait_until (session, shows_many);
  assert_no_message (fixture);
  tl_parameters_set_slice (session->parameters, N_ROWS - 1);
  tl_session_wait_for (session, "busy", FALSE);
  tl_session_assert_message (session, "row 18 cannot be shown");
  const TlGrowthNews *news = tl_growth_get_news (session->growth);
  g_assert_cmpuint (news->n_rows, ==, N_ROWS);
  g_assert_cmpuint (news->n_kept, <, N_ROWS);
  g_assert_cmpuint (news->first_kept, <=, 3);
  g_assert_cmpuint (news->first_kept + news->n_kept, >, 3);
  tl_parameters_set_slice (session->parameters, 3);
  g_subprocess_send_signal (player, SIGCONT);
  tl_session_wait_until (session, is_ordinary);
  end (player);
  g_test_message ("%zu lost, %zu dropped, %zu without angle", news->n_lost,
                  news->n_dropped, news->n_without_angle);
  g_assert_cmpuint (news->n_lost, ==, 0);
  budget_bytes = 0;
  assert_shown (fixture, N_LONG, 0);
}

static gboolean
shows_planes (TlSession *session)
{
  return !tl_requests_is_busy (session->requests)
         && tl_display_get_picture (session->display) == TL_PICTURE_PLANES
         && tl_display_get_frame (session->display) != NULL
         && !tl_display_shows_preview (session->display)
         && tl_planes_get_set (tl_session_get_planes (session))->coarseness
                == 1;
}

/* Shows planes in the pixels of slices. */
static void
show_planes (TlSession *session)
{
  TlPlanes *planes = tl_session_get_planes (session);
  TlAim aim = *tl_planes_get_aim (planes);
  for (TlPane pane = 0; pane < TL_N_PANES; pane++)
    tl_aim_set_size (&aim, pane, N_COLS, N_COLS);
  tl_aim_fit (&aim);
  tl_planes_set_aim (planes, &aim);
  tl_display_set_picture (session->display, TL_PICTURE_PLANES);
}

/* Returns: (transfer full): the plane x-y, which is a slice */
static float *
dup_plane (TlSession *session)
{
  TlPixels pixels;
  g_assert_true (tl_planes_get_pixels (tl_session_get_planes (session),
                                       TL_PANE_XY, &pixels));
  g_assert_cmpuint (pixels.n_rows * pixels.n_cols, ==, N_COLS * N_COLS);
  return g_memdup2 (pixels.values, N_COLS * N_COLS * sizeof (float));
}

/* @got, @want: [N_COLS][N_COLS] */
static void
assert_near (const float *got, const float *want)
{
  for (size_t k = 0; k < N_COLS * N_COLS; k++)
    g_assert_cmpfloat_with_epsilon (got[k], want[k], 1e-5);
}

/* Planes grow with the projections, of which each counts as much as in the
 * slice, and at last are those of the scan itself. */
static void
test_planes (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_autofree char *path = tl_scratch_path (fixture->folder, "grows.h5");
  Pictures pictures;
  size_t n_rows, n_cols;
  set (fixture, "precision", "full");
  set (fixture, "method", "back-projection");
  g_autoptr (GSubprocess) player = grow_file (fixture, path, RATE, NULL);
  show_planes (session);
  count_pictures (fixture, &pictures);
  while (pictures.n_grown < 3)
    g_main_context_iteration (NULL, TRUE);
  uncount_pictures (fixture, &pictures);
  g_subprocess_send_signal (player, SIGSTOP);
  tl_session_wait_until (session, shows_planes);
  const size_t n = tl_display_get_status (session->display)->n_angles;
  g_autofree float *plane = dup_plane (session);
  tl_display_set_picture (session->display, TL_PICTURE_SLICE);
  tl_session_wait_for (session, "busy", FALSE);
  if (tl_display_get_status (session->display)->n_angles == n)
    assert_near (plane,
                 tl_display_get_pixels (session->display, &n_rows, &n_cols));
  else
    g_test_message ("a projection came between plane and slice");
  show_planes (session);
  g_subprocess_send_signal (player, SIGCONT);
  tl_session_wait_until (session, is_ordinary);
  end (player);
  tl_session_wait_until (session, shows_planes);
  assert_no_message (fixture);
  g_autofree float *whole = dup_plane (session);
  tl_display_set_picture (session->display, TL_PICTURE_SLICE);
  assert_picture (fixture, 0);
  assert_near (whole,
               tl_display_get_pixels (session->display, &n_rows, &n_cols));
}

/* Returns: whether the volume is that of all that has come */
static gboolean
shows_volume (TlSession *session)
{
  TlHeldState state = { 0 };
  TlHeld *held = tl_growth_get_held (session->growth);
  TlScene *scene = tl_session_get_scene (session);
  if (held != NULL)
    tl_held_get_state (held, &state);
  return tl_scene_get_voxels (scene) != NULL
         && tl_scene_get_growth (scene) == state.serial
         && !tl_scene_is_busy (scene);
}

static double
sum_volume (TlSession *session)
{
  const TlVoxels *voxels = tl_scene_get_voxels (tl_session_get_scene (session));
  return sum_values (voxels->values,
                     voxels->n[0] * voxels->n[1] * voxels->n[2]);
}

/* Volumes of more projections, and how many values differ. */
typedef struct
{
  guint64 growth;
  double sum;
  guint n_grown;
} Volumes;

static void
on_voxels (TlScene *scene, GParamSpec *pspec, gpointer data)
{
  Volumes *volumes = data;
  TlSession *session = g_object_get_data (G_OBJECT (scene), "session");
  const guint64 growth = tl_scene_get_growth (scene);
  if (growth <= volumes->growth)
    return;
  const double sum = sum_volume (session);
  volumes->n_grown += sum != volumes->sum;
  volumes->growth = growth;
  volumes->sum = sum;
}

static gboolean
is_slice_of_all (TlSession *session)
{
  return tl_display_get_status (session->display)->n_angles
             == tl_growth_get_news (session->growth)->n_projections
         && !tl_requests_is_busy (session->requests);
}

static gboolean
has_grown (TlSession *session)
{
  const Volumes *volumes =
      g_object_get_data (G_OBJECT (tl_session_get_scene (session)), "volumes");
  return volumes->n_grown >= 3;
}

/* The volume grows with the projections, without slices in between; a knob is
 * followed meanwhile. What has come is in the slice that is shown then, and at
 * last the volume is that of the file, for which nobody has to do anything. */
static void
test_volume (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlScene *scene = tl_session_get_scene (session);
  g_autofree char *path = tl_scratch_path (fixture->folder, "grows.h5");
  Volumes volumes = { 0 };
  g_autoptr (GSubprocess) player = grow_file (fixture, path, SLOW_RATE, NULL);
  g_object_set_data (G_OBJECT (scene), "session", session);
  tl_display_set_page (session->display, TL_PAGE_VOLUME);
  const guint n_frames = fixture->n_frames;
  const gulong id = g_signal_connect (scene, "notify::voxels",
                                      G_CALLBACK (on_voxels), &volumes);
  g_object_set_data (G_OBJECT (scene), "volumes", &volumes);
  tl_session_wait_until (session, has_grown);
  g_signal_handler_disconnect (scene, id);
  g_assert_null (tl_scene_get_problem (scene));
  g_subprocess_send_signal (player, SIGSTOP);
  tl_session_wait_until (session, shows_volume);
  g_assert_cmpint (tl_growth_get_state (session->growth), ==,
                   TL_GROWTH_GROWING);
  const double sum = sum_volume (session);
  const guint64 n_bytes = tl_scene_count_bytes (scene);
  TlVolumeLook look = *tl_scene_get_look (scene);
  look.threshold *= 1.5;
  tl_scene_set_look (scene, &look);
  set (fixture, "centre", "25");
  tl_session_wait_until (session, shows_volume);
  g_assert_cmpfloat (fabs (sum_volume (session) - sum), >, 1e-6 * sum);
  set (fixture, "centre", CENTRE);
  tl_session_wait_until (session, shows_volume);
  g_assert_cmpfloat (sum_volume (session), ==, sum);
  g_assert_cmpuint (tl_scene_count_bytes (scene), ==, n_bytes);
  g_assert_cmpuint (fixture->n_frames, ==, n_frames);
  tl_display_set_page (session->display, TL_PAGE_PICTURE);
  g_assert_cmpuint (tl_scene_count_bytes (scene), ==, 0);
  tl_session_wait_until (session, is_slice_of_all);
  tl_display_set_page (session->display, TL_PAGE_VOLUME);
  g_subprocess_send_signal (player, SIGCONT);
  tl_session_wait_until (session, is_ordinary);
  end (player);
  tl_session_wait_until (session, shows_volume);
  assert_no_message (fixture);
  g_assert_cmpfloat (tl_scene_get_look (scene)->threshold, ==, look.threshold);
  const double whole = sum_volume (session);
  tl_session_open (session, fixture->scan);
  tl_session_wait_for (session, "busy", FALSE);
  set (fixture, "centre", CENTRE);
  tl_session_wait_until (session, shows_volume);
  g_assert_cmpfloat (sum_volume (session), ==, whole);
  g_assert_cmpfloat (tl_scene_get_look (scene)->threshold, !=, look.threshold);
}

static gboolean
has_voxels (TlSession *session)
{
  return tl_scene_get_voxels (tl_session_get_scene (session)) != NULL;
}

static gboolean
shows_box (TlSession *session)
{
  TlScene *scene = tl_session_get_scene (session);
  return tl_scene_get_voxels (scene) != NULL
         && tl_scene_get_box (scene)->n[0] > 0;
}

/* So wide that the whole volume is made of bins of 2. */
#define WIDE_COLS 220

/* In a box its finer voxels grow; outside of it the whole volume has what has
 * come meanwhile. */
static void
test_volume_box (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlScene *scene = tl_session_get_scene (session);
  g_autofree char *path = tl_scratch_path (fixture->folder, "grows.h5");
  Volumes volumes = { 0 };
  g_free (fixture->scan);
  fixture->scan = tl_scratch_phantom (fixture->folder, "wide.h5", N_PROJECTIONS,
                                      11, WIDE_COLS);
  g_autoptr (GSubprocess) player = grow_file (fixture, path, SLOW_RATE, NULL);
  TlVolumeLook look = *tl_scene_get_look (scene);
  for (guint k = 0; k < 3; k++)
    {
      look.box[k][0] = 0.3;
      look.box[k][1] = 0.6;
    }
  tl_scene_set_look (scene, &look);
  tl_display_set_page (session->display, TL_PAGE_VOLUME);
  tl_scene_look_into_box (scene, TRUE);
  tl_session_wait_until (session, shows_box);
  g_object_set_data (G_OBJECT (scene), "session", session);
  const gulong id = g_signal_connect (scene, "notify::voxels",
                                      G_CALLBACK (on_voxels), &volumes);
  g_object_set_data (G_OBJECT (scene), "volumes", &volumes);
  tl_session_wait_until (session, has_grown);
  g_signal_handler_disconnect (scene, id);
  g_subprocess_send_signal (player, SIGSTOP);
  tl_session_wait_until (session, shows_volume);
  g_assert_true (shows_box (session));
  g_assert_cmpuint (tl_scene_get_bin (scene), ==, 1);
  tl_scene_look_into_box (scene, FALSE);
  tl_session_wait_until (session, shows_volume);
  g_assert_false (shows_box (session));
  g_assert_cmpuint (tl_scene_get_bin (scene), ==, 2);
  tl_scene_look_into_box (scene, TRUE);
  g_subprocess_send_signal (player, SIGCONT);
  tl_session_wait_until (session, is_ordinary);
  end (player);
  tl_session_wait_until (session, shows_volume);
  g_assert_true (shows_box (session));
}

static gboolean
has_no_volume (TlSession *session)
{
  return tl_scene_get_problem (tl_session_get_scene (session)) != NULL;
}

static void
count_problem (TlScene *scene, GParamSpec *pspec, guint *n)
{
  *n += tl_scene_get_problem (scene) != NULL;
}

static gboolean
has_failed (TlSession *session)
{
  return g_atomic_int_get (&volume_fails) == 0 && has_no_volume (session);
}

static gboolean
is_volume_again (TlSession *session)
{
  const Volumes *volumes =
      g_object_get_data (G_OBJECT (tl_session_get_scene (session)), "volumes");
  return volumes->n_grown > 0 && !has_no_volume (session);
}

static size_t n_come; /* projections, before the player went on */

static gboolean
has_more (TlSession *session)
{
  return tl_growth_get_news (session->growth)->n_projections > n_come;
}

static gboolean
is_at_rest (TlSession *session)
{
  return shows_volume (session)
         || (is_slice_of_all (session)
             && !tl_scene_is_busy (tl_session_get_scene (session)));
}

/* Lets some projections come, and stops @player until the volume or, after a
 * failure, the slice is made of all. Stopped while it writes, @player leaves a
 * file that nobody can read: then it goes on. */
static void
play_some (TlSession *session, GSubprocess *player)
{
  do
    {
      n_come = tl_growth_get_news (session->growth)->n_projections;
      g_subprocess_send_signal (player, SIGCONT);
      tl_session_wait_until (session, has_more);
      g_subprocess_send_signal (player, SIGSTOP);
    }
  while (!tl_session_wait_seconds (session, is_at_rest, 10));
  g_assert_cmpint (tl_growth_get_state (session->growth), ==,
                   TL_GROWTH_GROWING);
}

/* Projections that cannot be loaded again are tried once more when others have
 * come. That is said once, and slices grow meanwhile. */
static void
test_volume_fails (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlScene *scene = tl_session_get_scene (session);
  g_autofree char *path = tl_scratch_path (fixture->folder, "grows.h5");
  Volumes volumes = { 0 };
  guint n_said = 0;
  g_free (fixture->scan);
  /* on a busy machine many projections come before the player is stopped */
  fixture->scan =
      tl_scratch_phantom (fixture->folder, "long.h5", N_LONG, N_ROWS, N_COLS);
  g_autoptr (GSubprocess) player = grow_file (fixture, path, "3", NULL);
  g_subprocess_send_signal (player, SIGSTOP);
  g_object_set_data (G_OBJECT (scene), "session", session);
  g_object_set_data (G_OBJECT (scene), "volumes", &volumes);
  tl_display_set_page (session->display, TL_PAGE_VOLUME);
  tl_session_wait_until (session, has_voxels);
  g_signal_connect (scene, "notify::problem", G_CALLBACK (count_problem),
                    &n_said);
  const guint n_frames = fixture->n_frames;
  g_atomic_int_set (&volume_fails, 3);
  while (!has_failed (session))
    play_some (session, player);
  g_assert_cmpuint (n_said, ==, 1);
  g_assert_cmpuint (fixture->n_frames, >, n_frames);
  g_signal_connect (scene, "notify::voxels", G_CALLBACK (on_voxels), &volumes);
  while (!is_volume_again (session))
    play_some (session, player);
  g_assert_cmpuint (n_said, ==, 1);
  g_assert_nonnull (g_subprocess_get_identifier (player)); /* has not failed */
  g_subprocess_force_exit (player);
}

/* Where rows are left out for want of memory, the volume does not grow any
 * more, and says so. It is there when the scan is complete. */
static void
test_volume_rows (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_autofree char *path = tl_scratch_path (fixture->folder, "grows.h5");
  g_autoptr (GSubprocess) player = grow_beyond_room (fixture, path);
  tl_display_set_page (session->display, TL_PAGE_VOLUME);
  tl_session_wait_until (session, has_no_volume);
  budget_bytes = 0;
  tl_session_wait_until (session, is_ordinary);
  end (player);
  tl_session_wait_until (session, shows_volume);
  g_assert_false (has_no_volume (session));
}

static gboolean
shows_slice (TlSession *session)
{
  return tl_display_get_picture (session->display) == TL_PICTURE_SLICE;
}

/* Where rows are left out for want of memory, the slice is shown in place of
 * planes, and planes are refused, each time with a sentence that stays, until
 * the scan is complete. */
static void
test_planes_rows (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_autofree char *path = tl_scratch_path (fixture->folder, "grows.h5");
  g_autoptr (GSubprocess) player = grow_beyond_room (fixture, path);
  show_planes (session);
  tl_session_wait_until (session, shows_planes);
  tl_session_wait_until (session, shows_slice);
  tl_session_wait_until (session, shows_many);
  tl_session_assert_message (session, "Planes need all rows of the detector");
  tl_messages_dismiss (session->messages);
  show_planes (session);
  g_assert_true (shows_slice (session));
  tl_session_assert_message (session, "Planes need all rows of the detector");
  tl_session_wait_until (session, is_ordinary);
  end (player);
  budget_bytes = 0;
  show_planes (session);
  tl_session_wait_until (session, shows_planes);
}

/* Projections that came when the memory was full are in the file. */
static void
test_no_room (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_autofree char *path = tl_scratch_path (fixture->folder, "grows.h5");
  g_autofree char *notice = NULL;
  g_free (fixture->scan);
  fixture->scan =
      tl_scratch_phantom (fixture->folder, "long.h5", N_LONG, N_ROWS, N_COLS);
  budget_bytes = (guint64)N_LONG / 2 * N_COLS * sizeof (guint16); /* of a row */
  g_autoptr (GSubprocess) player = grow_file (fixture, path, "400", NULL);
  tl_session_wait_until (session, is_ordinary);
  end (player);
  budget_bytes = 0;
  const TlGrowthNews *news = tl_growth_get_news (session->growth);
  g_assert_cmpuint (news->n_dropped, >, 0);
  g_assert_cmpuint (news->n_lost, ==, news->n_dropped);
  g_object_get (session->messages, "notice", &notice, NULL);
  g_test_message ("%s", notice);
  g_assert_nonnull (strstr (notice, "the scan is complete"));
  assert_shown (fixture, N_LONG, 0);
}

/* What is opened as any scan is followed as soon as it grows. */
static void
test_grows (TlFixture *fixture, gconstpointer data)
{
  g_autofree char *path = tl_scratch_path (fixture->folder, "grows.h5");
  TlSession *session = fixture->session;
  g_autoptr (GSubprocess) player = play (fixture, path, RATE);
  /* darks, flats and the first projections */
  while (tl_growth_get_state (session->growth) == TL_GROWTH_NONE)
    {
      if (!tl_scan_source_is_open (session->source)
          && g_file_test (path, G_FILE_TEST_EXISTS))
        {
          tl_session_open (session, path);
          tl_session_wait_for (session, "busy", FALSE);
        }
      g_main_context_iteration (NULL, FALSE);
      g_usleep (1000);
    }
  tl_session_wait_until (session, is_growing);
  tl_session_wait_until (session, is_ordinary);
  end (player);
  assert_picture (fixture, 0);
}

/* As options of the command line, when nothing has come yet. */
static void
test_options (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_autofree char *address = dup_address ("zmq+tomopackets");
  g_autoptr (GError) error = NULL;
  if (address == NULL)
    return;
  tl_session_open (session, address);
  g_assert_true (tl_session_set_opening (session, "filter", "hann", &error));
  g_assert_no_error (error);
  g_autoptr (GSubprocess) player = play (fixture, address, "100");
  tl_session_wait_until (session, is_complete);
  end (player);
  assert_no_message (fixture);
  g_autofree char *filter =
      tl_recipe_get (tl_parameters_get_recipe (session->parameters), "filter");
  g_assert_cmpstr (filter, ==, "hann");
}

static void
assert_all (TlGrowth *growth)
{
  g_assert_cmpuint (tl_growth_get_news (growth)->n_projections, ==,
                    N_PROJECTIONS);
}

static void
on_end (GObject *player, GAsyncResult *result, gpointer is_over)
{
  g_assert_true (
      g_subprocess_wait_finish (G_SUBPROCESS (player), result, NULL));
  g_cancellable_cancel (is_over);
}

/* Plays the scan once more, to its end. */
static void
follow_next (TlFixture *fixture, const char *address)
{
  g_autoptr (GSubprocess) player = play (fixture, address, RATE);
  tl_session_wait_until (fixture->session, is_growing);
  tl_session_wait_until (fixture->session, is_complete);
  end (player);
}

static gboolean
has_begun (TlSession *session)
{
  return tl_growth_get_state (session->growth) == TL_GROWTH_GROWING;
}

/* The volume of the next scan takes the place of the one before. */
static void
test_volume_next (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_autofree char *address = dup_address ("zmq+tomopackets");
  if (address == NULL)
    return;
  g_autoptr (GSubprocess) first = grow (fixture, address);
  tl_display_set_page (session->display, TL_PAGE_VOLUME);
  tl_session_wait_until (session, is_complete);
  end (first);
  tl_session_wait_until (session, shows_volume);
  const double sum = sum_volume (session);
  const guint64 n_bytes = tl_scene_count_bytes (tl_session_get_scene (session));
  g_autoptr (GSubprocess) next = play (fixture, address, RATE);
  tl_session_wait_until (session, has_begun);
  tl_session_wait_until (session, is_complete);
  end (next);
  tl_session_wait_until (session, shows_volume);
  g_assert_cmpfloat (sum_volume (session), ==, sum);
  g_assert_cmpuint (tl_scene_count_bytes (tl_session_get_scene (session)), ==,
                    n_bytes);
}

/* The next scan of a stream comes from another detector, with an axis and rows
 * of its own. */
static void
test_next_detector (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_autofree char *address = dup_address ("zmq+tomopackets");
  if (address == NULL)
    return;
  g_autoptr (GSubprocess) first = grow (fixture, address);
  tl_parameters_set_slice (session->parameters, N_ROWS - 1);
  tl_parameters_set_centre (session->parameters, 7);
  tl_session_wait_until (session, is_complete);
  end (first);
  g_free (fixture->scan);
  fixture->scan = tl_scratch_phantom (fixture->folder, "other.h5",
                                      N_PROJECTIONS, 5, N_COLS - 20);
  follow_next (fixture, address);
  const TlScanSummary *scan = tl_scan_source_get_summary (session->source);
  g_assert_cmpuint (scan->n_cols, ==, N_COLS - 20);
  g_assert_cmpuint (tl_parameters_get_slice (session->parameters), <, 5);
  g_assert_cmpfloat (tl_parameters_get_centre (session->parameters), !=, 7);
  assert_no_message (fixture);
}

/* Parameters change meanwhile, and the next scan keeps them; a scan after it
 * is not shown if the user does not want it. */
static void
test_next (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_autofree char *address = dup_address ("zmq+tomopackets");
  if (address == NULL)
    return;
  g_autoptr (GSubprocess) first = grow (fixture, address);
  set (fixture, "filter", "hann");
  tl_parameters_set_slice (session->parameters, 3);
  tl_session_wait_until (session, is_complete);
  end (first);
  const guint64 serial = tl_scan_source_get_serial (session->source);
  follow_next (fixture, address);
  g_assert_cmpuint (tl_scan_source_get_serial (session->source), >, serial);
  g_assert_cmpuint (tl_parameters_get_slice (session->parameters), ==, 3);
  g_autofree char *filter =
      tl_recipe_get (tl_parameters_get_recipe (session->parameters), "filter");
  g_assert_cmpstr (filter, ==, "hann");
  const guint64 shown = tl_scan_source_get_serial (session->source);
  g_object_set (session->growth, "follows", FALSE, NULL);
  g_signal_connect (session->growth, "notify::news", G_CALLBACK (assert_all),
                    NULL);
  g_autoptr (GSubprocess) third = play (fixture, address, RATE);
  g_autoptr (GCancellable) is_over = g_cancellable_new ();
  g_subprocess_wait_async (third, NULL, on_end, is_over);
  while (!g_cancellable_is_cancelled (is_over))
    g_main_context_iteration (NULL, TRUE);
  for (int k = 0; k < 100; k++)
    {
      g_main_context_iteration (NULL, FALSE);
      g_usleep (5000);
    }
  g_assert_cmpuint (tl_scan_source_get_serial (session->source), ==, shown);
  assert_no_message (fixture);
  assert_picture (fixture, ROUNDED);
}

/* --- what the user says of a stream in memory --- */

/* Returns: whether the dial has the projections between 0° and 90°, and no
 * others */
static gboolean
shows_quarter (TlSession *session)
{
  const TlGrowthNews *news = tl_growth_get_news (session->growth);
  for (int degree = 91; degree < TL_FOLLOW_DEGREES; degree++)
    if (news->covered[degree] != 0)
      return FALSE;
  return news->covered[0] != 0 && news->covered[90] != 0;
}

/* What is left out and the angles act while the scan is taken and after it, as
 * in its file. */
static void
test_said_later (TlFixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *key, *value;
    guint n_angles;
  } cases[] = {
    { "leave-out", "1,5:7", N_PROJECTIONS - 4 },
    { "angles", "0:90", N_PROJECTIONS },
  };
  TlSession *session = fixture->session;
  if (lacks_network ())
    return;
  for (guint k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      g_autofree char *address = dup_address ("zmq+tomopackets");
      g_autoptr (GSubprocess) player = grow (fixture, address);
      set (fixture, "centre", CENTRE);
      set (fixture, cases[k].key, cases[k].value);
      tl_session_wait_until (session, is_complete);
      end (player);
      assert_no_message (fixture);
      if (g_str_equal (cases[k].key, "angles"))
        tl_session_wait_until (session, shows_quarter);
      g_assert_true (tl_scan_source_is_held (session->source));
      tl_session_assert_value (session, cases[k].key, cases[k].value);
      assert_shown_with (fixture, cases[k].n_angles, cases[k].key,
                         cases[k].value, ROUNDED);
      tl_growth_stop (session->growth);
      set (fixture, cases[k].key, "");
    }
}

static gboolean
has_twenty (TlSession *session)
{
  return grows_to (session, 20);
}

/* A sender that says no number of projections leaves no angles to be given
 * while they come. */
static void
test_refused_angles (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_autofree char *path = tl_scratch_path (fixture->folder, "grows.h5");
  g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GSubprocess) player = grow_file (fixture, path, RATE, NULL);
  g_signal_connect (session->messages, "notify::message",
                    G_CALLBACK (note_text), texts);
  set (fixture, "angles", "0:90");
  while (tl_scan_source_is_opening (session->source))
    g_main_context_iteration (NULL, TRUE);
  g_signal_handlers_disconnect_by_data (session->messages, texts);
  g_assert_cmpuint (texts->len, >=, 1);
  g_assert_nonnull (strstr (texts->pdata[0], "the angles cannot be given yet"));
  tl_session_assert_value (session, "angles", "");
  tl_session_wait_until (session, has_twenty); /* it grows still */
  g_assert_false (tl_growth_get_news (session->growth)->is_of_before);
  g_subprocess_force_exit (player);
}

/* --- what is recorded --- */

static const char *
get_path (TlSession *session)
{
  return tl_scan_source_get_summary (session->source)->path;
}

static gboolean
is_recorded (TlSession *session)
{
  return is_complete (session) && g_str_has_suffix (get_path (session), ".h5")
         && !tl_scan_source_is_opening (session->source);
}

static void
record_to (TlFixture *fixture, const char *name)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = tl_scratch_path (fixture->folder, name);
  const gboolean is_set =
      tl_growth_set_record_folder (fixture->session->growth, folder, &error);
  g_assert_no_error (error);
  g_assert_true (is_set);
}

/* A complete scan that was recorded is opened as a file: the recipe stays, all
 * works that needs a file, and the next scan is followed. */
static void
test_recorded (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_autofree char *address = dup_address ("zmq+tomopackets");
  g_autofree char *kept = tl_scratch_path (fixture->folder, "kept");
  g_autofree char *volume = tl_scratch_path (fixture->folder, "volume.tif");
  if (address == NULL)
    return;
  record_to (fixture, "kept");
  g_autofree char *recipe = tl_scratch_path (fixture->folder, "saved.ini");
  g_autoptr (GSubprocess) first = grow (fixture, address);
  set (fixture, "filter", "hann");
  tl_parameters_set_slice (session->parameters, 3);
  /* the file has its name only when it is complete */
  g_assert_true (tl_parameters_save (session->parameters, recipe, NULL));
  assert_recipe_names (fixture, "saved.ini", address);
  tl_session_wait_until (session, is_recorded);
  end (first);
  assert_no_message (fixture);
  g_assert_true (tl_parameters_save (session->parameters, recipe, NULL));
  assert_recipe_names (fixture, "saved.ini", get_path (session));
  g_autofree char *path = g_strdup (get_path (session));
  g_assert_true (g_str_has_prefix (path, kept));
  g_assert_false (tl_scan_source_is_held (session->source));
  g_assert_cmpstr (tl_growth_get_name (session->growth), ==, address);

  /* neither that nor reading it again ends following */
  tl_session_reload (session);
  tl_session_wait_until (session, is_recorded);
  g_autoptr (GSubprocess) second = play (fixture, address, RATE);
  tl_session_wait_until (session, is_growing);
  g_assert_cmpstr (get_path (session), ==, address);
  tl_session_wait_until (session, is_recorded);
  end (second);
  assert_no_message (fixture);
  g_assert_cmpstr (get_path (session), !=, path);
  g_assert_cmpuint (tl_parameters_get_slice (session->parameters), ==, 3);
  g_autofree char *filter =
      tl_recipe_get (tl_parameters_get_recipe (session->parameters), "filter");
  g_autofree char *centre =
      tl_recipe_get (tl_parameters_get_recipe (session->parameters), "centre");
  g_assert_cmpstr (filter, ==, "hann");
  g_assert_cmpstr (centre, ==, CENTRE);
  g_assert_nonnull (tl_session_export (session->exporter, volume, 0, 1));
  tl_session_wait_for (session, "busy", FALSE);
  assert_picture (fixture, ROUNDED);
}

/* A scan that is recorded before its first picture can be asked for is opened
 * as a file, too. */
static void
test_recorded_at_once (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_autofree char *address = dup_address ("zmq+tomopackets");
  g_autofree char *kept = tl_scratch_path (fixture->folder, "kept");
  if (address == NULL)
    return;
  record_to (fixture, "kept");
  tl_session_open (session, address);
  g_autoptr (GSubprocess) player = play (fixture, address, "100000");
  end (player);
  for (gboolean is_there = FALSE; !is_there; g_usleep (1000))
    {
      g_autofree char *list = tl_scratch_list (kept);
      is_there = *list != '\0' && strstr (list, "unfinished") == NULL;
    }
  tl_session_wait_until (session, is_recorded);
  assert_no_message (fixture);
  assert_picture (fixture, ROUNDED);
}

/* What is left out of the stream is left out of its file. */
static void
test_recorded_part (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_autofree char *address = dup_address ("zmq+tomopackets");
  if (address == NULL)
    return;
  record_to (fixture, "kept");
  g_autoptr (GSubprocess) player = grow (fixture, address);
  set (fixture, "leave-out", "1,5:7");
  tl_session_wait_until (session, is_recorded);
  end (player);
  assert_no_message (fixture);
  tl_session_assert_value (session, "leave-out", "1,5:7");
  g_assert_cmpuint (tl_display_get_status (session->display)->n_angles, ==,
                    N_PROJECTIONS - 4);
  assert_shown_with (fixture, N_PROJECTIONS - 4, "leave-out", "1,5:7", ROUNDED);
}

static gboolean
has_part (TlSession *session)
{
  return tl_scan_source_get_copy (session->source) != NULL;
}

static gboolean
has_ten (TlSession *session)
{
  return grows_to (session, 10);
}

/* Where a projection is lost, the numbers in the file are others, so that a
 * recipe with them is for the address, and the file does not take its place. */
static void
test_other_numbers (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_autofree char *address = dup_address ("zmq+tomopackets");
  g_autofree char *recipe = tl_scratch_path (fixture->folder, "saved.ini");
  const TlRecording whole = { .path = fixture->scan, .is_complete = TRUE };
  TlHeld *held;
  g_autofree char *notice = NULL;
  if (address == NULL)
    return;
  record_to (fixture, "kept");
  tl_session_open (session, address);
  g_autoptr (GSubprocess) player = play_but (fixture, address, RATE, "2");
  tl_session_wait_until (session, has_ten);
  tl_growth_stop (session->growth);
  g_subprocess_force_exit (player);
  tl_session_wait_until (session, has_part);
  set (fixture, "leave-out", "5:7");
  tl_session_wait_for (session, "busy", FALSE);
  assert_no_message (fixture);
  g_assert_true (tl_parameters_save (session->parameters, recipe, NULL));
  assert_recipe_names (fixture, "saved.ini", address);
  held = tl_scan_source_find_held (session->source, address);
  g_signal_emit_by_name (session->growth, "recorded", &whole,
                         TL_GROWTH_RECORDED_ALL, held);
  g_assert_false (tl_scan_source_is_opening (session->source));
  g_object_get (session->messages, "notice", &notice, NULL);
  g_assert_nonnull (strstr (notice, "is not opened"));
}

/* --- projections without a number --- */

enum
{
  BLANK = 7
};

/* Writes the fixture's scan again, with floats; all samples of BLANK are
 * @value. Without fields they are attenuations. */
static void
spoil_one (TlFixture *fixture, float value, gboolean has_fields)
{
  g_autofree char *path = tl_scratch_path (fixture->folder, "spoilt.h5");
  const TlExchangeFileLayout layout = { .n_rows = N_ROWS,
                                        .n_cols = N_COLS,
                                        .type = TL_SAMPLE_F32,
                                        .title = "spoilt",
                                        .start = "2020-01-01T00:00:00Z" };
  static const TlImageKey keys[TL_N_FRAME_KINDS] = {
    [TL_FRAMES_PROJECTIONS] = TL_IMAGE_KEY_PROJECTION,
    [TL_FRAMES_FLATS] = TL_IMAGE_KEY_FLAT,
    [TL_FRAMES_DARKS] = TL_IMAGE_KEY_DARK,
  };
  g_autoptr (GError) error = NULL;
  g_autoptr (TlReader) scan = tl_reader_open (fixture->scan, NULL, &error);
  g_assert_no_error (error);
  const TlScanInfo *info = tl_reader_get_info (scan);
  const size_t n_frames[] = { info->n_projections, info->n_flats,
                              info->n_darks };
  TlExchangeFile *file = tl_exchange_file_open (path, &layout, &error);
  g_assert_no_error (error);
  for (int kind = has_fields ? TL_N_FRAME_KINDS - 1 : TL_FRAMES_PROJECTIONS;
       kind >= 0; kind--)
    for (size_t k = 0; k < n_frames[kind]; k++)
      {
        guint16 counts[N_ROWS * N_COLS];
        float pixels[N_ROWS * N_COLS];
        tl_reader_read_frames (scan, kind, k, 1, 0, N_ROWS, counts, &error);
        g_assert_no_error (error);
        for (size_t i = 0; i < N_ROWS * N_COLS; i++)
          pixels[i] = kind == TL_FRAMES_PROJECTIONS && k == BLANK
                          ? value
                          : (float)counts[i];
        tl_exchange_file_append (
            file, keys[kind], pixels,
            kind == TL_FRAMES_PROJECTIONS ? info->angles_deg[k] : NAN, &error);
        g_assert_no_error (error);
      }
  g_free (tl_exchange_file_close (file, 0, TRUE, &error));
  g_assert_no_error (error);
  g_free (fixture->scan);
  fixture->scan = g_steal_pointer (&path);
}

/* It is left out and named, and its file takes the place of the stream. */
static void
test_blank (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *whole = g_strdup (fixture->scan);
  g_autofree char *last = NULL;
  if (lacks_network ())
    return;
  spoil_one (fixture, NAN, TRUE);
  g_signal_connect (session->messages, "notify::notice", G_CALLBACK (note_text),
                    texts);
  for (int records = 0; records < 2; records++)
    {
      g_autofree char *address = dup_address ("zmq+tomopackets");
      if (records)
        record_to (fixture, "kept");
      tl_session_open (session, address);
      g_autoptr (GSubprocess) player = play (fixture, address, RATE);
      tl_session_wait_until (session, records ? is_recorded : is_complete);
      end (player);
      g_assert_cmpuint (tl_display_get_status (session->display)->n_angles, ==,
                        N_PROJECTIONS - 1);
      if (records)
        tl_session_assert_value (session, "leave-out", "7");
      else
        assert_no_message (fixture);
      g_free (last);
      last = g_steal_pointer (&address);
    }
  /* nothing is left out of the next scan of the stream */
  g_free (fixture->scan);
  fixture->scan = g_steal_pointer (&whole);
  g_autoptr (GSubprocess) next = play (fixture, last, RATE);
  tl_session_wait_until (session, is_growing);
  tl_session_wait_until (session, is_recorded);
  end (next);
  tl_session_assert_value (session, "leave-out", "");
  g_assert_cmpuint (tl_display_get_status (session->display)->n_angles, ==,
                    N_PROJECTIONS);
  g_signal_handlers_disconnect_by_data (session->messages, texts);
  g_ptr_array_add (texts, NULL);
  g_autofree char *all = g_strjoinv ("\n", (char **)texts->pdata);
  g_assert_nonnull (strstr (all, "projection 7 has no sample"));
}

static gboolean
lacks_beam (TlSession *session)
{
  return is_growing (session)
         && *tl_growth_get_beamless (session->growth) != '\0';
}

static gboolean
has_beam (TlSession *session)
{
  return *tl_growth_get_beamless (session->growth) == '\0';
}

static guint n_begun; /* scans of the stream that were opened */

static void
count_begun (TlGrowth *growth, TlHeld *held, gpointer data)
{
  n_begun++;
}

/* A projection without a beam can be left out while the scan is taken. */
static void
test_no_beam (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_autofree char *address = dup_address ("zmq+tomopackets");
  if (address == NULL)
    return;
  spoil_one (fixture, 0, TRUE);
  tl_session_open (session, address);
  g_autoptr (GSubprocess) player = play (fixture, address, RATE);
  tl_session_wait_until (session, lacks_beam);
  g_assert_cmpstr (tl_growth_get_beamless (session->growth), ==, "7");
  set (fixture, "leave-out", "7");
  tl_session_wait_until (session, has_beam);
  tl_session_wait_until (session, is_complete);
  end (player);
  g_assert_cmpuint (tl_display_get_status (session->display)->n_angles, ==,
                    N_PROJECTIONS - 1);
  /* the next scan has other projections */
  g_autoptr (GSubprocess) next = play (fixture, address, RATE);
  tl_session_wait_until (session, lacks_beam);
  tl_session_assert_value (session, "leave-out", "");
  tl_session_wait_until (session, is_complete);
  end (next);
}

static guint serial; /* of the scan that is waited for */

/* Returns: whether the scan @serial of the stream is complete on the screen */
static gboolean
is_complete_one (TlSession *session)
{
  return is_complete (session) && n_begun >= serial;
}

/* Flats and logarithm of each scan of a stream are those that it has, unless
 * the user has switched them. That the flats of one are switched off says
 * nothing of the logarithm of the next. */
static void
test_automatic (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_autofree char *address = dup_address ("zmq+tomopackets");
  g_autofree char *counts = g_strdup (fixture->scan);
  if (address == NULL)
    return;
  n_begun = 0;
  g_signal_connect (session->growth, "begun", G_CALLBACK (count_begun), NULL);
  spoil_one (fixture, 1, FALSE);
  tl_session_open (session, address);
  for (serial = 1; serial <= 5; serial++)
    {
      const gboolean are_counts = serial % 2 == 0;
      if (serial == 5)
        set (fixture, "flat-field", "off");
      g_autofree char *attenuations = fixture->scan;
      fixture->scan = g_strdup (are_counts ? counts : attenuations);
      g_autoptr (GSubprocess) player = play (fixture, address, "100");
      tl_session_wait_until (session, is_complete_one);
      end (player);
      g_free (fixture->scan);
      fixture->scan = g_steal_pointer (&attenuations);
      tl_session_assert_value (session, "flat-field",
                               are_counts ? "on" : "off");
      tl_session_assert_value (session, "minus-log", are_counts ? "on" : "off");
      assert_no_message (fixture);
    }
  g_signal_handlers_disconnect_by_func (session->growth,
                                        G_CALLBACK (count_begun), NULL);
}

static gboolean
waits_for_next (TlSession *session)
{
  const TlGrowthNews *news = tl_growth_get_news (session->growth);
  return news->waits_for_flats && news->n_next > 3;
}

static gboolean
is_of_next (TlSession *session)
{
  const TlGrowthNews *news = tl_growth_get_news (session->growth);
  return !news->waits_for_flats && !news->is_of_before
         && news->n_projections > 3;
}

static void
check_next (TlFixture *fixture, gboolean skips_flats)
{
  TlSession *session = fixture->session;
  g_autofree char *address = dup_address ("zmq+tomopackets");
  if (address == NULL)
    return;
  g_autoptr (GSubprocess) first = grow (fixture, address);
  g_subprocess_force_exit (first);
  g_assert_true (g_subprocess_wait (first, NULL, NULL));
  g_autoptr (GSubprocess) next =
      play_with (fixture, address, RATE, "--fields-last", NULL);
  tl_session_wait_until (session, waits_for_next);
  g_assert_true (tl_growth_get_news (session->growth)->is_of_before);
  if (skips_flats)
    {
      tl_session_skip_flats (session);
      tl_session_wait_until (session, is_of_next);
      tl_session_assert_value (session, "flat-field", "off");
      g_assert_cmpint (tl_growth_get_state (session->growth), ==,
                       TL_GROWTH_GROWING);
    }
  tl_session_wait_until (session, has_all);
  tl_session_wait_until (session, is_complete);
  end (next);
  g_assert_false (waits_for_next (session));
}

/* What the next scan waits for is said while the one before is shown, also if
 * that was broken off. */
static void
test_next_waits (TlFixture *fixture, gconstpointer data)
{
  check_next (fixture, FALSE);
}

/* It can be shown without. */
static void
test_next_skips (TlFixture *fixture, gconstpointer data)
{
  check_next (fixture, TRUE);
}

static gboolean
has_refused (TlSession *session)
{
  return tl_growth_get_news (session->growth)->n_malformed > 0;
}

/* What cannot be used is counted, and said. */
static void
test_unusable (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_autofree char *address = dup_address ("zmq+tomopackets");
  g_autoptr (GError) error = NULL;
  const TlMessagePart part = { "no packet", strlen ("no packet") };
  gboolean is_done;
  if (address == NULL)
    return;
  tl_session_open (session, address);
  TlSocket *sender = tl_socket_open (
      TL_SOCKET_PUSH, tl_socket_skip_scheme (address), FALSE, &error);
  g_assert_no_error (error);
  g_assert_null (tl_growth_get_refused (session->growth));
  tl_socket_send (sender, &part, 1, 10000, &is_done, &error);
  g_assert_no_error (error);
  tl_session_wait_until (session, has_refused);
  g_assert_cmpuint (tl_growth_get_news (session->growth)->n_malformed, ==, 1);
  g_assert_nonnull (strstr (tl_growth_get_refused (session->growth), "packet"));
  tl_socket_close (sender, 0);
  /* it is a matter of the scan that comes then, and not of the one after it */
  for (int k = 0; k < 2; k++)
    {
      g_autoptr (GSubprocess) player = play (fixture, address, "100");
      tl_session_wait_until (session, is_growing);
      tl_session_wait_until (session, is_complete);
      end (player);
      g_assert_cmpuint (tl_growth_get_news (session->growth)->n_malformed, ==,
                        k == 0);
    }
}

/* A scan that has lost projections is finished, too, when its sender has ended:
 * it is a file that can be exported, and what is missing is told. */
static void
test_lost (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_autofree char *address = dup_address ("zmq+tomopackets");
  g_autofree char *kept = tl_scratch_path (fixture->folder, "kept");
  g_autofree char *volume = tl_scratch_path (fixture->folder, "volume.tif");
  g_autofree char *notice = NULL;
  if (address == NULL)
    return;
  record_to (fixture, "kept");
  tl_session_open (session, address);
  g_autoptr (GSubprocess) player = play_but (fixture, address, RATE, "3,5:6");
  tl_session_wait_until (session, is_recorded);
  end (player);
  g_object_get (session->messages, "notice", &notice, NULL);
  g_assert_nonnull (strstr (notice, "3 of its projections have not come"));
  g_assert_true (g_str_has_prefix (get_path (session), kept));
  g_assert_cmpstr (tl_growth_get_name (session->growth), ==, address);
  g_assert_nonnull (tl_session_export (session->exporter, volume, 0, 1));
  tl_session_wait_for (session, "busy", FALSE);
}

/* A disk that takes nothing costs the recording alone. */
static void
test_not_recorded (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_autofree char *address = dup_address ("zmq+tomopackets");
  g_autofree char *kept = tl_scratch_path (fixture->folder, "kept");
  if (address == NULL)
    return;
  record_to (fixture, "kept");
  tl_session_open (session, address);
  g_assert_true (g_file_test (kept, G_FILE_TEST_IS_DIR));
  g_assert_cmpint (g_rmdir (kept), ==, 0);
  g_autoptr (GSubprocess) player = play (fixture, address, RATE);
  tl_session_wait_until (session, is_complete);
  end (player);
  g_assert_cmpstr (get_path (session), ==, address);
  g_assert_false (g_file_test (kept, G_FILE_TEST_EXISTS));
  /* what is told for a moment stays readable */
  tl_messages_dismiss (session->messages);
  g_autofree char *problem = NULL;
  g_object_get (session->growth, "record-problem", &problem, NULL);
  g_assert_nonnull (strstr (problem, "this scan is not recorded further"));
  tl_growth_stop (session->growth);
  tl_session_open (session, address);
  assert_no_message (fixture);
  g_assert_cmpint (g_rmdir (kept), ==, 0);
  g_assert_true (g_file_set_contents (kept, "", 0, NULL));
  tl_growth_stop (session->growth);
  tl_session_open (session, address);
  tl_session_assert_message (session, kept);
}

/* What was recorded until then is told, and can be opened. */
static void
test_stopped_recording (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_autofree char *address = dup_address ("zmq+tomopackets");
  g_autofree char *kept = tl_scratch_path (fixture->folder, "kept");
  g_autofree char *notice = NULL;
  gboolean is_ending;
  if (address == NULL)
    return;
  record_to (fixture, "kept");
  g_autoptr (GSubprocess) player = grow (fixture, address);
  tl_growth_stop (session->growth);
  g_object_get (session->growth, "ending", &is_ending, NULL);
  g_assert_true (is_ending);
  tl_session_wait_until (session, has_part);
  g_object_get (session->growth, "ending", &is_ending, NULL);
  g_assert_false (is_ending);
  g_autofree char *part = g_strdup (tl_scan_source_get_copy (session->source));
  g_assert_true (g_str_has_prefix (part, kept));
  g_assert_true (g_str_has_suffix (part, ".unfinished.h5"));
  g_object_get (session->messages, "notice", &notice, NULL);
  g_assert_nonnull (strstr (notice, part));
  tl_session_wait_for (session, "busy", FALSE);
  assert_not_exported (fixture, part);
  tl_session_open (session, part);
  tl_session_wait_for (session, "busy", FALSE);
  assert_no_message (fixture);
  g_assert_cmpstr (get_path (session), ==, part);
  g_assert_cmpuint (tl_display_get_status (session->display)->n_angles, >=, 3);
  g_subprocess_force_exit (player);
}

static void
assert_recipe (TlSession *session)
{
  const TlRecipe *recipe = tl_parameters_get_recipe (session->parameters);
  g_autofree char *filter = tl_recipe_get (recipe, "filter");
  g_assert_cmpstr (filter, ==, "hann");
  g_assert_cmpfloat (recipe->params.centre_col, ==, 28.5);
}

static gboolean
shows_followed (TlSession *session)
{
  TlGrowth *growth = session->growth;
  TlHeld *held = tl_growth_get_held (growth);
  return held != NULL
         && tl_scan_source_find_held (session->source,
                                      tl_growth_get_name (growth))
                == held
         && !tl_scan_source_is_opening (session->source);
}

/* The recording of a stream that was stopped is no copy of a folder that grows
 * now. */
static void
test_other_recording (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_autofree char *address = dup_address ("zmq+tomopackets");
  g_autofree char *other = dup_address ("zmq+tomopackets");
  const TlRecording part = { .path = fixture->scan };
  TlHeld *before;
  if (address == NULL)
    return;
  g_autoptr (GSubprocess) first = grow (fixture, address);
  before = tl_held_ref (tl_growth_get_held (session->growth));
  g_subprocess_force_exit (first);
  g_autoptr (GSubprocess) second = grow (fixture, other);
  tl_session_wait_until (session, shows_followed);
  g_assert_true (tl_growth_get_held (session->growth) != before);
  g_signal_emit_by_name (session->growth, "recorded", &part,
                         TL_GROWTH_RECORDED_PART, before);
  g_assert_null (tl_scan_source_get_copy (session->source));
  tl_held_unref (before);
  g_signal_emit_by_name (session->growth, "recorded", &part,
                         TL_GROWTH_RECORDED_PART,
                         tl_growth_get_held (session->growth));
  g_assert_cmpstr (tl_scan_source_get_copy (session->source), ==,
                   fixture->scan);
  g_subprocess_force_exit (second);
}

/* A recipe of a stream follows it, also when another scan is open, which may be
 * read again meanwhile. */
static void
test_recipe (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_autofree char *address = dup_address ("zmq+tomopackets");
  g_autofree char *path = tl_scratch_path (fixture->folder, "stream.ini");
  g_autofree char *text = g_strdup_printf (
      "[scan]\npath=%s\n[recipe]\ncentre=28.5\nfilter=hann\n", address);
  if (address == NULL)
    return;
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  for (int k = 0; k < 2; k++)
    {
      tl_session_open (session, path);
      g_assert_cmpuint (tl_growth_get_state (session->growth), ==,
                        TL_GROWTH_WAITING);
      g_assert_cmpstr (tl_growth_get_name (session->growth), ==, address);
      tl_session_reload (session);
      tl_session_wait_for (session, "busy", FALSE);
      g_assert_cmpstr (tl_growth_get_name (session->growth), ==, address);
      g_autoptr (GSubprocess) player = play (fixture, address, RATE);
      tl_session_wait_until (session, is_growing);
      assert_recipe (session);
      tl_session_wait_until (session, is_complete);
      end (player);
      assert_no_message (fixture);
      tl_fixture_open_scan (fixture);
      tl_session_change (session, "filter", "cosine");
    }
}

/* A recipe of the stream that is shown is of the slice on screen and of what
 * comes further, also if the stream is not followed any more. */
static void
test_recipe_again (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_autofree char *address = dup_address ("zmq+tomopackets");
  g_autofree char *path = tl_scratch_path (fixture->folder, "stream.ini");
  g_autofree char *text = g_strdup_printf (
      "[scan]\npath=%s\n[recipe]\ncentre=28.5\nfilter=hann\n", address);
  if (address == NULL)
    return;
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  tl_session_open (session, address);
  for (int k = 0; k < 2; k++)
    {
      g_autoptr (GSubprocess) player = play (fixture, address, RATE);
      tl_session_wait_until (session, is_growing);
      if (k == 1)
        assert_recipe (session);
      tl_session_wait_until (session, is_complete);
      end (player);
      if (k == 0)
        tl_growth_stop (session->growth);
      set (fixture, "filter", "cosine");
      tl_session_open (session, path);
      g_assert_cmpstr (tl_growth_get_name (session->growth), ==, address);
      /* what is followed already is not begun anew */
      g_assert_cmpuint (tl_growth_get_state (session->growth), ==,
                        k == 0 ? TL_GROWTH_WAITING : TL_GROWTH_COMPLETE);
      assert_recipe (session);
      assert_no_message (fixture);
    }
}

/* What has come stays, and can be worked with. */
static void
test_stopped (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_autofree char *address = dup_address ("zmq+tomopackets");
  if (address == NULL)
    return;
  g_autoptr (GSubprocess) player = grow (fixture, address);
  tl_growth_stop (session->growth);
  tl_session_wait_for (session, "busy", FALSE);
  const size_t n = tl_display_get_status (session->display)->n_angles;
  g_assert_cmpuint (n, <, N_PROJECTIONS);
  assert_not_exported (fixture, NULL);
  tl_messages_dismiss (session->messages);
  tl_session_change (session, "filter", "hann");
  g_assert_cmpuint (tl_display_get_status (session->display)->n_angles, ==, n);
  /* the frames are in memory still when they have to be read again */
  set (fixture, "nan", "replace");
  tl_session_wait_for (session, "busy", FALSE);
  assert_no_message (fixture);
  g_assert_cmpuint (tl_display_get_status (session->display)->n_angles, >=, n);
  tl_session_reload (session);
  tl_session_wait_for (session, "busy", FALSE);
  assert_no_message (fixture);
  g_assert_cmpuint (tl_display_get_status (session->display)->n_angles, >=, n);
  g_subprocess_force_exit (player);
}

/* A scan that cannot be opened ends nothing. */
static void
test_mistyped (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_autofree char *address = dup_address ("zmq+tomopackets");
  g_autofree char *missing = tl_scratch_path (fixture->folder, "missing.h5");
  if (address == NULL)
    return;
  g_autoptr (GSubprocess) player = grow (fixture, address);
  const guint64 serial = tl_scan_source_get_serial (session->source);
  tl_session_open (session, "zmq+nonsense://127.0.0.1:5558");
  tl_session_assert_message (session, "nonsense");
  tl_session_open (session, missing);
  while (tl_scan_source_is_opening (session->source))
    g_main_context_iteration (NULL, TRUE);
  tl_session_assert_message (session, "missing.h5");
  tl_session_wait_until (session, is_complete);
  end (player);
  /* nor was the scan opened again */
  g_assert_cmpuint (tl_scan_source_get_serial (session->source), ==, serial);
  g_assert_cmpuint (tl_display_get_status (session->display)->n_angles, ==,
                    N_PROJECTIONS);
}

/* Another scan is opened while one is waited for, and while one grows. */
static void
test_left (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_autofree char *address = dup_address ("zmq+tomopackets");
  if (address == NULL)
    return;
  tl_session_open (session, address);
  tl_fixture_open_scan (fixture);
  g_assert_cmpuint (tl_growth_get_state (session->growth), ==, TL_GROWTH_NONE);
  g_autoptr (GSubprocess) player = grow (fixture, address);
  tl_fixture_open_scan (fixture);
  g_assert_cmpuint (tl_growth_get_state (session->growth), ==, TL_GROWTH_NONE);
  g_assert_cmpstr (tl_scan_source_get_summary (session->source)->path, ==,
                   fixture->scan);
  g_assert_cmpuint (tl_display_get_status (session->display)->n_angles, ==,
                    N_PROJECTIONS);
  g_subprocess_force_exit (player);
}

static void
test_refused (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_autofree char *message = NULL;
  g_autoptr (GSocketListener) listener = g_socket_listener_new ();
  const guint16 port =
      g_socket_listener_add_any_inet_port (listener, NULL, NULL);
  g_autofree char *taken =
      g_strdup_printf ("zmq+tomopackets://127.0.0.1:%u", port);
  if (lacks_network ())
    return;
  tl_fixture_open_scan (fixture);
  const char *const names[] = { "zmq+nonsense://127.0.0.1:5558", taken };
  for (size_t k = 0; k < G_N_ELEMENTS (names); k++)
    {
      tl_session_open (session, names[k]);
      g_clear_pointer (&message, g_free);
      g_object_get (session->messages, "message", &message, NULL);
      g_assert_nonnull (message);
      g_assert_nonnull (strstr (message, "127.0.0.1"));
      g_assert_cmpuint (tl_growth_get_state (session->growth), ==,
                        TL_GROWTH_NONE);
    }
  tl_session_change (session, "filter", "hann");
  assert_no_message (fixture);
}

/* An address whose sender does not say the angles. */
static void
test_said (TlFixture *fixture, gconstpointer data)
{
  static const char *const wrong[][4] = {
    { ",,", "0:90", "", "number of projections has to be given" },
    { "0,,", "", "", "whole numbers" },
    { "9,,,", "", "", "whole numbers" },
    { "9,-1,", "", "", "whole numbers" },
    { "9,,", "90", "", "FIRST:LAST" },
    { "9,,", "0:90", "dark,white", "not \"dark,white\"" },
  };
  g_autofree char *address = dup_address ("zmq+json");
  g_autofree char *expected = g_strdup_printf ("%d,,", N_PROJECTIONS);
  g_autofree char *angles =
      g_strdup_printf ("0:%.17g", 180.0 * (N_PROJECTIONS - 1) / N_PROJECTIONS);
  g_autoptr (GError) error = NULL;
  if (address == NULL)
    return;
  for (guint k = 0; k < G_N_ELEMENTS (wrong); k++)
    {
      g_assert_false (tl_session_follow_address (fixture->session, address,
                                                 wrong[k][0], wrong[k][1],
                                                 wrong[k][2], &error));
      g_assert_error (error, TL_ERROR, TL_ERROR_VALUE);
      g_assert_nonnull (strstr (error->message, wrong[k][3]));
      g_clear_error (&error);
    }
  tl_session_follow_address (fixture->session, address, expected, angles, "",
                             &error);
  g_assert_no_error (error);
  g_autoptr (GSubprocess) player = play (fixture, address, RATE);
  tl_session_wait_until (fixture->session, is_growing);
  tl_session_wait_until (fixture->session, is_complete);
  end (player);
  assert_no_message (fixture);
  assert_picture (fixture, ROUNDED);
}

/* Returns: (transfer full): a file of the scan's angles */
static char *
write_angles (TlFixture *fixture)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GError) error = NULL;
  char *path = tl_scratch_path (fixture->folder, "angles.txt");
  for (int k = 0; k < N_PROJECTIONS; k++)
    g_string_append_printf (text, "%.17g\n", 180.0 * k / N_PROJECTIONS);
  g_file_set_contents (path, text->str, -1, &error);
  g_assert_no_error (error);
  return path;
}

/* What was said of an address is said again when it is opened, even after the
 * program was. */
static void
test_remembered (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_autofree char *address = dup_address ("zmq+json");
  g_autofree char *angles = write_angles (fixture);
  g_autofree char *notice = NULL;
  g_autoptr (GError) error = NULL;
  if (address == NULL)
    return;
  tl_session_follow_address (session, address, ",,", angles, "", &error);
  g_assert_no_error (error);
  tl_growth_stop (session->growth);
  tl_session_open (session, address);
  g_object_get (session->messages, "notice", &notice, NULL);
  g_assert_nonnull (strstr (notice, "the settings from last time"));
  g_autoptr (GSubprocess) player = play (fixture, address, RATE);
  tl_session_wait_until (session, is_complete);
  end (player);
  g_assert_cmpuint (tl_growth_get_news (session->growth)->n_expected, ==,
                    N_PROJECTIONS);
  /* and no more when nothing is said */
  tl_session_follow_address (session, address, ",,", "", "", &error);
  g_assert_no_error (error);
  tl_growth_stop (session->growth);
  tl_session_open (session, address);
  g_clear_pointer (&notice, g_free);
  g_object_get (session->messages, "notice", &notice, NULL);
  g_assert_null (notice);
  tl_growth_stop (session->growth);
  g_assert_true (g_unlink (angles) == 0);
  g_assert_false (
      tl_session_follow_address (session, address, ",,", angles, "", &error));
  g_assert_nonnull (strstr (error->message, "angles.txt"));
}

/* Returns: how often files have been opened since the last call, as @watch, of
 * inotify_init1(), has seen */
static guint
count_opened (int watch)
{
  char events[4096]
      __attribute__ ((aligned (__alignof__(struct inotify_event))));
  guint n = 0;
  ssize_t n_bytes;
  while ((n_bytes = read (watch, events, sizeof events)) > 0)
    for (const char *at = events; at < events + n_bytes;
         at += sizeof (struct inotify_event)
               + ((const struct inotify_event *)at)->len)
      n += (((const struct inotify_event *)at)->mask & IN_OPEN) != 0;
  return n;
}

/* A file that does not change is not opened again and again. */
static void
test_rest (TlFixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  const int watch = inotify_init1 (IN_NONBLOCK | IN_CLOEXEC);
  if (watch < 0 || inotify_add_watch (watch, fixture->scan, IN_OPEN) < 0)
    {
      if (watch >= 0)
        close (watch);
      g_test_skip ("the system allows no more watches of files");
      return;
    }
  tl_reader_close (tl_reader_open (fixture->scan, NULL, &error));
  g_assert_no_error (error);
  const guint n_once = count_opened (watch);
  g_assert_cmpuint (n_once, >, 0);
  g_autoptr (TlStream) stream = tl_stream_open (fixture->scan, NULL, &error);
  g_assert_no_error (error);
  TlStreamEvent event = { .type = TL_STREAM_SCAN };
  while (tl_stream_get_counts (stream)->n_received[TL_FRAMES_PROJECTIONS]
         < N_PROJECTIONS)
    tl_stream_next (stream, 100, NULL, &event, &error);
  const gint64 start_us = g_get_monotonic_time ();
  count_opened (watch);
  tl_stream_next (stream, 3000, NULL, &event, &error);
  g_assert_no_error (error);
  g_assert_cmpint (event.type, ==, TL_STREAM_QUIET);
  g_assert_cmpint (
      count_opened (watch), <=,
      n_once * (2 + (g_get_monotonic_time () - start_us) / G_USEC_PER_SEC));
  close (watch);
}

/* A stream has none of the places that the user has given. */
static void
test_places (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  tl_fixture_open_scan (fixture);
  g_assert_nonnull (session->watch);
  g_assert_true (tl_session_can_follow_scan (session));
  const char *const changes[][2] = {
    { "leave-out", "0:3" },
    { "angles", "0:90" },
    { "data-path", "/exchange/data" },
  };
  for (size_t k = 0; k < G_N_ELEMENTS (changes); k++)
    {
      set (fixture, changes[k][0], changes[k][1]);
      tl_session_wait_for (session, "busy", FALSE);
      assert_no_message (fixture);
      g_assert_null (session->watch);
      g_assert_false (tl_session_can_follow_scan (session));
      set (fixture, changes[k][0], "");
      tl_session_wait_for (session, "busy", FALSE);
      g_assert_nonnull (session->watch);
    }
}

static void
count (gpointer data)
{
  (*(guint *)data)++;
}

static gboolean
count_growth (gpointer data)
{
  count (data);
  return TRUE;
}

static void
make_file (TlFixture *fixture, const char *name)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = tl_scratch_path (fixture->folder, name);
  g_file_set_contents (path, "x", 1, &error);
  g_assert_no_error (error);
}

/* A file that is no image is no projection. */
static void
test_folder (TlFixture *fixture, gconstpointer data)
{
  guint n = 0, n_seen = 0;
  g_autoptr (GFile) folder = g_file_new_for_path (fixture->folder);
  g_autoptr (GFileMonitor) monitor =
      g_file_monitor (folder, G_FILE_MONITOR_NONE, NULL, NULL);
  TlGrowthWatch *watch =
      tl_growth_watch_new (fixture->folder, FALSE, count_growth, &n);
  g_assert_nonnull (watch);
  g_signal_connect_swapped (monitor, "changed", G_CALLBACK (count), &n_seen);
  make_file (fixture, "notes.txt");
  make_file (fixture, ".image.tif");
  /* the watch looks half a second after it was told of a file */
  guint n_waited = 0;
  while (n_seen == 0)
    g_main_context_iteration (NULL, TRUE);
  g_timeout_add_once (1500, count, &n_waited);
  while (n_waited == 0)
    g_main_context_iteration (NULL, TRUE);
  g_assert_cmpuint (n, ==, 0);
  make_file (fixture, "image.TIF");
  while (n == 0)
    g_main_context_iteration (NULL, TRUE);
  tl_growth_watch_free (watch);
}

static void
copy_file (const char *from, const char *to, const char *name)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *source = tl_scratch_path (from, name);
  g_autofree char *copy = tl_scratch_path (to, name);
  g_autoptr (GFile) file = g_file_new_for_path (source);
  g_autoptr (GFile) other = g_file_new_for_path (copy);
  g_file_copy (file, other, G_FILE_COPY_NONE, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
}

static void
assert_awaited (TlSession *session, const char *folder)
{
  tl_session_open (session, folder);
  tl_session_wait_for (session, "busy", FALSE);
  tl_session_assert_message (session, "its images are shown as they come");
  g_assert_cmpuint (tl_growth_get_state (session->growth), ==, TL_GROWTH_NONE);
}

/* A folder that is opened before its first image is there, and one that has all
 * angles, but not all images. */
static void
test_early_folder (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_autofree char *made = tl_scratch_path (fixture->folder, "made");
  g_autofree char *taken = tl_scratch_path (fixture->folder, "taken");
  g_autoptr (GSubprocess) player = play (fixture, made, "1000");
  end (player);
  g_autofree char *list = tl_scratch_list (made);
  g_auto (GStrv) names = g_strsplit (g_strchomp (list), "\n", -1);
  const guint n = g_strv_length (names);
  g_assert_cmpstr (names[0], ==, "angles.txt");
  g_assert_cmpint (g_mkdir (taken, 0700), ==, 0);
  assert_awaited (session, taken);
  tl_session_open (session, fixture->scan); /* it is not awaited any more */
  tl_session_wait_for (session, "busy", FALSE);
  g_assert_null (session->awaited);
  for (guint k = 0; k < n - 4; k++)
    copy_file (made, taken, names[k]);
  assert_awaited (session, taken);
  /* an hour later nobody promises images any more */
  struct utimbuf before = { time (NULL) - 3600, time (NULL) - 3600 };
  g_assert_cmpint (g_utime (taken, &before), ==, 0);
  tl_session_open (session, taken);
  tl_session_wait_for (session, "busy", FALSE);
  g_autofree char *message = NULL;
  g_object_get (session->messages, "message", &message, NULL);
  g_assert_nonnull (strstr (message, "angles"));
  g_assert_null (strstr (message, "shown as they come"));
  copy_file (made, taken, names[n - 4]);
  tl_session_wait_until (session, is_growing);
  const TlGrowthNews *news = tl_growth_get_news (session->growth);
  g_assert_cmpuint (news->n_projections, <, N_PROJECTIONS);
  g_assert_cmpuint (news->n_expected, ==, N_PROJECTIONS);
  for (guint k = n - 3; k < n; k++)
    copy_file (made, taken, names[k]);
  tl_session_wait_until (session, has_all);
  assert_no_message (fixture);
}

static gboolean
has_images (TlSession *session, size_t n)
{
  const TlScanSummary *scan = tl_scan_source_get_summary (session->source);
  g_assert_cmpuint (tl_growth_get_state (session->growth), !=,
                    TL_GROWTH_GROWING);
  return scan != NULL && scan->n_projections == n
         && !tl_requests_is_busy (session->requests);
}

static gboolean
has_seven_images (TlSession *session)
{
  return has_images (session, 7);
}

static gboolean
has_twelve_images (TlSession *session)
{
  return has_images (session, 12);
}

/* A folder whose images have no angles is no stream: each image would change
 * the angles of all others. It is opened again when it rests. */
static void
test_folder_without_angles (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_autofree char *images = tl_scratch_path (fixture->folder, "images");
  g_autofree char *notice = NULL;
  g_assert_cmpint (g_mkdir (images, 0700), ==, 0);
  assert_awaited (session, images);
  tl_scratch_images (images, "p", 7, N_ROWS, N_COLS, 0.5f);
  tl_session_wait_until (session, has_seven_images);
  assert_notice_is (session, "images: its images have no angles");
  tl_parameters_note_found_centre (
      session->parameters, tl_parameters_get_centre (session->parameters),
      TRUE);
  g_assert_false (tl_parameters_is_centre_assumed (session->parameters));
  tl_scratch_images (images, "p", 12, N_ROWS, N_COLS, 0.5f);
  tl_session_wait_until (session, has_twelve_images);
  /* it was found in seven, and is looked for again */
  g_assert_true (tl_parameters_is_centre_assumed (session->parameters));
  g_assert_cmpuint (tl_growth_get_state (session->growth), ==, TL_GROWTH_NONE);
  g_object_get (session->messages, "notice", &notice, NULL);
  g_assert_cmpstr (notice, ==, "images has grown, and was opened again");
}

/* The user has to choose, and nothing that comes changes that. */
static void
test_several_scans (TlFixture *fixture, gconstpointer data)
{
  static const char *const names[] = { "one", "two" };
  TlSession *session = fixture->session;
  g_autofree char *top = tl_scratch_path (fixture->folder, "top");
  g_autofree char *message = NULL;
  g_assert_cmpint (g_mkdir (top, 0700), ==, 0);
  for (guint k = 0; k < G_N_ELEMENTS (names); k++)
    {
      g_autofree char *folder = tl_scratch_path (top, names[k]);
      g_assert_cmpint (g_mkdir (folder, 0700), ==, 0);
      g_free (tl_scratch_phantom (folder, "scan.h5", 7, 3, 9));
    }
  tl_session_open (session, top);
  tl_session_wait_for (session, "busy", FALSE);
  g_object_get (session->messages, "message", &message, NULL);
  g_test_message ("%s", message);
  g_assert_true (g_str_has_suffix (message, "; open one of them"));
}

/* --- a file that this program writes, as another process --- */

enum
{
  N_FIELDS = 2, /* darks, and flats */
  N_FIRST = 9   /* projections of the first step */
};

static void
append (TlGrowingFile *file, TlReader *scan, TlFrameKind kind, size_t first,
        size_t end)
{
  static const TlImageKey keys[TL_N_FRAME_KINDS] = {
    [TL_FRAMES_PROJECTIONS] = TL_IMAGE_KEY_PROJECTION,
    [TL_FRAMES_FLATS] = TL_IMAGE_KEY_FLAT,
    [TL_FRAMES_DARKS] = TL_IMAGE_KEY_DARK,
  };
  guint16 pixels[N_ROWS * N_COLS];
  g_autoptr (GError) error = NULL;
  for (size_t k = first; k < end; k++)
    {
      const double angle_deg = kind == TL_FRAMES_PROJECTIONS
                                   ? tl_reader_get_info (scan)->angles_deg[k]
                                   : 0;
      tl_reader_read_frames (scan, kind, k, 1, 0, N_ROWS, pixels, &error);
      g_assert_no_error (error);
      tl_growing_file_append (file, pixels, 1, keys[kind], angle_deg, &error);
      g_assert_no_error (error);
    }
}

/* Writes to FILE darks and flats of SCAN, says so, and writes more of it for
 * each byte that it gets.
 *
 * @args: "write", SCAN, FILE, "swmr" if it says that it is being written,
 *   "bare" if it has neither darks nor flats, or "late" if the other flats and
 *   darks come last */
static int
write_file (char **args)
{
  static const size_t ends[] = { 0, N_FIRST, N_PROJECTIONS };
  g_autoptr (GError) error = NULL;
  g_autoptr (TlReader) scan = tl_reader_open (args[1], NULL, &error);
  g_assert_no_error (error);
  const gboolean is_marked = strcmp (args[3], "unmarked") != 0;
  const TlGrowingLayout layout = { .n_rows = N_ROWS,
                                   .n_cols = N_COLS,
                                   .type = TL_SAMPLE_U16,
                                   .pixel_size_um = PIXEL_UM,
                                   .angle_name = "rotation_angle",
                                   .has_swmr = is_marked };
  TlGrowingFile *file = tl_growing_file_open (args[2], &layout, &error);
  g_assert_no_error (error);
  const size_t n_fields = strcmp (args[3], "bare") == 0 ? 0 : N_FIELDS;
  append (file, scan, TL_FRAMES_DARKS, 0, n_fields);
  append (file, scan, TL_FRAMES_FLATS, 0, n_fields);
  for (guint k = 1; putchar ('.') == '.' && fflush (stdout) == 0
                    && getchar () != EOF && k < G_N_ELEMENTS (ends);
       k++)
    append (file, scan, TL_FRAMES_PROJECTIONS, ends[k - 1], ends[k]);
  if (strcmp (args[3], "late") == 0)
    {
      const TlScanInfo *info = tl_reader_get_info (scan);
      append (file, scan, TL_FRAMES_FLATS, n_fields, info->n_flats);
      append (file, scan, TL_FRAMES_DARKS, n_fields, info->n_darks);
      putchar ('.');
      fflush (stdout);
      getchar ();
    }
  g_assert_true (tl_growing_file_close (file, NULL));
  return 0;
}

static void
wait_for_writer (GSubprocess *writer)
{
  char byte;
  g_assert_cmpint (g_input_stream_read (g_subprocess_get_stdout_pipe (writer),
                                        &byte, 1, NULL, NULL),
                   ==, 1);
}

/* Returns: (transfer full): when darks and flats are written */
static GSubprocess *
begin_file (TlFixture *fixture, const char *path, const char *mode)
{
  g_autoptr (GError) error = NULL;
  GSubprocess *writer = g_subprocess_new (
      G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE, &error,
      "/proc/self/exe", "write", fixture->scan, path, mode, NULL);
  g_assert_no_error (error);
  wait_for_writer (writer);
  return writer;
}

/* Lets it write more. */
static void
go_on (GSubprocess *writer)
{
  g_assert_true (g_output_stream_write_all (
      g_subprocess_get_stdin_pipe (writer), "\n", 1, NULL, NULL, NULL));
  wait_for_writer (writer);
}

static void
end_file (GSubprocess *writer)
{
  g_output_stream_close (g_subprocess_get_stdin_pipe (writer), NULL, NULL);
  end (writer);
}

/* A file that is opened when it has but darks and flats. One that says that it
 * is being written is followed at once, another one as soon as it grows; a
 * finished one is refused. */
static void
test_early_file (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_autofree char *marked = tl_scratch_path (fixture->folder, "marked.h5");
  g_autofree char *other = tl_scratch_path (fixture->folder, "other.h5");
  g_autofree char *done = tl_scratch_path (fixture->folder, "done.h5");

  g_autoptr (GSubprocess) first = begin_file (fixture, marked, "swmr");
  tl_session_open (session, marked);
  g_assert_true (tl_session_set_opening (session, "filter", "hann", NULL));
  tl_session_wait_for (session, "busy", FALSE);
  assert_no_message (fixture);
  g_assert_cmpstr (tl_growth_get_name (session->growth), ==, marked);
  g_assert_cmpuint (tl_growth_get_state (session->growth), ==,
                    TL_GROWTH_WAITING);
  go_on (first);
  tl_session_wait_until (session, is_growing);
  go_on (first);
  end_file (first);
  tl_session_wait_until (session, is_ordinary);
  assert_no_message (fixture);
  g_autofree char *filter =
      tl_recipe_get (tl_parameters_get_recipe (session->parameters), "filter");
  g_assert_cmpstr (filter, ==, "hann");

  g_autoptr (GSubprocess) second = begin_file (fixture, other, "unmarked");
  tl_session_open (session, other);
  tl_session_wait_for (session, "busy", FALSE);
  tl_session_assert_message (session, "none of the 4 image keys is 0");
  g_assert_cmpuint (tl_growth_get_state (session->growth), ==, TL_GROWTH_NONE);
  go_on (second);
  tl_session_wait_until (session, is_growing);
  tl_growth_stop (session->growth);
  end_file (second);

  g_autoptr (GSubprocess) third = begin_file (fixture, done, "swmr");
  end_file (third);
  tl_session_open (session, done);
  tl_session_wait_for (session, "busy", FALSE);
  tl_session_assert_message (session, "none of the 4 image keys is 0");
  g_assert_cmpuint (tl_growth_get_state (session->growth), ==, TL_GROWTH_NONE);
}

static gboolean
has_first (TlSession *session)
{
  return tl_growth_get_news (session->growth)->n_projections == N_FIRST;
}

/* Waits until it has been decided whether what has come is shown. */
static void
assert_unshown (TlSession *session)
{
  guint n_news = 0;
  tl_session_wait_until (session, has_first);
  g_signal_connect_swapped (session->growth, "notify::news", G_CALLBACK (count),
                            &n_news);
  while (n_news < 2)
    g_main_context_iteration (NULL, TRUE);
  g_signal_handlers_disconnect_by_data (session->growth, &n_news);
  g_assert_cmpuint (tl_growth_get_state (session->growth), ==,
                    TL_GROWTH_WAITING);
}

static gboolean
is_over_unshown (TlSession *session)
{
  const TlGrowthNews *news = tl_growth_get_news (session->growth);
  return news->waits_for_flats && news->is_over;
}

/* Whoever waits for flats learns that the scan has ended without them, and can
 * have it shown still. */
static void
test_over_without_flats (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_autofree char *path = tl_scratch_path (fixture->folder, "bare.h5");
  g_autoptr (GSubprocess) writer = begin_file (fixture, path, "bare");
  const TlStreamOptions options = {
    .n_expected = { [TL_FRAMES_PROJECTIONS] = N_PROJECTIONS },
  };
  go_on (writer);
  tl_session_follow (session, path, &options, NULL);
  assert_unshown (session);
  g_assert_false (is_over_unshown (session));
  go_on (writer);
  end_file (writer);
  tl_session_wait_until (session, is_over_unshown);
  tl_session_skip_flats (session);
  tl_session_wait_until (session, is_ordinary);
  tl_session_assert_value (session, "flat-field", "off");
}

/* Counts are shown without flats if the user has switched the flat field off,
 * and not because another scan, which is open, has none. */
static void
test_without_flats (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_autofree char *path = tl_scratch_path (fixture->folder, "bare.h5");
  g_autofree char *images = tl_scratch_path (fixture->folder, "images");
  g_autoptr (GSubprocess) writer = begin_file (fixture, path, "bare");
  go_on (writer);
  tl_session_follow (session, path, NULL, NULL);
  assert_unshown (session);
  set (fixture, "flat-field", "off");
  tl_session_wait_until (session, is_growing);

  g_assert_cmpint (g_mkdir (images, 0700), ==, 0);
  tl_scratch_images (images, "p", 7, N_ROWS, N_COLS, 0.5f);
  tl_session_open (session, images);
  tl_session_wait_for (session, "busy", FALSE);
  tl_session_assert_value (session, "flat-field", "off");
  tl_session_follow (session, path, NULL, NULL);
  assert_unshown (session);
  tl_session_skip_flats (session);
  tl_session_wait_until (session, is_growing);
  g_assert_cmpstr (get_path (session), ==, path);
  tl_session_assert_value (session, "flat-field", "off");

  /* it was said of one scan only */
  tl_session_open (session, fixture->scan);
  tl_session_wait_for (session, "busy", FALSE);
  set (fixture, "flat-field", "on");
  tl_session_follow (session, path, NULL, NULL);
  assert_unshown (session);
  tl_session_skip_flats (session);
  tl_session_wait_until (session, is_growing);
  tl_session_assert_value (session, "flat-field", "off");

  tl_session_open (session, fixture->scan);
  tl_session_wait_for (session, "busy", FALSE);
  set (fixture, "flat-field", "off");
  tl_session_follow (session, path, NULL, NULL);
  tl_session_wait_until (session, is_growing);
  go_on (writer);
  end_file (writer);
  tl_session_wait_until (session, is_ordinary);
  tl_session_assert_value (session, "flat-field", "off");
}

static gboolean
is_ordinary_with_fields (TlSession *session)
{
  return is_ordinary (session) && has_all_fields (session);
}

/* Flats that are written when all projections are there are used: before the
 * file is complete, and when it has been opened as an ordinary one, because all
 * that was expected has come. */
static void
test_late_flats_in_file (TlFixture *fixture, gconstpointer data)
{
  static const size_t n_expected[] = { 0, N_PROJECTIONS };
  TlSession *session = fixture->session;
  g_autoptr (GError) error = NULL;
  g_autoptr (TlReader) scan = tl_reader_open (fixture->scan, NULL, &error);
  g_assert_no_error (error);
  const size_t n =
      tl_reader_get_info (scan)->n_flats + tl_reader_get_info (scan)->n_darks;
  g_assert_cmpuint (n, >, 2 * N_FIELDS);
  for (size_t k = 0; k < G_N_ELEMENTS (n_expected); k++)
    {
      g_autofree char *name = g_strdup_printf ("late%zu.h5", k);
      g_autofree char *path = tl_scratch_path (fixture->folder, name);
      const TlStreamOptions options = {
        .n_expected = { [TL_FRAMES_PROJECTIONS] = n_expected[k] },
      };
      g_autoptr (GSubprocess) writer = begin_file (fixture, path, "late");
      go_on (writer);
      go_on (writer);
      tl_session_follow (session, path, &options, &error);
      g_assert_no_error (error);
      tl_session_wait_until (session,
                             n_expected[k] > 0 ? is_ordinary : has_all);
      g_assert_cmpuint (tl_scan_source_get_summary (session->source)->n_flats,
                        ==, N_FIELDS);
      go_on (writer);
      /* while the scan is taken, the newest flats stand for all of it */
      n_all_fields = n - N_FIELDS;
      tl_session_wait_until (session, has_all_fields);
      n_all_fields = n;
      end_file (writer);
      tl_session_wait_until (session, is_ordinary_with_fields);
    }
}

/* A file is opened in the middle of its scan: too few angles are there for the
 * axis, and the pixel size is known from the beginning. */
static void
test_mid_scan (TlFixture *fixture, gconstpointer data)
{
  g_autoptr (TlSession) session = tl_session_new (); /* without a centre */
  TlCentreSearch *search = tl_session_get_centre_search (session);
  g_autofree char *path = tl_scratch_path (fixture->folder, "grows.h5");
  const TlScanSummary *scan;
  g_object_set (search, "seeks", TRUE, NULL);
  g_autoptr (GSubprocess) writer = begin_file (fixture, path, "swmr");
  go_on (writer);
  tl_session_open (session, path);
  tl_session_wait_for (session, "busy", FALSE);
  scan = tl_scan_source_get_summary (session->source);
  g_assert_cmpuint (scan->n_projections, ==, N_FIRST);
  g_assert_cmpfloat (scan->pixel_size_um, ==, PIXEL_UM);
  g_assert_cmpuint (tl_centre_search_get_state (search), ==,
                    TL_CENTRE_SEARCH_IDLE);
  go_on (writer);
  tl_session_wait_until (session, is_growing);
  scan = tl_scan_source_get_summary (session->source);
  g_assert_cmpfloat (scan->pixel_size_um, ==, PIXEL_UM);
  g_assert_cmpuint (tl_centre_search_get_state (search), ==,
                    TL_CENTRE_SEARCH_IDLE);
  end_file (writer);
  tl_session_wait_until (session, is_ordinary);
  g_assert_cmpuint (tl_centre_search_get_state (search), !=,
                    TL_CENTRE_SEARCH_IDLE);
}

/* Each picture is made of all that has come when it is shown again. */
static void
test_switched (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_autofree char *address = dup_address ("zmq+tomopackets");
  size_t n_rows, n_cols;
  if (address == NULL)
    return;
  g_autoptr (GSubprocess) player = grow (fixture, address);
  tl_display_set_picture (session->display, TL_PICTURE_SINOGRAM);
  tl_session_wait_for (session, "busy", FALSE);
  tl_display_set_picture (session->display, TL_PICTURE_SLICE);
  tl_session_wait_until (session, is_complete);
  end (player);
  tl_display_set_picture (session->display, TL_PICTURE_SINOGRAM);
  tl_session_wait_for (session, "busy", FALSE);
  g_assert_true (
      tl_display_get_frame_size (session->display, &n_rows, &n_cols));
  g_assert_cmpuint (n_rows, ==, N_PROJECTIONS);
  follow_next (fixture, address);
  tl_display_set_picture (session->display, TL_PICTURE_SLICE);
  tl_session_wait_for (session, "busy", FALSE);
  g_assert_cmpuint (tl_display_get_status (session->display)->n_angles, ==,
                    N_PROJECTIONS);
}

static void
note_awaited (GObject *requests, GParamSpec *pspec, gpointer n)
{
  gboolean is_awaited;
  g_object_get (requests, "awaited", &is_awaited, NULL);
  *(guint *)n += is_awaited;
}

/* Only what the user waits for is awaited: the first picture, and those of a
 * parameter. */
static void
test_awaited (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_autofree char *address = dup_address ("zmq+tomopackets");
  guint n_awaited = 0;
  Pictures pictures;
  if (address == NULL)
    return;
  g_signal_connect (session->requests, "notify::awaited",
                    G_CALLBACK (note_awaited), &n_awaited);
  g_autoptr (GSubprocess) player = grow (fixture, address);
  count_pictures (fixture, &pictures);
  tl_session_wait_until (session, is_complete);
  end (player);
  uncount_pictures (fixture, &pictures);
  g_assert_cmpuint (pictures.n_grown, >=, 1);
  g_assert_cmpuint (n_awaited, ==, 1);
  set (fixture, "filter", "hann");
  g_assert_cmpuint (n_awaited, ==, 2);
  tl_session_wait_for (session, "busy", FALSE);
  g_signal_handlers_disconnect_by_data (session->requests, &n_awaited);
}

static gboolean
lacks_angles (TlSession *session)
{
  return tl_growth_get_news (session->growth)->n_without_angle == N_PROJECTIONS;
}

static void
test_angles (TlFixture *fixture, gconstpointer data)
{
  g_autofree char *address = dup_address ("zmq+json");
  if (address == NULL)
    return;
  tl_session_open (fixture->session, address);
  g_autoptr (GSubprocess) player = play (fixture, address, "200");
  tl_session_wait_until (fixture->session, lacks_angles);
  end (player);
  g_assert_cmpuint (tl_growth_get_state (fixture->session->growth), ==,
                    TL_GROWTH_WAITING);
}

static gboolean
is_complete_with_fields (TlSession *session)
{
  return is_complete (session) && has_all_fields (session);
}

/* A scan of which only the projections are announced is complete before its
 * flats and darks come. It is shown with each of them. */
static void
test_late_flats (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_autofree char *address = dup_address ("zmq+json");
  g_autoptr (GError) error = NULL;
  g_autoptr (TlReader) scan = tl_reader_open (fixture->scan, NULL, &error);
  g_assert_no_error (error);
  const TlScanInfo *info = tl_reader_get_info (scan);
  const TlStreamOptions options = {
    .n_expected = { [TL_FRAMES_PROJECTIONS] = N_PROJECTIONS },
    .has_angles = TRUE,
    .angles_deg = { info->angles_deg[0], info->angles_deg[N_PROJECTIONS - 1] },
  };
  if (address == NULL)
    return;
  n_all_fields = info->n_flats + info->n_darks;
  g_assert_cmpuint (info->n_flats, >, 1);
  tl_session_follow (session, address, &options, &error);
  g_assert_no_error (error);
  g_autoptr (GSubprocess) player =
      play_with (fixture, address, RATE, "--fields-last", NULL);
  tl_session_wait_until (session, is_complete_with_fields);
  end (player);
  assert_picture (fixture, ROUNDED);
}

/* A scan that cannot be opened yet is tried again; the user is told once. */
static void
test_late (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_autofree char *address = dup_address ("zmq+tomopackets");
  g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func (g_free);
  if (address == NULL)
    return;
  g_signal_connect (session->messages, "notify::message",
                    G_CALLBACK (note_text), texts);
  g_atomic_int_set (&fails, 2);
  tl_session_open (session, address);
  g_autoptr (GSubprocess) player = play (fixture, address, "8");
  tl_session_wait_until (session, is_complete);
  end (player);
  g_signal_handlers_disconnect_by_data (session->messages, texts);
  g_assert_cmpuint (texts->len, ==, 2);
  g_assert_cmpstr (texts->pdata[0], ==, "no room for it");
  g_assert_cmpstr (texts->pdata[1], ==, "");
}

/* What is told when a scan begins is not dismissed by it. */
static void
test_told (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_autofree char *address = dup_address ("zmq+tomopackets");
  g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func (g_free);
  if (address == NULL)
    return;
  g_autoptr (GSubprocess) first = grow (fixture, address);
  g_signal_connect (session->messages, "notify::notice", G_CALLBACK (note_text),
                    texts);
  g_subprocess_force_exit (first);
  g_assert_true (g_subprocess_wait (first, NULL, NULL));
  g_autoptr (GSubprocess) second = play (fixture, address, RATE);
  tl_session_wait_until (session, has_all);
  tl_session_wait_until (session, is_complete);
  end (second);
  g_signal_handlers_disconnect_by_data (session->messages, texts);
  /* A sender that starts slowly is said to be gone before. */
  g_assert_cmpuint (texts->len, >=, 2);
  g_assert_cmpuint (texts->len, <=, 3);
  const guint n = texts->len;
  if (n == 3)
    g_assert_nonnull (strstr (texts->pdata[0], "closed the connection"));
  g_assert_nonnull (strstr (texts->pdata[n - 2], "another scan begins after"));
  g_assert_nonnull (strstr (texts->pdata[n - 1], "is complete"));
}

static gint is_held_up; /* atomic: the task is not done */

static gboolean
take_time (gpointer state, TlRecon *recon, const TlRecipe *recipe,
           GCancellable *cancellable, gpointer *result, gboolean *is_done,
           GError **error)
{
  g_usleep (1000);
  *is_done = !g_atomic_int_get (&is_held_up);
  return !g_cancellable_set_error_if_cancelled (cancellable, error);
}

static void
ignore (TlReply *reply, gpointer data)
{
}

/* A task needs the same projections in all its steps; meanwhile no picture is
 * made that is already there. */
static void
test_task (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_autofree char *address = dup_address ("zmq+tomopackets");
  const TlTask task = { .kind = TL_TASK_HEIGHT, .step = take_time };
  guint n_frames = 0;
  if (address == NULL)
    return;
  g_autoptr (GSubprocess) player = grow (fixture, address);
  g_atomic_int_set (&is_held_up, TRUE);
  tl_tasks_send (session->tasks, tl_parameters_get_recipe (session->parameters),
                 &task, ignore, NULL);
  tl_session_wait_for (session, "busy", FALSE);
  g_signal_connect_swapped (session->display, "notify::frame",
                            G_CALLBACK (count), &n_frames);
  tl_session_wait_until (session, has_all);
  end (player);
  g_assert_cmpuint (n_frames, ==, 0);
  g_atomic_int_set (&is_held_up, FALSE);
  tl_session_wait_until (session, is_complete);
  g_signal_handlers_disconnect_by_data (session->display, &n_frames);
  g_assert_cmpuint (tl_display_get_status (session->display)->n_angles, ==,
                    N_PROJECTIONS);
  assert_no_message (fixture);
}

/* Angles of a scan whose number of projections nobody says are refused at once.
 */
static void
test_lone_angles (TlFixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *scheme, *expected;
    gboolean is_taken;
  } cases[] = {
    { "zmq+json", ",,", FALSE },
    { "zmq+json", "90", TRUE },
    { "zmq+tomopackets", ",,", TRUE },
  };
  TlSession *session = fixture->session;
  if (lacks_network ())
    return;
  for (guint k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      g_autofree char *address = dup_address (cases[k].scheme);
      g_autoptr (GError) error = NULL;
      tl_session_follow_address (session, address, cases[k].expected, "", "",
                                 &error);
      g_assert_no_error (error);
      g_assert_cmpint (
          tl_session_set_opening (session, "angles", "0:179", &error), ==,
          cases[k].is_taken);
      g_assert_true (cases[k].is_taken
                     || strstr (error->message, "Open Address…") != NULL);
    }
}

static TlHeld *
make_held (const char *name)
{
  g_autoptr (TlHeldBudget) budget = tl_held_budget_new (1 << 24);
  const TlHeldLayout layout = {
    .name = name, .n_rows = 1, .n_cols = 8, .n_kept = 1, .type = TL_SAMPLE_U8
  };
  g_autoptr (GError) error = NULL;
  TlHeld *held = tl_held_new (&layout, budget, &error);
  g_assert_no_error (error);
  return held;
}

/* What no longer holds is taken back: that nothing comes, and that the scan
 * before is complete. */
static void
test_taken_back (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlGrowth *growth = session->growth;
  TlGrowthNews *news = NULL;
  g_autofree char *address = dup_address ("zmq+tomopackets");
  if (address == NULL)
    return;
  tl_session_open (session, address);
  g_object_get (growth, "news", &news, NULL);
  tl_messages_tell_news (session->messages, "what else is new");
  g_signal_emit_by_name (growth, "told", "nobody answers");
  g_object_notify (G_OBJECT (growth), "news");
  assert_notice_is (session, "nobody answers");
  news->n_darks = 1;
  g_object_notify (G_OBJECT (growth), "news");
  assert_notice_is (session, NULL);
  g_signal_emit_by_name (growth, "told", "nothing has come");
  news->is_stalled = TRUE;
  g_object_notify (G_OBJECT (growth), "news");
  assert_notice_is (session, "nothing has come");
  news->is_stalled = FALSE;
  g_object_notify (G_OBJECT (growth), "news");
  assert_notice_is (session, NULL);

  g_autoptr (TlHeld) held = make_held (address);
  g_signal_emit_by_name (growth, "ended");
  assert_notice_is (session, "is complete");
  g_signal_emit_by_name (growth, "begun", held);
  assert_notice_is (session, NULL);
  tl_session_wait_for (session, "busy", FALSE);
}

int
main (int argc, char **argv)
{
  static const TlFixtureCase cases[] = {
    { "/growth/address", test_address },
    { "/growth/time-left", test_time_left },
    { "/growth/file", test_file },
    { "/growth/lost-in-file", test_lost_in_file },
    { "/growth/rows", test_rows },
    { "/growth/planes", test_planes },
    { "/growth/volume", test_volume },
    { "/growth/volume-box", test_volume_box },
    { "/growth/volume-next", test_volume_next },
    { "/growth/volume-rows", test_volume_rows },
    { "/growth/volume-fails", test_volume_fails },
    { "/growth/planes-rows", test_planes_rows },
    { "/growth/no-room", test_no_room },
    { "/growth/next", test_next },
    { "/growth/next-detector", test_next_detector },
    { "/growth/said-later", test_said_later },
    { "/growth/refused-angles", test_refused_angles },
    { "/growth/recorded-part", test_recorded_part },
    { "/growth/recorded-at-once", test_recorded_at_once },
    { "/growth/other-numbers", test_other_numbers },
    { "/growth/blank", test_blank },
    { "/growth/no-beam", test_no_beam },
    { "/growth/automatic", test_automatic },
    { "/growth/next-waits", test_next_waits },
    { "/growth/next-skips", test_next_skips },
    { "/growth/unusable", test_unusable },
    { "/growth/stopped", test_stopped },
    { "/growth/stopped-recording", test_stopped_recording },
    { "/growth/other-recording", test_other_recording },
    { "/growth/recipe", test_recipe },
    { "/growth/recipe-again", test_recipe_again },
    { "/growth/left", test_left },
    { "/growth/refused", test_refused },
    { "/growth/said", test_said },
    { "/growth/options", test_options },
    { "/growth/lone-angles", test_lone_angles },
    { "/growth/taken-back", test_taken_back },
    { "/growth/remembered", test_remembered },
    { "/growth/grows", test_grows },
    { "/growth/mistyped", test_mistyped },
    { "/growth/places", test_places },
    { "/growth/folder", test_folder },
    { "/growth/early-folder", test_early_folder },
    { "/growth/folder-without-angles", test_folder_without_angles },
    { "/growth/several-scans", test_several_scans },
    { "/growth/early-file", test_early_file },
    { "/growth/without-flats", test_without_flats },
    { "/growth/over-without-flats", test_over_without_flats },
    { "/growth/late-flats-in-file", test_late_flats_in_file },
    { "/growth/mid-scan", test_mid_scan },
    { "/growth/task", test_task },
    { "/growth/switched", test_switched },
    { "/growth/late", test_late },
    { "/growth/late-flats", test_late_flats },
    { "/growth/told", test_told },
    { "/growth/angles", test_angles },
    { "/growth/awaited", test_awaited },
    { "/growth/rest", test_rest },
    { "/growth/recorded", test_recorded },
    { "/growth/lost", test_lost },
    { "/growth/not-recorded", test_not_recorded },
  };

  if (argc == 5 && strcmp (argv[1], "write") == 0)
    return write_file (argv + 1);
  return tl_fixture_run (argc, argv, set_up, cases, G_N_ELEMENTS (cases));
}
