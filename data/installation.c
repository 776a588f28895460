#include "data/installation.h"

#include <string.h>

#define PROGRAMS "/" TL_BINDIR

char *
tl_installation_dup_folder (const char *folder)
{
  g_autofree char *program = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *bin =
      program != NULL ? g_path_get_dirname (program) : g_strdup ("");

  if (g_path_is_absolute (folder))
    return g_strdup (folder);
  if (!g_str_has_suffix (bin, PROGRAMS))
    return g_build_filename (TL_PREFIX, folder, NULL);
  bin[strlen (bin) - strlen (PROGRAMS)] = '\0';
  return g_build_filename (G_DIR_SEPARATOR_S, bin, folder, NULL);
}
