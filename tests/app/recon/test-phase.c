/* Phase retrieval from the file to the picture, for each engine: a slice does
 * not depend on the band of rows that it is made in. */
#include "app/export/export.h"
#include "app/recon/subsampled-private.h"

#include "data/error.h"
#include "tests/app/recon/recon-fixture.h"
#include "tests/app/scratch.h"

#include <string.h>

/* Relative L2 distance between a slice made together with others and the same
 * slice made alone; rounding on a device depends on the number of rows
 * transformed together. */
#define TOLERANCE_BAND_DEVICE 1e-5
#define TOLERANCE_BAND_HOST 0.0

/* More rows than a band, and than three blocks of an export. */
enum
{
  N_PROJECTIONS = 17,
  N_ROWS = 59,
  N_COLS = 41
};

/* Replaces a function of the program (see meson.build). */
static gboolean refuses_loads;
static guint n_loads;

gboolean __wrap_tl_subsampled_load (TlSubsampled *subsampled,
                                    const TlRows *rows, const TlScanInfo *info,
                                    const double *angles_rad, size_t margin,
                                    guint *every, GError **error);
gboolean __real_tl_subsampled_load (TlSubsampled *subsampled,
                                    const TlRows *rows, const TlScanInfo *info,
                                    const double *angles_rad, size_t margin,
                                    guint *every, GError **error);

gboolean
__wrap_tl_subsampled_load (TlSubsampled *subsampled, const TlRows *rows,
                           const TlScanInfo *info, const double *angles_rad,
                           size_t margin, guint *every, GError **error)
{
  n_loads++;
  if (!refuses_loads)
    return __real_tl_subsampled_load (subsampled, rows, info, angles_rad,
                                      margin, every, error);
  g_set_error_literal (error, TL_ERROR, TL_ERROR_MEMORY, "no room");
  return FALSE;
}

static gboolean
set_up (TlReconFixture *fixture, const char *engine)
{
  if (!tl_recon_fixture_init (fixture, engine))
    return FALSE;
  g_autofree char *path = tl_scratch_phantom (fixture->folder, "scan.h5",
                                              N_PROJECTIONS, N_ROWS, N_COLS);
  tl_recon_fixture_set (fixture, "phase", "on");
  tl_recon_fixture_set (fixture, "energy", "20");
  tl_recon_fixture_set (fixture, "distance", "20");
  tl_recon_fixture_set (fixture, "delta-beta", "20");
  tl_recon_fixture_open (fixture, path);
  g_assert_cmpuint (tl_phase_get_margin (&fixture->recipe->params.phase), <,
                    25);
  return TRUE;
}

/* Returns: relative L2 distance of two slices */
static double
get_distance (const float *got, const float *want)
{
  return tl_recon_distance (got, want, N_COLS * N_COLS);
}

static void
assert_same (TlReconFixture *fixture, const float *got, const float *want)
{
  const gboolean is_host =
      strcmp (tl_engine_get_name (fixture->engine), "host") == 0;
  g_assert_cmpfloat (get_distance (got, want), <=,
                     is_host ? TOLERANCE_BAND_HOST : TOLERANCE_BAND_DEVICE);
}

/* Slices made alone equal those of the whole detector, which is a single band.
 * Some of their bands lie within that of the previous slice. */
static void
test_alone (gconstpointer data)
{
  static const size_t rows[] = { 0, N_ROWS - 1, 7, 29, 30, 28, 33, 50 };
  TlFrame *alone[G_N_ELEMENTS (rows)];
  TlReconFixture fixture;
  if (!set_up (&fixture, data))
    return;
  for (size_t k = 0; k < G_N_ELEMENTS (rows); k++)
    alone[k] = tl_recon_fixture_run (&fixture, rows[k], 1);
  g_autoptr (TlFrame) whole = tl_recon_fixture_run (&fixture, 0, N_ROWS);
  for (size_t k = 0; k < G_N_ELEMENTS (rows); k++)
    {
      assert_same (&fixture, tl_frame_get_pixels (alone[k]),
                   tl_frame_get_pixels (whole) + rows[k] * N_COLS * N_COLS);
      tl_frame_unref (alone[k]);
    }
  tl_recon_fixture_clear (&fixture);
}

static void
test_export (gconstpointer data)
{
  TlReconFixture fixture;
  g_autoptr (GError) error = NULL;
  g_auto (TlExportReport) report = { 0 };
  if (!set_up (&fixture, data))
    return;
  g_autofree char *out = tl_scratch_path (fixture.folder, "out");
  const TlExportJob job = tl_recon_fixture_job (&fixture, 0, N_ROWS, out);
  tl_export (&job, NULL, NULL, NULL, NULL, &report, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (report.n_slices, ==, N_ROWS);
  for (size_t row = 0; row < N_ROWS; row += 5)
    {
      g_autofree char *name = g_strdup_printf ("out/recon_%05zu.tiff", row);
      g_autofree char *path = tl_scratch_path (fixture.folder, name);
      g_autofree float *got = tl_scratch_read_tiff (path, N_COLS * N_COLS);
      g_autoptr (TlFrame) alone = tl_recon_fixture_run (&fixture, row, 1);
      assert_same (&fixture, got, tl_frame_get_pixels (alone));
    }
  tl_recon_fixture_clear (&fixture);
}

/* Switching phase retrieval off and on again keeps the rows that were read. */
static void
test_toggle (gconstpointer data)
{
  static const char *const turns[] = { "off", "on", "off" };
  TlReconFixture fixture;
  TlEngineReport report;
  if (!set_up (&fixture, data))
    return;
  g_autoptr (TlFrame) after = tl_recon_fixture_run (&fixture, 20, 1);
  for (size_t k = 0; k < G_N_ELEMENTS (turns); k++)
    {
      tl_recon_fixture_set (&fixture, "phase", turns[k]);
      g_autoptr (TlFrame) frame = tl_recon_fixture_run (&fixture, 20, 1);
      if (strcmp (turns[k], "on") == 0)
        assert_same (&fixture, tl_frame_get_pixels (frame),
                     tl_frame_get_pixels (after));
      else
        g_assert_cmpfloat (get_distance (tl_frame_get_pixels (frame),
                                         tl_frame_get_pixels (after)),
                           >, 0.1);
    }
  g_assert_true (tl_engine_get_report (fixture.engine, &report, NULL));
  g_assert_cmpuint (report.n_runs[TL_STAGE_UPLOAD], ==, 1);
  g_assert_cmpuint (report.n_runs[TL_STAGE_PHASE], ==, 2);

  g_autoptr (TlFrame) with_margin = tl_recon_fixture_run (&fixture, 20, 1);
  tl_frame_unref (tl_recon_fixture_run (&fixture, 21, 1));
  g_autoptr (TlFrame) without = tl_recon_fixture_run (&fixture, 20, 1);
  assert_same (&fixture, tl_frame_get_pixels (with_margin),
               tl_frame_get_pixels (without));
  tl_recon_fixture_clear (&fixture);
}

/* Some projections have an engine of their own, which keeps its stages; the
 * stages of the other engine are unchanged. */
static void
test_subsampled (gconstpointer data)
{
  static const struct
  {
    const char *delta_beta;
    size_t row;
    guint every, n_uploads, n_corrects, n_phases;
  } turns[] = {
    { "20", 20, 2, 1, 1, 1 }, { "18", 20, 2, 1, 1, 2 },
    { "18", 20, 2, 1, 1, 2 }, { "18", 21, 2, 2, 2, 3 },
    { "18", 21, 4, 3, 3, 4 }, { "16", 21, 4, 3, 3, 5 },
  };
  TlReconFixture fixture;
  TlEngineReport report;
  if (!set_up (&fixture, data))
    return;
  for (size_t k = 0; k < G_N_ELEMENTS (turns); k++)
    {
      tl_recon_fixture_set (&fixture, "delta-beta", turns[k].delta_beta);
      g_autoptr (GError) error = NULL;
      guint every = turns[k].every;
      g_autoptr (TlFrame) frame = tl_recon_run_subsampled (
          fixture.recon, fixture.recipe, turns[k].row, &every, NULL, &error);
      g_assert_no_error (error);
      g_assert_cmpuint (every, ==, turns[k].every);
      TlEngine *engine = tl_recon_get_last_engine (fixture.recon);
      g_assert_true (engine != fixture.engine);
      g_assert_true (tl_engine_get_report (engine, &report, NULL));
      g_assert_cmpuint (report.n_runs[TL_STAGE_UPLOAD], ==, turns[k].n_uploads);
      g_assert_cmpuint (report.n_runs[TL_STAGE_CORRECT], ==,
                        turns[k].n_corrects);
      g_assert_cmpuint (report.n_runs[TL_STAGE_PHASE], ==, turns[k].n_phases);
      g_assert_true (tl_frame_fetch (frame, NULL));
      g_autoptr (TlFrame) all =
          tl_recon_fixture_run (&fixture, turns[k].row, 1);
      g_assert_true (tl_recon_get_last_engine (fixture.recon)
                     == fixture.engine);
      const double distance =
          get_distance (tl_frame_get_pixels (frame), tl_frame_get_pixels (all));
      g_test_message ("distance %.3f", distance);
      g_assert_cmpfloat (distance, >, 0.01);
      g_assert_cmpfloat (distance, <, turns[k].every == 2 ? 0.5 : 0.8);
    }
  g_assert_true (tl_engine_get_report (fixture.engine, &report, NULL));
  g_assert_cmpuint (report.n_runs[TL_STAGE_UPLOAD], ==, 2);
  g_assert_cmpuint (report.n_runs[TL_STAGE_PHASE], ==, 4);
  tl_recon_fixture_clear (&fixture);
}

/* In a tilted scan, subsampled projections also use the right distance of their
 * rows from the middle of the detector, whichever band they are in. */
static void
test_subsampled_tilted (gconstpointer data)
{
  TlFrame *frames[2];
  for (size_t k = 0; k < 2; k++)
    {
      TlReconFixture fixture;
      g_autoptr (GError) error = NULL;
      if (!set_up (&fixture, data))
        return;
      tl_recon_fixture_set (&fixture, "tilt", "4");
      if (k == 1)
        tl_frame_unref (
            tl_recon_fixture_run (&fixture, 20, 1)); /* more rows than needed */
      tl_recon_fixture_set (&fixture, "delta-beta", "0.5");
      g_assert_cmpuint (
          tl_params_get_margin (&fixture.recipe->params, N_ROWS, N_COLS), <,
          15);
      guint every = 2;
      frames[k] = tl_recon_run_subsampled (fixture.recon, fixture.recipe, 20,
                                           &every, NULL, &error);
      g_assert_no_error (error);
      g_assert_true (tl_recon_get_last_engine (fixture.recon)
                     != fixture.engine);
      g_assert_true (tl_frame_fetch (frames[k], NULL));
      if (k == 1)
        {
          const float *pixels = tl_frame_get_pixels (frames[1]);
          g_autoptr (TlFrame) all = tl_recon_fixture_run (&fixture, 20, 1);
          assert_same (&fixture, pixels, tl_frame_get_pixels (frames[0]));
          g_assert_cmpfloat (get_distance (pixels, tl_frame_get_pixels (all)),
                             <, 0.5);
          tl_recon_fixture_set (&fixture, "tilt", "0");
          g_autoptr (TlFrame) straight = tl_recon_fixture_run (&fixture, 20, 1);
          g_assert_cmpfloat (get_distance (tl_frame_get_pixels (straight),
                                           tl_frame_get_pixels (all)),
                             >, 0.01);
        }
      tl_recon_fixture_clear (&fixture);
    }
  tl_frame_unref (frames[0]);
  tl_frame_unref (frames[1]);
}

/* If subsampling fails, all projections are used and reported, and an engine
 * without memory is not tried again. */
static void
test_subsampled_refused (gconstpointer data)
{
  TlReconFixture fixture;
  if (!set_up (&fixture, data))
    return;
  for (guint k = 0; k < 3; k++)
    {
      g_autoptr (GError) error = NULL;
      guint every = 2;
      refuses_loads = k > 0;
      n_loads = 0;
      g_autoptr (TlFrame) frame = tl_recon_run_subsampled (
          fixture.recon, fixture.recipe, 20, &every, NULL, &error);
      g_assert_no_error (error);
      g_assert_cmpuint (n_loads, ==, k < 2 ? 1 : 0);
      g_assert_cmpuint (every, ==, k == 0 ? 2 : 1);
      if (k == 0)
        continue;
      g_assert_true (tl_recon_get_last_engine (fixture.recon)
                     == fixture.engine);
      g_assert_true (tl_frame_fetch (frame, NULL));
      g_autoptr (TlFrame) all = tl_recon_fixture_run (&fixture, 20, 1);
      assert_same (&fixture, tl_frame_get_pixels (frame),
                   tl_frame_get_pixels (all));
    }
  refuses_loads = FALSE;
  tl_recon_fixture_clear (&fixture);
}

/* After cancelling, the last engine is no longer that of the subsampled
 * projections. */
static void
test_subsampled_refused_cancelled (gconstpointer data)
{
  TlReconFixture fixture;
  if (!set_up (&fixture, data))
    return;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  guint every = 2;
  tl_frame_unref (tl_recon_run_subsampled (fixture.recon, fixture.recipe, 20,
                                           &every, NULL, &error));
  g_assert_no_error (error);
  g_assert_true (tl_recon_get_last_engine (fixture.recon) != fixture.engine);
  refuses_loads = TRUE;
  g_cancellable_cancel (cancellable);
  g_assert_null (tl_recon_run_subsampled (fixture.recon, fixture.recipe, 20,
                                          &every, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_true (tl_recon_get_last_engine (fixture.recon) == fixture.engine);
  refuses_loads = FALSE;
  tl_recon_fixture_clear (&fixture);
}

/* The pixel size of the scan is used if the user gives none. */
static void
test_pixel_size (void)
{
  const double angles_deg[] = { 0 };
  TlScanInfo info = { .path = "/a/scan",
                      .n_projections = 1,
                      .n_rows = 1,
                      .n_cols = 100,
                      .angles_deg = angles_deg };
  g_autoptr (TlRecipe) recipe = tl_recipe_new ();
  g_autoptr (GError) error = NULL;
  g_assert_true (tl_recipe_set (recipe, "phase", "on", NULL));
  g_assert_true (tl_recipe_set (recipe, "energy", "20", NULL));
  g_assert_true (tl_recipe_set (recipe, "distance", "20", NULL));
  g_assert_true (tl_recipe_set (recipe, "delta-beta", "20", NULL));
  g_assert_false (tl_recipe_resolve (recipe, &info, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_VALUE);
  g_assert_cmpstr (error->message, ==,
                   "scan: phase retrieval needs the pixel size in µm "
                   "(pixel-size=UM), which is not given");

  info.pixel_size_um = 1.5;
  g_autoptr (TlRecipe) of_scan = tl_recipe_dup (recipe);
  g_assert_true (tl_recipe_resolve (of_scan, &info, NULL));
  g_assert_cmpfloat (of_scan->params.phase.pixel_um, ==, 1.5);
  g_assert_true (tl_recipe_set (recipe, "pixel-size", "0.75", NULL));
  g_assert_true (tl_recipe_resolve (recipe, &info, NULL));
  g_assert_cmpfloat (recipe->params.phase.pixel_um, ==, 0.75);

  /* For another scan phase retrieval is off, so that it opens with any
   * metadata; the values stay. */
  tl_recipe_forget_scan (recipe);
  g_assert_false (recipe->params.phase.on);
  g_assert_cmpfloat (recipe->params.phase.pixel_um, ==, 0);
  g_assert_cmpfloat (recipe->params.phase.energy_kev, ==, 20);
}

/* A band too large for memory is refused before it is allocated. */
static void
test_too_large (void)
{
  const TlScanInfo info = { .n_projections = 1 << 20,
                            .n_rows = 1 << 14,
                            .n_cols = 1 << 14,
                            .type = TL_SAMPLE_U16 };
  g_autoptr (GError) error = NULL;
  g_assert_false (tl_rows_check_memory (&info, 1, 4000, 1, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_VALUE);
  g_assert_nonnull (strstr (error->message, "a slice needs 4000 rows"));
  g_assert_true (tl_rows_check_memory (&info, 1, 0, 1, NULL));
}

int
main (int argc, char **argv)
{
  static const char *const engines[] = { "host", "cuda" };
  g_test_init (&argc, &argv, NULL);
  for (size_t k = 0; k < G_N_ELEMENTS (engines); k++)
    {
      g_autofree char *alone = g_strdup_printf ("/%s/phase/alone", engines[k]);
      g_autofree char *export =
          g_strdup_printf ("/%s/phase/export", engines[k]);
      g_autofree char *toggle =
          g_strdup_printf ("/%s/phase/toggle", engines[k]);
      g_autofree char *subsampled =
          g_strdup_printf ("/%s/phase/subsampled", engines[k]);
      g_autofree char *tilted =
          g_strdup_printf ("/%s/phase/subsampled-tilted", engines[k]);
      g_autofree char *refused =
          g_strdup_printf ("/%s/phase/subsampled-refused", engines[k]);
      g_autofree char *cancelled = g_strdup_printf (
          "/%s/phase/subsampled-refused-cancelled", engines[k]);
      g_test_add_data_func (alone, engines[k], test_alone);
      g_test_add_data_func (export, engines[k], test_export);
      g_test_add_data_func (toggle, engines[k], test_toggle);
      g_test_add_data_func (subsampled, engines[k], test_subsampled);
      g_test_add_data_func (tilted, engines[k], test_subsampled_tilted);
      g_test_add_data_func (refused, engines[k], test_subsampled_refused);
      g_test_add_data_func (cancelled, engines[k],
                            test_subsampled_refused_cancelled);
    }
  g_test_add_func ("/host/phase/pixel-size", test_pixel_size);
  g_test_add_func ("/host/phase/too-large", test_too_large);
  return g_test_run ();
}
