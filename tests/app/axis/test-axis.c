/* Slices with a tilted axis, or one near an edge of the detector, from the file
 * to the picture, for each engine: a slice does not depend on the band of rows
 * that it is made in. */
#include "app/export/export.h"

#include "tests/app/recon/recon-fixture.h"
#include "tests/app/scratch.h"

#include <string.h>

/* Relative L2 distance between a slice made together with others and the same
 * slice made alone; rounding on a device depends on the number of rows
 * transformed together. */
#define TOLERANCE_BAND_DEVICE 1e-5

/* More rows than three blocks of an export. */
enum
{
  N_PROJECTIONS = 37,
  N_ROWS = 59,
  N_COLS = 41
};

typedef struct
{
  const char *name;
  const char *centre, *tilt, *half, *phase;
  gboolean has_margin;
  size_t side; /* of a slice */
} Axis;

static const Axis axes[] = {
  { "rows", "19.3", "1.2", "auto", "off", FALSE, 41 },
  { "turned", "19.3", "-3", "off", "off", TRUE, 41 },
  { "turned-phase", "19.3", "3", "off", "on", TRUE, 41 },
  { "half", "6.2", "0", "auto", "off", FALSE, 80 },
  { "half-rows", "34.6", "0.7", "on", "off", FALSE, 80 },
  { "half-turned", "34.6", "-4", "auto", "off", TRUE, 80 },
};

typedef struct
{
  const char *engine;
  const Axis *axis;
} Case;

static void
set_recipe (TlReconFixture *fixture, const Axis *axis)
{
  tl_recon_fixture_set (fixture, "centre", axis->centre);
  tl_recon_fixture_set (fixture, "tilt", axis->tilt);
  tl_recon_fixture_set (fixture, "half", axis->half);
  tl_recon_fixture_set (fixture, "energy", "20");
  tl_recon_fixture_set (fixture, "distance", "20");
  tl_recon_fixture_set (fixture, "delta-beta", "20");
  tl_recon_fixture_set (fixture, "phase", axis->phase);
}

static gboolean
set_up (TlReconFixture *fixture, const Case *c)
{
  g_autoptr (GError) error = NULL;
  TlPhantomScan scan;
  if (!tl_recon_fixture_init (fixture, c->engine))
    return FALSE;
  tl_phantom_scan_init (&scan, N_PROJECTIONS, N_ROWS, N_COLS);
  scan.angles_deg[1] = 360;
  g_autofree char *path = tl_scratch_path (fixture->folder, "scan.h5");
  tl_phantom_write_scan (path, &scan, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  set_recipe (fixture, c->axis);
  tl_recon_fixture_open (fixture, path);
  TlReader *reader = tl_recon_get_reader (fixture->recon);
  g_assert_true (tl_reader_get_info (reader)->covers_turn);
  const size_t margin =
      tl_params_get_margin (&fixture->recipe->params, N_ROWS, N_COLS);
  g_assert_cmpint (margin > 0, ==, c->axis->has_margin);
  g_assert_cmpuint (margin, <, 25);
  return TRUE;
}

static TlFrame *
run (TlReconFixture *fixture, const Axis *axis, size_t row, size_t n_rows)
{
  TlFrame *frame = tl_recon_fixture_run (fixture, row, n_rows);
  g_assert_cmpuint (tl_frame_get_n_rows (frame), ==, axis->side);
  g_assert_cmpuint (tl_frame_get_n_cols (frame), ==, axis->side);
  return frame;
}

static void
assert_same (const Case *c, const float *got, const float *want)
{
  const size_t n = c->axis->side * c->axis->side;
  g_assert_cmpfloat (tl_recon_distance (got, want, n), <=,
                     strcmp (c->engine, "host") == 0 ? 0
                                                     : TOLERANCE_BAND_DEVICE);
}

/* Slices made alone equal those of the whole detector, which is a single band.
 */
static void
test_alone (gconstpointer data)
{
  static const size_t rows[] = { 0, N_ROWS - 1, 7, 29, 30, 28, 33, 50 };
  TlFrame *alone[G_N_ELEMENTS (rows)];
  const Case *c = data;
  TlReconFixture fixture;
  if (!set_up (&fixture, c))
    return;
  const size_t n = c->axis->side * c->axis->side;
  for (size_t k = 0; k < G_N_ELEMENTS (rows); k++)
    alone[k] = run (&fixture, c->axis, rows[k], 1);
  g_autoptr (TlFrame) whole = run (&fixture, c->axis, 0, N_ROWS);
  for (size_t k = 0; k < G_N_ELEMENTS (rows); k++)
    {
      assert_same (c, tl_frame_get_pixels (alone[k]),
                   tl_frame_get_pixels (whole) + rows[k] * n);
      tl_frame_unref (alone[k]);
    }
  tl_recon_fixture_clear (&fixture);
}

static void
test_export (gconstpointer data)
{
  const Case *c = data;
  TlReconFixture fixture;
  g_autoptr (GError) error = NULL;
  g_auto (TlExportReport) report = { 0 };
  if (!set_up (&fixture, c))
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
      g_autofree float *got =
          tl_scratch_read_tiff (path, c->axis->side * c->axis->side);
      g_autoptr (TlFrame) alone = run (&fixture, c->axis, row, 1);
      assert_same (c, got, tl_frame_get_pixels (alone));
    }
  tl_recon_fixture_clear (&fixture);
}

static void
add (const char *engine, const Axis *axis, const char *word, GTestDataFunc func)
{
  const Case c = { engine, axis };
  g_autofree char *path =
      g_strdup_printf ("/%s/axis/%s/%s", engine, axis->name, word);
  g_test_add_data_func_full (path, g_memdup2 (&c, sizeof c), func, g_free);
}

int
main (int argc, char **argv)
{
  static const char *const engines[] = { "host", "cuda" };
  g_test_init (&argc, &argv, NULL);
  for (size_t k = 0; k < G_N_ELEMENTS (engines); k++)
    for (size_t i = 0; i < G_N_ELEMENTS (axes); i++)
      {
        add (engines[k], &axes[i], "alone", test_alone);
        add (engines[k], &axes[i], "export", test_export);
      }
  return g_test_run ();
}
