#include "ui/desktop/recent.h"

#include <glib/gi18n.h>
#include <string.h>

#define APP_NAME "Tomolens"
#define MAX_ITEMS 10
#define MAX_FOLDERS 20 /* that a name shows */

static gboolean is_ignored;

void
tl_recent_ignore (void)
{
  is_ignored = TRUE;
}

/* The places of a file are kept as groups, "key=value". GTK 4.8 ignores all of
 * them where the address of the first one ends in a byte of 0; that of a second
 * character never does, because memory begins at even addresses.
 *
 * Returns: (transfer full): each with a blank in front */
static char **
make_groups (GVariant *places)
{
  g_autoptr (GStrvBuilder) groups = g_strv_builder_new ();
  GVariantIter iter;
  const char *key, *value;

  g_variant_iter_init (&iter, places);
  while (g_variant_iter_next (&iter, "{&s&s}", &key, &value))
    {
      g_autofree char *group = g_strconcat (" ", key, "=", value, NULL);

      g_strv_builder_add (groups, group);
    }
  return g_strv_builder_end (groups);
}

void
tl_recent_add (const char *path, GVariant *places)
{
  GtkRecentManager *manager = gtk_recent_manager_get_default ();
  g_auto (GStrv) groups = make_groups (places);
  const guint n = g_strv_length (groups);
  g_autofree char **trimmed = g_new0 (char *, n + 1);
  g_autoptr (GFile) file = g_file_new_for_commandline_arg (path);
  g_autofree char *uri = g_file_get_uri (file);
  gboolean folder = g_file_test (path, G_FILE_TEST_IS_DIR);
  GtkRecentData data = {
    .mime_type =
        (char *)(folder ? "inode/directory" : "application/octet-stream"),
    .app_name = (char *)APP_NAME,
    .app_exec = (char *)"tomolens %u",
    .groups = n > 0 ? trimmed : NULL,
  };

  for (guint i = 0; i < n; i++)
    trimmed[i] = groups[i] + 1;

  if (is_ignored)
    return;
  /* otherwise groups of an earlier choice in the file would stay */
  gtk_recent_manager_remove_item (manager, uri, NULL);
  gtk_recent_manager_add_full (manager, uri, &data);
}

/* Returns: (transfer full): the last @n folders of the scan's path, "" for 0 */
static char *
dup_folders (GtkRecentInfo *info, guint n)
{
  g_autofree char *whole = gtk_recent_info_get_uri_display (info);
  g_autofree char *folder = g_path_get_dirname (whole);
  const char *tail = folder + strlen (folder);

  for (; n > 0 && tail > folder; n--)
    do
      tail--;
    while (tail > folder && tail[-1] != G_DIR_SEPARATOR);
  return g_strdup (tail);
}

/* Returns: (transfer full): the scan's folder, with as many of those above as
 * tell it from the others of its name */
static char *
find_folders (GtkRecentInfo *info, const GPtrArray *infos)
{
  const char *name = gtk_recent_info_get_display_name (info);
  char *folders = NULL;
  gboolean is_unique = FALSE;

  for (guint n = 1; !is_unique && n < MAX_FOLDERS; n++)
    {
      g_free (folders);
      folders = dup_folders (info, n);
      is_unique = TRUE;
      for (guint i = 0; i < infos->len; i++)
        {
          GtkRecentInfo *other = infos->pdata[i];
          g_autofree char *others = dup_folders (other, n);

          is_unique &=
              other == info
              || strcmp (gtk_recent_info_get_display_name (other), name) != 0
              || strcmp (others, folders) != 0;
        }
    }
  return folders;
}

/* Doubles underscores: in a menu's label a single one marks a mnemonic. */
static char *
make_label (GtkRecentInfo *info, const GPtrArray *infos, const char *inside)
{
  g_autofree char *folders = find_folders (info, infos);
  g_autoptr (GString) label =
      g_string_new (gtk_recent_info_get_display_name (info));

  if (inside != NULL)
    g_string_append_printf (label, ":%s", inside);
  if (*folders != '\0')
    g_string_append_printf (label, " — %s", folders);
  g_string_replace (label, "_", "__", 0);
  return g_string_free (g_steal_pointer (&label), FALSE);
}

/* @infos: of the whole list */
static GMenuItem *
make_item (GtkRecentInfo *info, const GPtrArray *infos)
{
  g_auto (GStrv) groups = gtk_recent_info_get_groups (info, NULL);
  const char *uri = gtk_recent_info_get_uri (info);
  const char *inside = NULL;
  g_autofree char *label = NULL;
  gboolean has_places = FALSE;
  GVariantBuilder places;
  GMenuItem *item;

  g_variant_builder_init (&places, G_VARIANT_TYPE ("a{ss}"));
  for (char **group = groups; group != NULL && *group != NULL; group++)
    {
      char *equals = strchr (*group, '=');

      if (equals == NULL)
        continue;
      *equals = '\0';
      has_places = TRUE;
      g_variant_builder_add (&places, "{ss}", *group, equals + 1);
      if (strcmp (*group, "data-path") == 0)
        inside = equals + 1;
    }
  label = make_label (info, infos, inside);
  item = g_menu_item_new (label, NULL);
  if (has_places)
    g_menu_item_set_action_and_target (item, "app.open-places", "(sa{ss})", uri,
                                       &places);
  else
    g_menu_item_set_action_and_target (item, "app.open", "s", uri);
  g_variant_builder_clear (&places);
  return item;
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
  g_autoptr (GPtrArray) listed = g_ptr_array_new ();

  infos = g_list_sort (infos, compare_newest_first);
  for (GList *l = is_ignored ? NULL : infos;
       l != NULL && listed->len < MAX_ITEMS; l = l->next)
    {
      GtkRecentInfo *info = l->data;

      if (gtk_recent_info_has_application (info, APP_NAME)
          && (!gtk_recent_info_is_local (info)
              || gtk_recent_info_exists (info)))
        g_ptr_array_add (listed, info);
    }
  for (guint i = 0; i < listed->len; i++)
    {
      g_autoptr (GMenuItem) item = make_item (listed->pdata[i], listed);

      g_menu_append_item (menu, item);
    }
  g_list_free_full (infos, (GDestroyNotify)gtk_recent_info_unref);
  if (listed->len == 0) /* an action that does not exist: greyed out */
    g_menu_append (menu, _ ("No recent scans"), "win.no-recent-scan");
  return menu;
}

void
tl_recent_forget (void)
{
  GtkRecentManager *manager = gtk_recent_manager_get_default ();
  GList *infos = gtk_recent_manager_get_items (manager);

  for (GList *l = infos; l != NULL; l = l->next)
    if (gtk_recent_info_has_application (l->data, APP_NAME))
      gtk_recent_manager_remove_item (manager,
                                      gtk_recent_info_get_uri (l->data), NULL);
  g_list_free_full (infos, (GDestroyNotify)gtk_recent_info_unref);
}
