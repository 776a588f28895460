/* A stream that is followed in a thread, with less memory than it has frames.
 */
#include "data/follow/follower.h"
#include "tests/data/read/scan-files.h"

#include <string.h>

enum
{
  N_ROWS = 3,
  N_COLS = 5,
  N_IMAGES = 200,
  CHUNK = 64,
  PATIENCE_US = 20 * G_USEC_PER_SEC
};

/* What flats and darks may take, and 64 projections. */
static const guint64 fields_bytes =
    4 * N_ROWS * N_COLS * (sizeof (double) + sizeof (float));
static const guint64 chunk_bytes =
    CHUNK * (N_ROWS * N_COLS * sizeof (guint16) + sizeof (double) + 1)
    + N_ROWS * sizeof (char *);

static void
keep_all (const TlStreamScan *scan, size_t max_rows, size_t *first_row,
          size_t *n_rows, gpointer data)
{
  *first_row = 0;
  *n_rows = scan->n_rows;
}

/* Row 1 at least. */
static void
keep_one (const TlStreamScan *scan, size_t max_rows, size_t *first_row,
          size_t *n_rows, gpointer data)
{
  *n_rows = max_rows;
  *first_row = max_rows < scan->n_rows;
}

static TlFollower *
follow_and_tell (Folder *folder, guint64 max_bytes, TlFollowerRows rows,
                 gboolean tells_unshown)
{
  const TlFollowerOptions options = {
    .stream = { .n_expected[TL_FRAMES_PROJECTIONS] = N_IMAGES,
                .has_angles = TRUE,
                .angles_deg = { 0, 180 } },
    .max_bytes = max_bytes,
    .rows = rows,
    .tells_unshown = tells_unshown,
  };
  g_autoptr (GError) error = NULL;
  g_autofree char *path = folder_path (folder, "live");
  TlFollower *follower = tl_follower_new (path, &options, &error);
  g_assert_no_error (error);
  return follower;
}

static TlFollower *
follow (Folder *folder, guint64 max_bytes, TlFollowerRows rows)
{
  return follow_and_tell (folder, max_bytes, rows, FALSE);
}

/* Waits until all of scan @serial have come. */
static void
wait_for_all (TlFollower *follower, guint serial, TlFollowNews *news)
{
  const gint64 end_us = g_get_monotonic_time () + PATIENCE_US;
  do
    {
      g_autoptr (GError) error = NULL;
      g_usleep (10000);
      tl_follower_get_news (follower, NULL, news, &error);
      g_assert_no_error (error);
      g_assert_cmpint (g_get_monotonic_time (), <, end_us);
    }
  while (news->scan.serial != serial
         || news->counts.n_received[TL_FRAMES_PROJECTIONS] < N_IMAGES);
}

static size_t
count_held (TlFollower *follower)
{
  g_autoptr (TlHeld) held = tl_follower_ref_held (follower);
  TlHeldState state;
  tl_held_get_state (held, &state);
  return state.n_frames[TL_FRAMES_PROJECTIONS];
}

/* @n: of sentences about dropped frames since the last call */
static void
assert_troubles (TlFollower *follower, guint n)
{
  char *text;
  while ((text = tl_follower_take_trouble (follower)) != NULL)
    {
      g_assert_nonnull (strstr (text, "are dropped"));
      g_assert_cmpuint (n, >, 0);
      n--;
      g_free (text);
    }
  g_assert_cmpuint (n, ==, 0);
}

/* Frames for which there is no room are dropped, counted, and told once. */
static void
test_dropped (void)
{
  g_autoptr (Folder) folder = folder_new ();
  TlFollowNews news;
  folder_write_numbered (folder, "live/proj_", N_IMAGES, 0, TL_SAMPLE_U16);
  g_autoptr (TlFollower) follower =
      follow (folder, fields_bytes + 2 * chunk_bytes, keep_all);
  wait_for_all (follower, 1, &news);
  g_assert_cmpuint (count_held (follower), ==, 2 * CHUNK);
  g_assert_cmpuint (news.n_dropped, ==, N_IMAGES - 2 * CHUNK);
  g_assert_cmpuint (news.n_without_angle, ==, 0);
  assert_troubles (follower, 1);
}

/* Counts that end without flats are told, if that is asked for. */
static void
test_unshown (void)
{
  g_autoptr (Folder) folder = folder_new ();
  const gint64 end_us = g_get_monotonic_time () + PATIENCE_US;
  g_autofree char *text = NULL;
  folder_write_numbered (folder, "live/proj_", N_IMAGES, 0, TL_SAMPLE_U16);
  g_autoptr (TlFollower) follower =
      follow_and_tell (folder, fields_bytes + 8 * chunk_bytes, keep_all, TRUE);
  while ((text = tl_follower_take_trouble (follower)) == NULL)
    {
      g_assert_cmpint (g_get_monotonic_time (), <, end_us);
      g_usleep (10000);
    }
  g_assert_nonnull (strstr (text, "has ended without flats"));
}

/* With as little room no frame is dropped if one row is enough, which is that
 * of the images. */
static void
test_rows (void)
{
  g_autoptr (Folder) folder = folder_new ();
  g_autoptr (GError) error = NULL;
  g_autofree char *path = folder_path (folder, "live");
  TlFollowNews news;
  guint16 got[N_IMAGES * N_COLS], want[N_IMAGES * N_COLS];
  folder_write_numbered (folder, "live/proj_", N_IMAGES, 0, TL_SAMPLE_U16);
  g_autoptr (TlFollower) follower =
      follow (folder, fields_bytes + 2 * chunk_bytes, keep_one);
  wait_for_all (follower, 1, &news);
  g_assert_cmpuint (count_held (follower), ==, N_IMAGES);
  g_assert_cmpuint (news.n_dropped, ==, 0);
  assert_troubles (follower, 0);
  g_autoptr (TlHeld) held = tl_follower_ref_held (follower);
  g_autoptr (TlReader) kept = tl_held_open (held, NULL, NULL, &error);
  g_assert_no_error (error);
  g_autoptr (TlReader) images = tl_reader_open (path, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (tl_reader_read (kept, 1, 1, got, NULL, &error));
  g_assert_true (tl_reader_read (images, 1, 1, want, NULL, &error));
  g_assert_cmpmem (got, sizeof got, want, sizeof want);
  g_assert_false (tl_reader_read (kept, 0, 1, got, NULL, &error));
  g_assert_nonnull (strstr (error->message, "row 0 cannot be shown"));
}

/* Writes the images of another scan over those of the last one, after a pause
 * that tells them apart. */
static void
write_next (Folder *folder, size_t base)
{
  g_usleep (1500000);
  folder_write_numbered (folder, "live/proj_", N_IMAGES, base, TL_SAMPLE_U16);
}

/* The next scan has what the one before leaves, as long as that is looked at.
 */
static void
test_next_scan (void)
{
  g_autoptr (Folder) folder = folder_new ();
  TlFollowNews news;
  folder_write_numbered (folder, "live/proj_", N_IMAGES, 0, TL_SAMPLE_U16);
  g_autoptr (TlFollower) follower =
      follow (folder, 2 * fields_bytes + 5 * chunk_bytes, keep_all);
  wait_for_all (follower, 1, &news);
  g_assert_cmpuint (news.n_dropped, ==, 0);
  assert_troubles (follower, 0);
  TlHeld *first = tl_follower_ref_held (follower);
  write_next (folder, 1);
  wait_for_all (follower, 2, &news);
  g_assert_cmpuint (count_held (follower), ==, CHUNK);
  g_assert_cmpuint (news.n_dropped, ==, N_IMAGES - CHUNK);
  assert_troubles (follower, 1);
  tl_follower_get_news (follower, first, &news, NULL);
  g_assert_cmpuint (news.scan.serial, ==, 1);
  g_assert_cmpuint (news.counts.n_received[TL_FRAMES_PROJECTIONS], ==,
                    N_IMAGES);
  g_assert_cmpuint (news.n_dropped, ==, 0);
  tl_held_unref (first);
  write_next (folder, 2);
  wait_for_all (follower, 3, &news);
  g_assert_cmpuint (count_held (follower), ==, N_IMAGES);
  g_assert_cmpuint (news.n_dropped, ==, 0);
  assert_troubles (follower, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/follower/dropped", test_dropped);
  g_test_add_func ("/follower/unshown", test_unshown);
  g_test_add_func ("/follower/rows", test_rows);
  g_test_add_func ("/follower/next-scan", test_next_scan);
  return g_test_run ();
}
