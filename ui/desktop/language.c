#include "ui/desktop/language.h"

#include "data/installation.h"

#include <glib/gi18n.h>
#include <gtk/gtk.h>
#include <locale.h>

/* As in the .ui files, the desktop file and ui/po/meson.build. */
#define DOMAIN "tomolens"

void
tl_language_init (void)
{
  g_autofree char *folder = tl_installation_find ("ui/po", TL_LOCALE_DIR);

  gtk_disable_setlocale (); /* it would set the decimal comma, too */
  setlocale (LC_ALL, "");
  setlocale (LC_NUMERIC, "C");
  bindtextdomain (DOMAIN, folder);
  bind_textdomain_codeset (DOMAIN, "UTF-8");
  textdomain (DOMAIN);
}
