/* Frames as JSON and pixels, in each dialect, and what is not one. */
#include "data/error.h"
#include "data/stream/track-private.h"

#ifdef TL_HAVE_BLOSC
#include <blosc.h>
#endif
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#define STD_DAQ                                                                \
  "{\"frame\": 7, \"shape\": [2, 3], \"type\": \"uint16\", "                   \
  "\"image_attributes\": {\"scan_index\": 1}}"
#define CONCERT "{\"dtype\": \"uint8\", \"shape\": [2, 3]}"
#define ODIN                                                                   \
  "{\"frame_num\": 5, \"acquisition_id\": \"a1\", \"dtype\": \"uint8\", "      \
  "\"dsize\": 1, \"dataset\": \"data\", \"compression\": \"none\", "           \
  "\"tags\": [], \"shape\": [\"2\", \"3\"]}"

static const guint8 pixels[] = { 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 1 };

/* @n_bytes: of the pixels; both parts are copied to blocks of exactly their
 * size. @kept: (out): frees the pixels */
static gboolean
parse (const char *json, size_t n_json, size_t n_bytes, TlMessage *message,
       void **kept, GError **error)
{
  g_autofree char *text = g_memdup2 (json, n_json);
  guint8 *bytes = g_malloc0 (n_bytes + 1);
  memcpy (bytes + 1, pixels, MIN (n_bytes, sizeof pixels));
  *kept = bytes;
  const TlMessagePart parts[] = { { text, n_json }, { bytes + 1, n_bytes } };
  return tl_parse_json (parts, G_N_ELEMENTS (parts), message, error);
}

static void
take (TlTrack *track, const char *json, size_t n_bytes)
{
  g_autoptr (GError) error = NULL;
  g_autofree void *kept = NULL;
  TlMessage message;
  if (parse (json, strlen (json), n_bytes, &message, &kept, &error))
    tl_track_take (track, &message, 0);
  else
    tl_track_refuse (track, error);
}

static void
take_end (TlTrack *track)
{
  static const char json[] = "{\"end\": true}";
  const TlMessagePart part = { json, strlen (json) };
  TlMessage message;
  g_assert_true (tl_parse_json (&part, 1, &message, NULL));
  tl_track_take (track, &message, 0);
}

static TlStreamEvent
assert_next (TlTrack *track, TlStreamEventType type)
{
  TlStreamEvent event;
  g_assert_true (tl_track_next (track, &event));
  g_assert_cmpint (event.type, ==, type);
  return event;
}

static void
assert_none (TlTrack *track)
{
  TlStreamEvent event;
  g_assert_false (tl_track_next (track, &event));
}

static void
assert_frame (TlTrack *track, TlFrameKind kind, size_t number)
{
  const TlStreamEvent event = assert_next (track, TL_STREAM_FRAME);
  g_assert_cmpint (event.kind, ==, kind);
  g_assert_cmpuint (event.number, ==, number);
}

static void
test_std_daq (void)
{
  g_autoptr (TlTrack) track = tl_track_new ("here", NULL, NULL);
  take (track, STD_DAQ, 12);
  assert_next (track, TL_STREAM_SCAN);
  const TlStreamScan *scan = tl_track_get_scan (track);
  g_assert_cmpuint (scan->n_rows, ==, 2);
  g_assert_cmpuint (scan->n_cols, ==, 3);
  g_assert_cmpint (scan->type, ==, TL_SAMPLE_U16);
  const TlStreamEvent event = assert_next (track, TL_STREAM_FRAME);
  static const guint16 want[] = { 1, 2, 3, 4, 5, 262 };
  g_assert_cmpmem (event.pixels, sizeof want, want, sizeof want);
  g_assert_cmpint (event.kind, ==, TL_FRAMES_FLATS);
  g_assert_cmpuint (event.number, ==, 7);
  g_assert_true (isnan (event.angle_deg));
}

/* What tomolens-pva adds to std_daq; the user's angles replace it. */
static void
test_angle (void)
{
  static const char json[] =
      "{\"frame\": 1, \"shape\": [2, 3], \"type\": \"uint16\", "
      "\"image_attributes\": {\"scan_index\": 2, \"angle_deg\": 12.5}}";
  const TlStreamOptions options = { .n_expected[TL_FRAMES_PROJECTIONS] = 3,
                                    .has_angles = TRUE,
                                    .angles_deg = { 10, 50 } };
  for (int is_given = 0; is_given < 2; is_given++)
    {
      g_autoptr (TlTrack) track =
          tl_track_new ("here", is_given ? &options : NULL, NULL);
      take (track, json, 12);
      assert_next (track, TL_STREAM_SCAN);
      const TlStreamEvent event = assert_next (track, TL_STREAM_FRAME);
      g_assert_cmpfloat (event.angle_deg, ==, is_given ? 30 : 12.5);
    }
}

/* The number of projections, and their angles. */
static void
test_expected (void)
{
  static const char json[] = "{\"dtype\": \"uint8\", \"shape\": [2, 3], "
                             "\"frame\": %d}";
  const TlStreamOptions options = { .n_expected[TL_FRAMES_PROJECTIONS] = 3,
                                    .has_angles = TRUE,
                                    .angles_deg = { 10, 50 } };
  g_autoptr (GError) error = NULL;
  g_autoptr (TlTrack) track = tl_track_new ("here", &options, &error);
  g_assert_no_error (error);
  for (int scan = 1; scan <= 2; scan++)
    {
      static const int order[] = { 0, 2, 1 };
      for (int k = 0; k < 3; k++)
        {
          g_autofree char *text = g_strdup_printf (json, order[k]);
          take (track, text, 6);
          /* a frame 0 that comes again waits for the next one */
          const int first = scan == 2 && k == 1 ? 0 : k;
          if (scan == 2 && k == 0)
            {
              assert_none (track);
              continue;
            }
          if (first == 0)
            assert_next (track, TL_STREAM_SCAN);
          for (int i = first; i <= k; i++)
            {
              const TlStreamEvent event = assert_next (track, TL_STREAM_FRAME);
              g_assert_cmpuint (event.number, ==, (size_t)order[i]);
              g_assert_cmpfloat (event.angle_deg, ==, 10 + 20 * order[i]);
            }
        }
      assert_next (track, TL_STREAM_END);
      const TlStreamScan *is = tl_track_get_scan (track);
      g_assert_cmpuint (is->serial, ==, scan);
      g_assert_cmpuint (is->n_projections, ==, 3);
      g_assert_cmpfloat (is->angles_deg[2], ==, 50);
    }
  g_autofree char *text = g_strdup_printf (json, 3);
  take (track, text, 6);
  const TlStreamEvent event = assert_next (track, TL_STREAM_TROUBLE);
  g_assert_nonnull (strstr (event.text, "number 3"));
  assert_none (track);
  g_assert_cmpuint (tl_track_get_counts (track)->n_malformed, ==, 1);
}

static void
test_expected_wrong (void)
{
  static const struct
  {
    const char *text;
    int code;
  } cases[] = { { "0\n1\n", TL_ERROR_SHAPE },
                { "0\nnan\n2\n", TL_ERROR_ANGLES },
                { "none", TL_ERROR_ANGLES } };
  g_autofree char *path = NULL;
  const int fd = g_file_open_tmp ("angles-XXXXXX", &path, NULL);
  g_assert_cmpint (fd, >=, 0);
  close (fd);
  TlStreamOptions options = { .n_expected[TL_FRAMES_PROJECTIONS] = 3,
                              .angles_file = path };
  for (size_t k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      g_autoptr (GError) error = NULL;
      g_assert_true (g_file_set_contents (path, cases[k].text, -1, NULL));
      g_assert_null (tl_track_new ("here", &options, &error));
      g_assert_error (error, TL_ERROR, cases[k].code);
    }
  g_assert_true (g_file_set_contents (path, "0 1 2", -1, NULL));
  options.n_expected[TL_FRAMES_PROJECTIONS] = 0;
  g_autoptr (TlTrack) track = tl_track_new ("here", &options, NULL);
  take (track, CONCERT, 6);
  g_assert_cmpuint (tl_track_get_scan (track)->n_projections, ==, 3);
  g_remove (path);
}

static void
take_series (TlTrack *track, TlFrameKind kind, size_t n)
{
  for (size_t k = 0; k < n; k++)
    {
      take (track, CONCERT, 6);
      if (kind == TL_FRAMES_DARKS && k == 0)
        assert_next (track, TL_STREAM_SCAN);
      assert_frame (track, kind, k);
    }
  take_end (track);
}

/* Frames are counted here, and the user says what they are; each series is
 * closed, and the last one ends the scan. */
static void
test_concert (void)
{
  TlStreamOptions options = { .n_expected[TL_FRAMES_PROJECTIONS] = 3 };
  g_assert_true (
      tl_stream_options_take_kinds (&options, "dark,projection,flat"));
  g_autoptr (TlTrack) track = tl_track_new ("here", &options, NULL);
  take_end (track); /* of what came before this program */
  assert_none (track);
  for (guint scan = 1; scan <= 2; scan++)
    {
      take_series (track, TL_FRAMES_DARKS, 2);
      assert_none (track);
      take_series (track, TL_FRAMES_PROJECTIONS, 3);
      assert_none (track);
      take_series (track, TL_FRAMES_FLATS, 1);
      assert_next (track, TL_STREAM_END);
      take_end (track);
      assert_none (track);
      g_assert_cmpuint (tl_track_get_scan (track)->serial, ==, scan);
    }
}

/* Without a word of the user, each series is a scan of projections. */
static void
test_concert_alone (void)
{
  g_autoptr (TlTrack) track = tl_track_new ("here", NULL, NULL);
  for (guint scan = 1; scan <= 2; scan++)
    {
      take (track, CONCERT, 6);
      assert_next (track, TL_STREAM_SCAN);
      assert_frame (track, TL_FRAMES_PROJECTIONS, 0);
      take_end (track);
      assert_next (track, TL_STREAM_END);
      g_assert_cmpuint (tl_track_get_scan (track)->serial, ==, scan);
    }
}

/* As Concert does it: NumPy's fliplr, and then rot90. */
static void
test_orientation (void)
{
  static const struct
  {
    const char *says;
    size_t n_rows, n_cols;
    guint16 want[6];
  } cases[] = {
    { "\"mirror\": true", 2, 3, { 3, 2, 1, 6, 5, 4 } },
    { "\"rotate\": 1", 3, 2, { 3, 6, 2, 5, 1, 4 } },
    { "\"rotate\": 2", 2, 3, { 6, 5, 4, 3, 2, 1 } },
    { "\"rotate\": 3", 3, 2, { 4, 1, 5, 2, 6, 3 } },
    { "\"rotate\": -1", 3, 2, { 4, 1, 5, 2, 6, 3 } },
    { "\"rotate\": 4, \"mirror\": false", 2, 3, { 1, 2, 3, 4, 5, 6 } },
    { "\"rotate\": 1, \"mirror\": true", 3, 2, { 1, 4, 2, 5, 3, 6 } },
    { "\"rotate\": 2, \"mirror\": true", 2, 3, { 4, 5, 6, 1, 2, 3 } },
    { "\"rotate\": 3, \"mirror\": true", 3, 2, { 6, 3, 5, 2, 4, 1 } },
  };
  for (size_t k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      g_autoptr (TlTrack) track = tl_track_new ("here", NULL, NULL);
      g_autofree char *json = g_strdup_printf (
          "{\"dtype\": \"uint16\", \"shape\": [2, 3], %s}", cases[k].says);
      take (track, json, 12);
      assert_next (track, TL_STREAM_SCAN);
      const TlStreamScan *scan = tl_track_get_scan (track);
      g_assert_cmpuint (scan->n_rows, ==, cases[k].n_rows);
      g_assert_cmpuint (scan->n_cols, ==, cases[k].n_cols);
      const TlStreamEvent event = assert_next (track, TL_STREAM_FRAME);
      const guint16 *got = event.pixels;
      for (size_t i = 0; i < 6; i++)
        g_assert_cmpuint (got[i] % 256, ==, cases[k].want[i]);
    }
}

#ifdef TL_HAVE_BLOSC
/* Odin's frames; what is damaged is left out. */
static void
test_packed (void)
{
  static const char json[] =
      "{\"frame_num\": 0, \"dtype\": \"uint16\", \"compression\": "
      "\"blosc\", \"shape\": [\"40\", \"50\"], \"rotate\": %d}";
  enum
  {
    N = 2000
  };
  guint16 frame[N];
  guint8 packed[2 * N + BLOSC_MAX_OVERHEAD];
  for (int k = 0; k < N; k++)
    frame[k] = (guint16)(k * k % 1009);
  const int n =
      blosc_compress_ctx (5, BLOSC_SHUFFLE, sizeof *frame, sizeof frame, frame,
                          packed, sizeof packed, "lz4", 0, 1);
  g_assert_cmpint (n, >, 0);
  for (int rotate = 0; rotate <= 2; rotate += 2)
    {
      g_autofree char *text = g_strdup_printf (json, rotate);
      g_autoptr (TlTrack) track = tl_track_new ("here", NULL, NULL);
      const TlMessagePart parts[] = { { text, strlen (text) },
                                      { packed, (size_t)n } };
      TlMessage message;
      g_assert_true (tl_parse_json (parts, 2, &message, NULL));
      tl_track_take (track, &message, 0);
      assert_next (track, TL_STREAM_SCAN);
      const TlStreamEvent event = assert_next (track, TL_STREAM_FRAME);
      const guint16 *got = event.pixels;
      for (int k = 0; k < N; k++)
        g_assert_cmpuint (got[rotate == 0 ? k : N - 1 - k], ==, frame[k]);
      for (size_t cut = 0; cut < (size_t)n; cut++)
        {
          g_autofree guint8 *part = g_memdup2 (packed, cut);
          const TlMessagePart wrong[] = { parts[0], { part, cut } };
          g_assert_false (tl_parse_json (wrong, 2, &message, NULL));
        }
    }
  /* Damage inside is found when it is unpacked. */
  g_autoptr (TlTrack) track = tl_track_new ("here", NULL, NULL);
  g_autofree char *text = g_strdup_printf (json, 0);
  for (int k = 0; k < 2000; k++)
    {
      g_autofree guint8 *part = g_memdup2 (packed, (gsize)n);
      part[g_test_rand_int_range (16, n)] = (guint8)g_test_rand_int ();
      const TlMessagePart wrong[] = { { text, strlen (text) },
                                      { part, (size_t)n } };
      TlMessage message;
      g_autoptr (GError) error = NULL;
      if (tl_parse_json (wrong, 2, &message, &error))
        tl_track_take (track, &message, 0);
      else
        tl_track_refuse (track, error);
    }
  g_assert_cmpuint (tl_track_get_counts (track)->n_malformed, >, 0);
}
#endif

static void
test_odin (void)
{
  g_autoptr (TlTrack) track = tl_track_new ("here", NULL, NULL);
  g_autofree char *other = g_strdup (ODIN);
  take (track, ODIN, 6);
  assert_next (track, TL_STREAM_SCAN);
  assert_frame (track, TL_FRAMES_PROJECTIONS, 5);
  *strstr (other, "a1") = 'b';
  take (track, other, 6);
  assert_next (track, TL_STREAM_SCAN);
  assert_frame (track, TL_FRAMES_PROJECTIONS, 5);
  g_assert_cmpuint (tl_track_get_scan (track)->serial, ==, 2);
}

/* A scan seems to begin anew, and the second frame has smaller samples: it must
 * not be taken for one of that scan, whose pixels would be read beyond its end.
 */
static void
test_again_smaller (void)
{
  static const char format[] = "{\"frame\": %d, \"shape\": [2, 3], "
                               "\"type\": \"%s\"}";
  static const struct
  {
    int number;
    const char *type;
    size_t n_bytes;
  } frames[] = { { 0, "uint16", 12 },
                 { 1, "uint16", 12 },
                 { 2, "uint16", 12 },
                 { 0, "uint16", 12 },
                 { 1, "uint8", 6 } };
  g_autoptr (TlTrack) track = tl_track_new ("here", NULL, NULL);
  for (size_t k = 0; k < G_N_ELEMENTS (frames); k++)
    {
      TlStreamEvent event;
      g_autofree char *json =
          g_strdup_printf (format, frames[k].number, frames[k].type);
      take (track, json, frames[k].n_bytes);
      while (tl_track_next (track, &event))
        if (event.type == TL_STREAM_FRAME)
          g_assert_cmpuint (k, <, 3);
    }
}

static void
test_types (void)
{
  static const struct
  {
    const char *name;
    TlSampleType type;
    guint16 first; /* as uint16, where it has that size */
  } cases[] = {
    { "int8", TL_SAMPLE_I8, 0 },     { "|u1", TL_SAMPLE_U8, 0 },
    { "<u2", TL_SAMPLE_U16, 1 },     { ">u2", TL_SAMPLE_U16, 256 },
    { "int16", TL_SAMPLE_I16, 1 },   { "uint32", TL_SAMPLE_U32, 0 },
    { "<i4", TL_SAMPLE_I32, 0 },     { "float32", TL_SAMPLE_F32, 0 },
    { "float64", TL_SAMPLE_F64, 0 }, { "float", TL_SAMPLE_F32, 0 },
  };
  for (size_t k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      g_autoptr (TlTrack) track = tl_track_new ("here", NULL, NULL);
      g_autofree char *json = g_strdup_printf (
          "{\"dtype\": \"%s\", \"shape\": [2, 3]}", cases[k].name);
      take (track, json, 6 * tl_sample_size (cases[k].type));
      assert_next (track, TL_STREAM_SCAN);
      const TlStreamEvent event = assert_next (track, TL_STREAM_FRAME);
      g_assert_cmpint (tl_track_get_scan (track)->type, ==, cases[k].type);
      if (cases[k].first > 0)
        g_assert_cmpuint (*(const guint16 *)event.pixels, ==, cases[k].first);
    }
}

static void
test_refused (void)
{
  static const struct
  {
    const char *json;
    int code;
    const char *says;
  } cases[] = {
    { "", TL_ERROR_FORMAT, "no JSON object" },
    { "[]", TL_ERROR_FORMAT, "no JSON object" },
    { "{\"shape\": [2", TL_ERROR_FORMAT, "no JSON object" },
    { "{\"dtype\": \"\xff\"}", TL_ERROR_FORMAT, "no JSON object" },
    { "{}", TL_ERROR_UNSUPPORTED, "\"type\": nothing; it needs the type" },
    { "{\"dtype\": 7, \"shape\": [2, 3]}", TL_ERROR_UNSUPPORTED,
      "\"dtype\": 7;" },
    { "{\"dtype\": \"<\", \"shape\": [2, 3]}", TL_ERROR_UNSUPPORTED, "\"<\"" },
    { "{\"dtype\": \"uint8\"}", TL_ERROR_SHAPE,
      "\"shape\": nothing; it needs two whole numbers, [rows, columns]" },
    { "{\"dtype\": \"uint8\", \"shape\": [2, 3, 1]}", TL_ERROR_SHAPE,
      "[2,3,1]" },
    { "{\"dtype\": \"uint8\", \"shape\": [2, 3.5]}", TL_ERROR_SHAPE,
      "[2,3.5]" },
    { "{\"dtype\": \"uint8\", \"shape\": [-2, 3]}", TL_ERROR_SHAPE, "[-2,3]" },
    { "{\"dtype\": \"uint8\", \"shape\": [2, 1e300]}", TL_ERROR_SHAPE, "[2,1" },
    { "{\"dtype\": \"uint8\", \"shape\": [\"2\", \"x\"]}", TL_ERROR_SHAPE,
      "[\"2\",\"x\"]" },
    { "{\"dtype\": \"uint8\", \"shape\": [0, 3]}", TL_ERROR_SHAPE,
      "0 rows and 3 columns" },
    { "{\"dtype\": \"uint8\", \"shape\": [65536, 65536]}", TL_ERROR_SHAPE,
      "at most 268435456 pixels" },
    { "{\"dtype\": \"uint8\", \"shape\": [2, 4]}", TL_ERROR_SHAPE,
      "6 bytes of pixels; it needs 8" },
    { "{\"dtype\": \"uint8\", \"shape\": [2, 3], \"frame\": -1}",
      TL_ERROR_VALUE, "\"frame\": -1; it needs a whole number" },
    { "{\"dtype\": \"uint8\", \"shape\": [2, 3], \"frame_num\": {}}",
      TL_ERROR_VALUE, "\"frame_num\": {}" },
    { "{\"dtype\": \"uint8\", \"shape\": [2, 3], \"image_attributes\": "
      "{\"scan_index\": 3}}",
      TL_ERROR_VALUE, "\"scan_index\": 3; it needs 0 for a dark field" },
    { "{\"dtype\": \"uint8\", \"shape\": [2, 3], \"image_attributes\": "
      "{\"angle_deg\": \"east\"}}",
      TL_ERROR_VALUE, "\"angle_deg\": \"east\"; it needs a number of degrees" },
    { "{\"dtype\": \"uint8\", \"shape\": [2, 3], \"image_attributes\": "
      "{\"note\": \"NaN, [\\\"\", \"angle_deg\": NaN}}",
      TL_ERROR_FORMAT, "a message says \"angle_deg\": NaN, which is no JSON" },
    { "{\"x\": [-Infinity]}", TL_ERROR_FORMAT, "says -Infinity, which" },
    { "{\"x\": \"NaN", TL_ERROR_FORMAT, "no JSON object" },
    { "{\"dtype\": \"uint8\", \"shape\": [2, 3], \"rotate\": 0.5}",
      TL_ERROR_VALUE, "\"rotate\": 0.5; it needs a whole number" },
    { "{\"dtype\": \"uint8\", \"shape\": [2, 3], \"rotate\": 1e300}",
      TL_ERROR_VALUE, "quarter turns" },
    { "{\"dtype\": \"uint8\", \"shape\": [2, 3], \"compression\": \"BSLZ4\"}",
      TL_ERROR_UNSUPPORTED, "with BSLZ4" },
  };
  for (size_t k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      g_autoptr (GError) error = NULL;
      g_autofree void *kept = NULL;
      TlMessage message;
      g_assert_false (parse (cases[k].json, strlen (cases[k].json), 6, &message,
                             &kept, &error));
      g_assert_error (error, TL_ERROR, cases[k].code);
      if (strstr (error->message, cases[k].says) == NULL)
        g_error ("%s: \"%s\" does not say \"%s\"", cases[k].json,
                 error->message, cases[k].says);
    }
}

static void
test_parts (void)
{
  const TlMessagePart parts[] = { { CONCERT, strlen (CONCERT) },
                                  { pixels, 6 },
                                  { pixels, 6 } };
  static const char *const says[] = { "1 part; a frame", NULL, "3 parts; a" };
  for (size_t n = 1; n <= G_N_ELEMENTS (parts); n++)
    {
      g_autoptr (GError) error = NULL;
      TlMessage message;
      g_assert_cmpint (tl_parse_json (parts, n, &message, &error), ==, n == 2);
      if (n != 2)
        g_assert_nonnull (strstr (error->message, says[n - 1]));
    }
}

/* Lists in lists would be as many calls in calls. */
static void
test_deep (void)
{
  enum
  {
    DEEP = 60000
  };
  g_autofree char *deep = g_strnfill (DEEP, '[');
  g_autofree char *json = g_strconcat ("{\"a\": ", deep, NULL);
  g_autofree char *text = g_strconcat ("{\"a\": \"", deep,
                                       "\", \"dtype\": \"uint8\", \"shape\": "
                                       "[2, 3]}",
                                       NULL);
  g_autofree char *large = g_strnfill (1 << 20, ' ');
  TlMessage message;
  void *bytes;
  g_assert_false (parse (json, strlen (json), 6, &message, &bytes, NULL));
  g_free (bytes);
  g_assert_true (parse (text, strlen (text), 6, &message, &bytes, NULL));
  g_free (bytes);
  memcpy (large, CONCERT, strlen (CONCERT));
  g_assert_false (parse (large, 1 << 20, 6, &message, &bytes, NULL));
  g_free (bytes);
}

/* Changes a few bytes to what JSON is made of, or to anything. */
static GString *
mutate (const char *json)
{
  static const char marks[] = "{}[]\",:0-9.eE\\ntu";
  GString *text = g_string_new (json);
  const int n_changes = g_test_rand_int_range (0, 4);
  for (int change = 0; change < n_changes && text->len > 0; change++)
    {
      const gsize at = (gsize)g_test_rand_int_range (0, (gint32)text->len);
      const char mark =
          marks[g_test_rand_int_range (0, (gint32)strlen (marks))];
      switch (g_test_rand_int_range (0, 5))
        {
        case 0:
          text->str[at] = (char)g_test_rand_int_range (0, 256);
          break;
        case 1:
          g_string_erase (text, (gssize)at, 1);
          break;
        case 2:
          g_string_insert_c (text, (gssize)at, mark);
          break;
        case 3:
          g_string_truncate (text, at);
          break;
        default:
          text->str[at] = mark;
          break;
        }
    }
  return text;
}

static void
test_chance (void)
{
  static const char *const valid[] = { STD_DAQ, CONCERT, ODIN };
  static const size_t n_bytes[] = { 12, 6, 6 };
  g_autoptr (TlTrack) track = tl_track_new ("here", NULL, NULL);
  size_t n_frames = 0;
  for (int k = 0; k < 20000; k++)
    {
      const int which = g_test_rand_int_range (0, G_N_ELEMENTS (valid));
      GString *text = mutate (valid[which]);
      g_autoptr (GError) error = NULL;
      g_autofree void *kept = NULL;
      TlMessage message;
      TlStreamEvent event;
      if (parse (text->str, text->len, n_bytes[which], &message, &kept, &error))
        tl_track_take (track, &message, 0);
      else
        tl_track_refuse (track, error);
      while (tl_track_next (track, &event))
        n_frames += event.type == TL_STREAM_FRAME;
      g_string_free (text, TRUE);
    }
  g_assert_cmpuint (n_frames, >, 1000);
  g_assert_cmpuint (tl_track_get_counts (track)->n_malformed, >, 1000);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (tl_parse_json_get_missing () != NULL)
    {
      g_print ("1..0 # SKIP built without %s\n", tl_parse_json_get_missing ());
      return 0;
    }
  g_test_add_func ("/json-frames/std-daq", test_std_daq);
  g_test_add_func ("/json-frames/angle", test_angle);
  g_test_add_func ("/json-frames/expected", test_expected);
  g_test_add_func ("/json-frames/expected/wrong", test_expected_wrong);
  g_test_add_func ("/json-frames/concert", test_concert);
  g_test_add_func ("/json-frames/concert/alone", test_concert_alone);
  g_test_add_func ("/json-frames/orientation", test_orientation);
#ifdef TL_HAVE_BLOSC
  g_test_add_func ("/json-frames/packed", test_packed);
#endif
  g_test_add_func ("/json-frames/odin", test_odin);
  g_test_add_func ("/json-frames/again-smaller", test_again_smaller);
  g_test_add_func ("/json-frames/types", test_types);
  g_test_add_func ("/json-frames/refused", test_refused);
  g_test_add_func ("/json-frames/parts", test_parts);
  g_test_add_func ("/json-frames/deep", test_deep);
  g_test_add_func ("/json-frames/chance", test_chance);
  return g_test_run ();
}
