/* The window of the preferences, and of where they are kept. Main thread. */
#pragma once

#include "app/session/last-recipe.h"

#include <gtk/gtk.h>

#define TL_TYPE_PREFERENCES (tl_preferences_get_type ())
G_DECLARE_FINAL_TYPE (TlPreferences, tl_preferences, TL, PREFERENCES, GtkWindow)

/** tl_preferences_new: @actions: of the application. Returns: (transfer none):
 * GTK's */
TlPreferences *tl_preferences_new (GtkWindow *parent, GActionGroup *actions,
                                   TlLastRecipe *last_recipe);
