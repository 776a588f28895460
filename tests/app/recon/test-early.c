/* Previews from some of the projections where reading all of them is slow: they
 * are slices of a scan without the others, whatever the corrections, and the
 * whole slice that follows is the same as without a preview. */
#include "app/recon/recon.h"

#include "tests/app/recon/recon-fixture.h"
#include "tests/app/scratch.h"
#include "tests/support/wrapped-reader.h"

#include <string.h>

enum
{
  N_PROJECTIONS = 131, /* each second one is used */
  N_ROWS = 59,
  N_COLS = 45,
  ROW = 28
};

/* Relative L2 distance: the engines do the same work. */
#define TOLERANCE_HOST 0.0
#define TOLERANCE_DEVICE 1e-6

/* Replaces a function of the program (see meson.build): all reads are slow. */
static guint n_reads;

gboolean
__wrap_tl_reader_read_part (TlReader *reader, size_t first_row, size_t n_rows,
                            guint *every, double patience_s, void *dest,
                            GCancellable *cancellable, GError **error)
{
  n_reads++;
  return __real_tl_reader_read_part (reader, first_row, n_rows, every, 0, dest,
                                     cancellable, error);
}

typedef struct
{
  const char *name, *settings[14]; /* keys and values */
} Case;

static const Case cases[] = {
  { "plain", { NULL } },
  { "corrections", { "zingers", "on", "rings", "sorting" } },
  { "tilt", { "tilt", "3" } },
  { "phase",
    { "phase", "on", "energy", "20", "distance", "10", "delta-beta", "10",
      "pixel-size", "1" } },
  { "phase-tilt",
    { "phase", "on", "energy", "20", "distance", "10", "delta-beta", "10",
      "pixel-size", "1", "tilt", "-2" } },
  { "half", { "half", "on", "angles", "0:360", "centre", "9.4" } },
};

/* @left_out: (nullable): projections that are left out */
static gboolean
set_up (TlReconFixture *fixture, const char *engine, const Case *c,
        const char *left_out)
{
  if (!tl_recon_fixture_init (fixture, engine))
    return FALSE;
  g_autofree char *scan = tl_scratch_phantom (fixture->folder, "scan.h5",
                                              N_PROJECTIONS, N_ROWS, N_COLS);
  g_autofree char *stack = tl_scratch_stack (fixture->folder, scan);
  tl_recon_fixture_set (fixture, "centre", "20.3");
  for (size_t k = 0; c->settings[k] != NULL; k += 2)
    tl_recon_fixture_set (fixture, c->settings[k], c->settings[k + 1]);
  if (left_out != NULL)
    tl_recon_fixture_set (fixture, "leave-out", left_out);
  tl_recon_fixture_open (fixture, stack);
  tl_reader_browse (tl_recon_get_reader (fixture->recon), G_MAXUINT64);
  n_reads = 0;
  return TRUE;
}

/* Returns: (transfer full): all projections but each @every-th */
static char *
list_others (size_t every)
{
  g_autoptr (GString) list = g_string_new (NULL);
  for (size_t p = 0; p < N_PROJECTIONS; p++)
    if (p % every != 0)
      g_string_append_printf (list, "%s%zu", list->len > 0 ? "," : "", p);
  return g_string_free (g_steal_pointer (&list), FALSE);
}

/* Returns: (transfer full): the slice of a scan without some projections */
static TlFrame *
run_alone (const char *engine, const Case *c, size_t every)
{
  TlReconFixture fixture;
  g_autofree char *left_out = every > 1 ? list_others (every) : NULL;
  g_assert_true (set_up (&fixture, engine, c, left_out));
  g_autoptr (TlFrame) frame = tl_recon_fixture_run (&fixture, ROW, 1);
  TlFrame *copy = tl_frame_copy (frame, NULL);
  tl_recon_fixture_clear (&fixture);
  return copy;
}

static TlFrame *
run_early (TlReconFixture *fixture, size_t row, guint want_every)
{
  g_autoptr (GError) error = NULL;
  guint every = 0;
  TlFrame *frame = tl_recon_run_early (fixture->recon, fixture->recipe, row,
                                       &every, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (every, ==, want_every);
  g_assert_true (tl_frame_fetch (frame, NULL));
  return frame;
}

static void
assert_same (TlReconFixture *fixture, TlFrame *got, TlFrame *want)
{
  const gboolean is_host =
      strcmp (tl_engine_get_name (fixture->engine), "host") == 0;
  const size_t n = tl_frame_get_n_rows (want) * tl_frame_get_n_cols (want);
  g_assert_cmpuint (tl_frame_get_n_cols (got), ==, tl_frame_get_n_cols (want));
  g_assert_cmpfloat (tl_recon_distance (tl_frame_get_pixels (got),
                                        tl_frame_get_pixels (want), n),
                     <=, is_host ? TOLERANCE_HOST : TOLERANCE_DEVICE);
}

/* A second run of the same slice reads nothing. */
static void
test_cases (gconstpointer data)
{
  const char *engine = data;
  for (size_t k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      TlReconFixture fixture;
      g_test_message ("%s", cases[k].name);
      if (!set_up (&fixture, engine, &cases[k], NULL))
        return;
      g_autoptr (TlFrame) part = run_alone (engine, &cases[k], 2);
      g_autoptr (TlFrame) all = run_alone (engine, &cases[k], 1);
      n_reads = 0;
      for (int round = 0; round < 2; round++)
        {
          g_autoptr (TlFrame) early = run_early (&fixture, ROW, 2);
          assert_same (&fixture, early, part);
          g_assert_cmpuint (n_reads, ==, 1);
        }
      g_autoptr (TlFrame) whole = tl_recon_fixture_run (&fixture, ROW, 1);
      assert_same (&fixture, whole, all);
      g_assert_cmpuint (n_reads, ==, 2);
      g_autoptr (TlFrame) again = run_early (&fixture, ROW, 1);
      assert_same (&fixture, again, all);
      g_assert_cmpuint (n_reads, ==, 2);
      tl_recon_fixture_clear (&fixture);
    }
}

/* Slices that share a margin share the part, too. */
static void
test_margin (gconstpointer data)
{
  TlReconFixture fixture;
  if (!set_up (&fixture, data, &cases[3], NULL))
    return;
  tl_frame_unref (run_early (&fixture, ROW, 2));
  tl_frame_unref (run_early (&fixture, ROW + 1, 2));
  g_assert_cmpuint (n_reads, ==, 1);
  tl_recon_fixture_clear (&fixture);
}

/* A preview of a slow correction waits for its own projections only, and takes
 * them from those that are in memory. */
static void
test_subsampled (gconstpointer data)
{
  static const struct
  {
    gboolean is_late; /* rows are in memory */
    guint every;
  } runs[] = { { FALSE, 4 }, { FALSE, 2 }, { TRUE, 4 }, { TRUE, 2 } };
  const char *engine = data;
  for (size_t k = 0; k < G_N_ELEMENTS (runs); k++)
    {
      TlReconFixture fixture;
      g_autoptr (GError) error = NULL;
      guint every = runs[k].every;
      if (!set_up (&fixture, engine, &cases[3], NULL))
        return;
      if (runs[k].is_late)
        tl_frame_unref (run_early (&fixture, ROW, 2));
      g_autoptr (TlFrame) frame = tl_recon_run_subsampled (
          fixture.recon, fixture.recipe, ROW, &every, NULL, &error);
      g_assert_no_error (error);
      g_assert_cmpuint (n_reads, ==, 1);
      g_assert_cmpuint (every, ==, runs[k].every);
      g_assert_true (tl_frame_fetch (frame, NULL));
      g_autoptr (TlFrame) alone = run_alone (engine, &cases[3], every);
      assert_same (&fixture, frame, alone);
      tl_recon_fixture_clear (&fixture);
    }
}

/* Where fewer projections are in memory than are wanted, those are used. */
static void
test_grown (gconstpointer data)
{
  TlReconFixture fixture;
  g_autoptr (GError) error = NULL;
  guint every = 4;
  if (!set_up (&fixture, data, &cases[0], NULL))
    return;
  tl_frame_unref (tl_recon_run_subsampled (fixture.recon, fixture.recipe, ROW,
                                           &every, NULL, &error));
  g_assert_no_error (error);
  every = 2;
  tl_frame_unref (tl_recon_run_subsampled (fixture.recon, fixture.recipe, ROW,
                                           &every, NULL, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (every, ==, 4);
  g_assert_cmpuint (n_reads, ==, 1);
  tl_recon_fixture_clear (&fixture);
}

/* Each second projection is from the same half of a turn, which does not do for
 * a half acquisition: there is no preview then. */
static void
test_unfit (gconstpointer data)
{
  TlReconFixture fixture;
  g_autoptr (GString) angles = g_string_new (NULL);
  char *folder = tl_scratch_new ();
  g_autofree char *path = tl_scratch_path (folder, "angles.txt");
  const Case interlaced = {
    "interlaced", { "half", "on", "centre", "9.4", "angles-file", path }
  };
  for (size_t p = 0; p < N_PROJECTIONS; p++)
    g_string_append_printf (angles, "%g\n",
                            (double)(p / 2) * 360 / N_PROJECTIONS
                                + (p % 2 == 0 ? 0 : 180));
  g_assert_true (g_file_set_contents (path, angles->str, -1, NULL));
  if (set_up (&fixture, data, &interlaced, NULL))
    {
      g_autoptr (TlFrame) all = run_alone (data, &interlaced, 1);
      n_reads = 0;
      g_autoptr (TlFrame) frame = run_early (&fixture, ROW, 1);
      assert_same (&fixture, frame, all);
      g_assert_cmpuint (n_reads, ==, 2);
      tl_recon_fixture_clear (&fixture);
    }
  tl_scratch_free (folder);
}

static void
test_cancelled (gconstpointer data)
{
  TlReconFixture fixture;
  g_autoptr (GCancellable) reading = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  guint every;
  if (!set_up (&fixture, data, &cases[0], NULL))
    return;
  g_cancellable_cancel (reading);
  g_assert_null (tl_recon_run_early (fixture.recon, fixture.recipe, ROW, &every,
                                     reading, NULL, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  tl_frame_unref (run_early (&fixture, ROW, 2));
  /* nothing is read */
  tl_frame_unref (tl_recon_run_early (fixture.recon, fixture.recipe, ROW,
                                      &every, reading, NULL, NULL));
  g_assert_cmpuint (every, ==, 2);
  tl_recon_fixture_clear (&fixture);
}

int
main (int argc, char **argv)
{
  static const char *const engines[] = { "host", "cuda" };
  static const struct
  {
    const char *name;
    GTestDataFunc func;
  } tests[] = {
    { "cases", test_cases },           { "margin", test_margin },
    { "subsampled", test_subsampled }, { "grown", test_grown },
    { "unfit", test_unfit },           { "cancelled", test_cancelled },
  };
  g_test_init (&argc, &argv, NULL);
  for (size_t k = 0; k < G_N_ELEMENTS (engines); k++)
    for (size_t i = 0; i < G_N_ELEMENTS (tests); i++)
      {
        g_autofree char *path =
            g_strdup_printf ("/%s/early/%s", engines[k], tests[i].name);
        g_test_add_data_func (path, engines[k], tests[i].func);
      }
  return g_test_run ();
}
