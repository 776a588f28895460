/* A stream that is followed in a thread, with less memory than it has frames.
 */
#include "data/follow/follower.h"
#include "data/stream/socket.h"
#include "data/write/writer.h"
#include "tests/data/read/scan-files.h"

#include <math.h>
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
static const guint64 fields_bytes = 4 * N_ROWS * N_COLS * 4 * sizeof (double);
static const guint64 chunk_bytes =
    CHUNK * (N_ROWS * N_COLS * sizeof (guint16) + sizeof (double) + 1)
    + sizeof (size_t) + N_ROWS * sizeof (char *);

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

static gboolean
need_flats (gpointer data)
{
  return TRUE;
}

static gboolean
need_no_flats (gpointer data)
{
  return FALSE;
}

static TlFollower *
follow_and_tell (Folder *folder, guint64 max_bytes, TlFollowerRows rows,
                 gboolean (*needs_flats) (gpointer data))
{
  const TlFollowerOptions options = {
    .stream = { .n_expected[TL_FRAMES_PROJECTIONS] = N_IMAGES,
                .has_angles = TRUE,
                .angles_deg = { 0, 180 } },
    .max_bytes = max_bytes,
    .rows = rows,
    .needs_flats = needs_flats,
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
  return follow_and_tell (folder, max_bytes, rows, NULL);
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
  g_assert_cmpuint (news.n_dropped_projections, ==, news.n_dropped);
  g_assert_cmpuint (news.n_without_angle, ==, 0);
  assert_troubles (follower, 1);
}

/* Counts that end without flats are told, if they are needed. */
static void
test_unshown (void)
{
  g_autoptr (Folder) folder = folder_new ();
  const gint64 end_us = g_get_monotonic_time () + PATIENCE_US;
  g_autofree char *text = NULL;
  folder_write_numbered (folder, "live/proj_", N_IMAGES, 0, TL_SAMPLE_U16);
  g_autoptr (TlFollower) follower = follow_and_tell (
      folder, fields_bytes + 8 * chunk_bytes, keep_all, need_flats);
  while ((text = tl_follower_take_trouble (follower)) == NULL)
    {
      g_assert_cmpint (g_get_monotonic_time (), <, end_us);
      g_usleep (10000);
    }
  g_assert_nonnull (strstr (text, "has ended without flats"));
}

/* Writes the images of another scan over those of the last one, after a pause
 * that tells them apart. */
static void
write_next (Folder *folder, size_t base)
{
  g_usleep (1500000);
  folder_write_numbered (folder, "live/proj_", N_IMAGES, base, TL_SAMPLE_U16);
}

static void
test_needless (void)
{
  g_autoptr (Folder) folder = folder_new ();
  TlFollowNews news;
  folder_write_numbered (folder, "live/proj_", N_IMAGES, 0, TL_SAMPLE_U16);
  g_autoptr (TlFollower) follower = follow_and_tell (
      folder, 2 * fields_bytes + 8 * chunk_bytes, keep_all, need_no_flats);
  wait_for_all (follower, 1, &news);
  write_next (folder, 1); /* which ends the first */
  wait_for_all (follower, 2, &news);
  assert_troubles (follower, 0);
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

static void
keep_row_one (const TlStreamScan *scan, size_t max_rows, size_t *first_row,
              size_t *n_rows, gpointer data)
{
  *n_rows = *first_row = 1;
}

/* A projection is blank, for the message as for the slices, if the rows that
 * are kept are. */
static void
test_blank (void)
{
  g_autoptr (Folder) folder = folder_new ();
  TlFollowNews news;
  folder_write_numbered (folder, "live/proj_", N_IMAGES, 0, TL_SAMPLE_F32);
  for (size_t k = 7; k < 9; k++)
    {
      float pixels[N_ROWS * N_COLS];
      g_autoptr (GError) error = NULL;
      g_autofree char *name = g_strdup_printf ("live/proj_%zu.tif", k);
      g_autofree char *path = folder_path (folder, name);
      for (size_t i = 0; i < G_N_ELEMENTS (pixels); i++)
        pixels[i] = (i / N_COLS == 1) == (k == 7) ? NAN : 1;
      tl_write_tiff (path, pixels, N_ROWS, N_COLS, NULL, &error);
      g_assert_no_error (error);
    }
  g_autoptr (TlFollower) follower =
      follow (folder, fields_bytes + 8 * chunk_bytes, keep_row_one);
  wait_for_all (follower, 1, &news);
  g_autofree char *text = tl_follower_take_trouble (follower);
  g_assert_nonnull (text);
  g_assert_nonnull (strstr (text, "projection 7 has no sample"));
  g_assert_null (tl_follower_take_trouble (follower));
}

static void
write_field (Folder *folder, const char *kind, size_t k, float value)
{
  float pixels[N_ROWS * N_COLS];
  g_autoptr (GError) error = NULL;
  g_autofree char *name = g_strdup_printf ("live/%s_%zu.tif", kind, k);
  g_autofree char *path = folder_path (folder, name);
  for (size_t i = 0; i < G_N_ELEMENTS (pixels); i++)
    pixels[i] = value;
  tl_write_tiff (path, pixels, N_ROWS, N_COLS, NULL, &error);
  g_assert_no_error (error);
}

/* A flat without a beam does not count. */
static void
test_closed_shutter (void)
{
  g_autoptr (Folder) folder = folder_new ();
  TlFollowNews news;
  TlHeldState state;
  folder_write_numbered (folder, "live/proj_", N_IMAGES, 0, TL_SAMPLE_F32);
  for (size_t k = 0; k < 2; k++)
    write_field (folder, "dark", k, 100);
  for (size_t k = 0; k < 4; k++)
    write_field (folder, "flat", k, k == 2 ? 101 : 3000);
  g_autoptr (TlFollower) follower =
      follow (folder, fields_bytes + 8 * chunk_bytes, keep_all);
  wait_for_all (follower, 1, &news);
  g_autofree char *text = tl_follower_take_trouble (follower);
  g_assert_nonnull (text);
  g_assert_nonnull (strstr (text, "flat field 2 is as dark as without a beam"));
  g_autoptr (TlHeld) held = tl_follower_ref_held (follower);
  tl_held_get_state (held, &state);
  g_assert_cmpuint (state.n_frames[TL_FRAMES_DARKS], ==, 2);
  g_assert_cmpuint (state.n_frames[TL_FRAMES_FLATS], ==, 3);
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
  /* a chunk has room for fewer where there is not enough for all of it */
  g_assert_cmpuint (count_held (follower), >, CHUNK + N_IMAGES % CHUNK);
  g_assert_cmpuint (count_held (follower), <, 2 * CHUNK);
  g_assert_cmpuint (news.n_dropped, ==, N_IMAGES - count_held (follower));
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

/* --- over the network --- */

/* Sends a packet of TomoPackets: @ints, and @n_floats floats. */
static void
send_packet (TlSocket *socket, const gint32 *ints, size_t n_ints,
             size_t n_floats)
{
  g_autoptr (GByteArray) packet = g_byte_array_new ();
  const float one = 1;
  gboolean is_done;
  g_autoptr (GError) error = NULL;
  g_byte_array_append (packet, (const guint8 *)ints,
                       (guint)(n_ints * sizeof *ints));
  for (size_t k = 0; k < n_floats; k++)
    g_byte_array_append (packet, (const guint8 *)&one, sizeof one);
  const TlMessagePart part = { packet->data, packet->len };
  g_assert_true (
      tl_socket_send (socket, &part, 1, PATIENCE_US / 1000, &is_done, &error));
  g_assert_no_error (error);
  g_assert_true (is_done);
}

/* What is kept of flats and darks for the next scan is in the memory that
 * frames may take. */
static void
test_kept_fields (void)
{
  enum
  {
    N = N_ROWS * N_COLS,
    FLOATS_CHUNK = CHUNK * (N * sizeof (float) + sizeof (double) + 1)
                   + sizeof (size_t) + N_ROWS * sizeof (char *),
    KEPT = 2 * N * (sizeof (double) + sizeof (float))
  };
  const gint32 geometry[] = { 0x303, 0, N_ROWS, N_COLS, N_IMAGES, 0 };
  g_autoptr (GError) error = NULL;
  TlFollowNews news;
  if (tl_socket_get_missing () != NULL)
    {
      g_test_skip_printf ("the program was built without %s",
                          tl_socket_get_missing ());
      return;
    }
  g_autoptr (GSocketListener) listener = g_socket_listener_new ();
  g_autofree char *address = g_strdup_printf (
      "127.0.0.1:%u",
      g_socket_listener_add_any_inet_port (listener, NULL, NULL));
  g_clear_object (&listener);
  g_autofree char *name = g_strconcat ("zmq+tomopackets://", address, NULL);
  const TlFollowerOptions options = {
    .stream = { .has_angles = TRUE, .angles_deg = { 0, 180 } },
    .max_bytes = fields_bytes + 3 * FLOATS_CHUNK + KEPT - 1,
    .rows = keep_all,
  };
  g_autoptr (TlFollower) follower = tl_follower_new (name, &options, &error);
  g_assert_no_error (error);
  TlSocket *socket = tl_socket_open (TL_SOCKET_PUSH, address, FALSE, &error);
  g_assert_no_error (error);
  send_packet (socket, geometry, G_N_ELEMENTS (geometry), 0);
  for (gint32 k = 0; k < N_IMAGES; k++)
    send_packet (socket, (gint32[]){ 0x309, 2, k, N_ROWS, N_COLS, N }, 6, N);
  wait_for_all (follower, 1, &news);
  g_assert_cmpuint (count_held (follower), >, 2 * CHUNK + N_IMAGES % CHUNK);
  g_assert_cmpuint (count_held (follower), <, 3 * CHUNK);
  tl_socket_close (socket, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/follower/dropped", test_dropped);
  g_test_add_func ("/follower/unshown", test_unshown);
  g_test_add_func ("/follower/needless", test_needless);
  g_test_add_func ("/follower/rows", test_rows);
  g_test_add_func ("/follower/blank", test_blank);
  g_test_add_func ("/follower/closed-shutter", test_closed_shutter);
  g_test_add_func ("/follower/next-scan", test_next_scan);
  g_test_add_func ("/follower/kept-fields", test_kept_fields);
  return g_test_run ();
}
