/* Reconstruction from the file to the picture, for each engine. */
#include "app/export/export.h"

#include "data/error.h"
#include "data/write/writer.h"
#include "tests/app/recon/recon-fixture.h"
#include "tests/app/scratch.h"

#include <math.h>
#include <string.h>

/* For averages of real data, whose reference is another implementation. */
#define TOLERANCE_REAL 0.01

/* Pixels, for the borders of the tooth: they differ by 0.04 from the reference,
 * and by 0.5 if the centre is half a column off. */
#define TOLERANCE_BORDER 0.15

/* Relative L2 distance between a slice of an export and the same slice made
 * alone. A device transforms two rows as one and back-projects several slices
 * together, so that rounding depends on the neighbours; host treats each slice
 * separately. */
#define TOLERANCE_EXPORT_DEVICE 1e-6
#define TOLERANCE_EXPORT_HOST 0.0

/* Odd sizes, and more rows than two blocks of an export. */
enum
{
  N_PROJECTIONS = 37,
  N_ROWS = 19,
  N_COLS = 61
};

typedef struct
{
  const char *scan, *row, *centre, *angles;
  double radius[2], mean[2]; /* mean of the pixels within radius of the axis */
} Reference;

/* The values are from the README files of the data. */
static const Reference references[] = {
  { "tomopy-tooth/tooth.h5",
    "0",
    "295.9",
    "",
    { 60, 100 },
    { 0.004505, 0.005367 } },
  { "tomopy-tooth/tooth.h5",
    "0",
    "295.55",
    "0:180",
    { 60, 100 },
    { 0.004510, 0.005365 } },
  { "savu-24737-tiff", "100", "85.83", "", { 10, 40 }, { 0.01939, 0.01252 } },
  { "savu-24737-tiff", "67", "85.83", "", { 10, 40 }, { 0.01306, 0.00577 } },
  { "savu-24737-nxtomo/24737-derived.nxs",
    "100",
    "85.83",
    "",
    { 10, 40 },
    { 0.01939, 0.01252 } },
  { "savu-24737-nxtomo/24737-derived.nxs",
    "67",
    "85.83",
    "",
    { 10, 40 },
    { 0.01306, 0.00577 } },
  { "psi-wood-sinogram/woodsino_0200.tif",
    "0",
    "252.5",
    "0:360",
    { 100, 180 },
    { 0.001900, 0.001449 } },
};

typedef struct
{
  const char *engine;
  const Reference *reference; /* (nullable) */
} Case;

static gboolean
set_up (TlReconFixture *fixture, const char *engine)
{
  if (!tl_recon_fixture_init (fixture, engine))
    return FALSE;
  g_autofree char *path = tl_scratch_phantom (fixture->folder, "scan.h5",
                                              N_PROJECTIONS, N_ROWS, N_COLS);
  tl_recon_fixture_set (fixture, "centre", "28.3");
  tl_recon_fixture_open (fixture, path);
  return TRUE;
}

static double
disc_mean (TlFrame *frame, double radius)
{
  const size_t n = tl_frame_get_n_cols (frame);
  const float *pixels = tl_frame_get_pixels (frame);
  const double middle = ((double)n - 1) / 2;
  double sum = 0, count = 0;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++)
      if (hypot ((double)i - middle, (double)j - middle) <= radius)
        {
          sum += (double)pixels[i * n + j];
          count++;
        }
  return sum / count;
}

static void
test_real (gconstpointer data)
{
  const Case *c = data;
  const Reference *reference = c->reference;
  g_autofree char *path = tl_scratch_shared (reference->scan);
  TlReconFixture fixture;
  if (path == NULL || !tl_recon_fixture_init (&fixture, c->engine))
    return;
  tl_recon_fixture_set (&fixture, "slice", reference->row);
  tl_recon_fixture_set (&fixture, "centre", reference->centre);
  tl_recon_fixture_set (&fixture, "angles", reference->angles);
  tl_recon_fixture_open (&fixture, path);
  g_autoptr (TlFrame) frame =
      tl_recon_fixture_run (&fixture, fixture.recipe->slice, 1);
  for (size_t k = 0; k < 2; k++)
    {
      const double mean = disc_mean (frame, reference->radius[k]);
      g_test_message ("r <= %g: mean %.6f, reference %.6f",
                      reference->radius[k], mean, reference->mean[k]);
      g_assert_cmpfloat_with_epsilon (mean, reference->mean[k],
                                      TOLERANCE_REAL * reference->mean[k]);
    }
  tl_recon_fixture_clear (&fixture);
}

/* Returns: the mean of the pixels up to @reach rows and columns away */
static double
square_mean (TlFrame *frame, size_t row, size_t col, size_t reach)
{
  const size_t n_cols = tl_frame_get_n_cols (frame), side = 2 * reach + 1;
  const float *pixels = tl_frame_get_pixels (frame);
  double sum = 0;
  for (size_t i = row - reach; i <= row + reach; i++)
    for (size_t j = col - reach; j <= col + reach; j++)
      sum += (double)pixels[i * n_cols + j];
  return sum / (double)(side * side);
}

/* Returns: the subpixel row where the border of the tooth crosses columns @col
 * - 4 … @col + 4, searched from air at @row towards the tooth */
static double
find_border (TlFrame *frame, size_t row, size_t col, int step)
{
  const double level = 0.0038; /* half of enamel's value */
  const size_t n_cols = tl_frame_get_n_cols (frame);
  const float *pixels = tl_frame_get_pixels (frame);
  for (double before = 0;; row += (size_t)step)
    {
      double mean = 0;
      for (size_t j = col - 4; j <= col + 4; j++)
        mean += (double)pixels[row * n_cols + j] / 9;
      if (mean >= level)
        return (double)row - step * (mean - level) / (mean - before);
      before = mean;
      g_assert_cmpuint (row, <, n_cols - 1);
    }
}

/* Detects a slice that is mirrored, turned, or has its centre half a column
 * off. Positions and borders are from the data's preview.png, a picture of
 * another implementation. Its y axis points down and ours up, so rows are
 * counted from the bottom here. */
static void
test_tooth_orientation (gconstpointer data)
{
  static const struct
  {
    size_t row, col;
    double low, high;
  } places[] = {
    { 330, 305, -0.0005,
      0.0015 },                   /* hollow; enamel if mirrored left to right */
    { 420, 405, 0.0070, 0.0085 }, /* enamel; air if upside down or turned */
    { 440, 265, 0.0055, 0.0080 }, /* enamel, on the left */
    { 270, 280, 0.0040, 0.0055 }, /* dentine; enamel if upside down */
    { 280, 395, 0.0040,
      0.0055 }, /* dentine; enamel if mirrored left to right */
  };
  static const struct
  {
    size_t from, col;
    int step;
    double row;
  } borders[] = {
    { 190, 290, 1, 209.98 },  { 190, 300, 1, 208.69 },
    { 190, 310, 1, 208.80 },  { 490, 260, -1, 458.46 },
    { 490, 270, -1, 461.87 }, { 490, 400, -1, 469.82 },
  };
  g_autofree char *path = tl_scratch_shared ("tomopy-tooth/tooth.h5");
  TlReconFixture fixture;
  if (path == NULL
      || !tl_recon_fixture_init (&fixture, ((const Case *)data)->engine))
    return;
  tl_recon_fixture_set (&fixture, "slice", "0");
  tl_recon_fixture_set (&fixture, "centre", "295.9");
  tl_recon_fixture_open (&fixture, path);
  g_autoptr (TlFrame) frame = tl_recon_fixture_run (&fixture, 0, 1);
  for (size_t k = 0; k < G_N_ELEMENTS (places); k++)
    {
      const double mean = square_mean (frame, places[k].row, places[k].col, 5);
      g_test_message ("row %zu, column %zu: %.5f", places[k].row, places[k].col,
                      mean);
      g_assert_cmpfloat (mean, >, places[k].low);
      g_assert_cmpfloat (mean, <, places[k].high);
    }
  for (size_t k = 0; k < G_N_ELEMENTS (borders); k++)
    g_assert_cmpfloat_with_epsilon (
        find_border (frame, borders[k].from, borders[k].col, borders[k].step),
        borders[k].row, TOLERANCE_BORDER);
  tl_recon_fixture_clear (&fixture);
}

/* Data that was read and uploaded is reused while the rows are the same. */
static void
test_keeps (gconstpointer data)
{
  TlReconFixture fixture;
  TlEngineReport report;
  if (!set_up (&fixture, ((const Case *)data)->engine))
    return;
  tl_frame_unref (tl_recon_fixture_run (&fixture, 3, 1));
  tl_recon_fixture_set (&fixture, "centre", "29");
  tl_frame_unref (tl_recon_fixture_run (&fixture, 3, 1));
  g_assert_true (tl_engine_get_report (fixture.engine, &report, NULL));
  g_assert_cmpuint (report.n_runs[TL_STAGE_UPLOAD], ==, 1);
  g_assert_cmpuint (report.n_runs[TL_STAGE_TRANSFORM], ==, 1);
  g_assert_cmpuint (report.n_runs[TL_STAGE_BACKPROJECT], ==, 2);
  tl_frame_unref (tl_recon_fixture_run (&fixture, 4, 1));
  g_assert_true (tl_engine_get_report (fixture.engine, &report, NULL));
  g_assert_cmpuint (report.n_runs[TL_STAGE_UPLOAD], ==, 2);
  tl_recon_fixture_clear (&fixture);
}

static void
assert_same (TlFrame *a, TlFrame *b)
{
  const size_t n = tl_frame_get_n_rows (a) * tl_frame_get_n_cols (a);
  g_assert_cmpmem (tl_frame_get_pixels (a), n * sizeof (float),
                   tl_frame_get_pixels (b), n * sizeof (float));
}

/* Rows that another reconstruction has loaded meanwhile are noticed. */
static void
test_shared_engine (gconstpointer data)
{
  TlReconFixture fixture;
  if (!set_up (&fixture, ((const Case *)data)->engine))
    return;
  g_autofree char *path =
      tl_scratch_phantom (fixture.folder, "b.h5", 11, 2, 17);
  g_autoptr (TlRecipe) recipe = tl_recipe_new ();
  TlReconFixture other = { .engine = fixture.engine, .recipe = recipe };
  tl_recon_fixture_open (&other, path);
  g_autoptr (TlFrame) before = tl_recon_fixture_run (&fixture, 3, 1);
  g_autoptr (TlFrame) between = tl_recon_fixture_run (&other, 0, 1);
  g_assert_cmpuint (tl_frame_get_n_cols (between), ==, 17);
  g_autoptr (TlFrame) after = tl_recon_fixture_run (&fixture, 3, 1);
  assert_same (before, after);
  tl_recon_free (other.recon);
  tl_recon_fixture_clear (&fixture);
}

/* An exported volume has the values of the slices in the window; on host bit
 * for bit. */
static void
test_export (gconstpointer data)
{
  const char *engine = ((const Case *)data)->engine;
  const double tolerance = strcmp (engine, "host") == 0
                               ? TOLERANCE_EXPORT_HOST
                               : TOLERANCE_EXPORT_DEVICE;
  TlReconFixture fixture;
  g_auto (TlExportReport) report = { 0 };
  g_autoptr (GError) error = NULL;
  if (!set_up (&fixture, engine))
    return;
  g_autofree char *out = tl_scratch_path (fixture.folder, "volume");
  const TlExportJob job = tl_recon_fixture_job (&fixture, 1, N_ROWS - 1, out);
  tl_export (&job, NULL, NULL, NULL, NULL, &report, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (report.n_slices, ==, N_ROWS - 1);
  for (size_t row = 1; row < N_ROWS; row++)
    {
      g_autofree char *name = g_strdup_printf ("recon_%05zu.tiff", row);
      g_autofree char *path = tl_scratch_path (out, name);
      g_autofree float *got =
          tl_scratch_read_tiff (path, (size_t)N_COLS * N_COLS);
      g_autoptr (TlFrame) frame = tl_recon_fixture_run (&fixture, row, 1);
      g_assert_cmpfloat (tl_recon_distance (got, tl_frame_get_pixels (frame),
                                            (size_t)N_COLS * N_COLS),
                         <=, tolerance);
    }
  g_autofree char *recipe_path = tl_scratch_path (out, "recipe.ini");
  g_autoptr (TlRecipe) recipe = tl_recipe_load (recipe_path, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (recipe->params.centre_col, ==, 28.3);
  tl_recon_fixture_clear (&fixture);
}

/* Cancels when some slices may be written. */
static void
cancel_at_once (double fraction, gpointer cancellable)
{
  g_cancellable_cancel (cancellable);
}

static void
test_export_cancelled (gconstpointer data)
{
  TlReconFixture fixture;
  g_auto (TlExportReport) report = { 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  if (!set_up (&fixture, ((const Case *)data)->engine))
    return;
  g_autofree char *out = tl_scratch_path (fixture.folder, "volume");
  const TlExportJob job = tl_recon_fixture_job (&fixture, 0, N_ROWS, out);
  g_assert_false (tl_export (&job, NULL, cancel_at_once, cancellable,
                             cancellable, &report, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_cmpuint (report.n_slices, <, N_ROWS);
  g_assert_false (g_file_test (out, G_FILE_TEST_EXISTS));
  tl_recon_fixture_clear (&fixture);
}

/* An export that cannot begin leaves no files. */
static void
test_export_refused (gconstpointer data)
{
  TlReconFixture fixture;
  if (!set_up (&fixture, ((const Case *)data)->engine))
    return;
  g_autofree char *out = tl_scratch_path (fixture.folder, "volume");
  g_autofree char *file = tl_scratch_path (fixture.folder, "scan.h5");
  g_autofree char *before = tl_scratch_list (fixture.folder);
  g_autoptr (GError) error = NULL;
  g_auto (TlExportReport) range = { 0 }, scan = { 0 }, variant = { 0 };
  TlExportJob job = tl_recon_fixture_job (&fixture, N_ROWS - 1, 2, out);
  g_assert_false (tl_export (&job, NULL, NULL, NULL, NULL, &range, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_VALUE);
  g_clear_error (&error);
  job = tl_recon_fixture_job (&fixture, 0, 2, file);
  g_assert_false (tl_export (&job, NULL, NULL, NULL, NULL, &scan, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_FILE);
  g_clear_error (&error);
  fixture.recipe->params.kernel = TL_KERNEL_TEXTURE;
  fixture.recipe->params.interpolation = TL_INTERPOLATION_OVERSAMPLED;
  job = tl_recon_fixture_job (&fixture, 0, 2, out);
  g_assert_false (tl_export (&job, NULL, NULL, NULL, NULL, &variant, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_UNSUPPORTED);
  g_autofree char *after = tl_scratch_list (fixture.folder);
  g_assert_cmpstr (before, ==, after);
  tl_recon_fixture_clear (&fixture);
}

static void
add_case (const char *engine, const char *name, GTestDataFunc func,
          const Reference *reference)
{
  g_autofree char *path = g_strdup_printf ("/%s/recon/%s", engine, name);
  Case *c = g_new (Case, 1);
  *c = (Case){ engine, reference };
  g_test_add_data_func_full (path, c, func, g_free);
}

int
main (int argc, char **argv)
{
  static const char *const engines[] = { "host", "cuda" };
  g_test_init (&argc, &argv, NULL);
  for (size_t e = 0; e < G_N_ELEMENTS (engines); e++)
    {
      for (size_t k = 0; k < G_N_ELEMENTS (references); k++)
        {
          g_autofree char *name =
              g_strdup_printf ("real/%s/%s/%s", references[k].scan,
                               references[k].row, references[k].centre);
          add_case (engines[e], name, test_real, &references[k]);
        }
      add_case (engines[e], "real/tooth-orientation", test_tooth_orientation,
                NULL);
      add_case (engines[e], "keeps", test_keeps, NULL);
      add_case (engines[e], "shared-engine", test_shared_engine, NULL);
      add_case (engines[e], "export", test_export, NULL);
      add_case (engines[e], "export-cancelled", test_export_cancelled, NULL);
      add_case (engines[e], "export-refused", test_export_refused, NULL);
    }
  return g_test_run ();
}
