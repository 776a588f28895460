/* Estimators of the axis and what they say together, on sinograms whose centre
 * is known. With "-m slow" the random ones are 240, and their table is what the
 * claims in README.md rest on. */
#include "data/error.h"
#include "tests/gpu/centre-cases.h"
#include "tests/support/engines.h"

#include <math.h>
#include <string.h>

#define N_QUICK 10
#define N_SLOW 240

/* Of the consensus: the median, and any that is called certain; columns. */
#define MEDIAN_COL 0.05
#define CERTAIN_COL 0.25

/* Where nothing is wrong with the data, of what they say together and of each,
 * columns: twice what was measured. */
#define CLEAN_COL 0.1
#define EACH_COL 0.25

typedef gboolean (*Estimator) (const TlCentreData *data,
                               TlCentreEstimate *estimate, GError **error);

static const Estimator estimators[] = { tl_centre_by_phase, tl_centre_by_wedge,
                                        tl_centre_by_moments,
                                        tl_centre_by_overlap };
#define N_ESTIMATORS (G_N_ELEMENTS (estimators))

typedef struct
{
  TlCentreEstimate estimates[N_ESTIMATORS + 1];
  TlCentreConsensus consensus;
} Answer;

static void
answer_clear (Answer *answer)
{
  for (size_t k = 0; k <= N_ESTIMATORS; k++)
    tl_centre_clear (&answer->estimates[k]);
  tl_centre_consensus_clear (&answer->consensus);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Answer, answer_clear)

/* As app/find-centre.c does. */
static void
ask (TlEngine *engine, const TlCentreData *data, Answer *answer)
{
  g_autoptr (GError) error = NULL;
  g_auto (TlCentreConsensus) others = { 0 };
  g_assert_true (tl_centre_data_check (data, &error));
  for (size_t k = 0; k < N_ESTIMATORS; k++)
    {
      estimators[k](data, &answer->estimates[k], &error);
      g_assert_no_error (error);
    }
  tl_centre_agree (answer->estimates, N_ESTIMATORS, &others);
  tl_centre_by_sharpness (engine, data, others.centre_col,
                          MAX (3 * others.uncertainty_col, 1), NULL,
                          &answer->estimates[N_ESTIMATORS], &error);
  g_assert_no_error (error);
  tl_centre_agree (answer->estimates, N_ESTIMATORS + 1, &answer->consensus);
}

static int
compare_doubles (const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void
print_case (const CentreCase *c, const Answer *answer)
{
  static const char *const verdicts[] = { "certain", "look", "cannot tell" };
  g_autofree char *text = centre_case_dup_text (c);
  g_autoptr (GString) line = g_string_new (text);
  for (size_t k = 0; k <= N_ESTIMATORS; k++)
    if (answer->estimates[k].is_found)
      g_string_append_printf (
          line, "; %s %+.3f +- %.3f",
          tl_centre_method_names[answer->estimates[k].method],
          answer->estimates[k].centre_col - c->centre_col,
          answer->estimates[k].uncertainty_col);
  g_string_append_printf (line, "; together %+.3f +- %.3f, %s",
                          answer->consensus.centre_col - c->centre_col,
                          answer->consensus.uncertainty_col,
                          verdicts[answer->consensus.verdict]);
  g_test_message ("%s", line->str);
}

static void
test_random (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  const guint n = g_test_slow () ? N_SLOW : N_QUICK;
  g_autofree double *errors = g_new (double, n);
  guint n_values = 0, n_certain = 0;
  double worst = 0;
  for (guint k = 0; k < n; k++)
    {
      const CentreCase c = centre_case_random (k + 1);
      g_autoptr (CentreSinogram) sinogram = centre_sinogram_new (&c);
      g_auto (Answer) answer = { 0 };
      ask (engine, &sinogram->data, &answer);
      print_case (&c, &answer);
      const double error = fabs (answer.consensus.centre_col - c.centre_col);
      if (answer.consensus.verdict == TL_CENTRE_CANNOT_TELL)
        continue;
      errors[n_values++] = error;
      if (answer.consensus.verdict != TL_CENTRE_CERTAIN)
        continue;
      n_certain++;
      worst = MAX (worst, error);
    }
  qsort (errors, n_values, sizeof *errors, compare_doubles);
  g_test_message ("%u cases, %u values, median error %.4f; %u certain, worst "
                  "error %.4f",
                  n, n_values, errors[n_values / 2], n_certain, worst);
  g_assert_cmpfloat (errors[n_values / 2], <, MEDIAN_COL);
  g_assert_cmpfloat (worst, <, CERTAIN_COL);
  g_assert_cmpuint (n_certain, >=, n / 3);
}

static const CentreCase clean = { .n_projections = 240,
                                  .n_cols = 160,
                                  .centre_col = 83,
                                  .counts = 50000,
                                  .seed = 7 };

/* No fraction of a column is special: with places everywhere between two
 * columns nobody is off by more than elsewhere. */
static void
test_fractions (gconstpointer data)
{
  static const CentreTurn turns[] = { CENTRE_HALF, CENTRE_HALF_END, CENTRE_FULL,
                                      CENTRE_FULL_END };
  TlEngine *engine = tl_test_get_engine (data);
  for (guint k = 0; k < 12; k++)
    {
      CentreCase c = clean;
      c.turn = turns[k % 4];
      c.centre_col += (double)k / 12;
      g_autoptr (CentreSinogram) sinogram = centre_sinogram_new (&c);
      g_auto (Answer) answer = { 0 };
      ask (engine, &sinogram->data, &answer);
      print_case (&c, &answer);
      g_assert_cmpint (answer.consensus.verdict, ==, TL_CENTRE_CERTAIN);
      g_assert_cmpfloat (fabs (answer.consensus.centre_col - c.centre_col), <,
                         CLEAN_COL);
      for (size_t j = 0; j <= N_ESTIMATORS; j++)
        if (answer.estimates[j].is_found)
          g_assert_cmpfloat (
              fabs (answer.estimates[j].centre_col - c.centre_col), <,
              EACH_COL);
    }
}

/* All but the centres of mass do without the logarithm. */
static void
test_transmission (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  CentreCase c = clean;
  c.turn = CENTRE_HALF_END;
  c.transmission = TRUE;
  g_autoptr (CentreSinogram) sinogram = centre_sinogram_new (&c);
  g_auto (Answer) answer = { 0 };
  ask (engine, &sinogram->data, &answer);
  print_case (&c, &answer);
  g_assert_cmpfloat (fabs (answer.consensus.centre_col - c.centre_col), <,
                     CLEAN_COL);
  g_assert_true (answer.consensus.agrees[TL_CENTRE_PHASE]);
  g_assert_true (answer.consensus.agrees[TL_CENTRE_VO]);
}

static void
test_half_acquisition (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  for (guint side = 0; side < 2; side++)
    {
      CentreCase c = clean;
      c.turn = CENTRE_HALF_ACQUIRED;
      c.n_projections = 480;
      c.centre_col = side == 0 ? 22.4 : 138.7;
      g_autoptr (CentreSinogram) sinogram = centre_sinogram_new (&c);
      g_auto (Answer) answer = { 0 };
      ask (engine, &sinogram->data, &answer);
      print_case (&c, &answer);
      const TlCentreEstimate *overlap = &answer.estimates[3];
      g_assert_true (overlap->is_found);
      g_assert_cmpfloat (fabs (overlap->centre_col - c.centre_col), <,
                         CLEAN_COL);
      g_assert_nonnull (strstr (overlap->reason, side == 0 ? "left" : "right"));
    }
}

/* Without a guess; and the pairs say so where there are none. */
static void
test_unguided (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  g_autoptr (GError) error = NULL;
  g_auto (TlCentreEstimate) sharpness = { 0 }, phase = { 0 };
  CentreCase c = clean;
  c.centre_col = 97.3;
  g_autoptr (CentreSinogram) sinogram = centre_sinogram_new (&c);
  TlCentreData part = sinogram->data;
  part.n_projections = c.n_projections * 5 / 6;
  g_assert_true (tl_centre_by_phase (&part, &phase, &error));
  g_assert_false (phase.is_found);
  g_assert_nonnull (strstr (phase.reason, "half a turn"));
  g_assert_true (tl_centre_by_sharpness (engine, &sinogram->data, NAN, 0, NULL,
                                         &sharpness, &error));
  g_assert_true (sharpness.is_found);
  g_test_message ("sharpness %+.3f +- %.3f",
                  sharpness.centre_col - c.centre_col,
                  sharpness.uncertainty_col);
  g_assert_cmpfloat (fabs (sharpness.centre_col - c.centre_col), <, 0.3);
  g_assert_cmpuint (sharpness.n_points, >, 0);
}

static void
assert_cannot_tell (TlEngine *engine, CentreSinogram *sinogram)
{
  g_auto (Answer) answer = { 0 };
  ask (engine, &sinogram->data, &answer);
  for (size_t k = 0; k <= N_ESTIMATORS; k++)
    {
      const TlCentreEstimate *e = &answer.estimates[k];
      g_assert_nonnull (e->reason);
      if (e->is_found)
        g_test_message ("%s: %g +- %g", tl_centre_method_names[e->method],
                        e->centre_col, e->uncertainty_col);
      g_assert_false (e->is_found);
      g_assert_true (isnan (e->centre_col));
    }
  g_assert_cmpint (answer.consensus.verdict, ==, TL_CENTRE_CANNOT_TELL);
  g_assert_true (isnan (answer.consensus.centre_col));
}

static void
test_no_answer (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  for (guint k = 0; k < 8; k++)
    {
      CentreCase c = clean;
      c.turn = k % 2 == 0 ? CENTRE_HALF : CENTRE_FULL;
      c.n_projections += k % 3;
      g_autoptr (CentreSinogram) sinogram = centre_sinogram_new (&c);
      g_autoptr (GRand) rand = g_rand_new_with_seed (k);
      for (size_t i = 0; i < c.n_projections * c.n_cols; i++)
        sinogram->rows[i] =
            k < 2 ? (float)k : (float)g_rand_double_range (rand, -1, 1);
      assert_cannot_tell (engine, sinogram);
    }
}

/* The scan ends at half a turn, but its angles end a step before. */
static void
test_angles (gconstpointer data G_GNUC_UNUSED)
{
  for (guint wrong = 0; wrong < 2; wrong++)
    {
      CentreCase c = clean;
      g_autoptr (GError) error = NULL;
      g_autofree char *note = NULL;
      c.turn = wrong ? CENTRE_HALF_END : CENTRE_HALF;
      g_autoptr (CentreSinogram) sinogram = centre_sinogram_new (&c);
      for (size_t p = 0; p < c.n_projections; p++)
        sinogram->angles_rad[p] = G_PI * (double)p / (double)c.n_projections;
      g_assert_true (tl_centre_check_angles (&sinogram->data, &note, &error));
      g_assert_no_error (error);
      g_assert_true ((note != NULL) == wrong);
      g_assert_true (!wrong || strstr (note, "mirror image") != NULL);
    }
}

/* Any order, any direction, angles that come twice. */
static void
test_order (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  for (guint way = 0; way < 3; way++)
    {
      CentreCase c = clean;
      c.turn = CENTRE_FULL;
      g_autoptr (CentreSinogram) s = centre_sinogram_new (&c);
      g_autofree float *rows = g_new (float, c.n_projections *c.n_cols);
      g_autofree double *angles_rad = g_new (double, c.n_projections);
      g_auto (Answer) answer = { 0 };
      TlCentreData mixed = s->data;
      mixed.rows = rows;
      mixed.angles_rad = angles_rad;
      for (size_t p = 0; p < c.n_projections; p++)
        {
          const size_t from = way == 0   ? c.n_projections - 1 - p
                              : way == 1 ? p * 77 % c.n_projections
                                         : p / 2 * 2;
          memcpy (rows + p * c.n_cols, s->rows + from * c.n_cols,
                  c.n_cols * sizeof *rows);
          angles_rad[p] = s->angles_rad[from];
        }
      ask (engine, &mixed, &answer);
      print_case (&c, &answer);
      g_assert_cmpint (answer.consensus.verdict, ==, TL_CENTRE_CERTAIN);
      g_assert_cmpfloat (fabs (answer.consensus.centre_col - c.centre_col), <,
                         CLEAN_COL);
      g_assert_true (answer.consensus.agrees[TL_CENTRE_SHARPNESS]);
    }
}

static void
set (TlCentreEstimate *e, TlCentreMethod method, double centre_col,
     double uncertainty_col)
{
  *e = (TlCentreEstimate){ .method = method,
                           .is_found = !isnan (centre_col),
                           .centre_col = centre_col,
                           .uncertainty_col = uncertainty_col };
}

static void
test_agree (gconstpointer data G_GNUC_UNUSED)
{
  TlCentreEstimate e[3];
  TlCentreConsensus c = { 0 };
  set (&e[0], TL_CENTRE_PHASE, 100.00, 0.03);
  set (&e[1], TL_CENTRE_VO, 100.06, 0.03);
  set (&e[2], TL_CENTRE_SHARPNESS, NAN, NAN);
  tl_centre_agree (e, 3, &c);
  g_assert_cmpint (c.verdict, ==, TL_CENTRE_CERTAIN);
  g_assert_cmpfloat_with_epsilon (c.centre_col, 100.03, 1e-9);
  g_assert_cmpfloat_with_epsilon (c.spread_col, 0.06, 1e-9);
  g_assert_cmpuint (c.n_found, ==, 2);
  tl_centre_consensus_clear (&c);

  set (&e[2], TL_CENTRE_SHARPNESS, 101, 0.03); /* contradicts */
  tl_centre_agree (e, 3, &c);
  g_assert_cmpint (c.verdict, ==, TL_CENTRE_LOOK);
  g_assert_cmpfloat_with_epsilon (c.centre_col, 100.03, 1e-9);
  g_assert_cmpuint (c.n_agreeing, ==, 2);
  tl_centre_consensus_clear (&c);

  set (&e[2], TL_CENTRE_SHARPNESS, 105, 2); /* is too vague to */
  tl_centre_agree (e, 3, &c);
  g_assert_cmpint (c.verdict, ==, TL_CENTRE_CERTAIN);
  tl_centre_consensus_clear (&c);

  /* the same pairs twice are one witness */
  set (&e[1], TL_CENTRE_OVERLAP, 100.0, 0.03);
  set (&e[2], TL_CENTRE_SHARPNESS, NAN, NAN);
  tl_centre_agree (e, 3, &c);
  g_assert_cmpint (c.verdict, ==, TL_CENTRE_LOOK);
  tl_centre_consensus_clear (&c);

  tl_centre_agree (e + 2, 1, &c);
  g_assert_cmpint (c.verdict, ==, TL_CENTRE_CANNOT_TELL);
  g_assert_nonnull (c.sentence);
  tl_centre_consensus_clear (&c);
}

static void
test_data (gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (CentreSinogram) s = centre_sinogram_new (&clean);
  g_autoptr (GError) error = NULL;
  TlCentreData d = s->data;
  g_assert_true (tl_centre_data_check (&d, &error));
  d.last_col = (double)d.n_cols;
  g_assert_false (tl_centre_data_check (&d, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_VALUE);
  g_clear_error (&error);
  d = s->data;
  d.n_cols = 8;
  d.last_col = 7;
  g_assert_false (tl_centre_data_check (&d, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_VALUE);
  g_clear_error (&error);
  s->rows[5] = NAN;
  g_assert_false (tl_centre_data_check (&s->data, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_VALUE);
}

static void
add_cases (TlEngine *engine)
{
  static const TlTestCase cases[] = {
    { "centre/agree", test_agree },
    { "centre/angles", test_angles },
    { "centre/data", test_data },
    { "centre/fractions", test_fractions },
    { "centre/half-acquisition", test_half_acquisition },
    { "centre/no-answer", test_no_answer },
    { "centre/order", test_order },
    { "centre/random", test_random },
    { "centre/transmission", test_transmission },
    { "centre/unguided", test_unguided },
  };
  tl_test_add_cases (engine, cases, G_N_ELEMENTS (cases));
}

int
main (int argc, char **argv)
{
  return tl_test_run_engines (argc, argv, add_cases);
}
