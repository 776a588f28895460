/* Projections in host memory at coarser resolutions. */
#include "app/resident/resident.h"
#include "data/error.h"
#include "data/parallel.h"
#include "tests/app/scratch.h"

#include <sys/resource.h>

enum
{
  N_PROJECTIONS = 45,
  N_ROWS = 37,
  N_COLS = 61,
  TIMEOUT_S = 20
};

static const guint bins[] = { 8, 4, 2, 1 };

/* Of the thread that loaded the last level. */
static int niceness;

TlHeldCopy *__real_tl_held_copy_new (TlReader *reader, TlHeldBudget *budget,
                                     TlProgress progress, gpointer data,
                                     GCancellable *cancellable, GError **error);
TlHeldCopy *__wrap_tl_held_copy_new (TlReader *reader, TlHeldBudget *budget,
                                     TlProgress progress, gpointer data,
                                     GCancellable *cancellable, GError **error);

TlHeldCopy *
__wrap_tl_held_copy_new (TlReader *reader, TlHeldBudget *budget,
                         TlProgress progress, gpointer data,
                         GCancellable *cancellable, GError **error)
{
  niceness = getpriority (PRIO_PROCESS, 0);
  return __real_tl_held_copy_new (reader, budget, progress, data, cancellable,
                                  error);
}

typedef struct
{
  char *folder, *path;
  TlRecipe *recipe;
  TlHeldBudget *budget;
} Fixture;

static void
set_up (Fixture *f, guint64 max_bytes)
{
  f->folder = tl_scratch_new ();
  f->path =
      tl_scratch_phantom (f->folder, "scan.h5", N_PROJECTIONS, N_ROWS, N_COLS);
  f->recipe = tl_recipe_new ();
  f->budget = tl_held_budget_new (max_bytes);
}

static void
tear_down (Fixture *f)
{
  tl_held_budget_unref (f->budget);
  tl_recipe_free (f->recipe);
  g_free (f->path);
  tl_scratch_free (f->folder);
}

static TlResident *
load (const Fixture *f)
{
  return tl_resident_new (f->path, NULL, f->recipe, bins, G_N_ELEMENTS (bins),
                          f->budget);
}

static gboolean
is_busy (TlResident *resident)
{
  gboolean is_busy;
  g_object_get (resident, "busy", &is_busy, NULL);
  return is_busy;
}

static void
await (TlResident *resident)
{
  const gint64 end_us = g_get_monotonic_time () + TIMEOUT_S * G_USEC_PER_SEC;
  while (is_busy (resident))
    {
      g_assert_cmpint (g_get_monotonic_time (), <, end_us);
      g_main_context_iteration (NULL, TRUE);
    }
}

static TlReader *
open_binned (const Fixture *f, guint bin)
{
  const TlReaderOptions options = { .bin = bin };
  g_autoptr (GError) error = NULL;
  TlReader *reader = tl_reader_open (f->path, &options, &error);
  g_assert_no_error (error);
  return reader;
}

static TlReader *
open_level (TlResident *resident, guint index)
{
  g_autoptr (GError) error = NULL;
  TlHeldCopy *level = tl_resident_get_level (resident, index);
  g_assert_nonnull (level);
  TlReader *reader = tl_held_copy_open (level, &error);
  g_assert_no_error (error);
  return reader;
}

static guint8 *
read_rows (TlReader *reader, size_t first, size_t n, gsize *n_bytes)
{
  const TlScanInfo *info = tl_reader_get_info (reader);
  g_autoptr (GError) error = NULL;
  *n_bytes =
      info->n_projections * n * info->n_cols * tl_sample_size (info->type);
  guint8 *samples = g_malloc (*n_bytes);
  tl_reader_read (reader, first, n, samples, NULL, &error);
  g_assert_no_error (error);
  return samples;
}

static double *
read_fields (TlReader *reader, gsize *n)
{
  const TlScanInfo *info = tl_reader_get_info (reader);
  const size_t n_pixels = info->n_rows * info->n_cols;
  g_autoptr (GError) error = NULL;
  double *fields = g_new0 (double, 3 * n_pixels);
  tl_reader_read_fields (reader, 0, info->n_rows, fields, fields + n_pixels,
                         fields + 2 * n_pixels, NULL, &error);
  g_assert_no_error (error);
  *n = 3 * n_pixels * sizeof (double);
  return fields;
}

static void
assert_same (TlReader *got, TlReader *want)
{
  const TlScanInfo *a = tl_reader_get_info (got);
  const TlScanInfo *b = tl_reader_get_info (want);
  gsize n_got, n_want;
  g_assert_cmpuint (a->n_projections, ==, b->n_projections);
  g_assert_cmpuint (a->n_cols, ==, b->n_cols);
  g_assert_cmpint (a->type, ==, b->type);
  g_assert_cmpint (a->are_counts, ==, b->are_counts);
  g_assert_cmpint (a->is_attenuation, ==, b->is_attenuation);
  g_assert_cmpint (a->covers_turn, ==, b->covers_turn);
  g_assert_cmpfloat (a->pixel_size_um, ==, b->pixel_size_um);
  for (size_t k = 0; k < a->n_projections; k++)
    g_assert_cmpfloat (a->angles_deg[k], ==, b->angles_deg[k]);
  g_autofree guint8 *all = read_rows (got, 0, a->n_rows, &n_got);
  g_autofree guint8 *wanted = read_rows (want, 0, b->n_rows, &n_want);
  g_assert_cmpmem (all, n_got, wanted, n_want);
  g_autofree guint8 *some = read_rows (got, 1, a->n_rows - 2, &n_got);
  g_autofree guint8 *others = read_rows (want, 1, b->n_rows - 2, &n_want);
  g_assert_cmpmem (some, n_got, others, n_want);
  g_autofree double *means = read_fields (got, &n_got);
  g_autofree double *wanted_means = read_fields (want, &n_want);
  g_assert_cmpmem (means, n_got, wanted_means, n_want);
}

/* All levels, from the coarsest on, are the bins of the file to the bit. */
static void
test_exact (void)
{
  Fixture f;
  double progress;
  set_up (&f, G_MAXUINT64);
  g_autoptr (TlResident) resident = load (&f);
  g_assert_null (tl_resident_get_level (resident, 0));
  await (resident);
  g_object_get (resident, "progress", &progress, NULL);
  g_assert_cmpfloat (progress, ==, 1);
  g_assert_null (tl_resident_get_problem (resident));
  /* pictures come first, also where the whole program gives way to others */
  g_assert_cmpint (niceness, ==,
                   MIN (getpriority (PRIO_PROCESS, 0) + TL_WAY_BACKGROUND, 19));
  for (guint k = 0; k < G_N_ELEMENTS (bins); k++)
    {
      g_autoptr (TlReader) want = open_binned (&f, bins[k]);
      g_autoptr (TlReader) got = open_level (resident, k);
      g_assert_cmpuint (tl_resident_get_bin (resident, k), ==, bins[k]);
      assert_same (got, want);
    }
  tear_down (&f);
}

/* Returns: the bytes of the level of @bin */
static guint64
count_bytes (const Fixture *f, guint bin)
{
  g_autoptr (TlReader) reader = open_binned (f, bin);
  return tl_held_copy_count_bytes (tl_reader_get_info (reader));
}

/* Levels are loaded as far as there is room, and their memory comes back when
 * the last reader of them is closed. */
static void
test_budget (void)
{
  Fixture f;
  set_up (&f, 0);
  const guint64 two = count_bytes (&f, 8) + count_bytes (&f, 4);
  tl_held_budget_unref (f.budget);
  f.budget = tl_held_budget_new (two + 8);
  g_autoptr (TlResident) resident = load (&f);
  await (resident);
  g_assert_nonnull (tl_resident_get_level (resident, 1));
  g_assert_null (tl_resident_get_level (resident, 2));
  g_assert_null (tl_resident_get_problem (resident));
  g_assert_cmpuint (tl_held_budget_get_taken (f.budget), ==, two);
  g_autoptr (TlReader) reader = open_level (resident, 0);
  g_clear_object (&resident);
  g_assert_cmpuint (tl_held_budget_get_taken (f.budget), ==,
                    count_bytes (&f, 8));
  g_clear_pointer (&reader, tl_reader_close);
  g_assert_cmpuint (tl_held_budget_get_taken (f.budget), ==, 0);
  tear_down (&f);
}

static void
test_no_room (void)
{
  Fixture f;
  set_up (&f, 100);
  g_autoptr (TlResident) resident = load (&f);
  await (resident);
  g_assert_null (tl_resident_get_level (resident, 0));
  g_assert_nonnull (strstr (tl_resident_get_problem (resident), "GB"));
  tear_down (&f);
}

static gpointer
cancel_soon (gpointer cancellable)
{
  g_usleep (G_USEC_PER_SEC / 50);
  g_cancellable_cancel (cancellable);
  return NULL;
}

/* Waiting for room ends when it is given up, before or meanwhile. */
static void
test_await (void)
{
  const gint64 patience_us = 60 * G_USEC_PER_SEC;
  g_autoptr (TlHeldBudget) budget = tl_held_budget_new (100);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  const gint64 start_us = g_get_monotonic_time ();
  g_assert_true (tl_held_budget_take (budget, 100));
  tl_held_budget_await (budget, 1, 1000, NULL);
  GThread *thread = g_thread_new ("cancel", cancel_soon, cancellable);
  tl_held_budget_await (budget, 1, patience_us, cancellable);
  g_thread_join (thread);
  tl_held_budget_await (budget, 1, patience_us, cancellable);
  g_assert_cmpint (g_get_monotonic_time () - start_us, <, patience_us / 2);
  tl_held_budget_give_back (budget, 100);
}

/* Nothing is told after the object has gone, and nothing is kept. */
static void
test_cancel (void)
{
  Fixture f;
  set_up (&f, G_MAXUINT64);
  TlResident *resident = load (&f);
  g_object_unref (resident);
  for (guint k = 0; k < 50 || tl_held_budget_get_taken (f.budget) > 0; k++)
    {
      g_assert_cmpuint (k, <, 5000);
      g_main_context_iteration (NULL, FALSE);
      g_usleep (2000);
    }
  tear_down (&f);
}

static void
test_missing (void)
{
  Fixture f;
  set_up (&f, G_MAXUINT64);
  g_autofree char *path = tl_scratch_path (f.folder, "none.h5");
  g_autoptr (TlResident) resident =
      tl_resident_new (path, NULL, f.recipe, bins, 1, f.budget);
  await (resident);
  g_assert_nonnull (strstr (tl_resident_get_problem (resident), "none.h5"));
  tear_down (&f);
}

/* Some rows of a level are those of the file to the bit, and take their part of
 * the memory; others cannot be read. */
static void
test_rows (void)
{
  enum
  {
    FIRST = 3,
    N = 5,
    BIN = 2
  };
  Fixture f;
  g_autoptr (GError) error = NULL;
  gsize n_got, n_want;
  set_up (&f, G_MAXUINT64);
  g_autoptr (TlReader) want = open_binned (&f, BIN);
  const TlScanInfo *info = tl_reader_get_info (want);
  g_autoptr (TlResident) resident =
      tl_resident_new_rows (f.path, NULL, f.recipe, BIN, FIRST, N, f.budget);
  await (resident);
  g_assert_null (tl_resident_get_problem (resident));
  g_assert_cmpuint (tl_held_budget_get_taken (f.budget), ==,
                    tl_held_copy_count_row_bytes (info, N));
  g_autoptr (TlReader) got = open_level (resident, 0);
  g_assert_cmpuint (tl_reader_get_info (got)->n_rows, ==, info->n_rows);
  g_autofree guint8 *rows = read_rows (got, FIRST, N, &n_got);
  g_autofree guint8 *wanted = read_rows (want, FIRST, N, &n_want);
  g_assert_cmpmem (rows, n_got, wanted, n_want);
  double means[3][N * N_COLS], wanted_means[3][N * N_COLS];
  const gsize n_bytes = N * info->n_cols * sizeof (double);
  tl_reader_read_fields (got, FIRST, N, means[0], means[1], means[2], NULL,
                         &error);
  g_assert_no_error (error);
  tl_reader_read_fields (want, FIRST, N, wanted_means[0], wanted_means[1],
                         wanted_means[2], NULL, &error);
  g_assert_no_error (error);
  for (int k = 0; k < 3; k++)
    g_assert_cmpmem (means[k], n_bytes, wanted_means[k], n_bytes);
  g_assert_false (tl_reader_read (got, FIRST + 1, N, wanted, NULL, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_VALUE);
  tear_down (&f);
}

/* The recipe of a level has its pixels: its middle is that of the scan. */
static void
test_recipe (void)
{
  Fixture f;
  g_autoptr (GError) error = NULL;
  set_up (&f, G_MAXUINT64);
  g_autoptr (TlReader) whole = open_binned (&f, 1);
  g_autoptr (TlReader) binned = open_binned (&f, 4);
  f.recipe->params.centre_col = 31.5;
  f.recipe->centre_known = TRUE;
  tl_recipe_resolve (f.recipe, tl_reader_get_info (whole), &error);
  g_assert_no_error (error);
  g_autoptr (TlRecipe) level =
      tl_resident_dup_recipe (f.recipe, 4, tl_reader_get_info (binned), &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (level->params.centre_col, ==, (31.5 - 1.5) / 4);
  g_assert_cmpuint (level->params.grid.nx, ==, N_COLS / 4);
  g_assert_cmpuint (tl_resident_choose_bin (f.recipe, 99, N_COLS, 16), ==, 4);
  g_assert_cmpuint (tl_resident_choose_bin (f.recipe, 99, N_COLS, 61), ==, 1);
  g_assert_cmpuint (tl_resident_choose_bin (level, 99, 16, 8), ==, 8);
  g_assert_cmpuint (tl_resident_choose_bin (level, 1, 16, 8), ==, 4);
  g_assert_cmpuint (tl_resident_choose_bin (f.recipe, 99, 10000, 16), ==,
                    TL_MAX_BIN);
  tear_down (&f);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/resident/exact", test_exact);
  g_test_add_func ("/resident/budget", test_budget);
  g_test_add_func ("/resident/no-room", test_no_room);
  g_test_add_func ("/resident/cancel", test_cancel);
  g_test_add_func ("/resident/await", test_await);
  g_test_add_func ("/resident/missing", test_missing);
  g_test_add_func ("/resident/rows", test_rows);
  g_test_add_func ("/resident/recipe", test_recipe);
  return g_test_run ();
}
