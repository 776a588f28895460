/* What a stream says, of bytes that are right, wrong and made by chance. No
 * network is needed. */
#include "data/error.h"
#include "data/stream/track-private.h"

#include <malloc.h>
#include <math.h>
#include <string.h>

enum
{
  N_ROWS = 2,
  N_COLS = 3,
  N_PIXELS = N_ROWS * N_COLS,
  N_PROJECTIONS = 4
};

/* --- packets, by the description of TomoPackets --- */

static void
add_int (GByteArray *packet, gint32 value)
{
  const gint32 bytes = GINT32_TO_LE (value);
  g_byte_array_append (packet, (const guint8 *)&bytes, sizeof bytes);
}

static void
add_float (GByteArray *packet, float value)
{
  guint32 bits;
  memcpy (&bits, &value, sizeof bits);
  bits = GUINT32_TO_LE (bits);
  g_byte_array_append (packet, (const guint8 *)&bits, sizeof bits);
}

static GByteArray *
make_packet (const gint32 *ints, size_t n)
{
  GByteArray *packet = g_byte_array_new ();
  for (size_t k = 0; k < n; k++)
    add_int (packet, ints[k]);
  return packet;
}

#define MAKE(...)                                                              \
  make_packet ((const gint32[]){ __VA_ARGS__ },                                \
               sizeof ((const gint32[]){ __VA_ARGS__ }) / sizeof (gint32))

static GByteArray *
make_settings (gint32 n_darks, gint32 n_flats)
{
  GByteArray *packet = MAKE (0x302, 0, n_darks, n_flats);
  g_byte_array_append (packet, (const guint8 *)"\1", 1);
  return packet;
}

/* Angles of 0, 0.5, 1 and 1.5 radians. */
static GByteArray *
make_geometry (gint32 n_rows, gint32 n_cols, gint32 n_projections,
               gint32 n_angles)
{
  GByteArray *packet = MAKE (0x303, 0, n_rows, n_cols, n_projections, n_angles);
  for (gint32 k = 0; k < n_angles; k++)
    add_float (packet, (float)k / 2);
  return packet;
}

/* Pixel k of frame n has the value 10 n + k. */
static GByteArray *
make_frame (gint32 type, gint32 number, gint32 n_rows, gint32 n_cols)
{
  GByteArray *packet =
      MAKE (0x309, type, number, n_rows, n_cols, n_rows * n_cols);
  for (gint32 k = 0; k < n_rows * n_cols; k++)
    add_float (packet, 10 * (float)number + (float)k);
  return packet;
}

/* @bytes: copied to a block of exactly this size, at an odd address, so that a
 * checker of memory finds what is read beyond it */
static gboolean
parse (const guint8 *bytes, size_t n, TlMessage *message, guint8 **kept,
       GError **error)
{
  *kept = g_malloc (n + 1);
  memcpy (*kept + 1, bytes, n);
  const TlMessagePart part = { *kept + 1, n };
  return tl_parse_packet (&part, 1, message, error);
}

/* Takes a packet into the track. @packet: (transfer full) */
static void
take_at (TlTrack *track, GByteArray *packet, gint64 now_us)
{
  g_autoptr (GError) error = NULL;
  g_autofree guint8 *kept = NULL;
  TlMessage message;
  if (parse (packet->data, packet->len, &message, &kept, &error))
    {
      message.may_lack_fields = TRUE; /* as from the network */
      tl_track_take (track, &message, now_us);
    }
  else
    tl_track_refuse (track, error);
  g_byte_array_unref (packet);
}

static void
take (TlTrack *track, GByteArray *packet)
{
  take_at (track, packet, 0);
}

/* Most cases have no angles, which is not what they are about. */
static gboolean
find_next (TlTrack *track, TlStreamEvent *event)
{
  while (tl_track_next (track, event))
    if (event->type != TL_STREAM_TROUBLE
        || strstr (event->text, "does not say the angle") == NULL)
      return TRUE;
  return FALSE;
}

static void
assert_none (TlTrack *track)
{
  TlStreamEvent event;
  g_assert_false (find_next (track, &event));
}

static TlStreamEvent
assert_next (TlTrack *track, TlStreamEventType type)
{
  TlStreamEvent event;
  g_assert_true (find_next (track, &event));
  g_assert_cmpint (event.type, ==, type);
  return event;
}

static void
assert_trouble (TlTrack *track, const char *says)
{
  const TlStreamEvent event = assert_next (track, TL_STREAM_TROUBLE);
  g_assert_true (g_str_has_prefix (event.text, "here: "));
  if (strstr (event.text, says) == NULL)
    g_error ("\"%s\" does not say \"%s\"", event.text, says);
}

/* @value: of the first pixel */
static void
assert_frame (TlTrack *track, TlFrameKind kind, size_t number, float value)
{
  const TlStreamEvent event = assert_next (track, TL_STREAM_FRAME);
  const float *pixels = event.pixels;
  g_assert_cmpint (event.kind, ==, kind);
  g_assert_cmpuint (event.number, ==, number);
  for (int k = 0; k < N_PIXELS; k++)
    g_assert_cmpfloat (pixels[k], ==, value + (float)k);
}

static void
take_projection (TlTrack *track, gint32 number)
{
  take (track, make_frame (2, number, N_ROWS, N_COLS));
}

/* A track with a scan of N_PROJECTIONS projections, one dark and one flat. */
static TlTrack *
begin (void)
{
  TlTrack *track = tl_track_new ("here", NULL, NULL);
  take (track, make_settings (1, 1));
  assert_none (track);
  take (track, make_geometry (N_ROWS, N_COLS, N_PROJECTIONS, N_PROJECTIONS));
  assert_next (track, TL_STREAM_SCAN);
  assert_none (track);
  return track;
}

/* --- what is right --- */

static void
test_scan (void)
{
  g_autoptr (TlTrack) track = begin ();
  const TlStreamScan *scan = tl_track_get_scan (track);
  g_assert_cmpuint (scan->serial, ==, 1);
  g_assert_cmpuint (scan->n_rows, ==, N_ROWS);
  g_assert_cmpuint (scan->n_cols, ==, N_COLS);
  g_assert_cmpint (scan->type, ==, TL_SAMPLE_F32);
  g_assert_cmpuint (scan->n_projections, ==, N_PROJECTIONS);
  g_assert_cmpuint (scan->n_darks, ==, 1);
  g_assert_cmpuint (scan->n_flats, ==, 1);
  g_assert_true (scan->is_attenuation);
  for (int k = 0; k < N_PROJECTIONS; k++)
    g_assert_cmpfloat_with_epsilon (scan->angles_deg[k], k * 90 / G_PI, 1e-5);
}

/* Frames in any order; the scan ends with the last one. */
static void
test_frames (void)
{
  static const gint32 order[N_PROJECTIONS] = { 2, 0, 3, 1 };
  static const size_t n_missing[N_PROJECTIONS] = { 2, 1, 1, 0 };
  g_autoptr (TlTrack) track = begin ();
  const TlStreamCounts *counts = tl_track_get_counts (track);
  take (track, make_frame (0, 0, N_ROWS, N_COLS));
  assert_frame (track, TL_FRAMES_DARKS, 0, 0);
  for (int k = 0; k < N_PROJECTIONS; k++)
    {
      take_projection (track, order[k]);
      assert_frame (track, TL_FRAMES_PROJECTIONS, (size_t)order[k],
                    (float)(10 * order[k]));
      assert_none (track);
      g_assert_cmpuint (counts->n_missing, ==, n_missing[k]);
    }
  take (track, make_frame (1, 5, N_ROWS, N_COLS));
  assert_frame (track, TL_FRAMES_FLATS, 5, 50);
  assert_next (track, TL_STREAM_END);
  assert_none (track);
  g_assert_cmpuint (counts->n_received[TL_FRAMES_PROJECTIONS], ==, 4);
  g_assert_cmpuint (counts->n_received[TL_FRAMES_FLATS], ==, 1);
  g_assert_cmpuint (counts->n_received[TL_FRAMES_DARKS], ==, 1);
  g_assert_cmpuint (counts->n_doubled, ==, 0);
  take (track, make_frame (1, 6, N_ROWS, N_COLS));
  assert_frame (track, TL_FRAMES_FLATS, 6, 60);
  assert_none (track);
}

/* What is skipped is lost, unless the projections come in several passes. */
static void
test_passes (void)
{
  enum
  {
    N = 200,
    N_PASSES = 4,
    LOST = 117
  };
  static const gint32 ordered[] = { 0, 1, 2, 5 };
  g_autoptr (TlTrack) track = tl_track_new ("here", NULL, NULL);
  take (track, make_geometry (N_ROWS, N_COLS, N, N));
  assert_next (track, TL_STREAM_SCAN);
  for (gint32 pass = 0; pass < N_PASSES; pass++)
    for (gint32 k = pass; k < N; k += N_PASSES)
      {
        if (k != LOST)
          take_projection (track, k);
        g_assert_cmpuint (tl_track_get_counts (track)->n_lost, ==, 0);
      }
  g_assert_cmpuint (tl_track_get_counts (track)->n_missing, ==, 1);
  while (tl_track_next (track, &(TlStreamEvent){ 0 }))
    ;
  tl_track_wait (track, TL_REST_OPEN, G_MAXINT64); /* it may still come */
  g_assert_true (tl_track_get_counts (track)->is_stalled);
  g_assert_cmpuint (tl_track_get_counts (track)->n_lost, ==, 0);
  while (tl_track_next (track, &(TlStreamEvent){ 0 }))
    ;
  tl_track_wait (track, TL_REST_LOST, G_MAXINT64);
  g_assert_cmpuint (tl_track_get_counts (track)->n_lost, ==, 1);
  take (track, make_geometry (N_ROWS, N_COLS, N, N));
  for (size_t k = 0; k < G_N_ELEMENTS (ordered); k++)
    take_projection (track, ordered[k]);
  g_assert_cmpuint (tl_track_get_counts (track)->n_lost, ==, 2);
}

static void
test_angle (void)
{
  g_autoptr (TlTrack) track = begin ();
  take_projection (track, 3);
  TlStreamEvent event = assert_next (track, TL_STREAM_FRAME);
  g_assert_cmpfloat_with_epsilon (event.angle_deg, 270 / G_PI, 1e-5);
  take (track, make_frame (1, 3, N_ROWS, N_COLS));
  event = assert_next (track, TL_STREAM_FRAME);
  g_assert_true (isnan (event.angle_deg));
}

/* What to do about missing angles is told once in a scan. */
static void
test_no_angle (void)
{
  g_autoptr (TlTrack) track = tl_track_new ("here", NULL, NULL);
  guint n = 0;
  take (track, make_geometry (N_ROWS, N_COLS, N_PROJECTIONS, 0));
  for (gint32 k = 0; k < 3; k++)
    {
      TlStreamEvent event;
      take_projection (track, k);
      while (tl_track_next (track, &event))
        n += event.type == TL_STREAM_TROUBLE
             && strstr (event.text, "a file of angles, can be given") != NULL;
      g_assert_cmpuint (n, ==, 1);
    }
}

/* A frame that comes again is dropped, and counted. */
static void
test_doubled (void)
{
  g_autoptr (TlTrack) track = begin ();
  take_projection (track, 0);
  assert_next (track, TL_STREAM_FRAME);
  take_projection (track, 0);
  take_projection (track, 2);
  assert_next (track, TL_STREAM_FRAME);
  take_projection (track, 2);
  assert_none (track);
  take_projection (track, 0); /* no other scan: the geometry would come first */
  assert_none (track);
  g_assert_cmpuint (tl_track_get_counts (track)->n_doubled, ==, 3);
  g_assert_cmpuint (tl_track_get_scan (track)->serial, ==, 1);
}

/* Given angles replace those of the sender; its number of projections counts.
 */
static void
test_given (void)
{
  TlStreamOptions options = { .has_angles = TRUE, .angles_deg = { 0, 180 } };
  g_autoptr (TlTrack) track = tl_track_new ("here", &options, NULL);
  take (track, make_geometry (N_ROWS, N_COLS, N_PROJECTIONS, N_PROJECTIONS));
  assert_next (track, TL_STREAM_SCAN);
  take_projection (track, 1);
  const TlStreamEvent event = assert_next (track, TL_STREAM_FRAME);
  g_assert_cmpfloat (event.angle_deg, ==, 60);

  options.n_expected[TL_FRAMES_PROJECTIONS] = N_PROJECTIONS + 1;
  g_autoptr (TlTrack) other = tl_track_new ("here", &options, NULL);
  take (other, make_geometry (N_ROWS, N_COLS, N_PROJECTIONS, N_PROJECTIONS));
  assert_trouble (other, "4 projections are announced");
  assert_next (other, TL_STREAM_SCAN);
  g_assert_cmpuint (tl_track_get_scan (other)->n_projections, ==,
                    N_PROJECTIONS);
}

/* A receiver that comes late does not know the geometry. */
static void
test_late (void)
{
  g_autoptr (TlTrack) track = tl_track_new ("here", NULL, NULL);
  take_projection (track, 3);
  assert_next (track, TL_STREAM_SCAN);
  assert_frame (track, TL_FRAMES_PROJECTIONS, 3, 30);
  g_assert_cmpuint (tl_track_get_scan (track)->n_projections, ==, 0);
  g_assert_cmpuint (tl_track_get_counts (track)->n_missing, ==, 3);
}

/* --- further scans --- */

static void
test_restart (void)
{
  g_autoptr (TlTrack) track = begin ();
  take_projection (track, 0);
  take (track, make_geometry (N_ROWS, N_COLS, 3, 0));
  assert_trouble (track, "after 1 of 4 projections");
  assert_next (track, TL_STREAM_SCAN);
  assert_none (track);
  const TlStreamScan *scan = tl_track_get_scan (track);
  g_assert_cmpuint (scan->serial, ==, 2);
  g_assert_cmpuint (scan->n_projections, ==, 3);
  g_assert_null (scan->angles_deg);
  take_projection (track, 0);
  assert_frame (track, TL_FRAMES_PROJECTIONS, 0, 0);
  g_assert_cmpuint (tl_track_get_counts (track)->n_doubled, ==, 0);
}

/* The numbers of projections go on in the next scan. */
static void
test_next_turn (void)
{
  g_autoptr (TlTrack) track = begin ();
  take_projection (track, N_PROJECTIONS + 1); /* the first that was seen */
  assert_frame (track, TL_FRAMES_PROJECTIONS, 1, 50);
  take_projection (track, 2 * N_PROJECTIONS);
  assert_none (track);
  take_projection (track, 2 * N_PROJECTIONS + 1);
  assert_trouble (track, "after 1 of 4");
  assert_next (track, TL_STREAM_SCAN);
  assert_frame (track, TL_FRAMES_PROJECTIONS, 0, 80);
  assert_frame (track, TL_FRAMES_PROJECTIONS, 1, 90);
  for (int k = 0; k < 12; k++)
    {
      take_projection (track, N_PROJECTIONS + 2); /* too late */
      assert_none (track);
    }
  g_assert_cmpuint (tl_track_get_scan (track)->serial, ==, 2);
  g_assert_cmpuint (tl_track_get_counts (track)->n_doubled, ==, 12);
}

/* A sender without a geometry begins again from 0, and goes on. */
static void
test_from_zero (void)
{
  g_autoptr (TlTrack) track = tl_track_new ("here", NULL, NULL);
  take_projection (track, 0);
  take_projection (track, 1);
  take_projection (track, 0);
  assert_none (track);
  take_projection (track, 0);
  assert_none (track);
  take_projection (track, 1);
  assert_next (track, TL_STREAM_SCAN);
  assert_frame (track, TL_FRAMES_PROJECTIONS, 0, 0);
  assert_frame (track, TL_FRAMES_PROJECTIONS, 1, 10);
  g_assert_cmpuint (tl_track_get_scan (track)->serial, ==, 2);
  g_assert_cmpuint (tl_track_get_counts (track)->n_doubled, ==, 0);
  g_assert_cmpuint (
      tl_track_get_counts (track)->n_received[TL_FRAMES_PROJECTIONS], ==, 2);
}

/* A frame 0 that was doubled on its way begins no scan. */
static void
test_late_zero (void)
{
  g_autoptr (TlTrack) track = tl_track_new ("here", NULL, NULL);
  for (gint32 k = 0; k < 20; k++)
    take_projection (track, k);
  take_projection (track, 0);
  assert_none (track);
  take_projection (track, 20);
  assert_frame (track, TL_FRAMES_PROJECTIONS, 20, 200);
  take_projection (track, 1);
  assert_none (track);
  g_assert_cmpuint (tl_track_get_scan (track)->serial, ==, 1);
  g_assert_cmpuint (tl_track_get_counts (track)->n_doubled, ==, 2);
}

/* Frames that all came before are those of another scan. */
static void
test_many_doubled (void)
{
  g_autoptr (TlTrack) track = tl_track_new ("here", NULL, NULL);
  for (gint32 k = 1; k < 20; k++)
    take_projection (track, k);
  for (gint32 k = 1; k < 20; k++)
    take_projection (track, k);
  g_assert_cmpuint (tl_track_get_scan (track)->serial, ==, 2);
  g_assert_cmpuint (
      tl_track_get_counts (track)->n_received[TL_FRAMES_PROJECTIONS], ==, 11);
}

/* Without a geometry, frames of another shape are another scan. */
static void
test_new_shape (void)
{
  g_autoptr (TlTrack) track = tl_track_new ("here", NULL, NULL);
  take_projection (track, 3);
  take (track, make_frame (2, 3, 5, 7));
  assert_none (track);
  take (track, make_frame (2, 3, 5, 7)); /* doubled */
  assert_none (track);
  take (track, make_frame (2, 4, 5, 7));
  assert_next (track, TL_STREAM_SCAN);
  for (guint number = 3; number <= 4; number++)
    {
      const TlStreamEvent event = assert_next (track, TL_STREAM_FRAME);
      g_assert_cmpuint (event.number, ==, number);
      g_assert_cmpfloat (((const float *)event.pixels)[34], ==,
                         10 * (float)number + 34);
    }
  assert_none (track);
  g_assert_cmpuint (tl_track_get_scan (track)->n_cols, ==, 7);
  g_assert_cmpuint (tl_track_get_scan (track)->serial, ==, 2);
  g_assert_cmpuint (tl_track_get_counts (track)->n_malformed, ==, 0);
}

/* A stray frame of another shape, or of a number that is far from the others,
 * changes nothing, is counted, and told when the next one comes. */
static void
test_stray (void)
{
  g_autoptr (TlTrack) track = tl_track_new ("here", NULL, NULL);
  take_projection (track, 0);
  assert_next (track, TL_STREAM_SCAN);
  take (track, make_frame (2, 1, 5, 7));
  take (track, make_frame (2, 1, 7, 5));
  assert_trouble (track, "a frame has 5 x 7 pixels of float32, and those "
                         "around it have 2 x 3 of float32; it is left out");
  assert_none (track);
  take_projection (track, 1);
  assert_trouble (track, "7 x 5 pixels");
  assert_frame (track, TL_FRAMES_PROJECTIONS, 1, 10);
  take_projection (track, 1000000);
  assert_none (track);
  take (track, make_frame (1, 0, N_ROWS, N_COLS));
  assert_frame (track, TL_FRAMES_FLATS, 0, 0);
  take_projection (track, 2);
  assert_trouble (track, "the number 1000000, which is far from");
  assert_frame (track, TL_FRAMES_PROJECTIONS, 2, 20);
  const TlStreamCounts *counts = tl_track_get_counts (track);
  g_assert_cmpuint (counts->n_malformed, ==, 3);
  g_assert_cmpuint (counts->n_missing, ==, 0);
  g_assert_cmpuint (tl_track_get_scan (track)->serial, ==, 1);
}

/* Two that follow each other are no stray ones. */
static void
test_leap (void)
{
  g_autoptr (TlTrack) track = tl_track_new ("here", NULL, NULL);
  take_projection (track, 0);
  take_projection (track, 100000);
  assert_none (track);
  take_projection (track, 100001);
  assert_frame (track, TL_FRAMES_PROJECTIONS, 100000, 1000000);
  assert_frame (track, TL_FRAMES_PROJECTIONS, 100001, 1000010);
  g_assert_cmpuint (tl_track_get_counts (track)->n_malformed, ==, 0);
}

/* So does one whose number is of another scan, where numbers go on. */
static void
test_stray_turn (void)
{
  g_autoptr (TlTrack) track = tl_track_new ("here", NULL, NULL);
  enum
  {
    N = 40
  };
  take (track, make_geometry (N_ROWS, N_COLS, N, N));
  take_projection (track, 100000);
  for (gint32 k = 0; k < N; k++)
    {
      take_projection (track, k);
      if (k == 1) /* the first one was stray */
        {
          assert_trouble (track, "after 1 of 40");
          assert_next (track, TL_STREAM_SCAN);
          assert_frame (track, TL_FRAMES_PROJECTIONS, 0, 0);
        }
      if (k == 21)
        assert_trouble (track, "the number 99999, which is far from");
      if (k > 0)
        assert_frame (track, TL_FRAMES_PROJECTIONS, (size_t)k, (float)(10 * k));
      if (k == 20)
        take_projection (track, 99999);
    }
  assert_next (track, TL_STREAM_END);
  g_assert_cmpuint (tl_track_get_scan (track)->serial, ==, 2);
  g_assert_cmpuint (tl_track_get_counts (track)->n_missing, ==, 0);
}

/* --- flats of an earlier scan --- */

/* Takes a frame as the network gives it.
 *
 * @number: -1: not said */
static void
take_frame (TlTrack *track, TlFrameKind kind, int number, guint16 value)
{
  guint16 pixels[N_PIXELS];
  for (int k = 0; k < N_PIXELS; k++)
    pixels[k] = value;
  const TlMessage message = { .type = TL_MESSAGE_FRAME,
                              .n_rows = N_ROWS,
                              .n_cols = N_COLS,
                              .has_kind = TRUE,
                              .has_number = number >= 0,
                              .kind = kind,
                              .number = (guint64)MAX (number, 0),
                              .angle_deg = NAN,
                              .sample_type = TL_SAMPLE_U16,
                              .is_big_endian = G_BYTE_ORDER == G_BIG_ENDIAN,
                              .pixels = (const guint8 *)pixels,
                              .may_lack_fields = TRUE };
  tl_track_take (track, &message, 0);
}

/* @n_borrowed: as of the event */
static void
assert_field (TlTrack *track, TlFrameKind kind, size_t number, guint16 value,
              size_t n_borrowed)
{
  const TlStreamEvent event = assert_next (track, TL_STREAM_FRAME);
  g_assert_cmpint (event.kind, ==, kind);
  g_assert_cmpuint (event.number, ==, number);
  for (int k = 0; k < N_PIXELS; k++)
    g_assert_cmpuint (((const guint16 *)event.pixels)[k], ==, value);
  g_assert_cmpuint (event.n_borrowed, ==, n_borrowed);
}

static void
assert_value (TlTrack *track, TlFrameKind kind, size_t number, guint16 value)
{
  assert_field (track, kind, number, value, 0);
}

/* The newest flats and the darks of a scan are those of the next one that has
 * none; what is expected counts, and not what came before. */
static void
test_last_fields (void)
{
  const TlStreamOptions two = { .n_expected = { 2 } };
  const TlStreamOptions with_flats = { .n_expected = { 2, 1 } };
  const TlStreamOptions *const options[] = { &two, &with_flats };
  for (size_t k = 0; k < G_N_ELEMENTS (options); k++)
    {
      g_autoptr (TlTrack) track = tl_track_new ("here", options[k], NULL);
      take_frame (track, TL_FRAMES_DARKS, 0, 3);
      take_frame (track, TL_FRAMES_FLATS, 0, 900);
      take_frame (track, TL_FRAMES_PROJECTIONS, 0, 50);
      take_frame (track, TL_FRAMES_FLATS, 1, 100);
      take_frame (track, TL_FRAMES_FLATS, 2, 201);
      take_frame (track, TL_FRAMES_PROJECTIONS, 1, 51);
      assert_value (track, TL_FRAMES_PROJECTIONS, 1, 51);
      assert_next (track, TL_STREAM_END);
      for (guint scan = 2; scan <= 3; scan++)
        {
          take_frame (track, TL_FRAMES_PROJECTIONS, 0, 60);
          take_frame (track, TL_FRAMES_PROJECTIONS, 1, 61);
          assert_next (track, TL_STREAM_SCAN);
          if (k == 0)
            {
              /* the mean 150.5, rounded to even */
              assert_field (track, TL_FRAMES_FLATS, 0, 150, 2);
              assert_field (track, TL_FRAMES_DARKS, 0, 3, 1);
              assert_trouble (track, "this scan begins without flats");
            }
          assert_value (track, TL_FRAMES_PROJECTIONS, 0, 60);
          assert_value (track, TL_FRAMES_PROJECTIONS, 1, 61);
          if (k == 0)
            assert_next (track, TL_STREAM_END);
          assert_none (track);
          if (k == 1) /* the flats that are awaited */
            take_frame (track, TL_FRAMES_FLATS, 0, 7);
          const size_t *n = tl_track_get_counts (track)->n_received;
          g_assert_cmpuint (n[TL_FRAMES_FLATS], ==, k);
          g_assert_cmpuint (tl_track_get_scan (track)->serial, ==, scan);
        }
    }
}

/* A scan that is announced has its own flats, unless none are announced. */
static void
test_last_fields_announced (void)
{
  for (gint32 n_flats = 0; n_flats <= 1; n_flats++)
    {
      g_autoptr (TlTrack) track = tl_track_new ("here", NULL, NULL);
      GByteArray *settings = MAKE (0x302, 0, 0, n_flats);
      g_byte_array_append (settings, (const guint8 *)"", 1);
      take (track, make_geometry (N_ROWS, N_COLS, 2, 2));
      take (track, make_frame (1, 5, N_ROWS, N_COLS));
      take_projection (track, 0);
      take (track, settings);
      take (track, make_geometry (N_ROWS, N_COLS, 2, 2));
      assert_trouble (track, "after 1 of 2");
      assert_next (track, TL_STREAM_SCAN);
      take_projection (track, 0);
      if (n_flats == 0)
        {
          assert_frame (track, TL_FRAMES_FLATS, 0, 50);
          assert_trouble (track, "this scan begins without flats");
        }
      assert_frame (track, TL_FRAMES_PROJECTIONS, 0, 0);
      assert_none (track);
    }
}

/* Flats and darks without numbers that come after all projections are of the
 * scan before if it has none, and of the next one if the sender takes them
 * first. */
static void
test_late_fields (void)
{
  const TlStreamOptions two = { .n_expected = { 2 } };
  for (int is_first = 0; is_first <= 1; is_first++)
    {
      g_autoptr (TlTrack) track = tl_track_new ("here", &two, NULL);
      const size_t *n = tl_track_get_counts (track)->n_received;
      for (guint scan = 1; scan <= 3; scan++)
        {
          const size_t n_fields = is_first && scan == 2 ? 0 : 2;
          for (size_t k = 0; k < n_fields && is_first; k++)
            take_frame (track, TL_FRAMES_FLATS, -1, 900);
          take_frame (track, TL_FRAMES_PROJECTIONS, -1, 50);
          take_frame (track, TL_FRAMES_PROJECTIONS, -1, 51);
          assert_value (track, TL_FRAMES_PROJECTIONS, 1, 51);
          assert_next (track, TL_STREAM_END);
          if (!is_first)
            {
              take_frame (track, TL_FRAMES_DARKS, -1, 3);
              take_frame (track, TL_FRAMES_FLATS, -1, 900);
              take_frame (track, TL_FRAMES_FLATS, -1, 901);
              assert_value (track, TL_FRAMES_FLATS, 1, 901);
              assert_none (track);
              g_assert_cmpuint (n[TL_FRAMES_DARKS], ==, 1);
            }
          g_assert_cmpuint (n[TL_FRAMES_PROJECTIONS], ==, 2);
          g_assert_cmpuint (n[TL_FRAMES_FLATS], ==, n_fields);
          g_assert_cmpuint (tl_track_get_scan (track)->serial, ==, scan);
        }
    }
}

static void
test_stall (void)
{
  enum
  {
    SECOND = G_USEC_PER_SEC
  };
  g_autoptr (TlTrack) track = begin ();
  tl_track_wait (track, TL_REST_LOST, 1000 * SECOND); /* no frame yet */
  assert_none (track);
  for (gint32 k = 0; k < 2; k++)
    take_at (track, make_frame (2, k, N_ROWS, N_COLS),
             (1000 + 6 * k) * (gint64)SECOND);
  assert_next (track, TL_STREAM_FRAME);
  tl_track_wait (track, TL_REST_LOST,
                 1020 * SECOND); /* pauses of 6 s are usual */
  assert_none (track);
  tl_track_wait (track, TL_REST_LOST, 1031 * (gint64)SECOND);
  assert_trouble (track, "for 25 s");
  tl_track_wait (track, TL_REST_LOST, 1090 * (gint64)SECOND);
  assert_none (track);
}

/* --- projections that were lost --- */

/* Takes the frames of begin() but those of @lost, one after the other, at
 * second 0. */
static TlTrack *
lose (const char *lost)
{
  TlTrack *track = begin ();
  TlStreamEvent event;
  take (track, make_frame (0, 0, N_ROWS, N_COLS));
  take (track, make_frame (1, 0, N_ROWS, N_COLS));
  for (gint32 k = 0; k < N_PROJECTIONS; k++)
    if (strchr (lost, '0' + k) == NULL)
      take_projection (track, k);
  while (tl_track_next (track, &event))
    g_assert_cmpint (event.type, ==, TL_STREAM_FRAME);
  return track;
}

/* A scan whose last projection is there ends without those that were lost, and
 * names them; one whose last projection is missing goes on. */
static void
test_lost (void)
{
  const gint64 second = G_USEC_PER_SEC;
  g_autoptr (TlTrack) track = lose ("2");
  tl_track_wait (track, TL_REST_LOST, 9 * second);
  assert_none (track);
  tl_track_wait (track, TL_REST_LOST, 11 * second);
  assert_trouble (track,
                  "here: 1 of 4 projections is missing (counted from 0: 2)");
  assert_next (track, TL_STREAM_END);
  assert_none (track);
  tl_track_wait (track, TL_REST_LOST, 100 * second);
  assert_none (track);

  g_autoptr (TlTrack) part = lose ("03");
  tl_track_wait (part, TL_REST_LOST, 100 * second);
  assert_trouble (part, "nothing has come for 100 s");
  assert_none (part);

  g_autoptr (TlTrack) early = begin (); /* its flat and dark may still come */
  take_projection (early, 3);
  assert_next (early, TL_STREAM_FRAME);
  tl_track_wait (early, TL_REST_LOST, 100 * second);
  assert_trouble (early, "nothing has come for 100 s");
  assert_none (early);
}

/* If no more than a tenth is missing, a scan in another order ends, too, and
 * one that lacks its last projection; both later. */
static void
test_lost_last (void)
{
  enum
  {
    N = 40
  };
  const gint64 second = G_USEC_PER_SEC;
  for (gint32 step = 1; step <= 2; step++)
    {
      g_autoptr (TlTrack) track = tl_track_new ("here", NULL, NULL);
      take (track, make_geometry (N_ROWS, N_COLS, N, N));
      for (gint32 pass = 0; pass < step; pass++)
        for (gint32 k = pass; k < N; k += step)
          if (k != 3 && k != 7 && k != 8 && k < N - 1)
            take_projection (track, k);
      while (tl_track_next (track, &(TlStreamEvent){ 0 }))
        ;
      tl_track_wait (track, TL_REST_LOST, 11 * second);
      assert_trouble (track,
                      "nothing has come for 11 s; 4 frames have not come, and "
                      "the scan ends without them 30 s after the last one");
      tl_track_wait (track, TL_REST_LOST, 29 * second);
      assert_none (track);
      tl_track_wait (track, TL_REST_LOST, 30 * second);
      assert_trouble (track,
                      "4 of 40 projections are missing (counted from 0: 3, "
                      "7–8, 39)");
      assert_next (track, TL_STREAM_END);
    }
}

/* A scan that lacks announced flats or darks ends as late as one that lacks its
 * last projection, and if no more is missing. */
static void
test_lost_fields (void)
{
  enum
  {
    N = 20
  };
  const gint64 second = G_USEC_PER_SEC;
  for (gint32 n_come = 0; n_come <= 1; n_come++)
    {
      g_autoptr (TlTrack) track = tl_track_new ("here", NULL, NULL);
      take (track, make_settings (1, 3));
      take (track, make_geometry (N_ROWS, N_COLS, N, N));
      for (gint32 k = 0; k < n_come; k++)
        {
          take (track, make_frame (1, 2 * k, N_ROWS, N_COLS));
          take (track, make_frame (1, 2 * k + 1, N_ROWS, N_COLS));
        }
      for (gint32 k = 0; k < N; k++)
        take_projection (track, k);
      while (tl_track_next (track, &(TlStreamEvent){ 0 }))
        ;
      tl_track_wait (track, TL_REST_LOST, 29 * second);
      assert_trouble (track, "nothing has come for 29 s");
      tl_track_wait (track, TL_REST_LOST, 30 * second);
      if (n_come == 0) /* 4 are more than a tenth of 20 */
        {
          assert_none (track);
          continue;
        }
      assert_trouble (track, "1 of 3 flats is missing (counted from 0: 2)");
      assert_trouble (track, "1 of 1 darks is missing (counted from 0: 0)");
      assert_next (track, TL_STREAM_END);
      assert_none (track);
    }
}

/* The flats or darks from @first to @last, without @lost and the one after it
 */
static void
take_fields (TlTrack *track, gint32 type, gint32 first, gint32 last,
             gint32 lost)
{
  for (gint32 k = first; k <= last; k++)
    if (k != lost && k != lost + 1)
      take (track, make_frame (type, k, N_ROWS, N_COLS));
}

static void
take_end (TlTrack *track)
{
  const TlMessage message = { .type = TL_MESSAGE_END };
  while (tl_track_next (track, &(TlStreamEvent){ 0 }))
    ;
  tl_track_take (track, &message, 0);
}

/* Gaps between the numbers of flats and darks of which nobody has said how many
 * there are. A sender may count all kinds together. */
static void
test_lost_between (void)
{
  g_autoptr (TlTrack) track = tl_track_new ("here", NULL, NULL);
  const size_t *n_gaps = tl_track_get_counts (track)->n_gaps;
  take_fields (track, 0, 0, 9, 4);
  take_fields (track, 1, 10, 29, 17);
  take_projection (track, 0);
  take_end (track);
  assert_trouble (track, "2 of 20 flats are missing (counted from 0: 17–18)");
  assert_trouble (track, "2 of 10 darks are missing (counted from 0: 4–5)");
  assert_next (track, TL_STREAM_END);
  g_assert_cmpuint (n_gaps[TL_FRAMES_PROJECTIONS], ==, 0);
  g_assert_cmpuint (n_gaps[TL_FRAMES_FLATS], ==, 2);
  g_assert_cmpuint (n_gaps[TL_FRAMES_DARKS], ==, 2);
  g_assert_cmpuint (tl_track_get_counts (track)->n_missing, ==, 0);

  g_autoptr (TlTrack) other = tl_track_new ("here", NULL, NULL);
  take_fields (other, 1, 0, 9, 100);
  take_projection (other, 0);
  take_fields (other, 1, 190, 199, 100);
  take_end (other);
  assert_next (other, TL_STREAM_END);
  g_assert_cmpuint (tl_track_get_counts (other)->n_gaps[TL_FRAMES_FLATS], ==,
                    0);
}

/* That the sender has gone is told after a moment, and ends a scan whose last
 * projection is there. */
static void
test_left (void)
{
  const gint64 second = G_USEC_PER_SEC;
  g_autoptr (TlTrack) part = lose ("3");
  tl_track_leave (part, second / 10);
  assert_none (part);
  tl_track_leave (part, second);
  assert_trouble (part, "closed the connection");
  tl_track_leave (part, 2 * second);
  tl_track_wait (part, TL_REST_LOST, 20 * second);
  assert_none (part);

  g_autoptr (TlTrack) all = lose ("1");
  tl_track_leave (all, second);
  assert_trouble (all, "1 of 4 projections is missing (counted from 0: 1)");
  assert_next (all, TL_STREAM_END);
  tl_track_leave (all, 2 * second);
  assert_none (all);

  g_autoptr (TlTrack) none = begin ();
  tl_track_leave (none, second);
  assert_none (none);
}

/* A sender that has sent nearly all is not called lost. */
static void
test_left_calmly (void)
{
  enum
  {
    N = 40
  };
  for (int is_announced = 0; is_announced <= 1; is_announced++)
    {
      g_autoptr (TlTrack) track = tl_track_new ("here", NULL, NULL);
      if (is_announced)
        take (track, make_geometry (N_ROWS, N_COLS, N, N));
      for (gint32 k = 0; k < N - 1; k++)
        take_projection (track, k);
      while (tl_track_next (track, &(TlStreamEvent){ 0 }))
        ;
      tl_track_leave (track, G_USEC_PER_SEC);
      assert_trouble (track,
                      is_announced
                          ? "has closed the connection; 1 frame has not come, "
                            "and the scan ends without it 30 s after"
                          : "has closed the connection; frames are taken");
    }
}

/* Returns: whether a geometry of @n angles at @step is said to be in degrees */
static gboolean
is_doubted (size_t n, double step)
{
  g_autoptr (TlTrack) track = tl_track_new ("here", NULL, NULL);
  TlStreamEvent event;
  GByteArray *packet = MAKE (0x303, 0, N_ROWS, N_COLS, (gint32)n, (gint32)n);
  gboolean is_said = FALSE;
  for (size_t k = 0; k < n; k++)
    add_float (packet, (float)(step * (double)k));
  take (track, packet);
  while (tl_track_next (track, &event))
    is_said |= event.type == TL_STREAM_TROUBLE
               && strstr (event.text, "they look like degrees") != NULL;
  return is_said;
}

/* Degrees are doubted before the first projection; many turns are not. */
static void
test_degrees (void)
{
  g_assert_true (is_doubted (180, 1));
  g_assert_true (is_doubted (181, 1));
  g_assert_true (is_doubted (721, 0.5));
  g_assert_false (is_doubted (180, G_PI / 180));
  g_assert_false (is_doubted (7200, G_PI / 180)); /* 20 turns */
  g_assert_false (is_doubted (1, 1));
}

/* A receiver that begins in the middle of a scan is told what it has missed. */
static void
test_no_geometry (void)
{
  g_autoptr (TlTrack) track = tl_track_new ("here", NULL, NULL);
  TlStreamEvent event;
  gboolean is_said = FALSE;
  take_projection (track, 7);
  while (tl_track_next (track, &event))
    is_said |= event.type == TL_STREAM_TROUBLE
               && strstr (event.text, "sent before this program") != NULL;
  g_assert_true (is_said);
}

/* Projections of the scan before, which come late in any order, begin no scan.
 */
static void
test_late_pass (void)
{
  enum
  {
    N = 200,
    N_PASSES = 4
  };
  static const gint32 late[] = { 21, 25, 29 }; /* of the second pass */
  g_autoptr (TlTrack) track = tl_track_new ("here", NULL, NULL);
  take (track, make_geometry (N_ROWS, N_COLS, N, N));
  for (gint32 turn = 0; turn < 2; turn++)
    for (gint32 pass = 0; pass < N_PASSES; pass++)
      for (gint32 k = pass; k < N; k += N_PASSES)
        if (turn == 1 || (k != late[0] && k != late[1] && k != late[2]))
          {
            take_projection (track, turn * N + k);
            for (size_t i = 0; i < G_N_ELEMENTS (late) && turn == 1; i++)
              if (pass == 1 && k == 1)
                take_projection (track, late[i]);
          }
  g_assert_cmpuint (tl_track_get_scan (track)->serial, ==, 2);
  const TlStreamCounts *counts = tl_track_get_counts (track);
  g_assert_cmpuint (counts->n_received[TL_FRAMES_PROJECTIONS], ==, N);
  g_assert_cmpuint (counts->n_doubled, ==, G_N_ELEMENTS (late));
}

/* A scan of which nothing is announced, with projections of 0 to 135 degrees in
 * four steps, or of half of that. */
static TlTrack *
take_file (double step_deg, const TlStreamOptions *options)
{
  static const guint8 pixels[N_PIXELS];
  TlTrack *track = tl_track_new ("here", options, NULL);
  for (guint k = 0; k < N_PROJECTIONS; k++)
    {
      const TlMessage message = { .type = TL_MESSAGE_FRAME,
                                  .n_rows = N_ROWS,
                                  .n_cols = N_COLS,
                                  .has_kind = TRUE,
                                  .has_number = TRUE,
                                  .number = k,
                                  .angle_deg = step_deg * k,
                                  .pixels = pixels };
      tl_track_take (track, &message, 0);
    }
  assert_next (track, TL_STREAM_FRAME);
  assert_none (track);
  return track;
}

/* A file ends when its writer has closed it, and not during a pause. */
static void
test_file_end (void)
{
  const gint64 second = G_USEC_PER_SEC;
  g_autoptr (TlTrack) track = take_file (10, NULL);
  g_assert_false (tl_track_is_late (track, 9 * second));
  tl_track_wait (track, TL_REST_CLOSED, 9 * second);
  assert_none (track);
  tl_track_wait (track, TL_REST_OPEN, 11 * second);
  assert_trouble (track, "is watched further");
  tl_track_wait (track, TL_REST_OPEN, 1000 * second);
  assert_none (track);
  g_assert_true (tl_track_is_late (track, 1001 * second));
  tl_track_wait (track, TL_REST_CLOSED, 1001 * second);
  assert_next (track, TL_STREAM_END);
  assert_none (track);
  g_assert_false (tl_track_is_late (track, 2000 * second));
}

/* What a file has room for counts for the scan that it is of, also if no frame
 * comes after that, or none has come before. */
static void
test_room (void)
{
  g_autoptr (TlTrack) track = take_file (10, NULL);
  tl_track_set_places (track, 1, 20, 20, NULL);
  g_assert_cmpuint (tl_track_get_counts (track)->n_places, ==, 0);
  tl_track_set_places (track, 0, 6, 6, NULL);
  g_assert_cmpuint (tl_track_get_counts (track)->n_places, ==, 6);
  g_assert_cmpuint (tl_stream_count_missing (tl_track_get_scan (track),
                                             tl_track_get_counts (track)),
                    ==, 2);
  tl_track_wait (track, TL_REST_CLOSED, 11 * G_USEC_PER_SEC);
  assert_trouble (track, "2 of 6 projections are missing");
  assert_next (track, TL_STREAM_END);
}

/* What does not say that it is complete ends later, if it can be. */
static void
test_rest (void)
{
  static const TlStreamOptions options = { .n_expected = { 5 } };
  const gint64 second = G_USEC_PER_SEC;
  g_autoptr (TlTrack) half = take_file (45, NULL);
  tl_track_wait (half, TL_REST_UNKNOWN, 11 * second);
  assert_trouble (half, "is watched further");
  tl_track_wait (half, TL_REST_UNKNOWN, 29 * second);
  assert_none (half);
  tl_track_wait (half, TL_REST_UNKNOWN, 30 * second);
  assert_next (half, TL_STREAM_END);

  g_autoptr (TlTrack) part = take_file (44, NULL);
  g_autoptr (TlTrack) expected = take_file (45, &options);
  g_autoptr (TlTrack) without = take_file (NAN, NULL);
  TlTrack *const others[] = { part, expected, without };
  for (size_t k = 0; k < G_N_ELEMENTS (others); k++)
    {
      tl_track_wait (others[k], TL_REST_UNKNOWN, 1000 * second);
      assert_trouble (others[k], "is watched further");
      tl_track_wait (others[k], TL_REST_UNKNOWN, 2000 * second);
      assert_none (others[k]);
    }
}

/* --- what is wrong --- */

static void
assert_refused (GByteArray *packet, int code, const char *says)
{
  g_autoptr (GError) error = NULL;
  g_autofree guint8 *kept = NULL;
  TlMessage message;
  g_assert_false (parse (packet->data, packet->len, &message, &kept, &error));
  g_assert_error (error, TL_ERROR, code);
  if (strstr (error->message, says) == NULL)
    g_error ("\"%s\" does not say \"%s\"", error->message, says);
  g_byte_array_unref (packet);
}

static GByteArray *
make_bad_angle (void)
{
  GByteArray *packet = MAKE (0x303, 0, N_ROWS, N_COLS, 1, 1);
  add_float (packet, NAN);
  return packet;
}

static void
test_refused (void)
{
  assert_refused (make_settings (-1, 0), TL_ERROR_VALUE, "-1 darks");
  assert_refused (make_geometry (0, 3, 1, 0), TL_ERROR_SHAPE,
                  "0 rows and 3 columns");
  assert_refused (make_geometry (3, -1, 1, 0), TL_ERROR_SHAPE,
                  "3 rows and -1 columns");
  assert_refused (make_geometry (G_MAXINT32, G_MAXINT32, 1, 0), TL_ERROR_SHAPE,
                  "at most 268435456 pixels");
  assert_refused (make_geometry (2, 3, 0, 0), TL_ERROR_VALUE, "0 projections");
  assert_refused (make_geometry (2, 3, G_MAXINT32, 0), TL_ERROR_VALUE,
                  "projections");
  assert_refused (make_geometry (2, 3, 4, 3), TL_ERROR_SHAPE, "3 angles");
  assert_refused (make_bad_angle (), TL_ERROR_VALUE, "no number");
  assert_refused (make_frame (3, 0, 2, 3), TL_ERROR_VALUE, "type 3");
  assert_refused (make_frame (2, -5, 2, 3), TL_ERROR_VALUE, "-5");
  assert_refused (make_frame (2, 0, 0, 0), TL_ERROR_SHAPE, "0 rows");
  assert_refused (MAKE (0x309, 2, 0, 2, 3, 5, 1, 2, 3, 4, 5), TL_ERROR_SHAPE,
                  "5 values; it needs 6");
  assert_refused (MAKE (0x309, 2, 0, 2, 3, 6, 1, 2, 3, 4, 5), TL_ERROR_FORMAT,
                  "has 44 bytes; by what it says of itself it needs 48");
  /* 4 billion pixels, of which the product has 32 bits that are 0. */
  assert_refused (MAKE (0x309, 2, 0, 65536, 65536, 0), TL_ERROR_SHAPE,
                  "at most 268435456 pixels");
  assert_refused (MAKE (0x304, 0, 2, 3, 1, 0), TL_ERROR_UNSUPPORTED, "vectors");
  GByteArray *text = g_byte_array_new ();
  g_byte_array_append (text, (const guint8 *)"hello world", 11);
  assert_refused (text, TL_ERROR_FORMAT,
                  "a message of 11 bytes is no packet of TomoPackets");
}

/* A packet that is cut anywhere, or has a byte too many, is refused. */
static void
test_cut (void)
{
  GByteArray *const packets[] = {
    make_settings (1, 2),
    make_geometry (2, 3, 4, 4),
    make_frame (2, 1, 2, 3),
  };
  for (size_t k = 0; k < G_N_ELEMENTS (packets); k++)
    {
      TlMessage message;
      const guint whole = packets[k]->len;
      g_byte_array_append (packets[k], (const guint8 *)"", 1);
      for (guint n = 0; n <= whole + 1; n++)
        {
          g_autofree guint8 *kept = NULL;
          g_assert_cmpint (parse (packets[k]->data, n, &message, &kept, NULL),
                           ==, n == whole);
        }
      g_byte_array_unref (packets[k]);
    }
}

static void
test_parts (void)
{
  const TlMessagePart parts[2] = { { "", 0 }, { "", 0 } };
  TlMessage message;
  g_autoptr (GError) error = NULL;
  g_assert_false (tl_parse_packet (parts, 2, &message, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_FORMAT);
}

/* What is wrong is told once, counted, and changes nothing. */
static void
test_lies (void)
{
  g_autoptr (TlTrack) track = begin ();
  const TlStreamCounts *counts = tl_track_get_counts (track);
  take (track, make_frame (2, 0, N_ROWS, N_COLS + 1));
  assert_trouble (track, "2 x 4 pixels, and the geometry says 2 x 3");
  assert_none (track);
  take (track, make_frame (2, 0, N_ROWS, N_COLS + 1));
  assert_none (track);
  take (track, MAKE (0x309, 7));
  assert_trouble (track, "has 8 bytes; by what it says of itself it needs 24");
  g_assert_cmpuint (counts->n_malformed, ==, 3);
  take (track, MAKE (0x101, 7)); /* of the display of RECAST3D */
  assert_none (track);
  g_assert_cmpuint (counts->n_malformed, ==, 3);
  take_projection (track, 0);
  assert_frame (track, TL_FRAMES_PROJECTIONS, 0, 0);
  take (track, make_frame (1, G_MAXINT32, N_ROWS, N_COLS));
  assert_trouble (track, "has the number 2147483647");
  g_assert_cmpuint (counts->n_malformed, ==, 4);
  g_assert_cmpuint (tl_track_get_scan (track)->serial, ==, 1);
}

/* --- what is made by chance --- */

/* Numbers at which arithmetic goes wrong. */
static const gint32 odd_ints[] = {
  0,     1,     -1,         2,          G_MAXINT32,    G_MININT32,
  65536, 65535, 0x40000000, 0x7fc00000, 0x302,         0x303,
  0x304, 0x309, 3,          6,          (1 << 24) - 1, 1 << 24
};

static GByteArray *
make_any (void)
{
  const gint32 number = g_test_rand_int_range (0, 40);
  switch (g_test_rand_int_range (0, 8))
    {
    case 0:
      return make_settings (number % 2, number % 3 == 0);
    case 1:
      return make_geometry (N_ROWS, N_COLS + number % 2, 1 + number % 9,
                            number % 3 == 0 ? 0 : 1 + number % 9);
    case 2:
      return make_frame (g_test_rand_int_range (0, 3), number, N_ROWS + 1,
                         N_COLS);
    default:
      return make_frame (g_test_rand_int_range (0, 3), number, N_ROWS, N_COLS);
    }
}

static void
mutate (GByteArray *packet)
{
  const int n_changes = g_test_rand_int_range (0, 4);
  for (int change = 0; change < n_changes && packet->len > 4; change++)
    {
      const guint at =
          (guint)g_test_rand_int_range (0, (gint32)packet->len / 4) * 4;
      const gint32 odd = GINT32_TO_LE (
          odd_ints[g_test_rand_int_range (0, G_N_ELEMENTS (odd_ints))]);
      switch (g_test_rand_int_range (0, 4))
        {
        case 0:
          packet->data[at] ^= (guint8)(1 << g_test_rand_int_range (0, 8));
          break;
        case 1:
          g_byte_array_set_size (packet, at);
          break;
        case 2:
          g_byte_array_append (packet, (const guint8 *)&odd, sizeof odd);
          break;
        default:
          memcpy (packet->data + at, &odd, sizeof odd);
          break;
        }
    }
}

static double
sum_pixels (const TlStreamScan *scan, const TlStreamEvent *event)
{
  const size_t n_bytes =
      scan->n_rows * scan->n_cols * tl_sample_size (scan->type);
  double sum = 0;
  for (size_t k = 0; k < n_bytes; k++)
    sum += ((const guint8 *)event->pixels)[k];
  return sum;
}

static void
check_events (TlTrack *track, size_t n_events[])
{
  const TlStreamScan *scan = tl_track_get_scan (track);
  const TlStreamCounts *counts = tl_track_get_counts (track);
  TlStreamEvent event;
  while (tl_track_next (track, &event))
    {
      n_events[event.type]++;
      if (event.type == TL_STREAM_FRAME)
        {
          g_assert_cmpuint (event.kind, <, TL_N_FRAME_KINDS);
          g_assert_cmpuint (event.number, <, TL_STREAM_MAX_FRAMES);
          g_assert_cmpfloat (sum_pixels (scan, &event), >=, 0);
        }
      if (event.type == TL_STREAM_SCAN && scan->angles_deg != NULL)
        for (size_t k = 0; k < scan->n_projections; k++)
          g_assert_true (isfinite (scan->angles_deg[k]));
    }
  g_assert_cmpuint (counts->n_missing, <, TL_STREAM_MAX_FRAMES);
}

/* Thousands of messages that are nearly right: nothing crashes, and the memory
 * is that of a frame and of which frames were seen. */
static void
test_chance (void)
{
  enum
  {
    N_MESSAGES = 30000,
    MAX_BYTES = 16 << 20
  };
  g_autoptr (TlTrack) track = tl_track_new ("here", NULL, NULL);
  size_t n_events[TL_STREAM_TROUBLE + 1] = { 0 };
  const size_t before = mallinfo2 ().uordblks + mallinfo2 ().hblkhd;
  for (int k = 0; k < N_MESSAGES; k++)
    {
      GByteArray *packet = make_any ();
      mutate (packet);
      take_at (track, packet, k);
      check_events (track, n_events);
    }
  const size_t after = mallinfo2 ().uordblks + mallinfo2 ().hblkhd;
  g_assert_cmpuint (after, <, before + MAX_BYTES);
  for (int type = TL_STREAM_SCAN; type <= TL_STREAM_TROUBLE; type++)
    g_assert_cmpuint (n_events[type], >, 10);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/stream/scan", test_scan);
  g_test_add_func ("/stream/frames", test_frames);
  g_test_add_func ("/stream/passes", test_passes);
  g_test_add_func ("/stream/angle", test_angle);
  g_test_add_func ("/stream/no-angle", test_no_angle);
  g_test_add_func ("/stream/doubled", test_doubled);
  g_test_add_func ("/stream/given", test_given);
  g_test_add_func ("/stream/late", test_late);
  g_test_add_func ("/stream/restart", test_restart);
  g_test_add_func ("/stream/next-turn", test_next_turn);
  g_test_add_func ("/stream/from-zero", test_from_zero);
  g_test_add_func ("/stream/late-zero", test_late_zero);
  g_test_add_func ("/stream/many-doubled", test_many_doubled);
  g_test_add_func ("/stream/new-shape", test_new_shape);
  g_test_add_func ("/stream/stray", test_stray);
  g_test_add_func ("/stream/stray/leap", test_leap);
  g_test_add_func ("/stream/stray/turn", test_stray_turn);
  g_test_add_func ("/stream/last-fields", test_last_fields);
  g_test_add_func ("/stream/last-fields/announced", test_last_fields_announced);
  g_test_add_func ("/stream/late-fields", test_late_fields);
  g_test_add_func ("/stream/stall", test_stall);
  g_test_add_func ("/stream/lost", test_lost);
  g_test_add_func ("/stream/lost/last", test_lost_last);
  g_test_add_func ("/stream/lost/fields", test_lost_fields);
  g_test_add_func ("/stream/lost/between", test_lost_between);
  g_test_add_func ("/stream/left", test_left);
  g_test_add_func ("/stream/left-calmly", test_left_calmly);
  g_test_add_func ("/stream/degrees", test_degrees);
  g_test_add_func ("/stream/no-geometry", test_no_geometry);
  g_test_add_func ("/stream/late-pass", test_late_pass);
  g_test_add_func ("/stream/file-end", test_file_end);
  g_test_add_func ("/stream/room", test_room);
  g_test_add_func ("/stream/rest", test_rest);
  g_test_add_func ("/stream/packets/refused", test_refused);
  g_test_add_func ("/stream/packets/cut", test_cut);
  g_test_add_func ("/stream/packets/parts", test_parts);
  g_test_add_func ("/stream/lies", test_lies);
  g_test_add_func ("/stream/chance", test_chance);
  return g_test_run ();
}
