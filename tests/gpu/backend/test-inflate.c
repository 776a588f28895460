/* Inflating on a device, against what was compressed by GIO. */
#include "tests/support/engines.h"

#include "data/array.h"

#include <gio/gio.h>
#include <string.h>

enum
{
  N_STREAMS = 300, /* more than one launch takes */
  N_BYTES = 150000,
  N_KINDS = 6
};

typedef struct
{
  TlInflater *inflater;
  guint8 *plain; /* [N_STREAMS][N_BYTES] */
  GBytes *stored[N_STREAMS];
  guint64 stored_bytes[N_STREAMS];
  size_t broken; /* a stream that cannot be read; N_STREAMS: none */
} Fixture;

/* Bytes that are compressed in different ways: noise is stored, counts are
 * mostly literals, what repeats itself is copied from near and far. */
static void
fill (guint8 *bytes, guint kind, GRand *rand)
{
  for (size_t k = 0; k < N_BYTES; k++)
    {
      const int any = g_rand_int_range (rand, 0, 256);
      const gboolean is_new = any < 8 || k < 32768;
      switch (kind)
        {
        case 0:
          bytes[k] = (guint8)any;
          break;
        case 1:
          bytes[k] = (guint8)(k % 2 == 0 ? any / 2 : 3);
          break;
        case 2:
          bytes[k] = 7;
          break;
        case 3:
          bytes[k] =
              is_new ? (guint8)(any % 5) : bytes[k - 1 - (size_t)any % 250];
          break;
        case 4:
          bytes[k] = is_new ? (guint8)any : bytes[k - 32768 + (size_t)any % 2];
          break;
        default:
          bytes[k] = (guint8)(k * k / 1000);
        }
    }
}

/* Appends what becomes of [@n] bytes to @stored until @end comes. */
static void
compress (GConverter *compressor, const guint8 *bytes, gsize n,
          GConverterFlags flags, GConverterResult end, GByteArray *stored)
{
  GConverterResult result = G_CONVERTER_CONVERTED;
  for (gsize n_read = 0, n_written = 0; result != end; bytes += n_read)
    {
      guint8 piece[4096];
      GError *error = NULL;
      n -= n_read;
      result = g_converter_convert (compressor, bytes, n, piece, sizeof piece,
                                    flags, &n_read, &n_written, &error);
      g_assert_no_error (error);
      g_byte_array_append (stored, piece, (guint)n_written);
    }
}

/* With an empty block in the middle, as where a writer has flushed. */
static GBytes *
deflate (const guint8 *bytes, int level)
{
  g_autoptr (GZlibCompressor) compressor =
      g_zlib_compressor_new (G_ZLIB_COMPRESSOR_FORMAT_ZLIB, level);
  GByteArray *stored = g_byte_array_new ();
  const gsize n_first = N_BYTES / 2;
  compress (G_CONVERTER (compressor), bytes, n_first, G_CONVERTER_FLUSH,
            G_CONVERTER_FLUSHED, stored);
  compress (G_CONVERTER (compressor), bytes + n_first, N_BYTES - n_first,
            G_CONVERTER_INPUT_AT_END, G_CONVERTER_FINISHED, stored);
  return g_byte_array_free_to_bytes (stored);
}

static Fixture *
set_up (gconstpointer data)
{
  Fixture *fixture = g_new0 (Fixture, 1);
  g_autoptr (GRand) rand = g_rand_new_with_seed (5);
  fixture->inflater = tl_engine_open_inflater (
      tl_engine_get_name (tl_test_get_engine (data)), FALSE);
  g_assert_nonnull (fixture->inflater);
  fixture->plain = g_malloc ((gsize)N_STREAMS * N_BYTES);
  fixture->broken = N_STREAMS;
  for (guint k = 0; k < N_STREAMS; k++)
    {
      guint8 *plain = fixture->plain + (gsize)k * N_BYTES;
      fill (plain, k % N_KINDS, rand);
      fixture->stored[k] = deflate (plain, (int)(k / N_KINDS % 10));
      fixture->stored_bytes[k] = g_bytes_get_size (fixture->stored[k]);
    }
  return fixture;
}

static void
tear_down (Fixture *fixture)
{
  fixture->inflater->free (fixture->inflater);
  for (guint k = 0; k < N_STREAMS; k++)
    g_bytes_unref (fixture->stored[k]);
  g_free (fixture->plain);
  g_free (fixture);
}

/* Streams from N_STREAMS on are the same again. */
static gboolean
read_stored (gpointer data, size_t number, guint64 offset, size_t n, void *dest)
{
  const Fixture *fixture = data;
  const size_t stream = number % N_STREAMS;
  if (stream == fixture->broken)
    return FALSE;
  g_assert_cmpuint (offset + n, <=, fixture->stored_bytes[stream]);
  memcpy (dest,
          (const guint8 *)g_bytes_get_data (fixture->stored[stream], NULL)
              + offset,
          n);
  return TRUE;
}

/* Returns: whether the bytes could be inflated; they are right then */
static gboolean
inflate (Fixture *fixture, size_t first, size_t n, guint64 first_byte,
         size_t n_bytes)
{
  g_autofree char *dest = g_malloc (n * n_bytes);
  const size_t stream = first % N_STREAMS;
  const TlInflaterRequest request = {
    .first = first,
    .n = n,
    .bytes = N_BYTES,
    .stored_bytes = fixture->stored_bytes + stream,
    .first_byte = first_byte,
    .n_bytes = n_bytes,
    .dest = dest,
    .stride = n_bytes,
    .read = read_stored,
    .data = fixture,
  };
  memset (dest, 0xaa, n * n_bytes);
  if (!fixture->inflater->inflate (fixture->inflater, &request))
    return FALSE;
  for (size_t k = 0; k < n; k++)
    g_assert_cmpmem (dest + k * n_bytes, n_bytes,
                     fixture->plain + (stream + k) * N_BYTES + first_byte,
                     n_bytes);
  return TRUE;
}

static void
test_whole (gconstpointer data)
{
  Fixture *fixture = set_up (data);
  g_assert_true (inflate (fixture, 0, N_STREAMS, 0, N_BYTES));
  tear_down (fixture);
}

/* Each request goes on where the last one ended, behind it, or before it. */
static void
test_pieces (gconstpointer data)
{
  Fixture *fixture = set_up (data);
  g_autoptr (GRand) rand = g_rand_new_with_seed (6);
  for (int round = 0; round < 3; round++)
    for (guint64 first = 0, end; first < N_BYTES; first = end)
      {
        const size_t most = N_BYTES - (size_t)first;
        const size_t n = (size_t)g_rand_int_range (rand, 1, 40000);
        end = first + MIN (n, most);
        g_assert_true (
            inflate (fixture, 0, N_STREAMS, first, (size_t)(end - first)));
        end = MIN (end + (guint64)(round == 1 ? n / 3 : 0), N_BYTES);
      }
  g_assert_true (inflate (fixture, 100, 150, 77777, 1));
  g_assert_true (inflate (fixture, 100, 150, 77777, 1));
  g_assert_true (inflate (fixture, 0, N_STREAMS, 77776, 3));
  tear_down (fixture);
}

typedef struct
{
  Fixture *fixture;
  size_t first;
} Part;

static gpointer
inflate_part (gpointer data)
{
  const Part *part = data;
  for (guint64 first = 0; first < N_BYTES; first += N_BYTES / 10)
    g_assert_true (
        inflate (part->fixture, part->first, 30, first, N_BYTES / 10));
  return NULL;
}

static void
test_threads (gconstpointer data)
{
  Fixture *fixture = set_up (data);
  GThread *threads[N_STREAMS / 30];
  Part parts[N_STREAMS / 30];
  for (size_t k = 0; k < G_N_ELEMENTS (threads); k++)
    {
      parts[k] = (Part){ fixture, 30 * k };
      threads[k] = g_thread_new ("inflate", inflate_part, &parts[k]);
    }
  for (size_t k = 0; k < G_N_ELEMENTS (threads); k++)
    g_thread_join (threads[k]);
  tear_down (fixture);
}

/* Replaces the stored bytes of stream @k. */
static void
replace (Fixture *fixture, size_t k, const guint8 *bytes, gsize n)
{
  g_bytes_unref (fixture->stored[k]);
  fixture->stored[k] = g_bytes_new (bytes, n);
  fixture->stored_bytes[k] = n;
}

/* What is not as it should be is refused, and does not spoil what follows. */
static void
test_damaged (gconstpointer data)
{
  Fixture *fixture = set_up (data);
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);
  for (size_t k = 0; k < 120; k++)
    {
      g_autoptr (GBytes) good = g_bytes_ref (fixture->stored[k]);
      gsize n;
      const guint8 *bytes = g_bytes_get_data (good, &n);
      g_autofree guint8 *bad = g_memdup2 (bytes, n);
      const gsize place = (gsize)g_rand_int_range (rand, 0, (gint32)n);
      if (k % 3 == 0)
        n = place;
      else if (k % 3 == 1)
        bad[n - 1] ^= 1; /* the checksum */
      else
        for (gsize i = place; i < n; i++)
          bad[i] = (guint8)g_rand_int (rand);
      replace (fixture, k, bad, n);
      g_assert_false (inflate (fixture, k, 2, 0, N_BYTES));
      replace (fixture, k, bytes, g_bytes_get_size (good));
      g_assert_true (inflate (fixture, k, 2, 0, N_BYTES));
    }
  tear_down (fixture);
}

static void
test_unreadable (gconstpointer data)
{
  Fixture *fixture = set_up (data);
  fixture->broken = 17;
  g_assert_false (inflate (fixture, 0, N_STREAMS, 0, 100));
  g_assert_true (inflate (fixture, 18, 100, 0, 100));
  fixture->broken = N_STREAMS;
  g_assert_true (inflate (fixture, 0, N_STREAMS, 100, 100));
  tear_down (fixture);
}

/* The next requests are right, of the same streams and of others. */
static void
test_cancelled (gconstpointer data)
{
  Fixture *fixture = set_up (data);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_cancellable_cancel (cancellable);
  for (guint64 first = 0; first < 100000; first += 5000)
    {
      g_assert_true (inflate (fixture, 0, N_STREAMS, first, 1000));
      fixture->inflater->cancellable = cancellable;
      g_assert_false (inflate (fixture, 0, N_STREAMS, first + 2500, 1000));
      if (first > 50000)
        g_assert_false (inflate (fixture, 0, 1, first + 2500, 1000));
      fixture->inflater->cancellable = NULL;
    }
  g_assert_true (inflate (fixture, 0, N_STREAMS, 0, 1000));
  tear_down (fixture);
}

/* Other streams under the same numbers. */
static void
test_forget (gconstpointer data)
{
  Fixture *fixture = set_up (data);
  g_assert_true (inflate (fixture, 0, 2, 0, 1000));
  GBytes *first = fixture->stored[0];
  fixture->stored[0] = fixture->stored[1];
  fixture->stored[1] = first;
  for (size_t k = 0; k < 2; k++)
    fixture->stored_bytes[k] = g_bytes_get_size (fixture->stored[k]);
  g_autofree guint8 *plain = g_memdup2 (fixture->plain, N_BYTES);
  memcpy (fixture->plain, fixture->plain + N_BYTES, N_BYTES);
  memcpy (fixture->plain + N_BYTES, plain, N_BYTES);
  fixture->inflater->forget (fixture->inflater);
  g_assert_true (inflate (fixture, 0, 2, 1000, 1000));
  tear_down (fixture);
}

/* The groups that N_STREAMS belong to, and what a test takes itself. Groups
 * have memory of the host, too; of the device's others take some meanwhile. */
#define MOST_BYTES                                                             \
  (tl_inflater_count_groups (N_STREAMS) * TL_INFLATER_GROUP_HOST_BYTES         \
   + N_STREAMS * N_BYTES / 2)

static guint64
count_resident (void)
{
  return tl_read_proc_bytes ("/proc/self/status", "VmRSS:");
}

/* Streams that have ended leave their memory to others, as the chunks of the
 * rows above do to those below, and can be begun again. */
static void
test_memory (gconstpointer data)
{
  Fixture *fixture = set_up (data);
  g_assert_true (inflate (fixture, 0, N_STREAMS, 0, 1000));
  const guint64 most = count_resident () + MOST_BYTES;
  for (size_t row = 0; row < 20; row++)
    {
      for (guint64 half = 0; half < 2; half++)
        g_assert_true (inflate (fixture, row * N_STREAMS, N_STREAMS,
                                half * (N_BYTES / 2), N_BYTES / 2));
      g_assert_cmpuint (count_resident (), <, most);
    }
  g_assert_true (inflate (fixture, 0, N_STREAMS, 1000, 1000));
  g_assert_true (inflate (fixture, 19 * N_STREAMS, N_STREAMS, 1000, 1000));
  tear_down (fixture);
}

/* With a limit, streams that have not ended leave their memory to others, too.
 */
static void
test_at_once (gconstpointer data)
{
  Fixture *fixture = set_up (data);
  g_assert_true (inflate (fixture, 0, N_STREAMS, 0, 1000));
  const guint64 most = count_resident () + MOST_BYTES;
  g_autoptr (GRand) rand = g_rand_new_with_seed (8);
  fixture->inflater->n_at_once = N_STREAMS;
  for (guint k = 0; k < 40; k++)
    {
      const size_t row = (size_t)g_rand_int_range (rand, 0, 20);
      const guint64 first = (guint64)g_rand_int_range (rand, 0, N_BYTES - 1000);
      g_assert_true (
          inflate (fixture, row * N_STREAMS, N_STREAMS, first, 1000));
      g_assert_cmpuint (count_resident (), <, most);
    }
  tear_down (fixture);
}

typedef struct
{
  Fixture *fixture;
  size_t first, n;
} Rows;

static gpointer
inflate_rows (gpointer data)
{
  const Rows *rows = data;
  for (size_t row = 0; row < 20; row++)
    g_assert_true (inflate (rows->fixture, row * N_STREAMS + rows->first,
                            rows->n, 50000 * (row % 2), 1000));
  return NULL;
}

/* Threads that turn to other streams at the same time keep to the limit. */
static void
test_at_once_threads (gconstpointer data)
{
  Fixture *fixture = set_up (data);
  g_assert_true (inflate (fixture, 0, N_STREAMS, 0, 1000));
  const guint64 most = count_resident () + MOST_BYTES;
  Rows rows[] = { { fixture, 0, 80 },
                  { fixture, 80, 80 },
                  { fixture, 160, 80 },
                  { fixture, 240, 60 } };
  GThread *threads[G_N_ELEMENTS (rows)];
  fixture->inflater->n_at_once = N_STREAMS;
  for (size_t k = 0; k < G_N_ELEMENTS (rows); k++)
    threads[k] = g_thread_new ("inflate", inflate_rows, &rows[k]);
  for (size_t k = 0; k < G_N_ELEMENTS (rows); k++)
    g_thread_join (threads[k]);
  g_assert_cmpuint (count_resident (), <, most);
  tear_down (fixture);
}

static void
add_cases (TlEngine *engine)
{
  static const TlTestCase cases[] = {
    { "inflate/whole", test_whole },
    { "inflate/pieces", test_pieces },
    { "inflate/threads", test_threads },
    { "inflate/damaged", test_damaged },
    { "inflate/unreadable", test_unreadable },
    { "inflate/cancelled", test_cancelled },
    { "inflate/forget", test_forget },
    { "inflate/memory", test_memory },
    { "inflate/at-once", test_at_once },
    { "inflate/at-once-threads", test_at_once_threads },
  };
  if (g_str_equal (tl_engine_get_name (engine), "host"))
    return;
  tl_test_add_cases (engine, cases, G_N_ELEMENTS (cases));
}

int
main (int argc, char **argv)
{
  return tl_test_run_engines (argc, argv, add_cases);
}
