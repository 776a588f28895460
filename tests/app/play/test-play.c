/* What is played to a file or a folder is the scan again: each frame as it was,
 * with its own angle, in the order that was asked for. */
#include "app/play/play.h"

#include "data/error.h"
#include "data/write/writer.h"
#include "tests/app/scratch.h"

#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

enum
{
  N_PROJECTIONS = 21,
  N_ROWS = 5,
  N_COLS = 9,
  N_PIXELS = N_ROWS * N_COLS
};

/* Frames per second: as fast as the disk takes them. */
#define FAST 1e6

typedef struct
{
  char *folder;
  char *path; /* of the original */
  TlReader *reader;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  fixture->folder = tl_scratch_new ();
  fixture->path = tl_scratch_phantom (fixture->folder, "scan.h5", N_PROJECTIONS,
                                      N_ROWS, N_COLS);
  fixture->reader = tl_reader_open (fixture->path, NULL, &error);
  g_assert_no_error (error);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  tl_reader_close (fixture->reader);
  tl_scratch_free (fixture->folder);
  g_free (fixture->path);
}

/* --- the plan --- */

/* Returns: (transfer full): the projections in the order of the plan */
static GArray *
list_projections (const GArray *steps)
{
  GArray *list = g_array_new (FALSE, FALSE, sizeof (size_t));
  for (guint k = 0; k < steps->len; k++)
    {
      const TlPlayStep *step = &g_array_index (steps, TlPlayStep, k);
      g_assert_cmpuint (step->number, ==, k);
      if (step->kind == TL_FRAMES_PROJECTIONS)
        g_array_append_val (list, step->index);
    }
  return list;
}

static void
assert_order (TlPlayOrder order, size_t n, const size_t *want)
{
  g_autofree double *angles_deg = g_new0 (double, n);
  const TlScanInfo info = { .n_projections = n, .angles_deg = angles_deg };
  const TlPlayPlan plan = { .order = order };
  g_autoptr (GArray) steps = tl_play_plan (&info, &plan);
  g_autoptr (GArray) list = list_projections (steps);
  g_assert_cmpmem (list->data, list->len * sizeof *want, want,
                   n * sizeof *want);
}

static void
test_orders (void)
{
  static const size_t up[] = { 0, 1, 2, 3, 4 };
  static const size_t passes[] = { 0, 8, 16, 4,  12, 2,  10, 6, 14,
                                   1, 9, 5,  13, 3,  11, 7,  15 };
  /* By hand: the parts behind the point of 0, 0.618, 1.236, 1.854 and so on. */
  static const size_t golden[] = { 0, 5, 2, 7, 4, 1, 6, 3 };
  assert_order (TL_PLAY_SEQUENTIAL, G_N_ELEMENTS (up), up);
  assert_order (TL_PLAY_INTERLACED, G_N_ELEMENTS (passes), passes);
  assert_order (TL_PLAY_GOLDEN, G_N_ELEMENTS (golden), golden);
}

static GArray *
shuffle (size_t n, guint32 seed)
{
  g_autofree double *angles_deg = g_new0 (double, n);
  const TlScanInfo info = { .n_projections = n, .angles_deg = angles_deg };
  const TlPlayPlan plan = { .order = TL_PLAY_RANDOM, .seed = seed };
  g_autoptr (GArray) steps = tl_play_plan (&info, &plan);
  return list_projections (steps);
}

static void
test_random (void)
{
  enum
  {
    N = 100
  };
  g_autoptr (GArray) first = shuffle (N, 1);
  g_autoptr (GArray) again = shuffle (N, 1);
  g_autoptr (GArray) other = shuffle (N, 2);
  guint n_seen[N] = { 0 }, n_moved = 0;
  g_assert_cmpmem (first->data, N * sizeof (size_t), again->data,
                   N * sizeof (size_t));
  g_assert_cmpint (memcmp (first->data, other->data, N * sizeof (size_t)), !=,
                   0);
  for (size_t k = 0; k < N; k++)
    {
      const size_t projection = g_array_index (first, size_t, k);
      g_assert_cmpuint (projection, <, N);
      g_assert_cmpuint (n_seen[projection]++, ==, 0);
      n_moved += projection != k;
    }
  g_assert_cmpuint (n_moved, >, N / 2);
}

static void
test_lose (void)
{
  static const char *const refused[] = {
    "",   "5",   "-1",   "100%", "-1%",   "%",       "nan%",
    "0:", "3:2", "1,,2", "a",    "1:2:3", "4:99999", "0,5"
  };
  g_autofree gboolean *listed = tl_play_lose ("2:3, 0,3", 5, 0, NULL);
  g_autofree gboolean *tenth = tl_play_lose ("10%", 200, 3, NULL);
  g_autofree gboolean *none = tl_play_lose ("0%", 200, 3, NULL);
  guint n_tenth = 0;
  const gboolean want[] = { TRUE, FALSE, TRUE, TRUE, FALSE };
  g_assert_cmpmem (listed, sizeof want, want, sizeof want);
  for (size_t k = 0; k < 200; k++)
    {
      n_tenth += tenth[k];
      g_assert_false (none[k]);
    }
  g_assert_cmpuint (n_tenth, ==, 20);
  for (size_t k = 0; k < G_N_ELEMENTS (refused); k++)
    {
      g_autoptr (GError) error = NULL;
      g_assert_null (tl_play_lose (refused[k], 5, 0, &error));
      g_assert_error (error, TL_ERROR, TL_ERROR_VALUE);
    }
}

/* --- files and folders --- */

static TlReader *
play (Fixture *fixture, TlPlayJob job, const char *name)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *to = tl_scratch_path (fixture->folder, name);
  TlPlayReport report;
  job.to = to;
  job.rate = FAST;
  job.angle_name = "rotation_angle";
  tl_play (fixture->reader, &job, NULL, &report, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (report.n_done, ==, report.n_steps);
  TlReader *played = tl_reader_open (to, NULL, &error);
  g_assert_no_error (error);
  const TlScanInfo *info = tl_reader_get_info (played);
  g_assert_cmpuint (info->n_projections, ==,
                    report.n_sent[TL_FRAMES_PROJECTIONS]);
  g_assert_cmpuint (info->n_flats, ==, report.n_sent[TL_FRAMES_FLATS]);
  g_assert_cmpuint (info->n_darks, ==, report.n_sent[TL_FRAMES_DARKS]);
  return played;
}

static void
assert_same_frame (TlReader *original, size_t frame, TlReader *played,
                   size_t played_frame, TlFrameKind kind)
{
  guint16 want[N_PIXELS], got[N_PIXELS];
  g_assert_cmpint (tl_reader_get_type (played, kind), ==, TL_SAMPLE_U16);
  g_assert_true (
      tl_reader_read_frames (original, kind, frame, 1, 0, N_ROWS, want, NULL));
  g_assert_true (tl_reader_read_frames (played, kind, played_frame, 1, 0,
                                        N_ROWS, got, NULL));
  g_assert_cmpmem (got, sizeof got, want, sizeof want);
}

/* The projections of the plan that are not lost come in its order. */
static void
assert_same_projections (Fixture *fixture, TlReader *played,
                         const TlPlayPlan *plan)
{
  const TlScanInfo *info = tl_reader_get_info (fixture->reader);
  const TlScanInfo *played_info = tl_reader_get_info (played);
  g_autoptr (GArray) steps = tl_play_plan (info, plan);
  g_autoptr (GArray) list = list_projections (steps);
  size_t n = 0;
  for (size_t k = 0; k < info->n_projections; k++)
    {
      const size_t projection = g_array_index (list, size_t, k);
      if (plan->is_lost != NULL && plan->is_lost[projection])
        continue;
      g_assert_cmpfloat (played_info->angles_deg[n], ==,
                         info->angles_deg[projection]);
      assert_same_frame (fixture->reader, projection, played, n++,
                         TL_FRAMES_PROJECTIONS);
    }
  g_assert_cmpuint (n, ==, played_info->n_projections);
}

static void
assert_same_fields (Fixture *fixture, TlReader *played)
{
  const TlScanInfo *info = tl_reader_get_info (fixture->reader);
  const TlScanInfo *played_info = tl_reader_get_info (played);
  g_assert_cmpuint (info->n_flats, >, 1);
  g_assert_cmpuint (info->n_darks, >, 1);
  for (size_t k = 0; k < played_info->n_flats; k++)
    assert_same_frame (fixture->reader, k % info->n_flats, played, k,
                       TL_FRAMES_FLATS);
  for (size_t k = 0; k < played_info->n_darks; k++)
    assert_same_frame (fixture->reader, k, played, k, TL_FRAMES_DARKS);
}

typedef struct
{
  const char *name, *to;
  TlPlayJob job;
  const char *lose;
  size_t n_flats_before, n_flats; /* of twenty */
} Case;

static const Case cases[] = {
  { "file", "a.h5", { 0 }, NULL, 20, 20 },
  { "without-swmr", "a.nxs", { .lacks_swmr = TRUE }, NULL, 20, 20 },
  { "folder", "a", { 0 }, NULL, 20, 20 },
  { "in-place", "a", { .in_place = TRUE }, NULL, 20, 20 },
  { "interlaced",
    "a.h5",
    { .plan = { .order = TL_PLAY_INTERLACED } },
    "0,7:9",
    20,
    20 },
  { "golden", "a", { .plan = { .order = TL_PLAY_GOLDEN } }, "20%", 20, 20 },
  { "random-file",
    "a.h5",
    { .plan = { .order = TL_PLAY_RANDOM, .seed = 7 } },
    "20",
    20,
    20 },
  { "fields-last-file",
    "a.h5",
    { .plan = { .fields_last = TRUE } },
    NULL,
    0,
    20 },
  { "fields-last-folder",
    "a",
    { .plan = { .fields_last = TRUE } },
    NULL,
    0,
    20 },
  { "repeated-file",
    "a.h5",
    { .plan = { .repeats_flats = TRUE } },
    NULL,
    20,
    40 },
  { "repeated-folder",
    "a",
    { .plan = { .repeats_flats = TRUE } },
    "0",
    20,
    40 },
};

static void
test_case (Fixture *fixture, gconstpointer data)
{
  const Case *c = data;
  TlPlayJob job = c->job;
  g_autofree gboolean *is_lost =
      c->lose != NULL ? tl_play_lose (c->lose, N_PROJECTIONS, 5, NULL) : NULL;
  g_assert_true (is_lost != NULL || c->lose == NULL);
  job.plan.is_lost = is_lost;
  g_autoptr (TlReader) played = play (fixture, job, c->to);
  const TlScanInfo *info = tl_reader_get_info (played);
  g_assert_cmpuint (info->n_flats_before, ==, c->n_flats_before);
  g_assert_cmpuint (info->n_flats, ==, c->n_flats);
  assert_same_projections (fixture, played, &job.plan);
  assert_same_fields (fixture, played);
}

/* A scan that was played to one place is played again to another. */
static void
test_again (Fixture *fixture, gconstpointer data)
{
  const TlPlayJob job = { .plan = { .repeats_flats = TRUE } };
  const TlPlayJob plain = { 0 };
  g_autoptr (TlReader) folder = play (fixture, job, "a");
  TlReader *original = fixture->reader;
  fixture->reader = folder;
  g_autoptr (TlReader) file = play (fixture, plain, "b.h5");
  fixture->reader = original;
  g_assert_cmpuint (tl_reader_get_info (file)->n_flats_before, ==, 20);
  assert_same_projections (fixture, file, &plain.plan);
  assert_same_fields (fixture, file);
}

/* Images of all sample types keep their type and their samples. */
static void
test_types (Fixture *fixture, gconstpointer data)
{
  static const char *const names[] = { "a.h5", "a" };
  const TlPlayJob job = { 0 };
  for (int type = 0; type < TL_N_SAMPLE_TYPES; type++)
    for (size_t k = 0; k < G_N_ELEMENTS (names); k++)
      {
        g_autofree char *from = g_strdup_printf ("from-%d-%zu", type, k);
        g_autofree char *to = g_strdup_printf ("to-%d-%s", type, names[k]);
        g_autofree char *folder = tl_scratch_path (fixture->folder, from);
        const size_t n_bytes = N_PIXELS * tl_sample_size (type);
        double want[N_PIXELS] = { 0 }, got[N_PIXELS];
        g_assert_cmpint (g_mkdir (folder, 0777), ==, 0);
        for (int image = 0; image < 3; image++)
          {
            g_autofree char *path =
                g_strdup_printf ("%s/p%d.tif", folder, image);
            /* Any bytes are integers, and these are no NaN. */
            for (size_t b = 0; b < n_bytes; b++)
              ((guint8 *)want)[b] = (guint8)(17 + image + b % 23);
            g_assert_true (
                tl_write_tiff_frame (path, type, want, N_ROWS, N_COLS, NULL));
          }
        g_autoptr (TlReader) source = tl_reader_open (folder, NULL, NULL);
        TlReader *original = fixture->reader;
        fixture->reader = source;
        g_autoptr (TlReader) played = play (fixture, job, to);
        fixture->reader = original;
        g_assert_cmpint (tl_reader_get_info (played)->type, ==, type);
        g_assert_true (tl_reader_read_projection (played, 2, got, NULL));
        g_assert_cmpmem (got, n_bytes, want, n_bytes);
      }
}

/* --- what stays --- */

static void
assert_refused (Fixture *fixture, TlPlayJob job, const char *name, int code,
                const char *says)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *to = tl_scratch_path (fixture->folder, name);
  TlPlayReport report;
  job.to = to;
  job.rate = FAST;
  job.angle_name = "rotation_angle";
  g_assert_false (tl_play (fixture->reader, &job, NULL, &report, &error));
  g_assert_error (error, TL_ERROR, code);
  g_assert_nonnull (strstr (error->message, says));
  g_assert_cmpuint (report.n_done, ==, 0);
}

/* What exists is replaced only where that is allowed, and a folder only if an
 * earlier run has made it and nothing else is in it. */
static void
test_replace (Fixture *fixture, gconstpointer data)
{
  const TlPlayJob careful = { 0 }, bold = { .replaces = TRUE };
  g_autofree char *file = tl_scratch_path (fixture->folder, "a.h5");
  g_autofree char *folder = tl_scratch_path (fixture->folder, "a");
  g_autofree char *notes = tl_scratch_path (folder, "notes.txt");
  g_autofree char *left = tl_scratch_path (folder, ".proj_00003.tif.01.part");
  g_autofree char *other = tl_scratch_path (fixture->folder, "b");
  g_autofree char *image = tl_scratch_path (other, "proj_00000.tif");
  g_autofree char *angles = tl_scratch_path (other, "angles.txt");
  g_autofree char *text = NULL;
  g_assert_true (g_file_set_contents (file, "mine", -1, NULL));
  assert_refused (fixture, careful, "a.h5", TL_ERROR_FILE, "is a file");
  g_assert_true (g_file_get_contents (file, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, "mine");
  assert_refused (fixture, bold, "a.h5", TL_ERROR_FILE, "is no file that");
  g_clear_pointer (&text, g_free);
  g_assert_true (g_file_get_contents (file, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, "mine");
  g_assert_cmpint (g_unlink (file), ==, 0);
  for (int way = 0; way < 2; way++)
    {
      const TlPlayJob again = { .replaces = TRUE, .lacks_swmr = way };
      tl_reader_close (play (fixture, again, "a.h5"));
      tl_reader_close (play (fixture, again, "a.h5"));
    }
  assert_refused (fixture, bold, "scan.h5", TL_ERROR_FILE, "delete the file");
  tl_reader_close (tl_reader_open (fixture->path, NULL, NULL));

  tl_reader_close (play (fixture, careful, "a"));
  assert_refused (fixture, careful, "a", TL_ERROR_FILE, "is a file or folder");
  g_assert_true (g_file_set_contents (left, "killed", -1, NULL));
  tl_reader_close (play (fixture, bold, "a"));
  g_assert_false (g_file_test (left, G_FILE_TEST_EXISTS));
  g_assert_true (g_file_set_contents (notes, "mine", -1, NULL));
  g_autofree char *before = tl_scratch_list (folder);
  assert_refused (fixture, bold, "a", TL_ERROR_FILE, "notes.txt");
  g_autofree char *after = tl_scratch_list (folder);
  g_assert_cmpstr (after, ==, before);

  /* a scan of somebody else, with the same names, first without angles */
  g_assert_cmpint (g_mkdir (other, 0777), ==, 0);
  g_assert_true (g_file_set_contents (image, "theirs", -1, NULL));
  assert_refused (fixture, bold, "b", TL_ERROR_FILE, "angles.txt");
  g_assert_true (g_file_set_contents (angles, "0\n", -1, NULL));
  assert_refused (fixture, bold, "b", TL_ERROR_FILE, "angles.txt");
  g_assert_true (g_file_test (image, G_FILE_TEST_EXISTS));
  g_assert_cmpint (g_unlink (image), ==, 0);
  assert_refused (fixture, bold, "b", TL_ERROR_FILE, "angles.txt");
  g_assert_cmpint (g_unlink (angles), ==, 0);
  tl_reader_close (play (fixture, bold, "b"));
}

/* Until the next call, no file grows beyond @bytes; print nothing meanwhile. */
static void
limit_files (rlim_t bytes)
{
  struct rlimit limit;
  signal (SIGXFSZ, SIG_IGN);
  g_assert_cmpint (getrlimit (RLIMIT_FSIZE, &limit), ==, 0);
  limit.rlim_cur = MIN (bytes, limit.rlim_max);
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &limit), ==, 0);
}

/* The full disk is noticed before HDF5 fails to write: what is there can be
 * read, and nothing crashes. */
static void
test_full_disk (Fixture *fixture, gconstpointer data)
{
  enum
  {
    LIMIT = 320 << 10
  };
  const gboolean *lacks_swmr = data;
  g_autoptr (GError) error = NULL;
  g_autofree char *path =
      tl_scratch_phantom (fixture->folder, "large.h5", 3, 64, 64);
  g_autofree char *to = tl_scratch_path (fixture->folder, "a.h5");
  g_autoptr (TlReader) large = tl_reader_open (path, NULL, NULL);
  TlPlayReport report;
  const TlPlayJob job = { .to = to,
                          .rate = FAST,
                          .angle_name = "rotation_angle",
                          .plan = { .fields_last = TRUE },
                          .lacks_swmr = *lacks_swmr };
  limit_files (LIMIT);
  const gboolean good = tl_play (large, &job, NULL, &report, &error);
  limit_files (RLIM_INFINITY);
  g_assert_false (good);
  g_assert_error (error, TL_ERROR, TL_ERROR_FILE);
  g_assert_nonnull (strstr (error->message, "larger than this system allows"));
  g_autoptr (TlReader) played = tl_reader_open (to, NULL, NULL);
  const TlScanInfo *info = tl_reader_get_info (played);
  g_assert_cmpuint (info->n_projections, ==, 3);
  g_assert_cmpuint (info->n_flats, ==, report.n_sent[TL_FRAMES_FLATS]);
  g_assert_cmpuint (report.n_done, <, report.n_steps);
}

static void
cancel_after_projections (const TlPlayReport *report, gpointer data)
{
  if (report->n_sent[TL_FRAMES_PROJECTIONS] == 4)
    g_cancellable_cancel (data);
}

/* What was written when the user stops is a scan. */
static void
test_cancel (Fixture *fixture, gconstpointer data)
{
  static const char *const names[] = { "a.h5", "a", "b" };
  for (size_t k = 0; k < G_N_ELEMENTS (names); k++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GCancellable) cancellable = g_cancellable_new ();
      g_autofree char *to = tl_scratch_path (fixture->folder, names[k]);
      TlPlayReport report;
      const TlPlayJob job = {
        .to = to,
        .rate = FAST,
        .angle_name = "rotation_angle",
        .in_place = k == 2,
        .progress = cancel_after_projections,
        .data = cancellable,
      };
      g_assert_false (
          tl_play (fixture->reader, &job, cancellable, &report, &error));
      g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
      g_autoptr (TlReader) played = tl_reader_open (to, NULL, NULL);
      g_assert_cmpuint (tl_reader_get_info (played)->n_projections, ==, 4);
      for (size_t p = 0; p < 4; p++)
        assert_same_frame (fixture->reader, p, played, p,
                           TL_FRAMES_PROJECTIONS);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/play/plan/orders", test_orders);
  g_test_add_func ("/play/plan/random", test_random);
  g_test_add_func ("/play/plan/lose", test_lose);
  for (size_t k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      g_autofree char *path = g_strconcat ("/play/to/", cases[k].name, NULL);
      g_test_add (path, Fixture, &cases[k], set_up, test_case, tear_down);
    }
  g_test_add ("/play/again", Fixture, NULL, set_up, test_again, tear_down);
  g_test_add ("/play/types", Fixture, NULL, set_up, test_types, tear_down);
  g_test_add ("/play/replace", Fixture, NULL, set_up, test_replace, tear_down);
  static const gboolean has_swmr = FALSE, lacks_swmr = TRUE;
  g_test_add ("/play/full-disk/swmr", Fixture, &has_swmr, set_up,
              test_full_disk, tear_down);
  g_test_add ("/play/full-disk/without-swmr", Fixture, &lacks_swmr, set_up,
              test_full_disk, tear_down);
  g_test_add ("/play/cancel", Fixture, NULL, set_up, test_cancel, tear_down);
  return g_test_run ();
}
