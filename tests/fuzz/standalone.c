/* Runs a target over files, where libFuzzer is not there:
 *
 *   fuzz-TARGET LIMIT_S FILE...
 *
 * Prints the name of each file before it is tried, and "end" after the last. An
 * input that takes longer than LIMIT_S seconds ends the process. */
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

int
main (int argc, char **argv)
{
  g_assert_cmpint (argc, >, 2);
  const unsigned limit_s = (unsigned)g_ascii_strtoull (argv[1], NULL, 10);
  for (int i = 2; i < argc; i++)
    {
      g_autofree char *text = NULL;
      gsize size;
      g_assert_true (g_file_get_contents (argv[i], &text, &size, NULL));
      /* a block of exactly its size, so that the sanitizer sees its end */
      g_autofree guint8 *bytes = memcpy (g_malloc (MAX (size, 1)), text, size);
      puts (argv[i]);
      fflush (stdout);
      alarm (limit_s);
      LLVMFuzzerTestOneInput (bytes, size);
    }
  puts ("end");
  fflush (stdout);
  return 0;
}
