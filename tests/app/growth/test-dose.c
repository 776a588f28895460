/* When the slice of a scan that is being taken looks finished: a phantom is
 * put projection by projection, with and without noise. */
#include "app/growth/dose.h"

#include "app/recon/growing-slice.h"
#include "tests/app/recon/recon-fixture.h"
#include "tests/app/scratch.h"

#include <math.h>
#include <string.h>

enum
{
  N = 360, /* projections */
  N_COLS = 64,
  STEP = 6
};

/* Without small dense parts, whose streaks would need more projections. */
static const TlEllipse shapes[] = {
  { 0, 0, 0.8, 0.7, 0, 1, 0, 1 },
  { 0.2, 0.1, 0.25, 0.4, 0.5, -0.5, 0, 1 },
  { -0.3, -0.2, 0.2, 0.15, 1, 0.5, 0, 1 },
};

typedef struct
{
  const char *name;
  double end_deg, noise_counts;
  size_t stride;      /* projection k * stride comes as the k-th; 223: as in the
                         golden ratio */
  double first, last; /* parts of the projections between which the slice looks
                         finished for the first time; 1: never */
} Case;

static const Case cases[] = {
  { "noiseless", 180, 0, 223, 0.2, 0.7 },
  { "some-noise", 180, 1e6, 223, 0.2, 0.9 },
  { "much-noise", 180, 3e3, 223, 0.6, 0.99 },
  /* streaks become less until all directions are there */
  { "ordered", 180, 0, 1, 1, 1 },
  { "ordered-noise", 180, 1e6, 1, 1, 1 },
  { "turn", 360, 0, 1, 0.5, 0.75 },
  { "turn-noise", 360, 1e6, 1, 0.5, 0.9 },
};

typedef struct
{
  const Case *c;
  const char *engine;
} Run;

/* Holds the scan's flats and darks, and no projections. */
static TlHeld *
make_held (TlReader *reader, guint16 *projections)
{
  const TlScanInfo *info = tl_reader_get_info (reader);
  g_autoptr (GError) error = NULL;
  g_autoptr (TlHeldBudget) budget = tl_held_budget_new (1 << 24);
  double fields[3][N_COLS];
  guint16 pixels[N_COLS];
  const TlHeldLayout layout = { .name = "zmq+json://nowhere:1",
                                .n_rows = 1,
                                .n_cols = N_COLS,
                                .n_kept = 1,
                                .type = TL_SAMPLE_U16,
                                .n_expected = N,
                                .angles_deg = info->angles_deg };
  g_assert_cmpuint (info->type, ==, TL_SAMPLE_U16);
  tl_reader_read (reader, 0, 1, projections, NULL, &error);
  g_assert_no_error (error);
  tl_reader_read_fields (reader, 0, 1, fields[0], fields[1], fields[2], NULL,
                         &error);
  g_assert_no_error (error);
  TlHeld *held = tl_held_new (&layout, budget, &error);
  g_assert_no_error (error);
  for (int k = 0; k < 2; k++)
    {
      for (size_t i = 0; i < N_COLS; i++)
        pixels[i] = (guint16)lround (fields[k][i]);
      g_assert_true (tl_held_put (
          held, k == 0 ? TL_FRAMES_DARKS : TL_FRAMES_FLATS, 0, 0, pixels));
    }
  return held;
}

/* Returns: how much the slice of what has come has changed */
static double
look (TlReconFixture *fixture, TlHeld *held, TlGrowingSlice *slice)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TlHeldWeights) weights = NULL;
  double unit = 0;
  TlReader *reader = tl_held_open (held, NULL, &weights, &error);
  g_assert_no_error (error);
  const size_t n = tl_reader_get_info (reader)->n_projections;
  tl_recipe_resolve (fixture->recipe, tl_reader_get_info (reader), &error);
  g_assert_no_error (error);
  g_clear_pointer (&fixture->recon, tl_recon_free);
  fixture->recon = tl_recon_new (reader, fixture->engine);
  g_autoptr (TlFrame) frame = tl_recon_fixture_run (fixture, 0, 1);
  tl_growing_slice_keep (slice, fixture->recipe, weights, frame);
  tl_growing_slice_measure_change (slice, n, &unit, &error);
  g_assert_no_error (error);
  return unit;
}

static void
test_phantom (gconstpointer data)
{
  const Run *run = data;
  const Case *c = run->c;
  TlReconFixture fixture;
  TlPhantomScan scan;
  g_autoptr (GError) error = NULL;
  guint8 covered[TL_FOLLOW_DEGREES] = { 0 };
  size_t n_finished = N;
  if (!tl_recon_fixture_init (&fixture, run->engine))
    return;
  g_autofree char *path = tl_scratch_path (fixture.folder, "phantom.h5");
  tl_phantom_scan_init (&scan, N, 1, N_COLS);
  scan.angles_deg[1] = c->end_deg;
  scan.noise_counts = c->noise_counts;
  scan.shapes = shapes;
  scan.n_shapes = G_N_ELEMENTS (shapes);
  tl_phantom_write_scan (path, &scan, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  g_autoptr (TlReader) reader = tl_reader_open (path, NULL, &error);
  g_assert_no_error (error);
  g_autofree guint16 *projections = g_new (guint16, N * N_COLS);
  g_autoptr (TlHeld) held = make_held (reader, projections);
  g_autoptr (TlGrowingSlice) slice = tl_growing_slice_new (fixture.engine);
  g_autofree char *centre = g_strdup_printf ("%.17g", scan.centre_col);
  tl_recon_fixture_set (&fixture, "slice", "middle");
  tl_recon_fixture_set (&fixture, "centre", centre);
  for (size_t n = 1; n <= N && n_finished == N; n++)
    {
      const size_t k = (n - 1) * c->stride % N;
      const double angle_deg = tl_phantom_scan_angle (&scan, k);
      g_assert_true (tl_held_put (held, TL_FRAMES_PROJECTIONS, k, angle_deg,
                                  projections + k * N_COLS));
      covered[(int)angle_deg] = 1;
      if (n % STEP == 0
          && tl_growth_is_finished (look (&fixture, held, slice), n, N,
                                    covered))
        n_finished = n;
    }
  g_test_message ("finished at %.0f %%", 100.0 * (double)n_finished / N);
  g_assert_cmpfloat ((double)n_finished / N, >=, c->first);
  g_assert_cmpfloat ((double)n_finished / N, <=, c->last);
  tl_growing_slice_free (g_steal_pointer (&slice)); /* before its engine */
  tl_recon_fixture_clear (&fixture);
}

static void
test_unknown (gconstpointer data)
{
  guint8 all[TL_FOLLOW_DEGREES], part[TL_FOLLOW_DEGREES] = { 0 };
  memset (all, 1, sizeof all);
  memset (part, 1, 170);
  g_assert_true (tl_growth_is_finished (0.1, 100, 1000, all));
  g_assert_false (tl_growth_is_finished (0.1, 100, 1000, part));
  g_assert_false (tl_growth_is_finished (NAN, 100, 1000, all));
  g_assert_false (tl_growth_is_finished (0.1, 1000, 1000, all));
  /* as many again would follow: 1/100 - 1/200 */
  g_assert_true (tl_growth_is_finished (0.7, 100, 0, all));
  g_assert_false (tl_growth_is_finished (0.72, 100, 0, all));
}

int
main (int argc, char **argv)
{
  static const char *const engines[] = { "host", "cuda" };
  g_test_init (&argc, &argv, NULL);
  for (size_t e = 0; e < G_N_ELEMENTS (engines); e++)
    for (size_t k = 0; k < G_N_ELEMENTS (cases); k++)
      {
        g_autofree char *path =
            g_strdup_printf ("/%s/dose/%s", engines[e], cases[k].name);
        g_test_add_data_func_full (
            path,
            g_memdup2 (&(Run){ .c = &cases[k], .engine = engines[e] },
                       sizeof (Run)),
            test_phantom, g_free);
      }
  g_test_add_data_func ("/host/dose/unknown", NULL, test_unknown);
  return g_test_run ();
}
