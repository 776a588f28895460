#include "tests/app/session/session-fixture.h"

#include "app/recon/recon.h"
#include "app/display/display-private.h"
#include "app/session/session.h"
#include "data/write/writer.h"
#include "tests/app/scratch.h"
#include "tests/support/watchdog.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

static void
count_frame (GObject *object, GParamSpec *pspec, gpointer data)
{
  ((TlFixture *)data)->n_frames++;
}

void
tl_wait_for_cancelling (GCancellable *cancellable)
{
  for (int k = 0; !g_cancellable_is_cancelled (cancellable); k++)
    {
      g_assert_cmpint (k, <, TL_PATIENCE_S * 1000);
      g_usleep (1000);
    }
}

gboolean
tl_lose_patience (gpointer data)
{
  g_error ("nothing happened for %d seconds", TL_PATIENCE_S);
  return G_SOURCE_REMOVE;
}

static void
take_measured (TlDisplay *display, GParamSpec *pspec, gpointer measured)
{
  /* A picture of all projections was noted before, not after, this. */
  g_assert_true (display->scheduler.n_whole > 0
                 || tl_display_shows_preview (display));
  display->scheduler = *(const TlPreviewScheduler *)measured;
}

void
tl_session_pretend (TlSession *session, const TlPreviewScheduler *measured)
{
  static const char key[] = "measured";
  TlDisplay *display = session->display;
  TlPreviewScheduler *copy = g_object_get_data (G_OBJECT (display), key);
  if (copy == NULL)
    {
      copy = g_new (TlPreviewScheduler, 1);
      g_object_set_data_full (G_OBJECT (display), key, copy, g_free);
      g_signal_connect (display, "notify::frame", G_CALLBACK (take_measured),
                        copy);
    }
  display->scheduler = *copy = *measured;
}

void
tl_session_pretend_slow (TlSession *session, guint reduction, guint every)
{
  /* when they are reduced a back-projection takes 55 ms, corrections 25 ms */
  const double whole_ms = 55.0 * reduction * reduction;
  const TlPreviewScheduler measured = {
    .n_whole = 2,
    .whole_ms = whole_ms,
    .whole_sums_ms = whole_ms,
    .reduced_sums_ms = whole_ms,
    .stage_ms[TL_STAGE_TRANSFORM - 1] = every > 1 ? 25.0 * every : 0,
  };
  g_assert_cmpuint (tl_preview_scheduler_choose (&measured), ==, reduction);
  g_assert_cmpuint (tl_preview_scheduler_choose_subsampling (
                        &measured, TL_STAGE_TRANSFORM - 1),
                    ==, every);
  tl_session_pretend (session, &measured);
}

void
tl_session_wait_for (TlSession *session, const char *property, gboolean wanted)
{
  const guint id =
      g_timeout_add_seconds (TL_PATIENCE_S, tl_lose_patience, NULL);
  gboolean value;
  tl_watchdog_start ();
  GObject *object = g_str_equal (property, "busy")
                        ? G_OBJECT (session->requests)
                        : G_OBJECT (session->exporter);
  for (g_object_get (object, property, &value, NULL); value != wanted;
       g_object_get (object, property, &value, NULL))
    g_main_context_iteration (NULL, TRUE);
  g_assert_cmpfloat (tl_watchdog_stop (), <,
                     TL_WATCHDOG_MAX_MS * tl_watchdog_measure_slowness ());
  g_source_remove (id);
}

void
tl_fixture_wait_for_frame (TlFixture *fixture)
{
  const guint before = fixture->n_frames;
  const guint id =
      g_timeout_add_seconds (TL_PATIENCE_S, tl_lose_patience, NULL);
  while (fixture->n_frames == before)
    g_main_context_iteration (NULL, TRUE);
  g_source_remove (id);
}

void
tl_fixture_set_up (TlFixture *fixture, gconstpointer data)
{
  fixture->folder = tl_scratch_new ();
  fixture->scan = tl_scratch_phantom (fixture->folder, "scan.h5", N_PROJECTIONS,
                                      N_ROWS, N_COLS);
  fixture->session = tl_session_new ();
  fixture->n_frames = 0;
  g_signal_connect (fixture->session->display, "notify::frame",
                    G_CALLBACK (count_frame), fixture);
  g_assert_true (
      tl_parameters_set (fixture->session->parameters, "engine", "host", NULL));
}

void
tl_fixture_open_scan (TlFixture *fixture)
{
  tl_session_open (fixture->session, fixture->scan);
  tl_session_wait_for (fixture->session, "busy", FALSE);
  g_assert_true (tl_scan_source_is_open (fixture->session->source));
}

void
tl_fixture_open_bad_row (TlFixture *fixture)
{
  g_autofree char *folder = tl_scratch_path (fixture->folder, "images");
  g_autofree char *path = tl_scratch_path (folder, "p003.tiff");
  float pixels[4 * 9];
  for (size_t k = 0; k < G_N_ELEMENTS (pixels); k++)
    pixels[k] = k / 9 == 2 ? NAN : 0.5f;
  g_assert_cmpint (g_mkdir_with_parents (folder, 0777), ==, 0);
  tl_scratch_images (folder, "p", 7, 4, 9, 0.5f);
  g_assert_true (tl_write_tiff (path, pixels, 4, 9, NULL, NULL));
  tl_session_open (fixture->session, folder);
  tl_session_wait_for (fixture->session, "busy", FALSE);
}

void
tl_fixture_tear_down (TlFixture *fixture, gconstpointer data)
{
  g_assert_finalize_object (fixture->session);
  while (g_main_context_iteration (NULL, FALSE))
    ; /* drops pending replies */
  g_free (fixture->scan);
  tl_scratch_free (fixture->folder);
}

int
tl_fixture_run (int argc, char **argv, TlFixtureFunc set_up,
                const TlFixtureCase *cases, size_t n)
{
  g_test_init (&argc, &argv, NULL);
  for (size_t k = 0; k < n; k++)
    g_test_add (cases[k].path, TlFixture, NULL, set_up, cases[k].func,
                tl_fixture_tear_down);
  return g_test_run ();
}

void
tl_session_assert_shown (TlSession *session, const char *path,
                         const char *slice, const char *centre)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TlEngine) engine = tl_engine_open ("host", &error);
  g_autoptr (TlRecipe) recipe = tl_recipe_new ();
  g_assert_no_error (error);
  tl_recipe_set (recipe, "slice", slice, NULL);
  tl_recipe_set (recipe, "centre", centre, NULL);
  TlReader *reader = tl_reader_open (path, NULL, &error);
  g_assert_no_error (error);
  g_autoptr (TlRecon) recon = tl_recon_new (reader, engine);
  g_assert_true (tl_recipe_resolve (recipe, tl_reader_get_info (reader), NULL));
  g_autoptr (TlFrame) want =
      tl_recon_run (recon, recipe, recipe->slice, 1, NULL, &error);
  g_assert_no_error (error);
  TlFrame *got = tl_display_get_frame (session->display);
  const size_t n = tl_frame_get_n_rows (want) * tl_frame_get_n_cols (want);
  g_assert_nonnull (got);
  g_assert_cmpuint (tl_frame_get_n_cols (got), ==, tl_frame_get_n_cols (want));
  g_assert_cmpmem (tl_frame_get_pixels (got), n * sizeof (float),
                   tl_frame_get_pixels (want), n * sizeof (float));
}

void
tl_session_assert_value (TlSession *session, const char *key, const char *want)
{
  g_autofree char *value =
      tl_recipe_get (tl_parameters_get_recipe (session->parameters), key);
  g_assert_cmpstr (value, ==, want);
}

void
tl_session_assert_message (TlSession *session, const char *part)
{
  g_autofree char *message = NULL;
  g_object_get (session->messages, "message", &message, NULL);
  if (part == NULL)
    g_assert_cmpstr (message, ==, NULL);
  else if (message == NULL || strstr (message, part) == NULL)
    g_test_fail_printf ("the message is \"%s\", which does not say \"%s\"",
                        message, part);
}

void
tl_session_assert_notice (TlSession *session, const char *words,
                          const char *path)
{
  g_autofree char *notice = NULL;
  g_autofree char *want =
      words != NULL ? g_strjoin (" ", words, path, NULL) : NULL;
  g_object_get (session->messages, "notice", &notice, NULL);
  if (want == NULL)
    g_assert_null (notice);
  else if (notice == NULL || !g_str_has_prefix (notice, want))
    g_test_fail_printf ("the notice is \"%s\", which does not begin with "
                        "\"%s\"",
                        notice, want);
}

static gboolean
set_late (gpointer is_late)
{
  *(gboolean *)is_late = TRUE;
  return G_SOURCE_CONTINUE;
}

gboolean
tl_session_wait_seconds (TlSession *session,
                         gboolean (*check) (TlSession *session), guint seconds)
{
  gboolean is_late = FALSE;
  const guint id = g_timeout_add_seconds (seconds, set_late, &is_late);
  gboolean is_true;
  while (!(is_true = check (session)) && !is_late)
    g_main_context_iteration (NULL, TRUE);
  g_source_remove (id);
  return is_true;
}

void
tl_session_wait_until (TlSession *session,
                       gboolean (*check) (TlSession *session))
{
  if (!tl_session_wait_seconds (session, check, TL_PATIENCE_S))
    tl_lose_patience (NULL);
}

void
tl_session_change (TlSession *session, const char *key, const char *value)
{
  g_assert_true (tl_parameters_set (session->parameters, key, value, NULL));
  tl_session_wait_for (session, "busy", FALSE);
}

gboolean
tl_session_has_held (TlSession *session)
{
  return tl_slice_comparison_get_held (session->comparison) != NULL;
}

gboolean
tl_session_has_difference (TlSession *session)
{
  return tl_slice_comparison_get_difference (session->comparison) != NULL;
}

static TlFrame *held_before; /* the old A, until the new one is copied */

static gboolean
has_other_held (TlSession *session)
{
  return tl_session_has_held (session)
         && tl_slice_comparison_get_held (session->comparison) != held_before;
}

TlExportRun *
tl_session_export (TlExporter *exporter, const char *folder, size_t first,
                   size_t last)
{
  TlExportSettings settings;
  tl_export_settings_init (&settings, last - first + 1);
  settings.first_row = first;
  return tl_exporter_start (exporter, folder, &settings, TL_EXPORT_ASK);
}

void
tl_session_hold_now (TlSession *session)
{
  TlSliceComparison *comparison = session->comparison;
  held_before = tl_slice_comparison_get_held (comparison);
  tl_display_hold_slice (session->display);
  g_assert_true (tl_slice_comparison_is_held (comparison));
  tl_session_wait_until (session, has_other_held);
}
