/* Random cases, checked by kind. With "-m slow" there are 240 cases, and their
 * table supports the claims in tests/bench/README.md. The quick run has 10
 * cases, for the sanitizers and for every engine. */
#include "tests/gpu/centre/centre-ask.h"
#include "tests/support/engines.h"

#include <complex.h>
#include <math.h>
#include <string.h>

#define N_QUICK 10
#define N_SLOW 240

/* The largest errors of the consensus, columns: of the median, and of every
 * case that is called certain. */
#define MEDIAN_COL 0.05
#define CERTAIN_COL 0.25

/* The smallest fraction of cases with a value and of certain cases, so that a
 * consensus without values does not pass. */
#define LEAST_TOLD 0.7
#define LEAST_CERTAIN_QUICK 0.2

/* See check_quarters(). An estimator that gives only quarters of a column is
 * drawn by 0.08. */
#define MAX_RAYLEIGH 7.0
#define MAX_DRAWN_COL 0.03

static int
compare_doubles (const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Returns: the first seed; TOMOLENS_CENTRE_SEED selects other cases. */
static guint
get_first_seed (void)
{
  const char *text = g_getenv ("TOMOLENS_CENTRE_SEED");
  return text != NULL ? (guint)g_ascii_strtoull (text, NULL, 10) : 1;
}

typedef struct
{
  CentreCase c;
  TlCentreVerdict verdict;
  double error; /* signed; NaN if there is no value */
} Outcome;

typedef gboolean (*Kind) (const CentreCase *c);

static gboolean
is_any (const CentreCase *c)
{
  return c != NULL;
}

/* Returns: whether the case has no faults. */
static gboolean
is_good (const CentreCase *c)
{
  return (c->counts == 0 || c->counts >= 5000) && !c->truncated && !c->rings
         && c->turn != CENTRE_HALF_ACQUIRED;
}

static gboolean
is_far (const CentreCase *c)
{
  return c->turn != CENTRE_HALF_ACQUIRED
         && fabs (c->centre_col - ((double)c->n_cols - 1) / 2)
                > 0.1 * (double)c->n_cols;
}

static gboolean
is_on_left (const CentreCase *c)
{
  return c->turn == CENTRE_HALF_ACQUIRED
         && c->centre_col < (double)c->n_cols / 2;
}

static gboolean
is_on_right (const CentreCase *c)
{
  return c->turn == CENTRE_HALF_ACQUIRED
         && c->centre_col > (double)c->n_cols / 2;
}

#define KIND(name, condition)                                                  \
  static gboolean name (const CentreCase *c)                                   \
  {                                                                            \
    return condition;                                                          \
  }

KIND (is_half, c->turn == CENTRE_HALF)
KIND (is_half_end, c->turn == CENTRE_HALF_END)
KIND (is_full, c->turn == CENTRE_FULL)
KIND (is_full_end, c->turn == CENTRE_FULL_END)
KIND (is_odd, c->n_projections % 2 == 1)
KIND (is_integer, fabs (c->centre_col - round (c->centre_col)) < 1e-9)
KIND (is_third, !c->is_free && !is_integer (c))
KIND (is_free, c->is_free)
KIND (is_tilted, c->tilt_deg != 0)
KIND (has_50, c->counts == 50)
KIND (has_200, c->counts == 200)
KIND (has_1000, c->counts == 1000)
KIND (has_more, c->counts == 0 || c->counts >= 5000)
KIND (has_rings, c->rings)
KIND (has_zingers, c->zingers)
KIND (has_gains, c->gains)
KIND (is_truncated, c->truncated)
KIND (has_air, c->air)
KIND (has_few, c->few)
KIND (is_transmission, c->transmission)

/* The smallest fraction of certain cases of each kind, so that a consensus that
 * is never certain does not pass. The limits are somewhat below the fractions
 * measured with the first 240 cases. */
static const struct
{
  const char *name;
  Kind is;
  double least_certain;
} kinds[] = {
  { "all", is_any, 0.4 },
  { "good", is_good, 0.7 },
  { "180", is_half, 0.2 },
  { "180 with end", is_half_end, 0.2 },
  { "360", is_full, 0.6 },
  { "360 with end", is_full_end, 0.5 },
  { "half, axis left", is_on_left, 0.15 },
  { "half, axis right", is_on_right, 0.15 },
  { "odd count", is_odd, 0.4 },
  { "integer", is_integer, 0.4 },
  { "thirds", is_third, 0.25 },
  { "any fraction", is_free, 0.35 },
  { "far off middle", is_far, 0.4 },
  { "tilted", is_tilted, 0.35 },
  { "50 counts", has_50, 0.05 },
  { "200 counts", has_200, 0.1 },
  { "1000 counts", has_1000, 0.2 },
  { "5000 and more", has_more, 0.6 },
  { "rings", has_rings, 0.3 },
  { "zingers", has_zingers, 0.4 },
  { "gains", has_gains, 0.35 },
  { "truncated", is_truncated, 0.2 },
  { "air", has_air, 0.35 },
  { "few angles", has_few, 0.25 },
  { "transmission", is_transmission, 0.35 },
};

/* Logs one line of the table and checks its limits. */
static void
check_kind (size_t kind, const Outcome *outcomes, guint n)
{
  g_autofree double *errors = g_new0 (double, n + 1);
  guint n_cases = 0, n_values = 0, n_certain = 0;
  double worst = 0;
  for (guint k = 0; k < n; k++)
    if (kinds[kind].is (&outcomes[k].c))
      {
        const double error = fabs (outcomes[k].error);
        n_cases++;
        if (outcomes[k].verdict == TL_CENTRE_CANNOT_TELL)
          continue;
        errors[n_values++] = error;
        if (outcomes[k].verdict != TL_CENTRE_CERTAIN)
          continue;
        n_certain++;
        worst = MAX (worst, error);
      }
  qsort (errors, n_values, sizeof *errors, compare_doubles);
  const double median = n_values > 0 ? errors[n_values / 2] : NAN;
  g_test_message ("%-16s %3u cases, %3u values, median error %.3f, "
                  "%3u certain, worst of these %.3f",
                  kinds[kind].name, n_cases, n_values, median, n_certain,
                  worst);
  g_assert_cmpfloat (worst, <, CERTAIN_COL);
  if (kinds[kind].is == is_any)
    {
      g_assert_cmpuint (n_cases, ==, n);
      g_assert_cmpfloat (n_values, >=, LEAST_TOLD * n_cases);
      g_assert_cmpfloat (n_certain, >=, LEAST_CERTAIN_QUICK * n_cases);
      g_assert_cmpfloat (median, <, MEDIAN_COL);
    }
  if (n == N_SLOW)
    {
      g_assert_cmpuint (n_cases, >, 0);
      g_assert_cmpfloat (n_certain, >=,
                         kinds[kind].least_certain * (double)n_cases);
    }
}

/* Checks that estimates are not drawn to quarters of a column. If the true
 * centres are uniformly distributed, the estimates must be too: n times the
 * squared mean of exp (2 pi i 4 c) exceeds 7 once in a thousand times
 * (Rayleigh's test). The errors must not depend on the distance to the next
 * quarter either: an estimator that gave only quarters would be off by 1 / (4
 * pi) sin (2 pi 4 c) in the first term of the series. */
static void
check_quarters (const Outcome *outcomes, guint n)
{
  double complex mean = 0, drawn = 0;
  guint n_free = 0;
  for (guint k = 0; k < n; k++)
    if (outcomes[k].c.is_free && outcomes[k].verdict == TL_CENTRE_CERTAIN)
      {
        const double truth = outcomes[k].c.centre_col;
        mean += cexp (8 * G_PI * I * (truth + outcomes[k].error));
        drawn += 2 * outcomes[k].error * cexp (8 * G_PI * I * truth);
        n_free++;
      }
  const double rayleigh = cabs (mean) * cabs (mean) / MAX (n_free, 1);
  const double drawn_col = cabs (drawn) / MAX (n_free, 1);
  g_test_message ("%u certain of any fraction: Rayleigh's figure of quarters "
                  "%.2f, drawn to them by %.4f",
                  n_free, rayleigh, drawn_col);
  if (n < N_SLOW)
    return;
  g_assert_cmpuint (n_free, >=, 40);
  g_assert_cmpfloat (rayleigh, <, MAX_RAYLEIGH);
  g_assert_cmpfloat (drawn_col, <, MAX_DRAWN_COL);
}

/* No scan over half a turn is taken for a full turn. */
static void
assert_angles_fit (const TlCentreData *data)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *note = NULL;
  double end_deg;
  g_assert_true (tl_centre_check_angles (data, &end_deg, &note, &error));
  if (note != NULL)
    g_test_message ("%s", note);
  g_assert_true (note == NULL || strstr (note, "full turn") == NULL);
}

static void
test_random (gconstpointer engine_class)
{
  TlEngine *engine = tl_test_get_engine (engine_class);
  const guint n = g_test_slow () ? N_SLOW : N_QUICK;
  const guint first = get_first_seed ();
  g_autofree Outcome *outcomes = g_new0 (Outcome, n);
  for (guint k = 0; k < n; k++)
    {
      Outcome *o = &outcomes[k];
      o->c = centre_case_random (first + k);
      g_autoptr (CentreSinogram) sinogram = centre_sinogram_new (&o->c);
      g_auto (CentreAnswer) answer = { 0 };
      assert_angles_fit (&sinogram->data);
      centre_ask (engine, &sinogram->data, &answer);
      centre_print (&o->c, &answer);
      o->verdict = answer.consensus.verdict;
      o->error = answer.consensus.centre_col - o->c.centre_col;
    }
  for (size_t kind = 0; kind < G_N_ELEMENTS (kinds); kind++)
    check_kind (kind, outcomes, n);
  check_quarters (outcomes, n);
}

static void
add_cases (TlEngine *engine)
{
  static const TlTestCase cases[] = { { "centre/random", test_random } };
  tl_test_add_cases (engine, cases, G_N_ELEMENTS (cases));
}

int
main (int argc, char **argv)
{
  return tl_test_run_engines (argc, argv, add_cases);
}
