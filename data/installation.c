#include "data/installation.h"

#include <string.h>

#define PROGRAMS "/" TL_BINDIR

/* Returns: (transfer full): the folder of the running program */
static char *
dup_bin (void)
{
  g_autofree char *program = g_file_read_link ("/proc/self/exe", NULL);

  return program != NULL ? g_path_get_dirname (program) : g_strdup ("");
}

char *
tl_installation_dup_folder (const char *folder)
{
  g_autofree char *bin = dup_bin ();

  if (g_path_is_absolute (folder))
    return g_strdup (folder);
  if (!g_str_has_suffix (bin, PROGRAMS))
    return g_build_filename (TL_PREFIX, folder, NULL);
  bin[strlen (bin) - strlen (PROGRAMS)] = '\0';
  return g_build_filename (G_DIR_SEPARATOR_S, bin, folder, NULL);
}

char *
tl_installation_find (const char *built, const char *installed)
{
  /* of the program, and of a test of the window */
  static const char *const tops[] = { "..", "../.." };
  g_autofree char *bin = dup_bin ();

  if (g_str_has_suffix (bin, PROGRAMS))
    return tl_installation_dup_folder (installed);
  for (guint i = 0; i < G_N_ELEMENTS (tops); i++)
    {
      g_autofree char *path = g_build_filename (bin, tops[i], built, NULL);

      if (g_file_test (path, G_FILE_TEST_EXISTS))
        return g_steal_pointer (&path);
    }
  return tl_installation_dup_folder (installed);
}

char *
tl_installation_find_cli (void)
{
  return tl_installation_find ("app/tomolens-cli", TL_BINDIR "/tomolens-cli");
}
