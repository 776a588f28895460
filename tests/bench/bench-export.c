/* Rates of the two ends of an export without what is between them:
 * bench-export SCAN BLOCK_ROWS VOLUME ENGINE [N_THREADS] reads the scan in
 * blocks, as an export with the engine does, then writes as many slices to a
 * new volume, with 1, 2, 4 ... threads, each time a sixth of them. With
 * N_THREADS it reads and writes at once, all slices with so many threads, which
 * is about what an export can reach. Prints JSON.
 */
#include "app/recon/rows.h"
#include "data/parallel.h"
#include "data/read/reader-private.h"
#include "data/read/reader.h"
#include "data/write/volume/volume.h"

#include <stdlib.h>

#define N_WRITERS 6 /* 1 … 32 threads */
#define N_SLICES 32 /* in memory: together they are in no cache */

typedef struct
{
  TlVolume *volume;
  size_t first, n_pixels;
  const float *pixels; /* [N_SLICES][n_pixels] */
} Writing;

static double
get_seconds (gint64 start_us)
{
  return (double)(g_get_monotonic_time () - start_us) / 1e6;
}

/* The arguments. */
typedef struct
{
  const char *scan;
  size_t block_rows;
  const char *volume, *engine;
  guint n_threads; /* 0: reads, then writes */
} Words;

static gboolean
read_rows (TlReader *reader, const Words *words, double *seconds,
           GError **error)
{
  const TlScanInfo *info = tl_reader_get_info (reader);
  g_autoptr (TlRows) rows = tl_rows_new (info, words->block_rows, 0, error);
  if (rows == NULL)
    return FALSE;
  const TlDecoding *decoding = &info->decoding;
  if (decoding->can_ascend)
    tl_reader_ascend (reader);
  else
    tl_reader_set_budget (reader, decoding->fields_bytes
                                      + info->n_rows * decoding->row_bytes);
  tl_rows_inflate_on_device (reader, words->engine, FALSE);
  tl_rows_pin (rows, info, words->engine);
  const gint64 start_us = g_get_monotonic_time ();
  for (size_t row = 0; row < info->n_rows; row += words->block_rows)
    if (!tl_rows_read (rows, reader, NULL, row,
                       MIN (words->block_rows, info->n_rows - row), 0, 1, NULL,
                       error))
      return FALSE;
  *seconds = get_seconds (start_us);
  return TRUE;
}

static gboolean
write_slice (gpointer data, size_t index, GError **error)
{
  const Writing *writing = data;
  return tl_volume_write (
      writing->volume, writing->first + index,
      writing->pixels + index % N_SLICES * writing->n_pixels, NULL, error);
}

/* Returns: (transfer full): [N_SLICES][rows][columns] */
static float *
make_pixels (const TlVolumeInfo *info)
{
  const size_t n = N_SLICES * info->n_rows * info->n_cols;
  float *pixels = g_new (float, n);
  for (size_t i = 0; i < n; i++)
    pixels[i] = (float)(i % 1021) * 1e-3f;
  return pixels;
}

/* Writes the slices from @begin to before @end. */
static gboolean
write_part (const Writing *writing, size_t begin, size_t end, guint n_threads,
            double *rate, GError **error)
{
  Writing part = *writing;
  size_t n_done;
  part.first = begin;
  const gint64 start_us = g_get_monotonic_time ();
  if (!tl_parallel_run (end - begin, n_threads, write_slice, &part, NULL,
                        &n_done, error))
    return FALSE;
  *rate = (double)n_done / get_seconds (start_us);
  return TRUE;
}

/* @writing: of @info
 * @rates: (out caller-allocates): [N_WRITERS], slices/s */
static gboolean
write_volume (const Writing *writing, const TlVolumeInfo *info, double *rates,
              GError **error)
{
  for (guint k = 0; k < N_WRITERS; k++)
    if (!write_part (writing, info->n_slices * k / N_WRITERS,
                     info->n_slices * (k + 1) / N_WRITERS, 1u << k, &rates[k],
                     error))
      return FALSE;
  return tl_volume_finish (writing->volume, error);
}

static gboolean
print_alone (TlReader *reader, const Words *words, const Writing *writing,
             const TlVolumeInfo *info, GError **error)
{
  double read_s, rates[N_WRITERS];
  if (!read_rows (reader, words, &read_s, error)
      || !write_volume (writing, info, rates, error))
    return FALSE;
  g_print ("{\"read_s\": %.3f, \"readers\": %u", read_s,
           tl_reader_get_n_threads (reader));
  for (guint k = 0; k < N_WRITERS; k++)
    g_print (", \"writing_%u\": %.1f", 1u << k, rates[k]);
  g_print ("}\n");
  return TRUE;
}

/* What the reading thread gets and gives. */
typedef struct
{
  TlReader *reader;
  const Words *words;
  double seconds;
  GError *error; /* (nullable) */
} Reading;

static gpointer
read_in_thread (gpointer data)
{
  Reading *reading = data;
  read_rows (reading->reader, reading->words, &reading->seconds,
             &reading->error);
  return NULL;
}

static gboolean
print_at_once (TlReader *reader, const Words *words, const Writing *writing,
               const TlVolumeInfo *info, GError **error)
{
  Reading reading = { .reader = reader, .words = words };
  double rate;
  const gint64 start_us = g_get_monotonic_time ();
  GThread *thread = g_thread_new ("read", read_in_thread, &reading);
  const gboolean good =
      write_part (writing, 0, info->n_slices, words->n_threads, &rate, error);
  const double write_s = get_seconds (start_us);
  g_thread_join (thread);
  const double both_s = get_seconds (start_us);
  if (!good || reading.error != NULL)
    {
      if (good)
        g_propagate_error (error, reading.error);
      else
        g_clear_error (&reading.error);
      return FALSE;
    }
  g_print ("{\"read_s\": %.3f, \"write_s\": %.3f, \"both_s\": %.3f}\n",
           reading.seconds, write_s, both_s);
  return tl_volume_finish (writing->volume, error);
}

static gboolean
run (const Words *words, GError **error)
{
  g_autoptr (TlReader) reader = tl_reader_open (words->scan, NULL, error);
  if (reader == NULL)
    return FALSE;
  const TlScanInfo *scan = tl_reader_get_info (reader);
  const TlVolumeInfo info = {
    .format = tl_volume_format_from_path (words->volume),
    .n_slices = scan->n_rows,
    .n_rows = scan->n_cols,
    .n_cols = scan->n_cols,
    .number_step = 1,
  };
  g_autofree float *pixels = make_pixels (&info);
  g_autoptr (TlVolume) volume = tl_volume_new (words->volume, &info, error);
  if (volume == NULL)
    return FALSE;
  const Writing writing = { volume, 0, info.n_rows * info.n_cols, pixels };
  return (words->n_threads > 0 ? print_at_once : print_alone) (
      reader, words, &writing, &info, error);
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  if (argc != 5 && argc != 6)
    {
      g_printerr ("usage: %s SCAN BLOCK_ROWS VOLUME ENGINE [N_THREADS]\n",
                  argv[0]);
      return 2;
    }
  const Words words = {
    .scan = argv[1],
    .block_rows = (size_t)atol (argv[2]),
    .volume = argv[3],
    .engine = argv[4],
    .n_threads = argc > 5 ? (guint)atoi (argv[5]) : 0,
  };
  if (run (&words, &error))
    return 0;
  g_printerr ("%s\n", error->message);
  return 1;
}
