/* Estimators of the axis and their consensus on sinograms with a known centre.
 */
#include "data/error.h"
#include "tests/gpu/centre/centre-ask.h"
#include "tests/support/engines.h"

#include <math.h>
#include <string.h>

/* The largest errors on clean data of the consensus and of each estimator,
 * columns: twice the measured errors. */
#define CLEAN_COL 0.1
#define EACH_COL 0.25

/* The largest shift towards quarters of a column. An estimator that gives only
 * quarters has 0.08. */
#define DRAWN_COL 0.02

/* The largest shift of an axis near an edge towards the middle, columns. */
#define HALF_DRAWN_COL 0.006

static const CentreCase clean = { .n_projections = 240,
                                  .n_cols = 160,
                                  .centre_col = 83,
                                  .counts = 50000,
                                  .seed = 7 };

/* No fraction of a column is special: for centres anywhere between two columns,
 * every estimator stays within its tolerance. */
static void
test_fractions (gconstpointer data)
{
  static const CentreTurn turns[] = { CENTRE_HALF, CENTRE_HALF_END, CENTRE_FULL,
                                      CENTRE_FULL_END };
  TlEngine *engine = tl_test_get_engine (data);
  double cosines = 0, sines = 0; /* the errors' first Fourier coefficients over
                                    the distance to a quarter */
  for (guint k = 0; k < 12; k++)
    {
      CentreCase c = clean;
      c.turn = turns[k % 4];
      c.centre_col += (double)k / 12;
      g_autoptr (CentreSinogram) sinogram = centre_sinogram_new (&c);
      g_auto (CentreAnswer) answer = { 0 };
      centre_ask (engine, &sinogram->data, &answer);
      centre_print (&c, &answer);
      g_assert_cmpint (answer.consensus.verdict, ==, TL_CENTRE_CERTAIN);
      g_assert_cmpfloat (fabs (answer.consensus.centre_col - c.centre_col), <,
                         CLEAN_COL);
      for (size_t j = 0; j < TL_N_CENTRE_METHODS; j++)
        if (answer.estimates[j].is_found)
          g_assert_cmpfloat (
              fabs (answer.estimates[j].centre_col - c.centre_col), <,
              EACH_COL);
      const double error = answer.consensus.centre_col - c.centre_col;
      cosines += error * cos (8 * G_PI * c.centre_col) / 6;
      sines += error * sin (8 * G_PI * c.centre_col) / 6;
    }
  g_test_message ("drawn to quarters by %.4f", hypot (cosines, sines));
  g_assert_cmpfloat (hypot (cosines, sines), <, DRAWN_COL);
}

/* All estimators but moments work without the logarithm. */
static void
test_transmission (gconstpointer data)
{
  TlEngine *engine = tl_test_get_engine (data);
  CentreCase c = clean;
  c.turn = CENTRE_HALF_END;
  c.transmission = TRUE;
  g_autoptr (CentreSinogram) sinogram = centre_sinogram_new (&c);
  g_auto (CentreAnswer) answer = { 0 };
  centre_ask (engine, &sinogram->data, &answer);
  centre_print (&c, &answer);
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
      g_auto (CentreAnswer) answer = { 0 };
      centre_ask (engine, &sinogram->data, &answer);
      centre_print (&c, &answer);
      const TlCentreEstimate *overlap = &answer.estimates[4];
      g_assert_true (overlap->is_found);
      g_assert_cmpfloat (fabs (overlap->centre_col - c.centre_col), <,
                         CLEAN_COL);
      g_assert_nonnull (strstr (overlap->reason, side == 0 ? "left" : "right"));
    }
}

/* The fade-out at the edge of the detector does not shift the axis towards the
 * middle: checks the mean shift of many cases without noise. */
static void
test_half_drawn (gconstpointer data G_GNUC_UNUSED)
{
  const guint n = 24;
  double sum = 0;
  guint n_found = 0;
  for (guint k = 0; k < n; k++)
    {
      CentreCase c = clean;
      g_autoptr (GError) error = NULL;
      g_auto (TlCentreEstimate) e = { 0 };
      const double inside = 22.3 + 0.7 * k;
      c.turn = CENTRE_HALF_ACQUIRED;
      c.n_projections = 180;
      c.counts = 0;
      c.seed += k;
      c.centre_col = k % 2 == 0 ? inside : (double)c.n_cols - 1 - inside;
      g_autoptr (CentreSinogram) s = centre_sinogram_new (&c);
      g_assert_true (tl_centre_by_overlap (&s->data, &e, &error));
      if (!e.is_found)
        continue;
      const double error_col = e.centre_col - c.centre_col;
      g_test_message ("%.2f: %+.4f +- %.4f", c.centre_col, error_col,
                      e.uncertainty_col);
      g_assert_cmpfloat (fabs (error_col), <, CLEAN_COL);
      sum += k % 2 == 0 ? error_col : -error_col;
      n_found++;
    }
  g_test_message ("%u drawn to the middle by %+.4f", n_found, sum / n_found);
  g_assert_cmpuint (n_found, >=, n * 2 / 3);
  g_assert_cmpfloat (fabs (sum / n_found), <, HALF_DRAWN_COL);
}

/* Sharpness works without a guess, and the pair estimators report that there
 * are no pairs. */
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
  g_assert_true (tl_centre_by_sharpness (engine, &sinogram->data, NAN, 0,
                                         &sharpness, &error));
  g_assert_true (sharpness.is_found);
  g_test_message ("sharpness %+.3f +- %.3f",
                  sharpness.centre_col - c.centre_col,
                  sharpness.uncertainty_col);
  g_assert_cmpfloat (fabs (sharpness.centre_col - c.centre_col), <, 0.3);
  g_assert_cmpuint (sharpness.n_points, >, 0);
}

/* The symmetry of a full turn is independent evidence, and a pattern of the
 * detector neither shifts it nor imitates it. */
static void
test_symmetry (gconstpointer data G_GNUC_UNUSED)
{
  for (guint turn = CENTRE_HALF; turn <= CENTRE_FULL_END; turn++)
    for (guint ring = 0; ring < 3; ring++)
      {
        CentreCase c = clean;
        g_autoptr (GError) error = NULL;
        g_auto (TlCentreEstimate) e = { 0 };
        c.turn = (CentreTurn)turn;
        c.n_projections += turn % 2;
        c.centre_col += 1.0 / 3;
        g_autoptr (CentreSinogram) s = centre_sinogram_new (&c);
        /* One column, or a few, are off in all projections. */
        for (size_t i = 0; ring > 0 && i < c.n_projections; i++)
          for (size_t k = 40; k < 40 + 3 * ring - 2; k++)
            s->rows[i * c.n_cols + k] += 0.3f;
        g_assert_true (tl_centre_by_symmetry (&s->data, &e, &error));
        g_test_message ("%s, ring of %u: %+.3f +- %.3f, %s",
                        centre_turn_names[turn], ring > 0 ? 3 * ring - 2 : 0,
                        e.centre_col - c.centre_col, e.uncertainty_col,
                        e.reason);
        g_assert_true (e.is_found || ring == 2);
        g_assert_cmpuint (e.n_points, >, 0);
        if (!e.is_found)
          continue;
        g_assert_true (e.is_of_pair == (turn < CENTRE_FULL));
        g_assert_cmpfloat (fabs (e.centre_col - c.centre_col), <, EACH_COL);
        g_assert_cmpfloat (fabs (e.centre_col - c.centre_col), <,
                           3 * e.uncertainty_col);
      }
}

/* With much less than half a turn there are no pairs and no wedge; where few
 * degrees are missing, both ends are continued. Centres of mass need no pair,
 * and sharpness finds the axis if few degrees are missing. */
static void
test_short (gconstpointer data)
{
  static const size_t degrees[] = { 120, 150, 168, 171, 174, 177, 178 };
  TlEngine *engine = tl_test_get_engine (data);
  for (guint k = 0; k < 2 * G_N_ELEMENTS (degrees); k++)
    {
      CentreCase c = clean;
      g_auto (CentreAnswer) answer = { 0 };
      const TlCentreEstimate *e = answer.estimates;
      const size_t range = degrees[k / 2];
      c.seed += k;
      c.centre_col += (double)k / 6;
      g_autoptr (CentreSinogram) sinogram = centre_sinogram_new (&c);
      sinogram->data.n_projections = c.n_projections * range / 180;
      centre_ask (engine, &sinogram->data, &answer);
      centre_print (&c, &answer);
      for (guint method = 0; method < TL_N_CENTRE_METHODS; method++)
        if (e[method].is_found)
          g_assert_cmpfloat (fabs (e[method].centre_col - c.centre_col), <,
                             3 * e[method].uncertainty_col);
      g_assert_true (e[TL_CENTRE_MOMENTS].is_found);
      g_assert_true (e[TL_CENTRE_SHARPNESS].is_found || range < 174);
      g_assert_true (e[TL_CENTRE_PHASE].is_found == (range >= 174)
                     || range == 171);
      g_assert_true (e[TL_CENTRE_VO].is_found == (range >= 174)
                     || range == 171);
      for (guint method = TL_CENTRE_PHASE; method <= TL_CENTRE_VO; method++)
        g_assert_true (e[method].is_found
                       || strstr (e[method].reason, "the scan covers"));
      g_assert_true (strstr (e[TL_CENTRE_VO].reason, "needs half a turn")
                     || range >= 171);
      g_assert_cmpint (answer.consensus.verdict, !=,
                       range < 174 ? TL_CENTRE_CERTAIN : TL_CENTRE_CANNOT_TELL);
      g_assert_cmpfloat (fabs (answer.consensus.centre_col - c.centre_col), <,
                         range < 174 ? EACH_COL : CLEAN_COL);
    }
}

/* Removes the projections from @first on, @n of them. */
static void
leave_out (CentreSinogram *s, size_t first, size_t n)
{
  const size_t n_after = s->data.n_projections - first - n;
  const size_t n_cols = s->data.n_cols;
  memmove (s->rows + first * n_cols, s->rows + (first + n) * n_cols,
           n_after * n_cols * sizeof *s->rows);
  memmove (s->angles_rad + first, s->angles_rad + first + n,
           n_after * sizeof *s->angles_rad);
  s->data.n_projections -= n;
}

/* A wide gap of the angles takes no method away but that of a pair in it, and
 * ends that are left out of a full turn take none away. */
static void
test_left_out (gconstpointer data)
{
  static const struct
  {
    CentreTurn turn;
    size_t first, n;
  } cases[] = {
    { CENTRE_HALF, 100, 20 },    { CENTRE_HALF_END, 100, 20 },
    { CENTRE_HALF_END, 1, 12 },  { CENTRE_HALF_END, 226, 13 },
    { CENTRE_FULL, 60, 30 },     { CENTRE_FULL, 0, 5 },
    { CENTRE_FULL_END, 235, 5 },
  };
  TlEngine *engine = tl_test_get_engine (data);
  for (guint k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      CentreCase c = clean;
      g_auto (CentreAnswer) answer = { 0 };
      c.turn = cases[k].turn;
      g_autoptr (CentreSinogram) s = centre_sinogram_new (&c);
      leave_out (s, cases[k].first, cases[k].n);
      centre_ask (engine, &s->data, &answer);
      centre_print (&c, &answer);
      g_assert_cmpint (answer.consensus.verdict, ==, TL_CENTRE_CERTAIN);
      g_assert_cmpfloat (fabs (answer.consensus.centre_col - c.centre_col), <,
                         CLEAN_COL);
      g_assert_true (answer.estimates[TL_CENTRE_PHASE].is_found);
      g_assert_true (answer.estimates[TL_CENTRE_VO].is_found);
      g_assert_true (answer.estimates[TL_CENTRE_MOMENTS].is_found);
    }
}

/* Half acquisition needs no complete turn. */
static void
test_half_left_out (gconstpointer data G_GNUC_UNUSED)
{
  CentreCase c = clean;
  g_autoptr (GError) error = NULL;
  g_auto (TlCentreEstimate) e = { 0 };
  c.turn = CENTRE_HALF_ACQUIRED;
  c.n_projections = 480;
  c.centre_col = 22.4;
  g_autoptr (CentreSinogram) s = centre_sinogram_new (&c);
  leave_out (s, 0, 4);
  leave_out (s, s->data.n_projections - 4, 4);
  g_assert_true (tl_centre_by_overlap (&s->data, &e, &error));
  g_test_message ("%s", e.reason);
  g_assert_true (e.is_found);
  g_assert_cmpfloat (fabs (e.centre_col - c.centre_col), <, CLEAN_COL);
}

static void
assert_cannot_tell (TlEngine *engine, CentreSinogram *sinogram)
{
  g_auto (CentreAnswer) answer = { 0 };
  centre_ask (engine, &sinogram->data, &answer);
  for (size_t k = 0; k < TL_N_CENTRE_METHODS; k++)
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

/* Wrong angles are noticed: a scan that ends at half a turn with angles that
 * end a step before, and a scan over a full turn with the angles of half a
 * turn, with and without the end point. */
static void
test_angles (gconstpointer data G_GNUC_UNUSED)
{
  static const struct
  {
    CentreTurn turn;
    gboolean has_end; /* whether the angles include the end point */
    double counts;
    const char *says; /* (nullable) */
    double whole; /* the scan's range, some of which is left out; 0: as here */
  } cases[] = {
    { CENTRE_HALF, FALSE, 50000, NULL },
    { CENTRE_HALF_END, TRUE, 50000, NULL },
    { CENTRE_HALF_END, FALSE, 50000, "try angles 0:180" },
    { CENTRE_FULL_END, FALSE, 50000, "try angles 0:360)" },
    { CENTRE_FULL_END, TRUE, 50000, "try angles 0:360)" },
    { CENTRE_FULL_END, TRUE, 1000, "try angles 0:360 if" },
    { CENTRE_FULL, FALSE, 50000, "try angles 0:358.5)" },
    { CENTRE_HALF_END, FALSE, 50000, "try angles 0:198)", 1.1 },
    { CENTRE_FULL_END, TRUE, 50000, "try angles 0:396)", 1.1 },
  };
  for (guint k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      CentreCase c = clean;
      g_autoptr (GError) error = NULL;
      g_autofree char *note = NULL;
      double end_deg;
      c.turn = cases[k].turn;
      c.counts = cases[k].counts;
      g_autoptr (CentreSinogram) sinogram = centre_sinogram_new (&c);
      for (size_t p = 0; p < c.n_projections; p++)
        sinogram->angles_rad[p] =
            G_PI * (double)p
            / (double)(c.n_projections - (cases[k].has_end ? 1 : 0));
      sinogram->data.range_rad =
          cases[k].whole * sinogram->angles_rad[c.n_projections - 1];
      g_assert_true (
          tl_centre_check_angles (&sinogram->data, &end_deg, &note, &error));
      g_assert_no_error (error);
      g_test_message ("%u: %s", k, note != NULL ? note : "nothing");
      g_assert_true ((note != NULL) == (cases[k].says != NULL));
      g_assert_true ((note != NULL && strstr (note, " if ") == NULL)
                     == (end_deg != 0));
      g_assert_true (note == NULL || strstr (note, cases[k].says) != NULL);
    }
}

/* Angles that come in no order end anywhere short of half a turn, and no range
 * could take their place. */
static void
test_angles_unordered (gconstpointer data G_GNUC_UNUSED)
{
  for (size_t n = 40; n <= 240; n++)
    {
      CentreCase c = clean;
      g_autoptr (GError) error = NULL;
      g_autofree char *note = NULL;
      double end_deg;
      c.spacing = CENTRE_GOLDEN;
      c.n_projections = n;
      g_autoptr (CentreSinogram) sinogram = centre_sinogram_new (&c);
      g_assert_true (
          tl_centre_check_angles (&sinogram->data, &end_deg, &note, &error));
      g_assert_no_error (error);
      g_test_message ("%zu: %s", n, note != NULL ? note : "nothing");
      g_assert_null (note);
    }
}

/* Right angles are not doubted wherever projections are left out, and those of
 * half a turn for a full turn are still noticed. The angles to try, if any, are
 * those of the turn, also of its projections that are left out. */
static void
test_angles_left_out (gconstpointer data G_GNUC_UNUSED)
{
  /* From the start, beside the first, in the middle, beside the last, and from
   * the end. */
  static const struct
  {
    size_t first, n;
  } parts[] = { { 0, 1 },   { 0, 3 },   { 1, 1 },   { 1, 3 },   { 1, 10 },
                { 80, 20 }, { 235, 4 }, { 239, 1 }, { 237, 3 }, { 236, 4 } };
  guint n_told = 0;
  for (guint k = 0; k < 4 * G_N_ELEMENTS (parts); k++)
    {
      CentreCase c = clean;
      g_autoptr (GError) error = NULL;
      g_autofree char *note = NULL;
      double end_deg;
      c.turn = (CentreTurn)(k % 4);
      g_autoptr (CentreSinogram) s = centre_sinogram_new (&c);
      for (size_t p = 0; c.turn >= CENTRE_FULL && p < c.n_projections; p++)
        s->angles_rad[p] /= 2;
      s->data.range_rad = s->angles_rad[c.n_projections - 1] - s->angles_rad[0];
      leave_out (s, parts[k / 4].first, parts[k / 4].n);
      g_assert_true (
          tl_centre_check_angles (&s->data, &end_deg, &note, &error));
      g_assert_no_error (error);
      g_test_message ("%s without %zu from %zu: %s", centre_turn_names[c.turn],
                      parts[k / 4].n, parts[k / 4].first,
                      note != NULL ? note : "nothing");
      g_assert_true ((note != NULL) == (c.turn >= CENTRE_FULL));
      if (end_deg != 0)
        {
          g_assert_cmpfloat_with_epsilon (
              end_deg, c.turn == CENTRE_FULL ? 358.5 : 360, 1e-9);
          n_told++;
        }
      else if (note != NULL)
        g_assert_nonnull (strstr (note, "0:360 if it does, 0:358.5 if"));
    }
  g_test_message ("%u ends told", n_told);
  g_assert_cmpuint (n_told, >=, 3);
}

/* The projections may come in any order and direction, and angles may repeat.
 */
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
      g_auto (CentreAnswer) answer = { 0 };
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
      centre_ask (engine, &mixed, &answer);
      centre_print (&c, &answer);
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

  set (&e[2], TL_CENTRE_SHARPNESS, 110, 2); /* too vague to contradict */
  tl_centre_agree (e, 3, &c);
  g_assert_cmpint (c.verdict, ==, TL_CENTRE_CERTAIN);
  g_assert_cmpstr (c.sentence, ==,
                   "2 of 3 estimates agree within 0.06 columns");
  g_assert_cmpfloat_with_epsilon (c.spread_col, 10, 1e-9);
  tl_centre_consensus_clear (&c);

  set (&e[2], TL_CENTRE_SHARPNESS, 101, 0.03); /* contradicts */
  tl_centre_agree (e + 1, 2, &c);
  g_assert_cmpstr (c.sentence, ==,
                   "no two of 2 estimates agree, they lie 0.94 columns apart; "
                   "check the axis before you use it");
  tl_centre_consensus_clear (&c);
  tl_centre_agree (e, 1, &c);
  g_assert_cmpstr (c.sentence, ==,
                   "no other estimate confirms that by the correlation of "
                   "opposite projections; check the axis before you use it");
  tl_centre_consensus_clear (&c);
  tl_centre_agree (e, 3, &c);
  g_assert_cmpint (c.verdict, ==, TL_CENTRE_UNCERTAIN);
  g_assert_cmpfloat_with_epsilon (c.centre_col, 100.03, 1e-9);
  g_assert_cmpuint (c.n_agreeing, ==, 2);
  tl_centre_consensus_clear (&c);

  set (&e[2], TL_CENTRE_SHARPNESS, 105, 2); /* too vague to contradict */
  tl_centre_agree (e, 3, &c);
  g_assert_cmpint (c.verdict, ==, TL_CENTRE_CERTAIN);
  tl_centre_consensus_clear (&c);

  /* Two methods that use the same pairs are one witness. */
  set (&e[1], TL_CENTRE_OVERLAP, 100.04, 0.03);
  set (&e[2], TL_CENTRE_SHARPNESS, NAN, NAN);
  tl_centre_agree (e, 3, &c);
  g_assert_cmpint (c.verdict, ==, TL_CENTRE_UNCERTAIN);
  g_assert_cmpstr (c.sentence, ==,
                   "2 of 2 estimates agree within 0.04 columns, but no two "
                   "precise estimates are independent of each other; check the "
                   "axis before you use it");
  g_assert_true (g_str_has_prefix (
      c.sentence, "2 of 2 estimates agree within 0.04 columns, but "));
  g_assert_cmpfloat_with_epsilon (c.uncertainty_col, hypot (0.03, 0.02), 1e-9);
  tl_centre_consensus_clear (&c);

  /* The sum of a single pair is the same witness too; the sum of many pairs is
   * another one. */
  set (&e[1], TL_CENTRE_SYMMETRY, 100.0, 0.03);
  for (guint many = 0; many < 2; many++)
    {
      e[1].is_of_pair = !many;
      tl_centre_agree (e, 3, &c);
      g_assert_cmpint (c.verdict, ==,
                       many ? TL_CENTRE_CERTAIN : TL_CENTRE_UNCERTAIN);
      tl_centre_consensus_clear (&c);
    }

  tl_centre_agree (e + 2, 1, &c);
  g_assert_cmpint (c.verdict, ==, TL_CENTRE_CANNOT_TELL);
  g_assert_nonnull (c.sentence);
  tl_centre_consensus_clear (&c);
}

/* A value that is uncertain by several columns is no axis, neither alone nor
 * with others like it. A better value is an axis, and vague values do not shift
 * it. */
static void
test_rough (gconstpointer data G_GNUC_UNUSED)
{
  TlCentreEstimate e[3];
  for (guint n = 1; n <= 3; n++)
    {
      g_auto (TlCentreConsensus) c = { 0 };
      set (&e[0], TL_CENTRE_MOMENTS, 169.2, 27.4);
      set (&e[1], TL_CENTRE_VO, 150, 20);
      set (&e[2], TL_CENTRE_PHASE, 160, n == 3 ? 1.9 : NAN);
      tl_centre_agree (e, n, &c);
      g_test_message ("%s", c.sentence);
      g_assert_cmpint (c.verdict, ==,
                       n < 3 ? TL_CENTRE_CANNOT_TELL : TL_CENTRE_UNCERTAIN);
      g_assert_true (isnan (c.centre_col) == (n < 3));
      g_assert_true (isnan (c.uncertainty_col) == (n < 3));
      g_assert_true (c.agrees[TL_CENTRE_MOMENTS] == (n == 3));
      g_assert_true ((strstr (c.sentence, "too uncertain") != NULL) == (n < 3));
      g_assert_true ((strstr (c.sentence, "centres of mass") != NULL)
                     == (n == 1));
      if (n == 3)
        g_assert_cmpfloat_with_epsilon (c.centre_col, 160, 0.2);
    }
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

static guint
count_threads (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GDir) tasks = g_dir_open ("/proc/self/task", 0, &error);
  guint n = 0;
  g_assert_no_error (error);
  while (g_dir_read_name (tasks) != NULL)
    n++;
  return n;
}

typedef struct
{
  const TlCentreData *data;
  gint n_running; /* atomic */
} Asking;

static gpointer
ask_wedge (gpointer user_data)
{
  Asking *asking = user_data;
  g_auto (TlCentreEstimate) estimate = { 0 };
  g_autoptr (GError) error = NULL;
  g_assert_true (tl_centre_by_wedge (asking->data, &estimate, &error));
  g_assert_true (estimate.is_found);
  g_atomic_int_add (&asking->n_running, -1);
  return NULL;
}

/* Estimators that run at once share the threads of one pool. */
static void
test_threads (gconstpointer data G_GNUC_UNUSED)
{
  enum
  {
    N_ASKING = 8
  };
  g_autoptr (CentreSinogram) sinogram = centre_sinogram_new (&clean);
  Asking asking = { &sinogram->data, N_ASKING };
  GThread *threads[N_ASKING];
  const guint n_before = count_threads ();
  guint n_most = 0;
  for (guint k = 0; k < N_ASKING; k++)
    threads[k] = g_thread_new ("asking", ask_wedge, &asking);
  while (g_atomic_int_get (&asking.n_running) > 0)
    n_most = MAX (n_most, count_threads ());
  for (guint k = 0; k < N_ASKING; k++)
    g_thread_join (threads[k]);
  g_test_message ("%u threads before, up to %u", n_before, n_most);
  g_assert_cmpuint (n_most, <=,
                    n_before + N_ASKING + g_get_num_processors () - 1);
}

static void
add_cases (TlEngine *engine)
{
  static const TlTestCase cases[] = {
    { "centre/agree", test_agree },
    { "centre/angles", test_angles },
    { "centre/angles-left-out", test_angles_left_out },
    { "centre/angles-unordered", test_angles_unordered },
    { "centre/data", test_data },
    { "centre/fractions", test_fractions },
    { "centre/half-acquisition", test_half_acquisition },
    { "centre/half-drawn", test_half_drawn },
    { "centre/half-left-out", test_half_left_out },
    { "centre/left-out", test_left_out },
    { "centre/no-answer", test_no_answer },
    { "centre/order", test_order },
    { "centre/rough", test_rough },
    { "centre/short", test_short },
    { "centre/symmetry", test_symmetry },
    { "centre/threads", test_threads },
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
