/* Candidates for the axis without a session, for each engine: which one is the
 * best, and which stages run for each. */
#include "app/axis/candidates/candidate-slice.h"

#include "data/error.h"
#include "tests/app/recon/recon-fixture.h"
#include "tests/app/scratch.h"

#include <math.h>
#include <string.h>

#define SIDE 128
#define STEP 0.25

enum
{
  N_CANDIDATES = 7
};

typedef struct
{
  const char *name;
  double centre_col;
  const char *end_deg, *half, *tilt;
  double noise_counts;
} Scan;

static const Scan scans[] = {
  { "half-turn", 60.4, "180", "auto", "0", 0 },
  { "noisy", 67, "180", "auto", "0", 20000 },
  { "full-turn", 58.3, "360", "off", "0", 20000 },
  { "half-acquisition", 25.7, "360", "on", "0", 20000 },
  { "other-side", 103.4, "360", "on", "0", 0 },
  /* The noise depends on the centre, because it is least where rays are
   * measured twice. */
  { "noisy-half", 25.7, "360", "on", "0", 500 },
  { "noisy-other-side", 103.4, "360", "on", "0", 500 },
};

typedef struct
{
  const char *engine;
  const Scan *scan;
} Case;

static gboolean
set_up (TlReconFixture *fixture, const Case *c)
{
  TlPhantomScan made;
  g_autoptr (GError) error = NULL;
  g_autofree char *centre = g_strdup_printf ("%g", c->scan->centre_col);
  if (!tl_recon_fixture_init (fixture, c->engine))
    return FALSE;
  const gboolean is_turn = strcmp (c->scan->end_deg, "360") == 0;
  tl_phantom_scan_init (&made, is_turn ? 360 : 180, 1, SIDE);
  made.centre_col = c->scan->centre_col;
  made.angles_deg[1] = is_turn ? 360 : 180;
  made.half = strcmp (c->scan->half, "on") == 0;
  made.noise_counts = c->scan->noise_counts;
  g_autofree char *path = tl_scratch_path (fixture->folder, "scan.h5");
  tl_phantom_write_scan (path, &made, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  tl_recon_fixture_set (fixture, "centre", centre);
  tl_recon_fixture_set (fixture, "half", c->scan->half);
  tl_recon_fixture_open (fixture, path);
  return TRUE;
}

/* The whole slice, in pixels two columns wide. */
static TlCandidateView
make_view (const TlReconFixture *fixture)
{
  const TlParams *params = &fixture->recipe->params;
  TlCandidateView view = { .shown = tl_grid_reduced (params->grid.nx, 2) };
  tl_candidate_view_judge_whole (&view, fixture->recipe, SIDE,
                                 params->centre_col);
  return view;
}

static void
run (TlReconFixture *fixture, double centre_col, TlCandidateView *view,
     TlCandidateResult *result)
{
  g_autoptr (GError) error = NULL;
  tl_candidate_run (fixture->recon, fixture->recipe, centre_col, view, NULL,
                    result, &error);
  g_assert_no_error (error);
}

/* The true centre is the best by all reliable figures, wherever it is among the
 * candidates; all are on one grid. */
static void
test_best (gconstpointer data)
{
  const Case *c = data;
  TlReconFixture fixture = { 0 };
  if (!set_up (&fixture, c))
    return;
  for (guint place = 2; place <= 4; place++)
    {
      TlCandidateView view = make_view (&fixture);
      TlCandidateResult results[N_CANDIDATES];
      double values[N_CANDIDATES], scores[N_CANDIDATES];
      const double middle_col =
          c->scan->centre_col + (N_CANDIDATES / 2 - (double)place) * STEP;
      for (guint k = 0; k < N_CANDIDATES; k++)
        {
          run (&fixture,
               tl_candidate_centre (N_CANDIDATES, middle_col, STEP, k), &view,
               &results[k]);
          g_assert_cmpuint (tl_frame_get_n_cols (results[k].frame), ==,
                            view.shown.nx);
          g_assert_cmpuint (results[k].sharpness.n_pixels[0], >, 0);
        }
      g_assert_cmpint (tl_candidates_rate (results, N_CANDIDATES,
                                           TL_CANDIDATE_COMBINED, values,
                                           scores),
                       ==, (int)place);
      for (guint k = 0; k < N_CANDIDATES; k++)
        {
          g_test_message ("%.2f: %.3f", results[k].centre_col, scores[k]);
          tl_candidate_result_clear (&results[k]);
        }
      g_assert_cmpfloat (scores[place], ==, 1);
    }
  tl_recon_fixture_clear (&fixture);
}

/* The picture is the slice reconstructed about that centre. */
static void
test_picture (gconstpointer data)
{
  const Case *c = data;
  TlReconFixture fixture = { 0 };
  g_auto (TlCandidateResult) result = { 0 };
  g_autoptr (GError) error = NULL;
  if (!set_up (&fixture, c))
    return;
  TlCandidateView view = { .shown = fixture.recipe->params.grid };
  run (&fixture, c->scan->centre_col + 1.3, &view, &result);
  g_assert_false (result.is_judged);
  fixture.recipe->params.centre_col += 1.3;
  g_autoptr (TlFrame) want =
      tl_recon_run (fixture.recon, fixture.recipe, 0, 1, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (tl_frame_fetch (want, NULL));
  const size_t n = tl_frame_get_n_rows (want) * tl_frame_get_n_cols (want);
  g_assert_cmpmem (tl_frame_get_pixels (result.frame), n * sizeof (float),
                   tl_frame_get_pixels (want), n * sizeof (float));
  g_assert_false (tl_frame_is_on_device (result.frame));
  tl_recon_fixture_clear (&fixture);
}

static void
get_runs (TlReconFixture *fixture, guint *n_runs)
{
  TlEngineReport report;
  g_assert_true (tl_engine_get_report (fixture->engine, &report, NULL));
  memcpy (n_runs, report.n_runs, sizeof report.n_runs);
}

/* Another centre runs filter and back-projection twice, for the picture and for
 * the figures. A half acquisition is also weighted again before the transform.
 */
static void
test_stages (gconstpointer data)
{
  const Case *c = data;
  TlReconFixture fixture = { 0 };
  guint before[TL_N_STAGES], after[TL_N_STAGES];
  if (!set_up (&fixture, c))
    return;
  TlCandidateView view = make_view (&fixture);
  const guint n_transforms = fixture.recipe->params.half ? 4 : 0;
  for (guint k = 0; k < 5; k++)
    {
      g_auto (TlCandidateResult) result = { 0 };
      run (&fixture, c->scan->centre_col + 0.3 * k, &view, &result);
      if (k == 0)
        get_runs (&fixture, before);
    }
  get_runs (&fixture, after);
  for (guint stage = 0; stage < TL_N_STAGES; stage++)
    g_assert_cmpuint (after[stage] - before[stage], ==,
                      stage < TL_STAGE_TRANSFORM    ? 0
                      : stage == TL_STAGE_TRANSFORM ? n_transforms
                                                    : 8);
  tl_recon_fixture_clear (&fixture);
}

/* A failed candidate leaves no result, and the next one is made. */
static void
test_fails (gconstpointer data)
{
  const Case *c = data;
  TlReconFixture fixture = { 0 };
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  if (!set_up (&fixture, c))
    return;
  TlCandidateView view = make_view (&fixture);
  TlCandidateResult untouched = { .centre_col = 7 };
  g_cancellable_cancel (cancellable);
  g_assert_false (tl_candidate_run (fixture.recon, fixture.recipe, 60, &view,
                                    cancellable, &untouched, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_error (&error);
  g_assert_false (tl_candidate_run (fixture.recon, fixture.recipe, SIDE, &view,
                                    NULL, &untouched, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_VALUE);
  g_assert_cmpfloat (untouched.centre_col, ==, 7);
  g_assert_null (untouched.frame);
  g_auto (TlCandidateResult) result = { 0 };
  run (&fixture, 60, &view, &result);
  g_assert_true (result.is_judged);
  tl_recon_fixture_clear (&fixture);
}

/* Each candidate comes once, from the middle outwards. */
static void
test_order (void)
{
  static const struct
  {
    size_t n;
    const char *order;
  } cases[] = { { 1, "0" }, { 2, "10" }, { 5, "23140" }, { 6, "342510" } };
  for (size_t k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      g_autofree size_t *order = tl_candidate_order (cases[k].n);
      g_autoptr (GString) got = g_string_new (NULL);
      for (size_t i = 0; i < cases[k].n; i++)
        g_string_append_printf (got, "%zu", order[i]);
      g_assert_cmpstr (got->str, ==, cases[k].order);
    }
  g_assert_cmpfloat (tl_candidate_centre (9, 30.3, 0.1, 4), ==, 30.3);
  g_assert_cmpfloat (tl_candidate_centre (9, 30.3, 0.1, 0), ==, 29.9);
  g_assert_cmpfloat (tl_candidate_centre (8, 30.3, 0.1, 7), ==, 30.6);
}

/* Larger scores are better for each metric, and equal values have no best. The
 * figures are in one quarter only, or equal in all. */
static void
test_rate (gconstpointer data)
{
  static const double sums[2][TL_N_SHARPNESSES] = { { -8, -2, 16, 36 },
                                                    { -4, -4, 64, 36 } };
  static const struct
  {
    TlCandidateMetric metric;
    double values[2], scores[2];
    int best;
  } cases[] = { { TL_CANDIDATE_ENTROPY, { 2, 1 }, { 0, 1 }, 1 },
                { TL_CANDIDATE_NEGATIVITY, { -0.5, -1 }, { 1, 0 }, 0 },
                /* It is not reliable for a half turn. */
                { TL_CANDIDATE_GRADIENT, { 2, 4 }, { 0, 1 }, -1 },
                { TL_CANDIDATE_DEVIATION, { 3, 3 }, { 0, 0 }, -1 },
                /* Entropy and negativity contradict each other. */
                { TL_CANDIDATE_COMBINED, { 0, 0 }, { 0, 0 }, -1 } };
  const guint n_quarters = GPOINTER_TO_UINT (data);
  TlCandidateResult results[2] = { 0 };
  for (guint k = 0; k < 2; k++)
    for (guint quarter = 0; quarter < n_quarters; quarter++)
      {
        TlSharpness *sharpness = &results[k].sharpness;
        sharpness->n_pixels[quarter] = 4 / n_quarters;
        for (guint figure = 0; figure < TL_N_SHARPNESSES; figure++)
          sharpness->figures[figure][quarter] = sums[k][figure] / n_quarters;
      }
  for (size_t k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      double values[2], scores[2];
      const int best =
          tl_candidates_rate (results, 2, cases[k].metric, values, scores);
      g_assert_cmpint (best, ==, n_quarters > 1 ? cases[k].best : -1);
      g_assert_cmpmem (values, sizeof values, cases[k].values, sizeof values);
      g_assert_cmpmem (scores, sizeof scores, cases[k].scores, sizeof scores);
    }
}

/* The quarters must agree on all candidates or on the best one. */
static void
test_quarters (void)
{
  static const struct
  {
    double gradients[TL_N_QUARTERS][5]; /* by candidate */
    int best;
  } cases[] = {
    { { { 1, 2, 5, 2, 1 },
        { 1, 3, 5, 2, 0 },
        { 0, 2, 4, 3, 1 },
        { 1, 2, 3, 2, 1 } },
      2 },
    /* Each quarter has another best one; the middle one is the best of the sum.
     */
    { { { 9, 2, 5, 2, 1 },
        { 1, 9, 5, 2, 1 },
        { 1, 2, 5, 9, 1 },
        { 1, 2, 5, 2, 9 } },
      -1 },
    /* All agree on the best; the others are in any order. */
    { { { 2, 0, 9, 1, 0 },
        { 0, 1, 9, 0, 3 },
        { 0, 2, 9, 3, 0 },
        { 1, 0, 9, 0, 2 } },
      2 },
    /* Increasing and decreasing figures. */
    { { { 1, 2, 3, 4, 5 },
        { 5, 4, 3, 2, 1 },
        { 1, 2, 3, 4, 6 },
        { 5, 4, 3, 2, 1 } },
      -1 },
  };
  for (size_t c = 0; c < G_N_ELEMENTS (cases); c++)
    {
      TlCandidateResult results[5] = { 0 };
      double values[5], scores[5];
      for (guint k = 0; k < 5; k++)
        for (guint quarter = 0; quarter < TL_N_QUARTERS; quarter++)
          {
            TlSharpness *sharpness = &results[k].sharpness;
            results[k].rays = TL_CENTRE_RAYS_TWICE;
            sharpness->n_pixels[quarter] = 1;
            sharpness->figures[TL_SHARPNESS_GRADIENT][quarter] =
                cases[c].gradients[quarter][k];
          }
      g_assert_cmpint (tl_candidates_rate (results, 5, TL_CANDIDATE_GRADIENT,
                                           values, scores),
                       ==, cases[c].best);
    }
}

static void
add_case (const char *engine, const char *name, GTestDataFunc func,
          const Scan *scan)
{
  g_autofree char *path =
      g_strdup_printf ("/%s/candidate-slice/%s/%s", engine, name, scan->name);
  Case *c = g_new (Case, 1);
  *c = (Case){ engine, scan };
  g_test_add_data_func_full (path, c, func, g_free);
}

int
main (int argc, char **argv)
{
  static const char *const engines[] = { "host", "cuda" };
  g_test_init (&argc, &argv, NULL);
  for (size_t e = 0; e < G_N_ELEMENTS (engines); e++)
    {
      for (size_t k = 0; k < G_N_ELEMENTS (scans); k++)
        {
          add_case (engines[e], "best", test_best, &scans[k]);
          add_case (engines[e], "stages", test_stages, &scans[k]);
        }
      add_case (engines[e], "picture", test_picture, &scans[0]);
      add_case (engines[e], "picture", test_picture, &scans[3]);
      add_case (engines[e], "fails", test_fails, &scans[0]);
    }
  g_test_add_func ("/host/candidate-slice/order", test_order);
  g_test_add_data_func ("/host/candidate-slice/rate/one-quarter",
                        GUINT_TO_POINTER (1), test_rate);
  g_test_add_data_func ("/host/candidate-slice/rate/all-quarters",
                        GUINT_TO_POINTER (TL_N_QUARTERS), test_rate);
  g_test_add_func ("/host/candidate-slice/rate/quarters", test_quarters);
  return g_test_run ();
}
