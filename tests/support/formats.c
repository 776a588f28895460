#include "tests/support/formats.h"

#include "data/read/format/formats.h"

#include <string.h>

gboolean
tl_lacks_format (const char *name)
{
  TlFormatInfo info;
  for (guint i = 0; tl_format_get_info (i, &info); i++)
    if (strcmp (info.name, name) == 0 && info.missing != NULL)
      {
        g_test_skip_printf ("the program was built without %s", info.missing);
        return TRUE;
      }
  return FALSE;
}
