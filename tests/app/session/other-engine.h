/* Makes the host engine look like another engine: in tests that wrap
 * tl_engine_get_name() (meson.build), it reports another name. */
#pragma once

#include <glib.h>

/** tl_play_other_engine: Any thread. @plays: report the other name; %FALSE at
 * first */
void tl_play_other_engine (gboolean plays);
