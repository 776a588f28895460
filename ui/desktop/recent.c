#include "ui/desktop/recent.h"

#include <glib/gi18n.h>

#define APP_NAME "Tomolens"
#define MAX_ITEMS 10

void
tl_recent_add (const char *path)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autofree char *uri = g_file_get_uri (file);
  gboolean folder = g_file_test (path, G_FILE_TEST_IS_DIR);
  GtkRecentData data = {
    .mime_type =
        (char *)(folder ? "inode/directory" : "application/octet-stream"),
    .app_name = (char *)APP_NAME,
    .app_exec = (char *)"tomolens %u",
  };

  gtk_recent_manager_add_full (gtk_recent_manager_get_default (), uri, &data);
}

/* Doubles underscores: in a menu's label a single one marks a mnemonic. */
static char *
make_label (GtkRecentInfo *info)
{
  g_autoptr (GString) label =
      g_string_new (gtk_recent_info_get_display_name (info));

  g_string_replace (label, "_", "__", 0);
  return g_string_free (g_steal_pointer (&label), FALSE);
}

static gint
compare_newest_first (gconstpointer a, gconstpointer b)
{
  return g_date_time_compare (gtk_recent_info_get_modified ((gpointer)b),
                              gtk_recent_info_get_modified ((gpointer)a));
}

GMenu *
tl_recent_build_menu (void)
{
  GMenu *menu = g_menu_new ();
  GList *infos =
      gtk_recent_manager_get_items (gtk_recent_manager_get_default ());
  int n = 0;

  infos = g_list_sort (infos, compare_newest_first);
  for (GList *l = infos; l != NULL && n < MAX_ITEMS; l = l->next)
    {
      GtkRecentInfo *info = l->data;
      g_autoptr (GMenuItem) item = NULL;
      g_autofree char *label = NULL;

      if (!gtk_recent_info_has_application (info, APP_NAME)
          || !gtk_recent_info_exists (info))
        continue;
      label = make_label (info);
      item = g_menu_item_new (label, NULL);
      g_menu_item_set_action_and_target (item, "app.open", "s",
                                         gtk_recent_info_get_uri (info));
      g_menu_append_item (menu, item);
      n++;
    }
  g_list_free_full (infos, (GDestroyNotify)gtk_recent_info_unref);
  if (n == 0) /* an action that does not exist: greyed out */
    g_menu_append (menu, _ ("No recent scans"), "win.no-recent-scan");
  return menu;
}
