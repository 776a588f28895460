/* Where the axis is, from the file to the picture, for each engine: tilted, or
 * near an edge of the detector. In whatever band of rows a slice is made, it is
 * the same. */
#include "app/export.h"

#include "tests/app/scratch.h"

#include <math.h>
#include <string.h>

/* Relative L2 distance of a slice made with others from the same one alone; a
 * device rounds by how many rows it transforms at once. */
#define TOLERANCE_BAND_DEVICE 1e-5

/* More rows than three blocks of an export have. */
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

typedef struct
{
  char *folder;
  TlEngine *engine;
  TlRecipe *recipe;
  TlRecon *recon;
  const Axis *axis;
} Bench;

static void
set (TlRecipe *recipe, const char *key, const char *value)
{
  g_autoptr (GError) error = NULL;
  tl_recipe_set (recipe, key, value, &error);
  g_assert_no_error (error);
}

static void
set_recipe (Bench *bench, const char *engine)
{
  bench->recipe = tl_recipe_new ();
  set (bench->recipe, "engine", engine);
  set (bench->recipe, "centre", bench->axis->centre);
  set (bench->recipe, "tilt", bench->axis->tilt);
  set (bench->recipe, "half", bench->axis->half);
  set (bench->recipe, "energy", "20");
  set (bench->recipe, "distance", "20");
  set (bench->recipe, "delta-beta", "20");
  set (bench->recipe, "phase", bench->axis->phase);
}

static gboolean
bench_init (Bench *bench, const Case *c)
{
  g_autoptr (GError) error = NULL;
  bench->engine = tl_engine_open (c->engine, &error);
  if (bench->engine == NULL)
    {
      g_test_skip (error->message);
      return FALSE;
    }
  TlPhantomScan scan;
  tl_phantom_scan_init (&scan, N_PROJECTIONS, N_ROWS, N_COLS);
  scan.angles_deg[1] = 360;
  bench->axis = c->axis;
  bench->folder = tl_scratch_new ();
  g_autofree char *path = tl_scratch_path (bench->folder, "scan.h5");
  tl_phantom_write_scan (path, &scan, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  TlReader *reader = tl_reader_open (path, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (tl_reader_get_info (reader)->covers_turn);
  set_recipe (bench, c->engine);
  tl_recipe_resolve (bench->recipe, tl_reader_get_info (reader), &error);
  g_assert_no_error (error);
  const size_t margin =
      tl_params_get_margin (&bench->recipe->params, N_ROWS, N_COLS);
  g_assert_cmpint (margin > 0, ==, c->axis->has_margin);
  g_assert_cmpuint (margin, <, 25);
  bench->recon = tl_recon_new (reader, bench->engine);
  return TRUE;
}

static void
bench_clear (Bench *bench)
{
  tl_recon_free (bench->recon);
  tl_recipe_free (bench->recipe);
  tl_engine_close (bench->engine);
  tl_scratch_free (bench->folder);
}

static TlFrame *
run (Bench *bench, size_t row, size_t n_rows)
{
  g_autoptr (GError) error = NULL;
  TlFrame *frame =
      tl_recon_run (bench->recon, bench->recipe, row, n_rows, NULL, &error);
  g_assert_no_error (error);
  tl_frame_fetch (frame, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (tl_frame_get_n_rows (frame), ==, bench->axis->side);
  g_assert_cmpuint (tl_frame_get_n_cols (frame), ==, bench->axis->side);
  return frame;
}

static void
assert_same (Bench *bench, const float *got, const float *want)
{
  const gboolean is_host =
      strcmp (tl_engine_get_name (bench->engine), "host") == 0;
  double off = 0, all = 0;
  for (size_t i = 0; i < bench->axis->side * bench->axis->side; i++)
    {
      off += pow ((double)got[i] - want[i], 2);
      all += pow (want[i], 2);
    }
  g_assert_cmpfloat (all, >, 0);
  g_assert_cmpfloat (sqrt (off / all), <=, is_host ? 0 : TOLERANCE_BAND_DEVICE);
}

/* The whole detector at once has no band to be wrong about. */
static void
test_alone (gconstpointer data)
{
  static const size_t rows[] = { 0, N_ROWS - 1, 7, 29, 30, 28, 33, 50 };
  TlFrame *alone[G_N_ELEMENTS (rows)];
  Bench bench;
  if (!bench_init (&bench, data))
    return;
  const size_t n = bench.axis->side * bench.axis->side;
  for (size_t k = 0; k < G_N_ELEMENTS (rows); k++)
    alone[k] = run (&bench, rows[k], 1);
  g_autoptr (TlFrame) whole = run (&bench, 0, N_ROWS);
  for (size_t k = 0; k < G_N_ELEMENTS (rows); k++)
    {
      assert_same (&bench, tl_frame_get_pixels (alone[k]),
                   tl_frame_get_pixels (whole) + rows[k] * n);
      tl_frame_unref (alone[k]);
    }
  bench_clear (&bench);
}

static void
test_export (gconstpointer data)
{
  Bench bench;
  g_autoptr (GError) error = NULL;
  TlExportReport report;
  if (!bench_init (&bench, data))
    return;
  g_autofree char *out = tl_scratch_path (bench.folder, "out");
  tl_export (bench.recon, bench.recipe, 0, N_ROWS, out, 0, NULL, NULL, NULL,
             &report, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (report.n_slices, ==, N_ROWS);
  for (size_t row = 0; row < N_ROWS; row += 5)
    {
      g_autofree char *name = g_strdup_printf ("out/recon_%05zu.tiff", row);
      g_autofree char *path = tl_scratch_path (bench.folder, name);
      g_autofree float *got =
          tl_scratch_read_tiff (path, bench.axis->side * bench.axis->side);
      g_autoptr (TlFrame) alone = run (&bench, row, 1);
      assert_same (&bench, got, tl_frame_get_pixels (alone));
    }
  bench_clear (&bench);
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
