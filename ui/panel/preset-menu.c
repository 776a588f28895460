#include "ui/panel/preset-menu.h"

#include "app/recipe/preset.h"

/* "Smooth: hann up to 0.5, linear" */
static char *
make_label (const char *name)
{
  g_autofree char *text = tl_preset_describe (name);

  return g_strdup_printf ("%c%s: %s", g_ascii_toupper (*name), name + 1, text);
}

GMenu *
tl_preset_menu_new (void)
{
  GMenu *menu = g_menu_new ();

  for (guint i = 0; tl_preset_names[i] != NULL; i++)
    {
      g_autofree char *label = make_label (tl_preset_names[i]);
      g_autoptr (GMenuItem) item = g_menu_item_new (label, NULL);

      g_menu_item_set_action_and_target (item, "app.preset", "s",
                                         tl_preset_names[i]);
      g_menu_append_item (menu, item);
    }
  return menu;
}
