/* Opening scans in a session: the state afterwards, what is kept of the
 * previous scan, and errors. */
#include "app/session/session.h"

#include "data/error.h"
#include "data/read/format/trial.h"
#include "tests/app/scratch.h"
#include "tests/app/session/session-fixture.h"
#include "tests/support/formats.h"

#include <glib/gstdio.h>
#include <string.h>
#include <utime.h>

/* Replaces GLib's (see meson.build): the machine has few processors. */
static gint n_processors; /* atomic; 0: as many as it has */

guint __wrap_g_get_num_processors (void);
guint __real_g_get_num_processors (void);

guint
__wrap_g_get_num_processors (void)
{
  const gint n = g_atomic_int_get (&n_processors);
  return n > 0 ? (guint)n : __real_g_get_num_processors ();
}

static void
note_pitch (GObject *display, GParamSpec *pspec, gpointer data)
{
  double row, col, pitch;
  tl_display_get_frame_place (TL_DISPLAY (display), &row, &col, &pitch);
  g_array_append_val ((GArray *)data, pitch);
}

/* Where the whole slice takes long, a reduced one comes first. */
static void
test_large (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_autoptr (GArray) pitches = g_array_new (FALSE, FALSE, sizeof (double));
  g_autofree char *scan =
      tl_scratch_phantom (fixture->folder, "large.h5", 1200, 1, 1500);
  g_signal_connect (session->display, "notify::frame", G_CALLBACK (note_pitch),
                    pitches);
  g_atomic_int_set (&n_processors, 1);
  tl_session_open (session, scan);
  tl_session_wait_for (session, "busy", FALSE);
  g_atomic_int_set (&n_processors, 0);
  g_signal_handlers_disconnect_by_data (session->display, pitches);
  g_assert_cmpuint (pitches->len, ==, 2);
  g_assert_cmpfloat (g_array_index (pitches, double, 0), ==, 2);
  g_assert_cmpfloat (g_array_index (pitches, double, 1), ==, 1);
  g_assert_false (tl_display_shows_preview (session->display));
}

static void
test_open (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlDisplay *display = session->display;
  TlScanSource *source = session->source;
  TlParameters *parameters = session->parameters;
  size_t n_rows, n_cols;
  g_autofree char *path = NULL;
  tl_fixture_open_scan (fixture);
  g_object_get (source, "path", &path, NULL);
  g_assert_cmpstr (path, ==, fixture->scan);
  g_assert_cmpuint (fixture->n_frames, ==, 1);
  g_assert_cmpuint (tl_parameters_get_slice (parameters), ==, (N_ROWS - 1) / 2);
  g_assert_cmpfloat (tl_parameters_get_centre (parameters), ==,
                     (N_COLS - 1) / 2.);
  g_assert_true (tl_display_get_frame_size (display, &n_rows, &n_cols));
  g_assert_cmpuint (n_rows, ==, N_COLS);
  tl_session_assert_shown (session, fixture->scan, "9", "30");
  tl_session_assert_message (session, NULL);
  const TlScanSummary *scan = tl_scan_source_get_summary (source);
  g_assert_cmpuint (scan->n_projections, ==, N_PROJECTIONS);
  const TlStatus *status = tl_display_get_status (display);
  g_assert_cmpstr (status->engine, ==, "host");
  g_assert_cmpfloat (status->frame_ms, >, 0);
}

/* A slow survey completes the summary later. Requests do not wait for it, and
 * each scan has its own. */
static void
test_surveyed (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlScanSource *source = session->source;
  const guint id =
      g_timeout_add_seconds (TL_PATIENCE_S, tl_lose_patience, NULL);
  tl_fixture_open_scan (fixture);
  tl_parameters_set_slice (session->parameters, 3);
  while (!tl_scan_source_get_summary (source)->is_surveyed)
    g_main_context_iteration (NULL, TRUE);
  g_source_remove (id);
  const TlScanSummary *scan = tl_scan_source_get_summary (source);
  g_assert_cmpstr (scan->path, ==, fixture->scan);
  g_assert_cmpuint (scan->survey.projections.n_frames, ==, 16);
  g_assert_cmpuint (scan->survey.n_rows, ==, N_ROWS);
  g_assert_true (tl_scan_summary_is_fine (scan));
  tl_session_wait_for (session, "busy", FALSE);
  tl_session_assert_shown (session, fixture->scan, "3", "30");
}

static void
test_bad_files (TlFixture *fixture, gconstpointer data)
{
  static const char *const names[] = { "missing.h5", "text.h5", "bad.ini" };
  TlSession *session = fixture->session;
  TlDisplay *display = session->display;
  TlParameters *parameters = session->parameters;
  tl_fixture_open_scan (fixture);
  tl_parameters_set_centre (parameters, 28);
  tl_session_wait_for (session, "busy", FALSE);
  TlFrame *frame = tl_display_get_frame (display);
  for (size_t k = 0; k < G_N_ELEMENTS (names); k++)
    {
      g_autofree char *path = tl_scratch_path (fixture->folder, names[k]);
      if (k > 0)
        g_assert_true (g_file_set_contents (path, "no scan at all", -1, NULL));
      tl_session_open (session, path);
      tl_session_wait_for (session, "busy", FALSE);
      tl_session_assert_message (session, names[k]);
      g_assert_true (tl_display_get_frame (display) == frame);
      g_assert_cmpstr (tl_scan_source_get_summary (session->source)->path, ==,
                       fixture->scan);
      g_assert_cmpfloat (tl_parameters_get_centre (parameters), ==, 28);
    }
  /* The session still works. */
  tl_parameters_set_slice (parameters, 2);
  tl_session_wait_for (session, "busy", FALSE);
  tl_session_assert_message (session, NULL);
  tl_session_assert_shown (session, fixture->scan, "2", "28");
}

/* A request that is cancelled by a failing open is made afterwards. */
static void
test_request_outlives_bad_open (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlParameters *parameters = session->parameters;
  tl_fixture_open_scan (fixture);
  tl_parameters_set_slice (parameters, 3);
  tl_session_open (session, "missing.h5");
  tl_parameters_set_centre (parameters, 27);
  tl_session_wait_for (session, "busy", FALSE);
  tl_session_assert_shown (session, fixture->scan, "3", "27");
}

static void
test_remembered (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlParameters *parameters = session->parameters;
  tl_parameters_set_slice (parameters, 5);
  tl_session_open (session, fixture->scan);
  tl_parameters_set_centre (parameters, 27.5); /* before the scan is open */
  tl_session_wait_for (session, "busy", FALSE);
  tl_session_assert_shown (session, fixture->scan, "5", "27.5");
}

/* The fitting parameters of a recipe are used, and a sentence names the others
 * until it is dismissed. */
static void
test_misfits (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlMessages *messages = session->messages;
  g_autofree char *path = tl_scratch_path (fixture->folder, "misfit.ini");
  g_autofree char *text =
      g_strdup_printf ("[scan]\npath=%s\n[recipe]\nslice=400\ncentre=9999\n"
                       "filter=hann\nphase=on\n",
                       fixture->scan);
  g_autofree char *message = NULL;
  g_autofree char *filter = NULL;
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  tl_session_open (session, path);
  tl_session_wait_for (session, "busy", FALSE);
  g_assert_nonnull (tl_display_get_frame (session->display));
  g_assert_cmpuint (tl_parameters_get_slice (session->parameters), ==, 9);
  g_assert_cmpfloat (tl_parameters_get_centre (session->parameters), ==, 30);
  filter =
      tl_recipe_get (tl_parameters_get_recipe (session->parameters), "filter");
  g_assert_cmpstr (filter, ==, "hann");
  tl_parameters_set_slice (session->parameters, 3);
  tl_session_wait_for (session, "busy", FALSE);
  g_object_get (messages, "message", &message, NULL);
  g_test_message ("%s", message);
  g_assert_nonnull (strstr (message, "there is no slice 400"));
  g_assert_nonnull (strstr (message, "centre 9999 is outside"));
  g_assert_nonnull (strstr (message, "phase"));
  g_assert_true (g_str_has_suffix (message, "the scan is open without this"));
  tl_messages_dismiss (session->messages);
  tl_session_assert_message (session, NULL);
}

/* Damages an image so that only reading its samples shows it: they are said to
 * be compressed. */
static void
damage_image (const char *folder, const char *name)
{
  static const char plain[] = "\x03\x01\x03\0\x01\0\0\0\x01";
  g_autofree char *path = tl_scratch_path (folder, name);
  g_autofree char *bytes = NULL;
  gsize n;
  g_assert_true (g_file_get_contents (path, &bytes, &n, NULL));
  char *tag = memmem (bytes, n, plain, sizeof plain - 1);
  g_assert_nonnull (tag);
  tag[sizeof plain - 2] = 8;
  g_assert_true (g_file_set_contents (path, bytes, (gssize)n, NULL));
}

/* Projections that cannot be read are left out of the scan that opens, and of
 * its recipe. They are not remembered as the user's choice. */
static void
test_damaged (TlFixture *fixture, gconstpointer data)
{
  static const char *const damaged[] = { "p005.tiff", "p006.tiff", "p007.tiff",
                                         "p012.tiff" };
  TlSession *session = fixture->session;
  g_autofree char *images = tl_scratch_path (fixture->folder, "images");
  g_autofree char *message = NULL;
  g_assert_cmpint (g_mkdir (images, 0700), ==, 0);
  tl_scratch_images (images, "p", 20, 8, 16, 1);
  for (size_t k = 0; k < G_N_ELEMENTS (damaged); k++)
    damage_image (images, damaged[k]);
  tl_session_open (session, images);
  tl_session_wait_for (session, "busy", FALSE);
  const TlScanSummary *scan = tl_scan_source_get_summary (session->source);
  g_object_get (session->messages, "message", &message, NULL);
  g_test_message ("%s", message);
  g_assert_nonnull (scan);
  g_assert_cmpuint (scan->n_projections, ==, 16);
  g_autofree char *left_out = tl_recipe_get (
      tl_parameters_get_recipe (session->parameters), "leave-out");
  g_assert_cmpstr (left_out, ==, "5:7,12");
  g_assert_nonnull (
      strstr (message, "left out: 5:7,12; the first: p005.tiff: "));

  g_autoptr (TlSession) next = tl_session_new ();
  tl_session_open (next, images);
  tl_session_wait_for (next, "busy", FALSE);
  tl_session_assert_message (next, "the first: p005.tiff");
}

/* Compresses the projections one by one, and makes the checksum of the 12th
 * wrong. Returns: %FALSE, and the case is skipped, without h5py */
static gboolean
spoil_checksum (const char *path)
{
  static const char script[] =
      "import sys\n"
      "try:\n"
      "    import h5py\n"
      "except ImportError:\n"
      "    sys.exit(77)\n"
      "with h5py.File(sys.argv[1], 'r+') as f:\n"
      "    data = f['/exchange/data'][...]\n"
      "    del f['/exchange/data']\n"
      "    made = f.create_dataset('/exchange/data', data=data,\n"
      "        chunks=(1, *data.shape[1:]), compression='gzip')\n"
      "    f.flush()\n"
      "    info = made.id.get_chunk_info(12)\n"
      "with open(sys.argv[1], 'r+b') as f:\n"
      "    f.seek(info.byte_offset + info.size - 4)\n"
      "    checksum = f.read(4)\n"
      "    f.seek(-4, 1)\n"
      "    f.write(bytes(255 - b for b in checksum))\n";
  const char *const line[] = { "/usr/bin/python3", "-c", script, path, NULL };
  return tl_run_or_skip (line);
}

static gboolean
is_without_damaged (TlSession *session)
{
  return tl_scan_source_get_summary (session->source)->n_projections
         == N_PROJECTIONS - 1;
}

static gboolean
is_surveyed (TlSession *session)
{
  return tl_scan_source_get_summary (session->source)->is_surveyed;
}

static gboolean
is_whole_again (TlSession *session)
{
  const TlScanSummary *scan = tl_scan_source_get_summary (session->source);
  return scan->n_projections == N_PROJECTIONS && scan->is_surveyed;
}

static void
find_damaged (TlSession *session, const char *scan)
{
  tl_session_open (session, scan);
  tl_session_wait_for (session, "busy", FALSE);
  tl_session_wait_until (session, is_without_damaged);
  tl_session_wait_for (session, "busy", FALSE);
  tl_session_assert_value (session, "leave-out", "12");
  tl_session_assert_message (session, "left out: 12; the first: ");
}

/* A wrong checksum at the end of an image is found after the first picture.
 * Then the image is left out, too, once. It is not noted as a choice of the
 * user. */
static void
test_checksum (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  if (!spoil_checksum (fixture->scan))
    return;
  find_damaged (session, fixture->scan);
  g_autoptr (TlSession) next = tl_session_new ();
  find_damaged (next, fixture->scan);
  tl_session_change (session, "leave-out", "");
  tl_session_wait_until (session, is_whole_again);
  tl_session_wait_for (session, "busy", FALSE);
  g_assert_true (is_whole_again (session));

  /* the user has taken it back, whatever else is left out */
  tl_session_change (session, "leave-out", "5");
  tl_session_wait_for (session, "busy", FALSE);
  tl_session_wait_until (session, is_surveyed);
  tl_session_wait_for (session, "busy", FALSE);
  tl_session_assert_value (session, "leave-out", "5");
}

static void
test_other_scan (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlParameters *parameters = session->parameters;
  g_autofree char *other =
      tl_scratch_phantom (fixture->folder, "other.h5", 11, 3, 17);
  tl_fixture_open_scan (fixture);
  tl_parameters_set_centre (parameters, 40);
  tl_parameters_set_slice (parameters, 18);
  g_assert_true (tl_parameters_set (parameters, "filter", "hann", NULL));
  tl_session_open (session, other);
  tl_session_wait_for (session, "busy", FALSE);
  tl_session_assert_message (session, NULL);
  g_autofree char *filter =
      tl_recipe_get (tl_parameters_get_recipe (parameters), "filter");
  g_assert_cmpstr (filter, ==, "hann");
  g_assert_cmpfloat (tl_parameters_get_centre (parameters), ==, 8);
  g_assert_cmpuint (tl_parameters_get_slice (parameters), ==, 1);
}

static void
assert_notice (TlSession *session, const char *words)
{
  g_autofree char *notice = NULL;
  g_object_get (session->messages, "notice", &notice, NULL);
  g_test_message ("%s", notice);
  if (words != NULL)
    g_assert_nonnull (strstr (notice, words));
  else
    g_assert_null (notice);
}

static void
assert_zingers (TlSession *session, const char *value)
{
  g_autofree char *zingers =
      tl_recipe_get (tl_parameters_get_recipe (session->parameters), "zingers");
  g_assert_cmpstr (zingers, ==, value);
}

/* Corrections are those of one scan. */
static void
test_corrections (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_autofree char *other =
      tl_scratch_phantom (fixture->folder, "other.h5", 11, 3, 17);
  tl_fixture_open_scan (fixture);
  tl_session_change (session, "zingers", "on");
  tl_session_change (session, "rings", "sorting");
  tl_session_open (session, fixture->scan);
  tl_session_wait_for (session, "busy", FALSE);
  assert_zingers (session, "on");
  assert_notice (session, NULL);
  tl_session_open (session, other);
  tl_session_wait_for (session, "busy", FALSE);
  assert_zingers (session, "off");
  assert_notice (session, "another scan: Zingers, Rings");
}

/* Read again, a scan keeps its parameters, unless another one has its name. */
static void
test_reload (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlParameters *parameters = session->parameters;
  g_autofree char *other =
      tl_scratch_phantom (fixture->folder, "other.h5", 11, 3, 17);
  struct utimbuf long_ago = { 1000, 1000 };
  tl_session_reload (session); /* nothing */
  tl_fixture_open_scan (fixture);
  tl_parameters_set_centre (parameters, 40);
  tl_session_change (session, "zingers", "on");
  const guint64 serial = tl_scan_source_get_serial (session->source);
  tl_session_reload (session);
  tl_session_wait_for (session, "busy", FALSE);
  g_assert_cmpuint (tl_scan_source_get_serial (session->source), !=, serial);
  g_assert_cmpfloat (tl_parameters_get_centre (parameters), ==, 40);
  assert_notice (session, NULL);

  g_assert_cmpint (g_utime (fixture->scan, &long_ago), ==, 0);
  tl_session_reload (session);
  tl_session_wait_for (session, "busy", FALSE);
  g_assert_cmpfloat (tl_parameters_get_centre (parameters), ==, 40);
  assert_zingers (session, "on");
  assert_notice (session, "has changed since it was opened");

  g_assert_cmpint (g_rename (other, fixture->scan), ==, 0);
  tl_session_reload (session);
  tl_session_wait_for (session, "busy", FALSE);
  g_assert_cmpfloat (tl_parameters_get_centre (parameters), ==, 8);
  assert_zingers (session, "off");
  assert_notice (session, "now holds another scan");

  g_assert_cmpint (g_unlink (fixture->scan), ==, 0);
  tl_session_reload (session);
  tl_session_wait_for (session, "busy", FALSE);
  tl_session_assert_message (session, "No such file");
  g_assert_true (tl_scan_source_is_open (session->source));
}

/* Writes @from over @to, which stays the same file. */
static void
copy_over (const char *from, const char *to)
{
  g_autofree char *bytes = NULL;
  gsize n;
  g_assert_true (g_file_get_contents (from, &bytes, &n, NULL));
  FILE *file = g_fopen (to, "w");
  g_assert_cmpuint (fwrite (bytes, 1, n, file), ==, n);
  g_assert_cmpint (fclose (file), ==, 0);
}

static char *
write_phantom (TlFixture *fixture, const char *name, size_t n_projections,
               size_t n_cols, guint32 seed)
{
  g_autoptr (GError) error = NULL;
  char *path = tl_scratch_path (fixture->folder, name);
  TlPhantomScan scan;
  tl_phantom_scan_init (&scan, n_projections, N_ROWS, n_cols);
  scan.noise_counts = 10000;
  scan.seed = seed;
  tl_phantom_write_scan (path, &scan, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  return path;
}

/* Another scan may be written into the file of the open one. */
static void
test_overwritten (TlFixture *fixture, gconstpointer data)
{
  static const struct
  {
    size_t n_projections, n_cols;
    guint32 seed;
    gboolean is_other;
  } cases[] = {
    { N_PROJECTIONS, N_COLS, 2, TRUE },     /* the same shape and angles */
    { N_PROJECTIONS, N_COLS + 4, 2, TRUE }, /* another shape */
    { 11, N_COLS + 4, 3, TRUE },            /* nothing to be left out */
    { 11, N_COLS + 4, 3, FALSE },
  };
  TlSession *session = fixture->session;
  TlParameters *parameters = session->parameters;
  tl_fixture_open_scan (fixture);
  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *other =
          write_phantom (fixture, "other.h5", cases[i].n_projections,
                         cases[i].n_cols, cases[i].seed);
      tl_parameters_set_centre (parameters, 20);
      tl_session_change (session, "zingers", "on");
      if (cases[i].is_other)
        tl_session_change (session, "leave-out", "10:12");
      copy_over (other, fixture->scan);
      tl_session_reload (session);
      tl_session_wait_for (session, "busy", FALSE);
      tl_session_assert_message (session, NULL);
      g_assert_cmpfloat (tl_parameters_get_centre (parameters), ==,
                         cases[i].is_other ? (double)(cases[i].n_cols - 1) / 2
                                           : 20);
      assert_zingers (session, cases[i].is_other ? "off" : "on");
      assert_notice (session, cases[i].is_other
                                  ? "now holds another scan"
                                  : "has changed since it was opened");
    }
}

/* The images of a folder may be written again, each in its place. */
static void
test_overwritten_images (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlParameters *parameters = session->parameters;
  g_autofree char *first =
      write_phantom (fixture, "first.h5", N_PROJECTIONS, N_COLS, 1);
  g_autofree char *second =
      write_phantom (fixture, "second.h5", N_PROJECTIONS, N_COLS, 2);
  g_autofree char *images = tl_scratch_decoys (fixture->folder, first);
  struct utimbuf long_ago = { 1000, 1000 };
  if (images == NULL)
    return;
  g_autofree char *image = tl_scratch_path (images, "proj_0004.tif");
  tl_session_open (session, images);
  tl_session_wait_for (session, "busy", FALSE);
  tl_parameters_set_centre (parameters, 20);
  tl_session_reload (session);
  tl_session_wait_for (session, "busy", FALSE);
  assert_notice (session, NULL);
  copy_over (image, image);
  tl_session_reload (session);
  tl_session_wait_for (session, "busy", FALSE);
  assert_notice (session, "has changed since it was opened");
  g_assert_cmpfloat (tl_parameters_get_centre (parameters), ==, 20);
  g_free (tl_scratch_decoys (fixture->folder, second));
  g_assert_cmpint (g_utime (images, &long_ago), ==, 0);
  tl_session_reload (session);
  tl_session_wait_for (session, "busy", FALSE);
  assert_notice (session, "now holds another scan");
  g_assert_cmpfloat (tl_parameters_get_centre (parameters), ==,
                     (N_COLS - 1) / 2.);
}

/* A dataset of a file is opened as FILE:/path, and forgotten with the file. */
static void
test_inside (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  const TlRecipe *recipe;
  g_autofree char *other =
      tl_scratch_phantom (fixture->folder, "other.h5", 11, 3, 17);
  g_autofree char *named =
      g_strconcat (fixture->scan, ":/exchange/data_white", NULL);
  tl_session_open (session, named);
  tl_session_wait_for (session, "busy", FALSE);
  const TlScanSummary *scan = tl_scan_source_get_summary (session->source);
  g_assert_cmpstr (scan->path, ==, fixture->scan);
  g_assert_cmpuint (scan->n_projections, <, N_PROJECTIONS);
  g_assert_cmpuint (scan->n_flats, ==, 0);
  recipe = tl_parameters_get_recipe (session->parameters);
  g_assert_cmpstr (recipe->data_path, ==, "/exchange/data_white");
  tl_session_open (session, other);
  tl_session_wait_for (session, "busy", FALSE);
  tl_session_assert_shown (session, other, "1", "8");
  recipe = tl_parameters_get_recipe (session->parameters);
  g_assert_null (recipe->data_path);
}

static void
test_newest_open_wins (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_autofree char *other =
      tl_scratch_phantom (fixture->folder, "other.h5", 11, 3, 17);
  for (int k = 0; k < 10; k++)
    {
      tl_session_open (session, fixture->scan);
      tl_session_open (session, other);
    }
  tl_session_wait_for (session, "busy", FALSE);
  g_assert_cmpstr (tl_scan_source_get_summary (session->source)->path, ==,
                   other);
  tl_session_assert_shown (session, other, "1", "8");
  tl_session_assert_message (session, NULL);
}

/* A key of the reader opens the scan again. */
static void
test_angles (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlParameters *parameters = session->parameters;
  tl_fixture_open_scan (fixture);
  tl_parameters_set_slice (parameters, 3);
  g_assert_true (tl_parameters_set (parameters, "flat-field", "off", NULL));
  tl_session_change (session, "angles", "10:90");
  const TlScanSummary *scan = tl_scan_source_get_summary (session->source);
  g_assert_cmpfloat_with_epsilon (scan->first_angle_deg, 10, 1e-9);
  g_assert_cmpfloat_with_epsilon (scan->last_angle_deg, 90, 1e-9);
  g_assert_cmpuint (tl_parameters_get_slice (parameters), ==, 3);
  g_autofree char *flat_field =
      tl_recipe_get (tl_parameters_get_recipe (parameters), "flat-field");
  g_assert_cmpstr (flat_field, ==, "off");
  g_assert_true (tl_parameters_set (parameters, "angles", "", NULL));
  tl_session_change (session, "angles-file", "missing.txt");
  tl_session_assert_message (session, "missing.txt");
  g_autofree char *file =
      tl_recipe_get (tl_parameters_get_recipe (parameters), "angles-file");
  g_assert_cmpstr (file, ==, "");
}

static void
assert_angles (TlSession *session, const char *value)
{
  g_autofree char *angles =
      tl_recipe_get (tl_parameters_get_recipe (session->parameters), "angles");
  g_assert_cmpstr (angles, ==, value);
}

/* The angles that a user has given a scan are there again after another one,
 * and in the next session, until they are taken away. */
static void
test_angles_again (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_autofree char *other =
      tl_scratch_phantom (fixture->folder, "[other].h5", 11, 3, 17);
  tl_fixture_open_scan (fixture);
  tl_session_change (session, "angles", "10:90");
  tl_session_open (session, other);
  tl_session_wait_for (session, "busy", FALSE);
  assert_angles (session, "");
  assert_notice (session, NULL);
  tl_session_change (session, "angles", "0:45");
  tl_session_open (session, fixture->scan);
  tl_session_wait_for (session, "busy", FALSE);
  assert_angles (session, "10:90");
  assert_notice (session, "taken over from last time: its angles");

  g_autoptr (TlSession) next = tl_session_new ();
  tl_session_open (next, other);
  tl_session_wait_for (next, "busy", FALSE);
  assert_angles (next, "0:45");
  tl_session_change (next, "angles", "");
  tl_session_open (next, fixture->scan);
  tl_session_wait_for (next, "busy", FALSE);
  tl_session_open (next, other);
  tl_session_wait_for (next, "busy", FALSE);
  assert_angles (next, "");
}

/* The angles that the empty field shows change nothing if they are typed:
 * like the parameter, they are those of all projections. They are in words if
 * no first and last angle of the scan says them. */
static void
test_hint (TlFixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *angles, *leave_out, *hint;
    double first, last;
  } cases[] = {
    { "0 20 40 60 80 100 120 140 160", "0,7:8", "0:160", 20, 120 },
    { "160 140 120 100 80 60 40 20 0", "0:1,8", "160:0", 120, 20 },
    { "nan 20 40 60 80 100 120 140 160", "8", "20° to 140°", 20, 140 },
    { "0 20 40 60 80 100 120 140 0", "8", "0° to 140°", 0, 140 },
  };
  TlSession *session = fixture->session;
  g_autofree char *other =
      tl_scratch_phantom (fixture->folder, "other.h5", 9, 3, 17);
  g_autofree char *file = tl_scratch_path (fixture->folder, "angles.txt");
  tl_session_open (session, other);
  tl_session_wait_for (session, "busy", FALSE);
  for (size_t k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      g_assert_true (g_file_set_contents (file, cases[k].angles, -1, NULL));
      tl_session_change (session, "leave-out", "");
      tl_session_change (session, "angles-file", file);
      tl_session_change (session, "leave-out", cases[k].leave_out);
      const TlScanSummary *scan = tl_scan_source_get_summary (session->source);
      g_autofree char *hint = tl_scan_summary_dup_example (scan);
      g_assert_cmpstr (hint, ==, cases[k].hint);
      tl_session_change (session, "angles-file", "");
      if (strchr (hint, ':') == NULL)
        continue;
      tl_session_change (session, "angles", hint);
      scan = tl_scan_source_get_summary (session->source);
      g_assert_cmpfloat_with_epsilon (scan->first_angle_deg, cases[k].first,
                                      1e-9);
      g_assert_cmpfloat_with_epsilon (scan->last_angle_deg, cases[k].last,
                                      1e-9);
      tl_session_change (session, "angles", "");
    }
}

static void
assert_left_out (TlSession *session, const char *value)
{
  tl_session_wait_for (session, "busy", FALSE);
  tl_session_assert_message (session, NULL);
  tl_session_assert_value (session, "leave-out", value);
}

/* So are the projections that were left out, unless they do not fit any more.
 */
static void
test_left_out_again (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_autofree char *other =
      tl_scratch_phantom (fixture->folder, "other.h5", 11, 3, 17);
  tl_session_open (session, other);
  tl_session_wait_for (session, "busy", FALSE);
  tl_session_change (session, "leave-out", "2,9");
  tl_fixture_open_scan (fixture);
  assert_left_out (session, "");
  tl_session_open (session, other);
  assert_left_out (session, "2,9");
  assert_notice (session,
                 "taken over from last time: the projections left out");
  g_assert_cmpuint (tl_scan_source_get_summary (session->source)->n_projections,
                    ==, 9);

  tl_fixture_open_scan (fixture);
  g_free (tl_scratch_phantom (fixture->folder, "other.h5", 9, 3, 17));
  tl_session_open (session, other);
  assert_left_out (session, "");
  assert_notice (session, "those that you left out last time (2,9) do not fit");
  tl_fixture_open_scan (fixture);
  tl_session_open (session, other);
  assert_left_out (session, "");
  assert_notice (session, NULL);

  /* another scan of as many projections has the name now */
  tl_session_change (session, "leave-out", "4");
  tl_fixture_open_scan (fixture);
  g_free (tl_scratch_phantom (fixture->folder, "other.h5", 9, 3, 17));
  tl_session_open (session, other);
  assert_left_out (session, "");
  assert_notice (session, "has changed since you left out 4");
  g_assert_cmpuint (tl_scan_source_get_summary (session->source)->n_projections,
                    ==, 9);
  tl_fixture_open_scan (fixture);
  tl_session_open (session, other);
  assert_left_out (session, "");
  assert_notice (session, NULL);

  /* what the user says now is not what is remembered */
  tl_session_change (session, "leave-out", "2");
  tl_fixture_open_scan (fixture);
  tl_session_open (session, other);
  g_assert_true (tl_session_set_opening (session, "leave-out", "9", NULL));
  tl_session_wait_for (session, "busy", FALSE);
  tl_session_assert_message (session, "cannot be left out");
}

/* --- raw samples --- */

static void
write_raw (const char *path, size_t n_samples)
{
  g_autofree guint16 *samples = g_new (guint16, n_samples);
  for (size_t k = 0; k < n_samples; k++)
    samples[k] = (guint16)(1000 + k % 97);
  g_assert_true (g_file_set_contents (path, (const char *)samples,
                                      (gssize)(2 * n_samples), NULL));
}

/* Returns: what the user may say against the message */
static guint
get_asked (TlSession *session)
{
  guint asks;
  g_object_get (session->messages, "asks", &asks, NULL);
  return asks;
}

static void
assert_found (TlSession *session, const char *path, const char *want)
{
  TlRawLayout layout = { 0 };
  guint64 size;
  g_assert_cmpstr (tl_session_find_raw (session, &size, &layout), ==, path);
  g_autofree char *found = tl_raw_layout_format (&layout);
  g_assert_cmpstr (found, ==, want);
}

static void
open_raw (TlSession *session, const char *path, const char *text)
{
  TlRawLayout layout;
  g_autoptr (GError) error = NULL;
  g_assert_true (tl_raw_layout_parse (text, &layout, NULL));
  tl_session_open_raw (session, path, &layout, &error);
  g_assert_no_error (error);
  tl_session_wait_for (session, "busy", FALSE);
}

static void
assert_raw (TlSession *session, size_t n_projections, size_t n_rows,
            size_t n_cols)
{
  const TlScanSummary *scan = tl_scan_source_get_summary (session->source);
  tl_session_assert_message (session, NULL);
  g_assert_cmpuint (get_asked (session), ==, TL_ASKS_NOTHING);
  g_assert_cmpuint (scan->n_projections, ==, n_projections);
  g_assert_cmpuint (scan->n_rows, ==, n_rows);
  g_assert_cmpuint (scan->n_cols, ==, n_cols);
}

/* A file of no known format is opened as the user describes it, and again after
 * another scan; the description can be corrected. */
static void
test_raw (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_autofree char *path = tl_scratch_path (fixture->folder, "a.bin");
  write_raw (path, 20 * 20 * 31);
  g_assert_false (tl_session_can_describe_raw (session));
  tl_session_open (session, path);
  g_assert_true (tl_session_set_opening (session, "angles", "0:90", NULL));
  tl_session_wait_for (session, "busy", FALSE);
  tl_session_assert_message (session, "neither a file of a known format");
  tl_session_assert_message (session, "press “Describe Raw File…”");
  g_assert_cmpuint (get_asked (session), ==, TL_ASKS_RAW);
  assert_found (session, path, "20x20x31:uint16le");
  open_raw (session, path, "20x20x31:uint16be");
  assert_raw (session, 31, 20, 20);
  tl_session_assert_value (session, "raw", "20x20x31:uint16be");
  assert_angles (session, "0:90");

  g_assert_true (tl_session_can_describe_raw (session));
  assert_found (session, path, "20x20x31:uint16be");
  tl_parameters_set_slice (session->parameters, 18);
  open_raw (session, path, "40x10x31:uint16le");
  assert_raw (session, 31, 10, 40);
  assert_angles (session, "0:90");

  /* A message about another file comes first, until it is closed. */
  g_autofree char *other = tl_scratch_path (fixture->folder, "b.bin");
  write_raw (other, 7);
  tl_session_open (session, other);
  tl_session_wait_for (session, "busy", FALSE);
  assert_found (session, other, "2048x2048x1:uint16le");
  tl_messages_dismiss (session->messages);
  assert_found (session, path, "40x10x31:uint16le");

  tl_fixture_open_scan (fixture);
  tl_session_assert_value (session, "raw", "");
  g_assert_false (tl_session_can_describe_raw (session));
  tl_session_open (session, path);
  tl_session_wait_for (session, "busy", FALSE);
  assert_raw (session, 31, 10, 40);
  assert_notice (session, "how its samples are stored");
}

/* Writes the only chunk of @folder/data in place, where it may be already. */
static void
write_chunk (const char *folder, float first)
{
  float samples[11 * 3 * 17];
  g_autofree char *path = g_build_filename (folder, "data", "0.0.0", NULL);
  for (size_t k = 0; k < G_N_ELEMENTS (samples); k++)
    samples[k] = first + (float)(k % 7) / 100;
  FILE *file = g_fopen (path, "w");
  g_assert_nonnull (file);
  g_assert_cmpuint (fwrite (samples, sizeof samples, 1, file), ==, 1);
  g_assert_cmpint (fclose (file), ==, 0);
}

/* A chunk written again in place changes no folder, but the scan. */
static void
test_chunk_changed (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  const struct utimbuf later = { 2000000000, 2000000000 };
  g_autofree char *scan = g_build_filename (fixture->folder, "scan.zarr", NULL);
  g_autofree char *array = g_build_filename (scan, "data", NULL);
  g_autofree char *group = g_build_filename (scan, ".zgroup", NULL);
  g_autofree char *metadata = g_build_filename (array, ".zarray", NULL);
  g_autofree char *chunk = g_build_filename (array, "0.0.0", NULL);
  if (tl_lacks_format ("Zarr"))
    return;
  g_assert_cmpint (g_mkdir_with_parents (array, 0700), ==, 0);
  g_assert_true (g_file_set_contents (group, "{\"zarr_format\": 2}", -1, NULL));
  g_assert_true (g_file_set_contents (
      metadata,
      "{\"zarr_format\": 2, \"shape\": [11, 3, 17], \"chunks\": [11, 3, "
      "17], \"dtype\": \"<f4\", \"compressor\": null, \"fill_value\": 0, "
      "\"order\": \"C\", \"filters\": null}",
      -1, NULL));
  write_chunk (scan, 0.1f);
  /* who does not ask for the change does not wait for each chunk's */
  g_autoptr (TlReader) reader = tl_reader_open (scan, NULL, NULL);
  g_assert_nonnull (reader);
  const TlScanInfo *info = tl_reader_get_info (reader);
  g_assert_cmpint (info->changed_us, ==, 0);
  tl_reader_look_for_change (reader);
  g_assert_cmpint (info->changed_us, >, 0);
  tl_session_open (session, scan);
  tl_session_wait_for (session, "busy", FALSE);
  tl_session_change (session, "leave-out", "4");
  tl_fixture_open_scan (fixture);
  tl_session_open (session, scan);
  assert_left_out (session, "4");

  tl_fixture_open_scan (fixture);
  write_chunk (scan, 0.2f);
  g_assert_cmpint (g_utime (chunk, &later), ==, 0);
  tl_session_open (session, scan);
  assert_left_out (session, "");
  assert_notice (session, "has changed since you left out 4");
}

/* A file that has another size now is described again. */
static void
test_raw_changed (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlRawLayout layout;
  g_autoptr (GError) error = NULL;
  g_autofree char *path = tl_scratch_path (fixture->folder, "a.bin");
  write_raw (path, 20 * 20 * 31);
  tl_session_open (session, path);
  tl_session_wait_for (session, "busy", FALSE);
  open_raw (session, path, "20x20x31:uint16le");
  tl_fixture_open_scan (fixture);
  write_raw (path, 20 * 20 * 30);
  tl_session_open (session, path);
  tl_session_wait_for (session, "busy", FALSE);
  tl_session_assert_message (session, "31 images of 20 x 20 pixels");
  g_assert_cmpuint (get_asked (session), ==, TL_ASKS_RAW);
  assert_found (session, path, "20x20x31:uint16le");
  open_raw (session, path, "20x20x30:uint16le");
  assert_raw (session, 30, 20, 20);

  /* the dialog may ask for a file that is not that of the message any more */
  g_assert_true (tl_raw_layout_parse ("20x20:uint16le", &layout, NULL));
  g_assert_false (
      tl_session_open_raw (session, fixture->scan, &layout, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_VALUE);

  /* an empty file, a missing one and a folder cannot be described */
  write_raw (path, 0);
  g_autofree char *missing = tl_scratch_path (fixture->folder, "missing");
  const char *const others[] = { path, missing, fixture->folder };
  tl_fixture_open_scan (fixture);
  for (size_t k = 0; k < G_N_ELEMENTS (others); k++)
    {
      g_autoptr (TlSession) next = tl_session_new ();
      if (k == 0) /* what is remembered does not fit it, and is forgotten */
        {
          tl_session_open (next, path);
          tl_session_wait_for (next, "busy", FALSE);
          g_assert_cmpuint (get_asked (next), ==, TL_ASKS_RAW);
        }
      tl_session_open (next, others[k]);
      tl_session_wait_for (next, "busy", FALSE);
      g_assert_cmpuint (get_asked (next), ==, TL_ASKS_NOTHING);
      g_assert_false (tl_session_can_describe_raw (next));
    }
}

/* Options of the command line apply to the scan being opened and override the
 * parameters of the previous one. */
static void
test_set_opening (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_autofree char *other = tl_scratch_path (fixture->folder, "other.h5");
  g_autoptr (GError) error = NULL;
  g_assert_false (tl_session_set_opening (session, "slice", "3", &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_VALUE);
  tl_fixture_open_scan (fixture);
  g_autoptr (GFile) from = g_file_new_for_path (fixture->scan);
  g_autoptr (GFile) to = g_file_new_for_path (other);
  g_assert_true (g_file_copy (from, to, 0, NULL, NULL, NULL, NULL));
  tl_session_open (session, other);
  g_assert_true (tl_session_set_opening (session, "angles", "0:90", NULL));
  g_assert_true (tl_session_set_opening (session, "centre", "29.5", NULL));
  g_assert_true (tl_session_set_opening (session, "slice", "3", NULL));
  g_assert_false (tl_session_set_opening (session, "slice", "x", NULL));
  tl_session_wait_for (session, "busy", FALSE);
  tl_session_assert_message (session, NULL);
  const TlScanSummary *scan = tl_scan_source_get_summary (session->source);
  g_assert_cmpstr (scan->path, ==, other);
  g_assert_cmpfloat (scan->last_angle_deg, ==, 90);
  g_assert_cmpfloat (tl_parameters_get_centre (session->parameters), ==, 29.5);
  g_assert_cmpuint (tl_parameters_get_slice (session->parameters), ==, 3);
}

static void
change_bin (TlSession *session, const char *bin)
{
  tl_session_change (session, "bin", bin);
  tl_session_wait_for (session, "busy", FALSE);
  tl_session_assert_message (session, NULL);
}

/* The open scan, opened again in bins: centre, slice and pixel size are those
 * of the same place, given or assumed. */
static void
test_bins (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlParameters *parameters = session->parameters;
  const TlRecipe *recipe;
  tl_fixture_open_scan (fixture);
  g_assert_true (tl_parameters_is_centre_assumed (parameters));
  change_bin (session, "3");
  g_assert_true (tl_parameters_is_centre_assumed (parameters));
  g_assert_cmpfloat (tl_parameters_get_centre (parameters), ==, (30 - 1) / 3.0);
  change_bin (session, "1");
  tl_session_change (session, "centre", "31.5");
  tl_session_change (session, "pixel-size", "8");
  tl_session_change (session, "slice", "18");
  change_bin (session, "2");
  recipe = tl_parameters_get_recipe (parameters);
  g_assert_cmpfloat (recipe->params.centre_col, ==, (31.5 - 0.5) / 2);
  g_assert_cmpfloat (recipe->params.phase.pixel_um, ==, 16);
  g_assert_cmpuint (recipe->slice, ==, N_ROWS / 2 - 1);
  g_assert_false (tl_parameters_is_centre_assumed (parameters));
  change_bin (session, "1");
  recipe = tl_parameters_get_recipe (parameters);
  g_assert_cmpfloat (recipe->params.centre_col, ==, 31.5);
  g_assert_cmpfloat (recipe->params.phase.pixel_um, ==, 8);
  /* a centre that was found is looked for again, from its place on */
  tl_parameters_note_found_centre (parameters, 31.5, TRUE);
  change_bin (session, "2");
  g_assert_true (tl_parameters_is_centre_found (parameters));
  g_assert_cmpfloat (tl_parameters_get_centre (parameters), ==, 15.5);
  /* also if they change again while the scan is opened in those before */
  g_assert_true (tl_parameters_set (parameters, "bin", "1", NULL));
  g_assert_true (tl_parameters_set (parameters, "bin", "4", NULL));
  tl_session_wait_for (session, "busy", FALSE);
  g_assert_cmpfloat (tl_parameters_get_centre (parameters), ==, 7.5);
  recipe = tl_parameters_get_recipe (parameters);
  g_assert_cmpfloat (recipe->params.phase.pixel_um, ==, 32);
}

/* An export goes on with the scan and the parameters that it was given, while
 * another scan is opened. */
static void
test_export_of_previous_scan (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_autofree char *other = tl_scratch_path (fixture->folder, "other.h5");
  g_autofree char *folder = tl_scratch_path (fixture->folder, "slices");
  g_autofree char *recipe_path = tl_scratch_path (folder, "recipe.ini");
  g_autofree char *scan_path = NULL;
  tl_fixture_open_scan (fixture);
  g_autoptr (GFile) from = g_file_new_for_path (fixture->scan);
  g_autoptr (GFile) to = g_file_new_for_path (other);
  g_assert_true (g_file_copy (from, to, 0, NULL, NULL, NULL, NULL));
  tl_session_open (session, other);
  tl_session_export (session->exporter, folder, 0, 2);
  tl_session_wait_for (session, "busy", FALSE);
  tl_session_wait_for (session, "running", FALSE);
  tl_session_assert_message (session, NULL);
  g_autoptr (TlRecipe) recipe = tl_recipe_load (recipe_path, &scan_path, NULL);
  g_assert_nonnull (recipe);
  g_assert_cmpstr (scan_path, ==, fixture->scan);
}

/* What comes too late or makes no sense is refused in words, and changes
 * nothing. */
static void
test_refused_words (TlFixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *expected, *angles, *kinds, *says;
  } cases[] = {
    { "many", "", "", "are whole numbers up to" },
    { ",,", "", "bones", "not \"bones\"" },
    { ",,", "0:half", "", "half" },
  };
  TlSession *session = fixture->session;
  GError *error = NULL;
  tl_fixture_open_scan (fixture);
  g_assert_false (tl_session_open_with_angles (session, "0:180", &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_VALUE);
  g_clear_error (&error);
  g_assert_false (tl_session_set_opening (session, "angles", "0:180", &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_VALUE);
  g_clear_error (&error);
  for (size_t k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      g_assert_false (tl_session_follow_address (
          session, "zmq+json://127.0.0.1:9", cases[k].expected, cases[k].angles,
          cases[k].kinds, &error));
      g_assert_error (error, TL_ERROR, TL_ERROR_VALUE);
      g_test_message ("%s", error->message);
      g_assert_nonnull (strstr (error->message, cases[k].says));
      g_clear_error (&error);
    }
  g_assert_null (tl_growth_get_name (session->growth));
  tl_session_assert_shown (session, fixture->scan, "9", "30");
}

/* HDF5 may end the process that tries a file first; the session goes on. */
static void
test_damaged_hdf5 (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  tl_trial_begin (NULL);
  for (size_t k = 0; k < TL_N_DAMAGED; k++)
    {
      g_autofree char *path = tl_scratch_damaged (fixture->folder, k);
      tl_session_open (session, path);
      tl_session_wait_for (session, "busy", FALSE);
      if (!tl_scan_source_is_open (session->source))
        tl_session_assert_message (session, "copy it again");
    }
  tl_fixture_open_scan (fixture);
  tl_session_assert_shown (session, fixture->scan, "9", "30");
}

int
main (int argc, char **argv)
{
  static const TlFixtureCase cases[] = {
    { "/opening/refused-words", test_refused_words },
    { "/opening/open", test_open },
    { "/opening/large", test_large },
    { "/opening/surveyed", test_surveyed },
    { "/opening/bad-files", test_bad_files },
    { "/opening/request-outlives-bad-open", test_request_outlives_bad_open },
    { "/opening/remembered", test_remembered },
    { "/opening/misfits", test_misfits },
    { "/opening/damaged", test_damaged },
    { "/opening/checksum", test_checksum },
    { "/opening/other-scan", test_other_scan },
    { "/opening/corrections", test_corrections },
    { "/opening/reload", test_reload },
    { "/opening/overwritten", test_overwritten },
    { "/opening/overwritten-images", test_overwritten_images },
    { "/opening/inside", test_inside },
    { "/opening/newest-open-wins", test_newest_open_wins },
    { "/opening/angles", test_angles },
    { "/opening/angles-again", test_angles_again },
    { "/opening/hint", test_hint },
    { "/opening/left-out-again", test_left_out_again },
    { "/opening/raw", test_raw },
    { "/opening/chunk-changed", test_chunk_changed },
    { "/opening/raw-changed", test_raw_changed },
    { "/opening/set-opening", test_set_opening },
    { "/opening/bins", test_bins },
    { "/opening/export-of-previous-scan", test_export_of_previous_scan },
    /* the last: from then on HDF5 files are tried */
    { "/opening/damaged-hdf5", test_damaged_hdf5 },
  };
  return tl_fixture_run (argc, argv, tl_fixture_set_up, cases,
                         G_N_ELEMENTS (cases));
}
