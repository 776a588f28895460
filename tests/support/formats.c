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

gboolean
tl_run_or_skip (const char *const *line)
{
  g_autoptr (GError) error = NULL;
  int status = 0;
  if (g_spawn_sync (NULL, (char **)line, NULL, G_SPAWN_STDOUT_TO_DEV_NULL, NULL,
                    NULL, NULL, NULL, &status, &error)
      && g_spawn_check_wait_status (status, &error))
    return TRUE;
  if (!g_error_matches (error, G_SPAWN_ERROR, G_SPAWN_ERROR_NOENT)
      && !g_error_matches (error, G_SPAWN_EXIT_ERROR, 77))
    g_assert_no_error (error);
  g_test_skip ("no Python with h5py");
  return FALSE;
}
