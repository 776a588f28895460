/* Frames of a scan that is being taken, and the scans that they are meanwhile.
 */
#include "data/error.h"
#include "data/read/held/copy.h"
#include "data/read/held/held.h"

#include <math.h>
#include <string.h>

enum
{
  N_ROWS = 7,
  N_COLS = 5,
  FIRST_ROW = 2,
  N_KEPT = 3,
  N_SAMPLES = N_ROWS * N_COLS,
  N_PROJECTIONS = 200,
  PLENTY = 1 << 20
};

static double
get_angle (size_t number)
{
  return 180.0 * (double)number / N_PROJECTIONS;
}

/* Each frame is known by its samples. */
static void
make_frame (TlFrameKind kind, size_t number, guint16 *pixels)
{
  for (size_t k = 0; k < N_SAMPLES; k++)
    pixels[k] = (guint16)(number * 37 + k * 11 + kind * 5000 + number * k % 7);
}

static gboolean
put (TlHeld *held, TlFrameKind kind, size_t number)
{
  guint16 pixels[N_SAMPLES];
  make_frame (kind, number, pixels);
  return tl_held_put (held, kind, number, get_angle (number), pixels);
}

static TlHeld *
make_held_of (gboolean is_announced, TlHeldBudget *budget)
{
  double angles_deg[N_PROJECTIONS];
  for (size_t k = 0; k < N_PROJECTIONS; k++)
    angles_deg[k] = get_angle (k);
  const TlHeldLayout layout = {
    .name = "zmq+json://nowhere:1",
    .n_rows = N_ROWS,
    .n_cols = N_COLS,
    .first_row = FIRST_ROW,
    .n_kept = N_KEPT,
    .type = TL_SAMPLE_U16,
    .n_expected = is_announced ? N_PROJECTIONS : 0,
    .angles_deg = is_announced ? angles_deg : NULL,
  };
  g_autoptr (GError) error = NULL;
  TlHeld *held = tl_held_new (&layout, budget, &error);
  g_assert_no_error (error);
  return held;
}

static TlHeld *
make_held (gboolean is_announced, guint64 max_bytes)
{
  g_autoptr (TlHeldBudget) budget = tl_held_budget_new (max_bytes);
  return make_held_of (is_announced, budget);
}

static TlReader *
open_as (TlHeld *held, const TlReaderOptions *options)
{
  g_autoptr (GError) error = NULL;
  TlReader *reader = tl_held_open (held, options, NULL, &error);
  g_assert_no_error (error);
  return reader;
}

static TlReader *
open_now (TlHeld *held)
{
  return open_as (held, NULL);
}

static void
assert_refused (TlHeld *held, const TlReaderOptions *options, const char *words)
{
  g_autoptr (GError) error = NULL;
  g_assert_null (tl_held_open (held, options, NULL, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_VALUE);
  if (strstr (error->message, words) == NULL)
    g_test_fail_printf ("\"%s\" does not say \"%s\"", error->message, words);
}

/* Each projection is the one that its angle says. */
static void
check_projections (TlReader *reader)
{
  g_autoptr (GError) error = NULL;
  const TlScanInfo *info = tl_reader_get_info (reader);
  g_autofree guint16 *got =
      g_new (guint16, info->n_projections * N_KEPT * N_COLS);
  g_assert_true (tl_reader_read (reader, FIRST_ROW, N_KEPT, got, NULL, &error));
  g_assert_no_error (error);
  for (size_t k = 0; k < info->n_projections; k++)
    {
      guint16 want[N_SAMPLES];
      const size_t number =
          (size_t)lround (info->angles_deg[k] / 180 * N_PROJECTIONS);
      make_frame (TL_FRAMES_PROJECTIONS, number, want);
      g_assert_cmpmem (got + k * N_KEPT * N_COLS, N_KEPT * N_COLS * sizeof *got,
                       want + FIRST_ROW * N_COLS,
                       N_KEPT * N_COLS * sizeof *want);
      g_assert_true (k == 0 || info->angles_deg[k] > info->angles_deg[k - 1]);
    }
}

static void
test_projections (void)
{
  g_autoptr (TlHeld) held = make_held (FALSE, PLENTY);
  g_autoptr (GError) error = NULL;
  TlHeldState before, after;
  size_t n = 0;

  for (size_t k = 0; k < N_PROJECTIONS; k++)
    if (k * 67 % N_PROJECTIONS != 13)
      {
        n++;
        g_assert_true (
            put (held, TL_FRAMES_PROJECTIONS, k * 67 % N_PROJECTIONS));
      }
  tl_held_get_state (held, &before);
  g_assert_false (put (held, TL_FRAMES_PROJECTIONS, 14));
  tl_held_get_state (held, &after);
  g_assert_cmpuint (before.serial, ==, after.serial);
  g_assert_cmpuint (after.n_frames[TL_FRAMES_PROJECTIONS], ==, n);

  g_autoptr (TlReader) reader = open_now (held);
  const TlScanInfo *info = tl_reader_get_info (reader);
  g_assert_cmpuint (info->n_projections, ==, n);
  g_assert_true (info->is_attenuation);
  check_projections (reader);
  /* a later one is not in the snapshot, which outlives the rest */
  g_assert_true (put (held, TL_FRAMES_PROJECTIONS, 13));
  g_clear_pointer (&held, tl_held_unref);
  g_assert_cmpuint (info->n_projections, ==, n);
  check_projections (reader);

  guint16 row[N_PROJECTIONS * N_COLS];
  g_assert_false (tl_reader_read (reader, 1, 1, row, NULL, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_VALUE);
  g_assert_cmpstr (error->message, ==,
                   "zmq+json://nowhere:1: row 1 cannot be shown, because there "
                   "was no room for it when the frames passed; rows 2 to 4 are "
                   "kept");
}

static void
test_nothing (void)
{
  g_autoptr (TlHeld) held = make_held (TRUE, PLENTY);
  g_autoptr (GError) error = NULL;
  g_assert_true (put (held, TL_FRAMES_FLATS, 0));
  g_assert_null (tl_held_open (held, NULL, NULL, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_SHAPE);
}

/* Asserts that the mean of @n frames from @first on is there, to the bit. */
static void
assert_mean (const double *got, TlFrameKind kind, size_t first, size_t n)
{
  double sums[N_SAMPLES] = { 0 };
  for (size_t f = first; f < first + n; f++)
    {
      guint16 pixels[N_SAMPLES];
      make_frame (kind, f, pixels);
      for (size_t k = 0; k < N_SAMPLES; k++)
        sums[k] += pixels[k];
    }
  for (size_t k = 0; k < N_KEPT * N_COLS; k++)
    g_assert_cmpfloat (got[k], ==, sums[FIRST_ROW * N_COLS + k] / (double)n);
}

static void
assert_flats (TlHeld *held, size_t first, size_t n_first, size_t last,
              size_t n_last, size_t n_flats)
{
  double fields[3][N_KEPT * N_COLS];
  g_autoptr (GError) error = NULL;
  g_autoptr (TlReader) reader = open_now (held);
  g_assert_cmpuint (tl_reader_get_info (reader)->n_flats, ==, n_flats);
  g_assert_true (tl_reader_read_fields (reader, FIRST_ROW, N_KEPT, fields[0],
                                        fields[1], fields[2], NULL, &error));
  g_assert_no_error (error);
  assert_mean (fields[0], TL_FRAMES_DARKS, 0, 3);
  assert_mean (fields[1], TL_FRAMES_FLATS, first, n_first);
  assert_mean (fields[2], TL_FRAMES_FLATS, last, n_last);
}

/* The newest flats count until the scan is complete. */
static void
test_fields (void)
{
  g_autoptr (TlHeld) held = make_held (FALSE, PLENTY);
  size_t flat = 900; /* brighter than the darks */
  for (size_t k = 0; k < 3; k++)
    g_assert_true (put (held, TL_FRAMES_DARKS, k));
  while (flat < 904)
    g_assert_true (put (held, TL_FRAMES_FLATS, flat++));
  g_assert_true (put (held, TL_FRAMES_PROJECTIONS, 0));
  assert_flats (held, 900, 4, 900, 4, 4);
  g_assert_true (put (held, TL_FRAMES_PROJECTIONS, 1));
  while (flat < 907)
    g_assert_true (put (held, TL_FRAMES_FLATS, flat++));
  assert_flats (held, 904, 3, 904, 3, 3);
  g_assert_true (put (held, TL_FRAMES_PROJECTIONS, 2));
  while (flat < 909)
    g_assert_true (put (held, TL_FRAMES_FLATS, flat++));
  assert_flats (held, 907, 2, 907, 2, 2);
  tl_held_end (held);
  assert_flats (held, 900, 4, 904, 5, 9);
}

/* A white spot in one of the flats is left out of their mean, whichever comes
 * first. */
static void
test_spots (void)
{
  for (size_t spotted = 0; spotted < 3; spotted++)
    {
      g_autoptr (TlHeld) held = make_held (FALSE, PLENTY);
      g_autoptr (GError) error = NULL;
      double fields[3][N_KEPT * N_COLS];
      guint16 pixels[N_SAMPLES];
      for (size_t k = 0; k < 3; k++)
        {
          make_frame (TL_FRAMES_FLATS, 0, pixels);
          if (k == spotted)
            pixels[FIRST_ROW * N_COLS + 1] = G_MAXUINT16;
          g_assert_true (tl_held_put (held, TL_FRAMES_FLATS, k, 0, pixels));
        }
      g_assert_true (put (held, TL_FRAMES_PROJECTIONS, 0));
      g_autoptr (TlReader) reader = open_now (held);
      g_assert_true (tl_reader_read_fields (reader, FIRST_ROW, N_KEPT,
                                            fields[0], fields[1], fields[2],
                                            NULL, &error));
      make_frame (TL_FRAMES_FLATS, 0, pixels);
      for (size_t k = 0; k < N_KEPT * N_COLS; k++)
        g_assert_cmpfloat (fields[1][k], ==, pixels[FIRST_ROW * N_COLS + k]);
    }
}

static void
lend (TlHeld *held, TlFrameKind kind, size_t number, size_t n_frames)
{
  guint16 pixels[N_SAMPLES];
  make_frame (kind, number, pixels);
  g_assert_true (tl_held_lend (held, kind, n_frames, pixels));
}

/* Flats and darks of an earlier scan count as many, and not any more when there
 * are own ones. */
static void
test_lent (void)
{
  g_autoptr (TlHeld) held = make_held (FALSE, PLENTY);
  lend (held, TL_FRAMES_FLATS, 900, 4);
  lend (held, TL_FRAMES_DARKS, 17, 6);
  g_assert_true (put (held, TL_FRAMES_PROJECTIONS, 0));
  TlReader *reader = open_now (held);
  g_assert_cmpuint (tl_reader_get_info (reader)->n_flats, ==, 4);
  g_assert_cmpuint (tl_reader_get_info (reader)->n_darks, ==, 6);
  tl_reader_close (reader);
  for (size_t k = 0; k < 3; k++)
    g_assert_true (put (held, TL_FRAMES_DARKS, k));
  assert_flats (held, 900, 1, 900, 1, 4);
  for (size_t flat = 910; flat < 912; flat++)
    g_assert_true (put (held, TL_FRAMES_FLATS, flat));
  assert_flats (held, 910, 2, 910, 2, 2);
  g_assert_true (put (held, TL_FRAMES_PROJECTIONS, 1));
  for (size_t flat = 912; flat < 915; flat++)
    g_assert_true (put (held, TL_FRAMES_FLATS, flat));
  tl_held_end (held);
  assert_flats (held, 910, 5, 910, 5, 5);
}

static double
add (const double *weights, size_t n)
{
  double sum = 0;
  for (size_t k = 0; k < n; k++)
    sum += weights[k];
  return sum;
}

/* A third of a scan weighs as much as the whole, which weighs as any scan. */
static void
test_weights (gconstpointer data)
{
  g_autoptr (TlHeld) held = make_held (data != NULL, PLENTY);
  for (size_t k = 0; k < N_PROJECTIONS / 3; k++)
    g_assert_true (put (held, TL_FRAMES_PROJECTIONS, k));
  g_autoptr (TlReader) early = open_now (held);
  const TlScanInfo *info = tl_reader_get_info (early);
  g_assert_cmpfloat_with_epsilon (add (info->weights, info->n_projections),
                                  G_PI, 1e-9);
  g_assert_null (info->turn_weights);
  g_assert_false (info->covers_turn);
  tl_held_end (held);
  g_autoptr (TlReader) late = open_now (held);
  g_assert_null (tl_reader_get_info (late)->weights);
}

/* A turn that is announced is one from the beginning. */
static void
test_turn (void)
{
  double angles_deg[N_PROJECTIONS];
  for (size_t k = 0; k < N_PROJECTIONS; k++)
    angles_deg[k] = 2 * get_angle (k);
  const TlHeldLayout layout = { "a",           1,         1, 0, 1, TL_SAMPLE_U8,
                                N_PROJECTIONS, angles_deg };
  g_autoptr (TlHeldBudget) budget = tl_held_budget_new (PLENTY);
  g_autoptr (TlHeld) held = tl_held_new (&layout, budget, NULL);
  for (size_t k = 0; k < 20; k++)
    g_assert_true (
        tl_held_put (held, TL_FRAMES_PROJECTIONS, k, angles_deg[k], "x"));
  g_autoptr (TlReader) reader = open_now (held);
  const TlScanInfo *info = tl_reader_get_info (reader);
  g_assert_true (info->covers_turn);
  g_assert_cmpfloat_with_epsilon (add (info->weights, 20), G_PI, 1e-9);
  g_assert_cmpfloat_with_epsilon (add (info->turn_weights, 20), 2 * G_PI, 1e-9);
}

static gboolean
has_note (TlReader *reader, const char *words)
{
  const GPtrArray *notes = tl_reader_get_info (reader)->notes;
  for (guint k = 0; k < notes->len; k++)
    if (strstr (((const TlNote *)notes->pdata[k])->text, words) != NULL)
      return TRUE;
  return FALSE;
}

/* What is left out is meant by its number, whether it has come or not, and
 * others take its weight. */
static void
test_left_out (void)
{
  const TlReaderOptions options = { .leave_out = "2,10:14,150:154" };
  const TlReaderOptions beyond = { .leave_out = "200" };
  g_autoptr (TlHeld) held = make_held (TRUE, PLENTY);
  g_autoptr (TlHeld) other = make_held (FALSE, PLENTY);
  TlHeldState state;
  for (size_t k = 0; k < 100; k++)
    g_assert_true (put (held, TL_FRAMES_PROJECTIONS, k));
  tl_held_get_state (held, &state);
  g_assert_true (state.is_sorted);
  g_autoptr (TlReader) early = open_as (held, &options);
  const TlScanInfo *info = tl_reader_get_info (early);
  g_assert_cmpuint (info->n_projections, ==, 94);
  g_assert_cmpuint (info->frames[1], ==, 1);
  g_assert_cmpuint (info->frames[2], ==, 3);
  g_assert_cmpuint (info->frames[9], ==, 15);
  check_projections (early);
  g_assert_true (has_note (early, "94 of 100 projections are used"));
  g_assert_cmpfloat_with_epsilon (add (info->weights, 94), G_PI, 1e-9);
  g_assert_cmpfloat_with_epsilon (info->weights[2] / info->weights[5], 1.5,
                                  1e-6);
  assert_refused (held, &beyond, "the projections are 0 to 199");
  for (size_t k = 100; k < N_PROJECTIONS; k++)
    g_assert_true (put (held, TL_FRAMES_PROJECTIONS, k));
  tl_held_end (held);
  g_autoptr (TlReader) late = open_as (held, &options);
  g_assert_cmpuint (tl_reader_get_info (late)->n_projections, ==, 189);
  check_projections (late);

  /* by the number also where others are lost, or come later */
  for (size_t k = 0; k < 40; k += 2)
    g_assert_true (put (other, TL_FRAMES_PROJECTIONS, 38 - k));
  tl_held_get_state (other, &state);
  g_assert_false (state.is_sorted);
  g_autoptr (TlReader) some = open_as (other, &options);
  g_assert_cmpuint (tl_reader_get_info (some)->n_projections, ==, 16);
  g_assert_cmpuint (tl_reader_get_info (some)->frames[1], ==, 4);
  check_projections (some);
  const TlReaderOptions all = { .leave_out = "0:100" };
  assert_refused (other, &all, "all 20 projections are left out");
}

/* The angles that the user gives are those of all projections. */
static void
test_given_angles (void)
{
  const TlReaderOptions options = { .has_angles = TRUE,
                                    .angles_deg = { 0, 398 } };
  for (int is_announced = 0; is_announced < 2; is_announced++)
    {
      g_autoptr (TlHeld) held = make_held (is_announced, PLENTY);
      for (size_t k = 0; k < N_PROJECTIONS; k++)
        {
          g_assert_true (put (held, TL_FRAMES_PROJECTIONS, k));
          if (k != N_PROJECTIONS / 2)
            continue;
          if (!is_announced)
            {
              assert_refused (held, &options, "only when all have come");
              continue;
            }
          g_autoptr (TlReader) early = open_as (held, &options);
          g_assert_cmpfloat (tl_reader_get_info (early)->angles_deg[k], ==,
                             2 * (double)k);
          g_assert_true (tl_reader_get_info (early)->covers_turn);
          g_assert_nonnull (tl_reader_get_info (early)->turn_weights);
        }
      tl_held_end (held);
      g_autoptr (TlReader) late = open_as (held, &options);
      const TlScanInfo *info = tl_reader_get_info (late);
      for (size_t k = 0; k < N_PROJECTIONS; k++)
        g_assert_cmpfloat (info->angles_deg[k], ==, 2 * (double)k);
      g_assert_nonnull (strstr (info->angles_source, "0 to 398 degrees"));
    }
}

/* A projection without a number is no part of the scan. */
static void
test_blank (void)
{
  const TlHeldLayout layout = {
    .name = "a", .n_rows = 3, .n_cols = 3, .n_kept = 2, .type = TL_SAMPLE_F32
  };
  g_autoptr (TlHeldBudget) budget = tl_held_budget_new (PLENTY);
  g_autoptr (TlHeld) held = tl_held_new (&layout, budget, NULL);
  g_autoptr (GError) error = NULL;
  float samples[9 * 6];
  for (size_t k = 0; k < 10; k++)
    {
      /* only the rows that are kept count */
      float pixels[9];
      for (size_t i = 0; i < 9; i++)
        pixels[i] = (i < 6 ? k == 4 : k == 5) ? NAN : (float)k;
      g_assert_true (tl_held_put (held, TL_FRAMES_PROJECTIONS, k,
                                  18. * (double)k, pixels));
      g_assert_true (tl_held_is_blank (held, k) == (k == 4));
    }
  for (int is_complete = 0; is_complete < 2; is_complete++)
    {
      g_autoptr (TlReader) reader = open_now (held);
      g_assert_cmpuint (tl_reader_get_info (reader)->n_projections, ==, 9);
      g_assert_true (tl_reader_read (reader, 0, 2, samples, NULL, &error));
      g_assert_no_error (error);
      g_assert_cmpfloat (samples[4 * 6], ==, 5);
      g_assert_true (has_note (reader, "left out: 4; the first: projection 4 "
                                       "has no sample that is a number"));
      tl_held_end (held);
    }
}

/* What flats and darks may take, and 64 projections. */
static const guint64 fields_bytes = 4 * N_KEPT * N_COLS * 4 * sizeof (double);
static const guint64 chunk_bytes =
    64 * (N_KEPT * N_COLS * sizeof (guint16) + sizeof (double) + 1)
    + sizeof (size_t) + N_KEPT * sizeof (char *);

/* A sender cannot make this program take more than it may, and flats that come
 * late find their room. */
static void
test_memory (void)
{
  g_autoptr (TlHeld) held =
      make_held (FALSE, fields_bytes + 3 * chunk_bytes + 100);
  size_t n = 0;
  while (put (held, TL_FRAMES_PROJECTIONS, n))
    n++;
  g_assert_cmpuint (n, ==, 3 * 64);
  g_assert_false (put (held, TL_FRAMES_PROJECTIONS, (1 << 24) - 1));
  for (size_t k = 0; k < 100; k++)
    {
      g_assert_true (put (held, TL_FRAMES_FLATS, k));
      g_assert_true (put (held, TL_FRAMES_DARKS, k));
    }
  g_autoptr (TlReader) reader = open_now (held);
  check_projections (reader);
}

/* No memory is taken for more projections than were announced. */
static void
test_announced (void)
{
  const guint64 max_bytes =
      fields_bytes + 4 * chunk_bytes
      - (4 * 64 - N_PROJECTIONS) * N_KEPT * N_COLS * sizeof (guint16);
  g_autoptr (TlHeldBudget) budget = tl_held_budget_new (max_bytes);
  g_autoptr (TlHeld) held = make_held_of (TRUE, budget);
  for (size_t k = N_PROJECTIONS; k-- > 0;)
    g_assert_true (put (held, TL_FRAMES_PROJECTIONS, k));
  g_assert_false (put (held, TL_FRAMES_PROJECTIONS, N_PROJECTIONS));
  g_autoptr (TlReader) reader = open_now (held);
  check_projections (reader);
}

/* As many rows as there is room for around the last one, two at least. */
static void
choose_last (size_t max_rows, size_t *first_row, size_t *n_rows, gpointer data)
{
  (*(guint *)data)++;
  *n_rows = MAX (max_rows, 2);
  *first_row = FIRST_ROW + N_KEPT - *n_rows;
}

/* Asserts that the last two rows of the projections are what they were. */
static void
check_last (TlReader *reader)
{
  g_autoptr (GError) error = NULL;
  const size_t first = FIRST_ROW + N_KEPT - 2;
  const size_t n = tl_reader_get_info (reader)->n_projections;
  g_autofree guint16 *got = g_new (guint16, n * 2 * N_COLS);
  g_assert_true (tl_reader_read (reader, first, 2, got, NULL, &error));
  for (size_t k = 0; k < n; k++)
    {
      guint16 want[N_SAMPLES];
      make_frame (TL_FRAMES_PROJECTIONS, k, want);
      g_assert_cmpmem (got + k * 2 * N_COLS, 2 * N_COLS * sizeof *got,
                       want + first * N_COLS, 2 * N_COLS * sizeof *want);
    }
  g_assert_false (tl_reader_read (reader, first - 1, 1, got, NULL, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_VALUE);
  g_assert_nonnull (strstr (error->message, "row 2 cannot be shown"));
  g_assert_nonnull (strstr (error->message, "rows 3 to 4 are kept"));
}

/* Rows that are not shown make room, and what is left for the next scan is
 * taken only when no row can be left out any more. */
static void
test_fewer_rows (void)
{
  const guint64 max_bytes = fields_bytes + 4 * chunk_bytes;
  g_autoptr (TlHeldBudget) budget = tl_held_budget_new (max_bytes);
  g_autoptr (TlHeld) held = make_held_of (FALSE, budget);
  guint n_asked = 0;
  size_t n = 0;
  tl_held_set_chooser (held, choose_last, &n_asked);
  g_assert_true (put (held, TL_FRAMES_DARKS, 0));
  for (; n < 2 * 64; n++)
    g_assert_true (put (held, TL_FRAMES_PROJECTIONS, n));
  g_assert_cmpuint (n_asked, ==, 0);
  g_autoptr (TlReader) early = open_now (held);
  check_projections (early);
  for (; n < 3 * 64; n++)
    g_assert_true (put (held, TL_FRAMES_PROJECTIONS, n));
  g_assert_cmpuint (n_asked, ==, 1);
  check_last (early);
  /* a quarter is left, with which another scan can begin */
  g_assert_true (tl_held_budget_take (budget, max_bytes / 4));
  tl_held_budget_give_back (budget, max_bytes / 4);
  while (put (held, TL_FRAMES_PROJECTIONS, n))
    n++;
  g_assert_cmpuint (n, >, 5 * 64);
  g_autoptr (TlReader) late = open_now (held);
  g_assert_cmpuint (tl_reader_get_info (late)->n_projections, ==, n);
  check_last (late);
}

/* The last projections take no more memory than there is, and are where those
 * that come later are put when there is more. */
static void
test_last_room (void)
{
  enum
  {
    N_LAST = 45 /* for which there is room after the first 64 */
  };
  const guint64 last_bytes =
      chunk_bytes - (64 - N_LAST) * N_KEPT * N_COLS * sizeof (guint16);
  g_autoptr (TlHeldBudget) budget =
      tl_held_budget_new (fields_bytes + 2 * chunk_bytes);
  g_autoptr (TlHeld) held = make_held_of (FALSE, budget);
  size_t n = 0;
  g_assert_true (tl_held_budget_take (budget, chunk_bytes - last_bytes));
  while (put (held, TL_FRAMES_PROJECTIONS, n))
    n++;
  g_assert_cmpuint (n, ==, 64 + N_LAST);
  g_autoptr (TlReader) early = open_now (held);
  tl_held_budget_give_back (budget, chunk_bytes - last_bytes);
  for (; n < 2 * 64; n++)
    g_assert_true (put (held, TL_FRAMES_PROJECTIONS, n));
  g_assert_false (put (held, TL_FRAMES_PROJECTIONS, n));
  check_projections (early);
  g_autoptr (TlReader) late = open_now (held);
  g_assert_cmpuint (tl_reader_get_info (late)->n_projections, ==, n);
  check_projections (late);
}

/* Scans that are looked at and the next one take no more together. */
static void
test_budget (void)
{
  g_autoptr (TlHeldBudget) budget =
      tl_held_budget_new (2 * fields_bytes + 3 * chunk_bytes);
  TlHeld *first = make_held_of (FALSE, budget);
  g_autoptr (TlHeld) second = make_held_of (FALSE, budget);
  for (size_t k = 0; k < 2 * 64; k++)
    g_assert_true (put (first, TL_FRAMES_PROJECTIONS, k));
  for (size_t k = 0; k < 2 * 64; k++)
    g_assert_true (put (second, TL_FRAMES_PROJECTIONS, k) == (k < 64));
  TlReader *reader = open_now (first);
  tl_held_unref (first);
  g_assert_false (put (second, TL_FRAMES_PROJECTIONS, 64));
  check_projections (reader);
  tl_reader_close (reader);
  for (size_t k = 64; k < 3 * 64; k++)
    g_assert_true (put (second, TL_FRAMES_PROJECTIONS, k));
  /* as if there were still the flats of the first one */
  g_assert_true (tl_held_budget_take (budget, fields_bytes));
  g_assert_false (put (second, TL_FRAMES_PROJECTIONS, 3 * 64));
}

/* While there is no room even for flats, nothing is taken. */
static void
test_no_room (void)
{
  g_autoptr (TlHeldBudget) budget =
      tl_held_budget_new (fields_bytes + chunk_bytes);
  TlHeld *first = make_held_of (FALSE, budget);
  g_autoptr (TlHeld) second = make_held_of (FALSE, budget);
  g_assert_true (put (first, TL_FRAMES_PROJECTIONS, 0));
  /* it waits a moment, because the first one may be given up just now */
  for (int kind = 0; kind < TL_FRAMES_DARKS; kind++)
    {
      const gint64 start_us = g_get_monotonic_time ();
      g_assert_false (put (second, kind, 0));
      g_assert_cmpint (g_get_monotonic_time () - start_us, >=,
                       G_USEC_PER_SEC / 5);
    }
  tl_held_unref (first);
  g_assert_true (put (second, TL_FRAMES_PROJECTIONS, 0));
  g_assert_true (put (second, TL_FRAMES_DARKS, 0));

  const TlHeldLayout layout = { .name = "here",
                                .n_rows = N_ROWS,
                                .n_cols = N_COLS,
                                .n_kept = N_KEPT + 1,
                                .type = TL_SAMPLE_U16 };
  g_autoptr (GError) error = NULL;
  g_assert_null (tl_held_new (&layout, budget, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_MEMORY);
}

static gpointer
put_all (gpointer data)
{
  for (size_t k = 0; k < N_PROJECTIONS; k++)
    {
      if (k % 10 == 0)
        g_assert_true (put (data, TL_FRAMES_FLATS, 900 + k));
      g_assert_true (put (data, TL_FRAMES_PROJECTIONS, k * 67 % N_PROJECTIONS));
      if (k % 20 == 0)
        g_usleep (100);
    }
  tl_held_end (data);
  return NULL;
}

/* While frames come, each snapshot is whole. */
static void
test_threads (void)
{
  for (int round = 0; round < 20; round++)
    {
      g_autoptr (TlHeld) held = make_held (round % 2, PLENTY);
      GThread *thread = g_thread_new ("in", put_all, held);
      TlHeldState state = { 0 };
      while (!state.is_complete)
        {
          tl_held_get_state (held, &state);
          if (state.n_frames[TL_FRAMES_PROJECTIONS] == 0)
            continue;
          g_autoptr (TlReader) reader = open_now (held);
          g_assert_cmpuint (tl_reader_get_info (reader)->n_projections, >=,
                            state.n_frames[TL_FRAMES_PROJECTIONS]);
          check_projections (reader);
        }
      g_thread_join (thread);
      g_assert_cmpuint (state.n_frames[TL_FRAMES_PROJECTIONS], ==,
                        N_PROJECTIONS);
    }
}

/* Frames that are sent stay as they are. */
static void
test_no_bins (void)
{
  const TlReaderOptions options = { .bin = 2 };
  g_autoptr (TlHeldBudget) budget = tl_held_budget_new (PLENTY);
  g_autoptr (TlHeld) held = make_held_of (TRUE, budget);
  g_autoptr (GError) error = NULL;
  put (held, TL_FRAMES_PROJECTIONS, 0);
  g_assert_null (tl_held_open (held, &options, NULL, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_UNSUPPORTED);
}

/* A bin has the mean of its samples, and the weights of all its projections, of
 * which the last one has fewer. A copy has the same weights. */
static void
test_bins (void)
{
  enum
  {
    N = N_PROJECTIONS / 2 + 1, /* odd */
    N_BINS = (N + 1) / 2,
    ROW = 1 /* of which all rows are kept */
  };
  const TlReaderOptions options = { .bin = 2 };
  g_autoptr (TlHeldBudget) budget = tl_held_budget_new (PLENTY);
  g_autoptr (TlHeld) held = make_held_of (TRUE, budget);
  g_autoptr (GError) error = NULL;
  float got[N_BINS * (N_COLS / 2)];
  for (size_t k = 0; k < 3; k++)
    g_assert_true (put (held, TL_FRAMES_FLATS, 900 + k));
  for (size_t k = 0; k < N + 4; k++)
    if (k < 11 || k >= 15) /* so that weights differ */
      g_assert_true (put (held, TL_FRAMES_PROJECTIONS, k));
  g_autoptr (TlReader) each = open_now (held);
  const TlScanInfo *want = tl_reader_get_info (each);
  g_autoptr (TlReader) reader = tl_held_open_binned (held, &options, &error);
  g_assert_no_error (error);
  const TlScanInfo *info = tl_reader_get_info (reader);
  g_assert_cmpuint (want->n_projections, ==, N);
  g_assert_cmpuint (info->n_projections, ==, N_BINS);
  g_assert_cmpfloat (want->weights[10], >, 1.1 * want->weights[2]);
  tl_reader_read (reader, ROW, 1, got, NULL, &error);
  g_assert_no_error (error);
  for (size_t k = 0; k < N_BINS; k++)
    {
      const size_t n = MIN (N - 2 * k, 2);
      double weight = 0, sum = 0;
      for (size_t i = 2 * k; i < 2 * k + n; i++)
        {
          guint16 pixels[N_SAMPLES];
          make_frame (TL_FRAMES_PROJECTIONS, i < 11 ? i : i + 4, pixels);
          weight += want->weights[i];
          for (size_t r = 2 * ROW; r < 2 * ROW + 2; r++)
            sum += pixels[r * N_COLS] + pixels[r * N_COLS + 1];
        }
      g_assert_cmpfloat (info->weights[k], ==, weight);
      g_assert_cmpfloat (got[k * (N_COLS / 2)], ==,
                         (float)(sum / (4.0 * (double)n)));
    }
  g_autoptr (TlHeldCopy) copy =
      tl_held_copy_new_rows (reader, ROW, 1, budget, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  g_autoptr (TlReader) copied = tl_held_copy_open (copy, &error);
  g_assert_no_error (error);
  g_assert_cmpmem (tl_reader_get_info (copied)->weights,
                   N_BINS * sizeof (double), info->weights,
                   N_BINS * sizeof (double));
}

enum
{
  BINS_ROW = 1, /* of bins of 2 x 2, the only one whose rows are kept */
  BINS_COLS = N_COLS / 2
};

/* Puts a projection with the samples of another one. */
static void
put_at (TlHeld *held, size_t number, double angle_deg, size_t shift)
{
  guint16 pixels[N_SAMPLES];
  make_frame (TL_FRAMES_PROJECTIONS, number + shift, pixels);
  g_assert_true (
      tl_held_put (held, TL_FRAMES_PROJECTIONS, number, angle_deg, pixels));
}

static void
put_others (TlHeld *held, size_t first, size_t n, size_t shift)
{
  for (size_t k = first; k < first + n; k++)
    put_at (held, k, get_angle (k), shift);
}

/* @before: (nullable). Returns: (transfer full): a copy of the bins */
static TlHeldCopy *
copy_bins (TlHeld *held, const TlHeldCopy *before, TlHeldBudget *budget)
{
  const TlReaderOptions options = { .bin = 2 };
  g_autoptr (GError) error = NULL;
  g_autoptr (TlReader) reader = tl_held_open_binned (held, &options, &error);
  g_assert_no_error (error);
  TlHeldCopy *copy = before != NULL
                         ? tl_held_copy_new_after (before, reader, budget, NULL,
                                                   NULL, NULL, &error)
                         : tl_held_copy_new_rows (reader, BINS_ROW, 1, budget,
                                                  NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  return copy;
}

/* @n: (out): bins. Returns: (transfer full): their samples */
static float *
read_bins (TlHeldCopy *copy, size_t *n)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TlReader) reader = tl_held_copy_open (copy, &error);
  g_assert_no_error (error);
  *n = tl_reader_get_info (reader)->n_projections;
  float *samples = g_new (float, *n *BINS_COLS);
  tl_reader_read (reader, BINS_ROW, 1, samples, NULL, &error);
  g_assert_no_error (error);
  return samples;
}

/* A copy takes over the bins that have not changed, and no others: their
 * samples here are not those of the frames that it could read. */
static void
test_copy_after (void)
{
  enum
  {
    N_BEFORE = 21, /* the last bin is not full */
    N_NOW = 30
  };
  g_autoptr (TlHeldBudget) budget = tl_held_budget_new (PLENTY);
  g_autoptr (TlHeld) other = make_held_of (TRUE, budget);
  g_autoptr (TlHeld) held = make_held_of (TRUE, budget);
  size_t n;
  put_others (other, 0, N_BEFORE, 300);
  put_others (held, 0, N_NOW, 0);
  g_autoptr (TlHeldCopy) before = copy_bins (other, NULL, budget);
  g_autoptr (TlHeldCopy) after = copy_bins (held, before, budget);
  g_autoptr (TlHeldCopy) fresh = copy_bins (held, NULL, budget);
  g_autofree float *old = read_bins (before, &n);
  g_autofree float *got = read_bins (after, &n);
  g_autofree float *want = read_bins (fresh, &n);
  const size_t n_same = N_BEFORE / 2 * BINS_COLS;
  g_assert_cmpuint (n, ==, N_NOW / 2);
  g_assert_cmpmem (got, n_same * sizeof *got, old, n_same * sizeof *old);
  g_assert_cmpmem (got + n_same, (n * BINS_COLS - n_same) * sizeof *got,
                   want + n_same, (n * BINS_COLS - n_same) * sizeof *want);
  g_assert_cmpfloat (got[0], !=, want[0]);
}

/* A projection that comes late changes its bin and those after it. */
static void
test_copy_late (void)
{
  g_autoptr (TlHeldBudget) budget = tl_held_budget_new (PLENTY);
  g_autoptr (TlHeld) held = make_held_of (TRUE, budget);
  size_t n_got, n_want;
  put_others (held, 0, 5, 0);
  put_others (held, 6, 15, 0);
  g_autoptr (TlHeldCopy) before = copy_bins (held, NULL, budget);
  put_others (held, 5, 1, 0);
  g_autoptr (TlHeldCopy) after = copy_bins (held, before, budget);
  g_autoptr (TlHeldCopy) fresh = copy_bins (held, NULL, budget);
  g_autofree float *got = read_bins (after, &n_got);
  g_autofree float *want = read_bins (fresh, &n_want);
  g_assert_cmpmem (got, n_got * BINS_COLS * sizeof *got, want,
                   n_want * BINS_COLS * sizeof *want);
}

/* Of angles in no order each projection is a bin of its own. It is read again
 * where two have the same angle. */
static void
test_copy_unordered (void)
{
  static const double angles_deg[] = { 0, 90, 45, 30, 120, 90 };
  enum
  {
    N_BEFORE = 4,
    N_DISTINCT = 5,
    N_NOW = 6
  };
  g_autoptr (TlHeldBudget) budget = tl_held_budget_new (PLENTY);
  g_autoptr (TlHeld) other = make_held_of (FALSE, budget);
  g_autoptr (TlHeld) held = make_held_of (FALSE, budget);
  size_t n;
  for (size_t k = 0; k < N_BEFORE; k++)
    {
      put_at (other, k, angles_deg[k], 300);
      put_at (held, k, angles_deg[k], 0);
    }
  put_at (held, N_BEFORE, angles_deg[N_BEFORE], 0);
  g_autoptr (TlHeldCopy) before = copy_bins (other, NULL, budget);
  g_autoptr (TlHeldCopy) after = copy_bins (held, before, budget);
  g_autofree float *old = read_bins (before, &n);
  g_assert_cmpuint (n, ==, N_BEFORE);
  g_autofree float *got = read_bins (after, &n);
  g_assert_cmpuint (n, ==, N_DISTINCT);
  g_assert_cmpmem (got, N_BEFORE * BINS_COLS * sizeof *got, old,
                   N_BEFORE * BINS_COLS * sizeof *old);
  put_at (held, N_DISTINCT, angles_deg[N_DISTINCT], 0);
  g_autoptr (TlHeldCopy) last = copy_bins (held, after, budget);
  g_autoptr (TlHeldCopy) fresh = copy_bins (held, NULL, budget);
  g_autofree float *got_last = read_bins (last, &n);
  g_autofree float *want = read_bins (fresh, &n);
  g_assert_cmpuint (n, ==, N_NOW);
  g_assert_cmpmem (got_last, N_NOW * BINS_COLS * sizeof *want, want,
                   N_NOW * BINS_COLS * sizeof *want);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/held/projections", test_projections);
  g_test_add_func ("/held/nothing", test_nothing);
  g_test_add_func ("/held/fields", test_fields);
  g_test_add_func ("/held/spots", test_spots);
  g_test_add_func ("/held/lent", test_lent);
  g_test_add_data_func ("/held/weights/unknown", NULL, test_weights);
  g_test_add_data_func ("/held/weights/announced", "", test_weights);
  g_test_add_func ("/held/turn", test_turn);
  g_test_add_func ("/held/left-out", test_left_out);
  g_test_add_func ("/held/given-angles", test_given_angles);
  g_test_add_func ("/held/blank", test_blank);
  g_test_add_func ("/held/memory", test_memory);
  g_test_add_func ("/held/announced", test_announced);
  g_test_add_func ("/held/budget", test_budget);
  g_test_add_func ("/held/fewer-rows", test_fewer_rows);
  g_test_add_func ("/held/last-room", test_last_room);
  g_test_add_func ("/held/no-room", test_no_room);
  g_test_add_func ("/held/threads", test_threads);
  g_test_add_func ("/held/no-bins", test_no_bins);
  g_test_add_func ("/held/bins", test_bins);
  g_test_add_func ("/held/copy-after", test_copy_after);
  g_test_add_func ("/held/copy-late", test_copy_late);
  g_test_add_func ("/held/copy-unordered", test_copy_unordered);
  return g_test_run ();
}
