#include "ui/desktop/language.h"

#include "data/installation.h"

#include <glib/gi18n.h>
#include <gtk/gtk.h>
#include <locale.h>

/* As in the .ui files, the desktop file and ui/po/meson.build. */
#define DOMAIN "tomolens"

/* Returns: (transfer full): folder of the catalogues: of the build if the
 * program or a test runs there, else the installed one */
static char *
find_catalogues (void)
{
  static const char *const places[] = { "po", "../../ui/po" };
  g_autofree char *program = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *bin =
      program != NULL ? g_path_get_dirname (program) : g_strdup (".");

  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    {
      g_autofree char *folder = g_build_filename (bin, places[i], NULL);

      if (g_file_test (folder, G_FILE_TEST_IS_DIR))
        return g_steal_pointer (&folder);
    }
  return tl_installation_dup_folder (TL_LOCALE_DIR);
}

void
tl_language_init (void)
{
  g_autofree char *folder = find_catalogues ();

  gtk_disable_setlocale (); /* it would set the decimal comma, too */
  setlocale (LC_ALL, "");
  setlocale (LC_NUMERIC, "C");
  bindtextdomain (DOMAIN, folder);
  bind_textdomain_codeset (DOMAIN, "UTF-8");
  textdomain (DOMAIN);
}
