/* Line below the picture while a scan is being taken: how much of it has come.
 * Main thread. */
#pragma once

#include "app/session/session.h"

#include <gtk/gtk.h>

#define TL_TYPE_GROWTH_BAR (tl_growth_bar_get_type ())
G_DECLARE_FINAL_TYPE (TlGrowthBar, tl_growth_bar, TL, GROWTH_BAR, GtkBox)

/** tl_growth_bar_bind: Call once, before it is shown. */
void tl_growth_bar_bind (TlGrowthBar *self, TlSession *session);
