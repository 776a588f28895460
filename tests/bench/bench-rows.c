/* How soon rows of a compressed scan are there: bench-rows SCAN BYTES
 * ROW... reads the rows one after the other, as the window does, keeping
 * decoded rows in so many bytes. Prints the seconds that each has taken. */
#include "data/read/reader.h"

#include <stdlib.h>

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TlReader) reader =
      argc > 3 ? tl_reader_open (argv[1], NULL, &error) : NULL;
  if (reader == NULL)
    {
      g_printerr ("%s\n", error != NULL
                              ? error->message
                              : "usage: bench-rows SCAN BYTES ROW...");
      return 1;
    }
  const TlScanInfo *info = tl_reader_get_info (reader);
  g_autofree char *samples = g_malloc (info->n_projections * info->n_cols
                                       * tl_sample_size (info->type));
  tl_reader_browse (reader, g_ascii_strtoull (argv[2], NULL, 10));
  for (int k = 3; k < argc; k++)
    {
      const size_t row = strtoul (argv[k], NULL, 10);
      const gint64 start_us = g_get_monotonic_time ();
      if (!tl_reader_read (reader, row, 1, samples, NULL, &error))
        {
          g_printerr ("%s\n", error->message);
          return 1;
        }
      g_print ("row %zu: %.3f s\n", row,
               (double)(g_get_monotonic_time () - start_us) / 1e6);
    }
  return 0;
}
