/* How soon rows of a compressed scan are there: bench-rows SCAN BYTES
 * ENGINE ROW... reads the rows one after the other, as the window does with the
 * engine, keeping decoded rows in so many bytes. Prints for each the seconds
 * until it is there of each 8th projection, unless it is in memory, and of all.
 */
#include "app/recon/rows.h"
#include "data/read/reader.h"

#include <stdlib.h>

#define EVERY 8

static double
count_s (gint64 start_us)
{
  return (double)(g_get_monotonic_time () - start_us) / 1e6;
}

static gboolean
read_row (TlReader *reader, size_t row, void *samples, GError **error)
{
  const gint64 start_us = g_get_monotonic_time ();
  guint every = EVERY;
  if (!tl_reader_read_part (reader, row, 1, &every, 0, samples, NULL, error))
    return FALSE;
  g_print ("row %zu:", row);
  if (every > 1)
    {
      g_print (" each %uth projection after %.3f s,", every,
               count_s (start_us));
      if (!tl_reader_read (reader, row, 1, samples, NULL, error))
        return FALSE;
    }
  g_print (" all after %.3f s\n", count_s (start_us));
  return TRUE;
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TlReader) reader =
      argc > 4 ? tl_reader_open (argv[1], NULL, &error) : NULL;
  if (reader == NULL)
    {
      g_printerr ("%s\n", error != NULL
                              ? error->message
                              : "usage: bench-rows SCAN BYTES ENGINE ROW...");
      return 1;
    }
  const TlScanInfo *info = tl_reader_get_info (reader);
  g_autofree char *samples = g_malloc (info->n_projections * info->n_cols
                                       * tl_sample_size (info->type));
  tl_reader_browse (reader, g_ascii_strtoull (argv[2], NULL, 10));
  tl_rows_inflate_on_device (reader, argv[3], FALSE);
  for (int k = 4; k < argc; k++)
    if (!read_row (reader, strtoul (argv[k], NULL, 10), samples, &error))
      {
        g_printerr ("%s\n", error->message);
        return 1;
      }
  return 0;
}
