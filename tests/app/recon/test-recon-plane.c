/* Planes from the file, for each engine: in one block of rows and in many. */
#include "app/recon/volume/voxels.h"
#include "data/error.h"
#include "gpu/choice/device-memory.h"
#include "tests/app/recon/recon-fixture.h"
#include "tests/app/scratch.h"

#include <math.h>
#include <string.h>

/* Relative L2 distance between sums in another order; a device transforms two
 * rows as one besides, so that rounding depends on the neighbour. */
#define TOLERANCE 1e-5

enum
{
  N_PROJECTIONS = 37,
  N_ROWS = 19,
  N_COLS = 61
};

/* The memory of the device, of which the host has none, and loading of all rows
 * that finds no memory. */
guint64 __wrap_tl_engine_get_free (TlEngine *engine);
static guint64 free_bytes;

guint64
__wrap_tl_engine_get_free (TlEngine *engine)
{
  return free_bytes;
}

TlFrame *__real_tl_recon_run_plane_rows (TlRecon *recon, const TlRecipe *recipe,
                                         const TlPlane *plane, size_t first_row,
                                         size_t n_rows,
                                         GCancellable *cancellable,
                                         GError **error);
TlFrame *__wrap_tl_recon_run_plane_rows (TlRecon *recon, const TlRecipe *recipe,
                                         const TlPlane *plane, size_t first_row,
                                         size_t n_rows,
                                         GCancellable *cancellable,
                                         GError **error);
static gboolean lacks_memory;

TlFrame *
__wrap_tl_recon_run_plane_rows (TlRecon *recon, const TlRecipe *recipe,
                                const TlPlane *plane, size_t first_row,
                                size_t n_rows, GCancellable *cancellable,
                                GError **error)
{
  if (!lacks_memory || n_rows < N_ROWS)
    return __real_tl_recon_run_plane_rows (recon, recipe, plane, first_row,
                                           n_rows, cancellable, error);
  tl_fail (error, TL_ERROR_MEMORY, "no memory for all rows");
  return NULL;
}

static gboolean
set_up (TlReconFixture *fixture, const char *engine)
{
  if (!tl_recon_fixture_init (fixture, engine))
    return FALSE;
  g_autofree char *scan = tl_scratch_phantom (fixture->folder, "scan.h5",
                                              N_PROJECTIONS, N_ROWS, N_COLS);
  tl_recon_fixture_set (fixture, "precision", "full");
  tl_recon_fixture_open (fixture, scan);
  return TRUE;
}

static TlPlane
make_oblique (double z)
{
  const double middle[] = { 3, -2, z };
  const double u[] = { 0.9, 0.3, 0.2 }, v[] = { 0.1, -0.9, 0.25 };
  return tl_plane_oblique (middle, u, v, N_COLS);
}

static TlFrame *
run (TlReconFixture *fixture, const TlPlane *plane, size_t max_rows)
{
  g_autoptr (GError) error = NULL;
  TlFrame *frame = tl_recon_run_plane (fixture->recon, fixture->recipe, plane,
                                       max_rows, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (tl_frame_fetch (frame, &error));
  return frame;
}

/* Blocks of any height give the same plane; with a margin of a tilt too. */
static void
test_blocks (gconstpointer data)
{
  static const char *const tilts[] = { "0", "-4" };
  static const size_t heights[] = { 1, 5, 18 };
  const TlPlane plane = make_oblique (9.3);
  TlReconFixture fixture;
  if (!set_up (&fixture, data))
    return;
  for (size_t i = 0; i < G_N_ELEMENTS (tilts); i++)
    {
      tl_recon_fixture_set (&fixture, "tilt", tilts[i]);
      g_autoptr (TlFrame) whole = run (&fixture, &plane, 0);
      for (size_t k = 0; k < G_N_ELEMENTS (heights); k++)
        {
          TlEngineReport before, after;
          g_assert_true (tl_engine_get_report (fixture.engine, &before, NULL));
          g_autoptr (TlFrame) parts = run (&fixture, &plane, heights[k]);
          g_assert_true (tl_engine_get_report (fixture.engine, &after, NULL));
          g_assert_cmpuint (after.n_runs[TL_STAGE_BACKPROJECT]
                                - before.n_runs[TL_STAGE_BACKPROJECT],
                            ==, (N_ROWS + heights[k] - 1) / heights[k]);
          g_assert_cmpfloat (tl_recon_distance (tl_frame_get_pixels (parts),
                                                tl_frame_get_pixels (whole),
                                                N_COLS * N_COLS),
                             <, TOLERANCE);
        }
    }
  tl_recon_fixture_clear (&fixture);
}

/* Only the rows that a plane needs are loaded, and those of the last plane are
 * loaded once. */
static void
test_rows (gconstpointer data)
{
  TlReconFixture fixture;
  TlEngineReport report;
  if (!set_up (&fixture, data))
    return;
  const TlPlane plane = tl_plane_xy (&fixture.recipe->params.grid, 7.5);
  g_autoptr (TlFrame) slices = tl_recon_fixture_run (&fixture, 7, 2);
  g_autoptr (TlFrame) between = run (&fixture, &plane, 0);
  const float *upper = tl_frame_get_pixels (slices);
  const float *lower = upper + N_COLS * N_COLS;
  float want[N_COLS * N_COLS];
  for (size_t k = 0; k < G_N_ELEMENTS (want); k++)
    want[k] = (upper[k] + lower[k]) / 2;
  g_assert_cmpfloat (tl_recon_distance (tl_frame_get_pixels (between), want,
                                        G_N_ELEMENTS (want)),
                     <, TOLERANCE);
  g_assert_true (tl_engine_get_report (fixture.engine, &report, NULL));
  g_assert_cmpuint (report.n_runs[TL_STAGE_UPLOAD], ==, 1);
  tl_recon_fixture_clear (&fixture);
}

/* A plane along the axis, of @n_needed rows from row 3 on, in blocks of 4 rows
 * where the device has no room for all. @frame: (out). Returns: how often rows
 * were loaded */
static guint
run_along (TlReconFixture *fixture, size_t n_needed, TlFrame **frame)
{
  TlPlane plane = tl_plane_xz (&fixture->recipe->params.grid, 25, n_needed);
  TlEngineReport before, after;
  TlReconTimes times;
  g_autoptr (GError) error = NULL;
  plane.origin[2] += 3;
  g_assert_true (tl_engine_get_report (fixture->engine, &before, NULL));
  tl_recon_run_planes (fixture->recon, fixture->recipe, &plane, 1, 4, frame,
                       &times, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (tl_engine_get_report (fixture->engine, &after, NULL));
  g_assert_true (tl_frame_fetch (*frame, NULL));
  return after.n_runs[TL_STAGE_UPLOAD] - before.n_runs[TL_STAGE_UPLOAD];
}

static guint
count_loads (TlReconFixture *fixture, size_t n_needed)
{
  TlFrame *frame;
  const guint n = run_along (fixture, n_needed, &frame);
  tl_frame_unref (frame);
  return n;
}

/* Returns: the memory of which all rows take @part */
static guint64
find_room (TlReconFixture *fixture, double part)
{
  const TlScanInfo *info =
      tl_reader_get_info (tl_recon_get_reader (fixture->recon));
  const TlDeviceLoad load = { .n_projections = info->n_projections,
                              .n_cols = info->n_cols,
                              .n_rows = info->n_rows,
                              .type = info->type,
                              .for_planes = TRUE };
  return (guint64)((double)tl_device_memory_estimate (&fixture->recipe->params,
                                                      &load)
                   / part);
}

/* Rows that a device has stay there where room and need change a little. */
static void
test_room (gconstpointer data)
{
  TlReconFixture fixture;
  if (!set_up (&fixture, data))
    return;
  tl_recon_fixture_set (&fixture, "method", "back-projection");
  free_bytes = find_room (&fixture, 0.75);
  g_assert_cmpuint (count_loads (&fixture, 16), ==, 4);
  free_bytes = find_room (&fixture, 0.65);
  g_assert_cmpuint (count_loads (&fixture, 8), ==, 2);
  g_assert_cmpuint (count_loads (&fixture, 16), ==, 1);
  g_assert_cmpuint (count_loads (&fixture, 8), ==, 0);
  free_bytes = find_room (&fixture, 0.8);
  g_assert_cmpuint (count_loads (&fixture, 16), ==, 0);
  g_assert_cmpuint (count_loads (&fixture, 4), ==, 1);
  /* the first block is there */
  g_assert_cmpuint (count_loads (&fixture, 16), ==, 3);
  free_bytes = find_room (&fixture, 0.65);
  g_assert_cmpuint (count_loads (&fixture, 16), ==, 1);
  free_bytes = find_room (&fixture, 0.9);
  g_assert_cmpuint (count_loads (&fixture, 16), ==, 4);
  tl_recon_fixture_clear (&fixture);
}

/* Without room for all rows the plane is the same: where that is known, and
 * where it turns out. */
static void
test_no_room (gconstpointer data)
{
  g_autoptr (TlFrame) all = NULL;
  g_autoptr (TlFrame) known = NULL;
  g_autoptr (TlFrame) found = NULL;
  TlReconFixture fixture;
  if (!set_up (&fixture, data))
    return;
  free_bytes = G_MAXUINT64;
  g_assert_cmpuint (run_along (&fixture, 16, &all), ==, 1);
  free_bytes = 0;
  g_assert_cmpuint (run_along (&fixture, 16, &known), ==, 4);
  free_bytes = G_MAXUINT64;
  lacks_memory = TRUE;
  g_assert_cmpuint (run_along (&fixture, 16, &found), ==, 4);
  lacks_memory = FALSE;
  const float *want = tl_frame_get_pixels (all);
  g_assert_cmpfloat (
      tl_recon_distance (tl_frame_get_pixels (known), want, 16 * N_COLS), <,
      TOLERANCE);
  g_assert_cmpfloat (
      tl_recon_distance (tl_frame_get_pixels (found), want, 16 * N_COLS), <,
      TOLERANCE);
  g_clear_pointer (&all, tl_frame_unref);
  g_clear_pointer (&known, tl_frame_unref);
  g_clear_pointer (&found, tl_frame_unref);
  tl_recon_fixture_clear (&fixture);
}

static void
test_refused (gconstpointer data)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) beside = NULL, cancelled = NULL;
  const TlPlane far = make_oblique (100), near = make_oblique (9);
  TlReconFixture fixture;
  if (!set_up (&fixture, data))
    return;
  g_assert_null (tl_recon_run_plane (fixture.recon, fixture.recipe, &far, 0,
                                     NULL, &beside));
  g_assert_error (beside, TL_ERROR, TL_ERROR_VALUE);
  g_assert_cmpstr (beside->message, ==,
                   "scan.h5: the plane passes beside the detector, whose rows "
                   "are 0 to 18");
  g_cancellable_cancel (cancellable);
  g_assert_null (tl_recon_run_plane (fixture.recon, fixture.recipe, &near, 3,
                                     cancellable, &cancelled));
  g_assert_error (cancelled, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_autoptr (TlFrame) frame = run (&fixture, &near, 3);
  g_assert_nonnull (frame);
  tl_recon_fixture_clear (&fixture);
}

/* A volume is made by the engine in use, also where the recipe names one that
 * was lost. */
static void
test_volume (gconstpointer data)
{
  TlReconFixture fixture;
  g_autoptr (GError) error = NULL;
  TlVoxels voxels;
  if (!set_up (&fixture, data))
    return;
  tl_recon_fixture_set (&fixture, "method", "auto");
  g_free (fixture.recipe->engine);
  fixture.recipe->engine = g_strdup ("cuda:99");
  tl_voxels_make (&voxels, fixture.recon, fixture.recipe, NULL, NULL, NULL,
                  &error);
  g_assert_no_error (error);
  g_assert_cmpuint (voxels.n[2], ==, N_ROWS);
  tl_voxels_clear (&voxels);
  g_assert_null (voxels.values);
  g_assert_cmpuint (voxels.n[2], ==, 0);
  tl_recon_fixture_clear (&fixture);
}

static void
make_at_once (TlReconFixture *fixture, TlVoxels *voxels, TlEngineReport *report)
{
  g_autoptr (GError) error = NULL;
  tl_voxels_make_at_once (voxels, fixture->recon, fixture->recipe, 0, N_ROWS,
                          NULL, &error);
  g_assert_no_error (error);
  g_assert_true ((voxels->values == NULL) == (voxels->frame != NULL));
  g_assert_cmpuint (voxels->n[2], ==, N_ROWS);
  tl_engine_get_report (fixture->engine, report, &error);
  g_assert_no_error (error);
}

/* Compares what lies in the circle; host values have nothing elsewhere. */
static void
assert_blocks (TlReconFixture *fixture, const TlVoxels *voxels)
{
  const size_t slice = N_COLS * N_COLS, block = 4;
  g_autofree float *got = g_new (float, N_ROWS *slice);
  g_autofree float *want = g_new (float, N_ROWS *slice);
  size_t n = 0;
  for (size_t first = 0; first < N_ROWS; first += block)
    {
      const size_t n_rows = MIN (block, N_ROWS - first);
      g_autoptr (TlFrame) frame = tl_recon_fixture_run (fixture, first, n_rows);
      memcpy (want + first * slice, tl_frame_get_pixels (frame),
              n_rows * slice * sizeof *want);
    }
  if (voxels->frame != NULL)
    g_assert_true (tl_frame_fetch (voxels->frame, NULL));
  const float *values = voxels->frame != NULL
                            ? tl_frame_get_pixels (voxels->frame)
                            : voxels->values;
  for (size_t k = 0; k < N_ROWS * slice; k++)
    {
      const double x = (double)(k % N_COLS) - voxels->circle.col;
      const double y = (double)(k / N_COLS % N_COLS) - voxels->circle.row;
      const gboolean is_seen = hypot (x, y) <= voxels->circle.radius;
      g_assert_true (voxels->values == NULL || isnan (values[k]) == !is_seen);
      if (!is_seen)
        continue;
      got[n] = (float)voxels->factor * values[k];
      want[n++] = want[k];
    }
  g_assert_cmpuint (n, >, N_ROWS * slice * 3 / 4);
  g_assert_cmpfloat (tl_recon_distance (got, want, n), <, TOLERANCE);
}

/* All rows at once give the same volume as blocks of them, and stay loaded,
 * corrected and transformed when the centre changes. */
static void
test_at_once (gconstpointer data)
{
  TlReconFixture fixture;
  TlEngineReport before, after;
  TlVoxels voxels;
  if (!set_up (&fixture, data))
    return;
  make_at_once (&fixture, &voxels, &before);
  tl_voxels_clear (&voxels);
  fixture.recipe->params.centre_col += 0.75;
  make_at_once (&fixture, &voxels, &after);
  for (TlStage stage = 0; stage < TL_N_STAGES; stage++)
    g_assert_cmpuint (after.n_runs[stage] - before.n_runs[stage], ==,
                      stage >= TL_STAGE_FILTER);
  assert_blocks (&fixture, &voxels);
  tl_voxels_clear (&voxels);
  g_assert_null (voxels.frame);
  tl_recon_fixture_clear (&fixture);
}

int
main (int argc, char **argv)
{
  static const char *const engines[] = { "host", "cuda" };
  g_test_init (&argc, &argv, NULL);
  for (size_t k = 0; k < G_N_ELEMENTS (engines); k++)
    {
      const struct
      {
        const char *name;
        GTestDataFunc func;
      } cases[] = { { "blocks", test_blocks },  { "rows", test_rows },
                    { "room", test_room },      { "no-room", test_no_room },
                    { "volume", test_volume },  { "at-once", test_at_once },
                    { "refused", test_refused } };
      for (size_t i = 0; i < G_N_ELEMENTS (cases); i++)
        {
          g_autofree char *path =
              g_strdup_printf ("/%s/recon-plane/%s", engines[k], cases[i].name);
          g_test_add_data_func (path, engines[k], cases[i].func);
        }
    }
  return g_test_run ();
}
