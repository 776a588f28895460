/* Rates of the two ends of an export alone: bench-export SCAN BLOCK_ROWS VOLUME
 * ENGINE reads the scan in blocks, as an export with the engine does, then
 * writes as many slices to a new volume, with 1, 2, 4 ... threads, each time a
 * sixth of them. Prints JSON.
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

static gboolean
read_scan (TlReader *reader, size_t block_rows, const char *engine,
           double *seconds, GError **error)
{
  const TlScanInfo *info = tl_reader_get_info (reader);
  g_autoptr (TlRows) rows = tl_rows_new (info, block_rows, 0, error);
  if (rows == NULL)
    return FALSE;
  const gint64 start_us = g_get_monotonic_time ();
  const TlDecoding *decoding = &info->decoding;
  if (decoding->can_ascend)
    tl_reader_ascend (reader);
  else
    tl_reader_set_budget (reader, decoding->fields_bytes
                                      + info->n_rows * decoding->row_bytes);
  tl_rows_inflate_on_device (reader, engine, FALSE);
  tl_rows_pin (rows, info, engine);
  for (size_t row = 0; row < info->n_rows; row += block_rows)
    if (!tl_rows_read (rows, reader, NULL, row,
                       MIN (block_rows, info->n_rows - row), 0, 1, NULL, error))
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

/* @rates: (out caller-allocates): [N_WRITERS], slices/s */
static gboolean
write_volume (const char *path, const TlVolumeInfo *info, double *rates,
              GError **error)
{
  const size_t n = info->n_rows * info->n_cols;
  g_autofree float *pixels = g_new (float, N_SLICES *n);
  g_autoptr (TlVolume) volume = tl_volume_new (path, info, error);
  for (size_t i = 0; i < N_SLICES * n; i++)
    pixels[i] = (float)(i % 1021) * 1e-3f;
  for (guint k = 0; volume != NULL && k < N_WRITERS; k++)
    {
      const size_t begin = info->n_slices * k / N_WRITERS;
      const size_t end = info->n_slices * (k + 1) / N_WRITERS;
      Writing writing = { volume, begin, n, pixels };
      size_t n_done;
      const gint64 start_us = g_get_monotonic_time ();
      if (!tl_parallel_run (end - begin, 1u << k, write_slice, &writing, NULL,
                            &n_done, error))
        return FALSE;
      rates[k] = (double)n_done / get_seconds (start_us);
    }
  return volume != NULL && tl_volume_finish (volume, error);
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  double read_s, rates[N_WRITERS];
  if (argc != 5)
    {
      g_printerr ("usage: %s SCAN BLOCK_ROWS VOLUME ENGINE\n", argv[0]);
      return 2;
    }
  g_autoptr (TlReader) reader = tl_reader_open (argv[1], NULL, &error);
  const size_t block_rows = (size_t)atol (argv[2]);
  if (reader == NULL
      || !read_scan (reader, block_rows, argv[4], &read_s, &error))
    {
      g_printerr ("%s\n", error->message);
      return 1;
    }
  const TlScanInfo *info = tl_reader_get_info (reader);
  const TlVolumeInfo volume = {
    .format = tl_volume_format_from_path (argv[3]),
    .n_slices = info->n_rows,
    .n_rows = info->n_cols,
    .n_cols = info->n_cols,
    .number_step = 1,
  };
  g_print ("{\"read_s\": %.3f, \"readers\": %u", read_s,
           tl_reader_get_n_threads (reader));
  if (!write_volume (argv[3], &volume, rates, &error))
    {
      g_printerr ("%s\n", error->message);
      return 1;
    }
  for (guint k = 0; k < N_WRITERS; k++)
    g_print (", \"writing_%u\": %.1f", 1u << k, rates[k]);
  g_print ("}\n");
  return 0;
}
