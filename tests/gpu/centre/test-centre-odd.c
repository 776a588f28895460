/* Estimators of the axis on unusual input: lost frames, ranges that end beside
 * the axis, edges of the detector, transforms that cannot be planned. */
#include "data/error.h"
#include "tests/gpu/centre/centre-ask.h"
#include "tests/support/engines.h"

#include <math.h>
#include <string.h>

/* The tolerance of test-centre.c, columns. */
#define CLEAN_COL 0.1

static const CentreCase clean = { .n_projections = 240,
                                  .n_cols = 160,
                                  .centre_col = 83.3,
                                  .counts = 50000,
                                  .seed = 7 };

/* Replaces projection @p by a lost frame. @value: its samples: 0, or a large
 * value as after a correction */
static void
lose (CentreSinogram *s, const CentreCase *c, size_t p, float value)
{
  for (size_t k = 0; k < c->n_cols; k++)
    s->rows[p * c->n_cols + k] = value;
}

/* One lost frame at any position does not shift an estimate, and no estimate is
 * NaN. */
static void
test_lost (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  for (guint turn = CENTRE_HALF; turn <= CENTRE_FULL_END; turn++)
    for (guint way = 0; way < 4; way++)
      {
        CentreCase c = clean;
        g_auto (CentreAnswer) answer = { 0 };
        const TlCentreEstimate *moments = &answer.estimates[3];
        c.turn = (CentreTurn)turn;
        const size_t places[] = { 0, 77, 120, c.n_projections - 1 };
        g_autoptr (CentreSinogram) s = centre_sinogram_new (&c);
        lose (s, &c, places[way], way == 2 ? 13.8f : 0);
        centre_ask (engine, &s->data, &answer);
        centre_print (&c, &answer);
        for (size_t k = 0; k < TL_N_CENTRE_METHODS; k++)
          g_assert_true (
              !answer.estimates[k].is_found
              || (isfinite (answer.estimates[k].centre_col)
                  && isfinite (answer.estimates[k].uncertainty_col)));
        g_assert_cmpint (answer.consensus.verdict, !=, TL_CENTRE_CANNOT_TELL);
        g_assert_cmpfloat (fabs (answer.consensus.centre_col - c.centre_col), <,
                           CLEAN_COL);
        g_assert_true (moments->is_found);
        g_assert_cmpfloat (fabs (moments->centre_col - c.centre_col), <,
                           3 * moments->uncertainty_col);
      }
}

/* With many lost frames, no wrong axis is called certain. */
static void
test_most_lost (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  for (guint way = 0; way < 3; way++)
    {
      CentreCase c = clean;
      g_auto (CentreAnswer) answer = { 0 };
      g_autoptr (CentreSinogram) s = centre_sinogram_new (&c);
      for (size_t p = 0; p < c.n_projections; p++)
        if (way == 0 ? p >= 10 : way == 1 ? p % 3 > 0 : p >= 60)
          lose (s, &c, p, 0);
      centre_ask (engine, &s->data, &answer);
      centre_print (&c, &answer);
      for (size_t k = 0; k < TL_N_CENTRE_METHODS; k++)
        g_assert_true (answer.estimates[k].is_found
                       == isfinite (answer.estimates[k].centre_col));
      if (answer.consensus.verdict == TL_CENTRE_CERTAIN)
        g_assert_cmpfloat (fabs (answer.consensus.centre_col - c.centre_col), <,
                           CLEAN_COL);
    }
}

/* The double wedge tells the centre whatever steps the angles have. */
static void
test_uneven (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  for (guint turn = CENTRE_HALF; turn <= CENTRE_FULL_END; turn++)
    for (guint spacing = 0; spacing < CENTRE_N_SPACINGS; spacing++)
      {
        CentreCase c = clean;
        g_auto (CentreAnswer) answer = { 0 };
        const TlCentreEstimate *wedge = &answer.estimates[TL_CENTRE_VO];
        c.turn = (CentreTurn)turn;
        c.spacing = (CentreSpacing)spacing;
        g_autoptr (CentreSinogram) s = centre_sinogram_new (&c);
        centre_ask (engine, &s->data, &answer);
        centre_print (&c, &answer);
        g_assert_true (wedge->is_found);
        g_assert_cmpfloat (fabs (wedge->centre_col - c.centre_col), <,
                           CLEAN_COL);
        g_assert_cmpfloat (fabs (wedge->centre_col - c.centre_col), <,
                           3 * wedge->uncertainty_col);
      }
}

/* Estimates lie within the range, and an axis within the range is found.
 */
static void
test_range (gconstpointer data)
{
  static const struct
  {
    double first_col, last_col;
    gboolean is_inside, is_beside;
  } ranges[] = {
    { 82, 85, TRUE, FALSE },     { 20, 84.4, TRUE, FALSE },
    { 83.5, 140, FALSE, TRUE },  { 83.8, 140, FALSE, TRUE },
    { 84.6, 159, FALSE, FALSE }, { 20, 83.1, FALSE, TRUE },
    { 20, 82, FALSE, FALSE },
  };
  TlEngine *engine = tl_test_get_engine (data);
  for (guint k = 0; k < 2 * G_N_ELEMENTS (ranges); k++)
    {
      CentreCase c = clean;
      g_auto (CentreAnswer) answer = { 0 };
      const gboolean is_inside = ranges[k / 2].is_inside;
      gboolean at_end = FALSE;
      c.turn = k % 2 == 0 ? CENTRE_HALF : CENTRE_FULL;
      g_autoptr (CentreSinogram) s = centre_sinogram_new (&c);
      s->data.first_col = ranges[k / 2].first_col;
      s->data.last_col = ranges[k / 2].last_col;
      centre_ask (engine, &s->data, &answer);
      centre_print (&c, &answer);
      for (size_t i = 0; i < TL_N_CENTRE_METHODS; i++)
        {
          const TlCentreEstimate *e = &answer.estimates[i];
          at_end |= strstr (e->reason, "at the end of the range") != NULL;
          g_assert_true (!e->is_found
                         || (e->centre_col >= s->data.first_col
                             && e->centre_col <= s->data.last_col));
        }
      g_assert_true (at_end || !ranges[k / 2].is_beside);
      if (is_inside)
        g_assert_cmpfloat (fabs (answer.consensus.centre_col - c.centre_col), <,
                           CLEAN_COL);
      g_assert_true (answer.consensus.verdict != TL_CENTRE_CERTAIN
                     || is_inside);
    }
}

/* The wrapped planner (meson.build) refuses transforms of this length: that of
 * the curves, or that of the orders of a full turn. */
static int refused_length;

void *__real_fftwf_plan_dft_1d (int n, void *in, void *out, int sign,
                                unsigned flags);
void *__wrap_fftwf_plan_dft_1d (int n, void *in, void *out, int sign,
                                unsigned flags);
void *__real_fftwf_plan_dft_c2r_1d (int n, void *in, float *out,
                                    unsigned flags);
void *__wrap_fftwf_plan_dft_c2r_1d (int n, void *in, float *out,
                                    unsigned flags);

void *
__wrap_fftwf_plan_dft_1d (int n, void *in, void *out, int sign, unsigned flags)
{
  return n == refused_length
             ? NULL
             : __real_fftwf_plan_dft_1d (n, in, out, sign, flags);
}

void *
__wrap_fftwf_plan_dft_c2r_1d (int n, void *in, float *out, unsigned flags)
{
  return n == refused_length ? NULL
                             : __real_fftwf_plan_dft_c2r_1d (n, in, out, flags);
}

static void
test_no_plan (gconstpointer data G_GNUC_UNUSED)
{
  static const struct
  {
    gboolean (*estimator) (const TlCentreData *data, TlCentreEstimate *estimate,
                           GError **error);
    int length;
  } cases[] = {
    { tl_centre_by_phase, 2048 },    { tl_centre_by_wedge, 2048 },
    { tl_centre_by_symmetry, 2048 }, { tl_centre_by_overlap, 2048 },
    { tl_centre_by_wedge, 240 },
  };
  CentreCase c = clean;
  c.turn = CENTRE_FULL;
  g_autoptr (CentreSinogram) s = centre_sinogram_new (&c);
  for (guint k = 0; k < 2 * G_N_ELEMENTS (cases); k++)
    {
      g_autoptr (GError) error = NULL;
      g_auto (TlCentreEstimate) e = { 0 };
      refused_length = k % 2 == 0 ? cases[k / 2].length : 0;
      const gboolean good = cases[k / 2].estimator (&s->data, &e, &error);
      g_assert_true (good == (refused_length == 0));
      if (!good)
        g_assert_error (error, TL_ERROR, TL_ERROR_MEMORY);
    }
  refused_length = 0;
}

/* The curve has points on the detector only, even if the search is close to an
 * edge. It has points even if the last columns are too few to average. */
static void
test_edges (gconstpointer data)
{
  static const struct
  {
    size_t n_cols;
    double first_col, last_col, guess_col, reach_col;
  } cases[] = {
    { 160, 0, 159, 0.4, 6 },       { 160, 0, 159, 158.2, 6 },
    { 160, 0, 159, 83, 200 },      { 160, 0, 1.5, NAN, 0 },
    { 160, 157.5, 159, NAN, 0 },   { 641, 638.5, 640, NAN, 0 },
    { 641, 638.5, 640, 639.5, 3 },
  };
  TlEngine *engine = tl_test_get_engine (data);
  for (guint k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      CentreCase c = clean;
      g_autoptr (GError) error = NULL;
      g_auto (TlCentreEstimate) e = { 0 };
      c.n_cols = cases[k].n_cols;
      c.n_projections = 64;
      g_autoptr (CentreSinogram) s = centre_sinogram_new (&c);
      s->data.first_col = cases[k].first_col;
      s->data.last_col = cases[k].last_col;
      g_assert_true (tl_centre_by_sharpness (engine, &s->data,
                                             cases[k].guess_col,
                                             cases[k].reach_col, &e, &error));
      g_assert_no_error (error);
      g_assert_cmpuint (e.n_points, >, 0);
      g_test_message ("%zu columns: %zu points from %g to %g, %s", c.n_cols,
                      e.n_points, e.positions[0], e.positions[e.n_points - 1],
                      e.reason);
      for (size_t i = 0; i < e.n_points; i++)
        {
          g_assert_cmpfloat (e.positions[i], >=, 0);
          g_assert_cmpfloat (e.positions[i], <=, (double)c.n_cols - 1);
          g_assert_true (isfinite (e.values[i]));
        }
    }
}

static void
add_cases (TlEngine *engine)
{
  static const TlTestCase cases[] = {
    { "centre/edges", test_edges },         { "centre/lost", test_lost },
    { "centre/most-lost", test_most_lost }, { "centre/no-plan", test_no_plan },
    { "centre/range", test_range },         { "centre/uneven", test_uneven },
  };
  tl_test_add_cases (engine, cases, G_N_ELEMENTS (cases));
}

int
main (int argc, char **argv)
{
  return tl_test_run_engines (argc, argv, add_cases);
}
