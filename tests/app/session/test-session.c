/* The session and its worker, driven by a main loop as in the window. */
#include "app/export/outlook.h"
#include "app/session/session.h"

#include "app/recon/recon.h"
#include "data/error.h"
#include "data/read/hdf5/hdf5-private.h"
#include "tests/app/scratch.h"
#include "tests/app/session/session-fixture.h"
#include "tests/support/made-frame.h"
#include "tests/support/watchdog.h"

#include <glib/gstdio.h>

/* Of many quick requests the last one is shown. */
static void
test_newest_wins (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlParameters *parameters = session->parameters;
  tl_fixture_open_scan (fixture);
  for (int k = 0; k < 500; k++)
    {
      tl_parameters_set_centre (parameters, 25 + k / 100.);
      if (k % 50 == 0)
        g_main_context_iteration (NULL, FALSE);
    }
  tl_parameters_set_slice (parameters, 4);
  tl_parameters_set_centre (parameters, 28.25);
  tl_session_wait_for (session, "busy", FALSE);
  tl_session_assert_shown (session, fixture->scan, "4", "28.25");
  g_assert_cmpuint (fixture->n_frames, <, 400);
}

/* Pictures are shown during a drag: a request does not cancel the running
 * picture. */
static void
test_drag (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  tl_fixture_open_scan (fixture);
  const guint id =
      g_timeout_add_seconds (TL_PATIENCE_S, tl_lose_patience, NULL);
  for (int k = 0; fixture->n_frames < 5; k++)
    {
      tl_parameters_set_centre (session->parameters, 25 + k % 1000 / 1000.);
      g_main_context_iteration (NULL, FALSE);
    }
  g_source_remove (id);
}

static void
test_refused (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlParameters *parameters = session->parameters;
  g_autoptr (GError) error = NULL;
  tl_fixture_open_scan (fixture);
  tl_parameters_set_centre (parameters, 61);
  tl_session_assert_message (session, "scan.h5: centre 61");
  g_assert_cmpfloat (tl_parameters_get_centre (parameters), ==, 30);
  g_assert_false (tl_parameters_set (parameters, "slice", "19", &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_VALUE);
  g_clear_error (&error);
  g_assert_false (tl_parameters_set (parameters, "filter", "x", &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_VALUE);
  tl_parameters_set_slice (parameters, 1000); /* beyond the last slice */
  g_assert_cmpuint (tl_parameters_get_slice (parameters), ==, N_ROWS - 1);
  tl_messages_dismiss (session->messages);
  tl_session_assert_message (session, NULL);
}

/* A parameter that the engine does not support returns to its previous value.
 */
static void
test_unsupported (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlDisplay *display = session->display;
  tl_fixture_open_scan (fixture);
  TlFrame *frame = tl_display_get_frame (display);
  tl_session_change (session, "kernel", "hybrid");
  tl_session_assert_message (session, "hybrid");
  g_autofree char *value =
      tl_recipe_get (tl_parameters_get_recipe (session->parameters), "kernel");
  g_assert_cmpstr (value, ==, "auto");
  g_assert_true (tl_display_get_frame (display) == frame);
}

static void
test_no_engine (TlFixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TlEngine) cuda = tl_engine_open ("cuda", &error);
  if (cuda != NULL)
    {
      g_test_skip ("this machine has a CUDA engine");
      return;
    }
  tl_fixture_open_scan (fixture);
  tl_session_change (fixture->session, "engine", "cuda");
  tl_session_assert_message (fixture->session, "cuda");
  g_autofree char *value = tl_recipe_get (
      tl_parameters_get_recipe (fixture->session->parameters), "engine");
  g_assert_cmpstr (value, ==, "host");
}

/* A row that cannot be read gives a message and the previous row. */
static void
test_bad_row (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlDisplay *display = session->display;
  TlParameters *parameters = session->parameters;
  tl_fixture_open_bad_row (fixture);
  tl_session_assert_message (session, NULL);
  TlFrame *frame = tl_display_get_frame (display);
  tl_parameters_set_slice (parameters, 2);
  tl_session_wait_for (session, "busy", FALSE);
  tl_session_assert_message (session, "images");
  g_assert_true (tl_display_get_frame (display) == frame);
  g_assert_cmpuint (tl_parameters_get_slice (parameters), ==, 1);
}

static void
test_export (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlExporter *exporter = session->exporter;
  g_autofree char *folder = tl_scratch_path (fixture->folder, "volume");
  g_autofree char *second = tl_scratch_path (fixture->folder, "second");
  double progress;
  tl_session_export (exporter, folder, 0, 1);
  tl_session_assert_message (session, "no scan");
  tl_fixture_open_scan (fixture);
  tl_session_export (exporter, folder, 3, 12);
  g_autofree char *before = tl_exporter_dup_progress (exporter);
  g_assert_cmpstr (before, ==, "Exporting: Preparing the first slices…");
  tl_session_export (exporter, second, 3, 4);       /* waits */
  tl_parameters_set_slice (session->parameters, 7); /* goes on */
  tl_session_wait_for (session, "busy", FALSE);
  tl_session_wait_for (session, "running", FALSE);
  tl_session_assert_message (session, NULL);
  tl_session_assert_notice (session, "2 slices written to", second);
  g_object_get (exporter, "progress", &progress, NULL);
  g_assert_cmpfloat (progress, ==, 1);
  g_autofree char *names = tl_scratch_list (folder);
  g_assert_true (g_str_has_prefix (names, "recipe.ini\nrecon_00003.tiff\n"));
  g_assert_true (g_str_has_suffix (names, "recon_00012.tiff\nvolume.json\n"));
  tl_session_assert_shown (session, fixture->scan, "7", "30");
  tl_session_export (exporter, fixture->scan, 0, 1);
  tl_session_wait_for (session, "running", FALSE);
  tl_session_assert_message (session, "scan.h5");
  tl_session_assert_notice (session, NULL, NULL);
}

/* Previews keep coming while a volume is made, on the same processors. */
static void
test_previews_while_exporting (TlFixture *fixture, gconstpointer data)
{
  enum
  {
    SECONDS = 3,
    MIN_RATE = 5 /* per second */
  };
  TlSession *session = fixture->session;
  g_autofree char *folder = tl_scratch_path (fixture->folder, "volume");
  gboolean is_running;
  guint n_changes = 0;
  g_free (fixture->scan);
  fixture->scan =
      tl_scratch_phantom (fixture->folder, "large.h5", 256, 256, 512);
  tl_fixture_open_scan (fixture);
  tl_session_wait_for (session, "busy", FALSE);
  /* the method that takes long enough */
  tl_parameters_set (session->parameters, "method", "back-projection", NULL);
  tl_session_wait_for (session, "busy", FALSE);
  tl_session_export (session->exporter, folder, 0, 255);
  const guint n_before = fixture->n_frames;
  const gint64 start_us = g_get_monotonic_time ();
  do
    {
      g_autofree char *centre =
          g_strdup_printf ("%g", 250 + 0.125 * (n_changes++ % 80));
      const guint n = fixture->n_frames;
      tl_parameters_set (session->parameters, "centre", centre, NULL);
      while (fixture->n_frames == n)
        g_main_context_iteration (NULL, TRUE);
      g_object_get (session->exporter, "running", &is_running, NULL);
    }
  while (is_running
         && g_get_monotonic_time () - start_us < SECONDS * G_USEC_PER_SEC);
  const double rate = (double)(fixture->n_frames - n_before) * G_USEC_PER_SEC
                      / (double)(g_get_monotonic_time () - start_us);
  /* a GPU may have ended the export before */
  g_test_message ("%.1f previews a second", rate);
  g_assert_cmpfloat (rate * tl_watchdog_measure_slowness (), >=, MIN_RATE);
  tl_exporter_stop (session->exporter);
}

/* --- the queue of exports --- */

static char *
dup_status (TlExportRun *run)
{
  char *status;
  g_object_get (run, "status", &status, NULL);
  return status;
}

static void
assert_run (TlExportRun *run, TlExportState state, const char *words)
{
  g_autofree char *status = dup_status (run);
  g_test_message ("%s", status);
  g_assert_cmpint (tl_export_run_get_state (run), ==, state);
  g_assert_nonnull (strstr (status, words));
}

/* Adds one more slice to the stack in @folder. */
static void
add_slice (const char *folder)
{
  g_autofree char *more = tl_scratch_path (folder, "recon_00009.tiff");
  g_autofree char *slice = tl_scratch_path (folder, "recon_00000.tiff");
  g_autofree char *bytes = NULL;
  gsize n_bytes;
  g_assert_true (g_file_get_contents (slice, &bytes, &n_bytes, NULL));
  g_assert_true (g_file_set_contents (more, bytes, (gssize)n_bytes, NULL));
}

/* A finished export says that a range in another unit leaves few levels. */
static void
test_export_doubt (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_autofree char *folder = tl_scratch_path (fixture->folder, "volume");
  TlExportSettings settings;
  tl_fixture_open_scan (fixture);
  tl_export_settings_init (&settings, 1);
  settings.sample = TL_VOLUME_U8;
  settings.has_range = TRUE;
  settings.low = 0;
  settings.high = 1e6;
  TlExportRun *run =
      tl_exporter_start (session->exporter, folder, &settings, TL_EXPORT_ASK);
  tl_session_wait_for (session, "running", FALSE);
  assert_run (run, TL_EXPORT_FINISHED, "the values use only 1 of 256 levels");
}

/* A volume is replaced when the user agrees, and not before. An export that
 * asks does not hold up the next one. */
static void
test_export_question (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlExporter *exporter = session->exporter;
  g_autofree char *folder = tl_scratch_path (fixture->folder, "volume");
  g_autofree char *second = tl_scratch_path (fixture->folder, "second");
  g_autofree char *question = NULL;
  g_autofree char *none = NULL;
  tl_fixture_open_scan (fixture);
  tl_session_export (exporter, folder, 0, 3);
  tl_session_wait_for (session, "running", FALSE);
  g_autofree char *first = tl_scratch_list (folder);
  g_assert_true (
      tl_parameters_set (session->parameters, "filter", "hann", NULL));
  TlExportRun *run = tl_session_export (exporter, folder, 5, 5);
  TlExportRun *next = tl_session_export (exporter, second, 6, 6);
  tl_session_wait_for (session, "running", FALSE);
  assert_run (run, TL_EXPORT_ASKING, "holds 4 slices");
  assert_run (run, TL_EXPORT_ASKING, "Filter Ramp → Hann");
  assert_run (next, TL_EXPORT_FINISHED, "1 slice written to");
  g_object_get (run, "question", &question, NULL);
  g_assert_nonnull (question);
  g_autofree char *names = tl_scratch_list (folder);
  g_assert_cmpstr (names, ==, first);
  tl_export_run_cancel (run);
  g_object_get (run, "question", &none, NULL);
  g_assert_null (none);
  assert_run (run, TL_EXPORT_CANCELLED, "Cancelled");
  tl_exporter_answer (exporter, run, TL_EXPORT_REPLACE); /* it asks no more */
  assert_run (run, TL_EXPORT_CANCELLED, "Cancelled");
  tl_exporter_run_again (exporter, run);
  tl_session_wait_for (session, "running", FALSE);
  assert_run (run, TL_EXPORT_ASKING, "holds 4 slices");
  /* the yes is not for what has changed since */
  add_slice (folder);
  tl_exporter_answer (exporter, run, TL_EXPORT_REPLACE);
  tl_session_wait_for (session, "running", FALSE);
  assert_run (run, TL_EXPORT_ASKING, "holds 5 slices");
  tl_exporter_answer (exporter, run, TL_EXPORT_REPLACE);
  tl_session_wait_for (session, "running", FALSE);
  assert_run (run, TL_EXPORT_FINISHED, "1 slice written to");
  assert_run (run, TL_EXPORT_FINISHED, " slices/s, limited by");
  g_autofree char *last = tl_scratch_list (folder);
  g_assert_cmpstr (last, ==, "recipe.ini\nrecon_00005.tiff\nvolume.json\n");
  tl_session_assert_notice (session, "1 slice written to", folder);
}

static gboolean
asks_or_has_ended (TlSession *session)
{
  GListModel *runs = tl_exporter_get_runs (session->exporter);
  const guint n = g_list_model_get_n_items (runs);
  g_autoptr (TlExportRun) last = g_list_model_get_item (runs, n - 1);
  return tl_export_run_get_state (last) == TL_EXPORT_ASKING
         || tl_export_run_has_ended (last);
}

/* What is there is asked about when the export is started, and not when its
 * turn comes; an answer given meanwhile is kept, unless it is of no use any
 * more. A place where no export may write is refused as early. */
static void
test_export_asks_early (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlExporter *exporter = session->exporter;
  g_autofree char *folder = tl_scratch_path (fixture->folder, "volume");
  g_autofree char *long_one = tl_scratch_path (fixture->folder, "long");
  g_autofree char *bad = tl_scratch_path (fixture->folder, "bad");
  g_autofree char *notes = tl_scratch_path (bad, "notes");
  tl_fixture_open_scan (fixture);
  tl_session_export (exporter, folder, 0, 3);
  tl_session_wait_for (session, "running", FALSE);
  g_assert_cmpint (g_mkdir (bad, 0777), ==, 0);
  g_assert_true (g_file_set_contents (notes, "mine", -1, NULL));
  /* the export waits for HDF5 when it opens the scan */
  const TlHdf5Turn turn = tl_hdf5_enter ();
  TlExportRun *first = tl_session_export (exporter, long_one, 0, 3);
  TlExportRun *run = tl_session_export (exporter, folder, 0, 2);
  assert_run (run, TL_EXPORT_WAITING, "Waiting");
  tl_session_wait_until (session, asks_or_has_ended);
  assert_run (run, TL_EXPORT_ASKING, "holds 4 slices");
  tl_exporter_answer (exporter, run, TL_EXPORT_REPLACE);
  assert_run (run, TL_EXPORT_WAITING, "Waiting");
  TlExportRun *refused = tl_session_export (exporter, bad, 0, 2);
  tl_session_wait_until (session, asks_or_has_ended);
  assert_run (refused, TL_EXPORT_FAILED, "files that are not of such a volume");
  assert_run (first, TL_EXPORT_RUNNING, "");
  assert_run (run, TL_EXPORT_WAITING, "Waiting");
  add_slice (folder);
  tl_hdf5_leave (turn);
  tl_session_wait_for (session, "running", FALSE);
  assert_run (first, TL_EXPORT_FINISHED, "4 slices written to");
  assert_run (run, TL_EXPORT_ASKING, "holds 5 slices");
}

/* One name is for one export that runs, waits or asks. */
static void
test_export_same_name (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlExporter *exporter = session->exporter;
  GListModel *runs = tl_exporter_get_runs (exporter);
  g_autofree char *folder = tl_scratch_path (fixture->folder, "volume");
  g_autofree char *second = tl_scratch_path (fixture->folder, "second");
  g_autofree char *detour = g_strconcat (second, "/../volume/", NULL);
  tl_fixture_open_scan (fixture);
  TlExportRun *run = tl_session_export (exporter, folder, 0, 3);
  tl_session_export (exporter, second, 0, 3);
  g_assert_null (tl_session_export (exporter, detour, 5, 5)); /* runs */
  tl_session_assert_message (session, "has not ended");
  g_assert_null (tl_session_export (exporter, second, 5, 5)); /* waits */
  g_assert_cmpuint (g_list_model_get_n_items (runs), ==, 2);
  tl_session_wait_for (session, "running", FALSE);
  TlExportRun *next = tl_session_export (exporter, folder, 5, 5);
  tl_session_assert_message (session, NULL);
  tl_session_wait_for (session, "running", FALSE);
  assert_run (next, TL_EXPORT_ASKING, "holds 4 slices");
  g_assert_null (tl_session_export (exporter, folder, 6, 6)); /* asks */
  tl_exporter_run_again (exporter, run);
  assert_run (run, TL_EXPORT_FINISHED, "4 slices");
  tl_session_assert_message (session, "has not ended");
  tl_messages_warn (session->messages, FALSE, "something else");
  tl_export_run_cancel (next);
  tl_session_assert_message (session, "something else");
  tl_exporter_run_again (exporter, run);
  tl_session_wait_for (session, "running", FALSE);
  assert_run (run, TL_EXPORT_ASKING, "holds 4 slices");
  tl_export_run_cancel (run);
  assert_run (run, TL_EXPORT_CANCELLED, "the volume stays as it was");
  g_assert_true (tl_export_run_has_volume (run));
  g_assert_false (tl_export_run_has_volume (next));
}

/* Exports are listed in the order of their start until they are removed. One
 * that is run again is the same one, of the same parameters. */
static void
test_export_list (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlExporter *exporter = session->exporter;
  GListModel *runs = tl_exporter_get_runs (exporter);
  g_autofree char *folder = tl_scratch_path (fixture->folder, "volume");
  g_autofree char *second = tl_scratch_path (fixture->folder, "second");
  g_autofree char *plan = NULL;
  tl_fixture_open_scan (fixture);
  TlExportRun *run = tl_session_export (exporter, folder, 0, 3);
  TlExportRun *next = tl_session_export (exporter, second, 0, 3);
  assert_run (run, TL_EXPORT_RUNNING, "Preparing");
  assert_run (next, TL_EXPORT_WAITING, "Waiting");
  g_assert_cmpuint (g_list_model_get_n_items (runs), ==, 2);
  g_assert_nonnull (strstr (tl_export_run_get_what (run), "4 slices of 61"));
  tl_exporter_remove (exporter, run); /* not while it runs */
  tl_export_run_cancel (next);
  assert_run (next, TL_EXPORT_CANCELLED, "Cancelled");
  tl_session_wait_for (session, "running", FALSE);
  assert_run (run, TL_EXPORT_FINISHED, "limited by ");
  g_object_get (run, "plan", &plan, NULL);
  g_assert_nonnull (strstr (plan, "of memory"));
  g_assert_false (g_file_test (second, G_FILE_TEST_EXISTS));
  g_assert_true (
      tl_parameters_set (session->parameters, "filter", "hann", NULL));
  tl_exporter_run_again (exporter, next);
  tl_session_wait_for (session, "running", FALSE);
  assert_run (next, TL_EXPORT_FINISHED, "4 slices written to");
  g_autofree char *recipe_path = tl_scratch_path (second, "recipe.ini");
  g_autoptr (TlRecipe) recipe = tl_recipe_load (recipe_path, NULL, NULL);
  g_autofree char *filter = tl_recipe_get (recipe, "filter");
  g_assert_cmpstr (filter, ==, "ramp");
  g_assert_cmpuint (g_list_model_get_n_items (runs), ==, 2);
  tl_exporter_remove (exporter, run);
  g_autoptr (TlExportRun) left = g_list_model_get_item (runs, 0);
  g_assert_true (left == next);
  g_assert_cmpuint (g_list_model_get_n_items (runs), ==, 1);
}

static void
on_outlook (GObject *source, GAsyncResult *result, gpointer data)
{
  *(GAsyncResult **)data = g_object_ref (result);
}

/* Returns: (transfer full) (nullable): what would come of an export to @path */
static TlExportOutlook *
look_with (TlSession *session, const char *path,
           const TlExportSettings *settings, double slice_s, GError **error)
{
  g_autoptr (GAsyncResult) result = NULL;
  tl_export_outlook_ask (tl_scan_source_get_summary (session->source),
                         tl_parameters_get_recipe (session->parameters), path,
                         settings, slice_s, on_outlook, &result);
  while (result == NULL)
    g_main_context_iteration (NULL, TRUE);
  return tl_export_outlook_finish (result, error);
}

/* As look_with(), of one slice. */
static TlExportOutlook *
look (TlSession *session, const char *path, GError **error)
{
  TlExportSettings settings;
  tl_export_settings_init (&settings, 1);
  settings.format = tl_volume_format_from_path (path);
  return look_with (session, path, &settings, 0, error);
}

static gint n_more_engines; /* atomic: that share an export with the first */

char **__real_tl_pipeline_choose_engines (const char *name, guint n_wanted,
                                          GError **error);
char **__wrap_tl_pipeline_choose_engines (const char *name, guint n_wanted,
                                          GError **error);

char **
__wrap_tl_pipeline_choose_engines (const char *name, guint n_wanted,
                                   GError **error)
{
  g_auto (GStrv) engines =
      __real_tl_pipeline_choose_engines (name, n_wanted, error);
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  if (engines == NULL)
    return NULL;
  for (gint k = 0; k < g_atomic_int_get (&n_more_engines); k++)
    g_strv_builder_add (builder, engines[0]);
  g_strv_builder_addv (builder, (const char **)engines);
  return g_strv_builder_end (builder);
}

/* Before the first export of its kind the pictures tell how long it takes. */
static void
test_export_time (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_autofree char *path = tl_scratch_path (fixture->folder, "volume.h5");
  TlExportSettings settings;
  tl_fixture_open_scan (fixture);
  tl_export_settings_init (&settings, 3);
  settings.format = TL_VOLUME_HDF5;
  settings.compression = 8; /* in no other test */
  g_assert_cmpfloat (tl_display_estimate_slice_s (session->display, 1), >, 0);
  g_autoptr (TlExportOutlook) outlook =
      look_with (session, path, &settings, 20, NULL);
  g_assert_nonnull (
      strstr (outlook->plan, "; computing takes about 60 s, estimated"));
  g_atomic_int_set (&n_more_engines, 1);
  g_autoptr (TlExportOutlook) shared =
      look_with (session, path, &settings, 20, NULL);
  g_atomic_int_set (&n_more_engines, 0);
  g_assert_nonnull (strstr (shared->plan, "; computing takes about 30 s"));
  g_autoptr (TlExportOutlook) unknown =
      look_with (session, path, &settings, 0, NULL);
  g_assert_nonnull (strstr (unknown->plan, "; the time is known after"));
}

/* What the page says before an export starts. */
static void
test_export_outlook (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_autofree char *path = tl_scratch_path (fixture->folder, "volume.h5");
  g_autofree char *below = tl_scratch_path (fixture->scan, "volume");
  g_autofree char *other = tl_scratch_path (fixture->folder, "other.h5");
  g_autofree char *folder = tl_scratch_path (fixture->folder, "volume");
  const struct
  {
    const char *path, *words;
  } refused[] = {
    { fixture->scan, "the scan itself" },
    { below, "not a folder" },
    { "/proc/volume.h5", "/proc" },
    { other, "no export has made" },
  };
  tl_fixture_open_scan (fixture);
  g_assert_true (g_file_set_contents (other, "", -1, NULL));
  g_autoptr (TlExportOutlook) before = look (session, path, NULL);
  g_assert_nonnull (strstr (before->plan, "1 pass over the scan"));
  g_assert_true (strstr (before->plan, ", about ") != NULL
                 || strstr (before->plan, "known after the first slices"));
  g_assert_cmpuint (before->free_bytes, >, 0);
  g_assert_null (before->question);
  for (size_t k = 0; k < G_N_ELEMENTS (refused); k++)
    {
      g_autoptr (GError) error = NULL;
      g_assert_null (look (session, refused[k].path, &error));
      g_assert_nonnull (strstr (error->message, refused[k].words));
    }
  tl_session_export (session->exporter, folder, 0, 3);
  tl_session_wait_for (session, "running", FALSE);
  g_autoptr (TlExportOutlook) after = look (session, folder, NULL);
  g_assert_nonnull (strstr (after->question, "holds 4 slices"));
  g_assert_nonnull (strstr (after->question, "differs: Slices 0:3 → 0:"));
  g_assert_null (strstr (after->question, "--"));
  g_assert_false (after->can_resume);
}

static void
queue_exports (TlFixture *fixture, TlExportRun **runs, guint n)
{
  tl_fixture_open_scan (fixture);
  for (guint k = 0; k < n; k++)
    {
      g_autofree char *name = g_strdup_printf ("volume-%u", k);
      g_autofree char *folder = tl_scratch_path (fixture->folder, name);
      runs[k] =
          tl_session_export (fixture->session->exporter, folder, 0, N_ROWS - 1);
    }
}

/* Nothing of the queue begins any more when all is cancelled. */
static void
test_export_cancel_all (TlFixture *fixture, gconstpointer data)
{
  TlExporter *exporter = fixture->session->exporter;
  TlExportRun *runs[3];
  queue_exports (fixture, runs, G_N_ELEMENTS (runs));
  tl_exporter_stop (exporter);
  for (guint k = 0; k < G_N_ELEMENTS (runs); k++)
    assert_run (runs[k], TL_EXPORT_CANCELLED, "Cancelled");
}

/* Only the running one is cancelled, and the next one is made. */
static void
test_export_cancel_one (TlFixture *fixture, gconstpointer data)
{
  TlExporter *exporter = fixture->session->exporter;
  TlExportRun *runs[2];
  queue_exports (fixture, runs, G_N_ELEMENTS (runs));
  tl_exporter_cancel (exporter);
  tl_session_wait_for (fixture->session, "running", FALSE);
  assert_run (runs[0], TL_EXPORT_CANCELLED, "Cancelled");
  assert_run (runs[1], TL_EXPORT_FINISHED, "written");
}

static void
test_export_cancelled (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlExporter *exporter = session->exporter;
  g_autofree char *folder = tl_scratch_path (fixture->folder, "volume");
  tl_fixture_open_scan (fixture);
  tl_session_export (exporter, folder, 0, N_ROWS - 1);
  tl_exporter_cancel (exporter);
  tl_session_wait_for (session, "running", FALSE);
  tl_session_assert_message (session, NULL);
  g_assert_false (g_file_test (folder, G_FILE_TEST_EXISTS));
}

static void
test_recipe (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlParameters *parameters = session->parameters;
  g_autoptr (GError) error = NULL;
  g_autofree char *path = tl_scratch_path (fixture->folder, "a.ini");
  tl_fixture_open_scan (fixture);
  tl_parameters_set_slice (parameters, 6);
  tl_parameters_set_centre (parameters, 29.125);
  tl_parameters_save (parameters, path, &error);
  g_assert_no_error (error);
  tl_parameters_set_centre (parameters, 33);
  tl_session_open (session, path);
  tl_session_wait_for (session, "busy", FALSE);
  tl_session_assert_shown (session, fixture->scan, "6", "29.125");
  tl_session_assert_notice (
      session, "a.ini: the parameters are taken over: Centre 33 → 29.125",
      NULL);
  g_assert_cmpuint (
      tl_messages_get_step (session->messages), ==,
      tl_history_get_present (tl_parameters_get_history (parameters)));
  tl_session_open (session, path);
  tl_session_wait_for (session, "busy", FALSE);
  tl_session_assert_notice (session, "a.ini has the same parameters", NULL);
  g_assert_cmpuint (tl_messages_get_step (session->messages), ==, 0);
  /* other angles read the scan again */
  g_assert_true (tl_parameters_set (parameters, "angles", "0:170", NULL));
  tl_session_wait_for (session, "busy", FALSE);
  tl_session_open (session, path);
  tl_session_wait_for (session, "busy", FALSE);
  tl_session_assert_notice (session,
                            "a.ini: the parameters are taken over: ", NULL);
}

/* The recipe of another scan opens it. */
static void
test_recipe_of_another (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_autofree char *path = tl_scratch_path (fixture->folder, "a.ini");
  g_autofree char *text =
      g_strdup_printf ("[recipe]\nslice=6\n[scan]\npath=%s\n", fixture->scan);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  tl_session_open (session, path);
  tl_session_wait_for (session, "busy", FALSE);
  tl_session_assert_message (session, NULL);
  g_assert_cmpuint (tl_parameters_get_slice (session->parameters), ==, 6);
  g_autofree char *name = g_path_get_basename (fixture->scan);
  tl_session_assert_notice (session, name,
                            "was opened, with the parameters of a.ini");
}

/* What is opened from the export page is seen. */
static void
test_open_from_export (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlDisplay *display = session->display;
  g_autoptr (GError) error = NULL;
  g_autofree char *path = tl_scratch_path (fixture->folder, "a.ini");
  const char *const opened[] = { fixture->scan, path };
  tl_fixture_open_scan (fixture);
  tl_parameters_save (session->parameters, path, &error);
  g_assert_no_error (error);
  for (guint k = 0; k < G_N_ELEMENTS (opened); k++)
    {
      tl_display_set_page (display, TL_PAGE_EXPORT);
      tl_session_open (session, opened[k]);
      tl_session_wait_for (session, "busy", FALSE);
      g_assert_cmpint (tl_display_get_page (display), ==, TL_PAGE_PICTURE);
    }
}

/* A recipe without a scan applies to the scan being opened and overrides
 * earlier parameters. */
static void
test_recipe_while_opening (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_autofree char *path = tl_scratch_path (fixture->folder, "a.ini");
  g_autofree char *bad = tl_scratch_path (fixture->folder, "bad.ini");
  g_assert_true (g_file_set_contents (
      path, "[recipe]\nslice=6\ncentre=29.125\nengine=host\n", -1, NULL));
  g_assert_true (g_file_set_contents (bad, "[recipe]\nx=y\n", -1, NULL));
  tl_session_open (session, path);
  tl_session_assert_message (session, "a.ini");
  tl_session_open (session, fixture->scan);
  tl_parameters_set_centre (session->parameters, 33);
  tl_session_open (session, path);
  tl_session_wait_for (session, "busy", FALSE);
  tl_session_assert_message (session, NULL);
  tl_session_assert_shown (session, fixture->scan, "6", "29.125");
  /* Opening the scan successfully does not clear the error in the recipe. */
  tl_session_open (session, fixture->scan);
  tl_session_open (session, bad);
  tl_session_wait_for (session, "busy", FALSE);
  tl_session_assert_message (session, "bad.ini");
}

static void
test_questions (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlDisplay *display = session->display;
  size_t n, total = 0;
  float min, max, low, high, value, curve[33];
  tl_fixture_open_scan (fixture);
  const guint32 *histogram = tl_display_get_histogram (display, &n, &min, &max);
  for (size_t k = 0; k < n; k++)
    total += histogram[k];
  g_assert_cmpuint (total, ==, (size_t)N_COLS * N_COLS);
  g_assert_true (tl_display_get_percentiles (display, 0, 1, &low, &high));
  g_assert_cmpfloat (low, ==, min);
  g_assert_cmpfloat_with_epsilon (high, max, 1e-6f);
  g_assert_true (tl_display_get_percentiles (display, 0.25, 0.75, &low, &high));
  g_assert_cmpfloat (min, <, low);
  g_assert_cmpfloat (low, <, high);
  g_assert_cmpfloat (high, <, max);
  g_assert_true (tl_display_read_pixel (display, 30, 7, &value));
  g_assert_cmpfloat (
      value, ==,
      tl_frame_get_pixels (tl_display_get_frame (display))[30 * N_COLS + 7]);
  g_assert_false (tl_display_read_pixel (display, N_COLS, 0, &value));
  tl_parameters_get_filter_curve (session->parameters, curve,
                                  G_N_ELEMENTS (curve));
  g_assert_cmpfloat (curve[0], ==, 0);
  g_assert_cmpfloat_with_epsilon (curve[16], 0.5f, 1e-6f);
  g_assert_cmpfloat (curve[32], ==, 1);
}

/* The session is freed while jobs of all kinds are running or waiting. */
static void
test_leave (TlFixture *fixture, gconstpointer data)
{
  g_autofree char *folder = tl_scratch_path (fixture->folder, "volume");
  tl_fixture_open_scan (fixture);
  tl_session_export (fixture->session->exporter, folder, 0, N_ROWS - 1);
  tl_parameters_set_slice (fixture->session->parameters, 1);
  tl_session_open (fixture->session, fixture->scan);
}

/* The status names the slowest step of a slow picture only. */
static void
test_slow_step (TlFixture *fixture, gconstpointer data)
{
  static const struct
  {
    double frame_ms;
    TlReconTimes times;
    double phase_ms, backproject_ms;
    const char *step;
    double step_ms;
  } cases[] = {
    { 250, { 5, 10, 230, { 0 } }, 180, 40, "phase", 180 },
    { 250, { 5, 10, 230, { 0 } }, 40, 180, "back-project", 180 },
    { 900, { 500, 100, 300, { 0 } }, 180, 40, "read", 500 },
    { 900, { 100, 500, 300, { 0 } }, 180, 40, "upload", 500 },
    { 300, { 20, 0, 270, { 0 } }, 0, 0, "correct", 270 },
    { 60, { 5, 5, 50, { 0 } }, 0, 45, NULL, 0 },
  };
  TlSession *session = fixture->session;
  TlDisplay *display = session->display;
  tl_fixture_open_scan (fixture);
  for (guint k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      g_autoptr (TlReply) reply = g_new0 (TlReply, 1);
      reply->kind = TL_JOB_PREVIEW;
      reply->serial = tl_display_get_picture_serial (display) + 1;
      reply->recipe =
          tl_recipe_dup (tl_parameters_get_recipe (session->parameters));
      reply->frame = made_frame_new (FALSE, 1, N_COLS, N_COLS);
      reply->grid = reply->recipe->params.grid;
      reply->frame_ms = cases[k].frame_ms;
      reply->times = cases[k].times;
      reply->times.stage_ms[TL_STAGE_PHASE] = cases[k].phase_ms;
      reply->times.stage_ms[TL_STAGE_BACKPROJECT] = cases[k].backproject_ms;
      tl_session_take_reply (reply, session);
      const TlStatus *status = tl_display_get_status (display);
      g_assert_cmpstr (status->slow_step, ==, cases[k].step);
      g_assert_cmpfloat (status->slow_ms, ==, cases[k].step_ms);
    }
}

static gboolean
block (gpointer data)
{
  g_usleep (2 * TL_WATCHDOG_MAX_MS * 1000);
  return G_SOURCE_REMOVE;
}

/* The watchdog of these tests detects a blocked main loop. */
static void
test_watchdog (TlFixture *fixture, gconstpointer data)
{
  g_idle_add (block, NULL);
  tl_watchdog_start ();
  while (g_main_context_iteration (NULL, FALSE))
    ;
  g_assert_cmpfloat (tl_watchdog_stop (), >, TL_WATCHDOG_MAX_MS);
}

int
main (int argc, char **argv)
{
  static const TlFixtureCase cases[] = {
    { "/session/newest-wins", test_newest_wins },
    { "/session/drag", test_drag },
    { "/session/refused", test_refused },
    { "/session/unsupported", test_unsupported },
    { "/session/no-engine", test_no_engine },
    { "/session/bad-row", test_bad_row },
    { "/session/export", test_export },
    { "/session/export-doubt", test_export_doubt },
    { "/session/export-question", test_export_question },
    { "/session/export-asks-early", test_export_asks_early },
    { "/session/export-same-name", test_export_same_name },
    { "/session/export-list", test_export_list },
    { "/session/export-outlook", test_export_outlook },
    { "/session/export-time", test_export_time },
    { "/session/export-cancel-all", test_export_cancel_all },
    { "/session/export-cancel-one", test_export_cancel_one },
    { "/session/export-and-previews", test_previews_while_exporting },
    { "/session/export-cancelled", test_export_cancelled },
    { "/session/recipe", test_recipe },
    { "/session/recipe-of-another", test_recipe_of_another },
    { "/session/open-from-export", test_open_from_export },
    { "/session/recipe-while-opening", test_recipe_while_opening },
    { "/session/questions", test_questions },
    { "/session/leave", test_leave },
    { "/session/slow-step", test_slow_step },
    { "/session/watchdog", test_watchdog },
  };
  return tl_fixture_run (argc, argv, tl_fixture_set_up, cases,
                         G_N_ELEMENTS (cases));
}
