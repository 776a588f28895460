/* Planes of the bins of a scan: the pixels of their slices, in the coordinates
 * and the unit of the whole scan. */
#include "app/worker/plane-levels.h"

#include "tests/app/scratch.h"

enum
{
  N_PROJECTIONS = 48,
  N_ROWS = 12,
  N_COLS = 62,
  BIN = 2,
  ROW = 3 /* of the bins */
};

static TlReader *
open_scan (const char *path, guint bin)
{
  const TlReaderOptions options = { .bin = bin };
  g_autoptr (GError) error = NULL;
  TlReader *reader = tl_reader_open (path, &options, &error);
  g_assert_no_error (error);
  return reader;
}

static TlRecipe *
make_recipe (TlReader *reader)
{
  g_autoptr (GError) error = NULL;
  TlRecipe *recipe = tl_recipe_new ();
  g_assert_true (tl_recipe_set (recipe, "precision", "full", &error));
  g_assert_true (tl_recipe_set (recipe, "method", "back-projection", &error));
  g_assert_true (tl_recipe_set (recipe, "centre", "33", &error));
  tl_recipe_resolve (recipe, tl_reader_get_info (reader), &error);
  g_assert_no_error (error);
  return recipe;
}

/* Returns: (transfer full): row ROW of the bins, as a scan of its own */
static TlFrame *
make_slice (const char *path, TlEngine *engine)
{
  g_autoptr (GError) error = NULL;
  TlReader *reader = open_scan (path, BIN);
  g_autoptr (TlRecon) recon = tl_recon_new (reader, engine);
  g_autoptr (TlRecipe) recipe = tl_recipe_new ();
  g_assert_true (tl_recipe_set (recipe, "precision", "full", &error));
  g_assert_true (tl_recipe_set (recipe, "method", "back-projection", &error));
  /* column 33 of the scan: (33 - 0.5) / 2 */
  g_assert_true (tl_recipe_set (recipe, "centre", "16.25", &error));
  g_assert_true (
      tl_recipe_resolve (recipe, tl_reader_get_info (reader), &error));
  TlFrame *frame = tl_recon_run (recon, recipe, ROW, 1, NULL, &error);
  g_assert_no_error (error);
  return frame;
}

static void
test_slice (void)
{
  char *folder = tl_scratch_new ();
  g_autofree char *path =
      tl_scratch_phantom (folder, "scan.h5", N_PROJECTIONS, N_ROWS, N_COLS);
  g_autoptr (GError) error = NULL;
  g_autoptr (TlEngine) engine = tl_engine_open ("host", &error);
  g_autoptr (TlHeldBudget) budget = tl_held_budget_new (1 << 24);
  g_autoptr (TlReader) whole = open_scan (path, 1);
  g_autoptr (TlReader) binned = open_scan (path, BIN);
  g_autoptr (TlRecipe) recipe = make_recipe (whole);
  g_autoptr (TlHeldCopy) copy =
      tl_held_copy_new (binned, budget, NULL, NULL, NULL, &error);
  g_autoptr (TlPlaneLevels) levels = tl_plane_levels_new ();
  g_autoptr (TlFrame) slice = make_slice (path, engine);
  g_auto (TlPlaneSet) set = { 0 };
  TlStats stats;
  TlReconTimes times;
  TlEngineReport report;
  /* the same pixels in those of the scan; rows 6 and 7 are row 3 of the bins */
  TlGrid grid = tl_grid_full (N_COLS / BIN);
  grid.x0 *= BIN;
  grid.y0 *= BIN;
  grid.pitch *= BIN;
  const TlPlane planes[TL_N_PANES] = { tl_plane_xy (&grid, 6.5) };
  tl_plane_levels_run (levels, FALSE, copy, BIN, "host", recipe, planes, 1,
                       NULL, &set, &stats, &times, &report, &error);
  g_assert_no_error (error);
  g_assert_null (set.frames[TL_PANE_XZ]);
  g_assert_cmpuint (set.bin, ==, BIN);
  g_assert_cmpfloat (set.planes[TL_PANE_XY].origin[2], ==, 6.5);
  const float *got = tl_frame_get_pixels (set.frames[TL_PANE_XY]);
  const float *want = tl_frame_get_pixels (slice);
  for (size_t k = 0; k < grid.nx * grid.ny; k++)
    g_assert_cmpfloat_with_epsilon (got[k], want[k] / BIN, 1e-7);
  g_assert_cmpfloat (stats.max, >, 0);
  tl_scratch_free (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/plane-levels/slice", test_slice);
  return g_test_run ();
}
