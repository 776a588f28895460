#include "ui/window/preferences.h"

#include "app/scan/scan-memory.h"
#include "ui/controls/control.h"
#include "ui/desktop/recent.h"
#include "ui/desktop/settings.h"
#include "ui/view/widget.h"

#include <glib/gi18n.h>

struct _TlPreferences
{
  GtkWindow parent_instance;

  TlLastRecipe *last_recipe;
  GtkDropDown *colormap_drop;
  GtkLabel *place_label;
  GtkWidget *forget_button;
};

G_DEFINE_FINAL_TYPE (TlPreferences, tl_preferences, GTK_TYPE_WINDOW)

static char *
describe_places (void)
{
  const char *place = tl_settings_get_place ();
  g_autofree char *recipes = tl_last_recipe_dup_folder ();
  g_autofree char *scans = tl_scan_memory_dup_file ();

  if (tl_settings_get () == NULL)
    return g_strdup (_ ("Nothing is remembered: this installation lacks its "
                        "list of settings."));
  /* translators: a file, or "dconf"; then a folder; then a file */
  return g_strdup_printf (
      _ ("Kept only in your own folders: settings in %s, parameters of scans "
         "in %s, what you have said about scans and addresses in %s, and "
         "recent scans in the desktop's own list, which other programs can "
         "read."),
      place != NULL ? place : "dconf (/org/tomolens/Tomolens/)", recipes,
      scans);
}

static void
on_forget (TlPreferences *self)
{
  tl_settings_forget ();
  tl_last_recipe_forget (self->last_recipe);
  tl_scan_memory_forget ();
  tl_recent_forget ();
  gtk_widget_set_sensitive (self->forget_button, FALSE);
}

static void
on_map (TlPreferences *self)
{
  gtk_widget_set_sensitive (self->forget_button, tl_settings_get () != NULL);
}

static void
tl_preferences_class_init (TlPreferencesClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  gtk_widget_class_set_template_from_resource (
      widget_class, "/org/tomolens/Tomolens/preferences.ui");
#define BIND(name)                                                             \
  gtk_widget_class_bind_template_child (widget_class, TlPreferences, name)
  BIND (colormap_drop);
  BIND (place_label);
  BIND (forget_button);
#undef BIND
  gtk_widget_class_bind_template_callback (widget_class, on_forget);
  gtk_widget_class_bind_template_callback (widget_class, on_map);
}

static void
tl_preferences_init (TlPreferences *self)
{
  g_autofree char *places = describe_places ();

  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_label_set_text (self->place_label, places);
}

TlPreferences *
tl_preferences_new (GtkWindow *parent, GActionGroup *actions,
                    TlLastRecipe *last_recipe)
{
  TlPreferences *self =
      g_object_new (TL_TYPE_PREFERENCES, "transient-for", parent, NULL);

  self->last_recipe = tl_keep (self, last_recipe);
  gtk_widget_insert_action_group (GTK_WIDGET (self), "app", actions);
  tl_control_bind_choice (self->colormap_drop, actions, "colormap");
  return self;
}
