/* write-volume FORMAT SAMPLE COMPRESSION SLICES ROWS COLS PATH: writes the made
 * volume, for readers that are not written here, and to be killed meanwhile.
 * Prints the number of each slice that is written, then "finished". */
#include "tests/data/write/volume/made-volume.h"

#include <stdio.h>
#include <stdlib.h>

static void
print_slice (size_t slice)
{
  printf ("%zu\n", slice);
  fflush (stdout);
}

int
main (int argc, char **argv)
{
  TlVolumeFormat format;
  TlVolumeSample sample;
  g_autoptr (GError) error = NULL;

  if (argc != 8 || !tl_volume_format_from_name (argv[1], &format)
      || !tl_volume_sample_from_name (argv[2], &sample))
    return 2;
  const TlVolumeInfo info =
      made_info (format, sample, atoi (argv[3]), (size_t)atoi (argv[4]),
                 (size_t)atoi (argv[5]), (size_t)atoi (argv[6]));
  g_autofree guint32 *crc32 = g_new (guint32, info.n_slices);
  g_autoptr (TlVolume) volume = tl_volume_new (argv[7], &info, &error);
  g_assert_no_error (error);
  GRand *random = g_rand_new ();
  made_write_all (
      &(MadeWork){ volume, &info, .crc32 = crc32, .told = print_slice },
      random);
  g_rand_free (random);
  tl_volume_finish (volume, &error);
  g_assert_no_error (error);
  puts ("finished");
  return 0;
}
